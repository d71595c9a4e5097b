/* Inspection rules in any order of events: objects that change, go and come again, owners likewise, kinds that are
 * lost, texts that cannot be read, restarts, and rules that come and go. Whatever the way, what is open at the end is
 * what a cluster finds that sees the same objects under the same rules for the first time; and each event makes a rule
 * log once, whatever else is inspected again because of it. Updates that no verdict sees are offered undecoded before.
 */
#include "daemon/inspection/inspected.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/inspect/inspecting.h"

#include "support/data_document.h"
#include "support/fake_client.h"
#include "support/offered.h"
#include "support/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define DATA TEST_DATA "/watch/inspection"
#define WALKS 150
#define STEPS 60
#define CHECK_EVERY 15

/* ---- the world that the server would tell of ---- */

static const char *const kinds[] = { "Widget", "Gizmo", "Pod" };
#define N_KINDS ARRAY_LEN(kinds)

static const struct object_case {
	const char *kind, *api_version, *name;
	const char *uids[2];
} objects[] = {
	{ "Widget", "e.x/v1", "a", { "a", "again" } }, { "Widget", "e.x/v1", "b", { "b", "again" } },
	{ "Gizmo", "e.x/v1", "g", { "g", "g2" } },     { "Pod", "v1", "p", { "p", "p2" } },
	{ "Pod", "v1", "q", { "q", "q2" } },           { "Pod", "v1", "r", { "r", "again" } },
};
#define N_OBJECTS ARRAY_LEN(objects)

/* What ownerReferences may be. */
static const char *const owners[] = {
	"[]",
	"[{uid: a}]",
	"[{uid: again}]",
	"[{uid: b}, {uid: a}, {uid: a}]",
	"[{uid: p}, {uid: g}]",
	"[{uid: q}, {uid: r}, {uid: nobody}]",
	"none",
	"[{uid: 7}, {uid: [a]}, a, null, {uid: ''}, {uid: b}]",
	"{uid: a}",
};

#define LOOKS 6

struct looks {
	size_t again, generation, owners, size, phase, note;
};

struct state {
	struct doc *doc; /* NULL: it is not there */
	bool unreadable; /* its last event was */
	struct looks looks;
};

struct world {
	struct state object[N_OBJECTS];
	bool listed[N_KINDS];
	uint64_t version;
};

/* ---- what is shared by all walks ---- */

static struct fixture {
	struct limits limits;
	struct key_table *keys;
	struct cfg *cfg;
	struct doc *rules;
	struct inspection_context inspection;
	struct sink *sink;
	size_t unseen; /* updates that were over before they were decoded */
	size_t logs;   /* records of them */
	char last[64]; /* the name of the object that the last was about */
} x;

static void take(void *ctx, const struct emission *t)
{
	(void)ctx;
	if (!t->record || t->record->message != MESSAGE_INSPECTION_LOG)
		return;
	x.logs++;
	(void)snprintf(x.last, sizeof(x.last), "%.*s", STR_ARG(record_get(t->record, "DRIFTD_NAME")));
}

static int setup(void **state)
{
	static const char *const file = DATA "/walks.yaml";
	static const struct sink_taker taker = { .take = take };
	struct problems problems = { 0 };
	struct insp_builtins none = { 0 };
	struct err err;

	(void)state;
	x.limits = limits_of_a_loop();
	x.keys = key_table_new();
	x.rules = data_document(DATA "/walks-rules.yaml");
	x.sink = sink_new(&taker);
	if (cfg_load(&file, 1, &x.limits, x.keys, &x.cfg, &problems, &err) < 0) {
		print_error("%s\n", problems_text(&problems));
		return -1;
	}
	problems_done(&problems);
	x.inspection = (struct inspection_context){ .sink = x.sink };
	return x.rules && x.sink ? inspection_rules_new(&none, &x.inspection.rules, &err) : -1;
}

static int teardown(void **state)
{
	(void)state;
	inspection_rules_free(x.inspection.rules);
	sink_free(x.sink);
	cfg_unref(x.cfg);
	doc_unref(x.rules);
	key_table_free(x.keys);
	return 0;
}

/* ---- rules ---- */

static void put_rule(val rule)
{
	const val list = { .kind = VAL_LIST, .n = 1, .items = &rule };
	struct problems problems = { 0 };
	struct insp_builtins b;
	struct err err;

	if (insp_builtins_read(list, &x.limits, &b, &problems, &err) < 0)
		fail_msg("%s", problems_text(&problems));
	assert_int_equal(inspection_rules_put(x.inspection.rules, b.rules.p[0], STR("now"), STR("now"), &err), 0);
	b.rules.n = 0; /* it is taken over */
	insp_builtins_done(&b);
	problems_done(&problems);
}

