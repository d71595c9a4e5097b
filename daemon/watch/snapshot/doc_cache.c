/* Opens and closes the documents of objects. */
#include "daemon/watch/snapshot/doc_cache.h"

#include "base/assert.h"
#include "base/hash.h"
#include "compare/writers.h"

#include <errno.h>
#include <stdlib.h>

#define NEXT_DICT 4096
/* a dictionary has this part (one in 16) of the bytes of the objects that it is for */
#define DICT_SHARE 16
#define TEXTS_KEPT ((size_t)1 << 20) /* the work space that is kept after use, in bytes */

void doc_cache_init(struct doc_cache *k, const struct limits *limits, struct key_table *keys)
{
	*k = (struct doc_cache){ .limits = limits,
				 .keys = keys,
				 .bound = DOC_CACHE_OPEN_BYTES,
				 .texts = BUF_INIT(limits->object_bytes * 2) };
	TAILQ_INIT(&k->open);
}

void doc_cache_done(struct doc_cache *k)
{
	ASSERT(TAILQ_EMPTY(&k->open));
	packer_free(TAKE(k->packer));
	buf_done(&k->texts);
}

static int need_packer(struct doc_cache *k, struct err *err)
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

static struct opened *opened_new(struct object *o)
{
	struct opened *x = calloc(1, sizeof(*x));

	if (x)
		x->object = o;
	return x;
}

/* Make room for what is opened of an object. False without memory. */
static bool need_opened(struct object *o)
{
	if (!o->opened)
		o->opened = opened_new(o);
	return o->opened;
}

static void leave(struct doc_cache *k, struct opened *x)
{
	if (!x->bytes)
		return;
	TAILQ_REMOVE(&k->open, x, link);
	ASSERT(k->open_bytes >= x->bytes);
	k->open_bytes -= x->bytes;
	x->bytes = 0;
}

/* Some document of the object was opened: put the object in front of the open ones, and count its bytes anew. */
static void enter(struct doc_cache *k, struct object *o)
{
	struct opened *x = o->opened;

	leave(k, x);
	x->bytes = stored_object_bytes(o->stored) + bytes_of(o->doc) + bytes_of(x->previous) + bytes_of(x->writers) +
		   bytes_of(x->managed);
	k->open_bytes += x->bytes;
	TAILQ_INSERT_HEAD(&k->open, x, link);
}

static void close_before(struct opened *x)
{
	doc_unref(TAKE(x->previous));
	doc_unref(TAKE(x->writers));
}

/* Free the documents of an object other than object->doc, which belongs to the object or to another holder. */
static void opened_free(struct doc_cache *k, struct opened *x)
{
	if (!x)
		return;
	leave(k, x);
	close_before(x);
	doc_unref(x->managed);
	free(x);
}

int doc_cache_make(const struct kc_object *e, struct keeping *ret, struct err *err)
{
	*ret = (struct keeping){ .doc = e->doc };
	if (stored_object_new(e, &ret->stored, err) < 0)
		return -err->code;
	ret->opened = opened_new(NULL);
	if (!ret->opened) {
		stored_object_unref(ret->stored);
		return err_nomem(err);
	}
	if (e->doc)
		(void)doc_ref(e->doc);
	return 0;
}

int doc_cache_make_packed(const struct kc_object *e, const struct packed_object *packed, struct keeping *ret,
			  struct err *err)
{
	*ret = (struct keeping){ .stored = stored_object_of_packed(e->uid, e->resource_version, packed) };
	return ret->stored ? 0 : err_nomem(err);
}

/* Take over what is open of the new state of the object. What is open of its former state stays where it is. */
static void take_opened(struct doc_cache *k, struct object *o, struct opened *now)
{
	struct opened *was = TAKE(o->opened);

	if (now && was) {
		now->previous = TAKE(was->previous);
		now->writers = TAKE(was->writers);
	}
	opened_free(k, was);
	o->opened = now;
	if (now)
		now->object = o;
}

void doc_cache_put(struct doc_cache *k, struct object *o, const struct keeping *now)
{
	stored_object_unref(o->stored);
	doc_unref(o->doc);
	o->stored = now->stored;
	o->doc = now->doc;
	take_opened(k, o, now->opened);
	if (now->opened)
		enter(k, o);
}

