/* Differences by the thousand, far down: what is listed has a ceiling, what is counted has none, and no path is walked
 * from the root for each of its parts. What is walked is counted, so that no clock decides. */
#include "compare/changes.h"
#include "support/json_values.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DEPTH 900

/* Segments that were followed: CMakeLists.txt wraps the function. */
static size_t walked;

val __real_path_get(val root, struct path p);
val __wrap_path_get(val root, struct path p);

val __wrap_path_get(val root, struct path p)
{
	walked += p.n;
	return __real_path_get(root, p);
}

/* @n keys at @depth, the last of them with the value @last. */
static struct doc *nested(size_t depth, size_t n, const char *value, const char *last)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	CLEANUP(buf_done) struct buf b = BUF_INIT(16u << 20);
	struct doc *d;
	struct err err;

	for (size_t i = 0; i < depth; i++)
		buf_add_cstr(&b, "{\"d\":");
	buf_add_byte(&b, '{');
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\"k%06zu\":\"%s\"", i ? "," : "", i, i + 1 < n ? value : last);
	for (size_t i = 0; i <= depth; i++)
		buf_add_byte(&b, '}');
	if (json_decode(buf_str(&b), &o, &d, &err) < 0)
		fail_msg("%s", err.msg);
	return d;
}

static struct changes find(size_t depth, size_t n, const char *last, struct arena *a)
{
	CLEANUP(doc_unrefp) struct doc *expected = nested(depth, n, "a", "a");
	CLEANUP(doc_unrefp) struct doc *actual = nested(depth, n, "b", last);
	struct changes c;
	struct err err;

	assert_int_equal(changes_find(expected->root, actual->root, (val){ 0 }, NULL, a, &c, &err), 0);
	for (size_t i = 0; i < c.n; i++)
		assert_false(c.p[i].sensitive);
	return c;
}

static void test_many_changes(void **state)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
	struct changes few = find(2, CHANGES_MAX, "b", &a), many = find(2, 100000, "b", &a);

	(void)state;
	assert_int_equal(few.n, CHANGES_MAX);
	assert_int_equal(few.total, CHANGES_MAX);
	assert_int_equal(few.rest.n, 0);
	assert_int_equal(many.n, CHANGES_MAX);
	assert_int_equal(many.total, 100000);
	assert_string_equal(many.p[CHANGES_MAX - 1].path_text.p, few.p[CHANGES_MAX - 1].path_text.p);
}

/* They are the same only if all of them are. */
static void test_what_is_not_listed(void **state)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
	struct changes one = find(2, 1000, "b", &a), same = find(2, 1000, "b", &a), other = find(2, 1000, "c", &a),
		       fewer = find(2, 1000, "a", &a);

	(void)state;
	assert_string_equal(one.rest.p, same.rest.p);
	assert_string_not_equal(one.rest.p, other.rest.p);
	assert_string_not_equal(one.rest.p, fewer.rest.p);
	assert_int_equal(fewer.total, 999);
}

static void test_deep_changes(void **state)
{
	const struct limits limits = LIMITS_DEFAULT;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
	struct changes c;

	(void)state;
	walked = 0;
	c = find(DEPTH, 4000, "b", &a);
	assert_int_equal(c.n, CHANGES_SEGMENTS_MAX / (DEPTH + 1));
	assert_int_equal(c.total, 4000);
	assert_true(walked <= CHANGES_SEGMENTS_MAX);
	assert_true(a.used < 16u << 20);
}

/* Lists of custom resources go by what their definition says, which nobody else knows. */
static void test_lists_of_a_schema(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1u << 20);
	val schema = value_of_json("{\"type\":\"object\",\"properties\":{\"parts\":{\"type\":\"array\","
				   "\"x-kubernetes-list-type\":\"map\",\"x-kubernetes-list-map-keys\":[\"id\"],"
				   "\"items\":{\"type\":\"object\"}}}}",
				   &a);
	val expected = value_of_json("{\"kind\":\"W\",\"parts\":[{\"id\":1,\"n\":1},{\"id\":2,\"n\":2}]}", &a);
	val actual = value_of_json("{\"kind\":\"W\",\"parts\":[{\"id\":2,\"n\":3},{\"id\":1,\"n\":1}]}", &a);
	struct changes by_key, by_place;
	struct err err;

	(void)state;
	assert_int_equal(changes_find(expected, actual, schema, NULL, &a, &by_key, &err), 0);
	assert_int_equal(by_key.n, 1);
	assert_string_equal(by_key.p[0].path_text.p, "parts[id=2].n");
	assert_int_equal(changes_find(expected, actual, (val){ 0 }, NULL, &a, &by_place, &err), 0);
	assert_int_equal(by_place.n, 4);
	assert_string_equal(by_place.p[0].path_text.p, "parts[0].id");
}

/* A path that is too long is only counted; the next one is listed. */
static void test_a_long_path(void **state)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	CLEANUP(arena_done) struct arena a = ARENA_INIT(limits.arena_bytes);
	CLEANUP(buf_done) struct buf b = BUF_INIT(4u << 20);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct changes c;
	struct err err;

	(void)state;
	buf_add_cstr(&b, "{\"");
	for (size_t i = 0; i <= CHANGES_TEXT_MAX; i++)
		buf_add_byte(&b, 'k');
	buf_add_cstr(&b, "\":1,\"v\":1}");
	assert_int_equal(json_decode(buf_str(&b), &o, &d, &err), 0);
	assert_int_equal(changes_find(val_map_sorted(NULL, 0), d->root, (val){ 0 }, NULL, &a, &c, &err), 0);
	assert_int_equal(c.total, 2);
	assert_int_equal(c.n, 1);
	assert_string_equal(c.p[0].path_text.p, "v");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists_of_a_schema),  cmocka_unit_test(test_many_changes),
		cmocka_unit_test(test_what_is_not_listed), cmocka_unit_test(test_deep_changes),
		cmocka_unit_test(test_a_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
