/* Summaries, listings and the colours of the text report. */
#include "daemon/compare/report.h"

#include "base/assert.h"
#include "compare/correlate.h"
#include "config/part.h"
#include "daemon/compare/klog.h"
#include "report/report.h"
#include "template/fn/library.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#define COULD_NOT_PROCESS "error occurred while trying to process resources: "

struct reporter {
	const struct compare_run *run;
	const struct compare_report_options *o;
	struct arena arena;
	struct report report;
	struct report_diff *diffs;
	struct report_failure *failures;
	str *unmatched;
	str *by_reference;
	struct component_verdict *issues;
	const struct override **patches; /* the patches of the file, then the generated ones */
	size_t n_patches;
	bool *matched; /* by template */
	bool *unknown; /* by template: whether there is an object for it could not be found out */
	struct component_verdict *unjudged;
	struct compare_accepted_list accepted;
	struct err *err;
};

/* ---- templates that are known by reference ---- */

static void trace_reference(const struct ref_template *t, const char *how)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(1 << 20);

	identity_text(&t->identity, &id);
	klog_info("Found resource %.*s via %s", STR_ARG(buf_str(&id)), how);
	klog_info("Template %.*s found via %s (content not validated)", STR_ARG(t->path), how);
}

static bool is_referenced(const struct reporter *r, size_t template)
{
	return r->run->referenced && r->run->referenced[template];
}

static void trace_references(const struct reporter *r)
{
	const struct reference *ref = matcher_reference(r->run->matcher);

	for (size_t i = 0; r->o->verbose && i < ref->n_templates; i++) {
		if (is_referenced(r, i))
			trace_reference(ref->templates[i],
					r->run->referenced[i] & COMPARE_BY_OWNER ? "ownerReferences" : "RBAC subjects");
	}
}

static bool is_matched(const struct reporter *r, const struct ref_template *t)
{
	const struct ref_template *other = t;

	do {
		if (r->matched[other->index])
			return true;
		other = other->same_path;
	} while (other != t);
	return false;
}

/* Only those that no object was for: the others were compared. */
static void add_references(struct reporter *r)
{
	const struct reference *ref = matcher_reference(r->run->matcher);
	struct report *rep = &r->report;

	for (size_t i = 0; i < ref->n_templates; i++) {
		if (is_referenced(r, i) && !is_matched(r, ref->templates[i]))
			r->by_reference[rep->n_by_reference++] = ref->templates[i]->path;
	}
	for (size_t i = 0; i < ref->n_templates; i++)
		r->matched[i] = r->matched[i] || is_referenced(r, i);
	rep->n_total += rep->n_by_reference;
}

/* ---- objects ---- */

static int add_accepted(struct reporter *r, const struct compare_result *res, str name, struct report_diff *d)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1u << 20);

	for (size_t i = 0; i < res->accepted.n; i++) {
		struct report_accepted a = res->accepted.p[i];

		a.cr = name;
		if (!vec_push(&r->accepted.list, a))
			return err_nomem(r->err);
		buf_printf(&why, "%s%.*s: ", i ? "; " : "", STR_ARG(a.path));
		report_why_accepted(&a, &why);
	}
	if (!res->accepted.all)
		return 0;
	d->accepted = why.error ? STR("everything") : arena_str(&r->arena, buf_str(&why));
	return d->accepted.p ? 0 : err_nomem(r->err);
}

