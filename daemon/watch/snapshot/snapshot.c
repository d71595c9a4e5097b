/* Keeping objects, and finding them for look-ups. */
#include "daemon/watch/snapshot/snapshot.h"

#include "base/assert.h"
#include "compare/lookup.h"
#include "daemon/watch/snapshot/lent_kind.h"

#include <errno.h>

#define KEY_BYTES_MAX 65536

static str key_of(const void *object)
{
	return object_key(object);
}

void snapshot_init(struct snapshot *s, const struct limits *limits, struct key_table *keys)
{
	*s = (struct snapshot){ 0 };
	arena_init(&s->arena, 0, 0);
	doc_cache_init(&s->doc_cache, limits, keys);
}

void object_free(struct object *o)
{
	doc_cache_forget(o);
	free(o->unreadable);
	free(o->judged);
	free(o);
}

struct object *snapshot_drain(struct snapshot *s, struct snapshot_drain *at)
{
	const struct strmap_entry *e;
	struct object *o;

	for (;;) {
		if (at->kind) {
			bool named = strmap_drain(&at->kind->by_name, &at->names, &(void *){ NULL });

			o = index_drain(&at->kind->objects);
			if (o) {
				s->n_objects--;
				return o;
			}
			if (named)
				continue;
		}
		e = strmap_each(&s->kinds, &at->kinds);
		if (!e)
			return NULL;
		at->kind = e->value;
		at->names = 0;
	}
}

void snapshot_done(struct snapshot *s)
{
	struct snapshot_drain drained = { 0 };
	const struct strmap_entry *e;
	struct object *o;
	size_t at = 0;

	while ((o = snapshot_drain(s, &drained)))
		object_free(o);
	while ((e = strmap_each(&s->kinds, &at))) {
		struct kind *k = e->value;

		lent_kind_end(k);
		pack_dict_unref(k->dict);
	}
	doc_cache_done(&s->doc_cache);
	strmap_done(&s->kinds);
	arena_done(&s->arena);
}

struct kind *snapshot_find_kind(const struct snapshot *s, str api_version, str name)
{
	return identity_kind_get(&s->kinds, api_version, name);
}

struct kind *snapshot_kind(struct snapshot *s, str api_version, str name)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_BYTES_MAX);
	struct kind *k = identity_kind_get(&s->kinds, api_version, name);

	if (k)
		return k;
	k = arena_zalloc(&s->arena, sizeof(*k));
	identity_kind_key(api_version, name, &key);
	if (!k || key.error)
		return NULL;
	k->api_version = arena_str(&s->arena, api_version);
	k->name = k->resource = arena_str(&s->arena, name);
	k->doc_cache = &s->doc_cache;
	k->dict_due = DOC_CACHE_FIRST_DICT;
	k->objects = INDEX_OF(key_of);
	return k->api_version.p && k->name.p && strmap_put(&s->kinds, buf_str(&key), k, NULL) ? k : NULL;
}

void snapshot_name_kind(struct snapshot *s, struct kind *k, str resource)
{
	str copy = str_eq(k->resource, resource) ? k->resource : arena_str(&s->arena, resource);

	if (copy.p)
		k->resource = copy;
}

/* ---- names in all namespaces ---- */

static str name_of(const struct object *o)
{
	str namespace, name;

	identity_local_split(object_key(o), &namespace, &name);
	return name;
}

/* Add the object to the index by name. False without memory. */
static bool name_object(struct kind *k, struct object *o)
{
	void *next;

	if (!strmap_put(&k->by_name, name_of(o), o, &next))
		return false;
	o->next_named = next;
	o->previous_named = NULL;
	if (o->next_named)
		o->next_named->previous_named = o;
	return true;
}

static void forget_names(struct kind *k)
{
	strmap_done(&k->by_name);
	k->named = false;
}

static void unname_object(struct kind *k, struct object *o)
{
	if (o->next_named)
		o->next_named->previous_named = o->previous_named;
	if (o->previous_named)
		o->previous_named->next_named = o->next_named;
	else if (!o->next_named)
		(void)strmap_remove(&k->by_name, name_of(o));
	else if (!strmap_put(&k->by_name, name_of(o), o->next_named, NULL))
		forget_names(k);
}

