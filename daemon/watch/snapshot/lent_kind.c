/* Keeps the documents of few objects open for threads. */
#include "daemon/watch/snapshot/lent_kind.h"

#include "base/assert.h"
#include "base/strmap.h"
#include "daemon/watch/snapshot/doc_cache.h"
#include "value/identity.h"

#include <stdlib.h>

struct lent_kind {
	uint32_t refs;
	struct kind *of;
	struct strmap docs; /* identity_local_key -> struct doc */
	size_t bytes;
};

static void lent_kind_free(struct lent_kind *l)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&l->docs, &at)))
		doc_unref(e->value);
	strmap_done(&l->docs);
	free(l);
}

void lent_kind_unref(struct lent_kind *l)
{
	if (!l)
		return;
	ASSERT(l->refs > 0);
	if (--l->refs == 0)
		lent_kind_free(l);
}
DEFINE_CLEANUP(struct lent_kind *, lent_kind_unref)

static bool add(struct lent_kind *l, const struct object *o)
{
	struct doc *d;
	struct err err;

	if (o->unreadable || doc_cache_peek(o->kind->doc_cache, o, &d, &err) < 0)
		return false;
	if (!strmap_put(&l->docs, object_key(o), d, NULL)) {
		doc_unref(d);
		return false;
	}
	l->bytes += doc_bytes(d);
	return l->bytes <= LENT_BYTES_MAX;
}

static struct lent_kind *lent_kind_new(struct kind *k)
{
	CLEANUP(lent_kind_unrefp) struct lent_kind *l = calloc(1, sizeof(*l));
	const struct object *o;
	size_t at = 0;

	if (!l)
		return NULL;
	l->refs = 1;
	l->of = k;
	while ((o = index_each(&k->objects, &at))) {
		if (object_exists(o) && !add(l, o))
			return NULL;
	}
	return TAKE(l);
}

struct lent_kind *lent_kind_of(struct kind *k)
{
	ASSERT(k->known);
	if (!k->lent && k->objects.n <= LENT_OBJECTS_MAX && k->n_lent < LENT_TIMES_MAX) {
		k->n_lent++;
		k->lent = lent_kind_new(k);
	}
	if (k->lent)
		k->lent->refs++;
	return k->lent;
}

void lent_kind_end(struct kind *k)
{
	lent_kind_unref(TAKE(k->lent));
}

bool lent_kind_is_current(const struct lent_kind *l)
{
	return l->of->lent == l && l->of->known;
}

const struct kind *lent_kind_whose(const struct lent_kind *l)
{
	return l->of;
}

val lent_kind_find(const struct lent_kind *l, str namespace, str name)
{
	char space[IDENTITY_BYTES_MAX + 1];
	struct buf key = { .p = space, .cap = sizeof(space), .max = IDENTITY_BYTES_MAX }; /* never grows */
	const struct doc *d;

	identity_local_key(namespace, name, &key);
	d = key.error ? NULL : strmap_get(&l->docs, buf_str(&key));
	return d ? d->root : (val){ 0 };
}