static int add_compared(struct reporter *r, const struct compare_result *res, str name)
{
	struct report *rep = &r->report;
	struct report_diff *d = &r->diffs[rep->n_diffs++];
	str *reasons = arena_array(&r->arena, res->n_overrides, sizeof(*reasons));

	if (!reasons)
		return err_nomem(r->err);
	*d = (struct report_diff){ .output = str_from(res->diff ? res->diff : ""),
				   .template = res->template->path,
				   .cr = name,
				   .description = res->template->description,
				   .reasons = reasons,
				   .n_reasons = res->n_overrides };
	for (size_t i = 0; i < res->n_overrides; i++)
		reasons[i] = res->overrides[i]->reason;
	if (res->n_overrides) {
		d->patched = str_from(r->o->overrides_file);
		rep->n_patched++;
	}
	if (add_accepted(r, res, name, d) < 0)
		return -r->err->code;
	d->severity = res->events.severity;
	d->events = res->events.p;
	d->n_events = res->events.n;
	r->matched[res->template->index] = true;
	rep->n_total++;
	rep->n_differing += res->drifted;
	return 0;
}

static int add_patch(struct reporter *r, const struct compare_result *res, val object)
{
	struct override *o;

	if (!res->patch)
		return 0;
	o = arena_zalloc(&r->arena, sizeof(*o));
	if (!o)
		return err_nomem(r->err);
	o->identity = identity_of(object);
	o->reason = str_from(r->o->reason);
	o->type = str_from(res->patch_type);
	o->patch = str_from(res->patch);
	o->template_path = res->template->path;
	ASSERT(r->n_patches < r->run->n_results);
	r->patches[r->n_patches++] = o;
	return 0;
}

static void print_trace(const struct compare_result *res)
{
	for (size_t i = 0; i < res->trace.v.n; i++)
		klog_info("%s", res->trace.v.p[i]);
	if (res->warning)
		klog_warning("%s", res->warning);
}

/* Mark each candidate template of an object as not known: look-ups for the object could not be answered, so that it may
 * be for any of them. */
static void mark_candidates_unknown(struct reporter *r, val object)
{
	struct identity id = identity_of(object);
	const struct ref_template *const *candidates, *manual;
	size_t n = compare_run_candidates(r->run, &id, &manual, &candidates);

	for (size_t i = 0; i < n; i++)
		r->unknown[candidates[i]->index] = true;
}

static int add_failure(struct reporter *r, const struct compare_result *res, str name, val object)
{
	r->failures[r->report.n_failures++] =
		(struct report_failure){ name, res->template ? res->template->path : STR(""), str_from(res->error) };
	if (res->waits)
		mark_candidates_unknown(r, object);
	else if (res->template)
		r->matched[res->template->index] = true;
	return res->fatal ? err_set(r->err, EIO, COULD_NOT_PROCESS "%s", res->error) : 0;
}

static bool is_unmatched(const struct reporter *r, size_t object)
{
	const struct compare_input *in = r->run->input;

	return r->o->all && (!in->known || object < in->n_own);
}

static int add_result(struct reporter *r, size_t i)
{
	const struct compare_result *res = &r->run->results[i];
	val object = r->run->input->objects.p[i];
	struct report *rep = &r->report;
	str name = r->run->input->names.p[i];
	int rc;

	print_trace(res);
	switch (res->state) {
	case VERDICT_UNMATCHED:
		if (is_unmatched(r, i))
			r->unmatched[rep->n_unmatched++] = name;
		return 0;
	case VERDICT_EXCLUDED:
		return 0;
	case VERDICT_ERROR:
		return add_failure(r, res, name, object);
	default:
		rc = add_compared(r, res, name);
		return rc < 0 ? rc : add_patch(r, res, object);
	}
}

/* ---- what could not be read ---- */

static bool is_listed(const struct report *rep, str source, str message)
{
	for (size_t i = rep->n_unread; i > 0 && str_eq(rep->unread[i - 1].source, source); i--) {
		if (str_eq(rep->unread[i - 1].message, message))
			return true;
	}
	return false;
}

