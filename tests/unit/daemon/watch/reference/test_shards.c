/* Processes that share a cluster tell together what one tells: objects come, change, go, are made again under their
 * names with other uids, name others, cannot be read; lists come in pages or as initial events, after what nobody saw.
 * After each step what was told, but for ids and times, is the same; and nothing is kept of others that nobody needs.
 */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/finding_owner.h"
#include "daemon/findings/finding_record.h"
#include "kubeclient/kc_report.h"
#include "support/fake_client.h"
#include "support/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define WALKS 30
#define STEPS 80
#define PROCESSES_MAX 5 /* the first is alone */

/* ---- the world ---- */

static const char *const kinds[] = { "Deployment",  "ConfigMap",      "Secret",     "Pod",
				     "StatefulSet", "ServiceAccount", "RoleBinding" };
#define N_KINDS ARRAY_LEN(kinds)

static const struct object_case {
	const char *kind, *api_version, *name;
	const char *values[4]; /* what it has besides its metadata */
	const char *metadata[3];
} objects[] = {
	{ "Deployment",
	  "apps/v1",
	  "a",
	  { "\"spec\":{\"replicas\":1}", "\"spec\":{\"replicas\":2}", "\"spec\":{\"replicas\":3}",
	    "\"spec\":{\"replicas\":6}" },
	  { "", "", "" } },
	{ "Deployment",
	  "apps/v1",
	  "b",
	  { "\"spec\":{\"replicas\":1}", "\"spec\":{\"replicas\":2}", "\"spec\":{\"replicas\":3}",
	    "\"spec\":{\"replicas\":6}" },
	  { "", "", "" } },
	{ "Deployment",
	  "apps/v1",
	  "c",
	  { "\"spec\":{\"replicas\":1}", "\"spec\":{\"replicas\":2}", "\"spec\":{\"replicas\":3}",
	    "\"spec\":{\"replicas\":6}" },
	  { "", "", "" } },
	{ "ConfigMap",
	  "v1",
	  "settings",
	  { "\"data\":{\"replicas\":\"1\"}", "\"data\":{\"replicas\":\"2\"}", "\"data\":{\"replicas\":\"3\"}",
	    "\"data\":{\"replicas\":\"4\"}" },
	  { "", "", "" } },
	{ "ConfigMap",
	  "v1",
	  "forbidden",
	  { "\"data\":{}", "\"data\":{\"x\":\"y\"}", "\"data\":{}", "\"data\":{}" },
	  { "", "", "" } },
	{ "ConfigMap",
	  "v1",
	  "left",
	  { "\"data\":{}", "\"data\":{\"x\":\"y\"}", "\"data\":{}", "\"data\":{}" },
	  { "", "", "" } },
	{ "ConfigMap",
	  "v1",
	  "right",
	  { "\"data\":{}", "\"data\":{\"x\":\"y\"}", "\"data\":{}", "\"data\":{}" },
	  { "", "", "" } },
	{ "Secret",
	  "v1",
	  "s",
	  { "\"type\":\"Opaque\"", "\"type\":\"Other\"", "\"type\":\"Opaque\"", "\"type\":\"Opaque\"" },
	  { ",\"labels\":{\"colour\":\"blue\"}", ",\"labels\":{\"colour\":\"green\"}",
	    ",\"labels\":{\"colour\":\"red\"}" } },
	{ "Secret",
	  "v1",
	  "t",
	  { "\"type\":\"Opaque\"", "\"type\":\"Other\"", "\"type\":\"Opaque\"", "\"type\":\"Opaque\"" },
	  { ",\"labels\":{\"colour\":\"blue\"}", ",\"labels\":{\"colour\":\"green\"}",
	    ",\"labels\":{\"colour\":\"red\"}" } },
	{ "Pod",
	  "v1",
	  "p",
	  { "\"spec\":{\"nodeName\":\"n\"}", "\"spec\":{}", "\"spec\":{\"nodeName\":\"m\"}", "\"spec\":{}" },
	  { ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
	    "v1\",\"kind\":\"StatefulSet\",\"name\":\"db\",\"uid\":\"x\"}]",
	    "",
	    ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
	    "v1\",\"kind\":\"StatefulSet\",\"name\":\"other\",\"uid\":\"x\"}]" } },
	{ "Pod",
	  "v1",
	  "q",
	  { "\"spec\":{\"nodeName\":\"n\"}", "\"spec\":{}", "\"spec\":{\"nodeName\":\"m\"}", "\"spec\":{}" },
	  { ",\"ownerReferences\":[{\"apiVersion\":\"apps/"
	    "v1\",\"kind\":\"StatefulSet\",\"name\":\"db\",\"uid\":\"x\"}]",
	    "", "" } },
	{ "StatefulSet",
	  "apps/v1",
	  "db",
	  { "\"spec\":{}", "\"spec\":{\"x\":1}", "\"spec\":{}", "\"spec\":{}" },
	  { "", "", "" } },
	{ "ServiceAccount", "v1", "robot", { "\"x\":1", "\"x\":2", "\"x\":1", "\"x\":1" }, { "", "", "" } },
	{ "RoleBinding",
	  "rbac.authorization.k8s.io/v1",
	  "rb",
	  { "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"robot\",\"namespace\":\"d\"}]", "\"subjects\":[]",
	    "\"subjects\":[{\"kind\":\"ServiceAccount\",\"name\":\"other\",\"namespace\":\"d\"}]",
	    "\"subjects\":null" },
	  { "", "", "" } },
};
#define N_OBJECTS ARRAY_LEN(objects)