void doc_cache_turn(struct doc_cache *k, struct object *o)
{
	stored_object_unref(o->before);
	o->before = TAKE(o->stored);
	if (!o->opened) {
		doc_unref(TAKE(o->doc));
		return;
	}
	leave(k, o->opened);
	close_before(o->opened);
	doc_unref(TAKE(o->opened->managed));
	o->opened->previous = TAKE(o->doc);
}

void doc_cache_forget(struct object *o)
{
	opened_free(o->kind->doc_cache, TAKE(o->opened));
	doc_unref(TAKE(o->doc));
	stored_object_unref(TAKE(o->stored));
	stored_object_unref(TAKE(o->before));
}

/* ---- reading ---- */

int doc_cache_read(struct doc_cache *k, const struct stored_object *b, const struct object_type *type, struct doc **ret,
		   str *managed, struct err *err)
{
	str object, ignored;

	if (need_packer(k, err) < 0 || stored_object_text(b, k->packer, &object, managed, err) < 0)
		return -err->code;
	return object_decode(object, k->limits, k->keys, type, ret, &ignored, err);
}

static int read_stored_object(struct doc_cache *k, const struct object *o, const struct stored_object *b,
			      struct doc **ret, struct err *err)
{
	return doc_cache_read(k, b, &(struct object_type){ o->kind->api_version, o->kind->name }, ret, NULL, err);
}

int doc_cache_open(struct doc_cache *k, struct object *o, struct err *err)
{
	int r = 0;

	if (!o->stored) {
		ASSERT(o->doc);
		return 0;
	}
	if (!need_opened(o))
		return err_nomem(err);
	if (!o->doc)
		r = read_stored_object(k, o, o->stored, &o->doc, err);
	if (r == 0)
		enter(k, o);
	return r;
}

int doc_cache_peek(struct doc_cache *k, const struct object *o, struct doc **ret, struct err *err)
{
	if (!o->doc)
		return read_stored_object(k, o, o->stored, ret, err);
	*ret = doc_ref(o->doc);
	return 0;
}

/* Only the labels are decoded, because callers look at many objects. */
int doc_cache_labels(struct doc_cache *k, const struct object *o, struct arena *a, val *ret, struct err *err)
{
	static const str names[] = { { "metadata", 8 }, { "labels", 6 } };
	struct json_pick pick;
	str text, managed;
	val root;

	*ret = (val){ 0 };
	if (o->doc) {
		*ret = val_dig(o->doc->root, "metadata", "labels", NULL);
		return 0;
	}
	if (!o->stored)
		return 0;
	if (!json_pick_path(names, ARRAY_LEN(names), k->keys, a, &pick) || need_packer(k, err) < 0)
		return err_nomem(err);
	if (stored_object_text(o->stored, k->packer, &text, NULL, err) < 0 ||
	    object_decode_part(text, k->limits, k->keys, NULL, &pick, NULL, a, &root, &managed, err) < 0)
		return -err->code;
	*ret = val_dig(root, "metadata", "labels", NULL);
	return 0;
}

/* ---- who wrote ---- */

static struct doc *decode(struct doc_cache *k, str text)
{
	struct json_options options = { .limits = k->limits, .keys = k->keys };
	struct doc *d = NULL;
	struct err err;

	return text.n && json_decode(text, &options, &d, &err) == 0 ? d : NULL;
}

/* The text of managedFields; empty when there are none, or no memory. */
static str managed_text(struct doc_cache *k, const struct stored_object *b)
{
	str object, managed = STR("");
	struct err err;

	if (!b || !b->n_managed || need_packer(k, &err) < 0 ||
	    stored_object_text(b, k->packer, &object, &managed, &err) < 0)
		return STR("");
	return managed;
}

val doc_cache_managed_fields(struct doc_cache *k, struct object *o)
{
	struct opened *x = o->opened;

	if (!o->stored || !o->stored->whole || o->stored->reducible || !need_opened(o))
		return x && x->managed ? x->managed->root : (val){ 0 };
	x = o->opened;
	if (!x->managed) {
		x->managed = decode(k, managed_text(k, o->stored));
		enter(k, o);
	}
	return x->managed ? x->managed->root : (val){ 0 };
}

