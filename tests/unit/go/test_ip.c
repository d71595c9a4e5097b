/* The one reader of IP addresses takes the texts that inet_pton(3) takes, and reads the same bytes. */
#include "go/ip.h"

#include <arpa/inet.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const char *const texts[] = {
	"",
	"0.0.0.0",
	"1.2.3.4",
	"255.255.255.255",
	"256.1.1.1",
	"01.2.3.4",
	"1.2.3.04",
	"1.2.3",
	"1.2.3.4.5",
	"1..3.4",
	"1.2.3.4.",
	".1.2.3.4",
	" 1.2.3.4",
	"1.2.3.4 ",
	"1.2.3.a",
	"0x1.2.3.4",
	"16909060",
	"::",
	":",
	":::",
	"::1",
	"1::",
	":1",
	"1:",
	"1:2:3:4:5:6:7:8",
	"1:2:3:4:5:6:7",
	"1:2:3:4:5:6:7:8:9",
	"1:2:3:4:5:6:7::",
	"::2:3:4:5:6:7:8",
	"1:2:3:4:5:6:7:8::",
	"1::3:4:5:6:7:8",
	"1::3::5",
	"::1::2",
	"1::2::",
	"1:2:3:4:5:6:7::8",
	"::2:3:4:5:6:7",
	"1:2:3:4:5::1.2.3.4",
	"1:2:3:4:5:6::1.2.3.4",
	"1:2:3:4:5:6:7::1.2.3.4",
	"1:2:3:4:5:1.2.3.4",
	"::1.2.3.4:5",
	"1:::2",
	"1:2:3:4:5:6:7:8:",
	"fe80::1%eth0",
	"FE80::aBcD",
	"fe80::g",
	"00001::",
	"10000::",
	"[::1]",
	"::1.2.3.4",
	"::ffff:1.2.3.4",
	"::ffff:102:304",
	"::ffff:1.2.3",
	"::ffff:1.2.3.256",
	"1:2:3:4:5:6:1.2.3.4",
	"1:2:3:4:5:6:7:1.2.3.4",
	"1:2::1.2.3.4:5",
	"1.2.3.4::",
	"::1/128",
	"1.2.3.4/8",
};

static void test_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		uint8_t expected[16] = { 0 };
		int n = inet_pton(AF_INET, texts[i], expected) == 1    ? 4
			: inet_pton(AF_INET6, texts[i], expected) == 1 ? 16
								       : 0;
		struct go_ip_flaw why;
		struct go_ip ip;

		if (go_ip_parse(str_from(texts[i]), &ip, &why) != (n > 0))
			fail_msg("'%s'", texts[i]);
		if (n == 0) {
			assert_non_null(why.text);
			continue;
		}
		assert_int_equal(ip.n, n);
		assert_memory_equal(ip.b, expected, (size_t)n);
	}
}

static void test_the_end_of_a_text_is_none_of_an_address(void **state)
{
	struct go_ip ip;

	(void)state;
	assert_false(go_ip_parse(STR("1.2.3.4\0"), &ip, NULL));
	assert_false(go_ip_parse(STR("::1\0"), &ip, NULL));
}

static void test_unmapped(void **state)
{
	static const struct {
		const char *text;
		uint8_t n;
	} rows[] = { { "1.2.3.4", 4 },    { "::ffff:1.2.3.4", 4 },   { "::ffff:102:304", 4 },
		     { "::1.2.3.4", 16 }, { "1::ffff:1.2.3.4", 16 }, { "1.2.3", 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct go_ip ip, v4;

		assert_int_equal(go_ip_parse_unmapped(str_from(rows[i].text), &ip), rows[i].n > 0);
		if (rows[i].n)
			assert_int_equal(ip.n, rows[i].n);
		assert_true(go_ip_parse(STR("1.2.3.4"), &v4, NULL));
		if (rows[i].n == 4)
			assert_true(go_ip_equal(&ip, &v4));
	}
}

static void test_bits(void **state)
{
	static const struct {
		const char *text;
		bool ok;
		unsigned bits;
	} rows[] = { { "0", true, 0 },   { "32", true, 32 },   { "008", true, 8 }, { "999", true, 999 },
		     { "", false, 0 },   { "1000", false, 0 }, { "-1", false, 0 }, { "+1", false, 0 },
		     { "8 ", false, 0 }, { "0x8", false, 0 } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		unsigned bits = 0;

		assert_int_equal(go_ip_parse_bits(str_from(rows[i].text), &bits), rows[i].ok);
		assert_int_equal(bits, rows[i].bits);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_texts),
		cmocka_unit_test(test_the_end_of_a_text_is_none_of_an_address),
		cmocka_unit_test(test_unmapped),
		cmocka_unit_test(test_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