struct state {
	bool there;
	size_t value, metadata, uid;
	uint64_t version;
	bool deep; /* it cannot be read */
};

static struct world {
	struct state object[N_OBJECTS];
	uint64_t version;
} world;

static struct fixture {
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	size_t transitions, foreign;
} x;

static void add_object(size_t i, struct buf *out)
{
	const struct object_case *c = &objects[i];
	const struct state *s = &world.object[i];

	buf_printf(out,
		   "{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"d\",\"uid\":"
		   "\"u-%zu-%zu\","
		   "\"resourceVersion\":\"%llu\"%s},%s",
		   c->kind, c->api_version, c->name, i, s->uid, (unsigned long long)s->version,
		   c->metadata[s->metadata], c->values[s->value]);
	buf_add_cstr(out, s->deep ? ",\"deep\":" : "");
	for (int n = 0; s->deep && n < 2000; n++)
		buf_add_byte(out, '[');
	for (int n = 0; s->deep && n < 2000; n++)
		buf_add_byte(out, ']');
	buf_add_byte(out, '}');
}

/* ---- processes ---- */

struct process {
	struct shard shard;
	struct sink *sink;
	struct findings *findings;
	struct cluster *cluster;
	struct feed *client;
	struct kc_collection what[N_KINDS];
	struct kc_report reports[N_KINDS];
	uint32_t lists;
	VEC(char *) reported;
};

static void take(void *ctx, const struct emission *t)
{
	struct process *p = ctx;
	char *line;
	const struct finding_subject *s = t->finding ? &t->finding->subject : NULL;
	enum transition what;

	if (!s || !t->record || t->finding->kind == FINDING_GAP || !record_transition(t->record, &what))
		return;
	assert_true(finding_is_own(p->shard, t->finding->kind, &t->finding->subject));
	if (asprintf(&line, "%d %d %d %.*s/%.*s/%.*s %.*s %.*s %.*s %.*s [%.*s] %.*s\n", (int)what,
		     (int)t->finding->kind, (int)t->finding->severity, STR_ARG(s->part), STR_ARG(s->component),
		     STR_ARG(s->template_path), STR_ARG(s->kind), STR_ARG(s->name), STR_ARG(s->uid), STR_ARG(s->rule),
		     STR_ARG(t->finding->paths), what == TRANSITION_END ? 0 : (int)t->record->text.n,
		     t->record->text.p) < 0)
		abort();
	assert_true(vec_push(&p->reported, line));
}

static void start(struct process *p)
{
	struct cluster_context context = fake_context(p->sink, p->findings, x.keys, &x.limits);
	struct err err;

	context.shard = p->shard;
	context.ctx = p;
	if (cluster_new(&context, x.cfg, &x.cfg->clusters[0], &p->cluster, &err) < 0)
		fail_msg("%s", err.msg);
	p->client = fake_client;
	for (size_t k = 0; k < N_KINDS; k++) {
		const struct feed_watch *w = fake_watch(kinds[k]);

		assert_non_null(w);
		assert_int_equal(kc_collection_init(&p->what[k], &w->spec, &err), 0);
		kc_report_init(&p->reports[k]);
		p->reports[k].what = &p->what[k];
		p->reports[k].limits = &x.limits;
		p->reports[k].keys = x.keys;
		p->reports[k].lists = &p->lists;
		p->reports[k].handler = w->handler;
		p->reports[k].ctx = w->ctx;
	}
	if (fake_watch("CustomResourceDefinition"))
		fake_synced(fake_watch("CustomResourceDefinition"));
}