int compare_report_unread(const struct compare_input *in, struct arena *a, struct report *rep, struct err *err)
{
	struct report_unread *unread = arena_array(a, in->sources.n + 1, sizeof(*unread));
	str more = arena_printf(a, "%zu more problems", in->problems.dropped);

	if (!unread || !more.p)
		return err_nomem(err);
	rep->unread = unread;
	for (size_t i = 0; i < in->sources.n; i++) {
		str message = str_from(in->problems.list.p[i]);

		if (!is_listed(rep, in->sources.p[i], message))
			unread[rep->n_unread++] = (struct report_unread){ in->sources.p[i], message };
	}
	if (!in->problems.dropped)
		return 0;
	unread[rep->n_unread++] = (struct report_unread){ STR("…"), more };
	rep->n_unlisted = in->problems.dropped;
	return 0;
}

/* ---- components ---- */

static int add_members(struct reporter *r, const struct component_verdict *v, struct component_member **ret, size_t *n)
{
	const struct compare_input *in = r->run->input;
	struct component_member *list = arena_array(&r->arena, in->objects.n + v->n_templates, sizeof(*list));

	if (!list)
		return err_nomem(r->err);
	for (size_t t = 0; t < v->n_templates; t++) {
		const struct ref_template *other = v->templates[t];

		do {
			if (is_referenced(r, other->index))
				list[(*n)++] = (struct component_member){ .template = v->templates[t] };
			for (size_t i = 0; i < in->objects.n; i++) {
				if (r->run->results[i].template == other)
					list[(*n)++] =
						(struct component_member){ .template = v->templates[t],
									   .is = r->run->results[i].accepted.is };
			}
			other = other->same_path;
		} while (other != v->templates[t]);
	}
	*ret = list;
	return 0;
}

/* Take what is accepted out of the verdict. */
static int accept_component(struct reporter *r, struct component_verdict *v)
{
	const struct compare_accepted *accepted = r->run->accepted;
	struct component_member *members = NULL;
	size_t n = 0;
	bool too_many = v->problem == COMPONENT_TOO_MANY || v->problem == COMPONENT_FORBIDDEN;
	int rc = 0;

	if (too_many && compare_accepts_members(accepted, v))
		rc = add_members(r, v, &members, &n);
	if (rc == 0)
		rc = compare_accept_component(accepted, v, members, n, &r->arena, &r->accepted, r->err);
	if (v->problem == COMPONENT_MISSING)
		v->n_missing = v->n_templates;
	if (v->problem == COMPONENT_SATISFIED)
		v->n_missing = 0;
	return rc;
}

static int judge_component(struct reporter *r, const struct ref_part *part, const struct ref_component *c)
{
	struct report *rep = &r->report;
	struct component_verdict *v = &r->issues[rep->n_issues];
	int rc = component_why_unknown(part, c, r->unknown, &r->arena, &r->unjudged[rep->n_unknown], r->err);

	if (rc > 0)
		rep->n_unknown++;
	if (rc != 0)
		return rc < 0 ? rc : 0;
	rc = component_judge(part, c, r->matched, &r->arena, v, r->err);
	if (rc == 0 && r->run->accepted && v->problem != COMPONENT_SATISFIED)
		rc = accept_component(r, v);
	if (rc < 0)
		return rc;
	rep->n_missing += v->n_missing;
	rep->n_issues += v->problem != COMPONENT_SATISFIED;
	return 0;
}

static int judge_components(struct reporter *r)
{
	const struct reference *ref = matcher_reference(r->run->matcher);
	int rc = 0;

	for (size_t i = 0; i < ref->n_parts && rc == 0; i++) {
		const struct ref_part *part = &ref->parts[i];

		for (size_t k = 0; k < part->n_components && rc == 0; k++)
			rc = judge_component(r, part, &part->components[k]);
	}
	return rc;
}

/* ---- colour ---- */

/* Another diff program has colours of its own, and lines that begin with anything. https://no-color.org */
bool compare_wants_colour(const struct compare_run *run)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return !run->external && isatty(STDOUT_FILENO) && !(no_color && *no_color) && term && strcmp(term, "dumb") != 0;
}

