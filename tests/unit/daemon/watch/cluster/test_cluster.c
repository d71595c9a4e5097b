/* A cluster in any order of events: lists, changes, deletions, kinds that come and go, restarts, another reference.
 * Whatever the way, what is open at the end is what a cluster finds that sees the same objects for the first time, and
 * each finding began once more often than it ended. */
#include "daemon/watch/cluster/cluster.h"
#include "support/direct_sink.h"

#include "support/fake_client.h"
#include "support/walk.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_DATA "/watch"
#define RANDOM_WALKS 150
#define RANDOM_STEPS 60

/* ---- the world that the server would tell of ---- */

static const char *const kinds[] = { "ConfigMap", "ServiceAccount", "RoleBinding", "Deployment", "Widget" };

/* The states that an object can be in; 0 is not there. */
static const struct object_case {
	const char *kind;
	const char *states[4]; /* YAML; the last is NULL */
} objects[] = {
	{ "ConfigMap",
	  { "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: d}, data: {mode: 'on', replicas: "
	    "'2'}}",
	    "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: d}, data: {mode: 'off', replicas: "
	    "'3'}}",
	    "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: d}, data: {mode: broken, "
	    "replicas: '3'}}" } },
	{ "ConfigMap",
	  { "{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: d}, data: {mode: 'on'}}",
	    "{apiVersion: v1, kind: ConfigMap, metadata: {name: free, namespace: d}, data: {mode: broken}}" } },
	{ "ServiceAccount", { "{apiVersion: v1, kind: ServiceAccount, metadata: {name: robot, namespace: d}}" } },
	{ "RoleBinding",
	  { "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: robots, namespace: d}, "
	    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, "
	    "subjects: [{kind: ServiceAccount, name: robot, namespace: d}]}",
	    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: robots, namespace: d}, "
	    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, "
	    "subjects: [{kind: ServiceAccount, name: human, namespace: d}]}",
	    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: robots, namespace: d}, "
	    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: writer}, subjects: []}" } },
	{ "RoleBinding",
	  { "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: others, namespace: d}, "
	    "roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader}, subjects: []}" } },
	{ "Deployment",
	  { "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: d}, spec: {replicas: 2}}",
	    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: d}, spec: {replicas: 3}}" } },
	{ "Deployment",
	  { "{apiVersion: apps/v1, kind: Deployment, metadata: {name: back, namespace: d}, spec: {replicas: 3}}" } },
	{ "RoleBinding", /* no template is for it, but one counts as present by it */
	  { "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: free, namespace: d}, "
	    "subjects: [{kind: ServiceAccount, name: robot, namespace: d}]}",
	    "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: free, namespace: d}, "
	    "subjects: [{kind: ServiceAccount, name: human, namespace: d}]}" } },
	{ "Widget", { "{apiVersion: e.x/v1, kind: Widget, metadata: {name: forbidden}}" } },
};

#define N_OBJECTS ARRAY_LEN(objects)
#define OBJECT_SETTINGS 0
#define OBJECT_BINDING 3
#define OBJECT_WEB 5
#define OBJECT_FREE_BINDING 7
#define OBJECT_WIDGET 8
#define N_KINDS ARRAY_LEN(kinds)

enum kind_state { KIND_WAITING, KIND_LISTED, KIND_ABSENT, KIND_FAILING };

struct world {
	int object[N_OBJECTS]; /* 0: not there; else the state from 1 */
	enum kind_state kind[N_KINDS];
};

/* ---- what is shared by all tests ---- */

static struct fixture {
	struct limits limits;
	struct key_table *keys;
	struct sink *sink;
	struct cfg *cfg[2];
	struct doc *docs[N_OBJECTS][4];
	size_t wakes;
} x;

static int saved_stdout = -1;

static struct doc *parse(const char *text)
{
	struct yaml_options o = { .limits = &x.limits, .keys = x.keys };
	struct doc *d = NULL;
	struct err err;

