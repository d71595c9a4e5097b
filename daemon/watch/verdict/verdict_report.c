/* From a verdict to a finding. */
#include "daemon/watch/verdict/verdict_report.h"

#include "daemon/findings/places.h"
#include "daemon/watch/verdict/removal.h"
#include "daemon/watch/verdict/shown.h"
#include "rules/event_review.h"
#include "value/json.h"

#define DIFF_MAX RECORD_VALUE_MAX
#define CUT_NOTE "# the diff goes on; it is cut here\n"

struct reporter {
	const struct verdict_context *c;
	struct removal removal;
	struct arena arena;
	struct finding_path paths[FINDING_PATHS_MAX];
	size_t n_paths;
	struct finding_rule rules[FINDING_RULES_MAX];
	size_t n_rules;
};

static struct shown_pair shown_change(struct reporter *r, const struct change *c, size_t max)
{
	return shown_pair(&r->arena, c->expected, c->actual, c->sensitive, max);
}

/* The place of the change as it may be shown; empty if the text of the place hides something. */
static struct path shown_place(struct reporter *r, const struct change *c)
{
	return str_eq(path_text(c->path, &r->arena), c->path_text) ? c->path : (struct path){ 0 };
}

static void collect_paths(struct reporter *r)
{
	const struct changes *changes = &r->c->verdict->changes;

	for (size_t i = 0; i < changes->n && r->n_paths < FINDING_PATHS_MAX; i++) {
		struct shown_pair pair = shown_change(r, &changes->p[i], SHOWN_VALUE_MAX);

		r->paths[r->n_paths++] = (struct finding_path){
			.path = changes->p[i].path_text,
			.place = shown_place(r, &changes->p[i]),
			.expected = pair.expected,
			.actual = pair.actual,
		};
	}
}

/* The rule that is already listed for the same event as @rule; NULL: the event is a new one. */
static struct finding_rule *known_rule(struct reporter *r, const struct event_set_rule *rule)
{
	for (size_t i = 0; i < r->n_rules; i++) {
		if (r->rules[i].path.p == rule->rule.path.text.p)
			return &r->rules[i];
	}
	return NULL;
}

/* Collect a rule once for each event: an anchor gathers several changes into one event. */
static void collect_rule(struct reporter *r, const struct event_set_rule *rule)
{
	struct finding_rule *known = known_rule(r, rule);

	if (known)
		known->events += !rule->rule.path.anchored;
	else if (r->n_rules < FINDING_RULES_MAX)
		r->rules[r->n_rules++] = (struct finding_rule){
			.type = event_type_name(rule->rule.type),
			.severity = event_rule_severity(rule),
			.path = rule->rule.path.text,
			.message = rule->rule.message,
			.action = rule->rule.action,
			.events = 1,
		};
}

/* Collect the rules, the worst first, in the order of the changes. */
static void collect_rules(struct reporter *r)
{
	const struct changes *changes = &r->c->verdict->changes;

	for (size_t i = 0; i < changes->n; i++) {
		if (changes->p[i].rule)
			collect_rule(r, changes->p[i].rule);
	}
}

/* The summary of a drift, as "spec.replicas 3 -> 5 and 1 more". */
static str drift_summary(struct reporter *r)
{
	size_t total = r->c->verdict->changes.total;
	struct shown_pair first;

	if (r->n_paths == 0)
		return STR("");
	first = shown_change(r, &r->c->verdict->changes.p[0], SHOWN_INLINE_MAX);
	return arena_printf(&r->arena, "%.*s %.*s -> %.*s%s", STR_ARG(r->paths[0].path), STR_ARG(first.expected),
			    STR_ARG(first.actual),
			    total == 1 ? "" : arena_printf(&r->arena, " and %zu more", total - 1).p);
}

static str drift_details(struct reporter *r, const struct blame *b)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	size_t total = r->c->verdict->changes.total;

	for (size_t i = 0; i < r->n_paths; i++)
		buf_printf(&out, "%s%.*s: expected %.*s, found %.*s", i ? "\n" : "", STR_ARG(r->paths[i].path),
			   STR_ARG(r->paths[i].expected), STR_ARG(r->paths[i].actual));
	if (total > r->n_paths)
		buf_printf(&out, "\n… and %zu more", total - r->n_paths);
	for (size_t i = 0; i < r->n_rules; i++)
		buf_printf(&out, "\nrule %s %.*s%s%.*s", r->rules[i].type, STR_ARG(r->rules[i].path),
			   r->rules[i].message.n ? ": " : "", STR_ARG(r->rules[i].message));
	shown_writer(&out, "\n", b);
	buf_printf(&out, "\nreference %.*s, template %.*s", STR_ARG(r->c->subject->reference),
		   STR_ARG(r->c->subject->template_path));
	return arena_str(&r->arena, buf_str(&out));
}