static void put_rule_text(const char *text)
{
	struct yaml_options o = { .limits = &x.limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err err;

	assert_int_equal(yaml_decode(str_from(text), &o, &d, &err), 0);
	put_rule(d->root);
}

/* With rules that look at dependents, or at all of an object, no update passes unseen. */
static val random_rule(bool narrow, uint64_t *seed)
{
	static const char *const few[] = { "size",  "scoped", "edit",  "forget", "drifts",
					   "early", "broken", "items", "note",   "noted" };
	size_t n = walk_one_of(seed, narrow ? ARRAY_LEN(few) : val_count(x.rules->root));

	if (!narrow)
		return val_at(x.rules->root, (uint32_t)n);
	for (uint32_t i = 0; i < val_count(x.rules->root); i++) {
		val rule = val_at(x.rules->root, i);

		if (str_eq(val_str(VAL_GET(rule, "uuid")), str_from(few[n])))
			return rule;
	}
	fail_msg("no rule %s", few[n]);
	return (val){ 0 };
}

static void toggle_rule(bool narrow, uint64_t *seed)
{
	val rule = random_rule(narrow, seed);
	str uuid = val_str(VAL_GET(rule, "uuid"));

	if (walk_one_of(seed, 40) == 0)
		inspection_rules_clear(x.inspection.rules);
	else if (inspection_rules_has(x.inspection.rules, uuid))
		inspection_rules_remove(x.inspection.rules, uuid);
	else
		put_rule(rule);
}

/* ---- one daemon ---- */

struct daemon {
	struct findings *findings;
	struct cluster *cluster;
	struct feed *client;
	struct world *world;
	struct buf inspected; /* when it was left last */
};

static struct inspected *earlier(void *ctx, str cluster)
{
	const struct daemon *d = ctx;
	struct inspected *s;
	struct err err;

	(void)cluster;
	if (!d->inspected.n)
		return NULL;
	return inspected_new(buf_str((struct buf *)&d->inspected), &s, &err) < 0 ? NULL : s;
}

static void connect_cluster(struct daemon *d)
{
	const struct watch_inspector_maker inspects = inspecting_by(&x.inspection);
	struct cluster_context context = fake_context(x.sink, d->findings, x.keys, &x.limits);
	struct err err;

	context.inspection = &inspects;
	context.inspected = earlier;
	context.ctx = d;
	if (cluster_new(&context, x.cfg, &x.cfg->clusters[0], &d->cluster, &err) < 0)
		fail_msg("%s", err.msg);
	d->client = fake_client;
	fake_synced(fake_watch("CustomResourceDefinition"));
}

static void start(struct daemon *d, struct world *world)
{
	struct err err;

	*d = (struct daemon){ .world = world, .inspected = BUF_INIT(1u << 20) };
	assert_int_equal(findings_new(x.sink, &d->findings, &err), 0);
	connect_cluster(d);
}

static void disconnect(struct daemon *d)
{
	cluster_close(d->cluster, NULL, NULL);
	fake_run();
}

static void stop(struct daemon *d)
{
	disconnect(d);
	findings_free(d->findings);
	buf_done(&d->inspected);
}

static void world_done(struct world *world)
{
	for (size_t i = 0; i < N_OBJECTS; i++)
		doc_unref(world->object[i].doc);
}

/* ---- steps ---- */

static struct doc *parse(const char *text)
{
	struct yaml_options o = { .limits = &x.limits, .keys = x.keys };
	struct doc *d = NULL;
	struct err err;

	if (yaml_decode(str_from(text), &o, &d, &err) < 0)
		fail_msg("%s: %s", text, err.msg);
	return d;
}

static struct doc *identity_of_object(size_t i)
{
	char text[256];

	(void)snprintf(text, sizeof(text), "{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: 'n'}}",
		       objects[i].api_version, objects[i].kind, objects[i].name);
	return parse(text);
}

static void redraw(struct looks *l, size_t what, uint64_t *seed)
{
	size_t *const all[] = { &l->again, &l->generation, &l->owners, &l->size, &l->phase, &l->note };
	static const size_t most[LOOKS] = { 8, 5, ARRAY_LEN(owners), 5, 2, 5 };

	_Static_assert(ARRAY_LEN(all) == LOOKS, "ORDER looks");
	*all[what] = walk_one_of(seed, most[what]);
}

/* All of it is another one, or some of it. */
static struct doc *random_object(struct world *world, size_t i, uint64_t *seed)
{
	static const char *const phases[] = { "Running", "Failed" };
	const struct object_case *o = &objects[i];
	struct looks *l = &world->object[i].looks;
	char text[512];

	if (walk_one_of(seed, 2)) {
		for (size_t n = 0; n < LOOKS; n++)
			redraw(l, n, seed);
	} else {
		redraw(l, walk_one_of(seed, LOOKS), seed);
	}
	(void)snprintf(
		text, sizeof(text),
		"{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: 'n', uid: %s, resourceVersion: '%llu', "
		"generation: %zu, ownerReferences: %s, annotations: {note: '%zu'}}, spec: {size: %zu}, "
		"status: {phase: %s}}",
		o->api_version, o->kind, o->name, o->uids[l->again == 7], (unsigned long long)++world->version,
		l->generation, owners[l->owners], l->note, l->size, phases[l->phase]);
	return parse(text);
}

/* @doc NULL: nothing but its identity is known. */
static void report(struct daemon *d, size_t i, enum kc_event event, struct doc *doc, const char *unreadable)
{
	CLEANUP(doc_unrefp) struct doc *identity = identity_of_object(i);
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	bool offer = event == KC_MODIFIED && !unreadable && !d->world->object[i].unreadable;
	struct feed_watch *w;
	char space[64];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	struct kc_object e = {
		.event = event,
		.namespace = STR("n"),
		.name = str_from(objects[i].name),
		.resource_version = STR("1"),
		.doc = unreadable ? identity : doc,
		.unreadable = unreadable,
		.received_ns = uv_hrtime(),
	};

	if (e.doc) { /* a deletion by absence has none */
		e.uid = val_str(val_dig(e.doc->root, "metadata", "uid", NULL));
		e.resource_version = val_str(val_dig(e.doc->root, "metadata", "resourceVersion", NULL));
		offered_text(e.doc, STR(""), &text, &e);
	}
	fake_client = d->client;
	w = fake_watch(objects[i].kind);
	identity_local_key(e.namespace, e.name, &key);
	e.key = buf_str(&key);
	if (offer && offered_unseen(w, &e))
		x.unseen++;
	else
		w->handler.object(w->ctx, &e);
}

static void list_kind(struct daemon *d, size_t k)
{
	for (size_t i = 0; i < N_OBJECTS; i++) {
		struct state *s = &d->world->object[i];

		if (walk_place(kinds, N_KINDS, objects[i].kind) != k)
			continue;
		report(d, i, s->doc ? KC_LISTED : KC_DELETED, s->doc, NULL);
		s->unreadable = false;
	}
	d->world->listed[k] = true;
	fake_synced(fake_watch(kinds[k]));
}

/* Everything is listed, readable and judged, under the rules as they are. */
static void settle(struct daemon *d)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (!d->world->listed[k])
			list_kind(d, k);
	}
	for (size_t i = 0; i < N_OBJECTS; i++) {
		struct state *s = &d->world->object[i];

		if (s->unreadable)
			report(d, i, KC_MODIFIED, s->doc, NULL);
		s->unreadable = false;
	}
	for (int i = 0; i < 3; i++)
		cluster_tick(d->cluster);
	fake_work(d->cluster);
	assert_true(cluster_synced(d->cluster));
}

