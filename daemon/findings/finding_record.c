/* Writes the text and the fields of a record about a finding. */
#include "daemon/findings/finding_record.h"

#include "base/assert.h"
#include "base/number.h"
#include "base/utf8.h"
#include "daemon/findings/clock.h"
#include "go/layout.h"

#include <inttypes.h>

#define RULE_SHOWN_MAX 80 /* bytes of a rule in the MESSAGE of its end */

static const struct {
	const char *noun;
	enum message message[TRANSITIONS];
} kinds[FINDING_KINDS] = {
	[FINDING_DRIFT] = { "drift", { MESSAGE_DRIFT_BEGIN, MESSAGE_DRIFT_CHANGE, MESSAGE_DRIFT_END } },
	[FINDING_COMPONENT] = { "component unsatisfied",
				{ MESSAGE_COMPONENT_BEGIN, MESSAGE_COMPONENT_CHANGE, MESSAGE_COMPONENT_END } },
	[FINDING_ERROR] = { "error", { MESSAGE_ERROR_BEGIN, MESSAGE_ERROR_CHANGE, MESSAGE_ERROR_END } },
	[FINDING_VALIDATION] = { "rule violation",
				 { MESSAGE_VALIDATION_BEGIN, MESSAGE_VALIDATION_CHANGE, MESSAGE_VALIDATION_END } },
	[FINDING_ACCEPTED] = { "accepted deviation",
			       { MESSAGE_ACCEPTED_BEGIN, MESSAGE_ACCEPTED_CHANGE, MESSAGE_ACCEPTED_END } },
	[FINDING_INSPECTION] = { "inspection failure",
				 { MESSAGE_INSPECTION_BEGIN, MESSAGE_INSPECTION_CHANGE, MESSAGE_INSPECTION_END } },
	[FINDING_GAP] = { "gap", { MESSAGE_GAP_BEGIN, MESSAGE_GAP_CHANGE, MESSAGE_GAP_END } },
};

_Static_assert(ARRAY_LEN(kinds) == FINDING_KINDS, "a row for each kind: ORDER enum finding_kind");

/* ORDER enum transition */
static const char *const transition_verbs[TRANSITIONS] = { "begins", "changes", "ends" };

/* What ends an acceptance is not what ends a deviation. */
static bool is_expired(const struct finding *x, const char *why)
{
	return x->kind == FINDING_ACCEPTED && why && strcmp(why, FINDING_EXPIRED) == 0;
}

static const char *event_name(const struct finding *x, enum transition t, const char *why)
{
	if (x->kind == FINDING_ACCEPTED && t == TRANSITION_BEGIN)
		return "accepted";
	return is_expired(x, why) ? "expired" : transition_names[t];
}

bool transition_parse(str event, enum transition *ret)
{
	size_t i = str_index(event, transition_names, TRANSITIONS);

	if (str_eq(event, STR("accepted")))
		i = TRANSITION_BEGIN;
	else if (str_eq(event, STR("expired")))
		i = TRANSITION_END;
	if (i < TRANSITIONS)
		*ret = (enum transition)i;
	return i < TRANSITIONS;
}

bool record_transition(const struct record *r, enum transition *ret)
{
	return transition_parse(record_get(r, "DRIFTD_EVENT"), ret);
}

bool message_kind(enum message m, enum finding_kind *ret)
{
	for (int kind = 0; kind < FINDING_KINDS; kind++) {
		for (int t = 0; t < TRANSITIONS; t++) {
			if (kinds[kind].message[t] == m) {
				*ret = (enum finding_kind)kind;
				return true;
			}
		}
	}
	*ret = FINDING_ACCEPTED;
	return m == MESSAGE_ACCEPTED_EXPIRED;
}

bool record_kind(const struct record *r, enum finding_kind *ret)
{
	return message_kind(r->message, ret);
}

