/* Objects packed and opened again: whatever was closed in between, what is read of them is what came. */
#include "daemon/watch/snapshot/snapshot.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#define N 600 /* more than a first dictionary is made of */

static const struct limits limits = LIMITS_DEFAULT;

struct world {
	struct snapshot snapshot;
	struct kind *kind;
	struct object *objects[N];
};

/* As a server writes an item of a list: without its type. */
static void add_text(struct buf *b, unsigned i, unsigned round)
{
	buf_printf(b,
		   "{\"metadata\":{\"name\":\"web-%u\",\"managedFields\":[{\"manager\":\"kubectl-%u\",\"operation\":"
		   "\"Update\",",
		   i, round);
	buf_printf(b, "\"time\":\"2026-01-01T00:00:%02uZ\",\"fieldsV1\":{\"f:spec\":{\"f:n\":{}}}}],\"uid\":\"u-%u\",",
		   i % 60, i);
	buf_printf(b,
		   "\"resourceVersion\":\"%u\"},\"spec\":{\"n\":%u,\"d\":%u.0,\"text\":\"a\\u0000\\\"\\u2028%u\","
		   "\"list\":[",
		   round, i, i, i * 2654435761u);
	for (unsigned k = 0; k < i % 50; k++)
		buf_printf(b, "%s{\"name\":\"port-%u\",\"value\":null}", k ? "," : "", k);
	buf_add_cstr(b, "]}}");
	assert_int_equal(b->error, 0);
}

/* What came: its document is the caller's. */
static struct doc *receive(str text, unsigned round, struct kc_object *e)
{
	static char version[16], uid[32];
	const struct object_type type = { STR("v1"), STR("Pod") };
	struct doc *d = NULL;
	struct err err;

	*e = (struct kc_object){ .event = KC_MODIFIED, .text = text };
	assert_int_equal(object_decode(text, &limits, NULL, &type, &d, &e->managed_fields, &err), 0);
	(void)snprintf(version, sizeof(version), "%u", round);
	(void)snprintf(uid, sizeof(uid), "%.*s", STR_ARG(val_str(val_dig(d->root, "metadata", "uid", NULL))));
	e->resource_version = str_from(version);
	e->uid = str_from(uid);
	e->doc = d;
	return d;
}

/* @as_text false: only the document is there, as of a recording. */
static void put(struct world *w, unsigned i, unsigned round, bool as_text)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	struct object *o = w->objects[i];
	struct keeping now;
	struct kc_object e;
	struct doc *d;
	struct err err;

	add_text(&text, i, round);
	d = receive(buf_str(&text), round, &e);
	if (!as_text)
		e.text = (str){ 0 };
	assert_int_equal(doc_cache_make(&e, &now, &err), 0);
	if (object_exists(o))
		doc_cache_turn(&w->snapshot.doc_cache, o);
	doc_cache_put(&w->snapshot.doc_cache, o, &now);
	doc_unref(d);
}

static void expect(struct world *w, unsigned i, unsigned round, const struct doc *is)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	struct kc_object e;
	CLEANUP(doc_unrefp) struct doc *d = NULL;

	(void)w;
	add_text(&text, i, round);
	d = receive(buf_str(&text), round, &e);
	assert_non_null(is);
	assert_true(val_equal(is->root, d->root));
}

static void begin(struct world *w)
{
	char key[32];

	snapshot_init(&w->snapshot, &limits, NULL);
	w->kind = snapshot_kind(&w->snapshot, STR("v1"), STR("Pod"));
	for (unsigned i = 0; i < N; i++) {
		(void)snprintf(key, sizeof(key), "/web-%u", i);
		w->objects[i] = snapshot_add(&w->snapshot, w->kind, str_from(key));
		assert_non_null(w->objects[i]);
	}
}

static void close_all(struct world *w)
{
	doc_cache_close_all(&w->snapshot.doc_cache);
	assert_int_equal(w->snapshot.doc_cache.open_bytes, 0);
}