static bool is_listed(const struct daemon *d, size_t i)
{
	return d->world->listed[walk_place(kinds, N_KINDS, objects[i].kind)];
}

static void set_object(struct daemon *d, size_t i, uint64_t *seed)
{
	struct state *s = &d->world->object[i];
	bool was = s->doc != NULL;

	doc_unref(s->doc);
	s->doc = random_object(d->world, i, seed);
	s->unreadable = false;
	if (is_listed(d, i))
		report(d, i, was ? KC_MODIFIED : KC_ADDED, s->doc, NULL);
}

/* A server says what it was last: the object as it is known, another, or nothing that can be read. */
static void delete_object(struct daemon *d, size_t i, uint64_t *seed)
{
	struct state *s = &d->world->object[i];
	CLEANUP(doc_unrefp) struct doc *last = s->doc, *other = random_object(d->world, i, seed);

	s->doc = NULL;
	s->unreadable = false;
	if (!is_listed(d, i))
		return;
	switch (walk_one_of(seed, 4)) {
	case 0:
		report(d, i, KC_DELETED, NULL, NULL);
		break;
	case 1:
		report(d, i, KC_DELETED, other, NULL);
		break;
	case 2:
		report(d, i, KC_DELETED, NULL, "it is too deep");
		break;
	default:
		report(d, i, KC_DELETED, last, NULL);
	}
}

