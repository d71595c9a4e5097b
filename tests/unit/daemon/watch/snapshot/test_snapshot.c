/* Objects by name and in all namespaces, whatever memory there is for it: what is looked up is found, each once. */
#include "daemon/watch/snapshot/snapshot.h"

#include "value/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static const struct limits limits = LIMITS_DEFAULT;

static struct {
	struct snapshot s;
	struct kind *k;
	size_t fails_at, calls; /* the entry into a table that fails, from 1; 0: none does */
} t;

/* NOLINTBEGIN(bugprone-reserved-identifier): the linker's names */
bool __real_strmap_put(struct strmap *m, str key, void *value, void **old);
bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old);

bool __wrap_strmap_put(struct strmap *m, str key, void *value, void **old)
{
	return ++t.calls != t.fails_at && __real_strmap_put(m, key, value, old);
}
/* NOLINTEND(bugprone-reserved-identifier) */

static int setup(void **state)
{
	(void)state;
	memset(&t, 0, sizeof(t));
	snapshot_init(&t.s, &limits, NULL);
	t.k = snapshot_kind(&t.s, STR("v1"), STR("K"));
	return t.k ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	t.fails_at = 0;
	snapshot_done(&t.s);
	return 0;
}

/* @key: "namespace/name", or "/name". */
static struct object *add(const char *key)
{
	const struct json_options options = { .limits = &limits };
	const char *slash = strchr(key, '/');
	struct object *o = snapshot_add(&t.s, t.k, str_from(key));
	char json[256];
	struct err err;

	assert_non_null(o);
	if (o->doc)
		return o;
	(void)snprintf(json, sizeof(json),
		       "{\"apiVersion\":\"v1\",\"kind\":\"K\",\"metadata\":{\"namespace\":\"%.*s\",\"name\":\"%s\"}}",
		       (int)(slash - key), key, slash + 1);
	assert_int_equal(json_decode(str_from(json), &options, &o->doc, &err), 0);
	return o;
}

static void take(const char *key)
{
	struct object *o = snapshot_find(t.k, str_from(key));

	assert_non_null(o);
	snapshot_take(&t.s, o);
	object_free(o);
}

static int look(const char *namespace, const char *name, struct buf *out)
{
	struct tmpl_lookup request = { STR("v1"), STR("K"), str_from(namespace), str_from(name) };
	struct found found = { 0 };
	struct err err;
	int r = snapshot_lookup(&t.s, &request, &found, &err);

	for (size_t i = 0; r == 0 && i < found.values.n; i++) {
		val m = VAL_GET(found.values.p[i], "metadata");

		buf_printf(out, "%s%.*s/%.*s", i ? " " : "", STR_ARG(val_str(VAL_GET(m, "namespace"))),
			   STR_ARG(val_str(VAL_GET(m, "name"))));
	}
	vec_done(&found.values);
	return r;
}

static void expect(const char *namespace, const char *name, const char *keys)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

	assert_int_equal(look(namespace, name, &b), 0);
	if (!str_eq(buf_str(&b), str_from(keys)))
		fail_msg("%s/%s: '%.*s' instead of '%s'", namespace, name, STR_ARG(buf_str(&b)), keys);
}

/* ---- what is asked for ---- */

static void lookups(void **state)
{
	static const struct {
		const char *namespace, *name, *keys;
	} cases[] = {
		{ "b", "x", "b/x" },
		{ "b", "none", "" },
		{ "none", "x", "" },
		{ "b", "", "b/x b/y" },
		{ "b", "*", "b/x b/y" },
		{ "", "x", "/x" },
		{ "*", "x", "/x a/x b/x" },
		{ "*", "y", "b/y" },
		{ "*", "none", "" },
		{ "*", "*", "/x a/x b/x b/y c/z" },
		{ "*", "", "/x a/x b/x b/y c/z" },
		{ "", "z", "c/z" },
		{ "", "", "/x a/x b/x b/y c/z" },
	};

	(void)state;
	add("b/x");
	add("c/z");
	add("a/x");
	add("b/y");
	add("/x");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++)
		expect(cases[i].namespace, cases[i].name, cases[i].keys);
	assert_int_equal(t.s.n_objects, 5);
}

