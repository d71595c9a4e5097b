/* Shapes of texts: tests/data/mask/shapes.yaml and forms.yaml. */
#include "mask/shapes.h"
#include "support/data_document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static int check(str text, enum mask_shape want)
{
	enum mask_shape got = mask_shape(NULL, text);

	if (got != want)
		print_error("%.*s: %d instead of %d\n", STR_ARG(text), (int)got, (int)want);
	return got != want;
}

static void test_table(void **state)
{
	static const char *const lists[] = {
		[SHAPE_PLAIN] = "plain", [SHAPE_NAMES] = "names", [SHAPE_SECRET] = "secret"
	};
	struct doc *doc = data_document(TEST_DATA "/mask/shapes.yaml");
	val options;
	int wrong = 0;

	(void)state;
	assert_non_null(doc);
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		val list = val_get(doc->root, str_from(lists[k]));

		assert_true(val_count(list) > 0);
		for (uint32_t i = 0; i < list.n; i++)
			wrong += check(val_str(val_at(list, i)), (enum mask_shape)k);
	}
	options = VAL_GET(doc->root, "options");
	assert_true(val_count(options) > 0);
	for (uint32_t i = 0; i < options.n; i++) {
		str text = val_str(VAL_GET(val_at(options, i), "text"));

		if (mask_is_option(NULL, text) != VAL_GET(val_at(options, i), "is").b)
			fail_msg("option %.*s", STR_ARG(text));
	}
	assert_int_equal(wrong, 0);
	doc_unref(doc);
}

/* Whether a name or the text itself says so does not matter here. */
static int check_form(str text, bool hidden)
{
	bool got = mask_shape(NULL, text) != SHAPE_PLAIN;

	if (got != hidden)
		print_error("%s: %.*s\n", hidden ? "not hidden" : "hidden", STR_ARG(text));
	return got != hidden;
}

static void test_forms(void **state)
{
	static const char *const lists[] = { "shown", "hidden" };
	struct doc *doc = data_document(TEST_DATA "/mask/forms.yaml");
	int wrong = 0;

	(void)state;
	assert_non_null(doc);
	for (size_t k = 0; k < ARRAY_LEN(lists); k++) {
		val list = val_get(doc->root, str_from(lists[k]));

		assert_true(val_count(list) > 100);
		for (uint32_t i = 0; i < list.n; i++)
			wrong += check_form(val_str(val_at(list, i)), k == 1);
	}
	assert_int_equal(wrong, 0);
	doc_unref(doc);
}

static void test_fields(void **state)
{
	str pin = STR("pin"), token = STR("token");
	struct mask_fields fields = { .sensitive = &pin, .n_sensitive = 1, .shown = &token, .n_shown = 1 };

	(void)state;
	assert_int_equal(mask_shape(NULL, STR("pin=1234")), SHAPE_PLAIN);
	assert_int_equal(mask_shape(&fields, STR("pin=1234")), SHAPE_NAMES);
	assert_int_equal(mask_shape(&fields, STR("token=1234")), SHAPE_PLAIN);
}

#define HOSTILE_BYTES (1u << 18)

/* More than is looked through is not shown; what can be said of every prefix does not read behind it. */
static void test_hostile(void **state)
{
	static const char *const parts[] = {
		"ab=",         "password=",   "token:\n", "://a:", "eyJ",     "-----BEGIN ", "--",
		"ghp_",        "\"",          "name: ",   "$(",    "'=",      "${a:-",       "x={{",
		"password=$A", "password=[",  "a[1",      "%41",   "\\u0041", "&quot;",      "YWFhYWFhYWFhYWFh/",
		"curl -u ",    "--password ", "a\n",      "{",     "<a ",     "password ",   "insert a,",
		"echo ",       "-u",          "a:1:",     "$2a$",  "AKIA",    "{{ default "
	};
	char *text = malloc(HOSTILE_BYTES);

	(void)state;
	assert_non_null(text);
	for (size_t k = 0; k < ARRAY_LEN(parts); k++) {
		size_t n = strlen(parts[k]);

		for (size_t i = 0; i < HOSTILE_BYTES; i++)
			text[i] = parts[k][i % n];
		(void)mask_shape(NULL, (str){ text, HOSTILE_BYTES });
	}
	for (size_t i = 0; i < HOSTILE_BYTES; i++)
		text[i] = "abc="[i % 4];
	assert_int_equal(mask_shape(NULL, (str){ text, HOSTILE_BYTES }), SHAPE_SECRET);
	free(text);
}

/* Exactly as much memory as the text: nothing is read behind it. */
static void test_ends(void **state)
{
	static const char *const texts[] = {
		"-----BEGIN RSA PRIVATE",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
		"postgres://u:p@",
		"password: ",
		"--password ",
		"Bearer ",
		"ghp_",
		"LS0tLS1CRUdJTi",
		"x=$(A)",
		"kind: Secret",
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
		for (size_t n = 0; n <= strlen(texts[k]); n++) {
			char *copy = malloc(n + !n);

			assert_non_null(copy);
			memcpy(copy, texts[k], n);
			(void)mask_shape(NULL, (str){ copy, n });
			(void)mask_is_option(NULL, (str){ copy, n });
			free(copy);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_table), cmocka_unit_test(test_forms),
					    cmocka_unit_test(test_fields), cmocka_unit_test(test_hostile),
					    cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
