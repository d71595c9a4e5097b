/* Changes that no verdict sees are not judged: objects of several templates and references that change where they are
 * seen and where they are not, go and come again, grow large, cannot be read, are packed, listed again, in any order.
 * Whatever the way, what is open and what is counted at the end is what a cluster finds that sees the same objects for
 * the first time and judges them in turn, and each finding is told once when it begins and once when it ends. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/finding_record.h"
#include "support/configured.h"
#include "support/fake_client.h"
#include "support/offered.h"
#include "support/walk.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define WALKS 100
#define STEPS 60
#define CHECK_EVERY 6
#define LARGE 70000 /* bytes of a text that is beyond what a view is for */

/* ---- the world that the server would tell of ---- */

static const char *const kinds[] = { "Widget", "Gizmo", "Pod" };
#define N_KINDS ARRAY_LEN(kinds)

static const struct object_case {
	const char *kind, *api_version, *name;
} objects[] = {
	{ "Widget", "e.x/v1", "a" }, { "Widget", "e.x/v1", "b" }, { "Gizmo", "e.x/v1", "g" },
	{ "Pod", "v1", "p" },        { "Pod", "v1", "q" },
};
#define N_OBJECTS ARRAY_LEN(objects)

/* What a field may be; the first leaves it out. */
static const struct field_case {
	const char *name, *values[6];
} fields[] = {
	{ "size", { NULL, "1", "2", "1.0", "'1'", "[1]" } },
	{ "mode", { "on", "on", "'off'", "on", "on", NULL } },
	{ "cut", { NULL, "{b: 1}", "{b: 1, other: 2}", "{x: 3}", "{c: {d: 1}}", "{c: {d: 1, e: 2}, x: 2}" } },
	{ "list", { NULL, "[1, 2]", "[2, 1]", "[1, 2]", "[]", "{}" } },
	{ "empty", { NULL, "{}", "{f: 1}", "{}", "null", "[]" } },
	{ "more", { "{}", "{size: 1}", "{k: v}", "{k: w, l: v}", "{}", "{}" } },
	{ "unseen", { NULL, "1", "2", "{a: {b: c}}", "null", "[x]" } },
};
#define N_FIELDS ARRAY_LEN(fields)

static const char *const labels[] = { "{}", "{tier: low}", "{tier: high}", "{tier: low, else: x}" };
#define WRITES(manager, time)                                                                                          \
	"[{\"manager\":\"" manager "\",\"operation\":\"Update\",\"time\":\"" time                                      \
	"\",\"fieldsV1\":{\"f:spec\":{\"f:cut\":{},"                                                                   \
	"\"f:list\":{},\"f:more\":{},\"f:size\":{}}}}]"
static const char *const managers[] = { "", WRITES("bot", "2026-01-02T03:04:05Z"),
					WRITES("bot", "2026-02-03T04:05:06Z"),
					WRITES("kubectl", "2026-01-02T03:04:05Z") };

struct state {
	struct doc *doc; /* NULL: it is not there */
	size_t field[N_FIELDS], labels, managers;
	uint64_t version; /* an annotation */
	size_t uid;
	bool large;
	bool unreadable; /* its last event was */
};

struct world {
	struct state object[N_OBJECTS];
	bool listed[N_KINDS];
	uint64_t version;
};

/* ---- what is shared by all walks ---- */

static struct fixture {
	struct configured with;
	bool heard;               /* what is told now counts */
	int64_t reported;         /* begins, less the ends */
	size_t unseen;            /* changes that were not judged */
	size_t undecoded, packed; /* of these, and with objects that stayed packed */
} x;

static void take(void *ctx, const struct emission *t)
{
	enum transition what;

	(void)ctx;
	if (!x.heard || !t->finding || !t->record || !record_transition(t->record, &what))
		return;
	x.reported += what == TRANSITION_BEGIN;
	x.reported -= what == TRANSITION_END;
}

static int setup(void **state)
{
	static const struct sink_taker taker = { .take = take };

	(void)state;
	return configured_begin(&x.with, TEST_DATA "/watch/unseen/unseen.yaml", &taker);
}

