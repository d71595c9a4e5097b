/* Hashes what a verdict can see of an object, and finds out whether a verdict is still valid. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "base/assert.h"
#include "base/hash.h"

#define PARTIAL_KEPT 65536 /* the size of the scratch memory that is kept after use */

bool templates_seen_hash(const struct ref_template *const *candidates, size_t n, const struct read_part *read_set,
			 val object, const struct named *named, struct arena *a, uint64_t *ret)
{
	struct identity id = identity_of(object);
	uint64_t h = hash_mix(hash_seed(), n);

	h = hash_mix(h, hash_str(id.api_version, 0));
	h = hash_mix(h, hash_str(id.kind, 0));
	h = hash_mix(h, hash_str(id.namespace, 0));
	h = hash_mix(h, hash_str(id.name, 0));
	h = hash_mix(h, named->templates.n);
	for (size_t i = 0; i < named->templates.n; i++)
		h = hash_mix(h, named->templates.p[i]);
	if (!read_set_hash_seen(candidates, n, read_set, object, a, &h))
		return false;
	*ret = h;
	return true;
}

/* Hash which manager owns which field. When it was written does not count. */
static uint64_t hash_owners(val managed_fields)
{
	uint64_t h = 0;

	for (uint32_t i = 0; i < val_count(managed_fields); i++) {
		val entry = val_at(managed_fields, i);

		h = hash_mix(h, val_hash(VAL_GET(entry, "manager")));
		h = hash_mix(h, val_hash(VAL_GET(entry, "fieldsV1")));
	}
	return h;
}

uint64_t rules_seen_hash(const struct event_review *rules, val object, val managed_fields)
{
	uint64_t h = 0;

	if (event_review_reads_labels(rules))
		h = val_hash(val_dig(object, "metadata", "labels", NULL));
	if (val_exists(managed_fields))
		h = hash_mix(h, hash_owners(managed_fields));
	return h;
}

void reference_add_inspected(const struct watch_inspector_reads *inspects, val object, uint64_t *hash)
{
	if (inspects)
		*hash = hash_mix(*hash, hash_mix(inspects->edition, object_ways_hash(&inspects->ways, object)));
}

/* Hash what the templates, the event rules and the inspection rules can see of the object. False: that is unknown. */
static bool seen_hash_with(const struct reference_judge *rj, struct object *o, const struct read_set *read_set,
			   val object, const struct named *named, const struct watch_inspector_reads *inspects,
			   struct arena *a, uint64_t *ret)
{
	const struct ref_template *const *candidates;
	size_t n = reference_candidates(rj, o, &candidates);
	val managed_fields = { 0 };

	ASSERT(!read_set || read_set->n == n);
	if (!templates_seen_hash(candidates, n, read_set ? read_set->parts : NULL, object, named, a, ret))
		return false;
	if (o->judged[rj->index].asks_writers)
		managed_fields = doc_cache_managed_fields(o->kind->doc_cache, o);
	if (rj->review)
		*ret = hash_mix(*ret, rules_seen_hash(rj->review, object, managed_fields));
	reference_add_inspected(inspects, object, ret);
	return true;
}

bool reference_seen_hash(const struct reference_judge *rj, struct object *o, const struct read_set *read_set,
			 val object, const struct named *named, const struct judge_context *c, uint64_t *ret)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->limits->arena_bytes);

	return seen_hash_with(rj, o, read_set, object, named, watch_inspector_reads(c->inspector), &a, ret);
}

/* ---- whether a verdict is still valid ---- */

struct besides {
	const struct reference_judge *rj;
	const struct object_ways *others; /* what others look at, such as inspection rules; NULL: nothing */
	struct key_table *keys;
};

/* Add to @pick what is read of an object besides its read set: what references to other objects, inspection rules
 * and event rules need. */
