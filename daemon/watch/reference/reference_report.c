/* Turns a verdict on an object into findings. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "daemon/watch/snapshot/object_subject.h"
#include "daemon/watch/verdict/shown.h"
#include "daemon/watch/verdict/verdict_report.h"

struct finding_subject reference_subject(const struct reference_judge *rj, const struct object *o)
{
	struct finding_subject s = {
		.cluster = rj->cluster->name,
		.reference = rj->reference->name,
		.reference_hash = str_from(rj->in_force->hash),
	};

	object_subject(o, &s);
	return s;
}

/* The part of the reference that has @component. */
static const struct ref_part *part_of(const struct reference *r, const struct ref_component *component)
{
	for (size_t i = 0; i < r->n_parts; i++) {
		if (component >= r->parts[i].components &&
		    component < r->parts[i].components + r->parts[i].n_components)
			return &r->parts[i];
	}
	return NULL;
}

static void add_template(const struct reference_judge *rj, struct finding_subject *s, const struct ref_template *t)
{
	const struct ref_part *part;

	if (!t)
		return;
	part = part_of(rj->in_force, t->component);
	s->template_path = t->path;
	s->component = t->component->name;
	s->part = part ? part->name : STR("");
}

struct accepted_judge reference_accepted(const struct judge_context *c)
{
	return (struct accepted_judge){ .set = c->acceptances, .findings = c->findings };
}

/* Take the accepted changes, which are reported apart from the drift, out of the verdict of @context. Its severity
 * becomes that of the worst change that is left. @left: memory for the new verdict, which borrows from the old one
 * and from @a. @unruled: the severity of changes that no event rule is for. *all: no change is left. */
static int leave_accepted(struct verdict_context *context, enum severity unruled, const struct judge_context *c,
			  struct arena *a, struct verdict *left, bool *all, struct err *err)
{
	const struct accepted_judge accepted = reference_accepted(c);
	const struct accepted *by = NULL;

	*left = *context->verdict;
	if (accepted_drift(&accepted, context, a, &left->changes, &by, err) < 0)
		return -err->code;
	*all = by != NULL;
	if (by)
		findings_accepted(c->findings, FINDING_DRIFT, context->subject, by->is.says.reason);
	else if (left->changes.n) /* changes are sorted: the worst is the first */
		context->severity = left->changes.p[0].rule ? event_rule_severity(left->changes.p[0].rule) : unruled;
	context->verdict = left;
	return 0;
}

static enum end_reason why_not_drifted(enum verdict_state state)
{
	if (state == VERDICT_COMPLIANT)
		return END_REPAIRED;
	return state == VERDICT_EXCLUDED ? END_EXCLUDED : END_NOT_IN_REFERENCE;
}

/* What is known of the object besides the verdict. @s: the subject of the finding, which the context borrows. */
static struct verdict_context context_of(const struct reference_judge *rj, struct object *o, val object,
					 const struct verdict *v, const struct judge_context *c,
					 const struct finding_subject *s)
{
	struct verdict_context ret = {
		.kind = FINDING_DRIFT,
		.verdict = v,
		.object = object,
		.subject = s,
		.several = o->several,
		.received_ns = o->received_ns,
		.severity = v->outcome ? v->outcome->severity : cfg_severity(rj->reference, s->component),
		.hold_ns = v->outcome ? v->outcome->hold_ns : rj->reference->hold_ns,
		.limits = c->limits,
	};

	if (v->state == VERDICT_DRIFTED || v->state == VERDICT_ERROR || findings_get(c->findings, FINDING_DRIFT, s)) {
		ret.managed_fields = doc_cache_managed_fields(o->kind->doc_cache, o);
		ret.writers_before = doc_cache_writers(o->kind->doc_cache, o);
	}
	return ret;
}

int reference_report(struct reference_judge *rj, struct object *o, val object, const struct verdict *v,
		     const struct judge_context *c, struct err *err)
{
	const struct accepted_judge accepted = reference_accepted(c);
	struct finding_subject s = reference_subject(rj, o);
	struct verdict_context context;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->limits->arena_bytes);
	enum end_reason why = why_not_drifted(v->state);
	struct verdict left;
	bool all = false;

	if (object_is_foreign(o))
		return 0;
	add_template(rj, &s, v->template);
	context = context_of(rj, o, object, v, c, &s);
	switch (v->state) {
	case VERDICT_DRIFTED:
		findings_clear(c->findings, FINDING_ERROR, &s, END_REPAIRED);
		if (leave_accepted(&context, cfg_severity(rj->reference, s.component), c, &a, &left, &all, err) < 0)
			return -err->code;
		break;
	case VERDICT_ERROR:
		/* the drift stays open, because nobody knows whether it is repaired */
		rj->counters.failures++;
		findings_confirm(c->findings, FINDING_DRIFT, &s);
		accepted_object_confirm(&accepted, &s);
		break;
	default:
		accepted_object_ends(&accepted, &s, why);
		verdict_repaired(c->findings, &context, why);
		findings_clear(c->findings, FINDING_ERROR, &s, why);
		return 0;
	}
	return all ? 0 : verdict_report(c->findings, &context, err);
}

void reference_confirm(const struct reference_judge *rj, const struct object *o, const struct judge_context *c)
{
	const struct accepted_judge accepted = reference_accepted(c);
	struct finding_subject s = reference_subject(rj, o);

	if (object_is_foreign(o))
		return;
	findings_confirm(c->findings, FINDING_DRIFT, &s);
	findings_confirm(c->findings, FINDING_ERROR, &s);
	accepted_object_confirm(&accepted, &s);
}

void reference_report_failure(const struct reference_judge *rj, const struct object *o, const struct err *why,
			      const struct judge_context *c)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct accepted_judge accepted = reference_accepted(c);
	struct finding_report r = { .kind = FINDING_ERROR, .severity = rj->reference->severity };
	struct err err;

	if (object_is_foreign(o))
		return;
	r.subject = reference_subject(rj, o);
	finding_report_say(&r, &a, shown_object(&a, &r.subject), arena_printf(&a, "cannot be judged: %s", why->msg));
	r.state = str_from(why->msg);
	r.received_ns = o->received_ns;
	(void)!findings_report(c->findings, &r, &err); /* without memory the object is judged again */
	findings_confirm(c->findings, FINDING_DRIFT, &r.subject);
	accepted_object_confirm(&accepted, &r.subject);
}
