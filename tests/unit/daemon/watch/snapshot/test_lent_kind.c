/* What of a kind is lent to threads, until when, and what is not. */
#include "daemon/watch/snapshot/lent_kind.h"

#include "daemon/watch/snapshot/snapshot.h"
#include "value/json.h"

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
} t;

static int setup(void **state)
{
	(void)state;
	snapshot_init(&t.s, &limits, NULL);
	t.k = snapshot_kind(&t.s, STR("v1"), STR("K"));
	t.k->known = true;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	snapshot_done(&t.s);
	return 0;
}

/* An object with a text of @n bytes. */
static struct object *add(const char *name, size_t n)
{
	const struct json_options options = { .limits = &limits };
	CLEANUP(buf_done) struct buf json = BUF_INIT(8u << 20);
	CLEANUP(buf_done) struct buf key = BUF_INIT(256);
	struct object *o;
	struct err err;

	buf_printf(&key, "d/%s", name);
	buf_printf(&json, "{\"metadata\":{\"namespace\":\"d\",\"name\":\"%s\"},\"text\":\"", name);
	for (size_t i = 0; i < n; i++)
		buf_add_byte(&json, 'x');
	buf_add_cstr(&json, "\"}");
	o = snapshot_add(&t.s, t.k, buf_str(&key));
	assert_non_null(o);
	assert_int_equal(json_decode(buf_str(&json), &options, &o->doc, &err), 0);
	return o;
}

static void add_many(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char name[32];

		(void)snprintf(name, sizeof(name), "o-%zu", i);
		(void)add(name, 1);
	}
}

static void expect_lent(bool is)
{
	struct lent_kind *l = lent_kind_of(t.k);

	assert_int_equal(l != NULL, is);
	lent_kind_unref(l);
}

static void test_found_until_it_changes(void **state)
{
	struct lent_kind *l, *next;
	const struct object *o = add("a", 1);

	(void)state;
	(void)snapshot_add(&t.s, t.k, STR("d/made")); /* it does not exist yet */
	l = lent_kind_of(t.k);
	assert_ptr_equal(lent_kind_whose(l), t.k);
	assert_true(lent_kind_is_current(l));
	assert_ptr_equal(lent_kind_find(l, STR("d"), STR("a")).members, o->doc->root.members);
	assert_false(val_exists(lent_kind_find(l, STR("d"), STR("made"))));
	assert_false(val_exists(lent_kind_find(l, STR("e"), STR("a"))));
	assert_false(val_exists(lent_kind_find(l, STR(""), STR("a"))));
	lent_kind_end(t.k);
	assert_false(lent_kind_is_current(l));
	assert_true(val_exists(lent_kind_find(l, STR("d"), STR("a")))); /* whoever has it can still read it */
	next = lent_kind_of(t.k);
	assert_ptr_not_equal(next, l);
	assert_true(lent_kind_is_current(next));
	t.k->known = false;
	assert_false(lent_kind_is_current(next));
	lent_kind_unref(l);
	lent_kind_unref(next);
}

static void test_few_objects_are_lent(void **state)
{
	(void)state;
	expect_lent(true); /* none */
	lent_kind_end(t.k);
	add_many(LENT_OBJECTS_MAX);
	expect_lent(true);
	lent_kind_end(t.k);
	(void)add("another", 1);
	expect_lent(false);
}

static void test_small_objects_are_lent(void **state)
{
	(void)state;
	(void)add("a", LENT_BYTES_MAX / 8);
	expect_lent(true);
	lent_kind_end(t.k);
	(void)add("b", LENT_BYTES_MAX);
	expect_lent(false);
}

static void test_an_unreadable_object_is_not_lent(void **state)
{
	struct object *o = add("a", 1);

	(void)state;
	o->unreadable = strdup("it is too deep");
	expect_lent(false);
}

/* Making it takes time on the loop. */
static void test_a_kind_that_changes_is_lent_some_times(void **state)
{
	(void)state;
	(void)add("a", 1);
	for (int i = 0; i < LENT_TIMES_MAX; i++) {
		expect_lent(true);
		expect_lent(true); /* the same one */
		lent_kind_end(t.k);
	}
	expect_lent(false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_found_until_it_changes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_few_objects_are_lent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_small_objects_are_lent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_an_unreadable_object_is_not_lent, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_kind_that_changes_is_lent_some_times, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
