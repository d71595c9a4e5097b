/* What is kept of managedFields. */
#include "compare/writers.h"

#include "value/json.h"
#include "value/json_scan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct {
	const char *managed, *writers;
} cases[] = {
	{ "[]", "[]" },
	{ " [ ] ", "[]" },
	{ "", "" },
	{ "null", "" },
	{ "{}", "" },
	{ "[{}]", "[{}]" },
	{ "[{\"manager\":\"a\"}]", "[{\"manager\":\"a\"}]" },
	{ "[{\"manager\":\"a\",\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":\"t\",\"fieldsType\":"
	  "\"FieldsV1\","
	  "\"fieldsV1\":{\"f:a\":{\".\":{},\"k:{\\\"name\\\":\\\"x]}\\\"}\":{}}},\"subresource\":\"scale\"},{"
	  "\"manager\":\"b\"}]",
	  "[{\"manager\":\"a\",\"operation\":\"Update\",\"time\":\"t\",\"subresource\":\"scale\"},{\"manager\":\"b\"}"
	  "]" },
	{ "[ { \"fieldsV1\" : [ 1 , \"]\" ] , \"manager\" : \"\\\"\\\\\" } , { } ]",
	  "[{\"manager\":\"\\\"\\\\\"},{}]" },
	{ "[{\"manager\":5,\"time\":null,\"operation\":\"Apply\"}]", "[{\"operation\":\"Apply\"}]" },
	{ "[{\"manager\":\"\xc3\xa9\\u00e9\"}]", "[{\"manager\":\"\xc3\xa9\\u00e9\"}]" },
	{ "[{\"manager\":\"a\"},5]", "" },
	{ "[{\"manager\":\"a\"}", "" },
	{ "[{\"manager\":\"a", "" },
	{ "[{\"manager\":\"a\\", "" },
	{ "[{\"manager\"}]", "" },
	{ "[{\"manager\":}]", "[{}]" },
	{ "[{\"fieldsV1\":{\"a\":1]", "" },
	{ "[{\"manager\":\"a\"}{}]", "" },
};

/* managedFields of these entries, or the digest of them. */
static struct doc *read_entries(const char *entries, bool whole)
{
	CLEANUP(buf_done) struct buf managed = BUF_INIT(4096), out = BUF_INIT(4096);
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	str rest = str_from(entries), entry, part[4] = { { NULL, 0 } };
	struct doc *d = NULL;
	struct err err;
	int n = 0;

	buf_add_byte(&managed, '[');
	while (rest.n && str_next_part(&rest, ' ', &entry)) {
		for (int i = 0; i < 4; i++)
			(void)str_next_part(&entry, '/', &part[i]);
		buf_printf(&managed,
			   "%s{\"manager\":\"%.*s\",\"operation\":\"%.*s\",\"subresource\":\"%.*s\",\"time\":\"%.*s\","
			   "\"apiVersion\":\"v%d\",\"fieldsV1\":{}}",
			   n ? "," : "", STR_ARG(part[0]), STR_ARG(part[1]), STR_ARG(part[2]), STR_ARG(part[3]), n);
		n++;
	}
	buf_add_byte(&managed, ']');
	writers_write(buf_str(&managed), &out);
	assert_int_equal(json_decode(whole ? buf_str(&managed) : buf_str(&out), &o, &d, &err), 0);
	return d;
}

static struct doc *digest(const char *entries)
{
	return read_entries(entries, false);
}

static str written(str managed, struct buf *out)
{
	buf_clear(out);
	buf_add_cstr(out, "x");
	writers_write(managed, out);
	return str_sub(buf_str(out), 1, out->n);
}

static void test_cases(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		str got = written(str_from(cases[i].managed), &out);

		if (!str_eq(got, str_from(cases[i].writers)))
			fail_msg("%s: %.*s", cases[i].managed, STR_ARG(got));
	}
}

/* What is read while it is passed over ends where it would end by its brackets. */
static void test_ends(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096), text = BUF_INIT(4096);
	size_t n_read = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *end, *from;

		buf_clear(&text);
		buf_printf(&text, "%s,\"]\":[]}", cases[i].managed);
		from = text.p + (cases[i].managed[0] == ' ');
		buf_clear(&out);
		end = writers_read(from, text.p + text.n, &out);
		assert_true(!end || end == json_brackets_end(from, text.p + text.n));
		assert_true(end || !out.n);
		n_read += end != NULL;
	}
	assert_int_equal(n_read, 9);
}

