/* Kinds that rules name by pattern: found, followed to another version, lost, in doubt. */
#include "daemon/watch/cluster/cluster.h"
#include "support/direct_sink.h"

#include "support/fake_client.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define DATA TEST_DATA "/watch_patterns"

static const struct kc_resource deployments = { "apps", "v1", "Deployment", "deployments", true, true, true, 0, NULL };
static const struct kc_resource old_deployments = { "apps", "v1beta1", "Deployment", "deployments", true, true,
						    true,   1,         NULL };
static const struct kc_resource scales = { "apps", "v1", "Scale", "scales", true, true, false, 0, NULL };
static const struct kc_resource events = { "apps", "v1", "Event", "events", true, true, true, 0, NULL };
static const struct kc_resource pods = { "", "v1", "Pod", "pods", true, true, true, 0, NULL };
static const struct kc_resource leases = { "coordination.k8s.io", "v1", "Lease", "leases", true, true, true, 0, NULL };
static const struct kc_resource budgets = { "policy", "v1", "Budget", "budgets", true, true, true, 0, NULL };
static const struct kc_resource psps = { "policy", "v1", "Psp", "psps", false, true, true, 0, NULL };
static const struct kc_resource widgets_v1 = { "e.x", "v1", "Widget", "widgets", true, true, true, 1, NULL };
static const struct kc_resource widgets_v2 = { "e.x", "v2", "Widget", "widgets", true, true, true, 0, NULL };

#define WIDGET_CRD                                                                                                     \
	"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: widgets.e.x}, spec: "  \
	"{group: e.x, names: {kind: Widget, plural: widgets}, scope: Namespaced, versions: [{name: v2, served: true, " \
	"schema: {openAPIV3Schema: {type: object, properties: {size: {type: integer, x-kubernetes-validations: "       \
	"[{rule: self < 5}]}}}}}]}}"
#define BIG "{apiVersion: e.x/v2, kind: Widget, metadata: {name: big, namespace: d}, size: 9}"

struct fixture {
	struct limits limits;
	struct key_table *keys;
	struct sink *sink;
	struct cfg *cfg;
	struct findings *findings;
	struct cluster *cluster;
};

static int setup(void **state)
{
	static const char *const file = DATA "/driftd.yaml";
	struct fixture *f = calloc(1, sizeof(*f));
	struct problems problems = { 0 };
	struct cluster_context context;
	struct err err;

	f->limits = LIMITS_DEFAULT;
	f->keys = key_table_new();
	if (cfg_load(&file, 1, &f->limits, f->keys, &f->cfg, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	assert_non_null(f->sink = sink_new_direct(CFG_OUTPUT_JSON));
	assert_int_equal(findings_new(f->sink, &f->findings, &err), 0);
	context = fake_context(f->sink, f->findings, f->keys, &f->limits);
	assert_int_equal(cluster_new(&context, f->cfg, &f->cfg->clusters[0], &f->cluster, &err), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	cluster_close(f->cluster, NULL, NULL);
	fake_run();
	findings_free(f->findings);
	sink_free(f->sink);
	cfg_unref(f->cfg);
	key_table_free(f->keys);
	free(f);
	return 0;
}

#define discover(...)                                                                                                  \
	do {                                                                                                           \
		const struct kc_resource *const all[] = { __VA_ARGS__ };                                               \
		fake_client->offers.n = 0;                                                                             \
		for (size_t i_ = 0; i_ < ARRAY_LEN(all); i_++)                                                         \
			assert_true(vec_push(&fake_client->offers, all[i_]));                                          \
		fake_client->discovered(fake_client->ctx);                                                             \
	} while (0)

static struct feed_watch *watch_of(const char *api_version, const char *kind)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *w = fake_client->watches.p[i];

		if (strcmp(w->spec.kind, kind) == 0 && strcmp(w->spec.api_version, api_version) == 0)
			return w;
	}
	return NULL;
}

static void work(struct fixture *f)
{
	while (cluster_work(f->cluster, UINT64_MAX))
		;
}

static void settle(struct fixture *f)
{
	for (size_t i = 0; i < fake_client->watches.n; i++)
		fake_synced(fake_client->watches.p[i]);
	work(f);
}

static void say(struct fixture *f, struct feed_watch *w, enum kc_event event, const char *text)
{
	struct yaml_options o = { .limits = &f->limits, .keys = f->keys };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	assert_int_equal(yaml_decode(str_from(text), &o, &d, &err), 0);
	fake_event(w, event, d);
	work(f);
}

static void put(struct fixture *f, struct feed_watch *w, const char *text)
{
	say(f, w, KC_ADDED, text);
}

static const struct finding *open_finding(const struct fixture *f, enum finding_kind kind)
{
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(f->findings, &at))) {
		if (x->kind == kind)
			return x;
	}
	return NULL;
}

