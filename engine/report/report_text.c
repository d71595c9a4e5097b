/* Writes the report as text for people. */
#include "report/report.h"

#include "base/printable.h"
#include "base/unicode.h"
#include "value/yaml.h"

#define SEPARATOR "**********************************\n"

/* Append a text without the white space at both ends, which the original trims from each of its parts. */
static void add_trimmed(struct buf *out, struct buf *part)
{
	str s = unicode_trim(buf_str(part));

	if (part->error)
		out->error = part->error;
	buf_add_str(out, s);
	buf_done(part);
}

static void add_indented(struct buf *out, str text, size_t spaces)
{
	str line;

	buf_fill(out, ' ', spaces);
	for (bool first = true; str_next_part(&text, '\n', &line); first = false) {
		if (!first) {
			buf_add_byte(out, '\n');
			buf_fill(out, ' ', spaces);
		}
		buf_add_str(out, line);
	}
}

/* ---- differences ---- */

static void add_patched(const struct report_diff *d, struct buf *out)
{
	if (!d->patched.n)
		return;
	buf_printf(out, "\nPatched with %.*s", STR_ARG(d->patched));
	if (!d->n_reasons)
		buf_add_cstr(out, "\nPatch Reasons: <None given>");
	else
		buf_add_cstr(out, "\nPatch Reasons:");
	for (size_t i = 0; i < d->n_reasons; i++) {
		buf_add_cstr(out, "\n- ");
		buf_add_str(out, d->reasons[i]);
	}
}

static void add_event(const struct report_event *e, struct buf *out)
{
	buf_printf(out, "\n- %s: %s %.*s", e->severity, e->type, STR_ARG(e->path));
	if (e->message.n)
		buf_printf(out, ": %.*s", STR_ARG(e->message));
	if (e->action.n)
		buf_printf(out, " (%.*s)", STR_ARG(e->action));
	for (size_t i = 0; i < e->n_matched; i++)
		buf_printf(out, "\n    %s %.*s", e->change, STR_ARG(e->matched[i]));
}

static void add_events(const struct report_diff *d, struct buf *out)
{
	if (!d->severity)
		return;
	buf_printf(out, "\nSeverity: %s", d->severity);
	if (d->n_events)
		buf_add_cstr(out, "\nRules:");
	for (size_t i = 0; i < d->n_events; i++)
		add_event(&d->events[i], out);
}

static void add_changes(const struct report_diff *d, struct buf *out)
{
	if (d->deleting)
		buf_add_cstr(out, "\nThe object is being deleted");
	if (d->n_changes)
		buf_add_cstr(out, "\nChanges:");
	for (size_t i = 0; i < d->n_changes; i++)
		buf_printf(out, "\n- %s %.*s%s%s", d->changes[i].change, STR_ARG(d->changes[i].path),
			   d->changes[i].why ? ": " : "", d->changes[i].why ? d->changes[i].why : "");
	if (d->n_unlisted)
		buf_printf(out, "\n- and %zu more", d->n_unlisted);
}

static void add_diff(const struct report_diff *d, struct buf *out)
{
	struct buf part = BUF_INIT(out->max);

	buf_add_cstr(&part, "Cluster CR: ");
	buf_add_str(&part, d->cr);
	buf_add_cstr(&part, "\nReference File: ");
	buf_add_str(&part, d->template);
	if (d->description.n) {
		buf_add_cstr(&part, "\nDescription:\n");
		add_indented(&part, d->description, 2);
	}
	buf_add_cstr(&part, "\nDiff Output: ");
	buf_add_str(&part, d->output.n ? d->output : STR("None"));
	add_changes(d, &part);
	add_events(d, &part);
	add_patched(d, &part);
	add_trimmed(out, &part);
	buf_add_byte(out, '\n');
}

struct sortable {
	const struct report_diff *d;
	size_t index;
};

