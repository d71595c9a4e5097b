/* Guessed plurals. */
#include "kubeclient/kc_plural.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_guesses(void **state)
{
	static const char *const pairs[][2] = {
		{ "Pod", "pods" },
		{ "Ingress", "ingresses" },
		{ "NetworkPolicy", "networkpolicies" },
		{ "Endpoints", "endpoints" },
		{ "EndpointSlice", "endpointslices" },
		{ "StorageClass", "storageclasses" },
		{ "CSIDriver", "csidrivers" },
		{ "y", "ies" },
		{ "", "s" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pairs); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(100);

		kc_plural_guess(str_from(pairs[i][0]), &out);
		assert_string_equal(out.p, pairs[i][1]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_guesses) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