/* Read who had written the object up to the last verdict. */
static struct doc *read_writers(struct doc_cache *k, const struct stored_object *b)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(k->limits->object_bytes);
	str managed = managed_text(k, b);

	if (!b || !b->whole)
		return decode(k, managed);
	writers_write(managed, &text);
	return text.error ? NULL : decode(k, buf_str(&text));
}

int doc_cache_open_previous(struct doc_cache *k, struct object *o, struct err *err)
{
	if (!o->before || (o->opened && o->opened->previous))
		return 0;
	if (!need_opened(o))
		return err_nomem(err);
	if (read_stored_object(k, o, o->before, &o->opened->previous, err) < 0)
		return -err->code;
	if (o->stored)
		enter(k, o);
	return 0;
}

val doc_cache_previous(const struct object *o)
{
	return o->opened && o->opened->previous ? o->opened->previous->root : (val){ 0 };
}

val doc_cache_writers(struct doc_cache *k, struct object *o)
{
	struct opened *x = need_opened(o) ? o->opened : NULL;

	if (!x)
		return (val){ 0 };
	/* The version that was judged last is the baseline while a newer one waits for its verdict, otherwise the
	 * stored one. */
	if (!x->writers && (o->before || !o->received_ns))
		x->writers = read_writers(k, o->before ? o->before : o->stored);
	if (o->stored)
		enter(k, o);
	return x->writers ? x->writers->root : (val){ 0 };
}

/* An object that comes without managedFields keeps its former writers. */
static void inherit_writers(struct doc_cache *k, struct object *o)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(k->limits->object_bytes);
	str managed = managed_text(k, o->before);
	struct err err;

	if (!managed.n || o->stored->n_managed)
		return;
	if (o->before->whole)
		writers_write(managed, &text);
	else
		buf_add_str(&text, managed);
	if (!text.error)
		(void)!stored_object_reduce(&o->stored, k->packer, buf_str(&text), &err);
}

void doc_cache_reduce(struct doc_cache *k, struct object *o, bool keep)
{
	if (!o->stored)
		return;
	if (!o->stored->whole)
		inherit_writers(k, o);
	o->stored->reducible = !keep;
	stored_object_unref(TAKE(o->before));
	if (!o->opened)
		return;
	close_before(o->opened);
	doc_unref(TAKE(o->opened->managed));
	enter(k, o);
}

int doc_cache_same(struct doc_cache *k, struct object *o, const struct kc_object *e, bool *ret, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *known = NULL;

	if (doc_cache_peek(k, o, &known, err) < 0)
		return -err->code;
	*ret = val_equal(known->root, e->doc->root);
	return 0;
}

/* ---- packing ---- */

/* One of the objects from which a dictionary is made. It is drawn at random: objects are sorted by name, so that
 * samples at equal distances could all be of one sort. */
static const struct object *sample(const struct index *objects, size_t i)
{
	return objects->things[objects->n <= PACK_SAMPLES_MAX ? i : hash_mix(i, 0) % objects->n];
}

/* Texts of the kind's objects, from all over its table. False without memory. */
static bool take_samples(struct doc_cache *k, const struct kind *kind, struct buf *samples, size_t *sizes, size_t *n)
{
	size_t wanted = kind->objects.n < PACK_SAMPLES_MAX ? kind->objects.n : PACK_SAMPLES_MAX;
	struct err err;

	for (size_t i = 0; i < wanted; i++) {
		const struct object *o = sample(&kind->objects, i);
		size_t before = samples->n;
		str object, managed;

		if (!o->stored)
			continue;
		if (stored_object_text(o->stored, k->packer, &object, &managed, &err) < 0)
			return false;
		buf_add_str(samples, str_sub(object, 0, PACK_SAMPLE_BYTES_MAX));
		buf_add_str(samples, str_sub(managed, 0, PACK_SAMPLE_BYTES_MAX));
		sizes[(*n)++] = samples->n - before;
	}
	return !samples->error;
}

static void make_dict(struct doc_cache *k, struct kind *kind)
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