/* Keep an index by name, from the first time that somebody asks for it. False without memory. */
static bool keep_names(struct kind *k)
{
	struct object *o;
	size_t at = 0;

	if (k->named)
		return true;
	k->named = true;
	while ((o = index_each(&k->objects, &at))) {
		if (!name_object(k, o)) {
			forget_names(k);
			return false;
		}
	}
	return true;
}

/* ---- objects ---- */

struct object *snapshot_find(const struct kind *k, str key)
{
	return index_get(&k->objects, key);
}

struct object *snapshot_add(struct snapshot *s, struct kind *k, str key)
{
	struct object *o = snapshot_find(k, key);

	if (o)
		return o;
	o = key.n <= UINT16_MAX ? calloc(1, sizeof(*o) + key.n) : NULL;
	if (!o)
		return NULL;
	memcpy(o->key, key.p, key.n);
	o->n_key = (uint16_t)key.n;
	if (!index_put(&k->objects, o, NULL)) {
		free(o);
		return NULL;
	}
	o->kind = k;
	if (k->named && !name_object(k, o))
		forget_names(k);
	s->n_objects++;
	return o;
}

void snapshot_take(struct snapshot *s, struct object *o)
{
	ASSERT(!object_is_queued(o)); /* the queue would keep a pointer to the freed object */
	ASSERT(s->n_objects > 0 && (!object_is_foreign(o) || o->kind->n_foreign > 0));
	ASSERT(index_get(&o->kind->objects, object_key(o)) == o);
	if (o->kind->named)
		unname_object(o->kind, o);
	if (object_is_foreign(o))
		o->kind->n_foreign--;
	(void)index_remove(&o->kind->objects, object_key(o));
	s->n_objects--;
}

void snapshot_take_all(struct snapshot *s, struct kind *k, struct index *objects, struct strmap *names)
{
	s->n_objects -= k->objects.n;
	k->n_foreign = 0;
	*objects = k->objects;
	*names = k->by_name;
	k->objects = INDEX_OF(key_of);
	k->by_name = (struct strmap){ 0 };
	k->named = false;
}

/* ---- lookups ---- */

static int by_identity(const void *a, const void *b)
{
	struct identity x = identity_of(*(const val *)a), y = identity_of(*(const val *)b);
	int r = str_cmp(x.namespace, y.namespace);

	return r ? r : str_cmp(x.name, y.name);
}

static int take(struct object *o, struct found *found, struct err *err)
{
	if (o->unreadable)
		return err_set(err, EBADMSG, "an object that was looked up cannot be read: %s", o->unreadable);
	if (doc_cache_open(o->kind->doc_cache, o, err) < 0)
		return -err->code;
	found->bytes += o->opened ? o->opened->bytes : 0;
	return vec_push(&found->values, o->doc->root) ? 0 : err_nomem(err);
}

static int collect_named(const struct kind *k, str name, struct found *found, struct err *err)
{
	int r = 0;

	for (struct object *o = strmap_get(&k->by_name, name); r == 0 && o; o = o->next_named)
		r = object_exists(o) ? take(o, found, err) : 0;
	return r;
}

static int collect(const struct kind *k, const struct tmpl_lookup *request, struct found *found, struct err *err)
{
	struct object *o;
	size_t at = 0;
	int r = 0;

	while (r == 0 && (o = index_each(&k->objects, &at))) {
		struct identity id = object_identity(o);

		if (object_exists(o) && lookup_matches(request, &id))
			r = take(o, found, err);
	}
	return r;
}

int snapshot_lookup(const struct snapshot *s, const struct tmpl_lookup *request, struct found *found, struct err *err)
{
	struct kind *k = snapshot_find_kind(s, request->api_version, request->kind);
	bool named = request->name.n && !str_eq(request->name, STR("*"));
	bool anywhere = lookup_includes(request->namespace, STR(""));
	int r;

	found->values.n = found->bytes = 0;
	if (!k)
		return 0;
	if (named && !str_eq(request->namespace, STR("*"))) {
		struct object *o = identity_local_get(&k->objects, request->namespace, request->name);

		if (o && object_exists(o))
			return take(o, found, err);
		if (request->namespace.n)
			return 0;
	}
	if (named && anywhere && keep_names(k))
		r = collect_named(k, request->name, found, err);
	else
		r = collect(k, request, found, err);
	if (r == 0 && found->values.n > 1)
		qsort(found->values.p, found->values.n, sizeof(val), by_identity);
	doc_cache_expect(k->doc_cache, found->bytes);
	return r;
}
