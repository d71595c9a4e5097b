/* Drawn pairs of objects: no score is below what it is said to be at least, and taking common lines away changes none.
 */
#include "compare/score.h"
#include "text/dmp.h"
#include "text/k8s_print.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define PAIRS 3000

static unsigned seed;
static struct limits limits;

static unsigned draw(unsigned n)
{
	seed = seed * 1103515245 + 12345;
	return (seed >> 16) % n;
}

/* Texts that YAML writes in every way that it has: plain, quoted, folded, as a block. */
static const char *const texts[] = {
	"a",
	"ab",
	"ba",
	"true",
	"1",
	"",
	" a",
	"a: b",
	"- a",
	"#",
	"\\\\\\\"",
	"a\\nb\\n",
	"\\n a\\n\\n",
	"a\\n",
	"\xC3\xA9\xE2\x82\xAC",
	"\xC3\xA8",
	"tab\\there and a text that is so long that it is folded somewhere behind its eightieth character",
	"\\u0001 control, and a text that is so long that it is folded somewhere behind its eightieth character",
	"another text that is so long, it is folded somewhere behind its eightieth character: and it is quoted",
};

static void add_value(struct buf *b, unsigned depth)
{
	const char *comma = "";
	unsigned n = draw(4);

	switch (draw(depth ? 6 : 3)) {
	case 0:
		buf_printf(b, "%u", draw(12));
		break;
	case 1:
		buf_add_cstr(b, draw(2) ? "null" : "1.5");
		break;
	case 2:
		buf_printf(b, "\"%s\"", texts[draw(ARRAY_LEN(texts))]);
		break;
	case 3:
		buf_add_cstr(b, "[");
		for (unsigned i = 0; i < n; i++, comma = ",") {
			buf_add_cstr(b, comma);
			add_value(b, depth - 1);
		}
		buf_add_cstr(b, "]");
		break;
	default:
		buf_add_cstr(b, "{");
		for (unsigned i = 0; i < n; i++, comma = ",") {
			buf_printf(b, "%s\"%c%s\":", comma, 'a' + (int)i, draw(9) ? "" : " key: #");
			add_value(b, depth - 1);
		}
		buf_add_cstr(b, "}");
	}
}

/* Both have @common at most, so that what they share lies before, between and behind what they do not. */
static val draw_object(const struct buf common[3], struct doc **ret)
{
	struct json_options o = { .limits = &limits };
	struct buf b = BUF_INIT(1 << 20);
	struct err err;

	buf_add_cstr(&b, "{\"kind\":\"A\"");
	for (char key = 'b'; key <= 'h'; key++) {
		buf_printf(&b, ",\"%c\":", key);
		if (key % 2)
			add_value(&b, 3);
		else
			buf_add_str(&b, buf_str(&common[(key - 'b') / 2 % 3]));
	}
	buf_add_cstr(&b, "}");
	if (json_decode(buf_str(&b), &o, ret, &err) < 0)
		fail_msg("%s: %s", b.p, err.msg);
	buf_done(&b);
	return (*ret)->root;
}

/* By all of the differences of all of both texts. */
static size_t score_in_full(str a, str b)
{
	struct dmp_diffs diffs;
	struct err err;
	size_t n = 0;

	assert_int_equal(dmp_diff(a, b, &limits, &diffs, &err), 0);
	for (size_t i = 0; i < diffs.n; i++) {
		struct buf text = BUF_INIT(1 << 20);

		dmp_text(&diffs.p[i], &text);
		n += diffs.p[i].op == DMP_EQUAL ? 0 : text.n;
		buf_done(&text);
	}
	dmp_diffs_done(&diffs);
	return n;
}

static size_t score_of_objects(val a, val b)
{
	struct buf from = BUF_INIT(1 << 20), to = BUF_INIT(1 << 20);
	struct arena arena = ARENA_INIT(1 << 20);
	struct err err;
	size_t n;

	assert_int_equal(k8s_print(a, b, false, &arena, &from, &to, &err), 0);
	n = score_in_full(buf_str(&from), buf_str(&to));
	arena_done(&arena);
	buf_done(&from);
	buf_done(&to);
	return n;
}

#define SHORT_MAX 5

/* The text of that number, of those of "a", "b" and line breaks. */
static str short_text(unsigned number, char out[SHORT_MAX])
{
	size_t n = 0;

	for (; number; number = (number - 1) / 3)
		out[n++] = "ab\n"[(number - 1) % 3];
	return (str){ out, n };
}

/* Every pair of short texts: what is taken away from one end may not be missed at the other. */
static void test_short(void **state)
{
	char of_a[SHORT_MAX], of_b[SHORT_MAX];
	size_t score;
	struct err err;

	(void)state;
	for (unsigned i = 0; i < 363; i++) {
		for (unsigned k = 0; k < 363; k++) {
			str a = short_text(i, of_a), b = short_text(k, of_b);

			assert_int_equal(dmp_score(a, b, &limits, &score, &err), 0);
			if (score != score_in_full(a, b))
				fail_msg("'%.*s' and '%.*s': %zu", STR_ARG(a), STR_ARG(b), score);
		}
	}
}

static void test_drawn(void **state)
{
	size_t tight = 0;

	(void)state;
	for (unsigned n = 0; n < PAIRS; n++) {
		struct buf common[3] = { BUF_INIT(1 << 20), BUF_INIT(1 << 20), BUF_INIT(1 << 20) };
		struct arena arena = ARENA_INIT(1 << 20);
		struct doc *da = NULL, *db = NULL;
		struct scorer scorer = { .limits = limits };
		size_t least, score, again;
		struct err err;
		val a, b;

		seed = n;
		for (unsigned i = 0; i < ARRAY_LEN(common); i++)
			add_value(&common[i], 2);
		a = draw_object(common, &da);
		b = draw_object(common, &db);
		assert_int_equal(score_least(a, b, &least, &err), 0);
		assert_int_equal(score_text(&scorer, a, b, &arena, &score, &err), 0);
		assert_int_equal(score_text(&scorer, b, b, &arena, &again, &err), 0);
		assert_int_equal(again, 0);
		assert_int_equal(score_text(&scorer, a, b, &arena, &again, &err), 0);
		assert_int_equal(again, score);
		scorer_done(&scorer);
		if (least > score || score != score_of_objects(a, b))
			fail_msg("pair %u: at least %zu, %zu, of all %zu", n, least, score, score_of_objects(a, b));
		tight += score && least * 2 >= score;
		for (unsigned i = 0; i < ARRAY_LEN(common); i++)
			buf_done(&common[i]);
		arena_done(&arena);
		doc_unref(da);
		doc_unref(db);
	}
	assert_true(tight > PAIRS / 10);
}

/* Of a Secret nothing is said: what is printed is not what it holds. */
static void test_secret(void **state)
{
	struct json_options o = { .limits = &limits };
	struct doc *da = NULL, *db = NULL;
	size_t least = 1;
	struct err err;

	(void)state;
	assert_int_equal(
		json_decode(STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"a\":\"x\"}}"), &o, &da, &err),
		0);
	assert_int_equal(
		json_decode(STR("{\"apiVersion\":\"v1\",\"kind\":\"Secret\",\"data\":{\"a\":\"y\"}}"), &o, &db, &err),
		0);
	assert_int_equal(score_least(da->root, db->root, &least, &err), 0);
	assert_int_equal(least, 0);
	doc_unref(da);
	doc_unref(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short),
		cmocka_unit_test(test_drawn),
		cmocka_unit_test(test_secret),
	};

	limits = LIMITS_DEFAULT;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