static void test_opened_again(void **state)
{
	struct doc_cache *k;
	struct world w;
	struct err err;

	(void)state;
	begin(&w);
	k = &w.snapshot.doc_cache;
	for (unsigned i = 0; i < N; i++)
		put(&w, i, 1, i % 3);
	close_all(&w);
	assert_non_null(w.kind->dict);
	for (unsigned i = 0; i < N; i++) {
		struct object *o = w.objects[i];
		val fields;

		assert_null(o->doc);
		assert_true(o->stored->n_packed > 0);
		assert_true(str_eq(object_version(o), STR("1")));
		assert_int_equal(doc_cache_open(k, o, &err), 0);
		if (i == 0)
			assert_int_equal(k->open_bytes, stored_object_bytes(o->stored) + doc_bytes(o->doc));
		expect(&w, i, 1, o->doc);
		fields = doc_cache_managed_fields(k, o);
		assert_int_equal(val_count(fields), 1);
		assert_true(val_exists(VAL_GET(val_at(fields, 0), "fieldsV1")));
		o->received_ns = 1;
		assert_false(val_exists(doc_cache_writers(k, o))); /* there was no verdict yet */
	}
	snapshot_done(&w.snapshot);
}

/* What it was at the last verdict, and who wrote it, over all that may be closed meanwhile. */
static void test_before(void **state)
{
	struct doc_cache *k;
	struct world w;
	struct err err;

	(void)state;
	begin(&w);
	k = &w.snapshot.doc_cache;
	for (unsigned i = 0; i < N; i++) {
		struct object *o = w.objects[i];

		put(&w, i, 1, true);
		if (i % 2)
			close_all(&w);
		doc_cache_reduce(k, o, false);
		assert_false(val_exists(doc_cache_managed_fields(k, o))); /* whether it is packed or not */
		if (i % 4 == 0) {
			close_all(&w);
			assert_false(o->stored->whole);
		}
		put(&w, i, 2, i % 5);
		o->received_ns = 1;
		if (i % 3)
			close_all(&w);
	}
	for (unsigned i = 0; i < N; i++) {
		struct object *o = w.objects[i];
		val writers = doc_cache_writers(k, o);

		assert_int_equal(val_count(writers), 1);
		assert_true(str_eq(val_str(VAL_GET(val_at(writers, 0), "manager")), STR("kubectl-1")));
		assert_false(val_exists(VAL_GET(val_at(writers, 0), "fieldsV1")));
		assert_int_equal(doc_cache_open_previous(k, o, &err), 0);
		expect(&w, i, 1, o->opened->previous);
		assert_int_equal(doc_cache_open(k, o, &err), 0);
		expect(&w, i, 2, o->doc);
		doc_cache_reduce(k, o, false);
		assert_null(o->before);
		assert_false(val_exists(doc_cache_previous(o)));
	}
	snapshot_done(&w.snapshot);
}

static void test_bound(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	w.snapshot.doc_cache.bound = 100000;
	for (unsigned i = 0; i < N; i++) {
		put(&w, i, 1, true);
		doc_cache_trim(&w.snapshot.doc_cache);
		assert_true(w.snapshot.doc_cache.open_bytes <= 100000);
		assert_non_null(w.objects[i]->doc); /* the last one is not the first to go */
	}
	doc_cache_expect(&w.snapshot.doc_cache, 200000);
	assert_int_equal(w.snapshot.doc_cache.bound, 400000);
	doc_cache_expect(&w.snapshot.doc_cache, SIZE_MAX / 4);
	assert_int_equal(w.snapshot.doc_cache.bound, DOC_CACHE_OPEN_BYTES_MAX);
	snapshot_done(&w.snapshot);
}

static void renew(struct world *w, unsigned i, unsigned round)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1 << 16);
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_object e;
	struct err err;

	add_text(&text, i, round);
	d = receive(buf_str(&text), round, &e);
	e.doc = NULL;
	assert_int_equal(doc_cache_renew(&w->snapshot.doc_cache, w->objects[i], &e, &err), 0);
}

