/* UUIDs: what is read as one is written as it was. */
#include "base/uuid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void test_back_and_forth(void **state)
{
	static const uint8_t bytes[UUID_BYTES] = { 0,    0x1f, 0xa9, 0x90, 0x09, 0xf0, 0xff, 0x10,
						   0xab, 0xcd, 0xef, 0x01, 0x23, 0x45, 0x67, 0x89 };
	const str text = STR("001fa990-09f0-ff10-abcd-ef0123456789");
	uint8_t read[UUID_BYTES];
	char written[UUID_CHARS];

	(void)state;
	assert_true(uuid_read(text, read));
	assert_memory_equal(read, bytes, UUID_BYTES);
	uuid_write(bytes, written);
	assert_memory_equal(written, text.p, UUID_CHARS);
}

static void test_others(void **state)
{
	static const char *const others[] = {
		"",
		"001fa990-09f0-ff10-abcd-ef012345678",
		"001fa990-09f0-ff10-abcd-ef01234567890",
		"001FA990-09f0-ff10-abcd-ef0123456789",
		"001fa990-09f0-ff10-abcd-ef012345678g",
		"001fa99-009f0-ff10-abcd-ef0123456789",
		"001fa990-09f0-ff10-abcd--f0123456789",
		"001fa990009f0-ff10-abcd-ef0123456789",
		"001fa990-09f0-ff10-abcd0ef0123456789",
	};
	uint8_t read[UUID_BYTES];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		assert_false(uuid_read(str_from(others[i]), read));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_back_and_forth),
		cmocka_unit_test(test_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