	if (yaml_decode(str_from(text), &o, &d, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return d;
}

static int setup(void **state)
{
	static const char *const files[] = { DATA "/a.yaml", DATA "/b.yaml" };
	struct err err;

	(void)state;
	x.limits = LIMITS_DEFAULT;
	x.keys = key_table_new();
	for (size_t i = 0; i < 2; i++) {
		struct problems problems = { 0 };

		if (cfg_load(&files[i], 1, &x.limits, x.keys, &x.cfg[i], &problems, &err) < 0) {
			print_error("%s\n", problems_text(&problems));
			return -1;
		}
		problems_done(&problems);
	}
	for (size_t i = 0; i < N_OBJECTS; i++) {
		for (size_t s = 0; s < 4 && objects[i].states[s]; s++)
			x.docs[i][s] = parse(objects[i].states[s]);
	}
	/* Thousands of records that nobody reads here. */
	fflush(stdout);
	saved_stdout = dup(STDOUT_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
	x.sink = sink_new_direct(CFG_OUTPUT_JSON);
	return x.sink ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	fflush(stdout);
	dup2(saved_stdout, STDOUT_FILENO);
	for (size_t i = 0; i < N_OBJECTS; i++) {
		for (size_t s = 0; s < 4; s++)
			doc_unref(x.docs[i][s]);
	}
	sink_free(x.sink);
	cfg_unref(x.cfg[0]);
	cfg_unref(x.cfg[1]);
	key_table_free(x.keys);
	return 0;
}

/* ---- one daemon ---- */

struct daemon {
	struct findings *findings;
	struct cluster *cluster;
	size_t reference; /* of x.cfg */
	struct world world;
};

static void wake(void *ctx)
{
	(void)ctx;
	x.wakes++;
}

static void connect_cluster(struct daemon *d)
{
	struct cluster_context context = fake_context(x.sink, d->findings, x.keys, &x.limits);
	struct cfg *cfg = x.cfg[d->reference];
	struct err err;

	context.wake = wake;
	if (cluster_new(&context, cfg, &cfg->clusters[0], &d->cluster, &err) < 0)
		fail_msg("%s", err.msg);
}

static void start(struct daemon *d, size_t reference)
{
	struct err err;

	*d = (struct daemon){ .reference = reference };
	assert_int_equal(findings_new(x.sink, &d->findings, &err), 0);
	connect_cluster(d);
}

static void stop(struct daemon *d)
{
	cluster_close(d->cluster, NULL, NULL);
	fake_run();
	findings_free(d->findings);
}

static size_t kind_index(const char *kind)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (strcmp(kinds[k], kind) == 0)
			return k;
	}
	fail_msg("no kind %s", kind);
	return 0;
}

/* ---- steps ---- */

static void list_kind(struct daemon *d, size_t k)
{
	struct feed_watch *w = fake_watch(kinds[k]);

	d->world.kind[k] = KIND_LISTED;
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (kind_index(objects[i].kind) == k && d->world.object[i])
			fake_event(w, KC_LISTED, x.docs[i][d->world.object[i] - 1]);
	}
	/* The client finds deletions by absence, and tells of them before the list counts as complete. */
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (kind_index(objects[i].kind) == k && !d->world.object[i])
			fake_event(w, KC_DELETED, x.docs[i][0]);
	}
	fake_synced(w);
}

/* Every kind is listed or known to be absent, and everything is judged. What is listed already is not told again: it
 * would be judged again. */
static void settle(struct daemon *d)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (d->world.kind[k] == KIND_ABSENT)
			fake_state(fake_watch(kinds[k]), KC_ABSENT);
		else if (d->world.kind[k] != KIND_LISTED)
			list_kind(d, k);
	}
	if (fake_watch("CustomResourceDefinition"))
		fake_synced(fake_watch("CustomResourceDefinition"));
	cluster_tick(d->cluster);
	fake_work(d->cluster);
	assert_true(cluster_synced(d->cluster));
}