/* What is packed is packed again at once, with its managedFields or, once nobody asks for those, with the writers. */
static void test_renewed(void **state)
{
	struct doc_cache *k;
	struct world w;
	struct err err;

	(void)state;
	begin(&w);
	k = &w.snapshot.doc_cache;
	for (unsigned i = 0; i < N; i++) {
		put(&w, i, 1, true);
		doc_cache_reduce(k, w.objects[i], i % 2);
	}
	close_all(&w);
	for (unsigned i = 0; i < N; i++) {
		struct object *o = w.objects[i];
		val writers;

		renew(&w, i, 2);
		assert_true(o->stored->n_packed > 0 && !o->opened && !o->before);
		assert_true(str_eq(object_version(o), STR("2")));
		assert_int_equal(doc_cache_open(k, o, &err), 0);
		expect(&w, i, 2, o->doc);
		assert_int_equal(val_exists(doc_cache_managed_fields(k, o)), i % 2);
		writers = val_at(doc_cache_writers(k, o), 0);
		assert_true(val_exists(VAL_GET(writers, "manager")));
		assert_false(val_exists(VAL_GET(writers, "fieldsV1")));
	}
	renew(&w, 0, 3); /* what is open stays so */
	assert_true(w.objects[0]->opened && !w.objects[0]->stored->n_packed);
	snapshot_done(&w.snapshot);
}

/* Nobody sends managedFields any more: who wrote before did. */
static void test_renewed_without_writers(void **state)
{
	struct kc_object e = { .event = KC_MODIFIED,
			       .text = STR("{\"metadata\":{\"uid\":\"u\"}}"),
			       .uid = STR("u"),
			       .resource_version = STR("9"),
			       .managed_fields = STR("") };
	struct world w;
	struct err err;

	(void)state;
	begin(&w);
	for (unsigned i = 0; i < N; i++) {
		put(&w, i, 1, true);
		doc_cache_reduce(&w.snapshot.doc_cache, w.objects[i], false);
	}
	close_all(&w);
	for (unsigned round = 0; round < 3; round++) {
		assert_int_equal(doc_cache_renew(&w.snapshot.doc_cache, w.objects[0], &e, &err), 0);
		assert_true(val_exists(
			VAL_GET(val_at(doc_cache_writers(&w.snapshot.doc_cache, w.objects[0]), 0), "manager")));
		close_all(&w);
	}
	snapshot_done(&w.snapshot);
}

/* Of one that nothing came of yet nobody wrote anything. */
static void test_nothing_came(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	assert_false(val_exists(doc_cache_managed_fields(&w.snapshot.doc_cache, w.objects[0])));
	assert_false(val_exists(doc_cache_writers(&w.snapshot.doc_cache, w.objects[0])));
	assert_false(val_exists(doc_cache_previous(w.objects[0])));
	doc_cache_reduce(&w.snapshot.doc_cache, w.objects[0], false);
	put(&w, 0, 1, true);
	assert_true(val_exists(doc_cache_managed_fields(&w.snapshot.doc_cache, w.objects[0])));
	put(&w, 1, 1, false);
	assert_false(val_exists(doc_cache_previous(w.objects[1])));
	doc_cache_reduce(&w.snapshot.doc_cache, w.objects[0], false);
	close_all(&w);
	assert_false(
		val_exists(doc_cache_managed_fields(&w.snapshot.doc_cache, w.objects[0]))); /* nobody asks any more */
	assert_true(val_exists(doc_cache_writers(&w.snapshot.doc_cache, w.objects[0])));
	snapshot_done(&w.snapshot);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_opened_again),
					    cmocka_unit_test(test_before),
					    cmocka_unit_test(test_bound),
					    cmocka_unit_test(test_renewed),
					    cmocka_unit_test(test_renewed_without_writers),
					    cmocka_unit_test(test_nothing_came) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
