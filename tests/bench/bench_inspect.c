/* bench_inspect: inspection rules over a cluster: what they cost for each event that is judged, and what one tenant can
 * make the loop do with them. The rates are of processor time; no turn of the loop may take 50 ms: the program says so
 * at the end of the line.
 *
 * One thread; records go nowhere. */
#include "daemon/watch/inspect/inspecting.h"
#include "support/watched.h"

#include <time.h>
#include <unistd.h>

#define SLICE_NS (5 * UINT64_C(1000000))
#define TURN_MAX_S 0.050
#define RULES 200
#define OBJECTS 2000
#define OBJECT_BYTES 5000

static FILE *out;
static struct inspection_context inspection;

static double cpu_s(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void put_rule(const struct limits *limits, str text)
{
	struct problems problems = { 0 };
	struct insp_builtins b;
	struct err err;

	watched_must(insp_builtins_parse(text, "a rule", limits, &b, &problems, &err), &err);
	for (size_t i = 0; i < b.rules.n; i++)
		watched_must(inspection_rules_put(inspection.rules, b.rules.p[i], STR("now"), STR("now"), &err), &err);
	b.rules.n = 0; /* they are taken over */
	insp_builtins_done(&b);
	problems_done(&problems);
}

static void start(struct watched *w, bool inspected)
{
	struct insp_builtins none = { 0 };
	const struct watch_inspector_maker inspects = inspecting_by(&inspection);
	struct cluster_context context = { .inspection = inspected ? &inspects : NULL };
	struct err err;

	watched_must(inspection_rules_new(&none, &inspection.rules, &err), &err);
	watched_start_with(w, TEST_DATA "/watch/inspection/driftd.yaml", &context);
	inspection.sink = w->sink;
	watched_settle(w);
}

static void stop(struct watched *w)
{
	watched_stop(w);
	inspection_rules_free(TAKE(inspection.rules));
}

static struct doc *parse(struct watched *w, struct buf *json)
{
	struct json_options o = { .limits = &w->limits, .keys = w->keys };
	struct doc *d = NULL;
	struct err err;

	watched_must(buf_error(json, "object", &err), &err);
	watched_must(json_decode(buf_str(json), &o, &d, &err), &err);
	return d;
}

/* ---- rates ---- */

/* Each is the condition of every so many-th rule, and never holds. */
static const char *const conditions[] = {
	"{\"op\":\"eq\",\"args\":[\"{node.kind}\",\"StatefulSet\"]}",
	"{\"op\":\"gt\",\"args\":[\"{node.spec[size]}\",100]}",
	"{\"op\":\"is-empty\",\"args\":[\"{node.metadata[labels][app.kubernetes.io/name]}\"]}",
	"{\"op\":\"contains\",\"args\":[\"{node.metadata[name]}\",\"^(?:test|demo)-[0-9]+$\"]}",
	"{\"op\":\"one-of\",\"args\":[\"{inventory[event]}\",[\"deleted\",\"nothing\"]]}",
	"{\"op\":\"!is-none\",\"args\":[\"{inventory[previous][none]}\"]}",
	"{\"op\":\"in-net\",\"args\":[\"{node.spec[address]}\",\"192.168.0.0/16\"]}",
	"{\"op\":\"eq\",\"args\":[\"{node.metadata[name]}/{node.metadata[name]}\",\"shop/other\"]}",
	"{\"op\":\"eq\",\"args\":[\"{item[protocol]}\",\"UDP\"],\"loop\":\"{node.spec[ports]}\"}",
	"{\"op\":\"matches\",\"args\":[\"{item}\",\"team-[a-z]+\"],\"loop\":[\"{inventory[cluster]}\",\"x\"]}",
};

static void put_rules(const struct limits *limits, const char *phase)
{
	for (size_t i = 0; i < RULES; i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

		buf_printf(&b,
			   "[{\"uuid\":\"%zu\",\"phase\":\"%s\",\"conditions\":[%s],\"actions\":[{\"op\":\"fail\","
			   "\"args\":"
			   "[\"no\"]}]}]",
			   i, phase, conditions[i % ARRAY_LEN(conditions)]);
		put_rule(limits, buf_str(&b));
	}
}

static struct doc *object(struct watched *w, const char *api_version, const char *kind, size_t i, int generation)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1u << 20);

	buf_printf(
		&b,
		"{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"x-%zu\",\"uid\":\"%zu\","
		"\"generation\":%d,\"labels\":{\"app.kubernetes.io/name\":\"web\"}},\"spec\":{\"size\":1,\"address\":"
		"\"10.1.2.3\",\"ports\":[",
		api_version, kind, i, i, generation);
	for (int k = 0; b.n < OBJECT_BYTES; k++)
		buf_printf(&b, "%s{\"name\":\"port-%d\",\"port\":%d,\"protocol\":\"TCP\",\"note\":\"%s\"}",
			   k ? "," : "", k, 8000 + k, "served by the front of the application for its users");
	buf_add_cstr(&b, "]}}");
	return parse(w, &b);
}