const struct subject_text subject_texts[SUBJECT_TEXTS] = {
	{ "cluster", "DRIFTD_CLUSTER", offsetof(struct finding_subject, cluster) },
	{ "apiVersion", "DRIFTD_API_VERSION", offsetof(struct finding_subject, api_version) },
	{ "kind", "DRIFTD_KIND", offsetof(struct finding_subject, kind) },
	{ "resource", "DRIFTD_RESOURCE", offsetof(struct finding_subject, resource) },
	{ "namespace", "DRIFTD_NAMESPACE", offsetof(struct finding_subject, namespace) },
	{ "name", "DRIFTD_NAME", offsetof(struct finding_subject, name) },
	{ "uid", "DRIFTD_UID", offsetof(struct finding_subject, uid) },
	{ "reference", "DRIFTD_REFERENCE", offsetof(struct finding_subject, reference) },
	{ "part", "DRIFTD_PART", offsetof(struct finding_subject, part) },
	{ "component", "DRIFTD_COMPONENT", offsetof(struct finding_subject, component) },
	{ "template", "DRIFTD_TEMPLATE", offsetof(struct finding_subject, template_path) },
	{ "rule", "DRIFTD_RULE", offsetof(struct finding_subject, rule) },
	{ "rulePath", "DRIFTD_RULE_PLACE", offsetof(struct finding_subject, rule_path) },
	{ "ruleSource", "DRIFTD_RULE_SOURCE", offsetof(struct finding_subject, rule_source) },
	{ "reason", "DRIFTD_REASON", offsetof(struct finding_subject, reason) },
	{ "acceptance", "DRIFTD_ACCEPTANCE", offsetof(struct finding_subject, acceptance) },
	{ "owner", "DRIFTD_OWNER", offsetof(struct finding_subject, owner) },
	{ "until", "DRIFTD_UNTIL", offsetof(struct finding_subject, until) },
	{ "phase", "DRIFTD_PHASE", offsetof(struct finding_subject, phase) },
};

void record_add_subject(struct record *r, const struct finding_subject *s)
{
	record_add(r, "DRIFTD_CLUSTER", s->cluster);
	record_add(r, "DRIFTD_REFERENCE", s->reference);
	record_add(r, "DRIFTD_REFERENCE_HASH", s->reference_hash);
	record_add(r, "DRIFTD_PART", s->part);
	record_add(r, "DRIFTD_COMPONENT", s->component);
	record_add(r, "DRIFTD_TEMPLATE", s->template_path);
	record_add(r, "DRIFTD_API_VERSION", s->api_version);
	record_add(r, "DRIFTD_KIND", s->kind);
	record_add(r, "DRIFTD_NAMESPACE", s->namespace);
	record_add(r, "DRIFTD_NAME", s->name);
	record_add(r, "DRIFTD_UID", s->uid);
	record_add(r, "DRIFTD_RESOURCE_VERSION", s->resource_version);
	record_add(r, "DRIFTD_RESOURCE", s->resource);
	record_add(r, "DRIFTD_RULE", s->rule);
	record_add(r, "DRIFTD_RULE_SOURCE", s->rule_source);
	record_add(r, "DRIFTD_RULE_PLACE", s->rule_path);
	record_add(r, "DRIFTD_SHARD", s->shard);
	record_add(r, "DRIFTD_PHASE", s->phase);
	record_add(r, "DRIFTD_ACCEPTANCE", s->acceptance);
	record_add(r, "DRIFTD_OWNER", s->owner);
	record_add(r, "DRIFTD_UNTIL", s->until);
}

/* How long the finding has been open. The clock may have been set back since an earlier process reported it. */
static int64_t open_usec(const struct finding *x)
{
	int64_t now = clock_boot_usec();

	return now > x->open_from_usec ? now - x->open_from_usec : 0;
}

static void add_state(struct record *r, const struct finding *x, enum transition t, const char *why)
{
	record_add(r, "DOCUMENTATION", STR("man:driftd(8)"));
	record_add(r, "DRIFTD_EVENT", str_from(event_name(x, t, why)));
	record_add(r, "DRIFTD_DRIFT_ID", str_from(x->id));
	record_add(r, "DRIFTD_SEVERITY", str_from(severity_name(x->severity)));
	record_addf(r, "DRIFTD_FIRST_SEEN_USEC", "%" PRId64, x->first_seen_usec);
	if (t == TRANSITION_END)
		record_addf(r, "DRIFTD_DURATION_USEC", "%" PRId64, open_usec(x));
}