static void set_object(struct daemon *d, size_t i, int state)
{
	size_t k = kind_index(objects[i].kind);
	int before = d->world.object[i];

	d->world.object[i] = state;
	if (d->world.kind[k] != KIND_LISTED) /* nothing of it is heard until it is listed */
		return;
	if (state)
		fake_event(fake_watch(kinds[k]), before ? KC_MODIFIED : KC_ADDED, x.docs[i][state - 1]);
	else if (before)
		fake_event(fake_watch(kinds[k]), KC_DELETED, x.docs[i][0]);
}

/* A kind that the server does not know has no objects. */
static void lose_kind(struct daemon *d, size_t k)
{
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (kind_index(objects[i].kind) == k)
			d->world.object[i] = 0;
	}
	d->world.kind[k] = KIND_ABSENT;
	fake_state(fake_watch(kinds[k]), KC_ABSENT);
}

static void break_kind(struct daemon *d, size_t k)
{
	d->world.kind[k] = KIND_FAILING;
	fake_state(fake_watch(kinds[k]), KC_BACKOFF);
}

/* The cluster is closed and made anew, as by a restart (the findings come back from the state) or by a reload. */
static void reconnect(struct daemon *d, size_t reference)
{
	cluster_close(d->cluster, NULL, NULL);
	fake_run();
	d->reference = reference;
	for (size_t k = 0; k < N_KINDS; k++)
		d->world.kind[k] = d->world.kind[k] == KIND_ABSENT ? KIND_ABSENT : KIND_WAITING;
	connect_cluster(d);
}

/* ---- what must hold ---- */

static bool is_gap(struct findings *f, const struct finding *e)
{
	(void)f;
	return e->kind == FINDING_GAP;
}

static void check_counters(const struct findings *f)
{
	const struct finding_counters *c = findings_counters((struct findings *)(uintptr_t)f, STR("c"));
	uint64_t begun = 0, ended = 0, open = 0;
	size_t at = 0;

	for (size_t s = 0; s < 8; s++) {
		begun += c->transitions[TRANSITION_BEGIN][s];
		ended += c->transitions[TRANSITION_END][s];
	}
	while (findings_each(f, &at))
		open++;
	assert_int_equal(begun - ended, open);
}

/* What @d holds is what a daemon finds that sees the same world for the first time. */
static void check_truth(struct daemon *d, const char *how)
{
	CLEANUP(buf_done) struct buf has = BUF_INIT(1u << 20), should = BUF_INIT(1u << 20);
	struct feed *client;
	struct daemon fresh;

	settle(d);
	client = fake_client;
	start(&fresh, d->reference);
	fresh.world = d->world;
	for (size_t k = 0; k < N_KINDS; k++)
		fresh.world.kind[k] = d->world.kind[k] == KIND_ABSENT ? KIND_ABSENT : KIND_WAITING;
	settle(&fresh);
	walk_describe(d->findings, is_gap, &has);
	walk_describe(fresh.findings, is_gap, &should);
	stop(&fresh);
	fake_client = client;
	check_counters(d->findings);
	if (!str_eq(buf_str(&has), buf_str(&should)))
		fail_msg("%s: open is\n%.*s\nand should be\n%.*s", how, STR_ARG(buf_str(&has)),
			 STR_ARG(buf_str(&should)));
}

/* ---- every order of a few steps ---- */

enum step {
	STEP_SETTINGS_ON,
	STEP_SETTINGS_OFF,
	STEP_WEB,
	STEP_BINDING_ROBOT,
	STEP_BINDING_HUMAN,
	STEP_WIDGET_GONE,
	STEP_RESTART,
	STEP_RELOAD,
	STEPS,
};

static const char *const step_names[STEPS] = { "settings-on", "settings-off", "web",     "robot",
					       "human",       "widget-gone",  "restart", "reload" };

