/* Judging objects by one reference. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include <errno.h>

#define PARTIAL_MAX ((size_t)64 * READ_SET_BYTES_MAX)

int reference_judge_init(struct reference_judge *rj, const struct cfg *cfg, const struct cfg_cluster *cluster,
			 const struct cfg_reference *reference, size_t index, struct shard shard, struct err *err)
{
	*rj = (struct reference_judge){ .cfg = cfg,
					.cluster = cluster,
					.reference = reference,
					.in_force = reference_ref(reference->reference),
					.awaits = reference->reference->changes,
					.index = index,
					.shard = shard,
					.components_due = true };
	dependents_init(&rj->dependents);
	arena_init(&rj->partial, 4096, PARTIAL_MAX);
	if (reference->n_event_sets &&
	    event_review_new(reference->event_sets, reference->n_event_sets, &rj->review, err) < 0)
		return -err->code;
	return reference_make_tables(rj, err);
}

void reference_judge_done(struct reference_judge *rj)
{
	reference_free_tables(rj);
	event_review_free(rj->review);
	dependents_done(&rj->dependents);
	read_sets_done(&rj->read_sets);
	arena_done(&rj->partial);
	*rj = (struct reference_judge){ 0 };
}

/* ---- judging ---- */

int reference_end_inspection(const struct reference_judge *rj, struct object *o, struct watch_inspection *x,
			     const struct verdict *v, const struct judge_context *c, struct err *err)
{
	int r;

	if (object_is_foreign(o))
		return 0;
	if (!v) {
		watch_inspector_keep(c->inspector, o, rj->reference);
		return 0;
	}
	r = x->ops->end(x, v, err);
	if (r < 0)
		return r;
	o->judged[rj->index].effects_due = EFFECTS_NONE;
	o->judged[rj->index].inspected = x->ops->passes_again(x);
	return 0;
}

/* Whether the read set of the last verdict says what the next verdict will see of @object: not of an object that is
 * edited or large. */
static bool sees_part(const struct object *o, val object)
{
	bool edited = object.members != o->doc->root.members;

	return !edited && o->stored && o->stored->n_object <= READ_SET_BYTES_MAX;
}

/* One object while it is judged. */
struct judging {
	struct reference_judge *rj;
	struct object *o;
	const struct judge_context *c;
	struct watch_inspection *x; /* the inspection; NULL: the object is not inspected */
	val object;                 /* the object as it is compared, after inspection rules have edited it */
	struct named named;
	uint64_t seen; /* the hash of what the last verdict saw, as it is in the object now; valid if @known */
	bool known;
	struct verdict v;
	struct judged outcome;
};

/* Hash what the reference sees of the object. */
static void hash_seen(struct judging *g)
{
	const struct judged *j = &g->o->judged[g->rj->index];
	const struct read_set *read_set = sees_part(g->o, g->object) ? j->read_set : NULL;

	g->known = reference_seen_hash(g->rj, g->o, read_set, g->object, &g->named, g->c, &g->seen);
}

/* Begin the inspection, and look whether the reference sees what it saw before, if that is known. */
static int look(struct judging *g, struct err *err)
{
	struct judged *j = &g->o->judged[g->rj->index];
	int r = reference_begin_inspection(g->rj, g->o, g->c, false, &g->x, err);

	if (r < 0)
		return r;
	j->inspected = false;
	g->object = g->x ? g->x->ops->object(g->x) : g->o->doc->root;
	matcher_references(g->rj->matcher, g->o->doc->root, named_add, &g->named);
	if (g->named.no_memory)
		return err_nomem(err);
	if (j->known && j->seen_known)
		hash_seen(g);
	return 0;
}

/* Whether the reference sees what it saw when it reached its last verdict. */
static bool sees_the_same(const struct judging *g)
{
	const struct judged *j = &g->o->judged[g->rj->index];

	if (g->x && !object_is_foreign(g->o) && g->x->ops->awaits_verdict(g->x))
		return false;
	return g->known && j->known && j->seen_known && j->seen == g->seen;
}

/* Keep the read set of the verdict, and count the object by its verdict. */
static int account(struct judging *g, struct err *err)
{
	struct judged *j = &g->o->judged[g->rj->index];
	bool other = j->asks_writers != g->outcome.asks_writers;

	j->asks_writers = g->outcome.asks_writers;
	other |= sees_part(g->o, g->object) &&
		 read_sets_take(&g->rj->read_sets, g->v.read_set, g->v.n_read_parts, g->c->keys, &j->read_set);
	if (!g->outcome.waits && (other || !g->known))
		hash_seen(g);
	reference_set_waits(g->rj, g->o, g->outcome.waits);
	return g->outcome.waits ? 0 : reference_account(g->rj, g->o, &g->v, &g->named, g->c, err);
}

