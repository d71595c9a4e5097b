/* Accept-Encoding headers. */
#include "daemon/serve/accept.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_coding(void **state)
{
	static const struct {
		const char *header;
		bool accepted;
	} cases[] = {
		{ NULL, false },
		{ "", false },
		{ "gzip", true },
		{ "GZip", true },
		{ "deflate,gzip", true },
		{ " br , gzip ;q=0.1", true },
		{ "*", true },
		{ "*;q=0", false },
		{ "*;q=0, gzip", true },
		{ "gzip;q=0", false },
		{ "gzip;q=0.000, *", false },
		{ "gzip;q=0.001", true },
		{ "gzip;Q=0.", false },
		{ "gzip;x=0;q=0", false },
		{ "gzip;q=zero", true },
		{ "gzipped, x-gzip", false },
		{ ",,;;q=0,", false },
		{ "identity;q=0", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		if (accepts_coding(cases[i].header, "gzip") != cases[i].accepted)
			fail_msg("'%s' is read wrongly", cases[i].header);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_coding) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
