/* Writes findings and their groups: the names and the order of their members. */
#include "daemon/api/finding_doc.h"

#include "daemon/findings/finding_record.h"
#include "value/json_out.h"

#include <inttypes.h>

void finding_doc_subject(const struct finding_subject *s, struct buf *out)
{
	for (size_t i = 0; i < SUBJECT_TEXTS; i++)
		json_text(out, subject_texts[i].name, *(const str *)((const char *)s + subject_texts[i].at));
}

static void add_members(const struct finding *x, bool trusted, uint64_t now_ns, struct buf *out)
{
	json_text(out, "id", str_from(x->id));
	json_text(out, "type", str_from(finding_type(x->kind)));
	json_text(out, "severity", str_from(severity_name(x->severity)));
	json_time(out, "since", x->first_seen_usec);
	finding_doc_subject(&x->subject, out);
	json_text(out, "summary", finding_listed_summary(x, trusted));
	json_lines(out, "paths", x->paths);
	json_text(out, "manager", x->manager);
	json_text(out, "stateId", str_from(trusted ? x->state_hash : ""));
	json_lines(out, "actions", x->actions);
	if (now_ns < x->reported_from_ns)
		json_bool(out, "held", true);
	if (x->flaps)
		json_number(out, "flaps", x->flaps);
	if (!x->confirmed)
		json_bool(out, "unconfirmed", true);
}

void finding_doc(const struct finding *x, bool trusted, uint64_t now_ns, struct buf *out)
{
	buf_add_byte(out, '{');
	add_members(x, trusted, now_ns, out);
	buf_add_byte(out, '}');
}

/* Append a group: the properties that its findings share, and the object of one of them. */
void findings_group_doc(const struct findings_group *g, const struct finding *x, bool trusted, struct buf *out)
{
	buf_add_byte(out, '{');
	json_text(out, "cause", str_from(g->cause));
	json_number(out, "count", g->count);
	json_text(out, "type", str_from(finding_type(x->kind)));
	json_text(out, "severity", str_from(severity_name(g->severity)));
	json_time(out, "since", g->since_usec);
	json_text(out, "summary", finding_listed_summary(x, trusted));
	json_lines(out, "paths", x->paths);
	json_text(out, "manager", x->manager);
	json_open(out, "first", '{');
	json_text(out, "id", str_from(x->id));
	finding_doc_subject(&x->subject, out);
	buf_add_cstr(out, "}}");
}

/* ---- what was reported of it ---- */

/* Add the changes with their values. The document already has the paths without values, under their names. */
static void add_changes(const struct finding_detail *d, struct buf *out)
{
	if (!d->n_paths || !d->paths[0].expected.n)
		return;
	json_open(out, "changes", '[');
	for (size_t i = 0; i < d->n_paths; i++) {
		json_open(out, NULL, '{');
		json_text(out, "path", d->paths[i].path);
		json_text(out, "expected", d->paths[i].expected);
		json_text(out, "found", d->paths[i].actual);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_rule_events(const struct finding_detail *d, struct buf *out)
{
	if (!d->n_rule_events)
		return;
	json_open(out, "ruleEvents", '[');
	for (size_t i = 0; i < d->n_rule_events; i++)
		json_item(out, d->rule_events[i]);
	buf_add_byte(out, ']');
}

static void add_writer(const struct blame *b, struct buf *out)
{
	if (!b->manager.n)
		return;
	json_open(out, "writer", '{');
	json_text(out, "manager", b->manager);
	json_text(out, "operation", b->operation);
	json_text(out, "subresource", b->subresource);
	json_text(out, "time", b->time);
	buf_add_byte(out, '}');
}

static void add_history(const struct finding_detail *d, struct buf *out)
{
	json_open(out, "history", '[');
	for (size_t i = 0; i < d->n_history; i++) {
		json_open(out, NULL, '{');
		json_time(out, "time", d->history[i].usec);
		json_text(out, "event", d->history[i].event);
		json_text(out, "severity", d->history[i].severity);
		json_text(out, "message", d->history[i].message);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

void finding_doc_detailed(const struct finding *x, const struct finding_detail *d, uint64_t now_ns, struct buf *out)
{
	buf_add_byte(out, '{');
	add_members(x, d->trusted, now_ns, out);
	json_text(out, "message", d->message);
	add_changes(d, out);
	if (d->n_paths_total)
		json_number(out, "pathCount", d->n_paths_total);
	add_rule_events(d, out);
	json_text(out, "diff", d->diff);
	json_text(out, "ruleMessage", d->rule_message);
	json_text(out, "old", d->old);
	add_writer(&d->blame, out);
	add_history(d, out);
	json_text(out, "missing", str_from(d->missing));
	buf_add_byte(out, '}');
}