static int teardown(void **state)
{
	(void)state;
	configured_end(&x.with);
	return 0;
}

/* ---- one daemon ---- */

struct daemon {
	struct findings *findings;
	struct cluster *cluster;
	struct feed *client;
	struct world *world;
	bool judges_in_turn; /* nothing while it is listed */
};

static void connect_cluster(struct daemon *d)
{
	struct cluster_context context = fake_context(x.with.sink, d->findings, x.with.keys, &x.with.limits);
	struct err err;

	context.ctx = d;
	if (cluster_new(&context, x.with.cfg, &x.with.cfg->clusters[0], &d->cluster, &err) < 0)
		fail_msg("%s", err.msg);
	d->client = fake_client;
	fake_synced(fake_watch("CustomResourceDefinition"));
}

static void start(struct daemon *d, struct world *world)
{
	struct err err;

	*d = (struct daemon){ .world = world };
	assert_int_equal(findings_new(x.with.sink, &d->findings, &err), 0);
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
}

/* ---- objects ---- */

static void make_doc(struct world *world, size_t i)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct yaml_options o = { .limits = &x.with.limits, .keys = x.with.keys };
	const struct object_case *c = &objects[i];
	struct state *s = &world->object[i];
	struct err err;

	s->version = ++world->version;
	buf_printf(
		&text,
		"{apiVersion: %s, kind: %s, metadata: {name: %s, namespace: 'n', uid: u%zu, resourceVersion: '%llu', "
		"labels: %s, annotations: {n: '%llu'}}, spec: {last: 1",
		c->api_version, c->kind, c->name, s->uid, (unsigned long long)s->version, labels[s->labels],
		(unsigned long long)s->version);
	for (size_t f = 0; f < N_FIELDS; f++) {
		if (fields[f].values[s->field[f]])
			buf_printf(&text, ", %s: %s", fields[f].name, fields[f].values[s->field[f]]);
	}
	buf_add_cstr(&text, s->large ? ", large: '" : "");
	for (size_t n = 0; s->large && n < LARGE; n++)
		buf_add_byte(&text, 'x');
	buf_add_cstr(&text, s->large ? "'}}" : "}}");
	doc_unref(TAKE(s->doc));
	if (yaml_decode(buf_str(&text), &o, &s->doc, &err) < 0)
		fail_msg("%.*s: %s", STR_ARG(buf_str(&text)), err.msg);
}

static void change_field(struct state *s, uint64_t *seed)
{
	size_t f = walk_one_of(seed, N_FIELDS + 2);

	if (f == N_FIELDS)
		s->labels = walk_one_of(seed, ARRAY_LEN(labels));
	else if (f == N_FIELDS + 1)
		s->managers = walk_one_of(seed, ARRAY_LEN(managers));
	else
		s->field[f] = walk_one_of(seed, ARRAY_LEN(fields[f].values));
}

static bool offer(struct feed_watch *w, const struct kc_object *e)
{
	const struct kind *k = ((struct cluster_watch *)w->ctx)->of->kind;

	if (!offered_unseen(w, e))
		return false;
	x.undecoded++;
	x.packed += snapshot_find(k, e->key)->stored->n_packed > 0;
	return true;
}

/* An object that is not there is missing in a list. */
static void report(struct daemon *d, size_t i, enum kc_event event, const char *unreadable, uint64_t *seed)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct doc *doc = d->world->object[i].doc;
	str managed = str_from(managers[d->world->object[i].managers]);
	struct feed_watch *w;
	char space[64];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	struct kc_object e = {
		.event = event,
		.namespace = STR("n"),
		.name = str_from(objects[i].name),
		.resource_version = STR("1"),
		.doc = doc,
		.unreadable = unreadable,
		.looked_at = d->judges_in_turn,
		.received_ns = uv_hrtime(),
	};

	if (doc) {
		e.uid = val_str(val_dig(doc->root, "metadata", "uid", NULL));
		e.resource_version = val_str(val_dig(doc->root, "metadata", "resourceVersion", NULL));
		offered_text(doc, managed, &text, &e);
	}
	fake_client = d->client;
	w = fake_watch(objects[i].kind);
	identity_local_key(e.namespace, e.name, &key);
	e.key = buf_str(&key);
	if (event != KC_MODIFIED || unreadable || d->world->object[i].unreadable || (seed && !walk_one_of(seed, 4)) ||
	    !offer(w, &e))
		w->handler.object(w->ctx, &e);
}

