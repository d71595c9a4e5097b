/* Discovery documents. */
#include "kubeclient/kc_resources.h"

#include "value/json.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

static struct doc *decode(const char *text)
{
	static struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct doc *d = NULL;
	struct err err;

	if (json_decode(str_from(text), &o, &d, &err) < 0)
		fail_msg("%s", err.msg);
	return d;
}

static int count_stale(void *ctx, struct group_version gv, struct err *err)
{
	(void)err;
	assert_true(str_eq(gv.group, STR("metrics.k8s.io")));
	++*(int *)ctx;
	return 0;
}

static void test_aggregated(void **state)
{
	CLEANUP(doc_unrefp)
	struct doc *d = decode("{\"kind\":\"APIGroupDiscoveryList\",\"items\":["
			       "{\"metadata\":{},\"versions\":[{\"version\":\"v1\",\"resources\":[{\"resource\":"
			       "\"pods\",\"responseKind\":"
			       "{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Pod\"},\"scope\":\"Namespaced\","
			       "\"verbs\":[\"get\",\"list\",\"watch\"],"
			       "\"shortNames\":[\"po\",\"a b\",7,\"p,q\",\"\",\"p\"],"
			       "\"subresources\":[{\"subresource\":\"status\"}]}]}]},"
			       "{\"metadata\":{\"name\":\"apps\"},\"versions\":[{\"version\":\"v1\",\"resources\":[{"
			       "\"resource\":\"scales\","
			       "\"responseKind\":{\"kind\":\"Scale\"},\"scope\":\"Cluster\",\"verbs\":[\"list\"]},"
			       "{\"resource\":\"../x\",\"responseKind\":{\"kind\":\"Evil\"}}, 7]}]},"
			       "{\"metadata\":{\"name\":\"metrics.k8s.io\"},\"versions\":[{\"version\":\"v1beta1\","
			       "\"freshness\":\"Stale\"}]}]}");
	CLEANUP(kc_resources_freep) struct kc_resources *t = kc_resources_new();
	const struct kc_resource *r;
	struct err err;
	int stale = 0;

	(void)state;
	assert_int_equal(kc_resources_add_aggregated(t, d->root, count_stale, &stale, &err), 0);
	assert_int_equal(stale, 1);
	assert_int_equal(t->list.n, 2);
	r = kc_resources_find(t, STR("v1"), STR("Pod"));
	assert_non_null(r);
	assert_string_equal(r->plural, "pods");
	assert_string_equal(r->short_names, "po,p");
	assert_true(r->namespaced && r->can_list && r->can_watch);
	r = kc_resources_find(t, STR("apps/v1"), STR("Scale"));
	assert_non_null(r);
	assert_false(r->namespaced || r->can_watch);
	assert_null(kc_resources_find(t, STR("apps/v2"), STR("Scale")));
}

static void test_classic_list(void **state)
{
	CLEANUP(doc_unrefp)
	struct doc *d = decode(
		"{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/v1\",\"resources\":["
		"{\"name\":\"deployments\",\"kind\":\"Deployment\",\"namespaced\":true,\"verbs\":[\"list\",\"watch\"]},"
		"{\"name\":\"deployments/status\",\"kind\":\"Deployment\",\"namespaced\":true,\"verbs\":[\"get\"]}]}");
	CLEANUP(kc_resources_freep) struct kc_resources *t = kc_resources_new();
	CLEANUP(kc_resources_freep) struct kc_resources *next = kc_resources_new();
	const struct kc_resource *r;
	struct err err;

	(void)state;
	assert_int_equal(kc_resources_add_list(t, d->root, 0, &err), 0);
	assert_int_equal(t->list.n, 1);
	r = kc_resources_find(t, STR("apps/v1"), STR("Deployment"));
	assert_non_null(r);
	assert_string_equal(r->plural, "deployments");
	assert_int_equal(kc_resources_keep(next, t, group_version_of(STR("apps/v1")), &err), 0);
	assert_int_equal(kc_resources_keep(next, t, group_version_of(STR("v1")), &err), 0);
	assert_int_equal(next->list.n, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_aggregated),
		cmocka_unit_test(test_classic_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