/* Add the revision of the reference that the finding is about. */
static void add_revision(struct record *r, const struct finding *x, const struct record_terms *terms)
{
	for (size_t i = 0; i < terms->n_revisions; i++) {
		if (str_eq(terms->revisions[i].reference, x->subject.reference))
			record_add(r, "DRIFTD_REFERENCE_REVISION", terms->revisions[i].revision);
	}
}

static void add_writer(struct record *r, const struct blame *b)
{
	record_add(r, "DRIFTD_MANAGER", b->manager);
	record_add(r, "DRIFTD_MANAGER_OPERATION", b->operation);
	record_add(r, "DRIFTD_MANAGER_SUBRESOURCE", b->subresource);
	record_add(r, "DRIFTD_MANAGER_TIME", b->time);
}

/* The journal sorts the fields of a record by where their values were first stored, and keeps only one of equal
 * fields: of several paths it no longer says which value belongs to which path. */
static void add_change(struct record *r, const struct finding_path *p)
{
	str text = arena_printf(&r->arena, "%.*s: expected %.*s, found %.*s", STR_ARG(p->path), STR_ARG(p->expected),
				STR_ARG(p->actual));

	if (text.p)
		record_add(r, "DRIFTD_CHANGE", text);
}

/* Add a rule as one text: the journal does not keep its fields together, as it does not those of a path. */
static void add_rule(struct record *r, const struct finding_rule *x)
{
	str event = arena_printf(&r->arena, "%s %.*s (%s)%s%.*s%s%.*s", x->type, STR_ARG(x->path),
				 severity_name(x->severity), x->message.n ? ": " : "", STR_ARG(x->message),
				 x->action.n ? "; action " : "", STR_ARG(x->action));

	if (event.p)
		record_add(r, "DRIFTD_RULE_EVENT", event);
	record_add(r, "DRIFTD_RULE_TYPE", str_from(x->type));
	record_add(r, "DRIFTD_RULE_PATH", x->path);
	record_add(r, "DRIFTD_RULE_MESSAGE", x->message);
	record_add(r, "DRIFTD_ACTION", x->action);
}

static void add_report(struct record *r, const struct finding_report *report)
{
	for (size_t i = 0; i < report->n_paths; i++) {
		if (report->n_paths > 1 && report->paths[i].expected.n)
			add_change(r, &report->paths[i]);
		record_add(r, "DRIFTD_PATH", report->paths[i].path);
		record_add(r, "DRIFTD_EXPECTED", report->paths[i].expected);
		record_add(r, "DRIFTD_ACTUAL", report->paths[i].actual);
	}
	if (report->n_paths_total)
		record_addf(r, "DRIFTD_PATH_COUNT", "%zu", report->n_paths_total);
	for (size_t i = 0; i < report->n_rules; i++)
		add_rule(r, &report->rules[i]);
	record_add(r, "DRIFTD_OLD", report->old);
	record_add(r, "DRIFTD_MESSAGE_TEXT", report->rule_message);
	record_add(r, "DRIFTD_REASON", report->subject.reason);
	record_add(r, "DRIFTD_DIFF", report->diff);
	add_writer(r, &report->blame);
}

str time_text(struct arena *a, int64_t usec)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64);

	go_rfc3339_format(usec / 1000000, 0, 0, &out);
	return arena_str(a, buf_str(&out));
}

/* Add the span in which the cluster was not watched. */
static void add_span(struct record *r, const struct time_span *s)
{
	if (!s->not_before_usec)
		return;
	record_say(r, "; between %.*s and %.*s", STR_ARG(time_text(&r->arena, s->not_before_usec)),
		   STR_ARG(time_text(&r->arena, s->not_after_usec)));
	record_addf(r, "DRIFTD_NOT_BEFORE_USEC", "%" PRId64, s->not_before_usec);
	record_addf(r, "DRIFTD_NOT_AFTER_USEC", "%" PRId64, s->not_after_usec);
}