/* Of texts that are cut or damaged nothing is read beyond the end, and what comes of a good text is a good text. */
static void test_damaged(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		str whole = str_from(cases[i].managed);

		for (size_t n = 0; n < whole.n * 2; n++) {
			char *copy = malloc(whole.n + 1);
			size_t length = n < whole.n ? n : whole.n;
			struct doc *d = NULL;
			struct err err;

			assert_non_null(copy);
			memcpy(copy, whole.p, length);
			copy = realloc(copy, length ? length : 1);
			if (n >= whole.n)
				copy[n - whole.n] = "\"{}[],:\\x"[n % 9];
			(void)written((str){ copy, length }, &out);
			if (json_decode((str){ copy, length }, &o, &d, &err) == 0) {
				str got = str_sub(buf_str(&out), 1, out.n);

				doc_unref(d);
				if (got.n) {
					assert_int_equal(json_decode(got, &o, &d, &err), 0);
					doc_unref(d);
				}
			}
			free(copy);
		}
	}
}

/* Who wrote from one digest to the next, or to the managedFields of which that is made: entries as
 * manager/operation/subresource/time. */
static void test_between(void **state)
{
	static const struct {
		const char *before, *now, *writer; /* NULL: nobody; "?": several */
	} rows[] = {
		{ "a/Update//t1 b/Apply//t1", "a/Update//t1 b/Apply//t1", NULL },
		{ "a/Update//t1 b/Apply//t1", "b/Apply//t1 a/Update//t1", NULL },
		{ "a/Update//t1 b/Apply//t1", "b/Apply//t1", NULL },
		{ "a/Update//t1 b/Apply//t1", "a/Update//t1 b/Apply//t2", "b" },
		{ "a/Update//t1 b/Apply//t1", "a/Update//t1 b/Apply//t1 c/Update//t0", "c" },
		{ "a/Update//t1 b/Apply//t1", "a/Update//t3 b/Apply//t2", "?" },
		/* By the same manager in another way. */
		{ "a/Update//t1", "a/Update//t1 a/Update/scale/t1", "a" },
		{ "a/Update//t1", "a/Update//t1 a/Apply//t1", "a" },
		/* Entries of other versions of the API look alike here, and are counted. */
		{ "a/Update//t1 a/Update//t2", "a/Update//t1 a/Update//t2", NULL },
		{ "a/Update//t1 a/Update//t2", "a/Update//t2 a/Update//t2", "a" },
		{ "a/Update//t2 a/Update//t2", "a/Update//t2", NULL },
		{ "", "a/Update//t1", "a" },
	};

	(void)state;
	for (size_t n = 0; n < 2 * ARRAY_LEN(rows); n++) {
		size_t i = n / 2;
		CLEANUP(doc_unrefp) struct doc *before = digest(rows[i].before);
		CLEANUP(doc_unrefp) struct doc *now = read_entries(rows[i].now, n % 2);
		uint64_t steps = BLAME_STEPS;
		struct blame b = { 0 };
		enum writers_found found = writers_between(before->root, now->root, &steps, &b);
		str want = str_from(rows[i].writer ? rows[i].writer : "");

		if (found != (!want.n                  ? WRITERS_NONE
			      : str_eq(want, STR("?")) ? WRITERS_SEVERAL
						       : WRITERS_ONE) ||
		    (found == WRITERS_ONE && !str_eq(b.manager, want)))
			fail_msg("row %zu: %d, %.*s", i, found, STR_ARG(b.manager));
	}
}

static void test_after(void **state)
{
	CLEANUP(doc_unrefp) struct doc *now = digest("a/Update//t1 b/Apply//t2");
	uint64_t steps = BLAME_STEPS;
	struct blame b;

	(void)state;
	assert_int_equal(writers_after(now->root, STR("t2"), &steps, &b), WRITERS_NONE);
	assert_int_equal(writers_after(now->root, STR("t1"), &steps, &b), WRITERS_ONE);
	assert_true(str_eq(b.manager, STR("b")));
	assert_int_equal(writers_after(now->root, STR(""), &steps, &b), WRITERS_SEVERAL);
	assert_true(str_eq(b.manager, STR("b")));
	steps = 1;
	assert_int_equal(writers_after(now->root, STR(""), &steps, &b), WRITERS_NONE);
	assert_int_equal(writers_between(now->root, now->root, &steps, &b), WRITERS_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_cases), cmocka_unit_test(test_ends),
					    cmocka_unit_test(test_damaged), cmocka_unit_test(test_between),
					    cmocka_unit_test(test_after) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