/* Events judged in a second: each object once more, with another generation. */
static double rate(const char *kind, const char *api_version, bool inspected, const char *phase)
{
	static struct doc *docs[OBJECTS];
	double taken = 0;
	struct watched w;

	start(&w, inspected);
	if (phase)
		put_rules(&w.limits, phase);
	for (int generation = 0; generation < 2; generation++) {
		double from;

		for (size_t i = 0; i < OBJECTS; i++)
			docs[i] = object(&w, api_version, kind, i, generation);
		from = cpu_s();
		for (size_t i = 0; i < OBJECTS; i++)
			fake_event(fake_watch(kind), KC_MODIFIED, docs[i]);
		watched_work(&w);
		taken = cpu_s() - from;
		for (size_t i = 0; i < OBJECTS; i++)
			doc_unref(docs[i]);
	}
	stop(&w);
	return OBJECTS / taken;
}

static void rates(const char *kind, const char *api_version, const char *what)
{
	double none = rate(kind, api_version, false, NULL), no_rules = rate(kind, api_version, true, NULL);
	double early = rate(kind, api_version, true, "early"), main_phase = rate(kind, api_version, true, "main");

	fprintf(out,
		"%s of %d bytes: %8.0f events/s uninspected, %8.0f (%.2f) without rules, %8.0f (%.3f) with %d early "
		"rules, "
		"%8.0f (%.3f) with %d main ones: %.1f us for each rule\n",
		what, OBJECT_BYTES, none, no_rules, no_rules / none, early, early / none, RULES, main_phase,
		main_phase / none, RULES, (1 / main_phase - 1 / none) / RULES * 1e6);
}

/* ---- attacks ---- */

struct turns {
	double total, longest;
	size_t n;
};

static void add_turn(struct turns *t, double took)
{
	t->total += took;
	t->longest = took > t->longest ? took : t->longest;
	t->n++;
}

static void work(struct watched *w, struct turns *t)
{
	bool more = true;

	while (more) {
		double from = cpu_s();

		more = cluster_work(w->cluster, uv_hrtime() + SLICE_NS);
		add_turn(t, cpu_s() - from);
	}
}

static void event(struct watched *w, enum kc_event e, struct buf *json, struct turns *t)
{
	CLEANUP(doc_unrefp) struct doc *doc = parse(w, json);
	CLEANUP(freep) char *kind = str_dup(val_str(VAL_GET(doc->root, "kind")));
	double from = cpu_s();

	fake_event(fake_watch(kind), e, doc);
	add_turn(t, cpu_s() - from);
}

static void head(struct buf *b, const char *kind, size_t i)
{
	buf_printf(b, "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"x-%zu\",\"uid\":\"%s-%zu\"",
		   strcmp(kind, "Pod") == 0 ? "v1" : "e.x/v1", kind, i, kind, i);
}

/* @n items and a megabyte of text beside them. */
static void items(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	head(&b, "Widget", 0);
	buf_add_cstr(&b, "},\"password\":\"a secret one\",\"spec\":{\"text\":\"");
	for (size_t i = 0; i < 1u << 20; i++)
		buf_add_byte(&b, 'a');
	buf_add_cstr(&b, "\",\"items\":[");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s\"item %zu\"", i ? "," : "", i);
	buf_add_cstr(&b, "]}}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
	event(w, KC_DELETED, &b, t);
	work(w, t);
}

/* One object with @n owners, which are there. */
static void owners(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(64u << 20);

	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf owner = BUF_INIT(4096);

		head(&owner, "Widget", i);
		buf_add_cstr(&owner, "}}");
		event(w, KC_ADDED, &owner, t);
	}
	work(w, t);
	head(&b, "Pod", 0);
	buf_add_cstr(&b, ",\"ownerReferences\":[");
	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%s{\"uid\":\"Widget-%zu\"}", i ? "," : "", i);
	buf_add_cstr(&b, "]}}");
	event(w, KC_ADDED, &b, t);
	work(w, t);
	event(w, KC_MODIFIED, &b, t);
	work(w, t);
}