static bool pick_besides(void *ctx, struct arena *a, struct json_pick *pick)
{
	static const str labels[] = { { "metadata", 8 }, { "labels", 6 } };
	const struct besides *b = ctx;
	struct json_pick of;

	if (!matcher_references_pick(b->keys, a, pick) ||
	    (b->others && !json_pick_both(pick, &b->others->pick, a, pick)))
		return false;
	return !b->rj->review || !event_review_reads_labels(b->rj->review) ||
	       (json_pick_path(labels, ARRAY_LEN(labels), b->keys, a, &of) && json_pick_both(pick, &of, a, pick));
}

/* True when the limits of a document are so high that no text of at most READ_SET_BYTES_MAX bytes comes near them. */
static bool are_far(const struct limits *limits)
{
	return limits->document_nodes >= READ_SET_BYTES_MAX && limits->arena_bytes >= (size_t)64 * READ_SET_BYTES_MAX;
}

const struct json_pick *reference_judge_pick(const struct reference_judge *rj, const struct identity *id,
					     struct read_sets *read_sets, struct read_set *read_set,
					     const struct object_ways *besides, uint64_t edition,
					     const struct limits *limits, struct key_table *keys)
{
	const struct ref_template *const *candidates = NULL;
	size_t n = matcher_candidates(rj->matcher, id, &candidates);

	if (!are_far(limits) || (read_set && read_set->n != n)) /* the read set is for other candidates */
		return NULL;
	return read_sets_pick(read_sets, read_set, candidates, n, edition, pick_besides,
			      &(struct besides){ rj, besides, keys }, keys);
}

/* Decode the part of the text of @e that has to be looked at. VAL_ABSENT: all of the text has to be decoded. */
static val decode_part(struct reference_judge *rj, struct object *o, struct kc_object *e,
		       const struct watch_inspector_reads *inspects, const struct judge_context *c)
{
	const struct object_type type = { o->kind->api_version, o->kind->name };
	const struct identity id = object_identity(o);
	const struct json_pick *pick = reference_judge_pick(rj, &id, &rj->read_sets, o->judged[rj->index].read_set,
							    inspects ? &inspects->ways : NULL,
							    inspects ? inspects->edition : 0, c->limits, c->keys);
	struct err err;
	val root;

	if (!pick || object_decode_part(e->text, c->limits, c->keys, &type, pick, NULL, &rj->partial, &root,
					&e->managed_fields, &err) < 0)
		return (val){ 0 };
	if (!e->managed_fields.p)
		e->managed_fields = STR("");
	return kc_object_confirmed(e, root) ? root : (val){ 0 };
}

static bool still_valid(struct reference_judge *rj, struct object *o, struct kc_object *e,
			const struct judge_context *c)
{
	const struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	const struct watch_inspector_reads *inspects = watch_inspector_reads(c->inspector);
	val root = e->doc ? e->doc->root : decode_part(rj, o, e, inspects, c);
	uint64_t seen;

	if (!val_exists(root) || e->text.n - e->managed_fields.n > READ_SET_BYTES_MAX)
		return false;
	matcher_references(rj->matcher, root, named_add, &named);
	return !named.no_memory && seen_hash_with(rj, o, j->read_set, root, &named, inspects, &rj->partial, &seen) &&
	       seen == j->seen;
}

/* Whether the inspection under this reference need not be repeated. */
static bool inspection_still_valid(const struct reference_judge *rj, const struct object *o,
				   const struct judge_context *c)
{
	return !watch_inspector_active(c->inspector) || object_is_foreign(o) || o->judged[rj->index].inspected ||
	       !reference_judge_is_for(rj, o);
}

bool reference_judge_still_valid(struct reference_judge *rj, struct object *o, struct kc_object *e,
				 const struct judge_context *c)
{
	const struct judged *j = &o->judged[rj->index];
	bool ret;

	if (!e->text.n || !j->known || !j->seen_known || j->waits || j->asks_writers ||
	    !inspection_still_valid(rj, o, c))
		return false;
	ret = still_valid(rj, o, e, c);
	if (rj->partial.used > PARTIAL_KEPT)
		arena_done(&rj->partial);
	else
		arena_reset(&rj->partial);
	return ret;
}
