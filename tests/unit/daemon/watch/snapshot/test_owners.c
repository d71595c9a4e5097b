/* The index of ownerReferences, whatever they hold. */
#include "daemon/watch/snapshot/owners.h"

#include "value/json.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct limits limits;
static struct kind pods = { .api_version = STR("v1"), .name = STR("Pod") };
static struct kind widgets = { .api_version = STR("e.x/v1"), .name = STR("Widget") };
static struct kind gadgets = { .api_version = STR("e.x/v1"), .name = STR("Gadget") };

static struct doc *parse(const char *json)
{
	struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	limits = LIMITS_DEFAULT;
	if (json_decode(str_from(json), &o, &d, &err) < 0)
		fail_msg("%s: %s", json, err.msg);
	return d;
}

/* @references: JSON; NULL: none. */
static struct object *object(struct kind *kind, const char *key, const char *uid, const char *references)
{
	size_t n = strlen(key);
	struct object *o = calloc(1, sizeof(*o) + n);
	char json[1024];

	assert_non_null(o);
	(void)snprintf(json, sizeof(json), "{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\"%s%s}}", key, uid,
		       references ? ",\"ownerReferences\":" : "", references ? references : "");
	o->kind = kind;
	o->doc = parse(json);
	o->n_key = (uint16_t)n;
	memcpy(o->key, key, n);
	return o;
}

static void drop(struct object *o)
{
	doc_unref(o->doc);
	free(o);
}

static void put(struct owners *w, struct object *o)
{
	assert_true(owners_put(w, o));
}

/* Names of the dependents, a letter each. */
static void expect_dependents(const struct owners *w, const struct object *o, const char *names)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	char got[64] = "";
	struct err err;
	val list;

	assert_int_equal(owners_dependents(w, o, &a, &list, &err), 0);
	for (uint32_t i = 0; i < val_count(list); i++)
		got[i] = val_str(val_dig(val_at(list, i), "metadata", "name", NULL)).p[0];
	assert_string_equal(got, names);
}

static struct called {
	const struct object *p[8];
	size_t n;
} called;

static void again(void *ctx, struct object *owner)
{
	(void)ctx;
	assert_true(called.n < ARRAY_LEN(called.p));
	called.p[called.n++] = owner;
}

static void expect_called(struct owners *w, struct object *o, size_t n)
{
	called.n = 0;
	owners_changed(w, o, again, NULL);
	assert_int_equal(called.n, n);
}

static void test_dependents_in_order(void **state)
{
	struct object *a = object(&widgets, "a", "u", NULL), *p[] = {
		object(&pods, "q", "2", "[{\"uid\":\"u\"}]"),
		object(&pods, "p", "1", "[{\"uid\":\"x\"},{\"uid\":\"u\"},{\"uid\":\"u\"}]"),
		object(&widgets, "w", "3", "[{\"uid\":\"u\"}]"),
		object(&gadgets, "z", "4", "[{\"uid\":\"u\"}]"),
	};
	struct owners w = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		put(&w, p[i]);
	put(&w, p[1]); /* again */
	expect_dependents(&w, a, "zwpq");
	p[1]->unreadable = (char[]){ "x" };
	object_set_state(p[2], OBJECT_GONE);
	object_set_state(p[3], OBJECT_GONE);
	expect_dependents(&w, a, "q");
	owners_take(&w, p[0]);
	owners_take(&w, p[0]);
	expect_dependents(&w, a, "");
	owners_done(&w);
	expect_dependents(&w, a, "");
	for (size_t i = 0; i < ARRAY_LEN(p); i++)
		drop(p[i]);
	drop(a);
}