/* Add the reason and the time of an acceptance: when they change, that is news. */
static void add_acceptance_state(struct buf *out, const struct finding_subject *s)
{
	if (s->acceptance.n)
		buf_printf(out, "\n%.*s\n%.*s\n%.*s", STR_ARG(s->reason), STR_ARG(s->owner), STR_ARG(s->until));
}

/* What makes this drift a new one when it differs from the last report. It has the real keys and values, so that two
 * hidden values that differ are two states. The text is hashed, never shown. */
static str drift_state(struct reporter *r)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(64u << 20);
	const struct changes *changes = &r->c->verdict->changes;
	struct err err;

	for (size_t i = 0; i < changes->n; i++) {
		path_format(changes->p[i].path, &out);
		buf_add_byte(&out, '\n');
		if (json_encode(changes->p[i].expected, JSON_PLAIN, NULL, &out, &err) < 0 ||
		    json_encode(changes->p[i].actual, JSON_PLAIN, NULL, &out, &err) < 0)
			break;
		buf_add_byte(&out, '\n');
	}
	buf_add_str(&out, changes->rest);
	add_acceptance_state(&out, r->c->subject);
	return arena_str(&r->arena, buf_str(&out));
}

/* The diff, cut at the end of a line. A Secret, and an object that was made from one, has none: even the lines that
 * both sides share may be secret. */
static str drift_diff(struct reporter *r)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(16u << 20);
	struct err err;
	str text;

	if (r->c->verdict->sensitive || r->c->verdict->changes.total > r->c->verdict->changes.n ||
	    verdict_diff(r->c->verdict, NULL, NULL, r->c->limits, &out, &err) < 0)
		return (str){ "", 0 };
	text = buf_str(&out);
	if (text.n > DIFF_MAX) {
		str cut = str_sub(text, 0, DIFF_MAX - (sizeof(CUT_NOTE) - 1));

		cut.n = (size_t)(str_rfind(cut, STR("\n")) + 1);
		text = arena_printf(&r->arena, "%.*s" CUT_NOTE, STR_ARG(cut));
	}
	return arena_str(&r->arena, text);
}

static void keep_later(struct blame *latest, const struct blame *b)
{
	if (!latest->manager.n || str_cmp(b->time, latest->time) > 0)
		*latest = *b;
}

static struct removal removal_of(struct findings *f, const struct verdict_context *c)
{
	return (struct removal){
		.findings = f,
		.open = findings_get(f, c->kind, c->subject),
		.writers_before = c->writers_before,
		.managed_fields = c->managed_fields,
		.several = c->several,
		.span = findings_span(f),
	};
}

/* The latest of the owners of the changed fields, and of those who removed some. */
static struct blame drift_blame(struct reporter *r)
{
	const struct verdict_context *c = r->c;
	const struct changes *changes = &c->verdict->changes;
	struct removal removal = r->removal;
	struct blame latest = { 0 }, b;
	uint64_t steps = BLAME_STEPS;

	if (!val_is_list(c->managed_fields))
		return latest;
	removal.steps = &steps;
	for (size_t i = 0; i < changes->n; i++) {
		const struct change *change = &changes->p[i];
		bool gone = change->kind == CHANGE_DELETE;
		bool known = gone ? removal_writer(&removal, change->path, &r->arena, &b)
				  : blame_field(c->managed_fields, c->object, change->path, &steps, &b);

		if (known)
			keep_later(&latest, &b);
		if (i < r->n_paths)
			r->paths[i].gone = gone;
		if (i < r->n_paths && gone)
			r->paths[i].at = change->path;
		if (i < r->n_paths && gone && known)
			r->paths[i].removed_by = b;
	}
	return latest;
}

/* An object that is being deleted is compared with its manifest all the same (spec/manifests.md, section 2). */
static str deletion_text(const struct verdict_context *c)
{
	const struct ref_template *t = c->verdict->template;
	bool deleted =
		t && ref_holds_manifest(t) && val_exists(val_dig(c->object, "metadata", "deletionTimestamp", NULL));

	return deleted ? STR("; it is being deleted") : STR("");
}

static void describe_drift(struct reporter *r, struct finding_report *report)
{
	collect_paths(r);
	collect_rules(r);
	report->kind = r->c->kind;
	report->blame = drift_blame(r);
	finding_report_say(report, &r->arena, shown_object(&r->arena, r->c->subject),
			   arena_printf(&r->arena, "%.*s%.*s%.*s", STR_ARG(drift_summary(r)),
					STR_ARG(deletion_text(r->c)),
					STR_ARG(shown_acceptance(&r->arena, r->c->subject))));
	report->details = drift_details(r, &report->blame);
	report->state = drift_state(r);
	report->paths = r->paths;
	report->n_paths = r->n_paths;
	report->n_paths_total = r->c->verdict->changes.total;
	report->rules = r->rules;
	report->n_rules = r->n_rules;
	report->diff = drift_diff(r);
}