/* "prod: ", for readers of several clusters. The message of a reported gap begins with the cluster in any case. */
static str cluster_text(const struct finding *x, enum transition t, bool named, struct arena *a)
{
	bool reported = x->kind == FINDING_GAP && t != TRANSITION_END;

	return named && !reported ? arena_printf(a, "%.*s: ", STR_ARG(x->subject.cluster)) : STR("");
}

/* "drift begins: " and what there is to say. */
static void say_what(struct record *r, const struct finding *x, enum transition t, str what)
{
	r->what = what;
	r->text = arena_printf(&r->arena, "%s %s: %.*s", kinds[x->kind].noun, transition_verbs[t], STR_ARG(what));
}

void record_report(struct record *r, const struct finding *x, enum transition t, const struct finding_report *report,
		   const struct record_terms *terms)
{
	ASSERT(x->kind < FINDING_KINDS && t < TRANSITIONS);
	record_init(r, kinds[x->kind].message[t], (int)x->severity);
	say_what(r, x, t,
		 arena_printf(&r->arena, "%.*s%.*s (%s%s%.*s)",
			      STR_ARG(cluster_text(x, t, terms->cluster_named, &r->arena)), STR_ARG(report->what),
			      severity_name(x->severity), report->blame.manager.n ? ", by " : "",
			      STR_ARG(report->blame.manager)));
	r->details = report->details;
	add_state(r, x, t, NULL);
	add_revision(r, x, terms);
	record_add_subject(r, &report->subject);
	add_report(r, report);
	add_span(r, &terms->span);
}

str duration_text(struct arena *a, int64_t usec)
{
	int64_t s = usec / 1000000;

	if (s < 60)
		return arena_printf(a, "%" PRId64 ".%" PRId64 " s", s, usec / 100000 % 10);
	if (s < 3600)
		return arena_printf(a, "%" PRId64 " min %" PRId64 " s", s / 60, s % 60);
	if (s < 86400)
		return arena_printf(a, "%" PRId64 " h %" PRId64 " min", s / 3600, s / 60 % 60);
	return arena_printf(a, "%" PRId64 " d %" PRId64 " h", s / 86400, s / 3600 % 24);
}

/* The first line of a rule, or the start of it. */
static str rule_start(str rule)
{
	ptrdiff_t line = str_find_byte(rule, '\n');

	return utf8_cut(line < 0 ? rule : str_sub(rule, 0, (size_t)line), RULE_SHOWN_MAX);
}

static str subject_text(const struct finding *x, struct arena *a)
{
	const struct finding_subject *s = &x->subject;
	str what = s->resource.n ? s->resource : s->kind;

	if (finding_is_of_component(x->kind, s))
		return arena_printf(a, "%.*s/%.*s", STR_ARG(s->part), STR_ARG(s->component));
	if (x->kind == FINDING_ERROR && s->rule.n)
		return arena_printf(a, "%.*s rule '%.*s'", STR_ARG(what), STR_ARG(rule_start(s->rule)));
	if (finding_is_violation(x->kind, s))
		return arena_printf(a, "%.*s %.*s%s%.*s %.*s: '%.*s'", STR_ARG(what), STR_ARG(s->namespace),
				    s->namespace.n ? "/" : "", STR_ARG(s->name), STR_ARG(s->rule_path),
				    STR_ARG(rule_start(s->rule)));
	if (s->name.n == 0)
		return what.n ? what : s->cluster;
	return arena_printf(a, "%.*s %.*s%s%.*s", STR_ARG(what), STR_ARG(s->namespace), s->namespace.n ? "/" : "",
			    STR_ARG(s->name));
}

static void add_known_paths(struct record *r, const struct finding *x)
{
	str rest = x->paths, path;

	while (rest.n && str_next_part(&rest, '\n', &path))
		record_add(r, "DRIFTD_PATH", path);
}