static void take_step(struct daemon *d, enum step s)
{
	switch (s) {
	case STEP_SETTINGS_ON:
		set_object(d, OBJECT_SETTINGS, 1);
		break;
	case STEP_SETTINGS_OFF:
		set_object(d, OBJECT_SETTINGS, 2);
		break;
	case STEP_WEB:
		set_object(d, OBJECT_WEB, 1);
		break;
	case STEP_BINDING_ROBOT:
		set_object(d, OBJECT_FREE_BINDING, 1);
		break;
	case STEP_BINDING_HUMAN:
		set_object(d, OBJECT_FREE_BINDING, 2);
		break;
	case STEP_WIDGET_GONE:
		lose_kind(d, 4);
		break;
	case STEP_RESTART:
		reconnect(d, d->reference);
		break;
	default:
		reconnect(d, !d->reference);
	}
}

/* All orders of the steps in @left, each judged at once (@eager) or only at the end. */
static size_t all_orders(enum step *way, size_t n, unsigned left, size_t length, bool eager)
{
	size_t orders = 0;

	if (n < length) {
		for (unsigned s = 0; s < STEPS; s++) {
			if (!(left & 1u << s))
				continue;
			way[n] = (enum step)s;
			orders += all_orders(way, n + 1, left & ~(1u << s), length, eager);
		}
		return orders;
	}

	CLEANUP(buf_done) struct buf how = BUF_INIT(1024);
	struct daemon d;

	start(&d, 0);
	d.world.object[OBJECT_WIDGET] = 1;
	settle(&d);
	for (size_t i = 0; i < length; i++) {
		buf_printf(&how, "%s ", step_names[way[i]]);
		take_step(&d, way[i]);
		if (eager)
			fake_work(d.cluster);
	}
	buf_add_byte(&how, '\0');
	check_truth(&d, how.p);
	stop(&d);
	return 1;
}

static void test_every_order(void **state)
{
	enum step way[STEPS];

	(void)state;
	/* 8 * 7 * 6 * 5 orders of four of the steps, both ways */
	assert_int_equal(all_orders(way, 0, (1u << STEPS) - 1, 4, true), 1680);
	assert_int_equal(all_orders(way, 0, (1u << STEPS) - 1, 4, false), 1680);
}

/* ---- long walks ---- */

static void random_step(struct daemon *d, uint64_t *seed)
{
	size_t i = walk_random(seed) % N_OBJECTS, k = walk_random(seed) % N_KINDS;
	int states = 0;

	while (states < 4 && objects[i].states[states])
		states++;
	switch (walk_random(seed) % 16) {
	case 0:
		lose_kind(d, k);
		break;
	case 1:
		break_kind(d, k);
		break;
	case 2:
		reconnect(d, walk_random(seed) % 2);
		break;
	case 3:
	case 4:
		list_kind(d, k);
		break;
	case 5:
	case 6:
		fake_work(d->cluster);
		break;
	case 7:
		cluster_tick(d->cluster);
		break;
	default:
		if (d->world.kind[kind_index(objects[i].kind)] != KIND_ABSENT)
			set_object(d, i, (int)(walk_random(seed) % (uint64_t)(states + 1)));
	}
}

static void test_long_walks(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < RANDOM_WALKS; walk++) {
		char how[64];
		uint64_t seed = walk;
		struct daemon d;

		start(&d, walk % 2);
		for (size_t i = 0; i < RANDOM_STEPS; i++) {
			random_step(&d, &seed);
			if (i % 20 == 19) {
				(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, i);
				check_truth(&d, how);
			}
		}
		stop(&d);
	}
}

/* ---- single steps ---- */

static const struct finding *find_open(const struct findings *f, enum finding_kind kind, const char *name)
{
	const struct finding *e;
	size_t at = 0;

	while ((e = findings_each(f, &at))) {
		if (e->kind == kind &&
		    (str_eq(e->subject.name, str_from(name)) || str_eq(e->subject.component, str_from(name))))
			return e;
	}
	return NULL;
}

