/* What of a cluster this process keeps, where several share it (base/shard.h).
 *
 *   the uid is its own ------------------------------------------------> its own: kept, judged, reported
 *   else foreign: templates look its kind up ---------------------+
 *                 it is or names what a component of ours counts -+----> kept, in silence
 *                 inspection rules read what its owner owns ------'
 *                 none of these ---------------------------------------> not kept: it is not even decoded
 *
 * Each component is reported by one process, which counts for it the objects of all shards. Where an object's identity
 * alone decides which template it matches, it is counted without being compared. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "daemon/findings/finding_owner.h"
#include "mask/foreign.h"

#define PARTIAL_FIRST ((size_t)16 << 10)
#define PARTIAL_KEPT ((size_t)64 << 10)

bool cluster_is_shared(const struct cluster *c)
{
	return c->context.shard.total > 1;
}

/* Pick the parts that are read of objects of other shards: their identity, owners and subjects. */
static bool init_pick(struct cluster *c)
{
	c->share.pick = (struct json_pick){ 0 };
	return object_pick(c->context.keys, &c->share.arena, &c->share.pick) &&
	       matcher_references_pick(c->context.keys, &c->share.arena, &c->share.pick);
}

int cluster_init_share(struct cluster *c, struct err *err)
{
	arena_init(&c->share.arena, 0, 0);
	arena_init(&c->share.partial, PARTIAL_FIRST, c->context.limits->arena_bytes);
	if (!cluster_is_shared(c))
		return 0;
	for (size_t i = 0; i < c->n_references; i++) {
		c->share.names |= c->references[i].names;
		c->share.compares |= reference_judge_compares(&c->references[i]);
	}
	c->share.dependents = watch_inspector_reads_dependents(c->inspector);
	return init_pick(c) ? 0 : err_nomem(err);
}

void cluster_done_share(struct cluster *c)
{
	arena_done(&c->share.arena);
	arena_done(&c->share.partial);
}

bool cluster_keeps_enough(const struct cluster *c)
{
	return !cluster_is_shared(c) || c->share.dependents || !watch_inspector_reads_dependents(c->inspector);
}

/* ---- what an object says about other objects ---- */

/* Decode the part of an object that has to be read. False: its text cannot be read. */
static bool decode_part(struct cluster *c, const struct kind *k, const struct kc_object *e, val *ret)
{
	const struct object_type type = { k->api_version, k->name };
	str managed;
	struct err err;

	if (e->doc) {
		*ret = e->doc->root;
		return true;
	}
	return e->text.n && object_decode_part(e->text, c->context.limits, c->context.keys, &type, &c->share.pick, NULL,
					       &c->share.partial, ret, &managed, &err) == 0;
}

static void decoded_part(struct cluster *c)
{
	if (c->share.partial.used > PARTIAL_KEPT)
		arena_done(&c->share.partial);
	else
		arena_reset(&c->share.partial);
}

/* Whether rules may read the object as a dependent. Rules that edit what is compared may read the dependents of any
 * object. */
static bool is_dependent(const struct cluster *c, val object)
{
	val owners = val_dig(object, "metadata", "ownerReferences", NULL);

	for (uint32_t i = 0; val_is_list(owners) && i < owners.n; i++) {
		str uid = foreign_name(VAL_GET(owners.items[i], "uid"));

		if (uid.n && (c->share.compares || shard_owns(c->context.shard, uid)))
			return true;
	}
	return false;
}

static bool is_named(const struct cluster *c, val object)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (reference_judge_counts_named(&c->references[i], object))
			return true;
	}
	return false;
}

/* ---- what this process does with an object ---- */

/* Whether the event is about a known object of another shard and cannot be read: then the object keeps its former
 * state. */
static bool is_known(const struct kind *k, const struct kc_object *e)
{
	const struct object *o = e->unreadable ? snapshot_find(k, e->key) : NULL;

	return o && object_is_foreign(o) && str_eq(object_uid(o), e->uid);
}

/* The share of an object that another shard reports on. */
static struct object_share foreign_share(struct cluster *c, const struct kind *k, const struct kc_object *e)
{
	const struct identity id = { k->api_version, k->name, e->namespace, e->name };
	struct object_share s = { .kept = k->shared || is_known(k, e), .role = OBJECT_FOREIGN };
	bool counts = reference_judges_count(c->references, c->n_references, &id);
	val object;

	if (!counts && !e->unreadable && (c->share.names || c->share.dependents)) {
		bool read = decode_part(c, k, e, &object);

		counts = read && c->share.names && is_named(c, object);
		s.kept |= !read || (c->share.dependents && is_dependent(c, object));
		decoded_part(c);
	}
	if (counts)
		s = (struct object_share){ .kept = true, .role = OBJECT_COUNTED };
	return s;
}

struct object_share cluster_share_of(struct cluster *c, const struct kind *k, const struct kc_object *e)
{
	if (!cluster_is_shared(c) || object_is_own(c->context.shard, e->uid, e->namespace, e->name))
		return (struct object_share){ .kept = true };
	return foreign_share(c, k, e);
}

/* An object of another shard counts for what it matches and for what it names, and for nothing else. */
bool cluster_counts_as_before(struct cluster *c, const struct object *o, const struct kc_object *e)
{
	bool ret = o->role == OBJECT_COUNTED && o->state == OBJECT_CURRENT && !o->received_ns && !o->kind->shared &&
		   !c->share.dependents;
	val object;

	ret = ret && decode_part(c, o->kind, e, &object) && kc_object_confirmed(e, object);
	for (size_t i = 0; ret && i < c->n_references; i++)
		ret = reference_judge_counts_as_before(&c->references[i], o, object);
	decoded_part(c);
	return ret;
}

/* ---- what another configuration would need ---- */

/* Whether verdicts may read dependents that the running cluster does not keep: dependents of objects that other shards
 * report, and that are compared only to be counted. */
static bool lacks_dependents(const struct cluster *c, const struct cluster *running)
{
	return c->share.dependents && c->share.compares && !(running->share.dependents && running->share.compares);
}

void cluster_share_components(struct cluster *c, const struct cluster *running,
			      void (*unknown)(void *ctx, str reference), void *ctx)
{
	size_t n = lacks_dependents(c, running) ? 0 : running->n_references;

	for (size_t i = 0; cluster_is_shared(c) && i < c->n_references; i++) {
		struct reference_judge *rj = &c->references[i];

		if (!reference_judge_knows_kept(rj, running->references, n, &running->snapshot))
			unknown(ctx, rj->reference->name);
	}
}
