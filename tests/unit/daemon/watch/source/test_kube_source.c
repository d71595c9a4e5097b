/* Where a cluster's kubeconfig leads: by the file and the context that the configuration names. */
#include "daemon/watch/source/kube_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define KUBECONFIG TEST_DATA "/watch/kubeconfig"

static void test_targets(void **state)
{
	static const struct {
		str kubeconfig, context;
		int status;
	} rows[] = {
		{ STR(KUBECONFIG), STR(""), 0 },
		{ STR(KUBECONFIG), STR("c"), 0 },
		{ STR(KUBECONFIG), STR("none"), -ENOENT },
		{ STR(KUBECONFIG ".none"), STR("c"), -ENOENT },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct cfg_cluster config = { .name = STR("c"),
						    .kubeconfig = rows[i].kubeconfig,
						    .context = rows[i].context };
		CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
		struct kube_target target;
		struct err err = { 0 };

		if (kube_source_target(&config, &kubeconfig, &target, &err) != rows[i].status)
			fail_msg("row %zu: %s", i, err.msg);
		if (kube_source_check(&config, &err) != rows[i].status)
			fail_msg("row %zu, checked: %s", i, err.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_targets) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
