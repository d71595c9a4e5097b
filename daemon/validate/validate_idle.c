/* Reports rules that no object was checked against: their objects do not exist, or are not written as the rules
 * expect. */
#include "daemon/validate/validate_internal.h"

#include "base/nearest.h"

#define NAMES_SHOWN 8
#define TEXT_MAX ((size_t)64 << 10)

int validate_idle_begin(struct validate_job *job, struct err *err)
{
	for (size_t f = 0; f < job->rule_files.n; f++) {
		const struct rule_file *file = job->rule_files.p[f];

		for (size_t i = 0; i < file->sets.n; i++) {
			if (!vec_push(&job->idle, &file->sets.p[i]))
				return err_nomem(err);
		}
	}
	return 0;
}

void validate_idle_used(struct validate_job *job, val object)
{
	str api_version = val_str(VAL_GET(object, "apiVersion")), kind = val_str(VAL_GET(object, "kind"));
	size_t n = 0;

	for (size_t i = 0; i < job->idle.n; i++) {
		const struct rule_set *s = job->idle.p[i];

		if (!rule_set_for_kind(s, api_version, kind) || !rule_set_for_object(s, object))
			job->idle.p[n++] = s;
	}
	job->idle.n = n;
}

/* ---- rule sets ---- */

static bool is_idle(const struct validate_job *job, const struct rule_set *s)
{
	for (size_t i = 0; i < job->idle.n; i++) {
		if (job->idle.p[i] == s)
			return true;
	}
	return false;
}

static bool has_objects(const struct validate_job *job, str kind)
{
	for (size_t i = 0; i < job->kinds.n; i++) {
		if (job->kinds.p[i]->n_objects && str_eq(job->kinds.p[i]->rules.kind, kind))
			return true;
	}
	return false;
}

static void report_set(const struct validate_job *job, const struct rule_set *s)
{
	CLEANUP(buf_done) struct buf what = BUF_INIT(TEXT_MAX);
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < job->kinds.n && !has_objects(job, s->kind); i++) {
		if (job->kinds.p[i]->n_objects)
			nearest_offer(&nearest, s->kind, job->kinds.p[i]->rules.kind);
	}
	buf_printf(&what, "%.*s of %.*s", STR_ARG(s->kind.n ? s->kind : STR("*")),
		   STR_ARG(s->api_version.n ? s->api_version : STR("*")));
	if (s->namespace.n)
		buf_printf(&what, " in namespace %.*s", STR_ARG(s->namespace));
	if (s->name.n)
		buf_printf(&what, " called %.*s", STR_ARG(s->name));
	validate_note("%.*s: no object is for these rules: there is no %.*s%s", STR_ARG(s->where),
		      STR_ARG(buf_str(&what)), nearest_hint(&nearest));
}

/* Report the rule files without any object. Such a file is no success, except with a single namespace. */
static void report_sets(struct validate_job *job)
{
	for (size_t f = 0; f < job->rule_files.n; f++) {
		const struct rule_file *file = job->rule_files.p[f];
		size_t n = 0;

		for (size_t i = 0; i < file->sets.n; i++)
			n += is_idle(job, &file->sets.p[i]);
		job->n_idle += n && n == file->sets.n && !job->options->namespace;
	}
	for (size_t i = 0; i < job->idle.n; i++)
		report_set(job, job->idle.p[i]);
}

/* ---- definitions ---- */

static bool is_used(const struct validate_job *job, const struct document *crd)
{
	for (size_t i = 0; i < job->kinds.n; i++) {
		if (job->kinds.p[i]->n_objects && job->kinds.p[i]->crd_path == crd->path)
			return true;
	}
	return false;
}

/* Report the definitions that no object uses, of the files that were named. */
static void report_definitions(const struct validate_job *job)
{
	CLEANUP(buf_done) struct buf names = BUF_INIT(TEXT_MAX);
	size_t n = 0;

	for (size_t i = 0; i < job->crds.list.n; i++) {
		const struct document *crd = &job->crds.list.p[i];

		if (is_used(job, crd))
			continue;
		if (n < NAMES_SHOWN)
			buf_printf(&names, "%s%.*s", n ? ", " : "",
				   STR_ARG(val_str(val_dig(crd->root, "metadata", "name", NULL))));
		n++;
	}
	if (n > NAMES_SHOWN)
		buf_printf(&names, " and %zu more", n - NAMES_SHOWN);
	if (n)
		validate_note("%zu of %zu definition%s %s for no object: %.*s", n, job->crds.list.n,
			      plural_s(job->crds.list.n), n == 1 ? "is" : "are", STR_ARG(buf_str(&names)));
}

/* ---- objects before ---- */

/* Append a name such as "shop/web" or "node-1". */
static void add_name(struct buf *out, val object)
{
	str ns = val_str(val_dig(object, "metadata", "namespace", NULL));

	buf_printf(out, "%.*s %.*s%s%.*s", STR_ARG(val_str(VAL_GET(object, "kind"))), STR_ARG(ns), ns.n ? "/" : "",
		   STR_ARG(val_str(val_dig(object, "metadata", "name", NULL))));
}

/* Report old objects without a new one. If all are such, no rule over changes was checked: no success. */
static void report_old(struct validate_job *job)
{
	CLEANUP(buf_done) struct buf names = BUF_INIT(TEXT_MAX);
	size_t n = 0, all = job->old.list.n;

	for (size_t i = 0; i < all; i++) {
		const struct document *d = &job->old.list.p[i];

		if (d->met)
			continue;
		if (n < NAMES_SHOWN) {
			buf_add_cstr(&names, n ? ", " : "");
			add_name(&names, d->root);
		}
		n++;
	}
	if (n > NAMES_SHOWN)
		buf_printf(&names, " and %zu more", n - NAMES_SHOWN);
	if (n)
		validate_note("--old: %zu of %zu object%s %s the state before of no object: %.*s", n, all,
			      plural_s(all), n == 1 ? "is" : "are", STR_ARG(buf_str(&names)));
	job->n_idle += n && n == all;
}

void validate_idle_report(struct validate_job *job)
{
	if (job->n_unread) /* the objects of the rules may be in the unread files */
		return;
	report_old(job);
	report_sets(job);
	report_definitions(job);
}