static void stop(struct process *p)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		kc_report_done(&p->reports[k]);
		kc_collection_done(&p->what[k]);
	}
	cluster_close(p->cluster, NULL, NULL);
	fake_run();
}

static size_t kind_of(size_t object)
{
	size_t k = 0;

	while (strcmp(kinds[k], objects[object].kind) != 0)
		k++;
	return k;
}

/* ---- what servers send ---- */

static void send_event(struct process *p, const char *type, size_t i, bool initial, bool looked_at)
{
	CLEANUP(buf_done) struct buf line = BUF_INIT(1u << 20);
	struct kc_report *rep = &p->reports[kind_of(i)];
	const struct kc_prepare *prepare = rep->handler.prepare;
	void *hand = looked_at ? prepare->begin(rep->ctx) : NULL;
	struct kc_look look = { 0 };
	struct kc_result status = { 0 };
	struct err err = { 0 };

	buf_printf(&line, "{\"type\":\"%s\",\"object\":", type);
	add_object(i, &line);
	buf_add_byte(&line, '}');
	if (hand)
		kc_report_look(rep, hand, buf_str(&line), &look);
	if (kc_report_line(rep, buf_str(&line), initial, hand ? &look : NULL, uv_hrtime(), &status, &err) !=
	    KC_LINE_GOOD)
		fail_msg("%.*s: %s", STR_ARG(buf_str(&line)), err.msg);
	if (look.prepared)
		prepare->forget(look.prepared);
	if (hand)
		prepare->end(hand);
}

enum way { PAGES, INITIAL_EVENTS, THREADS, WAYS };

static void list_kind(struct process *p, size_t k, enum way way)
{
	struct kc_report *rep = &p->reports[k];
	struct feed_watch *w;
	struct err err;

	kc_report_forget_version(rep);
	kc_report_begin(rep);
	for (size_t i = 0; i < N_OBJECTS; i++) {
		CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);

		if (kind_of(i) != k || !world.object[i].there)
			continue;
		add_object(i, &text);
		if (way == PAGES)
			assert_int_equal(kc_report_item(rep, buf_str(&text), NULL, uv_hrtime(), &err), 0);
		else
			send_event(p, "ADDED", i, true, way == THREADS);
	}
	assert_int_equal(kc_report_absent(rep, &err), 0);
	fake_client = p->client;
	w = fake_watch(kinds[k]);
	fake_synced(w);
}

static void list_all(struct process *p, enum way way)
{
	for (size_t k = 0; k < N_KINDS; k++)
		list_kind(p, k, way);
}

/* ---- what must hold ---- */

static void add_reported(struct process *p, size_t n, struct buf *out)
{
	VEC(char *) lines = { 0 };

	for (size_t i = 0; i < n; i++) {
		for (size_t t = 0; t < p[i].reported.n; t++)
			assert_true(vec_push(&lines, p[i].reported.p[t]));
		p[i].reported.n = 0;
	}
	if (lines.n > 1)
		qsort(lines.p, lines.n, sizeof(*lines.p), walk_by_text);
	for (size_t i = 0; i < lines.n; i++) {
		buf_add_cstr(out, lines.p[i]);
		free(lines.p[i]);
	}
	x.transitions += lines.n;
	vec_done(&lines);
}

static size_t count_objects(const struct process *p)
{
	size_t own = 0;

	for (size_t i = 0; i < p->cluster->kinds.n; i++) {
		const struct kind *k = p->cluster->kinds.p[i]->kind;
		const struct object *o;
		size_t foreign = 0;

		for (size_t at = 0; (o = index_each(&k->objects, &at));)
			foreign += object_is_foreign(o);
		assert_int_equal(foreign, k->n_foreign);
		own += k->objects.n - foreign;
		x.foreign += foreign;
	}
	return own;
}

static void check(struct process *p, size_t n, const char *how)
{
	CLEANUP(buf_done) struct buf alone = BUF_INIT(1u << 20), shared = BUF_INIT(1u << 20);
	size_t own = 0, states[VERDICT_ERROR + 1] = { 0 };

	add_reported(p, 1, &alone);
	add_reported(p + 1, n - 1, &shared);
	if (!str_eq(buf_str(&alone), buf_str(&shared)))
		fail_msg("%s: one tells\n%.*s\nand %zu tell\n%.*s", how, STR_ARG(buf_str(&alone)), n - 1,
			 STR_ARG(buf_str(&shared)));
	for (size_t i = 1; i < n; i++) {
		own += count_objects(&p[i]);
		for (size_t s = 0; s < ARRAY_LEN(states); s++)
			states[s] += p[i].cluster->references[0].states[s];
	}
	assert_int_equal(own, count_objects(&p[0]));
	for (size_t s = 0; s < ARRAY_LEN(states); s++)
		assert_int_equal(states[s], p[0].cluster->references[0].states[s]);
}

