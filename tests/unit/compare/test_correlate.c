/* Which templates an object may be for. */
#include "compare/correlate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define ID(v, k, s, n)                                                                                                 \
	{                                                                                                              \
		.api_version = { v, sizeof(v) - 1 }, .kind = { k, sizeof(k) - 1 }, .namespace = { s, sizeof(s) - 1 },  \
		.name = {                                                                                              \
			n,                                                                                             \
			sizeof(n) - 1                                                                                  \
		}                                                                                                      \
	}

static const struct identity entries[] = {
	ID("v1", "A", "ns", "n"), /* 0: all four */
	ID("v1", "A", "", "n"),   /* 1 */
	ID("", "A", "ns", "n"),   /* 2 */
	ID("v1", "A", "ns", ""),  /* 3 */
	ID("v1", "A", "", ""),    /* 4 */
	ID("", "A", "ns", ""),    /* 5 */
	ID("", "A", "", "n"),     /* 6 */
	ID("", "A", "", ""),      /* 7 */
	ID("", "", "ns", "n"),    /* 8: no kind, never found */
	ID("v1", "A", "ns", "n"), /* 9: the same as 0 */
	ID("x", "B", "a_b", "c"), /* 10: the separator in a name misleads nobody */
};
#define N ARRAY_LEN(entries)

/* With entry after entry taken away, the next group answers. */
static void check_order(enum correlate_order order, const uint32_t *expected, size_t n)
{
	static const struct identity object = ID("v1", "A", "ns", "n"), empty = { 0 };
	const struct identity *ids[N];
	struct err err;

	for (size_t i = 0; i < N; i++)
		ids[i] = &entries[i];
	ids[9] = &empty;
	for (size_t i = 0; i < n; i++) {
		struct correlator *c = NULL;
		size_t first = 0, slots;

		assert_int_equal(correlator_new(ids, N, order, &c, &err), 0);
		assert_int_equal(correlator_find(c, &object, &first), 1);
		assert_int_equal(correlator_slots(c, &slots)[first], expected[i]);
		correlator_free(c);
		ids[expected[i]] = &empty;
	}
}

static void test_order(void **state)
{
	static const uint32_t templates[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
	static const uint32_t overrides[] = { 0, 3, 2, 1, 6, 5, 4, 7 };

	(void)state;
	check_order(CORRELATE_TEMPLATES, templates, ARRAY_LEN(templates));
	check_order(CORRELATE_OVERRIDES, overrides, ARRAY_LEN(overrides));
}

struct seen {
	unsigned fields[8];
	size_t n;
	uint32_t first[8];
};

static void note(void *ctx, unsigned fields, const uint32_t *list, size_t n)
{
	struct seen *s = ctx;

	assert_int_equal(n, 2);
	s->first[s->n] = list[0];
	s->fields[s->n++] = fields;
}

static void test_find(void **state)
{
	static const struct identity other = ID("x", "B", "a", "b_c"), wrong = ID("v2", "C", "", "");
	const struct identity *ids[N];
	struct correlator *c = NULL;
	struct seen seen = { 0 };
	struct buf text = BUF_INIT(256);
	size_t first;
	struct err err;

	(void)state;
	for (size_t i = 0; i < N; i++)
		ids[i] = &entries[i];
	assert_int_equal(correlator_new(ids, N, CORRELATE_TEMPLATES, &c, &err), 0);
	assert_int_equal(correlator_find(c, &entries[0], &first), 2);
	assert_int_equal(correlator_find(c, &other, &first), 0);
	assert_int_equal(correlator_find(c, &wrong, &first), 0);
	correlator_collisions(c, note, &seen);
	assert_int_equal(seen.n, 1);
	assert_int_equal(seen.first[0], 0);
	correlate_fields_text(seen.fields[0], &text);
	assert_string_equal(text.p, "apiVersion, metadata_name, metadata_namespace, kind");
	buf_clear(&text);
	identity_text(&entries[0], &text);
	identity_text(&entries[1], &text);
	assert_string_equal(text.p, "v1_A_ns_nv1_A_n");
	buf_done(&text);
	correlator_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_order), cmocka_unit_test(test_find) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
