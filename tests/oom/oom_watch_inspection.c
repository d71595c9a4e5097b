/* Inspection rules over a cluster without memory: what could not be inspected is inspected when there is some again,
 * who owns whom is known then, and rules, their quotas and the notes of an earlier life are as they were or as they
 * should be. */
#include "oom.h"

#include "daemon/inspection/inspected.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/inspect/inspecting.h"
#include "support/fake_client.h"

#include <errno.h>

#define DATA TEST_DATA "/watch/inspection"

enum text { WIDGET, POD, OTHER, STRANGER, TEXTS };

static const struct {
	const char *kind, *text;
} texts[TEXTS] = {
	[WIDGET] = { "Widget", "{apiVersion: e.x/v1, kind: Widget, metadata: {name: a, uid: a}, spec: {size: 1}}" },
	[POD] = { "Pod", "{apiVersion: v1, kind: Pod, metadata: {name: p, namespace: n, uid: p, ownerReferences: "
			 "[{uid: a}]}}" },
	[OTHER] = { "Pod", "{apiVersion: v1, kind: Pod, metadata: {name: q, namespace: n, uid: q, ownerReferences: "
			   "[{uid: p}, {uid: a}]}}" },
	[STRANGER] = { "Pod", "{apiVersion: v1, kind: Pod, metadata: {name: z, namespace: n, uid: z, ownerReferences: "
			      "[{uid: y}]}}" },
};

static const char rules_text[] =
	"- {uuid: two, phase: preprocess, conditions: [{op: '!is-empty', args: ['{ports[1]}']}],\n"
	"   actions: [{op: log, args: ['{node} owns {ports}']},\n"
	"     {op: set-attribute, args: [/spec/size, '{ports[1].kind}']}]}\n"
	"- {uuid: changed, conditions: [{op: '!is-empty', args: ['{inventory[changes]}']}],\n"
	"   actions: [{op: fail, args: ['{inventory[changes]} {ports}']}]}\n";

#define OPEN_FINDINGS 2 /* the widget drifts, and its inspection fails */

static struct limits limits;
static struct key_table *keys;
static struct sink *sink;
static struct cfg *cfg;
static struct doc *docs[TEXTS];
static struct inspection_context inspection;

static void take(void *ctx, const struct emission *t)
{
	(void)ctx, (void)t;
}

static int put_rules(struct err *err)
{
	struct problems problems = { 0 };
	struct insp_builtins b = { 0 };
	int r = insp_builtins_parse(str_from(rules_text), "f", &limits, &b, &problems, err);

	for (size_t i = 0; i < b.rules.n; i++) {
		struct insp_rule *rule = b.rules.p[i];

		b.rules.p[i] = NULL;
		if (r == 0)
			r = inspection_rules_put(inspection.rules, rule, STR("now"), STR("later"), err);
		else
			insp_rule_free(rule);
	}
	insp_builtins_done(&b);
	problems_done(&problems);
	return r;
}

static void work(struct cluster *c)
{
	while (cluster_work(c, UINT64_MAX))
		;
}

/* Time has passed. */
static void later(struct cluster *c)
{
	for (int i = 0; i < 3; i++) {
		cluster_tick(c);
		cluster_retry(c, UINT64_MAX);
		work(c);
	}
}

static void list_all(struct cluster *c)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *w = fake_client->watches.p[i];

		for (size_t k = 0; k < STRANGER; k++) {
			if (strcmp(texts[k].kind, w->spec.kind) == 0)
				fake_event(w, KC_LISTED, docs[k]);
		}
		fake_synced(w);
	}
	work(c);
}