static void list_kind(struct daemon *d, size_t k)
{
	for (size_t i = 0; i < N_OBJECTS; i++) {
		struct state *s = &d->world->object[i];

		if (walk_place(kinds, N_KINDS, objects[i].kind) != k)
			continue;
		report(d, i, s->doc ? KC_LISTED : KC_DELETED, NULL, NULL);
		s->unreadable = false;
	}
	d->world->listed[k] = true;
	fake_synced(fake_watch(kinds[k]));
}

/* Everything is listed, readable and judged. */
static void settle(struct daemon *d)
{
	for (size_t k = 0; k < N_KINDS; k++) {
		if (!d->world->listed[k])
			list_kind(d, k);
	}
	for (size_t i = 0; i < N_OBJECTS; i++) {
		struct state *s = &d->world->object[i];

		if (s->unreadable)
			report(d, i, KC_MODIFIED, NULL, NULL);
		s->unreadable = false;
	}
	for (int i = 0; i < 3; i++)
		cluster_tick(d->cluster);
	fake_work(d->cluster);
	assert_true(cluster_synced(d->cluster));
}

/* ---- steps ---- */

static bool is_listed(const struct daemon *d, size_t i)
{
	return d->world->listed[walk_place(kinds, N_KINDS, objects[i].kind)];
}

static void set_object(struct daemon *d, size_t i, uint64_t *seed)
{
	struct state *s = &d->world->object[i];
	bool was = s->doc != NULL;

	if (walk_one_of(seed, 3))
		change_field(s, seed);
	s->large = walk_one_of(seed, 30) == 0;
	make_doc(d->world, i);
	s->unreadable = false;
	if (is_listed(d, i))
		report(d, i, was ? KC_MODIFIED : KC_ADDED, NULL, seed);
}

static void delete_object(struct daemon *d, size_t i)
{
	struct state *s = &d->world->object[i];

	doc_unref(TAKE(s->doc));
	s->unreadable = false;
	s->uid++;
	if (is_listed(d, i))
		report(d, i, KC_DELETED, NULL, NULL);
}

static void spoil_object(struct daemon *d, size_t i)
{
	struct state *s = &d->world->object[i];

	if (!s->doc || !is_listed(d, i))
		return;
	s->unreadable = true;
	report(d, i, KC_MODIFIED, "it is too deep", NULL);
}

static void reconnect(struct daemon *d)
{
	disconnect(d);
	memset(d->world->listed, 0, sizeof(d->world->listed));
	connect_cluster(d);
}

static void random_step(struct daemon *d, uint64_t *seed)
{
	size_t i = walk_one_of(seed, N_OBJECTS);

	switch (walk_one_of(seed, 40)) {
	case 0:
		reconnect(d);
		break;
	case 1:
		list_kind(d, walk_one_of(seed, N_KINDS));
		break;
	case 2:
		spoil_object(d, i);
		break;
	case 3:
	case 4:
		delete_object(d, i);
		break;
	case 5:
	case 6:
		doc_cache_close_all(&d->cluster->snapshot.doc_cache);
		break;
	case 7:
		settle(d);
		break;
	default:
		set_object(d, i, seed);
		if (walk_one_of(seed, 2))
			fake_work(d->cluster);
		else if (walk_one_of(seed, 2))
			(void)cluster_work(d->cluster, 0); /* the time is up when who looked something up is queued */
	}
}

/* ---- what must hold ---- */

/* Whether the drift that was is repaired cannot be said: it stays open. */
static bool is_unsaid(struct findings *f, const struct finding *e)
{
	return e->kind == FINDING_DRIFT && findings_get(f, FINDING_ERROR, &e->subject);
}

