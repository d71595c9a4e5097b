/* Reports, accepts and ends the violations of one object. */
#include "daemon/watch/rules/violations.h"

#include "daemon/watch/rules/open_rules.h"
#include "daemon/watch/snapshot/object_subject.h"
#include "daemon/watch/verdict/accepted_judge.h"
#include "rules/failure_text.h"

struct finding_subject violations_subject(const struct violations *v, enum rule_source source, str rule, str path)
{
	struct rule_scope scope = ruled_kind_scope(v->kind, v->o);
	struct finding_subject s = rule_subject(&scope, source, rule, path);

	object_subject(v->object, &s);
	return s;
}

struct finding_subject violations_subject_of_more(const struct violations *v)
{
	struct finding_subject s = violations_subject(v, RULES_OF_FILE, STR(OPEN_RULE_MORE), STR("."));

	s.rule_source = STR(""); /* the failures that are only counted may be of rules of either source */
	s.reason = str_from(cel_reason_name(CEL_INVALID));
	return s;
}

/* The kind of the finding about the violation @s: accepted, or not. @acceptance: the id of the acceptance, or "". */
static enum finding_kind kind_of(struct finding_subject *s, const char *acceptance)
{
	s->acceptance = str_from(acceptance);
	return *acceptance ? FINDING_ACCEPTED : FINDING_VALIDATION;
}

void violations_end(const struct violations *v, const struct finding_subject *of, const char *acceptance,
		    enum end_reason why)
{
	struct finding_subject s = *of;
	enum finding_kind kind = kind_of(&s, acceptance);

	findings_clear(v->o->findings, kind, &s, kind == FINDING_ACCEPTED ? end_reason_of_acceptance(why) : why);
}

void violations_confirm(const struct violations *v, const struct finding_subject *of, const char *acceptance)
{
	struct finding_subject s = *of;
	enum finding_kind kind = kind_of(&s, acceptance);

	findings_confirm(v->o->findings, kind, &s);
}

bool violations_move(const struct violations *v, const struct finding_subject *of, const char *acceptance, str path)
{
	struct finding_subject s = *of;
	enum finding_kind kind = kind_of(&s, acceptance);

	return findings_move(v->o->findings, kind, &s, path);
}

const struct accepted *violations_accepted_by(const struct violations *v, const struct finding_subject *s,
					      const struct cel_failure *f)
{
	const struct acceptances *set = v->o->acceptances;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct change there = { 0 };

	if (!set || !acceptances_next(set, NULL))
		return NULL;
	if (f) {
		there.actual = path_get(v->object->doc->root, f->path.at);
		there.sensitive = failure_hides(&v->mask, v->object->doc->root, f);
	}
	/* without a path the violation can only be accepted as a whole */
	(void)!path_parse(s->rule_path, &a, &there.path);
	return accepted_by(set, s, &there);
}

const struct accepted *violations_still_accepted_by(const struct violations *v, const struct finding_subject *s,
						    const char *was)
{
	const struct accepted *is =
		*was && v->o->acceptances ? acceptances_get(v->o->acceptances, str_from(was)) : NULL;

	return is && is->in_force ? is : violations_accepted_by(v, s, NULL);
}

enum finding_kind violations_accept(const struct violations *v, struct finding_subject *s, const char *was,
				    const struct accepted *by, char now[ACCEPTANCE_ID_SIZE])
{
	memcpy(now, by ? by->is.id : "", by ? ACCEPTANCE_ID_SIZE : 1);
	if (by)
		findings_accepted(v->o->findings, FINDING_VALIDATION, s, by->is.says.reason);
	if (*was && strcmp(was, now) != 0)
		violations_end(v, s, was, END_REPAIRED);
	if (by)
		*s = accepted_subject(s, by);
	return by ? FINDING_ACCEPTED : FINDING_VALIDATION;
}
