/* Threads look up what is lent to them while objects are listed. Kinds are listed in any order, and what is looked up
 * changes before, meanwhile and afterwards: in the end that is open which a cluster has open whose objects are all
 * judged in their turn. */
#include "daemon/watch/cluster/cluster_internal.h"
#include "daemon/watch/cluster/speculation.h"
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

#define WALKS 400
#define STEPS 30
#define AFTERWARDS 8

/* ---- the world ---- */

static const char *const kinds[] = { "ConfigMap", "Deployment", "Gizmo", "Widget" };
#define N_KINDS ARRAY_LEN(kinds)

static const struct object_case {
	const char *kind, *api_version, *namespace, *name;
} objects[] = {
	{ "ConfigMap", "v1", "d", "settings" }, { "ConfigMap", "v1", "e", "settings" },
	{ "ConfigMap", "v1", "d", "other" },    { "Deployment", "apps/v1", "d", "a" },
	{ "Deployment", "apps/v1", "e", "a" },  { "Deployment", "apps/v1", "f", "a" },
	{ "Gizmo", "e.x/v1", "d", "a" },        { "Gizmo", "e.x/v1", "e", "b" },
	{ "Widget", "e.x/v1", "d", "a" },       { "Widget", "e.x/v1", "e", "b" },
};
#define N_OBJECTS ARRAY_LEN(objects)

static struct world {
	unsigned replicas[N_OBJECTS]; /* 0: the object is not there */
	bool reported[N_OBJECTS];     /* the list under way has had it */
	bool listed[N_KINDS];
	uint64_t version;
} world;

/* Two daemons that see the same; the second one judges in turn. */
static struct daemon {
	struct findings *findings;
	struct cluster *cluster;
	struct feed *client;
} daemons[2];

static struct fixture {
	struct configured with;
	size_t speculated; /* verdicts of threads that had looked something up */
} x;

/* A change that comes while a thread has looked at an object that is not reported yet. */
static struct {
	bool due;
	size_t object;
	unsigned replicas;
} meanwhile;

static void take(void *ctx, const struct emission *t)
{
	(void)ctx;
	(void)t;
}

static int setup(void **state)
{
	static const struct sink_taker taker = { .take = take };

	(void)state;
	return configured_begin(&x.with, TEST_DATA "/watch/lent.yaml", &taker);
}

static int teardown(void **state)
{
	(void)state;
	configured_end(&x.with);
	return 0;
}

static void start(void)
{
	struct err err;

	world = (struct world){ 0 };
	assert_int_equal(findings_new(x.with.sink, &daemons[0].findings, &err), 0);
	assert_int_equal(findings_new_like(daemons[0].findings, x.with.sink, &daemons[1].findings, &err), 0);
	for (size_t d = 0; d < 2; d++) {
		struct cluster_context context =
			fake_context(x.with.sink, daemons[d].findings, x.with.keys, &x.with.limits);

		if (cluster_new(&context, x.with.cfg, &x.with.cfg->clusters[0], &daemons[d].cluster, &err) < 0)
			fail_msg("%s", err.msg);
		daemons[d].client = fake_client;
		fake_synced(fake_watch("CustomResourceDefinition"));
	}
}

static void stop(void)
{
	for (size_t d = 0; d < 2; d++) {
		cluster_close(daemons[d].cluster, NULL, NULL);
		fake_run();
		findings_free(daemons[d].findings);
	}
}

/* ---- what the server says ---- */

static struct doc *make_doc(size_t i)
{
	const struct object_case *c = &objects[i];
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	struct json_options o = { .limits = &x.with.limits, .keys = x.with.keys };
	struct doc *ret;
	struct err err;

	buf_printf(&text,
		   "{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":\"%s\",\"namespace\":\"%s\",\"uid\":"
		   "\"u%zu\",\"resourceVersion\":\"%llu\"},",
		   c->api_version, c->kind, c->name, c->namespace, i, (unsigned long long)++world.version);
	buf_printf(&text,
		   strcmp(c->kind, "ConfigMap") == 0 ? "\"data\":{\"replicas\":\"%u\"}}"
						     : "\"spec\":{\"replicas\":%u}}",
		   world.replicas[i]);
	if (json_decode(buf_str(&text), &o, &ret, &err) < 0)
		fail_msg("%s", err.msg);
	return ret;
}

static void change(size_t i, unsigned replicas);

