/* Stores the texts of objects, plain or packed. */
#include "daemon/watch/snapshot/stored_object.h"

#include "base/assert.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX ((size_t)UINT32_MAX / 4) /* the member n_version has 30 bits */

/* The limit of the text of an object that came as a document. A document takes at least as much memory as its text,
 * except for escapes. */
#define ENCODED_MAX ((size_t)1 << 30)

/* Copy @s to @at, and return the place behind it. */
static char *put(char *at, str s)
{
	if (s.n)
		memcpy(at, s.p, s.n);
	return at + s.n;
}

static struct stored_object *make(str uid, str version, size_t n_object, size_t n_managed)
{
	struct stored_object *b = malloc(sizeof(*b) + uid.n + version.n + n_object + n_managed);

	if (!b)
		return NULL;
	*b = (struct stored_object){ .refs = 1,
				     .n_object = (uint32_t)n_object,
				     .n_managed = (uint32_t)n_managed,
				     .n_uid = (uint32_t)uid.n,
				     .n_version = (uint32_t)version.n & TEXT_MAX };
	(void)put(put(b->bytes, uid), version);
	return b;
}

static char *texts(const struct stored_object *b)
{
	return (char *)(uintptr_t)b->bytes + b->n_uid + b->n_version;
}

/* A text without its managedFields: a number stands in their place, and the document leaves that number out. */
struct cut {
	str before, number, behind;
};

static struct cut cut_of(str text, str managed)
{
	size_t before = managed.n ? (size_t)(managed.p - text.p) : text.n;

	ASSERT(!managed.n || (managed.p >= text.p && managed.p + managed.n <= text.p + text.n));
	return (struct cut){ str_sub(text, 0, before), managed.n ? STR("0") : STR(""),
			     str_sub(text, before + managed.n, text.n) };
}

static struct stored_object *cut(const struct kc_object *e)
{
	struct cut c = cut_of(e->text, e->managed_fields);
	size_t n = c.before.n + c.number.n + c.behind.n;
	struct stored_object *b = make(e->uid, e->resource_version, n, e->managed_fields.n);

	if (b)
		(void)put(put(put(put(texts(b), c.before), c.number), c.behind), e->managed_fields);
	return b;
}

void stored_object_cut(str text, str managed, struct buf *out)
{
	struct cut c = cut_of(text, managed);

	buf_add_str(out, c.before);
	buf_add_str(out, c.number);
	buf_add_str(out, c.behind);
}

static int encode(const struct kc_object *e, struct stored_object **ret, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(ENCODED_MAX);
	int r = json_encode(e->doc->root, JSON_TYPED, NULL, &text, err);

	if (r == 0)
		r = buf_error(&text, "an object", err);
	if (r < 0)
		return r;
	*ret = make(e->uid, e->resource_version, text.n, e->managed_fields.n);
	if (!*ret)
		return err_nomem(err);
	(void)put(put(texts(*ret), buf_str(&text)), e->managed_fields);
	return 0;
}

static bool is_too_long(const struct kc_object *e)
{
	return e->text.n > TEXT_MAX || e->managed_fields.n > TEXT_MAX || e->uid.n > TEXT_MAX ||
	       e->resource_version.n > TEXT_MAX;
}

int stored_object_new(const struct kc_object *e, struct stored_object **ret, struct err *err)
{
	if (is_too_long(e))
		return err_set(err, E2BIG, "an object of %zu bytes", e->text.n);
	if (e->text.n) {
		*ret = cut(e);
		if (!*ret)
			return err_nomem(err);
	} else if (encode(e, ret, err) < 0) {
		return -err->code;
	}
	(*ret)->whole = e->managed_fields.n > 0;
	return 0;
}

struct stored_object *stored_object_ref(struct stored_object *b)
{
	if (b) {
		ASSERT(b->refs > 0 && b->refs < UINT32_MAX);
		b->refs++;
	}
	return b;
}

void stored_object_unref(struct stored_object *b)
{
	if (!b)
		return;
	ASSERT(b->refs > 0);
	if (--b->refs)
		return;
	pack_dict_unref(b->dict);
	free(b);
}

static size_t n_texts(const struct stored_object *b)
{
	return b->n_packed ? b->n_packed : (size_t)b->n_object + b->n_managed;
}

size_t stored_object_bytes(const struct stored_object *b)
{
	return sizeof(*b) + b->n_uid + b->n_version + n_texts(b);
}