/* End the inspection. @r: the result of judging; if that failed, @err says why. */
static int finish(struct judging *g, int r, struct err *err)
{
	struct judged *j = &g->o->judged[g->rj->index];

	j->seen = g->seen;
	j->seen_known = g->known && r == 0 && !g->outcome.waits;
	if (r == 0 && g->x)
		r = reference_end_inspection(g->rj, g->o, g->x, g->outcome.waits ? NULL : &g->v, g->c, err);
	if (r < 0) {
		j->seen_known = false;
		reference_report_failure(g->rj, g->o, err, g->c);
	}
	watch_inspection_freep(&g->x);
	named_done(&g->named);
	verdict_done(&g->v);
	return r;
}

int reference_judge_object(struct reference_judge *rj, struct object *o, bool force, const struct judge_context *c,
			   struct err *err)
{
	struct judging g = { .rj = rj, .o = o, .c = c };
	int r = look(&g, err);
	bool same = r == 0 && !force && sees_the_same(&g);

	rj->counters.skipped_unchanged += same;
	if (r == 0 && !same)
		r = reference_evaluate(rj, o, g.object, c, &g.v, &g.outcome, err);
	if (r == 0 && !same)
		r = account(&g, err);
	if (r == 0 && (same || g.outcome.waits))
		reference_confirm(rj, o, c);
	else if (r == 0)
		r = reference_report(rj, o, g.object, &g.v, c, err);
	return finish(&g, r, err);
}

/* ---- other events of an object ---- */

bool reference_judge_is_for(const struct reference_judge *rj, const struct object *o)
{
	const struct ref_template *const *candidates;

	return reference_candidates(rj, o, &candidates) > 0 && !reference_excludes(rj, o);
}

void reference_judge_effects_due(const struct reference_judge *rj, struct object *o, enum effects_due due)
{
	uint8_t *known = &o->judged[rj->index].effects_due;

	if (due > *known)
		*known = (uint8_t)due;
}

int reference_judge_refuse(struct reference_judge *rj, struct object *o, const char *reason,
			   const struct judge_context *c, bool *reported)
{
	const struct ref_template *const *candidates;
	size_t n = reference_candidates(rj, o, &candidates);
	struct verdict v = { .state = VERDICT_ERROR };
	struct named none = { 0 };
	struct err why;
	int r = 0;

	if (n == 0 || reference_excludes(rj, o))
		return 0;
	*reported = !object_is_foreign(o);
	o->judged[rj->index].seen_known = false;
	v.template = candidates[0];
	if (!o->judged[rj->index].known) /* the object counts as existing, whatever it contains */
		r = reference_account(rj, o, &v, &none, c, &why);
	if (object_is_foreign(o))
		return r;
	rj->counters.failures++;
	(void)err_set(&why, EBADMSG, "%s", reason);
	reference_report_failure(rj, o, &why, c);
	watch_inspector_keep(c->inspector, o, rj->reference);
	return r;
}

void reference_judge_forget(struct reference_judge *rj, struct object *o, enum end_reason why,
			    const struct judge_context *c)
{
	const struct accepted_judge accepted = reference_accepted(c);
	struct finding_subject s = reference_subject(rj, o);

	reference_judge_release(rj, o);
	accepted_object_ends(&accepted, &s, why);
	findings_clear(c->findings, FINDING_DRIFT, &s, why);
	findings_clear(c->findings, FINDING_ERROR, &s, why);
	watch_inspector_forget(c->inspector, o, rj->reference, why);
}

void reference_judge_release(struct reference_judge *rj, struct object *o)
{
	reference_uncount(rj, o);
	read_sets_drop(&rj->read_sets, &o->judged[rj->index].read_set);
	reference_set_waits(rj, o, false);
}

void reference_judge_forget_seen(const struct reference_judge *rj, struct object *o)
{
	o->judged[rj->index].seen_known = false;
}

void reference_judge_changed(struct reference_judge *rj, const struct object *changed)
{
	struct identity id = object_identity(changed);

	if (changed->kind->looked_up)
		dependents_changed(&rj->dependents, changed->kind, id.namespace, id.name);
}