/* @n objects with the same owner; then each of them changes. */
static void owned(struct watched *w, size_t n, struct turns *t)
{
	CLEANUP(buf_done) struct buf owner = BUF_INIT(4096);

	head(&owner, "Widget", 0);
	buf_add_cstr(&owner, "}}");
	event(w, KC_ADDED, &owner, t);
	for (size_t i = 0; i < n; i++) {
		CLEANUP(buf_done) struct buf b = BUF_INIT(4096);

		head(&b, "Pod", i);
		buf_add_cstr(&b, ",\"ownerReferences\":[{\"uid\":\"Widget-0\"}]},\"spec\":{\"password\":\"hidden!\"}}");
		event(w, KC_ADDED, &b, t);
		if (i % 1000 == 0)
			work(w, t);
	}
	work(w, t);
	event(w, KC_DELETED, &owner, t);
	work(w, t);
}

#define NO_RULE "{op: fail, args: [never]}"

static const struct attack {
	const char *name, *what, *rules;
	void (*run)(struct watched *w, size_t n, struct turns *t);
	size_t n;
} attacks[] = {
	{ "logs", "items that are logged", "[{actions: [{op: log, args: ['{item}'], loop: '{node.spec.items}'}]}]",
	  items, 10000 },
	{ "whole", "times the object is logged",
	  "[{actions: [{op: log, args: ['{node}'], loop: '{node.spec.items}'}]}]", items, 100 },
	{ "fails", "items of an object that is the message", "[{actions: [{op: fail, args: ['{node}']}]}]", items,
	  10000 },
	{ "loop", "items of a loop in a loop",
	  "[{conditions: [{op: one-of, args: ['{item}x', '{node.spec.items}'], loop: "
	  "'{node.spec.items}'}], actions: [" NO_RULE "]}]",
	  items, 10000 },
	{ "regex", "items and a regular expression that blows up",
	  "[{conditions: [{op: matches, args: ['{node.spec.text}', '(a|aa)+$b']}], actions: [" NO_RULE "]},\n"
	  " {conditions: [{op: contains, args: ['{node.spec.text}', '(a*)*(a*)*b']}], actions: [" NO_RULE "]}]",
	  items, 10 },
	{ "edits", "items that are set",
	  "[{phase: preprocess, actions: [{op: set-attribute, args: ['/spec/{item}', '{node.spec.text}'], loop: "
	  "'{node.spec.items}'}]}]",
	  items, 10000 },
	{ "owners", "owners of one object", "[{conditions: [{op: eq, args: ['{ports}', 1]}], actions: [" NO_RULE "]}]",
	  owners, 10000 },
	{ "owned", "objects of one owner",
	  "[{conditions: [{op: eq, args: ['{item.kind}', Gizmo], loop: '{ports}'}], actions: [" NO_RULE "]}]", owned,
	  9999 },
	{ "owned", "objects of one owner, by kind, in a message",
	  "[{conditions: [{op: '!is-empty', args: ['{ports}']}], actions: [{op: log, args: ['{port_groups}']}]}]",
	  owned, 9999 },
	{ "owned", "objects of one owner, which are too many",
	  "[{conditions: [{op: eq, args: ['{item.kind}', Gizmo], loop: '{ports}'}], actions: [" NO_RULE "]}]", owned,
	  20000 },
};

static bool run(const struct attack *a)
{
	struct turns t = { 0 };
	struct watched w;
	bool ok;

	start(&w, true);
	put_rule(&w.limits, str_from(a->rules));
	a->run(&w, a->n, &t);
	ok = t.longest < TURN_MAX_S;
	fprintf(out,
		"%-6s %6zu %-44s %9.1f ms in %6zu turns, the longest %8.1f ms%s; %zu failures open, %llu effects "
		"dropped\n",
		a->name, a->n, a->what, t.total * 1e3, t.n, t.longest * 1e3, ok ? "" : " TOO LONG",
		watched_count(&w, FINDING_INSPECTION), (unsigned long long)inspection.counters.dropped[INSPECTION_LOG]);
	fflush(out);
	stop(&w);
	inspection.counters = (struct inspection_counters){ 0 };
	return ok;
}

int main(int argc, char **argv)
{
	bool ok = true;

	out = fdopen(dup(STDOUT_FILENO), "w");
	if (argc > 2 || !out || !freopen("/dev/null", "w", stdout)) { /* records go there */
		fprintf(stderr, "usage: bench_inspect [rates|ATTACK]\n");
		return 2;
	}
	if (argc < 2 || strcmp(argv[1], "rates") == 0) {
		rates("Pod", "v1", "objects without a reference");
		rates("Widget", "e.x/v1", "objects with one");
	}
	for (size_t i = 0; i < ARRAY_LEN(attacks); i++) {
		if (argc < 2 || strcmp(argv[1], attacks[i].name) == 0)
			ok &= run(&attacks[i]);
	}
	return fclose(out) == 0 && ok ? 0 : 1;
}
