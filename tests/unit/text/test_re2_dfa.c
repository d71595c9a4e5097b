/* The automaton gives the answers of the breadth-first machine: over generated patterns and texts, within its memory,
 * and for several threads at once. */
#include "text/re2_dfa.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct limits lim = LIMITS_DEFAULT;

/* ---- patterns and texts ---- */

struct generator {
	uint64_t state;
	struct buf *out;
};

static uint32_t pick(struct generator *g, uint32_t n)
{
	g->state = g->state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(g->state >> 33) % n;
}

static void add_pattern(struct generator *g, int depth)
{
	static const char *const atoms[] = { "a",         "b",           "ab",      "\xC3\xA9",
					     ".",         "[a-c]",       "[^a]",    "\\w",
					     "\\d",       "\\s",         "\\pL",    "\\n",
					     "-",         "(?s:.)",      "(?i:aK)", "[\\x{80}-\\x{10FFFF}]",
					     "\\x{FFFD}", "[[:alpha:]]", "" };
	static const char *const places[] = { "^", "$", "\\b", "\\B", "\\A", "\\z", "(?m:^)", "(?m:$)" };
	static const char *const repeats[] = { "*", "+", "?", "*?", "+?", "??", "{2}", "{0,3}", "{2,}", "{3,7}?" };

	switch (depth > 0 ? pick(g, 9) : pick(g, 2)) {
	case 0:
		buf_add_cstr(g->out, atoms[pick(g, ARRAY_LEN(atoms))]);
		break;
	case 1:
		if (pick(g, 3) == 0)
			buf_add_cstr(g->out, places[pick(g, ARRAY_LEN(places))]);
		else
			buf_add_cstr(g->out, atoms[pick(g, ARRAY_LEN(atoms))]);
		break;
	case 2:
	case 3:
		buf_add_cstr(g->out, pick(g, 2) ? "(" : "(?:");
		add_pattern(g, depth - 1);
		buf_add_cstr(g->out, ")");
		buf_add_cstr(g->out, repeats[pick(g, ARRAY_LEN(repeats))]);
		break;
	case 4:
		buf_add_cstr(g->out, "(?:");
		add_pattern(g, depth - 1);
		buf_add_cstr(g->out, "|");
		add_pattern(g, depth - 1);
		buf_add_cstr(g->out, ")");
		break;
	default:
		add_pattern(g, depth - 1);
		add_pattern(g, depth - 1);
	}
}

/* Some of it is no UTF-8. */
static void add_text(struct generator *g)
{
	static const char *const parts[] = { "a",
					     "b",
					     "c",
					     "ab",
					     "A",
					     "k",
					     "\xE2\x84\xAA" /* Kelvin sign */,
					     "\xC3\xA9",
					     "\n",
					     " ",
					     "-",
					     "_",
					     "7",
					     "\xFF",
					     "\xC3",
					     "\xE2\x84",
					     "\xEF\xBF\xBD",
					     "\xF0\x9F\x98\x80",
					     "\xED\xA0\x80",
					     "aaaa",
					     "abab" };

	for (uint32_t n = pick(g, 12); n > 0; n--)
		buf_add_cstr(g->out, parts[pick(g, ARRAY_LEN(parts))]);
}

static struct re2 *compile(str pattern)
{
	struct re2 *re = NULL;
	struct err err;

	return re2_compile(pattern, &lim, &re, NULL, &err) < 0 ? NULL : re;
}

static int by_machine(const struct re2 *re, const struct re2_prog *prog, str text)
{
	CLEANUP(re2_search_done) struct re2_search s = { 0 };
	struct err err;

	assert_int_equal(re2_search_init(&s, re, text, &err), 0);
	return re2_vm_search(prog, &s, 0, &err);
}