static void test_nothing_is_judged_before_all_is_listed(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 2;
	for (size_t k = 0; k + 1 < N_KINDS; k++) {
		list_kind(&d, k);
		assert_false(cluster_work(d.cluster, UINT64_MAX));
		assert_null(find_open(d.findings, FINDING_DRIFT, "settings"));
		assert_string_not_equal(cluster_waits_for(d.cluster), "");
	}
	list_kind(&d, N_KINDS - 1);
	fake_work(d.cluster);
	assert_string_equal(cluster_waits_for(d.cluster), "CustomResourceDefinitions");
	fake_synced(fake_watch("CustomResourceDefinition"));
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "settings"));
	assert_true(cluster_synced(d.cluster));
	stop(&d);
}

/* The case of a component that a RoleBinding's subject satisfies. */
static void test_subjects_are_seen(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 1;
	d.world.object[OBJECT_FREE_BINDING] = 2;
	settle(&d);
	assert_non_null(find_open(d.findings, FINDING_COMPONENT, "all"));
	set_object(&d, OBJECT_FREE_BINDING, 1);
	fake_work(d.cluster);
	assert_null(find_open(d.findings, FINDING_COMPONENT, "all"));
	set_object(&d, OBJECT_FREE_BINDING, 2);
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_COMPONENT, "all"));
	stop(&d);
}

static void test_look_ups_are_followed(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 1;
	d.world.object[OBJECT_WEB] = 1;
	settle(&d);
	assert_null(find_open(d.findings, FINDING_DRIFT, "web"));
	set_object(&d, OBJECT_SETTINGS, 2); /* the settings say 3 now */
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "web"));
	set_object(&d, OBJECT_WEB, 2);
	fake_work(d.cluster);
	assert_null(find_open(d.findings, FINDING_DRIFT, "web"));
	stop(&d);
}

/* What is looked up may only be out of sight: nothing begins and nothing ends until the kind is known. */
static void test_a_look_up_waits_for_its_kind(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 1; /* says 2, as the Deployment has it */
	d.world.object[OBJECT_WEB] = 1;
	for (size_t k = 1; k < N_KINDS; k++)
		list_kind(&d, k);
	fake_synced(fake_watch("CustomResourceDefinition"));
	fake_state(fake_watch("ConfigMap"), KC_FORBIDDEN);
	fake_work(d.cluster);
	assert_string_not_equal(cluster_waits_for(d.cluster), "");
	cluster_tick(d.cluster); /* what may not be read is told as a gap, and waited for no longer */
	fake_work(d.cluster);
	assert_string_equal(cluster_waits_for(d.cluster), "");
	assert_false(cluster_synced(d.cluster));
	assert_null(find_open(d.findings, FINDING_DRIFT, "web"));
	assert_null(find_open(d.findings, FINDING_ERROR, "web"));
	assert_null(find_open(d.findings, FINDING_COMPONENT, "web"));
	assert_null(find_open(d.findings, FINDING_COMPONENT, "all"));
	list_kind(&d, 0);
	fake_work(d.cluster);
	assert_true(cluster_synced(d.cluster));
	assert_null(find_open(d.findings, FINDING_DRIFT, "web"));
	assert_non_null(find_open(d.findings, FINDING_COMPONENT, "all")); /* the robot is not there */
	set_object(&d, OBJECT_SETTINGS, 2);
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "web"));
	stop(&d);
}

/* A server that answers 404, or not at all, says nothing of what there is. */
static void test_a_refusal_ends_nothing(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 2;
	d.world.object[OBJECT_WIDGET] = 1;
	settle(&d);
	for (size_t k = 0; k < N_KINDS; k++)
		fake_state(fake_watch(kinds[k]), KC_BACKOFF);
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "settings"));
	assert_non_null(find_open(d.findings, FINDING_COMPONENT, "none"));
	fake_state(fake_watch("Widget"), KC_ABSENT);
	fake_work(d.cluster);
	assert_null(find_open(d.findings, FINDING_COMPONENT, "none"));
	stop(&d);
}

