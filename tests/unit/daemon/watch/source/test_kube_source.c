/* Where a cluster's kubeconfig leads: by the file and the context that the configuration names. */
#include "daemon/watch/source/kube_source.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

static void count(void *ctx)
{
	++*(size_t *)ctx;
}

static void ignore_notice(void *ctx, const struct kc_notice *n)
{
	(void)ctx;
	(void)n;
}

/* It is of the target as it was when it was made, and its end is told once, to whom it concerns. */
static void test_a_source(void **state)
{
	const struct cfg_cluster config = { .name = STR("c"), .kubeconfig = STR(KUBECONFIG) };
	const struct cfg_cluster other = { .name = STR("c"), .kubeconfig = STR(KUBECONFIG ".none") };
	const struct limits limits = LIMITS_DEFAULT;
	struct source_options o = { .config = &config, .config_hash = 7, .limits = &limits, .notice = ignore_notice };
	struct watch_source *s;
	size_t closed = 0, at = 0;
	uv_loop_t loop;
	struct err err;

	(void)state;
	assert_int_equal(uv_loop_init(&loop), 0);
	o.loop = &loop;
	for (size_t told = 0; told < 2; told++) {
		assert_int_equal(kube_source.open(kube_source.ctx, &o, &s, &err), 0);
		assert_true(s->hash == kube_source_hash(&config, 7));
		assert_true(s->hash != kube_source_hash(&config, 8));
		assert_false(s->does->up(s));
		assert_false(s->does->discovered(s));
		assert_null(s->does->listable(s, &at));
		assert_int_equal(strncmp(s->does->server(s), "http://127.0.0.1:1", 18), 0);
		assert_non_null(s->does->counters(s));
		s->does->close(s, told ? count : NULL, &closed);
		(void)uv_run(&loop, UV_RUN_DEFAULT);
		assert_int_equal(closed, told);
	}
	o.config = &other;
	assert_int_equal(kube_source.open(kube_source.ctx, &o, &s, &err), -ENOENT);
	assert_true(kube_source_hash(&other, 7) == 0);
	assert_int_equal(uv_loop_close(&loop), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_targets), cmocka_unit_test(test_a_source) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