static void describe_error(struct reporter *r, struct finding_report *report)
{
	report->kind = FINDING_ERROR;
	finding_report_say(report, &r->arena, shown_object(&r->arena, r->c->subject),
			   arena_printf(&r->arena, "cannot be judged: %.*s", STR_ARG(r->c->verdict->error)));
	report->state = r->c->verdict->error;
}

/* Who repaired the drift of @x: the latest owner of the fields that had drifted. For a field that has no owner any
 * more, or whose place is not known: who has written since the last verdict. */
static struct blame repair_blame(const struct verdict_context *c, const struct finding *x, const struct time_span *span,
				 struct arena *a)
{
	val places = places_read(x->places, c->limits, a);
	struct blame latest = { 0 }, b;
	str rest = x->paths, line;
	uint64_t steps = BLAME_STEPS;
	struct removal removal = { .writers_before = c->writers_before,
				   .managed_fields = c->managed_fields,
				   .several = c->several,
				   .span = span,
				   .steps = &steps };

	for (size_t i = 0; val_is_list(c->managed_fields) && rest.n && str_next_part(&rest, '\n', &line); i++) {
		struct path p = { 0 };
		bool known = places_at(places, i, a, &p) && blame_field(c->managed_fields, c->object, p, &steps, &b);

		if (!known)
			known = removal_writer(&removal, p, a, &b);
		if (known)
			keep_later(&latest, &b);
	}
	return latest;
}

void verdict_repaired(struct findings *f, const struct verdict_context *c, enum end_reason why)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const struct finding *x = findings_get(f, FINDING_DRIFT, c->subject);
	struct blame by = { 0 };

	if (x && c->received_ns) /* otherwise the reference changed, and not the object */
		by = repair_blame(c, x, findings_span(f), &a);
	findings_repaired(f, FINDING_DRIFT, c->subject, why, &by);
}

int verdict_report(struct findings *f, const struct verdict_context *c, struct err *err)
{
	struct reporter r = { .c = c, .removal = removal_of(f, c) };
	struct finding_report report = {
		.severity = c->severity, .hold_ns = c->hold_ns, .subject = *c->subject, .received_ns = c->received_ns
	};
	int status;

	arena_init(&r.arena, 4096, 0);
	if (c->verdict->state == VERDICT_DRIFTED)
		describe_drift(&r, &report);
	else
		describe_error(&r, &report);
	status = findings_report(f, &report, err);
	arena_done(&r.arena);
	return status;
}

/* What a template stands for, as far as it is fixed: "Deployment prod/web (web.yaml)". */
static void add_template(struct buf *out, const struct ref_template *t)
{
	const struct identity *id = &t->identity;

	buf_add_str(out, id->kind);
	if (id->name.n)
		buf_printf(out, " %.*s%s%.*s", STR_ARG(id->namespace), id->namespace.n ? "/" : "", STR_ARG(id->name));
	else if (id->namespace.n)
		buf_printf(out, " in %.*s", STR_ARG(id->namespace));
	buf_printf(out, " (%.*s)", STR_ARG(t->path));
}

#define ORPHANS_SHOWN 5

/* List objects by name, instead of the templates that found them: objects that no manifest is for, and objects that
 * are accepted one by one. As "configmaps shop/stray, configmaps lab/stray". */
static void add_orphans(struct buf *out, const struct offender *offenders, size_t n)
{
	for (size_t i = 0; i < n && i < ORPHANS_SHOWN; i++) {
		const struct identity *id = &offenders[i].identity;

		buf_printf(out, "%s%.*s %.*s%s%.*s", i ? ", " : "", STR_ARG(offenders[i].resource),
			   STR_ARG(id->namespace), id->namespace.n ? "/" : "", STR_ARG(id->name));
	}
	if (n > ORPHANS_SHOWN)
		buf_add_cstr(out, " and more");
}

/* Add a line for each object, "found clusterrolebindings everyone-is-admin, last written by …". *latest becomes the
 * latest writer of them all. */