static void agree(const struct re2 *re, struct generator *g)
{
	struct re2_prog *prog = NULL;
	struct re2_dfa *d = NULL;
	struct err err;
	int made;

	assert_int_equal(re2_prog_new(re, &prog, &err), 0);
	made = re2_dfa_new(prog, &d);
	assert_true(made == 0 || made == -E2BIG);
	for (int i = 0; i < 20 && made == 0; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
		struct generator texts = { g->state, &text };
		int r, expected;

		add_text(&texts);
		g->state = texts.state;
		r = re2_dfa_matches(d, buf_str(&text), 1u << 30);
		expected = by_machine(re, prog, buf_str(&text));
		if (r != -EAGAIN && r != expected)
			fail_msg("'%.*s' in '%.*s': %d, not %d", STR_ARG(re->pattern), STR_ARG(buf_str(&text)), r,
				 expected);
		/* Whichever engine it goes to. */
		assert_int_equal(re2_matches(re, buf_str(&text), &err), expected);
	}
	if (d)
		assert_true(d->arena.used <= RE2_DFA_BYTES);
	re2_dfa_free(d);
	re2_prog_free(prog);
}

static void test_generated(void **state)
{
	size_t compiled = 0;

	(void)state;
	for (uint64_t seed = 1; seed < 4000; seed++) {
		CLEANUP(buf_done) struct buf pattern = BUF_INIT(1u << 16);
		CLEANUP(re2_freep) struct re2 *re = NULL;
		struct generator g = { seed * 0x9E3779B97F4A7C15u, &pattern };

		add_pattern(&g, 4);
		re = compile(buf_str(&pattern));
		if (!re)
			continue;
		agree(re, &g);
		compiled++;
	}
	assert_true(compiled > 3000);
}

