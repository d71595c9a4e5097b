/* Opening and closing objects. */
#include "daemon/watch/keeper.h"

#include "base/assert.h"

#include <errno.h>
#include <stdlib.h>

#define NEXT_DICT 4096
#define DICT_SHARE 16 /* of the bytes that it is for */
#define DICT_LEAST 8192

void keeper_init(struct keeper *k, const struct limits *limits, struct key_table *keys)
{
	*k = (struct keeper){ .limits = limits, .keys = keys, .bound = KEEPER_OPEN_BYTES };
	TAILQ_INIT(&k->open);
}

void keeper_done(struct keeper *k)
{
	ASSERT(TAILQ_EMPTY(&k->open));
	packer_free(TAKE(k->packer));
}

static int need_packer(struct keeper *k, struct err *err)
{
	if (!k->packer)
		k->packer = packer_new();
	return k->packer ? 0 : err_nomem(err);
}

/* ---- what is open ---- */

static size_t bytes_of(const struct doc *d)
{
	return d ? doc_bytes(d) : 0;
}

static void leave(struct keeper *k, struct object *o)
{
	if (!o->hot_bytes)
		return;
	TAILQ_REMOVE(&k->open, o, hot);
	ASSERT(k->open_bytes >= o->hot_bytes);
	k->open_bytes -= o->hot_bytes;
	o->hot_bytes = 0;
}

/* Something of it was opened. */
static void enter(struct keeper *k, struct object *o)
{
	leave(k, o);
	o->hot_bytes = body_bytes(o->body) + bytes_of(o->doc) + bytes_of(o->previous) + bytes_of(o->writers);
	k->open_bytes += o->hot_bytes;
	TAILQ_INSERT_HEAD(&k->open, o, hot);
}

static void close_before(struct object *o)
{
	doc_unref(TAKE(o->previous));
	doc_unref(TAKE(o->writers));
}

int keeper_make(const struct kc_object *e, struct keeping *ret, struct err *err)
{
	*ret = (struct keeping){ .doc = e->doc };
	if (body_new(e, &ret->body, err) < 0)
		return -err->code;
	(void)doc_ref(e->doc);
	return 0;
}

void keeper_put(struct keeper *k, struct object *o, const struct keeping *now)
{
	body_unref(o->body);
	doc_unref(o->doc);
	o->body = now->body;
	o->doc = now->doc;
	enter(k, o);
}

void keeper_turn(struct keeper *k, struct object *o)
{
	close_before(o);
	body_unref(o->before);
	o->before = TAKE(o->body);
	o->previous = TAKE(o->doc);
	leave(k, o);
}

void keeper_forget(struct object *o)
{
	if (o->hot_bytes)
		leave(o->kind->keeper, o);
	close_before(o);
	doc_unref(TAKE(o->doc));
	body_unref(TAKE(o->body));
	body_unref(TAKE(o->before));
}

/* ---- reading ---- */

int keeper_read(struct keeper *k, const struct body *b, const struct object_type *type, struct doc **ret, str *managed,
		struct err *err)
{
	str object, ignored;

	if (need_packer(k, err) < 0 || body_text(b, k->packer, &object, managed, err) < 0)
		return -err->code;
	return object_decode(object, k->limits, k->keys, type, ret, &ignored, err);
}

static int read_body(struct keeper *k, const struct object *o, const struct body *b, struct doc **ret, struct err *err)
{
	return keeper_read(k, b, &(struct object_type){ o->kind->api_version, o->kind->name }, ret, NULL, err);
}

int keeper_open(struct keeper *k, struct object *o, struct err *err)
{
	int r = 0;

	if (!o->body) {
		ASSERT(o->doc);
		return 0;
	}
	if (!o->doc)
		r = read_body(k, o, o->body, &o->doc, err);
	if (r == 0)
		enter(k, o);
	return r;
}

int keeper_peek(struct keeper *k, const struct object *o, struct doc **ret, struct err *err)
{
	if (!o->doc)
		return read_body(k, o, o->body, ret, err);
	*ret = doc_ref(o->doc);
	return 0;
}

