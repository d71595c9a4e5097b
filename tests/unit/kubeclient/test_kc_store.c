/* What a watch knows: repetitions, absence, and the limit on objects. */
#include "kubeclient/kc_store.h"

#include "value/identity.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static str key_of(struct kc_store *s, const char *name)
{
	str key = { NULL, 0 };
	struct err err;

	assert_int_equal(kc_store_key(s, STR("d"), str_from(name), &key, &err), 0);
	return key;
}

static void put(struct kc_store *s, const char *name, const char *uid, const char *version)
{
	struct err err;

	assert_int_equal(kc_store_put(s, key_of(s, name), str_from(uid), str_from(version), &err), 0);
}

static const struct kc_known *find(struct kc_store *s, const char *name)
{
	return kc_store_find(s, key_of(s, name));
}

static void test_same_uid_and_version(void **state)
{
	struct kc_store s;
	const struct kc_known *k;

	(void)state;
	kc_store_init(&s);
	assert_null(find(&s, "a"));
	put(&s, "a", "1", "5");
	k = find(&s, "a");
	assert_non_null(k);
	assert_true(kc_known_same(k, STR("1"), STR("5")));
	assert_false(kc_known_same(k, STR("1"), STR("6")));
	assert_false(kc_known_same(k, STR("2"), STR("5")));
	put(&s, "a", "2", "6");
	assert_true(kc_known_same(find(&s, "a"), STR("2"), STR("6")));
	assert_int_equal(s.known.n, 1);
	kc_store_remove(&s, key_of(&s, "a"));
	assert_int_equal(s.known.n, 0);
	kc_store_done(&s);
}

static void test_absent_are_those_of_earlier_rounds(void **state)
{
	struct kc_known **absent = NULL;
	str namespace, name;
	struct kc_store s, old = { 0 };
	struct err err;
	size_t n = 0;

	(void)state;
	kc_store_init(&s);
	put(&s, "a", "1", "5");
	put(&s, "b", "2", "5");
	s.round++;
	put(&s, "b", "2", "6");
	assert_int_equal(kc_store_absent(&s, &absent, &n, &err), 0);
	assert_int_equal(n, 1);
	identity_local_split(kc_known_key(absent[0]), &namespace, &name);
	assert_true(str_eq(namespace, STR("d")) && str_eq(name, STR("a")));
	free(absent);
	old.known = kc_store_take_all(&s);
	assert_null(kc_store_find(&s, STR("b")));
	assert_int_equal(s.known.n, 0);
	assert_int_equal(old.known.n, 2);
	kc_store_done(&old);
	kc_store_done(&s);
}

/* In whatever form it is kept. */
static void test_uids_are_what_they_were(void **state)
{
	static const char *const uids[] = {
		"",
		"1",
		"01234567-89ab-cdef-0123-456789abcdef",
		"01234567-89AB-CDEF-0123-456789ABCDEF",
		"01234567-89ab-cdef-0123-456789abcde",
		"0123456789abcdef0123456789abcdef0123",
	};
	char space[UUID_CHARS];
	struct kc_store s;

	(void)state;
	kc_store_init(&s);
	for (size_t i = 0; i < ARRAY_LEN(uids); i++) {
		struct kc_known *known;

		put(&s, "a", uids[i], "1");
		assert_int_equal(s.known.n, 1);
		for (size_t k = 0; k < ARRAY_LEN(uids); k++)
			assert_int_equal(kc_known_is(find(&s, "a"), str_from(uids[k])), i == k);
		known = kc_store_take(&s, key_of(&s, "a"));
		assert_non_null(known);
		assert_true(str_eq(kc_known_uid(known, space), str_from(uids[i])));
		assert_true(str_eq(kc_known_key(known), key_of(&s, "a")));
		free(known);
		assert_null(kc_store_take(&s, key_of(&s, "a")));
	}
	kc_store_done(&s);
}

/* What is known may still change when nothing more fits. */
static void test_limits(void **state)
{
	static char text[10000];
	struct kc_store s;
	struct err err;
	str key;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	kc_store_init(&s);
	s.max = 2;
	put(&s, "a", "1", "5");
	put(&s, "b", "2", "5");
	assert_int_equal(kc_store_put(&s, key_of(&s, "c"), STR("3"), STR("5"), &err), -E2BIG);
	assert_string_equal(err.msg, "too many objects (limit is 2)");
	put(&s, "b", "9", "6");
	kc_store_remove(&s, key_of(&s, "a"));
	put(&s, "c", "3", "5");
	assert_int_equal(kc_store_key(&s, STR("d"), str_from(text), &key, &err), -E2BIG);
	assert_int_equal(kc_store_put(&s, key_of(&s, "c"), str_from(text), STR("5"), &err), -E2BIG);
	assert_string_equal(err.msg, "a uid of 9999 bytes (limit is 8192)");
	assert_int_equal(s.known.n, 2);
	kc_store_done(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same_uid_and_version),
		cmocka_unit_test(test_absent_are_those_of_earlier_rounds),
		cmocka_unit_test(test_uids_are_what_they_were),
		cmocka_unit_test(test_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