static void spoil_object(struct daemon *d, size_t i)
{
	struct state *s = &d->world->object[i];

	if (!s->doc || !is_listed(d, i))
		return;
	s->unreadable = true;
	report(d, i, KC_MODIFIED, NULL, "it is too deep");
}

/* A kind that the server does not have any more. */
static void lose_kind(struct daemon *d, size_t k)
{
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (walk_place(kinds, N_KINDS, objects[i].kind) != k)
			continue;
		doc_unref(TAKE(d->world->object[i].doc));
		d->world->object[i].unreadable = false;
	}
	fake_client = d->client;
	d->world->listed[k] = false;
	fake_state(fake_watch(kinds[k]), KC_ABSENT);
}

static void reconnect(struct daemon *d)
{
	buf_clear(&d->inspected);
	cluster_list_inspected(d->cluster, &d->inspected);
	disconnect(d);
	for (size_t k = 0; k < N_KINDS; k++)
		d->world->listed[k] = false;
	connect_cluster(d);
}

static void random_step(struct daemon *d, bool narrow, uint64_t *seed)
{
	size_t i = walk_one_of(seed, N_OBJECTS), k = walk_one_of(seed, N_KINDS);

	switch (walk_one_of(seed, 24)) {
	case 0:
		lose_kind(d, k);
		break;
	case 1:
		reconnect(d);
		break;
	case 2:
	case 3:
		list_kind(d, k);
		break;
	case 4:
		spoil_object(d, i);
		break;
	case 5:
	case 6:
	case 7:
		fake_work(d->cluster);
		break;
	case 8:
		cluster_tick(d->cluster);
		break;
	case 9:
	case 10:
	case 11:
		if (narrow && walk_one_of(seed, 4)) /* with other rules all is inspected again */
			set_object(d, i, seed);
		else
			toggle_rule(narrow, seed);
		fake_work(d->cluster);
		break;
	case 12:
	case 13:
	case 14:
	case 15:
		delete_object(d, i, seed);
		break;
	default:
		set_object(d, i, seed);
		if (narrow) /* it is judged before the next comes */
			fake_work(d->cluster);
	}
}

/* ---- what must hold ---- */

static size_t n_failures;

static void check_truth(struct daemon *d, const char *how)
{
	CLEANUP(buf_done) struct buf has = BUF_INIT(1u << 20), should = BUF_INIT(1u << 20);
	struct world seen;
	struct daemon fresh;

	settle(d);
	seen = *d->world;
	memset(seen.listed, 0, sizeof(seen.listed));
	start(&fresh, &seen);
	settle(&fresh);
	walk_describe(d->findings, NULL, &has);
	walk_describe(fresh.findings, NULL, &should);
	stop(&fresh);
	fake_client = d->client;
	n_failures += findings_open(findings_counters(d->findings, STR("c")), FINDING_INSPECTION);
	if (!str_eq(buf_str(&has), buf_str(&should)))
		fail_msg("%s: open is\n%.*s\nand should be\n%.*s", how, STR_ARG(buf_str(&has)),
			 STR_ARG(buf_str(&should)));
}

static void test_walks(void **state)
{
	(void)state;
	n_failures = 0;
	x.unseen = 0;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		struct world world = { 0 };
		uint64_t seed = walk;
		struct daemon d;
		char how[64];

		start(&d, &world);
		for (size_t i = 0; i < STEPS; i++) {
			random_step(&d, walk % 2, &seed);
			(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, i);
			if (i % CHECK_EVERY == CHECK_EVERY - 1)
				check_truth(&d, how);
		}
		stop(&d);
		world_done(&world);
		inspection_rules_clear(x.inspection.rules);
	}
	print_message("%zu failures, %zu updates unseen\n", n_failures, x.unseen); /* they walk through something */
	assert_true(n_failures > WALKS);
	assert_true(x.unseen > WALKS);
}

/* ---- effects ---- */

static void expect_logs(size_t n, const char *name, const char *how)
{
	if (x.logs != n || (n && strcmp(x.last, name) != 0))
		fail_msg("%s: %zu entries, the last of '%s', and not %zu of '%s'", how, x.logs, x.last, n, name);
	x.logs = 0;
}

/* supported_interfaces */
static bool is_inspected(size_t i)
{
	return strcmp(objects[i].kind, "Gizmo") != 0;
}

