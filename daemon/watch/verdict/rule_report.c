/* From a failed rule to a finding. */
#include "daemon/watch/verdict/rule_report.h"

#include "daemon/watch/verdict/removal.h"
#include "daemon/watch/verdict/shown.h"
#include "rules/failure_text.h"
#include "value/json.h"

#define MESSAGE_INLINE_MAX 300

struct reporter {
	const struct failure_context *c;
	struct arena arena;
	bool hidden;
};

/* The owner of the field. For a field that is gone or has no owner: who has written since the last verdict. */
static struct blame blame_of(struct reporter *r, struct findings *f, struct finding_path *path)
{
	const struct failure_context *c = r->c;
	struct path at = c->failure->path.at;
	bool gone = at.n && !val_exists(path_get(c->object, at)); /* false: the field exists, but may have no owner */
	struct removal removal = {
		.findings = f,
		.open = gone ? findings_get(f, c->kind, c->subject) : NULL,
		.writers_before = c->writers_before,
		.managed_fields = c->managed_fields,
		.several = c->several,
		.span = findings_span(f),
		.steps = c->blame_steps,
	};
	struct blame b = { 0 };

	if (!val_is_list(c->managed_fields) ||
	    (at.n && blame_field(c->managed_fields, c->object, at, c->blame_steps, &b)))
		return b;
	path->gone = gone;
	path->at = at;
	if (removal_writer(&removal, at, &r->arena, &b))
		path->removed_by = b;
	return path->removed_by;
}

/* The change of the value, as " (8 -> 3)", if it fits into a line. */
static str change_text(struct reporter *r, str old, str actual)
{
	if (old.n == 0 || old.n > SHOWN_INLINE_MAX || actual.n > SHOWN_INLINE_MAX)
		return STR("");
	return arena_printf(&r->arena, " (%.*s -> %.*s)", STR_ARG(old), STR_ARG(actual));
}

/* What makes this failure a new one when it differs from the last report. A value that holds others is left out,
 * since a rule on a whole object would change with every update. For a transition rule the resourceVersion is part
 * of it: what such a rule says is about one update. The text is hashed, never shown. */
static str state_of(struct reporter *r)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64u << 20);
	const struct cel_failure *f = r->c->failure;
	struct err err;

	buf_add_str(&out, f->message);
	buf_add_byte(&out, '\n');
	if (val_is_scalar(f->value))
		(void)!json_encode(f->value, JSON_PLAIN, NULL, &out, &err);
	if (f->rule && f->rule->transition)
		buf_printf(&out, "\n%.*s", STR_ARG(r->c->subject->resource_version));
	buf_add_str(&out, shown_acceptance(&r->arena, r->c->subject));
	return arena_str(&r->arena, buf_str(&out));
}

static str details_of(struct reporter *r, str actual, str old, const struct blame *b)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	const struct finding_subject *s = r->c->subject;

	buf_printf(&out, "rule %.*s (%.*s)\nfound %.*s", STR_ARG(str_trim(s->rule)), STR_ARG(s->rule_source),
		   STR_ARG(actual));
	if (old.n)
		buf_printf(&out, "\nbefore %.*s", STR_ARG(old));
	if (r->c->failure->message_problem.p && !r->hidden)
		buf_printf(&out, "\n%.*s", STR_ARG(r->c->failure->message_problem));
	shown_writer(&out, "\n", b);
	return arena_str(&r->arena, buf_str(&out));
}

/* Say which field failed. A summary does not name a field when the whole object failed. */
static void say(struct reporter *r, struct finding_report *report, str actual)
{
	str object = shown_object(&r->arena, r->c->subject), field = r->c->subject->rule_path;
	str what = arena_printf(
		&r->arena, "%.*s%.*s%.*s", STR_ARG(shown_line(&r->arena, report->rule_message, MESSAGE_INLINE_MAX)),
		STR_ARG(change_text(r, report->old, actual)), STR_ARG(shown_acceptance(&r->arena, r->c->subject)));

	if (str_eq(field, STR(".")))
		finding_report_say(report, &r->arena, arena_printf(&r->arena, "%.*s .:", STR_ARG(object)), what);
	else
		finding_report_say(report, &r->arena, object,
				   arena_printf(&r->arena, "%.*s: %.*s", STR_ARG(field), STR_ARG(what)));
}

int failure_report(struct findings *f, const struct failure_context *c, struct err *err)
{
	struct reporter r = { .c = c };
	struct finding_report report = {
		.kind = c->kind,
		.severity = c->severity,
		.hold_ns = c->hold_ns,
		.subject = *c->subject,
		.received_ns = c->received_ns,
		.n_paths = 1,
		.n_paths_total = 1,
	};
	struct finding_path path = { .path = c->subject->rule_path };
	struct shown_pair pair;
	int status;

	arena_init(&r.arena, 4096, 0);
	r.hidden = failure_hides(c->mask, c->object, c->failure);
	pair = shown_pair(&r.arena, c->failure->old, c->failure->value, r.hidden, SHOWN_VALUE_MAX);
	path.actual = pair.actual;
	report.paths = &path;
	report.old = val_exists(c->failure->old) ? pair.expected : STR("");
	report.blame = blame_of(&r, f, &path);
	report.rule_message = failure_message(c->failure, r.hidden, &r.arena);
	say(&r, &report, path.actual);
	report.details = details_of(&r, path.actual, report.old, &report.blame);
	report.state = state_of(&r);
	status = findings_report(f, &report, err);
	arena_done(&r.arena);
	return status;
}

int more_failures_report(struct findings *f, enum finding_kind kind, const struct finding_subject *s,
			 enum severity severity, size_t n, uint64_t received_ns, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report report = {
		.kind = kind,
		.severity = severity,
		.subject = *s,
		.n_paths_total = n, /* another number is no news, so that it is not in the state */
		.received_ns = received_ns,
	};

	report.state = shown_acceptance(&a, s);
	finding_report_say(
		&report, &a, shown_object(&a, s),
		arena_printf(&a, "fails %zu more rules than are reported one by one%.*s", n, STR_ARG(report.state)));
	return findings_report(f, &report, err);
}

int rule_error_report(struct findings *f, const struct finding_subject *s, str why, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_path path = { .path = s->rule_path };
	struct finding_report report = {
		.kind = FINDING_ERROR,
		.severity = SEVERITY_ERROR,
		.subject = *s,
		.details = why,
		.state = why,
		.rule_message = why,
		.paths = &path,
		.n_paths = 1,
	};
	str resource = s->resource.n ? s->resource : s->kind;

	finding_report_say(&report, &a, arena_printf(&a, "%.*s:", STR_ARG(resource)),
			   arena_printf(&a, "the rule '%.*s' cannot be evaluated: %.*s",
					STR_ARG(shown_line(&a, str_trim(s->rule), SHOWN_INLINE_MAX)),
					STR_ARG(shown_line(&a, why, MESSAGE_INLINE_MAX))));
	return findings_report(f, &report, err);
}
