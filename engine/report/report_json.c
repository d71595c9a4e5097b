/* Writes the report as JSON, and as YAML made from it. */
#include "report/report.h"
#include "value/json.h"
#include "value/yaml.h"

/* The type of the only warning. */
#define WARNING_TYPE "InferredResourcesNotValidated"
#define WARNING_TEXT "Resource(s) found via ownerReferences or RBAC subjects but contents not validated"

/* ---- JSON: members in the order of the original's structs, which are not sorted ---- */

static void add_string(struct buf *out, str s)
{
	json_encode_string(s, JSON_GO, out);
}

static void add_member(struct buf *out, const char *name, str value)
{
	buf_printf(out, "\"%s\":", name);
	add_string(out, value);
}

static void add_strings(struct buf *out, const str *list, size_t n)
{
	buf_add_byte(out, '[');
	for (size_t i = 0; i < n; i++) {
		if (i)
			buf_add_byte(out, ',');
		add_string(out, list[i]);
	}
	buf_add_byte(out, ']');
}

static int by_bytes(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

/* Append the descriptions of templates by their paths, sorted, each once. */
static int add_metadata(const struct component_verdict *v, struct buf *out, struct err *err)
{
	CLEANUP(freep) str *paths = calloc(v->n_templates + 1, sizeof(*paths));
	bool any = false;

	if (!paths)
		return err_nomem(err);
	for (size_t i = 0; i < v->n_templates; i++)
		paths[i] = v->templates[i]->path;
	qsort(paths, v->n_templates, sizeof(*paths), by_bytes);
	for (size_t i = 0; i < v->n_templates; i++) {
		str description = report_description(v, paths[i]);

		if (!description.n || (i > 0 && str_eq(paths[i], paths[i - 1])))
			continue;
		buf_add_cstr(out, any ? "," : ",\"crMetadata\":{");
		any = true;
		add_string(out, paths[i]);
		buf_add_cstr(out, ":{");
		add_member(out, "description", description);
		buf_add_byte(out, '}');
	}
	if (any)
		buf_add_byte(out, '}');
	return 0;
}

static int add_issue(const struct component_verdict *v, struct buf *out, struct err *err)
{
	int r;

	add_string(out, v->component->name);
	buf_add_cstr(out, ":{");
	add_member(out, "Msg", str_from(component_problem_text(v->problem)));
	buf_add_cstr(out, ",\"CRs\":[");
	for (size_t i = 0; i < v->n_templates; i++) {
		if (i)
			buf_add_byte(out, ',');
		add_string(out, v->templates[i]->path);
	}
	buf_add_byte(out, ']');
	r = add_metadata(v, out, err);
	buf_add_byte(out, '}');
	return r;
}

static int add_by_part(const struct component_verdict *list, size_t n_list, struct buf *out, struct err *err)
{
	CLEANUP(freep) const struct component_verdict **issues = calloc(n_list + 1, sizeof(*issues));
	size_t n = issues ? report_sort_issues(list, n_list, issues) : 0;

	if (!issues)
		return err_nomem(err);
	buf_add_byte(out, '{');
	for (size_t i = 0; i < n; i++) {
		bool first = i == 0 || !str_eq(issues[i]->part->name, issues[i - 1]->part->name);
		int rc;

		if (first) {
			buf_add_cstr(out, i ? "}," : "");
			add_string(out, issues[i]->part->name);
			buf_add_cstr(out, ":{");
		} else {
			buf_add_byte(out, ',');
		}
		rc = add_issue(issues[i], out, err);
		if (rc < 0)
			return rc;
	}
	buf_add_cstr(out, n ? "}}" : "}");
	return 0;
}

static void add_next_member(struct buf *out, const char *name, str value)
{
	buf_add_byte(out, ',');
	add_member(out, name, value);
}

static void add_failure(const struct report_failure *f, struct buf *out)
{
	add_member(out, "CRName", f->cr);
	if (f->template.n)
		add_next_member(out, "CorrelatedTemplate", f->template);
	add_next_member(out, "message", f->message);
}

static void add_errors(const struct report *r, struct buf *out)
{
	if (!r->n_failures && !r->n_unread)
		return;
	buf_add_cstr(out, ",\"errors\":[");
	for (size_t i = 0; i < r->n_failures; i++) {
		buf_add_cstr(out, i ? ",{" : "{");
		add_failure(&r->failures[i], out);
		buf_add_byte(out, '}');
	}
	for (size_t i = 0; i < r->n_unread; i++) {
		buf_add_cstr(out, i || r->n_failures ? ",{" : "{");
		add_member(out, "Source", r->unread[i].source);
		add_next_member(out, "message", r->unread[i].message);
		buf_add_byte(out, '}');
	}
	buf_add_byte(out, ']');
}

static void add_accepted(const struct report *r, struct buf *out)
{
	if (r->accepts)
		buf_printf(out, ",\"NumAccepted\":%zu,\"Accepted\":[", r->n_accepted);
	for (size_t i = 0; i < r->n_accepted; i++) {
		const struct report_accepted *a = &r->accepted[i];

		buf_add_cstr(out, i ? ",{" : "{");
		add_member(out, a->cr.n ? "CRName" : "Part", a->cr.n ? a->cr : a->part);
		add_next_member(out, a->cr.n ? "Path" : "Component", a->cr.n ? a->path : a->component);
		if (a->templates.n)
			add_next_member(out, "CRs", a->templates);
		add_next_member(out, "Reason", a->reason);
		if (a->owner.n)
			add_next_member(out, "Owner", a->owner);
		if (a->until.n)
			add_next_member(out, "Until", a->until);
		buf_add_byte(out, '}');
	}
	if (r->accepts)
		buf_add_byte(out, ']');
}

static void add_failed_inspections(const struct report *r, struct buf *out)
{
	if (r->inspects)
		buf_printf(out, ",\"NumFailedInspections\":%zu,\"FailedInspections\":[", r->n_failed_inspections);
	for (size_t i = 0; i < r->n_failed_inspections; i++) {
		const struct report_failed_inspection *f = &r->failed_inspections[i];

		buf_add_cstr(out, i ? ",{" : "{");
		add_member(out, "CRName", f->cr);
		if (f->rule.n)
			add_next_member(out, "Rule", f->rule);
		add_next_member(out, "Phase", f->phase);
		add_next_member(out, "Severity", str_from(f->severity));
		add_next_member(out, "Message", f->message);
		buf_add_byte(out, '}');
	}
	if (r->inspects)
		buf_add_byte(out, ']');
}

static int add_summary(const struct report *r, struct buf *out, struct err *err)
{
	int rc;

	buf_add_cstr(out, "{\"ValidationIssuses\":");
	rc = add_by_part(r->issues, r->n_issues, out, err);
	if (rc < 0)
		return rc;
	buf_printf(out, ",\"NumMissing\":%zu,\"UnmatchedCRS\":", r->n_missing);
	add_strings(out, r->unmatched, r->n_unmatched);
	buf_printf(out, ",\"NumDiffCRs\":%zu,\"TotalCRs\":%zu,\"MetadataHash\":\"%s\",\"patchedCRs\":%zu",
		   r->n_differing, r->n_total, r->hash, r->n_patched);
	if (r->n_by_reference) {
		buf_add_cstr(out, ",\"matchedByReferenceOnly\":");
		add_strings(out, r->by_reference, r->n_by_reference);
	}
	if (r->n_unknown) {
		buf_add_cstr(out, ",\"unknownComponents\":");
		rc = add_by_part(r->unknown, r->n_unknown, out, err);
	}
	if (r->n_hooks)
		buf_printf(out, ",\"leftOutHooks\":%zu", r->n_hooks);
	if (r->n_unnamed)
		buf_printf(out, ",\"leftOutUnnamed\":%zu", r->n_unnamed);
	if (r->n_unapplied)
		buf_printf(out, ",\"withoutAnnotation\":%zu", r->n_unapplied);
	add_accepted(r, out);
	add_failed_inspections(r, out);
	add_errors(r, out);
	buf_add_byte(out, '}');
	return rc;
}

static void add_event(const struct report_event *e, struct buf *out)
{
	buf_add_byte(out, '{');
	add_member(out, "Type", str_from(e->type));
	add_next_member(out, "Severity", str_from(e->severity));
	add_next_member(out, "RulePath", e->path);
	add_next_member(out, "Change", str_from(e->change));
	if (e->message.n)
		add_next_member(out, "Message", e->message);
	if (e->action.n)
		add_next_member(out, "Action", e->action);
	buf_add_cstr(out, ",\"MatchedPaths\":");
	add_strings(out, e->matched, e->n_matched);
	buf_add_byte(out, '}');
}

static void add_events(const struct report_diff *d, struct buf *out)
{
	if (!d->severity)
		return;
	add_next_member(out, "Severity", str_from(d->severity));
	buf_add_cstr(out, ",\"Events\":[");
	for (size_t i = 0; i < d->n_events; i++) {
		if (i)
			buf_add_byte(out, ',');
		add_event(&d->events[i], out);
	}
	buf_add_byte(out, ']');
}

static void add_change(const struct report_change *c, struct buf *out)
{
	buf_add_byte(out, '{');
	add_member(out, "Path", c->path);
	add_next_member(out, "Change", str_from(c->change));
	if (c->why)
		add_next_member(out, "Reason", str_from(c->why));
	if (c->expected.p)
		buf_printf(out, ",\"Expected\":%.*s", STR_ARG(c->expected));
	if (c->found.p)
		buf_printf(out, ",\"Found\":%.*s", STR_ARG(c->found));
	if (c->hidden)
		buf_add_cstr(out, ",\"Hidden\":true");
	buf_add_byte(out, '}');
}

static void add_changes(const struct report_diff *d, struct buf *out)
{
	if (d->deleting)
		buf_add_cstr(out, ",\"Deleting\":true");
	if (!d->changes)
		return;
	buf_add_cstr(out, ",\"Changes\":[");
	for (size_t i = 0; i < d->n_changes; i++) {
		if (i)
			buf_add_byte(out, ',');
		add_change(&d->changes[i], out);
	}
	buf_add_byte(out, ']');
	if (d->n_unlisted)
		buf_printf(out, ",\"UnlistedChanges\":%zu", d->n_unlisted);
}

static void add_diff(const struct report_diff *d, struct buf *out)
{
	buf_add_byte(out, '{');
	add_member(out, "DiffOutput", d->output);
	buf_add_byte(out, ',');
	add_member(out, "CorrelatedTemplate", d->template);
	buf_add_byte(out, ',');
	add_member(out, "CRName", d->cr);
	if (d->patched.n) {
		buf_add_byte(out, ',');
		add_member(out, "Patched", d->patched);
	}
	if (d->n_reasons) {
		buf_add_cstr(out, ",\"OverrideReason\":");
		add_strings(out, d->reasons, d->n_reasons);
	}
	if (d->description.n) {
		buf_add_byte(out, ',');
		add_member(out, "description", d->description);
	}
	add_changes(d, out);
	add_events(d, out);
	buf_add_byte(out, '}');
}

static void add_warnings(const struct report *r, struct buf *out)
{
	if (!r->n_by_reference)
		return;
	buf_add_cstr(out,
		     ",\"Warnings\":[{\"type\":\"" WARNING_TYPE "\",\"message\":\"" WARNING_TEXT "\",\"resources\":");
	add_strings(out, r->by_reference, r->n_by_reference);
	buf_add_cstr(out, "}]");
}

int report_json(const struct report *r, struct buf *out, struct err *err)
{
	int rc;

	buf_add_cstr(out, "{\"Summary\":");
	rc = add_summary(r, out, err);
	if (rc < 0)
		return rc;
	buf_add_cstr(out, ",\"Diffs\":[");
	for (size_t i = 0; i < r->n_diffs; i++) {
		if (i)
			buf_add_byte(out, ',');
		add_diff(&r->diffs[i], out);
	}
	buf_add_byte(out, ']');
	add_warnings(r, out);
	buf_add_cstr(out, "}\n");
	return buf_error(out, "report", err);
}

/* ---- YAML: the same, its members sorted ---- */

int report_yaml(const struct report *r, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(out->max);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	int rc = report_json(r, &json, err);

	limits.object_bytes = json.n + 1;
	limits.document_nodes = json.n + 1;
	limits.arena_bytes = 0;
	if (rc == 0)
		rc = json_decode(buf_str(&json), &o, &doc, err);
	return rc < 0 || !doc ? rc : yaml_encode_any(doc->root, out, err);
}

/* ---- overrides ---- */

static bool add_field(struct arena *a, struct member *members, size_t *n, const char *name, str value, bool always)
{
	if (!value.n && !always)
		return true;
	members[*n].key = key_make(NULL, a, str_from(name));
	members[*n].value = val_string(value);
	return members[(*n)++].key != NULL;
}

static val override_value(struct arena *a, const struct override *o)
{
	struct member m[9];
	size_t n = 0;
	bool ok = add_field(a, m, &n, "name", o->identity.name, false) &&
		  add_field(a, m, &n, "apiVersion", o->identity.api_version, false) &&
		  add_field(a, m, &n, "kind", o->identity.kind, false) &&
		  add_field(a, m, &n, "namespace", o->identity.namespace, false) &&
		  add_field(a, m, &n, "exactMatch", o->exact_match, false) &&
		  add_field(a, m, &n, "reason", o->reason, true) && add_field(a, m, &n, "type", o->type, true) &&
		  add_field(a, m, &n, "patch", o->patch, true) &&
		  add_field(a, m, &n, "templatePath", o->template_path, true);

	return ok ? val_map(a, m, n) : (val){ 0 };
}

int report_overrides(const struct override *const *list, size_t n, struct buf *out, struct err *err)
{
	CLEANUP(freep) val *items = calloc(n + 1, sizeof(*items));
	struct arena a;
	bool ok = items != NULL;
	int r;

	arena_init(&a, 0, 0);
	for (size_t i = 0; i < n && ok; i++) {
		items[i] = override_value(&a, list[i]);
		ok = val_exists(items[i]);
	}
	if (!ok)
		r = err_nomem(err);
	else if (n == 0) /* an empty list is null, as a list that was never made is in Go */
		r = yaml_encode(val_null(), out, err);
	else
		r = yaml_encode_exact((val){ .kind = VAL_LIST, .n = (uint32_t)n, .items = items }, out, err);
	arena_done(&a);
	return r;
}
