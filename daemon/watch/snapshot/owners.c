/* Keeps the index of ownerReferences by owner. */
#include "daemon/watch/snapshot/owners.h"

#include "base/assert.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdlib.h>

enum { DEPENDENTS, READERS, ENDS };

/* An owner, whether it is there or not. */
struct owned {
	str uid; /* the owner's uid, stored behind this struct */
	VEC(struct owner_link *) links[ENDS];
};

/* A link from an owner to an object: an ownerReference of the object names the owner (DEPENDENTS), or the object is
 * the owner itself and its inspection looked at its dependents (READERS). One owner may be seen as several objects
 * with the same uid: a server shows it under each apiVersion that it serves. */
struct owner_link {
	struct owner_link *next; /* the next link of the same object */
	struct owned *of;
	int end;
	size_t at; /* the place in links[end] of the owner */
	struct object *object;
};

static str pointer_key(struct object *const *o)
{
	return (str){ (const char *)o, sizeof(*o) };
}

static void free_owned(struct owned *x)
{
	for (int end = 0; end < ENDS; end++)
		vec_done(&x->links[end]);
	free(x);
}

static void free_if_unused(struct owners *w, struct owned *x)
{
	if (x->links[DEPENDENTS].n || x->links[READERS].n)
		return;
	(void)strmap_remove(&w->by_uid, x->uid);
	free_owned(x);
}

/* The owner with this uid, made if it is new. NULL without memory. */
static struct owned *owned_of(struct owners *w, str uid)
{
	struct owned *x = strmap_get(&w->by_uid, uid);

	if (x)
		return x;
	x = calloc(1, sizeof(*x) + uid.n);
	if (!x)
		return NULL;
	x->uid = (str){ memcpy(x + 1, uid.p, uid.n), uid.n };
	if (strmap_put(&w->by_uid, uid, x, NULL))
		return x;
	free(x);
	return NULL;
}

static void unlink_all(struct owners *w, struct owner_link *l)
{
	while (l) {
		struct owned *of = l->of;
		struct owner_link *next = l->next, *last = of->links[l->end].p[--of->links[l->end].n];

		ASSERT(l->at <= of->links[l->end].n);
		ASSERT(of->links[l->end].p[l->at] == l || l == last);
		of->links[l->end].p[l->at] = last;
		last->at = l->at;
		free_if_unused(w, of);
		free(l);
		l = next;
	}
}

void owners_done(struct owners *w)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&w->by_uid, &at))) {
		struct owned *x = e->value;

		for (int end = 0; end < ENDS; end++) {
			for (size_t i = 0; i < x->links[end].n; i++)
				free(x->links[end].p[i]);
		}
		free_owned(x);
	}
	strmap_done(&w->by_uid);
	strmap_done(&w->by_item);
	strmap_done(&w->by_reader);
	*w = (struct owners){ 0 };
}

/* Make a link of @o to the owner, and put it in front of *list. False without memory. */
static bool link_to(struct owners *w, struct object *o, str uid, int end, struct owner_link **list)
{
	struct owned *x = owned_of(w, uid);
	struct owner_link *l = x ? calloc(1, sizeof(*l)) : NULL;

	if (!l || !vec_push(&x->links[end], l)) {
		free(l);
		if (x)
			free_if_unused(w, x);
		return false;
	}
	*l = (struct owner_link){ .next = *list, .of = x, .end = end, .at = x->links[end].n - 1, .object = o };
	*list = l;
	return true;
}

static bool is_named(const struct owner_link *list, str uid)
{
	for (; list; list = list->next) {
		if (str_eq(list->of->uid, uid))
			return true;
	}
	return false;
}

#define OWNERS_MAX 256 /* how many owner references of one object count: the first ones */

bool owners_put(struct owners *w, struct object *o)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct owner_link *list = NULL;
	val references = { 0 };
	struct err err;
	bool ok = true;

	owners_take(w, o);
	if (object_exists(o) && doc_cache_peek(o->kind->doc_cache, o, &doc, &err) < 0)
		return false;
	if (doc)
		references = val_dig(doc->root, "metadata", "ownerReferences", NULL);
	for (uint32_t i = 0; ok && val_is_list(references) && i < references.n && i < OWNERS_MAX; i++) {
		str uid = foreign_name(VAL_GET(references.items[i], "uid"));

		if (uid.n && !is_named(list, uid))
			ok = link_to(w, o, uid, DEPENDENTS, &list);
	}
	if (list && !strmap_put(&w->by_item, pointer_key(&o), list, NULL))
		ok = false;
	if (!ok)
		unlink_all(w, list);
	return ok;
}

void owners_take(struct owners *w, struct object *o)
{
	unlink_all(w, strmap_remove(&w->by_item, pointer_key(&o)));
}

bool owners_read(struct owners *w, struct object *o)
{
	struct owner_link *l = strmap_get(&w->by_reader, pointer_key(&o));
	str uid = object_uid(o);

	if (l && str_eq(l->of->uid, uid))
		return true;
	owners_forget(w, o);
	l = NULL;
	if (!uid.n || (link_to(w, o, uid, READERS, &l) && strmap_put(&w->by_reader, pointer_key(&o), l, NULL)))
		return true;
	unlink_all(w, l);
	return false;
}

void owners_forget(struct owners *w, struct object *o)
{
	unlink_all(w, strmap_remove(&w->by_reader, pointer_key(&o)));
}

void owners_changed(struct owners *w, struct object *o, void (*again)(void *ctx, struct object *owner), void *ctx)
{
	for (const struct owner_link *l = strmap_get(&w->by_item, pointer_key(&o)); l; l = l->next) {
		for (size_t i = 0; i < l->of->links[READERS].n; i++)
			again(ctx, l->of->links[READERS].p[i]->object);
	}
}

/* ---- the dependents of an object ---- */

static int by_identity(const void *a, const void *b)
{
	const struct object *x = *(struct object *const *)a, *y = *(struct object *const *)b;
	int r = str_cmp(x->kind->api_version, y->kind->api_version);

	if (r == 0)
		r = str_cmp(x->kind->name, y->kind->name);
	return r ? r : str_cmp(object_key(x), object_key(y));
}

int owners_dependents(const struct owners *w, const struct object *o, struct arena *a, val *ret, struct err *err)
{
	const struct owned *x = strmap_get(&w->by_uid, object_uid(o));
	size_t n = x ? x->links[DEPENDENTS].n : 0, kept = 0;
	struct object **objects;
	val *items;

	*ret = (val){ .kind = VAL_LIST };
	if (n == 0)
		return 0;
	if (n > OWNERS_DEPENDENTS_MAX)
		return err_set(err, E2BIG, "more than %d dependents", OWNERS_DEPENDENTS_MAX);
	objects = arena_array(a, n, sizeof(struct object *));
	items = arena_array(a, n, sizeof(*items));
	if (!objects || !items)
		return arena_error(a, err);
	for (size_t i = 0; i < n; i++) {
		struct object *d = x->links[DEPENDENTS].p[i]->object;

		if (object_exists(d) && !d->unreadable && d->state != OBJECT_GONE)
			objects[kept++] = d;
	}
	qsort(objects, kept, sizeof(struct object *), by_identity);
	for (size_t i = 0; i < kept; i++) {
		if (doc_cache_open(objects[i]->kind->doc_cache, objects[i], err) < 0)
			return -err->code;
		items[i] = objects[i]->doc->root;
	}
	*ret = (val){ .kind = VAL_LIST, .n = (uint32_t)kept, .items = items };
	return 0;
}
