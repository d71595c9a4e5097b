/* Manifests of a version that the server does not serve: an error says so, and which it serves; they are not missing.
 */
#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static const struct kc_resource widgets[] = {
	{ .group = "e.x", .version = "v2", .kind = "Widget", .plural = "widgets", .can_list = true, .can_watch = true },
	{ .group = "e.x",
	  .version = "v1beta1",
	  .kind = "Widget",
	  .plural = "widgets",
	  .can_list = true,
	  .can_watch = true },
	{ .group = "y.x", .version = "v7", .kind = "Widget", .plural = "widgets", .can_list = true, .can_watch = true },
	{ .group = "e.x", .version = "v8", .kind = "Gadget", .plural = "gadgets", .can_list = true, .can_watch = true },
	{ .group = "e.x", .version = "v1", .kind = "Widget", .plural = "widgets", .can_list = true, .can_watch = true },
};

static struct {
	struct capture capture;
	struct watched w;
} x;

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&x.capture))
		return -1;
	watched_start(&x.w, TEST_DATA "/watch/versions.yaml");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&x.w);
	capture_end(&x.capture);
	return 0;
}

/* Discovery has found these first ones, and Widgets are listed or absent. */
static void settle(size_t n, bool absent)
{
	struct feed_watch *w = fake_watch("Widget");

	fake_client->offers.n = 0;
	for (size_t i = 0; i < n; i++)
		assert_true(vec_push(&fake_client->offers, &widgets[i]));
	fake_client->discovered(fake_client->ctx);
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		if (fake_client->watches.p[i] != w)
			fake_synced(fake_client->watches.p[i]);
	}
	if (absent)
		fake_state(w, KC_ABSENT);
	else
		fake_synced(w);
	cluster_tick(x.w.cluster);
	watched_work(&x.w);
}

static void expect_error(const char *name, const char *summary)
{
	const struct finding *f, *found = NULL;
	size_t at = 0;

	assert_int_equal(watched_count(&x.w, FINDING_ERROR), name ? 1 : 0);
	while (name && (f = findings_each(x.w.findings, &at)))
		found = f->kind == FINDING_ERROR ? f : found;
	if (found && (!str_eq(found->subject.name, str_from(name)) || str_find(found->summary, str_from(summary)) < 0))
		fail_msg("%.*s: '%.*s'", STR_ARG(found->subject.name), STR_ARG(found->summary));
}

static void test_another_version(void **state)
{
	(void)state;
	settle(4, true);
	expect_error("one", "cannot be judged: e.x/v1 is not served; served are v2, v1beta1");
	assert_int_equal(watched_count(&x.w, FINDING_COMPONENT), 1); /* the ConfigMap is missing */
	settle(1, true);
	expect_error("one", "served are v2");
	settle(ARRAY_LEN(widgets), false);
	expect_error(NULL, NULL);
	assert_int_equal(watched_count(&x.w, FINDING_COMPONENT), 2); /* now the Widget is missing too */
}

static void test_no_version(void **state)
{
	(void)state;
	settle(0, true);
	expect_error(NULL, NULL);
	settle(2, true);
	expect_error("one", "served are v2, v1beta1");
	settle(0, true);
	expect_error(NULL, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_another_version, setup, teardown),
		cmocka_unit_test_setup_teardown(test_no_version, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
