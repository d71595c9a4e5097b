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

/* Count and report the result of a comparison. @named is taken over. */
static int conclude(struct reference_judge *rj, struct object *o, val object, const struct verdict *v, bool waits,
		    struct named *named, const struct judge_context *c, struct err *err)
{
	int r;

	reference_set_waits(rj, o, waits);
	if (waits) {
		reference_confirm(rj, o, c);
		return 0;
	}
	r = reference_account(rj, o, v, named, c, err);
	return r < 0 ? r : reference_report(rj, o, object, v, c, err);
}

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

/* Whether the read set of the last verdict says what the next verdict will see of @object. */
static bool sees_part(const struct object *o, val object)
{
	bool edited = object.members != o->doc->root.members;

	return !edited && o->stored && o->stored->n_object <= READ_SET_BYTES_MAX;
}

/* @x: its inspection; NULL: it is not inspected. */
static int judge(struct reference_judge *rj, struct object *o, struct watch_inspection *x, bool force,
		 const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];
	val object = x ? x->ops->object(x) : o->doc->root;
	CLEANUP(named_done) struct named named = { 0 };
	static const struct verdict none;
	struct judged outcome = { 0 };
	struct verdict v;
	uint64_t seen = 0;
	bool known, other;
	int r;

	j->inspected = false;
	matcher_references(rj->matcher, o->doc->root, named_add, &named);
	if (named.no_memory)
		return err_nomem(err);
	known = reference_seen_hash(rj, o, sees_part(o, object) ? j->read_set : NULL, object, &named, c, &seen);
	force |= x && !object_is_foreign(o) && x->ops->awaits_verdict(x);
	if (!force && known && j->known && j->seen_known && j->seen == seen) {
		rj->counters.skipped_unchanged++;
		reference_confirm(rj, o, c);
		return x ? reference_end_inspection(rj, o, x, &none, c, err) : 0;
	}
	r = reference_evaluate(rj, o, object, c, &v, &outcome, err);
	if (r < 0)
		return r;
	other = j->asks_writers != outcome.asks_writers;
	j->asks_writers = outcome.asks_writers;
	other |= sees_part(o, object) &&
		 read_sets_take(&rj->read_sets, v.read_set, v.n_read_parts, c->keys, &j->read_set);
	if (other)
		known = known && reference_seen_hash(rj, o, j->read_set, object, &named, c, &seen);
	r = conclude(rj, o, object, &v, outcome.waits, &named, c, err);
	j->seen = seen;
	j->seen_known = known && r == 0 && !outcome.waits;
	if (r == 0 && x)
		r = reference_end_inspection(rj, o, x, outcome.waits ? NULL : &v, c, err);
	verdict_done(&v);
	return r;
}

int reference_judge_object(struct reference_judge *rj, struct object *o, bool force, const struct judge_context *c,
			   struct err *err)
{
	CLEANUP(watch_inspection_freep) struct watch_inspection *x = NULL;
	int r = reference_begin_inspection(rj, o, c, false, &x, err);

	if (r == 0)
		r = judge(rj, o, x, force, c, err);
	if (r < 0) {
		o->judged[rj->index].seen_known = false;
		reference_report_failure(rj, o, err, c);
	}
	return r;
}

/* ---- what becomes of an object ---- */

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
	if (!o->judged[rj->index].known) /* the object exists, whatever it contains */
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