static void test_each_event_is_logged_once(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < WALKS / 4; walk++) {
		struct world world = { 0 };
		uint64_t seed = walk;
		struct daemon d;

		put_rule_text("{uuid: log, phase: early, priority: 9999, actions: [{op: log, args: [x]}]}");
		start(&d, &world);
		settle(&d);
		x.logs = 0;
		for (size_t i = 0; i < STEPS; i++) {
			size_t k = walk_one_of(&seed, N_OBJECTS);
			const struct state *s = &world.object[k];
			bool was = s->doc != NULL;
			char how[64];

			(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, i);
			switch (walk_one_of(&seed, 10)) {
			case 0:
				reconnect(&d);
				settle(&d);
				expect_logs(0, "", how);
				break;
			case 1:
			case 2:
				if (!inspection_rules_has(x.inspection.rules, STR("log")))
					fail_msg("%s: no rule", how);
				put_rule(random_rule(false, &seed));
				cluster_tick(d.cluster);
				cluster_tick(d.cluster);
				fake_work(d.cluster);
				expect_logs(0, "", how);
				break;
			case 3:
			case 4:
				delete_object(&d, k, &seed);
				fake_work(d.cluster);
				expect_logs(was && is_inspected(k), objects[k].name, how);
				break;
			default:
				set_object(&d, k, &seed);
				fake_work(d.cluster);
				expect_logs(is_inspected(k), objects[k].name, how);
			}
		}
		stop(&d);
		world_done(&world);
		inspection_rules_clear(x.inspection.rules);
	}
}

/* What is logged of some is logged with each event, also where nothing else that rules see has changed. */
static void test_each_event_of_some_is_logged_once(void **state)
{
	(void)state;
	x.unseen = 0;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		struct world world = { 0 };
		uint64_t seed = walk;
		struct daemon d;

		put_rule_text("{uuid: log, phase: early, priority: 9999, conditions: [{op: eq, args: "
			      "['{inventory[raw][spec][size]}', 3]}], actions: [{op: log, args: [x]}]}");
		start(&d, &world);
		settle(&d);
		x.logs = 0;
		for (size_t i = 0; i < STEPS; i++) {
			size_t k = walk_one_of(&seed, N_OBJECTS);
			bool logged = false;
			char how[64];

			(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, i);
			if (walk_one_of(&seed, 12) == 0) {
				put_rule(random_rule(true, &seed));
				cluster_tick(d.cluster);
				cluster_tick(d.cluster);
			} else {
				set_object(&d, k, &seed);
				logged = is_inspected(k) && world.object[k].looks.size == 3;
			}
			fake_work(d.cluster);
			expect_logs(logged, logged ? objects[k].name : "", how);
		}
		stop(&d);
		world_done(&world);
		inspection_rules_clear(x.inspection.rules);
	}
	assert_true(x.unseen > WALKS);
}

/* ---- lives ---- */

/* What happens to the objects while nobody watches. */
static size_t change_unseen(struct daemon *d, uint64_t *seed)
{
	size_t n = 0;

	for (size_t i = 0; i < N_OBJECTS; i++) {
		struct state *s = &d->world->object[i];

		if (walk_one_of(seed, 3) > 0)
			continue;
		doc_unref(s->doc);
		s->doc = walk_one_of(seed, 4) ? random_object(d->world, i, seed) : NULL;
		n += s->doc && is_inspected(i);
	}
	return n;
}

/* It is left with a part of the kinds listed, or of the objects judged. */
static void live_shortly(struct daemon *d, uint64_t *seed)
{
	bool all = walk_one_of(seed, 2);

	for (size_t k = 0; k < N_KINDS; k++) {
		if (all || walk_one_of(seed, 2))
			list_kind(d, k);
	}
	for (size_t n = walk_one_of(seed, 8); n > 0; n--)
		(void)cluster_work(d->cluster, uv_hrtime() + 1000);
	reconnect(d);
}

/* Each change is logged in one of the lives, whichever, and once. */
static void test_lives(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		struct world world = { 0 };
		uint64_t seed = walk;
		struct daemon d;
		size_t changed;
		char how[64];

		put_rule_text("{uuid: log, phase: early, actions: [{op: log, args: [x]}]}");
		start(&d, &world);
		(void)change_unseen(&d, &seed);
		settle(&d);
		x.logs = 0;
		for (int i = 0; i < 4; i++) {
			reconnect(&d);
			changed = change_unseen(&d, &seed);
			for (size_t n = walk_one_of(&seed, 4); n > 0; n--)
				live_shortly(&d, &seed);
			settle(&d);
			(void)snprintf(how, sizeof(how), "walk %d, change %d", (int)walk, i);
			expect_logs(changed, changed ? x.last : "", how);
		}
		stop(&d);
		world_done(&world);
		inspection_rules_clear(x.inspection.rules);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_event_is_logged_once),
		cmocka_unit_test(test_each_event_of_some_is_logged_once),
		cmocka_unit_test(test_lives),
		cmocka_unit_test(test_walks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