static void test_what_is_found(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(cluster_waits_for(f->cluster), "Ghosts"); /* discovery names the kinds of the others */
	discover(&deployments, &old_deployments, &scales, &events, &pods, &leases, &budgets, &psps);
	assert_non_null(watch_of("apps/v1", "Deployment"));
	assert_null(watch_of("apps/v1beta1", "Deployment")); /* not preferred */
	assert_null(watch_of("apps/v1", "Scale"));           /* cannot be watched */
	assert_null(watch_of("apps/v1", "Event"));           /* not named */
	assert_null(watch_of("v1", "Pod"));                  /* not meant */
	assert_null(watch_of("coordination.k8s.io/v1", "Lease"));
	assert_non_null(watch_of("policy/v1", "Budget"));
	assert_null(watch_of("policy/v1", "Psp")); /* the rule is for a namespace */
	assert_false(cluster_synced(f->cluster));
	settle(f);
	assert_true(cluster_synced(f->cluster));
	assert_string_equal(cluster_waits_for(f->cluster), "");
}

static void test_before_discovery_nothing_is_settled(void **state)
{
	struct fixture *f = *state;

	settle(f);
	assert_string_equal(cluster_waits_for(f->cluster), "discovery");
	discover(&pods);
	work(f);
	assert_string_equal(cluster_waits_for(f->cluster), "");
	assert_true(cluster_synced(f->cluster));
}

static void test_a_kind_that_comes_later(void **state)
{
	struct fixture *f = *state;

	discover(&pods);
	settle(f);
	put(f, watch_of("apiextensions.k8s.io/v1", "CustomResourceDefinition"), WIDGET_CRD);
	assert_int_equal(fake_client->rediscoveries, 1);
	discover(&pods, &widgets_v2);
	assert_false(cluster_synced(f->cluster));
	settle(f);
	put(f, watch_of("e.x/v2", "Widget"), BIG);
	assert_non_null(
		open_finding(f, FINDING_VALIDATION)); /* of the definition, which came before the kind was found */
}

/* The objects of a definition go with it, which their own watch may tell later than the definition comes back. */
static void test_a_definition_made_again(void **state)
{
	struct fixture *f = *state;
	struct feed_watch *definitions = watch_of("apiextensions.k8s.io/v1", "CustomResourceDefinition");

	discover(&widgets_v2);
	settle(f);
	put(f, definitions, WIDGET_CRD);
	put(f, watch_of("e.x/v2", "Widget"), BIG);
	assert_non_null(open_finding(f, FINDING_VALIDATION));
	say(f, definitions, KC_DELETED, WIDGET_CRD);
	assert_null(open_finding(f, FINDING_VALIDATION)); /* the rule is gone */
	put(f, definitions, WIDGET_CRD);
	assert_null(open_finding(f, FINDING_VALIDATION)); /* nobody knows whether the object is there */
	fake_synced(watch_of("e.x/v2", "Widget"));
	work(f);
	assert_non_null(open_finding(f, FINDING_VALIDATION)); /* it is */
}