/* The record of an end is information, whatever finding ends (conventions, part 2). */
void record_end(struct record *r, const struct finding *x, const struct finding_subject *now, const char *why,
		const struct blame *by, const struct record_terms *terms)
{
	struct finding_subject s = x->subject;

	ASSERT(x->kind < FINDING_KINDS);
	record_init(r, is_expired(x, why) ? MESSAGE_ACCEPTED_EXPIRED : kinds[x->kind].message[TRANSITION_END],
		    SEVERITY_INFO);
	r->what = arena_printf(&r->arena, "%.*s%.*s",
			       STR_ARG(cluster_text(x, TRANSITION_END, terms->cluster_named, &r->arena)),
			       STR_ARG(subject_text(x, &r->arena)));
	r->text = arena_printf(&r->arena, "%s ends: %.*s %s%safter %.*s (%s%s%.*s)", kinds[x->kind].noun,
			       STR_ARG(r->what), why ? why : "", why ? ", " : "",
			       STR_ARG(duration_text(&r->arena, open_usec(x))), severity_name(x->severity),
			       by->manager.n ? ", by " : "", STR_ARG(by->manager));
	if (now && now->resource_version.n)
		s.resource_version = now->resource_version;
	add_state(r, x, TRANSITION_END, why);
	add_revision(r, x, terms);
	record_add_subject(r, &s);
	add_writer(r, by);
	add_known_paths(r, x);
	if (x->kind == FINDING_ACCEPTED)
		record_add(r, "DRIFTD_REASON", s.reason);
	record_add(r, "DRIFTD_END_REASON", str_from(why));
	add_span(r, &terms->span);
}

void record_state(struct record *r, const struct finding *x, enum transition t, const struct record_terms *terms)
{
	ASSERT(x->kind < FINDING_KINDS && t < TRANSITIONS);
	record_init(r, kinds[x->kind].message[t], (int)x->severity);
	say_what(r, x, t,
		 arena_printf(&r->arena, "%.*s%.*s (%s)", STR_ARG(cluster_text(x, t, terms->cluster_named, &r->arena)),
			      STR_ARG(subject_text(x, &r->arena)), severity_name(x->severity)));
	add_state(r, x, t, NULL);
	add_revision(r, x, terms);
	record_add_subject(r, &x->subject);
	add_known_paths(r, x);
}

/* "drift began and ended, after 3.0 s: deployments.apps prod/web ..." */
static str merged_text(struct record *end, const struct record *begin)
{
	str what = begin->what.n ? begin->what : end->what; /* an older driftd kept none */
	enum finding_kind kind;
	int64_t usec = 0;

	if (!what.n || !record_kind(end, &kind))
		return end->text;
	(void)!int64_parse(record_get(end, "DRIFTD_DURATION_USEC"), &usec);
	return arena_printf(&end->arena, "%s began and ended, after %" PRId64 ".%" PRId64 " s: %.*s", kinds[kind].noun,
			    usec / 1000000, usec / 100000 % 10, STR_ARG(what));
}

void record_merge(struct record *end, const struct record *begin)
{
	str text = merged_text(end, begin);
	size_t n = 0;

	if (text.p)
		end->text = text;
	end->priority = begin->priority;
	end->details = begin->details;
	for (size_t i = 0; i < end->n_fields; i++) { /* the fields that differ come from the begin */
		if (strcmp(end->fields[i].name, "DRIFTD_PATH") != 0)
			end->fields[n++] = end->fields[i];
	}
	end->n_fields = n;
	for (size_t i = 0; i < begin->n_fields; i++) {
		bool known = false;

		for (size_t k = 0; k < n && !known; k++)
			known = strcmp(end->fields[k].name, begin->fields[i].name) == 0;
		if (!known && end->n_fields < RECORD_FIELDS_MAX)
			end->fields[end->n_fields++] = begin->fields[i];
	}
	record_add(end, "DRIFTD_MERGED", STR("1"));
}
