/* Who looked what up: which dependents a change makes due, once each, whatever comes and goes meanwhile, and looking
 * objects up by a name in all namespaces. */
#include "daemon/watch/snapshot/dependents.h"

#include "compare/lookup.h"
#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define OBJECTS 64
#define STEPS 20000

struct watcher {
	struct object object; /* first: again() finds the rest behind it */
	struct dependency *list;
	bool due, reported;
};

static struct kind kinds[2];

static void again(void *ctx, struct object *o)
{
	size_t *n = ctx;

	(*n)++;
	((struct watcher *)o)->reported = true;
}

static size_t take_all(struct dependents *d)
{
	size_t n = 0;

	while (dependents_take(d, 3, again, &n))
		;
	return n;
}

static void test_who_is_reported(void **state)
{
	static const struct {
		const char *namespace, *name;
		size_t kind;
		bool due;
	} cases[] = {
		{ "n", "x", 0, true },  { "n", "*", 0, true },  { "n", "", 0, true },   { "", "x", 0, true },
		{ "*", "x", 0, true },  { "", "", 0, true },    { "n", "y", 0, false }, { "m", "x", 0, false },
		{ "m", "*", 0, false }, { "*", "y", 0, false }, { "n", "x", 1, false }, { "", "", 1, false },
	};
	struct dependents d;

	(void)state;
	dependents_init(&d);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct watcher w = { 0 };

		assert_true(dependents_add(&d, &kinds[cases[i].kind], str_from(cases[i].namespace),
					   str_from(cases[i].name), &w.object, &w.list));
		dependents_changed(&d, &kinds[0], STR("n"), STR("x"));
		assert_int_equal(dependents_due(&d), cases[i].due);
		assert_int_equal(take_all(&d), cases[i].due);
		assert_false(dependents_due(&d));
		dependents_drop(&d, &w.list);
		assert_int_equal(d.groups.n, 0);
	}
	dependents_done(&d);
}

static uint32_t next_random(void)
{
	static uint32_t x = 1;

	x = x * 1664525 + 1013904223;
	return x >> 8;
}

static str number(char out[16], uint32_t n)
{
	(void)snprintf(out, 16, "%u", n);
	return str_from(out);
}

/* Nobody who asked before a change is missed, whoever joins and leaves while some are told. */
static void test_nobody_is_missed(void **state)
{
	static struct watcher w[OBJECTS];
	struct dependents d;
	char name[16];
	size_t n = 0;

	(void)state;
	dependents_init(&d);
	for (size_t step = 0; step < STEPS; step++) {
		struct watcher *one = &w[next_random() % OBJECTS];
		uint32_t of = next_random() % 4;

		switch (next_random() % 4) {
		case 0:
			dependents_drop(&d, &one->list);
			one->due = one->reported = false;
			assert_true(
				dependents_add(&d, &kinds[0], STR("n"), number(name, of), &one->object, &one->list));
			one->object.n_key = (uint16_t)of;
			break;
		case 1:
			dependents_changed(&d, &kinds[0], STR("n"), number(name, of));
			for (size_t i = 0; i < OBJECTS; i++) {
				if (w[i].list && w[i].object.n_key == of) {
					w[i].due = true;
					w[i].reported = false;
				}
			}
			break;
		default:
			(void)dependents_take(&d, next_random() % 5, again, &n);
		}
		for (size_t i = 0; i < OBJECTS && !dependents_due(&d); i++)
			assert_true(!w[i].due || w[i].reported);
	}
	for (size_t i = 0; i < OBJECTS; i++)
		dependents_drop(&d, &w[i].list);
	(void)take_all(&d);
	assert_int_equal(d.groups.n, 0);
	dependents_done(&d);
}

/* However many ask and however often it changes, a change costs as much as one that nobody asked for. */
static void test_changes_are_cheap(void **state)
{
	enum { MANY = 20000 };
	struct watcher *w = calloc(MANY, sizeof(*w));
	struct dependents d;

	(void)state;
	assert_non_null(w);
	dependents_init(&d);
	for (size_t i = 0; i < MANY; i++)
		assert_true(dependents_add(&d, &kinds[0], STR(""), STR(""), &w[i].object, &w[i].list));
	for (size_t i = 0; i < MANY; i++)
		dependents_changed(&d, &kinds[0], STR("n"), STR("x"));
	assert_int_equal(take_all(&d), MANY);
	for (size_t i = 0; i < MANY; i++)
		dependents_drop(&d, &w[i].list);
	dependents_done(&d);
	free(w);
}

static void put(struct snapshot *s, struct kind *k, const char *namespace, const char *name)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct json_options options = { .limits = &limits };
	char json[256], key[64];
	struct object *o;
	struct err err;

	(void)snprintf(key, sizeof(key), "%s/%s", namespace, name);
	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"}}",
		       namespace, name);
	o = snapshot_add(s, k, str_from(key));
	assert_non_null(o);
	assert_int_equal(json_decode(str_from(json), &options, &o->doc, &err), 0);
}

static void take_out(struct snapshot *s, struct kind *k, const char *key)
{
	struct object *o = snapshot_find(k, str_from(key));

	snapshot_take(s, o);
	object_free(o);
}

static void expect(struct snapshot *s, const char *namespace, const char *name, const char *namespaces)
{
	struct tmpl_lookup request = { STR("v1"), STR("K"), str_from(namespace), str_from(name) };
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
	struct found found = { 0 };
	struct err err;

	assert_int_equal(snapshot_lookup(s, &request, &found, &err), 0);
	for (size_t i = 0; i < found.values.n; i++)
		buf_printf(&b, "%.*s ", STR_ARG(val_str(val_dig(found.values.p[i], "metadata", "namespace", NULL))));
	if (!str_eq(buf_str(&b), str_from(namespaces)))
		fail_msg("%s/%s: '%.*s' instead of '%s'", namespace, name, STR_ARG(buf_str(&b)), namespaces);
	vec_done(&found.values);
}

static void test_a_name_in_all_namespaces(void **state)
{
	static const struct limits limits = LIMITS_DEFAULT;
	struct snapshot s;
	struct kind *k;

	(void)state;
	snapshot_init(&s, &limits, NULL);
	k = snapshot_kind(&s, STR("v1"), STR("K"));
	put(&s, k, "b", "x");
	put(&s, k, "a", "x");
	put(&s, k, "a", "y");
	expect(&s, "", "x", "a b ");
	expect(&s, "*", "x", "a b ");
	expect(&s, "a", "x", "a ");
	expect(&s, "", "z", "");
	put(&s, k, "c", "x");
	expect(&s, "", "x", "a b c ");
	take_out(&s, k, "c/x"); /* the first of its name */
	take_out(&s, k, "b/x"); /* the last */
	expect(&s, "*", "x", "a ");
	take_out(&s, k, "a/x");
	expect(&s, "*", "x", "");
	put(&s, k, "d", "x");
	expect(&s, "*", "x", "d ");
	expect(&s, "*", "y", "a ");
	snapshot_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_who_is_reported),
		cmocka_unit_test(test_nobody_is_missed),
		cmocka_unit_test(test_changes_are_cheap),
		cmocka_unit_test(test_a_name_in_all_namespaces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