static void report_to(const struct daemon *d, size_t i, enum kc_event event, struct doc *doc)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	char space[64];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	struct kc_object e = { .event = event,
			       .namespace = str_from(objects[i].namespace),
			       .name = str_from(objects[i].name),
			       .uid = val_str(val_dig(doc->root, "metadata", "uid", NULL)),
			       .resource_version = val_str(val_dig(doc->root, "metadata", "resourceVersion", NULL)),
			       .doc = doc,
			       .received_ns = uv_hrtime() };
	struct feed_watch *w;
	void *hand = NULL;

	fake_client = d->client;
	w = fake_watch(objects[i].kind);
	identity_local_key(e.namespace, e.name, &key);
	e.key = buf_str(&key);
	offered_text(doc, STR(""), &text, &e);
	if (d == daemons)
		hand = fake_look(w, &e);
	else
		e.looked_at = true; /* and nothing came of that */
	if (e.prepared)
		x.speculated += ((const struct speculation *)e.prepared)->verdicts[0].n_lookups > 0;
	if (e.prepared && meanwhile.due) {
		meanwhile.due = false;
		change(meanwhile.object, meanwhile.replicas);
	}
	w->handler.object(w->ctx, &e);
	if (e.prepared)
		w->handler.prepare->forget(e.prepared);
	if (hand)
		w->handler.prepare->end(hand);
}

static void report(size_t i, enum kc_event event)
{
	struct doc *doc = make_doc(i);

	for (size_t d = 0; d < 2; d++)
		report_to(&daemons[d], i, event, doc);
	doc_unref(doc);
}

static size_t kind_of(size_t i)
{
	return walk_place(kinds, N_KINDS, objects[i].kind);
}

/* The next object of a list; after the last one the list is complete. */
static void go_on_listing(size_t k)
{
	for (size_t i = 0; i < N_OBJECTS; i++) {
		if (kind_of(i) != k || world.reported[i] || !world.replicas[i])
			continue;
		world.reported[i] = true;
		report(i, KC_LISTED);
		return;
	}
	world.listed[k] = true;
	for (size_t d = 0; d < 2; d++) {
		fake_client = daemons[d].client;
		fake_synced(fake_watch(kinds[k]));
	}
}

/* What was reported, or will not be by a list, changes by events; what a list will report only changes. */
static void change(size_t i, unsigned replicas)
{
	unsigned before = world.replicas[i];
	bool known = world.listed[kind_of(i)];

	if (world.reported[i] && !known)
		return; /* lists show one moment */
	world.replicas[i] = replicas ? replicas : before;
	if (known && (before || replicas))
		report(i, !before ? KC_ADDED : replicas ? KC_MODIFIED : KC_DELETED);
	world.replicas[i] = replicas;
}

/* ---- what must hold ---- */

static void work(void)
{
	for (size_t d = 0; d < 2; d++) {
		for (int i = 0; i < 3; i++)
			cluster_tick(daemons[d].cluster);
		fake_work(daemons[d].cluster);
		assert_true(cluster_synced(daemons[d].cluster));
	}
}

static void compare(uint64_t walk)
{
	CLEANUP(buf_done) struct buf open = BUF_INIT(1u << 20);
	CLEANUP(buf_done) struct buf in_turn = BUF_INIT(1u << 20);

	walk_describe(daemons[0].findings, NULL, &open);
	walk_describe(daemons[1].findings, NULL, &in_turn);
	if (!str_eq(buf_str(&open), buf_str(&in_turn)))
		fail_msg("walk %llu: open is\n%.*sinstead of\n%.*s", (unsigned long long)walk, STR_ARG(buf_str(&open)),
			 STR_ARG(buf_str(&in_turn)));
}

static void test_threads_look_up_what_is_lent(void **state)
{
	(void)state;
	for (uint64_t walk = 0; walk < WALKS; walk++) {
		uint64_t seed = walk;

		start();
		for (size_t i = 0; i < N_OBJECTS; i++)
			world.replicas[i] = (unsigned)walk_one_of(&seed, 3);
		for (size_t step = 0; step < STEPS; step++) {
			size_t k = walk_one_of(&seed, N_KINDS);

			meanwhile.due = walk_one_of(&seed, 2);
			meanwhile.object = walk_one_of(&seed, 3); /* what is looked up most */
			meanwhile.replicas = (unsigned)walk_one_of(&seed, 3);
			if (walk_one_of(&seed, 5) == 0)
				change(walk_one_of(&seed, N_OBJECTS), (unsigned)walk_one_of(&seed, 3));
			else if (!world.listed[k])
				go_on_listing(k);
		}
		for (size_t k = 0; k < N_KINDS; k++) {
			while (!world.listed[k])
				go_on_listing(k);
		}
		meanwhile.due = false;
		work();
		compare(walk);
		for (size_t step = 0; step < AFTERWARDS; step++) {
			change(walk_one_of(&seed, N_OBJECTS), (unsigned)walk_one_of(&seed, 3));
			work();
			compare(walk);
		}
		stop();
	}
	print_message("%zu verdicts of threads that had looked something up\n", x.speculated);
	assert_true(x.speculated > WALKS / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_threads_look_up_what_is_lent) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