/* "-", "+" and "@@" lines of a difference as terminals show them elsewhere. */
int compare_report_colour(struct report_diff *d, struct arena *a, struct err *err)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(d->output.n * 12 + 64);
	str rest = d->output, line;

	while (str_next_part(&rest, '\n', &line)) {
		const char *code = !line.n                           ? NULL
				   : line.p[0] == '-'                ? "\033[31m"
				   : line.p[0] == '+'                ? "\033[32m"
				   : str_has_prefix(line, STR("@@")) ? "\033[36m"
								     : NULL;

		buf_add_cstr(&b, code ? code : "");
		buf_add_str(&b, line);
		buf_add_cstr(&b, code ? "\033[0m" : "");
		if (rest.p)
			buf_add_byte(&b, '\n');
	}
	d->output = arena_str(a, buf_str(&b));
	return d->output.p && !b.error ? 0 : err_nomem(err);
}

/* ---- the whole ---- */

static void add_unknown(struct reporter *r)
{
	const struct reference *ref = matcher_reference(r->run->matcher);
	const struct compare_known *known = r->run->input->known;

	for (size_t i = 0; known && i < ref->n_templates; i++)
		r->unknown[i] = compare_known_template(known, ref->templates[i]) != NULL;
}

static int allocate(struct reporter *r)
{
	const struct reference *ref = matcher_reference(r->run->matcher);
	size_t n = r->run->input->objects.n, components = 0;
	size_t n_overrides = r->run->overrides ? overrides_count(r->run->overrides) : 0;
	struct arena *a = &r->arena;

	for (size_t i = 0; i < ref->n_parts; i++)
		components += ref->parts[i].n_components;
	r->diffs = arena_array(a, n, sizeof(*r->diffs));
	r->failures = arena_array(a, n, sizeof(*r->failures));
	r->unmatched = arena_array(a, n, sizeof(*r->unmatched));
	r->patches = arena_array(a, n + n_overrides, sizeof(*r->patches));
	r->issues = arena_array(a, components + 1, sizeof(*r->issues));
	r->unjudged = arena_array(a, components + 1, sizeof(*r->unjudged));
	r->by_reference = arena_array(a, ref->n_templates, sizeof(*r->by_reference));
	r->matched = arena_zalloc(a, ref->n_templates + 1);
	r->unknown = arena_zalloc(a, ref->n_templates + 1);
	if (!r->diffs || !r->failures || !r->unmatched || !r->patches || !r->issues || !r->unjudged ||
	    !r->by_reference || !r->matched || !r->unknown)
		return err_nomem(r->err);
	for (size_t i = 0; i < n_overrides; i++)
		r->patches[r->n_patches++] = overrides_at(r->run->overrides, i);
	r->report.diffs = r->diffs;
	r->report.failures = r->failures;
	r->report.unmatched = r->unmatched;
	r->report.by_reference = r->by_reference;
	r->report.issues = r->issues;
	r->report.unknown = r->unjudged;
	r->report.accepts = r->run->accepted != NULL;
	r->report.hash = ref->hash;
	return 0;
}

static int collect(struct reporter *r)
{
	int rc = allocate(r);

	if (rc < 0)
		return rc;
	trace_references(r);
	add_unknown(r);
	for (size_t i = 0; i < r->run->input->objects.n && rc == 0; i++)
		rc = add_result(r, i);
	if (rc == 0)
		rc = compare_report_unread(r->run->input, &r->arena, &r->report, r->err);
	if (rc < 0)
		return rc;
	add_references(r);
	for (size_t i = 0; r->o->colour && i < r->report.n_diffs && rc == 0; i++)
		rc = compare_report_colour(&r->diffs[i], &r->arena, r->err);
	return rc < 0 ? rc : judge_components(r);
}