static void test_another_version_is_preferred(void **state)
{
	struct fixture *f = *state;

	discover(&widgets_v1);
	settle(f);
	put(f, watch_of("e.x/v1", "Widget"), "{apiVersion: e.x/v1, kind: Widget, metadata: {name: bad, namespace: d}}");
	assert_true(str_eq(open_finding(f, FINDING_VALIDATION)->subject.api_version, STR("e.x/v1")));
	discover(&widgets_v1, &widgets_v2);
	assert_null(watch_of("e.x/v1", "Widget"));
	work(f);
	assert_null(open_finding(f, FINDING_VALIDATION));
	put(f, watch_of("e.x/v2", "Widget"), "{apiVersion: e.x/v2, kind: Widget, metadata: {name: bad, namespace: d}}");
	assert_true(str_eq(open_finding(f, FINDING_VALIDATION)->subject.api_version, STR("e.x/v2")));
	discover(&widgets_v1); /* and back again */
	work(f);
	assert_null(open_finding(f, FINDING_VALIDATION));
	put(f, watch_of("e.x/v1", "Widget"), "{apiVersion: e.x/v1, kind: Widget, metadata: {name: bad, namespace: d}}");
	assert_non_null(open_finding(f, FINDING_VALIDATION));
}

static void test_a_kind_that_goes(void **state)
{
	struct fixture *f = *state;

	discover(&widgets_v1);
	settle(f);
	put(f, watch_of("e.x/v1", "Widget"), "{apiVersion: e.x/v1, kind: Widget, metadata: {name: bad, namespace: d}}");
	discover(&pods); /* one answer without it proves nothing */
	work(f);
	assert_non_null(open_finding(f, FINDING_VALIDATION));
	fake_state(watch_of("e.x/v1", "Widget"), KC_ABSENT);
	work(f);
	assert_null(open_finding(f, FINDING_VALIDATION));
	discover(&pods);
	assert_null(watch_of("e.x/v1", "Widget"));
	assert_true(cluster_synced(f->cluster));
}

static void test_doubt_is_a_gap(void **state)
{
	struct fixture *f = *state;

	assert_true(vec_push(&fake_client->unknown_versions,
			     ((struct feed_unknown){ "doubtful.io/v1", "discovery of doubtful.io/v1 is stale" })));
	discover(&deployments);
	settle(f);
	assert_false(cluster_synced(f->cluster));
	assert_string_equal(cluster_waits_for(f->cluster), "discovery");
	fake_client->unknown_versions.n = 0;
	discover(&deployments);
	work(f);
	assert_true(cluster_synced(f->cluster));
}

static void test_what_is_not_served_is_reported(void **state)
{
	struct fixture *f = *state;
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(f->cluster, &n);

	discover(&pods);
	settle(f);
	fake_state(fake_watch("Ghost"), KC_ABSENT);
	work(f);
	assert_true(cluster_kind_missing(kinds[0]));
	assert_string_equal(kinds[0]->kind->name.p, "Ghost");
}

/* Definitions are not kept here as objects, and are missed all the same. */
static void test_a_definition_that_a_list_lacks(void **state)
{
	struct feed_watch *crds = watch_of("apiextensions.k8s.io/v1", "CustomResourceDefinition");
	struct kc_knowns absent = { 0 };
	struct err err;

	say(*state, crds, KC_LISTED,
	    "{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a.b, uid: '1'}}");
	assert_int_equal(crds->handler.absent(crds->ctx, 0, &absent, &err), 0);
	assert_int_equal(absent.n, 0);
	assert_int_equal(crds->handler.absent(crds->ctx, 1, &absent, &err), 0);
	assert_int_equal(absent.n, 1);
	assert_true(str_eq(absent.p[0].key, STR("/a.b")));
	vec_done(&absent);
	fake_state(crds, KC_ABSENT); /* there are no definitions at all */
	assert_int_equal(crds->handler.absent(crds->ctx, 1, &absent, &err), 0);
	assert_int_equal(absent.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_what_is_found, setup, teardown),
		cmocka_unit_test_setup_teardown(test_before_discovery_nothing_is_settled, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_kind_that_comes_later, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_definition_made_again, setup, teardown),
		cmocka_unit_test_setup_teardown(test_another_version_is_preferred, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_kind_that_goes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_doubt_is_a_gap, setup, teardown),
		cmocka_unit_test_setup_teardown(test_what_is_not_served_is_reported, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_definition_that_a_list_lacks, setup, teardown),
	};

	return cmocka_run_group_tests_name("cluster_patterns", tests, NULL, NULL);
}
