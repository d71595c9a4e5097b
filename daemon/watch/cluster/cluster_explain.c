/* Answers to "why". Nothing is reported, counted or changed here. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "daemon/watch/verdict/accepted_judge.h"

void cluster_objects_called(const struct cluster_kind *k, str namespace, str name,
			    void (*each)(void *ctx, const struct object *o), void *ctx)
{
	const struct object *o;
	size_t at = 0;

	while ((o = index_each(&k->kind->objects, &at))) {
		str its_namespace, its_name;

		identity_local_split(object_key(o), &its_namespace, &its_name);
		if (object_exists(o) && !object_is_foreign(o) && str_eq(its_name, name) &&
		    (!namespace.n || str_eq(its_namespace, namespace)))
			each(ctx, o);
	}
}

const struct object *cluster_object(const struct cluster_kind *k, str namespace, str name)
{
	const struct object *o = identity_local_get(&k->kind->objects, namespace, name);

	return o && object_exists(o) && !object_is_foreign(o) ? o : NULL;
}

const struct object *cluster_find_object(const struct cluster *c, str api_version, str kind, str namespace, str name)
{
	const struct kind *known = snapshot_find_kind(&c->snapshot, api_version, kind);
	const struct cluster_kind *k = known ? cluster_kind_of(c, known) : NULL;

	return k ? cluster_object(k, namespace, name) : NULL;
}

int cluster_object_labels(struct cluster *c, const struct object *o, struct arena *a, val *ret, struct err *err)
{
	return doc_cache_labels(&c->snapshot.doc_cache, o, a, ret, err);
}

/* Replace *latest by the latest of the writers @entries, if that is later. Servers write RFC 3339 times in UTC here,
 * so that the later time is the greater text. */
static void take_later(val entries, struct blame *latest)
{
	for (uint32_t i = 0; i < val_count(entries); i++) {
		struct blame b = blame_from(val_at(entries, i));

		if (!b.subresource.n && b.time.n && (!latest->time.n || str_cmp(b.time, latest->time) > 0))
			*latest = b;
	}
}

bool cluster_object_written(struct cluster *c, const struct object *o, struct arena *a, struct blame *ret)
{
	struct doc_cache *doc_cache = &c->snapshot.doc_cache;
	struct object *known = snapshot_find(o->kind, object_key(o));
	struct blame latest = { 0 };

	if (!known)
		return false;
	take_later(doc_cache_managed_fields(doc_cache, known), &latest);
	if (!latest.time.n)
		take_later(doc_cache_writers(doc_cache, known), &latest);
	if (!latest.time.n)
		return false;
	*ret = (struct blame){ .manager = arena_str(a, latest.manager), .time = arena_str(a, latest.time) };
	return ret->manager.p && ret->time.p;
}

int cluster_explain(struct cluster *c, size_t judge, const struct object *o, struct verdict *ret, struct doc **edited,
		    bool *waits, struct err *err)
{
	struct judge_context j = cluster_judge_context(c);
	struct doc_cache *doc_cache = &c->snapshot.doc_cache;
	struct object *known = snapshot_find(o->kind, object_key(o));

	ASSERT(judge < c->n_references);
	if (doc_cache_open(doc_cache, known, err) < 0)
		return -err->code;
	return reference_judge_explain(&c->references[judge], known, &j, ret, edited, waits, err);
}

const struct accepted *cluster_accepted_by(const struct cluster *c, size_t judge, const struct object *o,
					   const struct change *change)
{
	struct finding_subject s = { .cluster = c->config->name, .reference = c->references[judge].reference->name };

	object_subject(o, &s);
	return accepted_by(c->context.acceptances, &s, change);
}