int stored_object_text(const struct stored_object *b, struct packer *p, str *object, str *managed, struct err *err)
{
	str both = { texts(b), n_texts(b) };

	if (b->n_packed && packer_unpack(p, b->dict, both, (size_t)b->n_object + b->n_managed, &both, err) < 0)
		return -err->code;
	*object = str_sub(both, 0, b->n_object);
	if (managed)
		*managed = str_sub(both, b->n_object, both.n);
	return 0;
}

static void replace(struct stored_object **b, struct stored_object *by)
{
	by->whole = (*b)->whole;
	by->reducible = (*b)->reducible;
	stored_object_unref(*b);
	*b = by;
}

/* NULL: no memory. */
static struct stored_object *make_packed(str uid, str version, const struct packed_object *p)
{
	struct stored_object *b = make(uid, version, p->packed.n, 0);

	if (!b)
		return NULL;
	b->n_object = (uint32_t)p->n_object;
	b->n_managed = (uint32_t)p->n_managed;
	b->n_packed = (uint32_t)p->packed.n;
	b->dict = pack_dict_ref(p->dict);
	(void)put(texts(b), p->packed);
	return b;
}

struct stored_object *stored_object_of_packed(str uid, str version, const struct packed_object *p)
{
	struct stored_object *b = make_packed(uid, version, p);

	if (b)
		b->reducible = true;
	return b;
}

struct stored_object *stored_object_new_packed(const struct kc_object *e, str texts, size_t n_object, struct packer *p,
					       struct pack_dict *dict)
{
	struct packed_object as = { .n_object = n_object, .n_managed = texts.n - n_object, .dict = dict };
	struct err err;

	if (is_too_long(e) || packer_pack(p, dict, texts, &as.packed, &err) < 0)
		return NULL;
	return make_packed(e->uid, e->resource_version, &as);
}

/* Put the packed text in the place of *b. False without memory: *b stays. */
static bool put_packed(struct stored_object **b, str packed, size_t n_object, size_t n_managed, struct pack_dict *dict)
{
	const struct packed_object p = { packed, n_object, n_managed, dict };
	struct stored_object *by = make_packed(stored_object_uid(*b), stored_object_version(*b), &p);

	if (by)
		replace(b, by);
	return by;
}

void stored_object_pack(struct stored_object **b, struct packer *p, struct pack_dict *dict)
{
	const struct stored_object *plain = *b;
	struct err err;
	str packed;

	if (!plain->n_packed && packer_pack(p, dict, (str){ texts(plain), n_texts(plain) }, &packed, &err) == 0)
		(void)put_packed(b, packed, plain->n_object, plain->n_managed, dict);
}

/* Put the two texts in the place of *b. False without memory: *b stays. */
static bool put_reduced(struct stored_object **b, str object, str managed)
{
	struct stored_object *by = make(stored_object_uid(*b), stored_object_version(*b), object.n, managed.n);

	if (!by)
		return false;
	(void)put(put(texts(by), object), managed);
	replace(b, by);
	by->whole = false;
	return true;
}

void stored_object_pack_reduced(struct stored_object **b, struct packer *p, struct pack_dict *dict, str texts,
				size_t n_object)
{
	struct err err;
	str packed;

	if (packer_pack(p, dict, texts, &packed, &err) < 0)
		(void)put_reduced(b, str_sub(texts, 0, n_object), str_sub(texts, n_object, texts.n));
	else if (put_packed(b, packed, n_object, texts.n - n_object, dict))
		(*b)->whole = false;
}

int stored_object_reduce(struct stored_object **b, struct packer *p, str managed, struct err *err)
{
	str object;

	if (stored_object_text(*b, p, &object, NULL, err) < 0)
		return -err->code;
	return put_reduced(b, object, managed) ? 0 : err_nomem(err);
}

int stored_object_set_version(struct stored_object **b, str version, struct err *err)
{
	const struct stored_object *was = *b;
	struct stored_object *by;

	if (was->refs == 1 && was->n_version == version.n) {
		(void)put((*b)->bytes + was->n_uid, version);
		return 0;
	}
	by = make(stored_object_uid(was), version, n_texts(was), 0);
	if (!by)
		return err_nomem(err);
	by->n_object = was->n_object;
	by->n_managed = was->n_managed;
	by->n_packed = was->n_packed;
	by->dict = pack_dict_ref(was->dict);
	(void)put(texts(by), (str){ texts(was), n_texts(was) });
	replace(b, by);
	return 0;
}
