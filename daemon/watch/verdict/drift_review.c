/* Who wrote a field, for rules that ask. */
#include "daemon/watch/verdict/drift_review.h"

/* The context of one review: the verdict that is reviewed, and what is known for it. */
struct asking {
	struct drift_review *review;
	struct verdict *v;
};

static bool removed_by(struct asking *a, struct path p, const struct event_selector *s)
{
	struct blame b;

	return removal_writer(&a->review->removal, p, &a->v->arena, &b) && event_selector_matches_manager(s, b.manager);
}

static bool written_by(void *ctx, struct path p, bool gone, const struct event_selector *s, uint64_t *steps)
{
	struct asking *a = ctx;
	struct drift_review *r = a->review;

	r->asked = true;
	r->removal.steps = steps;
	r->unknown |= r->writers_unknown && !val_is_list(r->removal.managed_fields);
	if (gone)
		return removed_by(a, p, s);
	return event_written_by(r->removal.managed_fields, r->object, p, s, steps);
}

int drift_review_apply(struct drift_review *r, struct verdict *v, const struct mask_fields *mask, uint64_t *steps,
		       struct err *err)
{
	struct asking asking = { r, v };
	const struct event_subject subject = {
		.object = r->object,
		.schema = r->schema,
		.severity = cfg_severity(r->reference, v->template ? v->template->component->name : STR("")),
		.hold_ns = r->reference->hold_ns,
		.written_by = written_by,
		.ctx = &asking,
	};

	return event_review_apply(r->rules, &subject, v, mask, steps, err);
}