static size_t count(const struct findings *f)
{
	size_t at = 0, n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static struct inspected *earlier(void *ctx, str cluster)
{
	struct inspected *s = NULL;
	struct err err;

	(void)ctx, (void)cluster;
	return inspected_new(STR("a 1\np 1\n"), &s, &err) < 0 ? NULL : s;
}

struct life {
	struct findings *findings;
	struct cluster *cluster;
};

static int start(struct life *l, struct err *err)
{
	const struct watch_inspector_maker inspects = inspecting_by(&inspection);
	struct insp_builtins none = { 0 };
	struct cluster_context context;
	int r = inspection_rules_new(&none, &inspection.rules, err);

	if (r == 0)
		r = findings_new(sink, &l->findings, err);
	context = fake_context(sink, l->findings, keys, &limits);
	context.inspection = &inspects;
	context.inspected = earlier;
	return r < 0 ? r : cluster_new(&context, cfg, &cfg->clusters[0], &l->cluster, err);
}

static void stop(struct life *l)
{
	if (l->cluster) {
		cluster_close(l->cluster, NULL, NULL);
		fake_run();
	}
	findings_free(l->findings);
	inspection_rules_free(TAKE(inspection.rules));
}

/* Everything from the first list on; what was lost comes with the next. */
static int run_listed(struct err *err)
{
	struct life l = { 0 };
	size_t n;

	if (start(&l, err) < 0)
		return OOM_WRONG;
	oom_arm();
	(void)!put_rules(err);
	list_all(l.cluster);
	later(l.cluster);
	oom_disarm();
	inspection_rules_clear(inspection.rules);
	if (put_rules(err) < 0)
		return OOM_WRONG;
	later(l.cluster);
	list_all(l.cluster);
	later(l.cluster);
	n = count(l.findings);
	stop(&l);
	return n == OPEN_FINDINGS ? 0 : OOM_WRONG;
}

/* Whoever looked at its dependents does so again when they change, also if an event of others was too much. */
static int run_changed(struct err *err)
{
	struct life l = { 0 };
	size_t n;

	if (start(&l, err) < 0 || put_rules(err) < 0)
		return OOM_WRONG;
	list_all(l.cluster);
	later(l.cluster);
	oom_arm();
	fake_event(fake_watch("Pod"), KC_ADDED, docs[STRANGER]);
	work(l.cluster);
	oom_disarm();
	later(l.cluster);
	n = count(l.findings);
	fake_event(fake_watch("Pod"), KC_DELETED, docs[OTHER]); /* its owner looked at it */
	work(l.cluster);
	if (n == OPEN_FINDINGS)
		n += count(l.findings);
	stop(&l);
	return n == OPEN_FINDINGS ? 0 : OOM_WRONG;
}

static int run_deleted(struct err *err)
{
	struct life l = { 0 };
	size_t n;

	if (start(&l, err) < 0 || put_rules(err) < 0)
		return OOM_WRONG;
	list_all(l.cluster);
	later(l.cluster);
	oom_arm();
	fake_event(fake_watch("Widget"), KC_DELETED, docs[WIDGET]);
	work(l.cluster);
	oom_disarm();
	fake_event(fake_watch("Pod"), KC_MODIFIED, docs[POD]);
	later(l.cluster);
	n = findings_open(findings_counters(l.findings, STR("c")), FINDING_INSPECTION);
	stop(&l);
	return n == 0 ? 0 : OOM_WRONG;
}

static int run_rules(struct err *err)
{
	const struct insp_set *set;
	bool news, reads = false;
	int r;

	if (inspection_rules_new(&(struct insp_builtins){ 0 }, &inspection.rules, err) < 0)
		return OOM_WRONG;
	oom_arm();
	r = put_rules(err);
	if (r == 0)
		r = inspection_rules_set(inspection.rules, &set, err);
	if (r == 0)
		reads = set->reads_dependents;
	if (r == 0 && (!inspection_rules_take(inspection.rules, STR("two"), 1, 1, &news) || news))
		r = OOM_WRONG;
	inspection_rules_remove(inspection.rules, STR("TWO"));
	oom_disarm();
	if (inspection_rules_has(inspection.rules, STR("two")) || (r == 0 && !reads))
		r = OOM_WRONG;
	inspection_rules_free(TAKE(inspection.rules));
	return r;
}

static int run_inspected(struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
	struct inspected *s = NULL;
	int r;

	oom_arm();
	r = inspected_new(STR("a 1\nb 2\n"), &s, err);
	if (r == 0 && s) {
		inspected_write(s, &out);
		r = buf_error(&out, "what was inspected", err);
		if (r == 0 && !inspected_has(s, STR("b"), STR("2")))
			r = err_nomem(err); /* it is inspected once more, and not in silence */
	}
	oom_disarm();
	if (r == 0 && (!s || out.n != 8 || inspected_has(s, STR("b"), STR("1"))))
		r = OOM_WRONG;
	inspected_free(s);
	return r;
}

static int prepare(void)
{
	static const char *const files[] = { DATA "/walks.yaml" };
	static const struct sink_taker taker = { .take = take };
	struct problems problems = { 0 };
	struct yaml_options o = { .limits = &limits };
	struct err err;

	limits = limits_of_a_loop();
	keys = key_table_new();
	o.keys = keys;
	sink = sink_new(&taker);
	inspection.sink = sink;
	if (!keys || !sink || cfg_load(files, 1, &limits, keys, &cfg, &problems, &err) < 0)
		return -1;
	for (size_t k = 0; k < TEXTS; k++) {
		if (yaml_decode(str_from(texts[k].text), &o, &docs[k], &err) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "inspection_listed", run_listed, true },        { "inspection_changed", run_changed, true },
		{ "inspection_deleted", run_deleted, true },      { "inspection_rules", run_rules, true },
		{ "inspection_inspected", run_inspected, false },
	};
	int r;

	if (prepare() < 0)
		return 1;
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	for (size_t k = 0; k < TEXTS; k++)
		doc_unref(docs[k]);
	cfg_unref(cfg);
	sink_free(sink);
	key_table_free(keys);
	return r;
}