static void test_chosen(void **state)
{
	static const struct {
		const char *pattern, *text;
		int expected;
	} cases[] = {
		{ "", "", 1 },
		{ "^$", "", 1 },
		{ "^$", "x", 0 },
		{ "(?m)^$", "x\n", 1 },
		{ "(?m)^b$", "a\nb\nc", 1 },
		{ "^b", "a\nb", 0 },
		{ "\\bfoo\\b", "a foo.", 1 },
		{ "\\bfoo\\b", "afoo", 0 },
		{ "\\B", "", 1 },
		{ "\\b", "", 0 },
		{ "x\\B$", "x", 0 },
		{ "\\b\xC3\xA9", "\xC3\xA9", 0 },
		{ "^\\x{FFFD}{2}$", "\xFF\xFE", 1 },
		{ "(?i)^kelvin$",
		  "\xE2\x84\xAA"
		  "elvin",
		  1 },
		{ "(?i)stra\xC3\x9F"
		  "e",
		  "STRA\xE1\xBA\x9E"
		  "E",
		  1 },
		{ "^[a-z]([-a-z0-9]*[a-z0-9])?$", "demo-service", 1 },
		{ "^[a-z]([-a-z0-9]*[a-z0-9])?$", "demo-service-", 0 },
		{ "^a{1000}$", "aaaa", 0 },
		{ "^(?:[0-9]{1,3}\\.){3}[0-9]{1,3}$", "192.168.10.250", 1 },
		{ "^(?:\\pL{1,60}-){3}", "ab-\xC3\xA9\xC3\xA9-cd-", 1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(re2_freep) struct re2 *re = compile(str_from(cases[i].pattern));
		struct re2_prog *prog = NULL;
		struct re2_dfa *d = NULL;
		struct err err;

		assert_non_null(re);
		assert_int_equal(re2_prog_new(re, &prog, &err), 0);
		assert_int_equal(re2_dfa_new(prog, &d), 0);
		for (int round = 0; round < 2; round++) {
			if (re2_dfa_matches(d, str_from(cases[i].text), 1u << 20) != cases[i].expected)
				fail_msg("'%s' in '%s'", cases[i].pattern, cases[i].text);
		}
		re2_dfa_free(d);
		re2_prog_free(prog);
	}
}

/* ---- ceilings ---- */

/* Each text is a walk to other ones of 2^14 states: the automaton fills up, and answers no more than it can. */
static void test_full(void **state)
{
	CLEANUP(re2_freep) struct re2 *re = compile(STR("(?:a|b)*a(?:a|b){14}c"));
	struct re2_prog *prog = NULL;
	struct re2_dfa *d = NULL;
	struct generator g = { 7, NULL };
	size_t unanswered = 0;
	char text[400];
	struct err err;

	(void)state;
	assert_int_equal(re2_prog_new(re, &prog, &err), 0);
	assert_int_equal(re2_dfa_new(prog, &d), 0);
	for (int round = 0; round < 100; round++) {
		str s = { text, sizeof(text) };
		int r;

		for (size_t i = 0; i < sizeof(text); i++)
			text[i] = "abababababac"[pick(&g, 12)];
		r = re2_dfa_matches(d, s, 1u << 30);
		if (r == -EAGAIN)
			unanswered++;
		else
			assert_int_equal(r, by_machine(re, prog, s));
		assert_int_equal(re2_matches(re, s, &err), by_machine(re, prog, s));
	}
	assert_true(unanswered > 0);
	assert_true(d->full);
	assert_true(d->arena.used <= RE2_DFA_BYTES);
	re2_dfa_free(d);
	re2_prog_free(prog);
}

static void test_steps(void **state)
{
	CLEANUP(re2_freep) struct re2 *re = compile(STR("^a*b"));
	struct re2_prog *prog = NULL;
	struct re2_dfa *d = NULL;
	struct err err;

	(void)state;
	assert_int_equal(re2_prog_new(re, &prog, &err), 0);
	assert_int_equal(re2_dfa_new(prog, &d), 0);
	assert_int_equal(re2_dfa_matches(d, STR("aaab"), 3), -EAGAIN);
	assert_int_equal(re2_dfa_matches(d, STR("aaab"), 5), -EAGAIN);
	assert_int_equal(re2_dfa_matches(d, STR("aaab"), 1000), 1);
	assert_int_equal(re2_dfa_matches(d, STR("aaab"), 4), 1); /* all of it is there */
	re2_dfa_free(d);
	re2_prog_free(prog);
}

static void assert_refused(str pattern)
{
	CLEANUP(re2_freep) struct re2 *re = compile(pattern);
	struct re2_prog *prog = NULL;
	struct re2_dfa *d = NULL;
	struct err err;

	assert_non_null(re);
	for (int k = 0; k < 10; k++)
		assert_int_equal(re2_matches(re, STR("aaaaaaa"), &err), 0);
	assert_null(re->dfa);
	assert_int_equal(re2_prog_new(re, &prog, &err), 0);
	assert_int_equal(re2_dfa_new(prog, &d), -E2BIG);
	assert_null(d);
	re2_prog_free(prog);
}

/* Programs that are too large for it, or tell too many characters apart. */
static void test_refused(void **state)
{
	CLEANUP(buf_done) struct buf many = BUF_INIT(1u << 16);

	(void)state;
	for (int i = 0; i < 300; i++)
		buf_printf(&many, "\\x{%x}", 0x4E00 + 2 * i);
	assert_refused(STR("(?:ab){1000}c{100}"));
	assert_refused(buf_str(&many));
}

/* ---- threads ---- */

#define THREADS 4

static void *match_many(void *shared)
{
	static const char *const texts[] = {
		"demo-service", "-x", "a", "a-", "UPPER", "", "x9-9x", "very-long-name-0"
	};
	static const int expected[] = { 1, 0, 1, 0, 0, 0, 1, 1 };
	struct re2 *const *res = shared;
	struct err err;

	for (size_t i = 0; i < 200 * ARRAY_LEN(texts); i++) {
		size_t k = i % ARRAY_LEN(texts);

		if (re2_matches(res[i / 400], str_from(texts[k]), &err) != expected[k])
			return shared;
	}
	return NULL;
}

static void test_threads(void **state)
{
	struct re2 *res[4];
	pthread_t threads[THREADS];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(res); i++)
		res[i] = compile(STR("^[a-z]([-a-z0-9]*[a-z0-9])?$"));
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, match_many, res), 0);
	for (size_t i = 0; i < THREADS; i++) {
		void *wrong = NULL;

		assert_int_equal(pthread_join(threads[i], &wrong), 0);
		assert_null(wrong);
	}
	for (size_t i = 0; i < ARRAY_LEN(res); i++)
		re2_free(res[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_generated), cmocka_unit_test(test_chosen),  cmocka_unit_test(test_full),
		cmocka_unit_test(test_steps),     cmocka_unit_test(test_refused), cmocka_unit_test(test_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