/* ---- who wrote ---- */

/* Who wrote, and when: managedFields without the field sets, for blame when a field has gone. NULL: nobody, or no
 * memory. */
static struct doc *writers_of(val managed_fields, struct key_table *keys)
{
	static const char *const kept[] = { "manager", "operation", "subresource", "time" };
	struct doc *d = val_is_list(managed_fields) ? doc_new(512, 1u << 20) : NULL;
	val *items = d ? arena_array(&d->arena, managed_fields.n, sizeof(*items)) : NULL;

	for (uint32_t i = 0; items && i < managed_fields.n; i++) {
		struct member m[ARRAY_LEN(kept)];
		size_t n = 0;

		for (size_t j = 0; j < ARRAY_LEN(kept); j++) {
			val v = val_get(managed_fields.items[i], str_from(kept[j]));
			const struct key *key = key_make(keys, &d->arena, str_from(kept[j]));

			if (key && val_is_string(v))
				m[n++] = (struct member){ key, val_copy(&d->arena, keys, v) };
		}
		items[i] = val_map(&d->arena, m, n);
	}
	if (!items) {
		doc_unref(d);
		return NULL;
	}
	d->root = (val){ .kind = VAL_LIST, .n = managed_fields.n, .items = items };
	return d;
}

static struct doc *decode(struct keeper *k, str text)
{
	struct json_options options = { .limits = k->limits, .keys = k->keys };
	struct doc *d = NULL;
	struct err err;

	return text.n && json_decode(text, &options, &d, &err) == 0 ? d : NULL;
}

val keeper_managed_fields(struct keeper *k, const struct object *o, struct doc **doc)
{
	str object, managed;
	struct err err;

	if (!o->body || !o->body->whole || need_packer(k, &err) < 0 ||
	    body_text(o->body, k->packer, &object, &managed, &err) < 0)
		return (val){ 0 };
	*doc = decode(k, managed);
	return *doc ? (*doc)->root : (val){ 0 };
}

/* Who had written up to the last verdict. */
static struct doc *read_writers(struct keeper *k, const struct body *b)
{
	CLEANUP(doc_unrefp) struct doc *all = NULL;
	str object, managed;
	struct err err;

	if (!b || !b->n_managed || need_packer(k, &err) < 0 || body_text(b, k->packer, &object, &managed, &err) < 0)
		return NULL;
	all = decode(k, managed);
	if (!b->whole)
		return TAKE(all);
	return all ? writers_of(all->root, k->keys) : NULL;
}

int keeper_open_previous(struct keeper *k, struct object *o, struct err *err)
{
	if (!o->before || o->previous)
		return 0;
	if (read_body(k, o, o->before, &o->previous, err) < 0)
		return -err->code;
	if (o->body)
		enter(k, o);
	return 0;
}

val keeper_writers(struct keeper *k, struct object *o)
{
	/* As it is now it has its verdict, unless something came since. */
	if (!o->writers && (o->before || !o->received_ns))
		o->writers = read_writers(k, o->before ? o->before : o->body);
	if (o->writers && o->body)
		enter(k, o);
	return o->writers ? o->writers->root : (val){ 0 };
}

static void settle_body(struct keeper *k, struct object *o, val managed_fields)
{
	CLEANUP(doc_unrefp) struct doc *writers = writers_of(managed_fields, k->keys);
	CLEANUP(buf_done) struct buf text = BUF_INIT(k->limits->object_bytes);
	struct err err;

	/* Without memory they stay whole. */
	if (!writers || need_packer(k, &err) < 0 || json_encode(writers->root, JSON_PLAIN, NULL, &text, &err) < 0 ||
	    text.error)
		return;
	(void)!body_settle(&o->body, k->packer, buf_str(&text), &err);
}

