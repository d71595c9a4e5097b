/* Host headers. */
#include "daemon/serve/host.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const str names[] = { { "driftd.example", 14 } };

static void test_host(void **state)
{
	static const char *const ours[] = { "localhost", "LOCALHOST:1", "127.0.0.1",      "10.0.0.7:19470",
					    "[::1]:1",   "[fe80::1]",   "driftd.example", "Driftd.Example:443" };
	static const char *const not_ours[] = { "",
						":80",
						"evil.example",
						"localhost.evil.example",
						"[::1",
						"localhost:1:2",
						"127.0.0.1.evil.example",
						"xdriftd.example",
						"[localhost",
						"driftd.example." };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(ours); i++) {
		if (!host_is_ours(str_from(ours[i]), names, ARRAY_LEN(names)))
			fail_msg("'%s' is ours", ours[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(not_ours); i++) {
		if (host_is_ours(str_from(not_ours[i]), names, ARRAY_LEN(names)))
			fail_msg("'%s' is not ours", not_ours[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_host) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