/* A kind that discovery lacks is not waited for; what depends on it is. */
static void test_all_else_is_judged_before_a_kind_is_absent(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	d.world.object[OBJECT_SETTINGS] = 2;
	for (size_t k = 0; k < N_KINDS - 1; k++)
		list_kind(&d, k);
	fake_synced(fake_watch("CustomResourceDefinition"));
	fake_work(d.cluster);
	assert_null(find_open(d.findings, FINDING_DRIFT, "settings"));
	assert_true(*cluster_waits_for(d.cluster));
	fake_state(fake_watch("Widget"), KC_WAITING);
	fake_work(d.cluster);
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "settings"));
	assert_false(cluster_synced(d.cluster));
	assert_int_equal(cluster_state(d.cluster), CLUSTER_SYNCING);
	assert_true(*cluster_waits_for(d.cluster));
	fake_state(fake_watch("Widget"), KC_ABSENT);
	fake_work(d.cluster);
	assert_true(cluster_synced(d.cluster));
	assert_non_null(find_open(d.findings, FINDING_DRIFT, "settings"));
	stop(&d);
}

static void test_a_missing_kind_asks_for_definitions(void **state)
{
	struct daemon d;

	(void)state;
	start(&d, 0);
	settle(&d);
	assert_non_null(fake_watch("CustomResourceDefinition")); /* Widget can only come from one */
	lose_kind(&d, 4);
	assert_int_equal(fake_client->rediscoveries, 0);
	{
		CLEANUP(doc_unrefp)
		struct doc *crd = parse("{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, "
					"metadata: {name: widgets.e.x}, "
					"spec: {group: e.x, names: {kind: Widget}}}");

		fake_event(fake_watch("CustomResourceDefinition"), KC_ADDED, crd);
	}
	assert_int_equal(fake_client->rediscoveries, 1);
	stop(&d);
}

static void expect_state(const struct cluster *c, enum cluster_state state, const char *why)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	cluster_state_why(c, &text);
	assert_string_equal(cluster_state_name(cluster_state(c)), cluster_state_name(state));
	assert_string_equal(text.p, why);
}

/* What people are told of a cluster, and that the time of it stays while the state does. */
static void test_states(void **state)
{
	struct daemon d;
	int64_t since;

	(void)state;
	start(&d, 0);
	expect_state(d.cluster, CLUSTER_SYNCING, "waits for ConfigMaps");
	settle(&d);
	cluster_tick(d.cluster);
	expect_state(d.cluster, CLUSTER_SYNCED, "all that is needed is watched");
	since = cluster_state_since(d.cluster);
	usleep(20000);
	cluster_tick(d.cluster);
	set_object(&d, OBJECT_SETTINGS, 2); /* waits to be judged */
	assert_false(cluster_synced(d.cluster));
	expect_state(d.cluster, CLUSTER_SYNCED, "all that is needed is watched");
	assert_in_range(cluster_state_since(d.cluster), since - 10000, since + 10000);
	fake_work(d.cluster);
	break_kind(&d, kind_index("Widget"));
	assert_int_equal(cluster_state(d.cluster), CLUSTER_DEGRADED);
	assert_in_range(cluster_state_since(d.cluster), since + 15000, INT64_MAX);
	fake_client->down = true;
	assert_int_equal(cluster_state(d.cluster), CLUSTER_UNREACHABLE);
	fake_client->down = false;
	stop(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_states),
		cmocka_unit_test(test_nothing_is_judged_before_all_is_listed),
		cmocka_unit_test(test_subjects_are_seen),
		cmocka_unit_test(test_look_ups_are_followed),
		cmocka_unit_test(test_a_look_up_waits_for_its_kind),
		cmocka_unit_test(test_a_refusal_ends_nothing),
		cmocka_unit_test(test_all_else_is_judged_before_a_kind_is_absent),
		cmocka_unit_test(test_a_missing_kind_asks_for_definitions),
		cmocka_unit_test(test_every_order),
		cmocka_unit_test(test_long_walks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
