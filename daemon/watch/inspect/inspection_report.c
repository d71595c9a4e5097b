/* Reports failures of inspections as findings. */
#include "daemon/watch/inspect/inspection_report.h"

#include "base/assert.h"
#include "daemon/watch/verdict/shown.h"
#include "mask/mask.h"

#define MESSAGE_INLINE_MAX 300
#define HIDDEN "(hidden: it holds what may not be shown)"
/* the most secret texts that are looked for in one object: when it has more, nothing is shown */
#define SECRETS_MAX 1000
#define STEPS_SHARE 8 /* the report of an inspection may take one part in so many of an evaluation's steps */

bool inspection_failed(const struct inspection_outcome *o)
{
	return o->problem.p || (o->run && o->run->state != INSP_DONE);
}

enum insp_phase inspection_failed_in(const struct inspection_outcome *o)
{
	return o->run ? o->run->phase : INSP_EARLY;
}

/* Find what has to be hidden. A message may quote the object, its dependents and its old state: what is hidden in
 * these is hidden in the message. False: the messages cannot be shown. */
static bool find_secrets(const struct inspector *i, const struct inspection_outcome *o, struct arena *a)
{
	struct err err;
	const bool open = doc_cache_open_previous(o->object->kind->doc_cache, o->object, &err) == 0;
	const val previous = open ? doc_cache_previous(o->object) : (val){ 0 };
	const val from[] = { o->object->doc->root, val_exists(previous) ? previous : val_null(), o->dependents };
	struct inspection_secrets *s = o->secrets;
	size_t n = i->of.cfg->mask.n_known, max = n + SECRETS_MAX;
	str *texts = arena_array(a, max, sizeof(*texts));

	s->fields = i->of.cfg->mask;
	s->steps = i->of.limits->evaluation_steps / STEPS_SHARE;
	s->fields.steps = &s->steps;
	if (!texts || !open)
		return false;
	for (size_t k = 0; k < n; k++)
		texts[k] = s->fields.known[k];
	for (size_t k = 0; k < ARRAY_LEN(from); k++) {
		if (!mask_texts(&s->fields, from[k], texts, &n, max))
			return false;
	}
	s->fields.known = texts;
	s->fields.n_known = n;
	return true;
}

str inspection_shown(const struct inspector *i, const struct inspection_outcome *o, struct insp_text message,
		     struct arena *a)
{
	struct inspection_secrets *s = o->secrets;

	if (message.secret)
		return STR(HIDDEN);
	if (!s->found)
		s->all = !find_secrets(i, o, a);
	s->found = true;
	return s->all || mask_hides(&s->fields, mask_root(), val_string(message.text)) ? STR(HIDDEN) : message.text;
}

/* Add which rule failed and with what message. Without a rule the object is too large to be inspected. */
static void add_failure(const struct inspector *i, const struct inspection_outcome *o, struct arena *kept,
			struct finding_report *r)
{
	const struct insp_rule *rule = o->run ? o->run->rule : NULL;

	ASSERT(o->problem.p || rule); /* one of these says why the inspection failed */
	r->subject.phase = str_from(insp_phase_name(inspection_failed_in(o)));
	r->subject.rule = rule ? rule->uuid : STR("");
	if (o->problem.p)
		r->rule_message = o->problem;
	else if (rule->sensitive)
		r->rule_message = o->run->message; /* the message of a sensitive rule only says that it failed */
	else
		r->rule_message = inspection_shown(i, o, (struct insp_text){ o->run->message, o->run->secret }, kept);
}

static int report_failure(struct inspector *i, const struct inspection_outcome *o, struct arena *kept, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = {
		.kind = FINDING_INSPECTION,
		.severity = i->of.cfg->inspection.severity,
		.subject = *o->subject,
		.received_ns = o->object->received_ns,
	};

	add_failure(i, o, kept, &r);
	finding_report_say(&r, &a, arena_printf(&a, "%.*s:", STR_ARG(shown_object(&a, o->subject))),
			   shown_line(&a, r.rule_message, MESSAGE_INLINE_MAX));
	r.details =
		arena_printf(&a, "inspection rule %.*s, phase %.*s", STR_ARG(r.subject.rule), STR_ARG(r.subject.phase));
	r.state = arena_printf(&a, "%.*s\n%.*s\n%.*s", STR_ARG(r.subject.rule), STR_ARG(r.subject.phase),
			       STR_ARG(o->problem.p ? o->problem : o->run->message));
	if (!r.what.p || !r.details.p || !r.state.p)
		return err_nomem(err);
	return findings_report(i->of.findings, &r, err);
}

/* Why the object has no failure any more: for instance because the rule that failed is gone. */
static enum end_reason why_no_failure(const struct inspector *i, const struct inspection_outcome *o)
{
	const struct finding *x = findings_get(i->of.findings, FINDING_INSPECTION, o->subject);

	return x && !inspection_rules_has(i->context->rules, x->subject.rule) ? END_RULE_GONE : END_REPAIRED;
}

int inspection_report(struct inspector *i, const struct inspection_outcome *o, struct arena *a, struct err *err)
{
	if (inspection_failed(o))
		return report_failure(i, o, a, err);
	findings_clear(i->of.findings, FINDING_INSPECTION, o->subject, why_no_failure(i, o));
	return 0;
}