static void describe(const struct daemon *d, struct buf *out)
{
	walk_describe(d->findings, is_unsaid, out);
	for (size_t i = 0; i < d->cluster->n_references; i++) {
		const struct reference_judge *rj = &d->cluster->references[i];

		buf_printf(out, "%.*s:", STR_ARG(rj->reference->name));
		for (size_t s = 0; s < ARRAY_LEN(rj->states); s++)
			buf_printf(out, " %zu", (size_t)rj->states[s]);
		for (size_t t = 0; t < rj->reference->reference->n_templates; t++)
			buf_printf(out, " %zu/%zu", (size_t)rj->matched[t], (size_t)rj->referenced[t]);
		buf_add_cstr(out, "\n");
	}
}

static int64_t count_open(const struct findings *f)
{
	size_t at = 0;
	int64_t n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static void check_truth(struct daemon *d, const char *how)
{
	CLEANUP(buf_done) struct buf has = BUF_INIT(1u << 20), should = BUF_INIT(1u << 20);
	struct world seen;
	struct daemon fresh;

	settle(d);
	seen = *d->world;
	memset(seen.listed, 0, sizeof(seen.listed));
	x.heard = false;
	start(&fresh, &seen);
	fresh.judges_in_turn = true;
	settle(&fresh);
	describe(d, &has);
	describe(&fresh, &should);
	stop(&fresh);
	x.heard = true;
	fake_client = d->client;
	if (!str_eq(buf_str(&has), buf_str(&should)))
		fail_msg("%s: known is\n%.*s\nand should be\n%.*s", how, STR_ARG(buf_str(&has)),
			 STR_ARG(buf_str(&should)));
	if (x.reported != count_open(d->findings))
		fail_msg("%s: %lld are told, and %lld open", how, (long long)x.reported,
			 (long long)count_open(d->findings));
}

static void test_walks(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		struct world world = { 0 };
		uint64_t seed = walk;
		struct daemon d;
		char how[64];

		x.reported = 0;
		x.heard = true;
		start(&d, &world);
		for (size_t i = 0; i < STEPS; i++) {
			random_step(&d, &seed);
			(void)snprintf(how, sizeof(how), "walk %d, step %zu", (int)walk, i);
			if (i % CHECK_EVERY == CHECK_EVERY - 1)
				check_truth(&d, how);
		}
		for (size_t i = 0; i < d.cluster->n_references; i++)
			x.unseen += d.cluster->references[i].counters.skipped_unchanged;
		x.heard = false;
		stop(&d);
		for (size_t i = 0; i < N_OBJECTS; i++)
			doc_unref(world.object[i].doc);
	}
	/* They walk past something. */
	print_message("%zu unseen, %zu of them without decoding, %zu packed\n", x.unseen, x.undecoded, x.packed);
	assert_true(x.unseen > WALKS);
	assert_true(x.undecoded > WALKS);
	assert_true(x.packed > WALKS / 10);
}

/* A rule for inspections that comes later asks for it. */
static void test_what_happened_last(void **state)
{
	struct world world = { 0 };
	struct daemon d;
	const struct object *o;
	size_t evaluations;

	(void)state;
	make_doc(&world, 3);
	start(&d, &world);
	settle(&d);
	fake_client = d.client;
	o = snapshot_find(((struct cluster_watch *)fake_watch("Pod")->ctx)->of->kind, STR("n/p"));
	assert_non_null(o);
	assert_int_equal(o->event, OBJECT_SYNCED);
	evaluations = d.cluster->references[1].counters.evaluations;
	x.undecoded = 0;
	make_doc(&world, 3);
	report(&d, 3, KC_MODIFIED, NULL, NULL);
	assert_int_equal(x.undecoded, 1);
	fake_work(d.cluster);
	assert_int_equal(d.cluster->references[1].counters.evaluations, evaluations);
	assert_int_equal(o->event, OBJECT_MODIFIED);
	stop(&d);
	doc_unref(world.object[3].doc);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_happened_last),
		cmocka_unit_test(test_walks),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