int compare_report_write(const struct report *rep, const struct compare_report_options *o, struct buf *out,
			 struct err *err)
{
	switch (o->format) {
	case FORMAT_JSON:
		return report_json(rep, out, err);
	case FORMAT_YAML:
		return report_yaml(rep, out, err);
	case FORMAT_JUNIT:
		return report_junit(rep, o->now, out, err);
	default:
		return report_text(rep, o->verbose, out, err);
	}
}

bool compare_report_differs(const struct report *rep)
{
	return rep->n_differing || rep->n_issues || rep->n_failed_inspections;
}

void compare_report_errors(const struct report *rep, const struct compare_input *in, struct buf *out)
{
	if (problems_any(&in->problems)) {
		buf_add_cstr(out, COMPARE_UNREAD);
		compare_problems_text(&in->problems, out);
	}
	for (size_t i = 0; i < rep->n_failures; i++)
		buf_printf(out, "%s%s%.*s", out->n ? "\n" : "", i == 0 ? COULD_NOT_PROCESS : "",
			   STR_ARG(rep->failures[i].message));
}

int compare_report(const struct compare_run *run, const struct compare_report_options *o, struct buf *out,
		   struct buf *errors, struct err *err)
{
	struct reporter r = { .run = run, .o = o, .err = err };
	int rc;

	arena_init(&r.arena, 0, 0);
	rc = collect(&r);
	r.report.accepted = r.accepted.list.p;
	r.report.n_accepted = r.accepted.list.n;
	if (HAS_INSPECTION && run->inspection)
		compare_inspection_report(run->inspection, &r.report);
	if (rc == 0)
		rc = o->format == FORMAT_PATCHES ? report_overrides(r.patches, r.n_patches, out, err)
						 : compare_report_write(&r.report, o, out, err);
	if (rc == 0) {
		compare_report_errors(&r.report, run->input, errors);
		rc = errors->error == -ENOMEM ? err_nomem(err) : compare_report_differs(&r.report);
	}
	vec_done(&r.accepted.list);
	arena_done(&r.arena);
	return rc;
}

/* ---- functions ---- */

static const struct {
	const char *name;
	const char *help;
} own_functions[] = {
	{ "doNotMatch", "Skip matching this target against the current CR" },
	{ "fromJson", "Parse the incoming string as a structured JSON object" },
	{ "fromJsonArray", "Parse the incoming string as a structured JSON array" },
	{ "fromYaml", "Parse the incoming string as a structured YAML object" },
	{ "fromYamlArray", "Parse the incoming string as a structured YAML array" },
	{ "lookupCR", "Lookup an external CR and return exactly one matching object" },
	{ "lookupCRs", "Lookup an external CR and return an array of matching objects" },
	{ "toJson", "Render incoming data of any type as a JSON string" },
	{ "toToml", "Render incoming data of any type as a TOML document string" },
	{ "toYaml", "Render incoming data of any type as a YAML document string" },
};

static bool is_own(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(own_functions); i++) {
		if (strcmp(name, own_functions[i].name) == 0)
			return true;
	}
	return false;
}

/* True for a function of text/template itself, which is not listed. */
static bool is_builtin(const char *name)
{
	return tmpl_fn_find(&tmpl_go_library, str_from(name)) != NULL;
}

void compare_functions_text(struct buf *out)
{
	bool first = true;

	buf_add_cstr(out, "Available Template Functions\n============================\n\n");
	for (size_t i = 0; i < ARRAY_LEN(own_functions); i++)
		buf_printf(out, "%s:\n  %s\n", own_functions[i].name, own_functions[i].help);
	buf_add_cstr(out,
		     "\nImported from "
		     "https://masterminds.github.io/sprig/\n--------------------------------------------------\n\n");
	for (size_t i = 0; tmpl_fn_at(&tmpl_library, i); i++) {
		const char *name = tmpl_fn_at(&tmpl_library, i)->name;

		if (is_own(name) || is_builtin(name))
			continue;
		buf_printf(out, "%s%s", first ? "" : ", ", name);
		first = false;
	}
	buf_add_byte(out, '\n');
}