static int cmp_joined(str a1, str a2, str b1, str b2)
{
	size_t n = a1.n + a2.n < b1.n + b2.n ? a1.n + a2.n : b1.n + b2.n;

	for (size_t i = 0; i < n; i++) {
		unsigned char a = (unsigned char)(i < a1.n ? a1.p[i] : a2.p[i - a1.n]);
		unsigned char b = (unsigned char)(i < b1.n ? b1.p[i] : b2.p[i - b1.n]);

		if (a != b)
			return a < b ? -1 : 1;
	}
	return (a1.n + a2.n > b1.n + b2.n) - (a1.n + a2.n < b1.n + b2.n);
}

/* Compare by template and object, as one text. */
static int by_template(const void *a, const void *b)
{
	const struct sortable *x = a, *y = b;
	int order = cmp_joined(x->d->template, x->d->cr, y->d->template, y->d->cr);

	return order ? order : (x->index > y->index) - (x->index < y->index);
}

static int add_diffs(const struct report *r, bool all, struct buf *out, struct err *err)
{
	CLEANUP(freep) struct sortable *shown = calloc(r->n_diffs + 1, sizeof(*shown));
	size_t n = 0;

	if (!shown)
		return err_nomem(err);
	for (size_t i = 0; i < r->n_diffs; i++) {
		if (all || r->diffs[i].output.n || r->diffs[i].patched.n)
			shown[n++] = (struct sortable){ &r->diffs[i], i };
	}
	if (n == 0)
		return 0;
	qsort(shown, n, sizeof(*shown), by_template);
	buf_add_cstr(out, SEPARATOR "\n");
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_cstr(out, "\n" SEPARATOR "\n");
		add_diff(shown[i].d, out);
	}
	buf_add_cstr(out, "\n" SEPARATOR "\n");
	return 0;
}

/* ---- summary ---- */

static void add_issue(const struct component_verdict *v, struct buf *out)
{
	buf_printf(out, "\n  %.*s:\n    %s:", STR_ARG(v->component->name), component_problem_text(v->problem));
	for (size_t i = 0; i < v->n_templates; i++) {
		str path = v->templates[i]->path, description = report_description(v, path);

		buf_add_cstr(out, "\n    - ");
		buf_add_str(out, path);
		if (!description.n)
			continue;
		buf_add_cstr(out, "\n      Description:\n");
		add_indented(out, description, 8);
	}
}

static int add_by_part(const struct component_verdict *list, size_t n_list, const char *title, size_t count,
		       struct buf *out, struct err *err)
{
	CLEANUP(freep) const struct component_verdict **issues = calloc(n_list + 1, sizeof(*issues));
	size_t n = issues ? report_sort_issues(list, n_list, issues) : 0;

	if (!issues)
		return err_nomem(err);
	if (n)
		buf_printf(out, "\n%s: %zu", title, count);
	for (size_t i = 0; i < n; i++) {
		if (i == 0 || !str_eq(issues[i]->part->name, issues[i - 1]->part->name))
			buf_printf(out, "\n%.*s:", STR_ARG(issues[i]->part->name));
		add_issue(issues[i], out);
	}
	return 0;
}

/* Append the issues. "No validation issues" is not written when a component could not be judged. */
static int add_issues(const struct report *r, struct buf *out, struct err *err)
{
	int rc = add_by_part(r->issues, r->n_issues, "CRs in reference missing from the cluster", r->n_missing, out,
			     err);

	if (!r->n_issues && !r->n_unknown)
		buf_add_cstr(out, "\nNo validation issues with the cluster");
	return rc < 0 ? rc
		      : add_by_part(r->unknown, r->n_unknown, "Components that could not be judged", r->n_unknown, out,
				    err);
}

/* Append a list of strings as YAML, without the last newline. */
static int add_yaml_list(const str *list, size_t n, struct buf *out, struct err *err)
{
	CLEANUP(freep) val *items = calloc(n + 1, sizeof(*items));
	int r;

	if (!items)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		items[i] = val_string(list[i]);
	r = yaml_encode_any((val){ .kind = VAL_LIST, .n = (uint32_t)n, .items = items }, out, err);
	if (r == 0 && out->n)
		buf_truncate(out, out->n - 1);
	return r;
}