static void trim_texts(struct doc_cache *k)
{
	if (k->texts.cap > TEXTS_KEPT)
		buf_done(&k->texts);
}

/* Pack a stored object. When it is reducible, nothing but the writers is kept of its managedFields. */
static void pack(struct doc_cache *k, struct stored_object **b, struct pack_dict *dict)
{
	str object, managed;
	struct err err;
	size_t n;

	if (!(*b)->reducible || !(*b)->whole) {
		stored_object_pack(b, k->packer, dict);
		return;
	}
	buf_clear(&k->texts);
	if (stored_object_text(*b, k->packer, &object, &managed, &err) < 0)
		return;
	buf_add_str(&k->texts, object);
	n = k->texts.n;
	writers_write(managed, &k->texts);
	if (!k->texts.error)
		stored_object_pack_reduced(b, k->packer, dict, buf_str(&k->texts), n);
	trim_texts(k);
}

/* Make the kind's dictionary if it is time for one. False without memory: nothing of the kind is packed now. */
static bool may_pack(struct doc_cache *k, struct kind *kind)
{
	struct err err;

	if (need_packer(k, &err) < 0)
		return false;
	if (kind->objects.n >= kind->dict_due)
		make_dict(k, kind);
	return true;
}

static void close_object(struct doc_cache *k, struct object *o)
{
	opened_free(k, TAKE(o->opened));
	doc_unref(TAKE(o->doc));
	if (!may_pack(k, o->kind))
		return;
	pack(k, &o->stored, o->kind->dict);
	if (o->before)
		pack(k, &o->before, o->kind->dict);
}

void doc_cache_expect(struct doc_cache *k, size_t bytes)
{
	size_t wanted = bytes * 2;

	if (wanted > k->bound)
		k->bound = wanted < DOC_CACHE_OPEN_BYTES_MAX ? wanted : DOC_CACHE_OPEN_BYTES_MAX;
}

void doc_cache_trim(struct doc_cache *k)
{
	while (k->open_bytes > k->bound)
		close_object(k, TAILQ_LAST(&k->open, open_objects)->object);
}

void doc_cache_close_all(struct doc_cache *k)
{
	while (!TAILQ_EMPTY(&k->open))
		close_object(k, TAILQ_FIRST(&k->open)->object);
}

/* ---- changes that no verdict sees ---- */

/* Replace the stored text of a packed object by its new text, packed, without opening the object: no verdict is
 * going to read it. False: the object has to be opened, because its old state has managedFields that the text lacks,
 * or the text does not get shorter when it is packed. */
static bool renew_packed(struct doc_cache *k, struct object *o, const struct kc_object *e)
{
	const struct stored_object *was = o->stored;
	struct stored_object *stored = NULL;
	size_t n;

	if (o->opened || !was->n_packed || !e->text.n || (!e->managed_fields.n && was->n_managed) ||
	    !may_pack(k, o->kind))
		return false;
	buf_clear(&k->texts);
	stored_object_cut(e->text, e->managed_fields, &k->texts);
	n = k->texts.n;
	if (was->reducible)
		writers_write(e->managed_fields, &k->texts);
	else
		buf_add_str(&k->texts, e->managed_fields);
	if (!k->texts.error)
		stored = stored_object_new_packed(e, buf_str(&k->texts), n, k->packer, o->kind->dict);
	trim_texts(k);
	if (!stored)
		return false;
	stored->whole = e->managed_fields.n && !was->reducible;
	stored->reducible = was->reducible;
	stored_object_unref(o->stored);
	o->stored = stored;
	return true;
}

/* An object that waits for its verdict keeps its state of the last verdict beside it. */
int doc_cache_renew(struct doc_cache *k, struct object *o, const struct kc_object *e, struct err *err)
{
	struct stored_object *stored;

	ASSERT(o->stored && !o->before);
	if (renew_packed(k, o, e))
		return 0;
	if (!need_opened(o))
		return err_nomem(err);
	if (stored_object_new(e, &stored, err) < 0)
		return -err->code;
	o->before = o->stored;
	o->stored = stored;
	doc_unref(TAKE(o->doc));
	enter(k, o);
	doc_cache_reduce(k, o, !o->before->reducible);
	return 0;
}
