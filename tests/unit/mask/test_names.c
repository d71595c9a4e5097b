/* Names of keys: tests/data/mask/names.yaml. */
#include "mask/names.h"
#include "support/data_document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static const struct {
	const char *list;
	enum mask_name name;
} verdicts[] = {
	{ "plain", NAME_PLAIN }, { "holder", NAME_HOLDER },   { "shown", NAME_SHOWN },
	{ "texts", NAME_TEXTS }, { "scalars", NAME_SCALARS }, { "sensitive", NAME_SENSITIVE },
};

static enum mask_name verdict(str list)
{
	for (size_t i = 0; i < ARRAY_LEN(verdicts); i++) {
		if (str_eq(list, str_from(verdicts[i].list)))
			return verdicts[i].name;
	}
	fail_msg("no verdict '%.*s'", STR_ARG(list));
	return NAME_PLAIN;
}

static int check(const struct mask_fields *fields, str key, enum mask_name want)
{
	enum mask_name got = mask_name(fields, key);

	if (got != want)
		print_error("%.*s: %d instead of %d\n", STR_ARG(key), (int)got, (int)want);
	return got != want;
}

static struct doc *table(void)
{
	struct doc *doc = data_document(TEST_DATA "/mask/names.yaml");

	assert_non_null(doc);
	return doc;
}

static void test_built_in(void **state)
{
	static const char *const lists[] = { "scalars", "texts", "holder", "plain" };
	struct doc *doc = table();
	int wrong = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		val list = val_get(doc->root, str_from(lists[k]));

		assert_true(val_count(list) > 0);
		for (uint32_t i = 0; i < list.n; i++)
			wrong += check(NULL, val_str(val_at(list, i)), verdict(str_from(lists[k])));
	}
	assert_int_equal(wrong, 0);
	doc_unref(doc);
}

static void test_fields(void **state)
{
	struct doc *doc = table();
	val cases = VAL_GET(doc->root, "fields");

	(void)state;
	assert_true(val_count(cases) > 0);
	for (uint32_t i = 0; i < cases.n; i++) {
		val c = val_at(cases, i);
		str sensitive = val_str(val_at(VAL_GET(c, "sensitive"), 0));
		str shown = val_str(val_at(VAL_GET(c, "shown"), 0));
		struct mask_fields fields = {
			.sensitive = &sensitive, .n_sensitive = sensitive.n > 0, .shown = &shown, .n_shown = shown.n > 0
		};

		assert_int_equal(check(&fields, val_str(VAL_GET(c, "key")), verdict(val_str(VAL_GET(c, "is")))), 0);
	}
	doc_unref(doc);
}

/* Of a key that is longer than any name the end counts. */
static void test_long(void **state)
{
	char key[5000];

	(void)state;
	memset(key, 'x', sizeof(key));
	assert_int_equal(mask_name(NULL, (str){ key, sizeof(key) }), NAME_PLAIN);
	memset(key, 'X', sizeof(key));
	memcpy(key + sizeof(key) - 9, "_password", 9);
	assert_int_equal(mask_name(NULL, (str){ key, sizeof(key) }), NAME_SCALARS);
	memset(key, '1', sizeof(key));
	assert_int_equal(mask_name(NULL, (str){ key, sizeof(key) }), NAME_HOLDER);
}

/* What is kept from rules is kept from records. */
static void test_of_rules(void **state)
{
	static const char *const names[] = { "password", "auth_token", "bmc_password" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_true(mask_name_of_rules(str_from(names[i])));
		assert_int_equal(mask_name(NULL, str_from(names[i])), NAME_SCALARS);
	}
	assert_false(mask_name_of_rules(STR("Password")));
	assert_false(mask_name_of_rules(STR("my_password")));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_built_in), cmocka_unit_test(test_fields),
					    cmocka_unit_test(test_long), cmocka_unit_test(test_of_rules) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