static void what_is_not_there(void **state)
{
	struct tmpl_lookup request = { STR("v2"), STR("K"), STR(""), STR("x") };
	CLEANUP(buf_done) struct buf b = BUF_INIT(4096);
	struct found found = { 0 };
	struct object *o;
	struct err err;

	(void)state;
	assert_int_equal(snapshot_lookup(&t.s, &request, &found, &err), 0);
	assert_int_equal(found.values.n, 0);
	o = snapshot_add(&t.s, t.k, STR("a/x")); /* nothing of it came yet */
	assert_non_null(o);
	expect("a", "x", "");
	expect("*", "x", "");
	expect("a", "", "");
	assert_ptr_equal(add("a/x"), o);
	expect("a", "x", "a/x");
	o->unreadable = str_dup(STR("too deep"));
	assert_int_equal(look("a", "x", &b), -EBADMSG);
	assert_int_equal(look("*", "x", &b), -EBADMSG);
	assert_int_equal(look("a", "*", &b), -EBADMSG);
	assert_int_equal(b.n, 0);
}

/* Names are kept from the first question on, whatever comes and goes. */
static void names_are_kept(void **state)
{
	(void)state;
	add("a/x");
	assert_false(t.k->named);
	expect("a", "x", "a/x");
	assert_false(t.k->named);
	expect("*", "x", "a/x");
	assert_true(t.k->named);
	add("b/x");
	assert_true(t.k->named);
	add("c/x");
	expect("*", "x", "a/x b/x c/x");
	take("b/x"); /* in the midst, */
	expect("*", "x", "a/x c/x");
	take("c/x"); /* the last that came, */
	expect("*", "x", "a/x");
	take("a/x"); /* and the only one */
	expect("*", "x", "");
	assert_int_equal(t.k->by_name.n, 0);
	assert_true(t.k->named);
	assert_int_equal(t.s.n_objects, 0);
}

static void all_at_once(void **state)
{
	struct index objects;
	struct strmap names;
	struct object *o;
	size_t at = 0, n = 0;

	(void)state;
	add("a/x");
	add("b/x");
	expect("*", "x", "a/x b/x");
	t.k->n_foreign = 1;
	snapshot_take_all(&t.s, t.k, &objects, &names);
	assert_int_equal(t.s.n_objects, 0);
	assert_int_equal(t.k->n_foreign, 0);
	assert_false(t.k->named);
	expect("*", "x", "");
	add("c/x");
	expect("*", "x", "c/x");
	while ((o = index_each(&objects, &at))) {
		n++;
		object_free(o);
	}
	assert_int_equal(n, 2);
	index_done(&objects);
	strmap_done(&names);
}

static void a_kind_and_its_name(void **state)
{
	(void)state;
	assert_ptr_equal(snapshot_kind(&t.s, STR("v1"), STR("K")), t.k);
	assert_ptr_equal(snapshot_find_kind(&t.s, STR("v1"), STR("K")), t.k);
	assert_null(snapshot_find_kind(&t.s, STR("v1"), STR("L")));
	assert_true(str_eq(t.k->resource, STR("K")));
	snapshot_name_kind(&t.s, t.k, STR("ks"));
	assert_true(str_eq(t.k->resource, STR("ks")));
	t.fails_at = t.calls + 1;
	assert_null(snapshot_kind(&t.s, STR("v1"), STR("M")));
}

/* ---- without memory ---- */

/* Names that cannot be kept are looked for one by one, and kept at a later question. */
static void names_cannot_be_kept(void **state)
{
	bool failed = true;

	(void)state;
	for (size_t n = 1; failed; n++) {
		assert_int_equal(teardown(NULL), 0);
		assert_int_equal(setup(NULL), 0);
		t.calls = 0;
		t.fails_at = n;
		add("a/x");
		add("b/x");
		expect("*", "x", "a/x b/x");
		add("c/x");
		expect("*", "x", "a/x b/x c/x");
		take("c/x");
		expect("*", "x", "a/x b/x");
		add("d/y");
		take("b/x");
		expect("*", "x", "a/x");
		expect("*", "y", "d/y");
		failed = t.calls >= n;
		assert_true(t.k->named);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(lookups),     CASE(what_is_not_there),   CASE(names_are_kept),
					    CASE(all_at_once), CASE(a_kind_and_its_name), CASE(names_cannot_be_kept) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
