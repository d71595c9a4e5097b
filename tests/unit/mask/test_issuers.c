/* What issuers publish: tests/data/mask/issuers.yaml. */
#include "mask/issuers.h"
#include "mask/shapes.h"
#include "support/data_document.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#define TEXT_MAX 1024

static int check(const char *text, str want, bool is)
{
	struct mask_found found = mask_shape_why(NULL, str_from(text));
	bool got = found.shape == SHAPE_SECRET && str_eq(str_from(found.rule), want);

	if (got != is)
		print_error("%s: %s instead of %.*s\n", text, found.rule ? found.rule : "shown", STR_ARG(want));
	return got != is;
}

/* As it is, in other texts, one character too short, and within a longer word. */
static int check_example(val example)
{
	str is = val_str(VAL_GET(example, "is"));
	str a = val_str(val_at(VAL_GET(example, "text"), 0)), b = val_str(val_at(VAL_GET(example, "text"), 1));
	char token[TEXT_MAX], text[2 * TEXT_MAX];
	int wrong = 0;

	assert_true(a.n > 0 && b.n > 0 && a.n + b.n < TEXT_MAX);
	(void)snprintf(token, sizeof(token), "%.*s%.*s", STR_ARG(a), STR_ARG(b));
	wrong += check(token, is, true);
	(void)snprintf(text, sizeof(text), "see \"%s\", it is new", token);
	wrong += check(text, is, true);
	(void)snprintf(text, sizeof(text), "a:\n- %s\n", token);
	wrong += check(text, is, true);
	if (strchr("$*{", token[0]) || strchr(token, '~') == token + 2)
		(void)snprintf(text, sizeof(text), "a+%s", "b");
	else
		(void)snprintf(text, sizeof(text), "Z%s", token);
	wrong += check(text, is, false);
	token[a.n + b.n - 1] = 0;
	return wrong + check(token, is, false);
}

static void test_examples(void **state)
{
	struct doc *doc = data_document(TEST_DATA "/mask/issuers.yaml");
	int wrong = 0;

	(void)state;
	assert_non_null(doc);
	assert_int_equal(val_count(doc->root), mask_issuers());
	for (uint32_t i = 0; i < doc->root.n; i++)
		wrong += check_example(val_at(doc->root, i));
	assert_int_equal(wrong, 0);
	doc_unref(doc);
}

/* The table is in the order by which it is searched: what it says is the same for its last row as for its first. */
static void test_ends(void **state)
{
	(void)state;
	assert_null(mask_issuer(STR(""), 0));
	assert_null(mask_issuer(STR("g"), 0));
	assert_null(mask_issuer(STR("ghp_"), 4));
	assert_null(mask_issuer_of_word(STR("~"), 0, 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_examples), cmocka_unit_test(test_ends) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
