/* The function families, by templates: data/template/fn_families.json holds [template, output] or [template, null, part
 * of the error]. bcrypt, whose salt is random there, is below. */
#include "go/zoneinfo.h"
#include "template/fn/bcrypt.h"
#include "template/fn/library.h"
#include "template/tmpl.h"

#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* False, with both sides printed, when it fails: cmocka's own way out would leave everything allocated. */
static bool check_case(size_t i, json_t *row)
{
	CLEANUP(tmpl_freep) struct tmpl *t = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct limits limits = LIMITS_DEFAULT;
	struct tmpl_env env = { .limits = &limits, .zones = &go_zoneinfo, .error_text = &text };
	struct tmpl_source source = { STR("t"), str_from(json_string_value(json_array_get(row, 0))) };
	const char *want = json_string_value(json_array_get(row, 1));
	const char *error = json_string_value(json_array_get(row, 2));
	struct err err = { 0 };
	int r = tmpl_parse(&source, 1, &tmpl_library, &limits, &t, &text, &err);

	if (r == 0)
		r = tmpl_execute(t, val_map_sorted(NULL, 0), &env, &out, &err);
	if (want ? r == 0 && strcmp(buf_str(&out).p, want) == 0 : r < 0 && strstr(buf_str(&text).p, error) != NULL)
		return true;
	print_error("case %zu: expected %s \"%s\", got \"%s\" %s\n", i, want ? "" : "the error", want ? want : error,
		    buf_str(&out).p, buf_str(&text).p);
	return false;
}

static void test_templates(void **state)
{
	json_error_t error;
	json_t *rows = json_load_file(TEST_DATA "/template/fn_families.json", 0, &error);
	json_t *row;
	size_t failed = 0;
	size_t i;

	(void)state;
	assert_non_null(rows);
	json_array_foreach(rows, i, row) failed += !check_case(i, row);
	json_decref(rows);
	assert_int_equal(failed, 0);
}

static void test_bcrypt_known(void **state)
{
	/* A published vector: "abc", cost 6. The salt is its 22 characters decoded. */
	static const unsigned char salt[BCRYPT_SALT] = { 0x2a, 0x1f, 0x1d, 0xc7, 0x0a, 0x3d, 0x14, 0x79,
							 0x56, 0xa4, 0x6f, 0xeb, 0xe3, 0x01, 0x60, 0x17 };
	char out[BCRYPT_TEXT + 1] = { 0 };

	(void)state;
	tmpl_bcrypt_hash(STR("abc"), salt, 6, out);
	assert_memory_equal(out, "$2a$06$", 7);
	assert_string_equal(out, "$2a$06$If6bvum7DFjUnE9p2uDeDu0YHzrHM6tf.iqN8.yx.jNN1ILEf7h0i");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_templates),
		cmocka_unit_test(test_bcrypt_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