static void test_what_is_no_owner(void **state)
{
	static const char *const cases[] = {
		"null",
		"{\"uid\":\"u\"}",
		"\"u\"",
		"[\"u\"]",
		"[{\"uid\":[\"u\"]}]",
		"[{\"uid\":7}]",
		"[{\"uid\":\"\"}]",
		"[[{\"uid\":\"u\"}]]",
		"[{\"UID\":\"u\"}]",
		"[]",
		"[null]",
		"[{\"uid\":\"u\\u0000\"}]",
	};
	struct object *a = object(&widgets, "a", "u", NULL), *nameless = object(&widgets, "b", "", NULL);
	struct owners w = { 0 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct object *p = object(&pods, "p", "1", cases[i]);

		put(&w, p);
		assert_true(owners_read(&w, nameless));
		expect_dependents(&w, a, "");
		expect_dependents(&w, nameless, "");
		owners_take(&w, p);
		drop(p);
	}
	assert_int_equal(w.by_uid.n, 0); /* nothing is left of them */
	assert_int_equal(w.by_item.n + w.by_reader.n, 0);
	owners_done(&w);
	drop(a);
	drop(nameless);
}

/* Those of a server that shows one object under several apiVersions too. */
static void test_readers(void **state)
{
	struct object *a = object(&widgets, "a", "u", NULL), *b = object(&pods, "a", "u", NULL),
		      *p = object(&pods, "p", "p", "[{\"uid\":\"u\"},{\"uid\":\"p\"}]");
	struct doc *other = parse("{\"metadata\":{\"uid\":\"v\"}}");
	struct owners w = { 0 };

	(void)state;
	put(&w, p);
	expect_called(&w, p, 0);
	assert_true(owners_read(&w, a) && owners_read(&w, a) && owners_read(&w, b));
	expect_called(&w, p, 2);
	assert_true(owners_read(&w, p)); /* it owns itself */
	expect_called(&w, p, 3);
	expect_dependents(&w, p, "p");
	owners_forget(&w, p);
	doc_unref(a->doc);
	a->doc = other; /* whatever it is by now */
	owners_forget(&w, a);
	expect_called(&w, p, 1);
	assert_ptr_equal(called.p[0], b);
	assert_true(owners_read(&w, a));
	expect_called(&w, p, 1);
	owners_forget(&w, a);
	owners_forget(&w, b);
	owners_take(&w, p);
	assert_int_equal(w.by_uid.n + w.by_item.n + w.by_reader.n, 0);
	owners_done(&w);
	drop(a);
	drop(b);
	drop(p);
}

/* Of very many owners the first ones count. */
static void test_many_owners(void **state)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1 << 20);
	struct object *first = object(&widgets, "a", "u0", NULL), *last = object(&widgets, "b", "u255", NULL),
		      *beyond = object(&widgets, "c", "u256", NULL), *p = object(&pods, "p", "p", NULL);
	struct owners w = { 0 };

	(void)state;
	buf_add_cstr(&json, "{\"metadata\":{\"name\":\"p\",\"ownerReferences\":[");
	for (int i = 0; i < 300; i++)
		buf_printf(&json, "%s{\"uid\":\"u%d\"}", i ? "," : "", i);
	buf_add_cstr(&json, "]}}");
	doc_unref(p->doc);
	p->doc = parse(json.p);
	put(&w, p);
	expect_dependents(&w, first, "p");
	expect_dependents(&w, last, "p");
	expect_dependents(&w, beyond, "");
	owners_done(&w);
	drop(first);
	drop(last);
	drop(beyond);
	drop(p);
}

#define MANY (OWNERS_DEPENDENTS_MAX + 1)

static void test_too_many(void **state)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct object *owner = object(&widgets, "a", "u", NULL), *first = object(&pods, "p", "p", "[{\"uid\":\"u\"}]");
	struct object *many = calloc(MANY, sizeof(*many));
	struct owners w = { 0 };
	struct err err;
	val list;

	(void)state;
	assert_non_null(many);
	for (size_t i = 0; i < MANY; i++) {
		many[i] = *first;
		many[i].n_key = 0;
		put(&w, &many[i]);
	}
	assert_int_equal(owners_dependents(&w, owner, &a, &list, &err), -E2BIG);
	owners_take(&w, &many[5]);
	assert_int_equal(owners_dependents(&w, owner, &a, &list, &err), 0);
	assert_int_equal(val_count(list), OWNERS_DEPENDENTS_MAX);
	owners_done(&w);
	free(many);
	drop(first);
	drop(owner);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_dependents_in_order),
		cmocka_unit_test(test_what_is_no_owner),
		cmocka_unit_test(test_readers),
		cmocka_unit_test(test_many_owners),
		cmocka_unit_test(test_too_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