/* An object whose managedFields nobody sends any more was last written by whoever did before. */
static void inherit_writers(struct keeper *k, struct object *o)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(k->limits->object_bytes);
	str object, managed;
	struct err err;

	if (!o->before || !o->before->n_managed || o->body->n_managed || need_packer(k, &err) < 0 ||
	    body_text(o->before, k->packer, &object, &managed, &err) < 0)
		return;
	buf_add_str(&text, managed);
	if (!text.error)
		(void)!body_settle(&o->body, k->packer, buf_str(&text), &err);
}

void keeper_settle(struct keeper *k, struct object *o, val managed_fields, bool keep)
{
	if (!o->body)
		return;
	if (val_is_list(managed_fields) && !keep && o->body->whole)
		settle_body(k, o, managed_fields);
	else if (!val_exists(managed_fields))
		inherit_writers(k, o);
	close_before(o);
	body_unref(TAKE(o->before));
	if (o->hot_bytes)
		enter(k, o);
}

int keeper_same(struct keeper *k, struct object *o, const struct kc_object *e, bool *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *known = NULL;

	if (keeper_peek(k, o, &known, err) < 0)
		return -err->code;
	*ret = val_equal(known->root, e->doc->root);
	return 0;
}

/* ---- packing ---- */

/* Texts of the kind's objects, from all over its table. False without memory. */
static bool take_samples(struct keeper *k, const struct kind *kind, struct buf *samples, size_t *sizes, size_t *n)
{
	size_t step = kind->objects.n / PACK_SAMPLES_MAX + 1, at = 0, i = 0;
	const struct strmap_entry *e;
	struct err err;

	while ((e = strmap_each(&kind->objects, &at)) && *n < PACK_SAMPLES_MAX) {
		const struct object *o = e->value;
		size_t before = samples->n;
		str object, managed;

		if (i++ % step || !o->body)
			continue;
		if (body_text(o->body, k->packer, &object, &managed, &err) < 0)
			return false;
		buf_add_str(samples, str_sub(object, 0, PACK_SAMPLE_BYTES_MAX));
		buf_add_str(samples, str_sub(managed, 0, PACK_SAMPLE_BYTES_MAX));
		sizes[(*n)++] = samples->n - before;
	}
	return !samples->error;
}

static void make_dict(struct keeper *k, struct kind *kind)
{
	CLEANUP(buf_done) struct buf samples = BUF_INIT((size_t)2 * PACK_SAMPLES_MAX * PACK_SAMPLE_BYTES_MAX);
	size_t sizes[PACK_SAMPLES_MAX], n = 0, bytes;
	struct pack_dict *dict = NULL;
	struct err err;

	kind->dict_due = kind->objects.n < NEXT_DICT ? NEXT_DICT : SIZE_MAX;
	if (!take_samples(k, kind, &samples, sizes, &n) || !n)
		return;
	bytes = samples.n / n * kind->objects.n / DICT_SHARE;
	if (pack_dict_new(buf_str(&samples), sizes, n, bytes, &dict, &err) < 0 || !dict)
		return;
	pack_dict_unref(kind->dict);
	kind->dict = dict;
}

static void close_object(struct keeper *k, struct object *o)
{
	struct err err;

	close_before(o);
	doc_unref(TAKE(o->doc));
	leave(k, o);
	if (need_packer(k, &err) < 0)
		return;
	if (o->kind->objects.n >= o->kind->dict_due)
		make_dict(k, o->kind);
	body_pack(&o->body, k->packer, o->kind->dict);
	if (o->before)
		body_pack(&o->before, k->packer, o->kind->dict);
}

void keeper_expect(struct keeper *k, size_t bytes)
{
	size_t wanted = bytes * 2;

	if (wanted > k->bound)
		k->bound = wanted < KEEPER_OPEN_BYTES_MAX ? wanted : KEEPER_OPEN_BYTES_MAX;
}

void keeper_trim(struct keeper *k)
{
	while (k->open_bytes > k->bound)
		close_object(k, TAILQ_LAST(&k->open, open_objects));
}

void keeper_close_all(struct keeper *k)
{
	while (!TAILQ_EMPTY(&k->open))
		close_object(k, TAILQ_FIRST(&k->open));
}