/* ---- steps ---- */

static const char *step_object(size_t i, uint64_t *seed)
{
	struct state *s = &world.object[i];

	s->version = ++world.version;
	if (s->there && walk_one_of(seed, 4) == 0) {
		s->there = false;
		return "DELETED";
	}
	s->value = walk_one_of(seed, ARRAY_LEN(objects[i].values));
	s->metadata = walk_one_of(seed, ARRAY_LEN(objects[i].metadata));
	s->deep = walk_one_of(seed, 20) == 0;
	if (s->there)
		return "MODIFIED";
	s->there = true;
	s->uid++;
	return "ADDED";
}

/* Nobody sees them; then all is listed. */
static void miss_some(struct process *p, size_t n, uint64_t *seed)
{
	enum way way = (enum way)walk_one_of(seed, WAYS);
	size_t k = walk_one_of(seed, N_KINDS);

	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (kind_of(i) != k || walk_one_of(seed, 2))
			continue;
		(void)step_object(i, seed);
		if (world.object[i].there && walk_one_of(seed, 2))
			world.object[i].uid++;
	}
	for (size_t i = 0; i < n; i++)
		list_kind(&p[i], k, way);
}

static void restart(struct process *p, size_t n, uint64_t *seed)
{
	enum way way = (enum way)walk_one_of(seed, WAYS);

	for (size_t i = 0; i < n; i++) {
		stop(&p[i]);
		start(&p[i]);
		list_all(&p[i], way);
	}
}

static void step(struct process *p, size_t n, uint64_t *seed)
{
	size_t what = walk_one_of(seed, 40), i = walk_one_of(seed, N_OBJECTS);
	const char *type;

	if (what == 0) {
		restart(p, n, seed);
	} else if (what < 4) {
		miss_some(p, n, seed);
	} else if (what < 6) {
		for (size_t k = 0; k < n; k++)
			doc_cache_close_all(&p[k].cluster->snapshot.doc_cache);
	} else {
		type = step_object(i, seed);
		for (size_t k = 0; k < n; k++)
			send_event(&p[k], type, i, false, false);
	}
	for (size_t k = 0; k < n; k++) {
		cluster_tick(p[k].cluster);
		fake_work(p[k].cluster);
	}
}

static void test_walks(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		struct process p[PROCESSES_MAX] = { 0 };
		size_t n = 3 + walk % (PROCESSES_MAX - 2);
		uint64_t seed = walk;
		struct err err;
		char how[64];

		world = (struct world){ 0 };
		for (int i = 0; i < 10; i++)
			(void)step_object(walk_one_of(&seed, N_OBJECTS), &seed);
		for (size_t i = 0; i < n; i++) {
			p[i].shard = i ? (struct shard){ (uint32_t)(i - 1), (uint32_t)(n - 1) } : (struct shard){ 0 };
			p[i].sink = sink_new(&(struct sink_taker){ .take = take, .ctx = &p[i] });
			assert_int_equal(findings_new(p[i].sink, &p[i].findings, &err), 0);
			start(&p[i]);
			list_all(&p[i], (enum way)(walk % WAYS));
			cluster_tick(p[i].cluster);
			fake_work(p[i].cluster);
			assert_true(cluster_synced(p[i].cluster));
		}
		for (size_t s = 0; s < STEPS; s++) {
			(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, s);
			check(p, n, how);
			step(p, n, &seed);
		}
		for (size_t i = 0; i < n; i++) {
			stop(&p[i]);
			findings_free(p[i].findings);
			sink_free(p[i].sink);
			for (size_t t = 0; t < p[i].reported.n; t++)
				free(p[i].reported.p[t]);
			vec_done(&p[i].reported);
		}
	}
	print_message("%zu transitions, %zu foreign objects seen\n", x.transitions, x.foreign);
	assert_true(x.transitions > WALKS * 20);
}

static int setup(void **state)
{
	static const char *const file = TEST_DATA "/watch/shards/shards.yaml";
	struct problems problems = { 0 };
	struct err err;

	(void)state;
	x.limits = limits_of_a_loop();
	x.keys = key_table_new();
	if (cfg_load(&file, 1, &x.limits, x.keys, &x.cfg, &problems, &err) < 0) {
		print_error("%s\n", problems_text(&problems));
		return -1;
	}
	problems_done(&problems);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cfg_unref(x.cfg);
	key_table_free(x.keys);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
