/* bcrypt against a published vector: in templates its salt is random. */
#include "template/fn/bcrypt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_bcrypt_known(void **state)
{
	/* "abc", cost 6. The salt is its 22 characters decoded. */
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
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_bcrypt_known) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