static int add_unmatched(const struct report *r, struct buf *out, struct err *err)
{
	if (!r->n_unmatched) {
		buf_add_cstr(out, "\nNo CRs are unmatched to reference CRs");
		return 0;
	}
	buf_printf(out, "\nCluster CRs unmatched to reference CRs: %zu\n", r->n_unmatched);
	return add_yaml_list(r->unmatched, r->n_unmatched, out, err);
}

static void add_failures(const struct report *r, struct buf *out)
{
	if (r->n_failures)
		buf_printf(out, "\nCluster CRs that could not be compared: %zu", r->n_failures);
	for (size_t i = 0; i < r->n_failures; i++)
		buf_printf(out, "\n- %.*s", STR_ARG(r->failures[i].cr));
}

static void add_unread(const struct report *r, struct buf *out)
{
	if (r->n_unread)
		buf_printf(out, "\nInputs that could not be read: %zu",
			   r->n_unread + (r->n_unlisted ? r->n_unlisted - 1 : 0));
	for (size_t i = 0; i < r->n_unread; i++)
		buf_printf(out, "\n- %.*s: %.*s", STR_ARG(r->unread[i].source), STR_ARG(r->unread[i].message));
}

static void add_by_reference(const struct report *r, struct buf *out)
{
	if (!r->n_by_reference)
		return;
	buf_printf(
		out,
		"\n\nWarning: %zu resource(s) found via ownerReferences or RBAC subjects but contents not validated:",
		r->n_by_reference);
	for (size_t i = 0; i < r->n_by_reference; i++) {
		buf_add_cstr(out, "\n  - ");
		buf_add_str(out, r->by_reference[i]);
	}
}

static void add_left_out(const struct report *r, struct buf *out)
{
	if (r->n_hooks)
		buf_printf(out, "\nHooks left out: %zu", r->n_hooks);
	if (r->n_unnamed)
		buf_printf(out, "\nManifests without a name left out: %zu", r->n_unnamed);
	if (r->n_unapplied)
		buf_printf(out, "\nWithout the annotation: %zu", r->n_unapplied);
}

static void add_accepted(const struct report *r, struct buf *out)
{
	if (r->accepts)
		buf_printf(out, "\nAccepted differences: %zu", r->n_accepted);
	for (size_t i = 0; i < r->n_accepted; i++) {
		const struct report_accepted *a = &r->accepted[i];

		if (a->cr.n)
			buf_printf(out, "\n- %.*s: %.*s: ", STR_ARG(a->cr), STR_ARG(a->path));
		else
			buf_printf(out, "\n- %.*s/%.*s: %.*s: ", STR_ARG(a->part), STR_ARG(a->component),
				   STR_ARG(a->templates));
		report_why_accepted(a, out);
	}
}

static void add_failed_inspections(const struct report *r, struct buf *out)
{
	if (r->inspects)
		buf_printf(out, "\nFailed inspections: %zu", r->n_failed_inspections);
	for (size_t i = 0; i < r->n_failed_inspections; i++) {
		buf_printf(out, "\n- %.*s: ", STR_ARG(r->failed_inspections[i].cr));
		printable_add(out, r->failed_inspections[i].message, " ");
	}
}

static int add_summary(const struct report *r, struct buf *out, struct err *err)
{
	int rc;

	buf_printf(out, "Summary\nCRs with diffs: %zu/%zu", r->n_differing, r->n_total);
	rc = add_issues(r, out, err);
	if (rc < 0)
		return rc;
	add_by_reference(r, out);
	rc = add_unmatched(r, out, err);
	if (rc < 0)
		return rc;
	add_failures(r, out);
	add_unread(r, out);
	add_left_out(r, out);
	add_accepted(r, out);
	add_failed_inspections(r, out);
	if (*r->hash)
		buf_printf(out, "\nMetadata Hash: %s", r->hash);
	if (r->n_patched)
		buf_printf(out, "\nCluster CRs with patches applied: %zu\n", r->n_patched);
	else
		buf_add_cstr(out, "\nNo patched CRs\n");
	return 0;
}

int report_text(const struct report *r, bool all, struct buf *out, struct err *err)
{
	int rc = add_diffs(r, all, out, err);

	if (rc == 0)
		rc = add_summary(r, out, err);
	return rc < 0 ? rc : buf_error(out, "report", err);
}