static void add_offenders(struct buf *out, const struct offender *offenders, size_t n, struct blame *latest)
{
	for (size_t i = 0; i < n; i++) {
		const struct offender *o = &offenders[i];
		uint64_t steps = BLAME_STEPS;
		struct blame b;

		buf_printf(out, "\nfound %.*s %.*s%s%.*s", STR_ARG(o->resource), STR_ARG(o->identity.namespace),
			   o->identity.namespace.n ? "/" : "", STR_ARG(o->identity.name));
		if (!val_is_list(o->writers) || writers_after(o->writers, STR(""), &steps, &b) == WRITERS_NONE)
			continue;
		shown_writer(out, ", ", &b);
		keep_later(latest, &b);
	}
}

/* Make the only object at fault the subject of the record. */
static void add_identity(struct finding_subject *s, const struct offender *o)
{
	s->api_version = o->identity.api_version;
	s->kind = o->identity.kind;
	s->namespace = o->identity.namespace;
	s->name = o->identity.name;
	s->uid = o->uid;
	s->resource = o->resource;
}

/* The state of a component's finding: it changes when another object is at fault, and not when the same object is
 * written again. The objects are sorted by uid. */
static str component_state(str what, const struct offender *offenders, size_t n, struct arena *a)
{
	CLEANUP(buf_done) struct buf state = BUF_INIT(1u << 20);
	VEC(str) uids = { 0 };
	str text;

	for (size_t i = 0; i < n; i++) {
		size_t at = uids.n;

		if (!vec_push(&uids, offenders[i].uid))
			break; /* without memory only some of them count */
		for (; at > 0 && str_cmp(uids.p[at], uids.p[at - 1]) < 0; at--) {
			str t = uids.p[at];

			uids.p[at] = uids.p[at - 1];
			uids.p[at - 1] = t;
		}
	}
	buf_add_str(&state, what);
	for (size_t i = 0; i < uids.n; i++)
		buf_printf(&state, "\n%.*s", STR_ARG(uids.p[i]));
	vec_done(&uids);
	text = arena_str(a, buf_str(&state));
	return text.p ? text : what;
}

/* Make the first missing object the subject, as far as its template fixes its identity. */
static void add_missing(struct finding_subject *s, const struct ref_template *t)
{
	s->api_version = t->identity.api_version;
	s->kind = t->identity.kind;
	s->namespace = t->identity.namespace;
	s->name = t->identity.name;
	s->template_path = t->path;
}

/* Whether the finding is about the objects that no manifest is for. */
static bool is_of_orphans(const struct component_verdict *v, size_t n_offenders)
{
	return n_offenders > 0 && v->n_templates > 0 && v->templates[0]->use == REF_ORPHANS;
}

int component_report(struct findings *f, const struct component_verdict *v, const struct finding_subject *s,
		     const struct component_terms *terms, const struct offender *offenders, size_t n_offenders,
		     uint64_t received_ns, struct err *err)
{
	struct finding_report report = {
		.kind = terms->kind,
		.severity = terms->severity,
		.hold_ns = terms->hold_ns,
		.subject = *s,
		.received_ns = received_ns,
	};
	CLEANUP(buf_done) struct buf list = BUF_INIT(1u << 20), details = BUF_INIT(1u << 20);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	bool orphans = is_of_orphans(v, n_offenders);
	bool by_name = orphans || (terms->kind == FINDING_ACCEPTED && n_offenders > 0);
	struct finding_path paths[FINDING_PATHS_MAX];

	if (by_name)
		add_orphans(&list, offenders, n_offenders);
	for (size_t i = 0; i < v->n_templates; i++) {
		if (!by_name) {
			buf_add_cstr(&list, i > 0 ? ", " : "");
			add_template(&list, v->templates[i]);
		}
		if (i < FINDING_PATHS_MAX)
			paths[report.n_paths++] = (struct finding_path){ .path = v->templates[i]->path };
	}
	finding_report_say(&report, &a, arena_printf(&a, "%.*s/%.*s:", STR_ARG(s->part), STR_ARG(s->component)),
			   arena_printf(&a, "%s: %.*s%.*s",
					orphans ? "No manifest is for these" : component_problem_text(v->problem),
					STR_ARG(buf_str(&list)), STR_ARG(shown_acceptance(&a, s))));
	buf_printf(&details, "reference %.*s", STR_ARG(s->reference));
	add_offenders(&details, offenders, n_offenders, &report.blame);
	if (terms->kind == FINDING_ACCEPTED)
		; /* the finding is about the component, whatever is missing */
	else if (n_offenders == 1)
		add_identity(&report.subject, &offenders[0]);
	else if (v->problem == COMPONENT_MISSING)
		add_missing(&report.subject, v->templates[0]);
	report.details = buf_str(&details);
	report.state = component_state(report.what, offenders, n_offenders, &a);
	report.paths = paths;
	report.n_paths_total = v->n_templates;
	return findings_report(f, &report, err);
}
