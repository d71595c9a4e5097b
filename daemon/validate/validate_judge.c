/* Compiles the rules of each kind, and checks objects with them. */
#include "daemon/validate/validate_internal.h"

#include "base/printable.h"
#include "base/severity.h"
#include "go/zoneinfo.h"
#include "rules/crd_schema.h"
#include "rules/failure_text.h"
#include "value/identity.h"
#include "value/json.h"

/* ---- rules for a kind ---- */

static const char *path_of(const struct validate_kind *k, const struct compiled_rules *rules)
{
	return rules->file ? rules->file->path : k->crd_path;
}

/* Why a rule is refused; {NULL, 0}: it is not. @proposed: the definition with the rule is not accepted by a server
 * yet. */
static str refusal_of(const struct cel_rule *r, bool proposed, const char **what)
{
	*what = r->error.p ? "rule" : r->mistake.p ? r->mistaken : "messageExpression";
	if (r->error.p)
		return r->error;
	if (r->mistake.p || r->message_error.p || !proposed || !r->dear.p)
		return r->mistake.p ? r->mistake : r->message_error;
	*what = r->dear_in;
	return r->dear;
}

/* Report refused rules. The mistakes of rules that are used as their file has them were reported when it was read. */
static void report_refused(struct validate_job *job, const struct validate_kind *k, const struct compiled_rules *rules)
{
	for (size_t i = 0; rules->owned && i < cel_rules_count(rules->rules); i++) {
		const struct cel_rule *r = cel_rules_at(rules->rules, i);
		const char *what;
		str why = refusal_of(r, !rules->file && k->proposed, &what);

		if (!why.p)
			continue;
		validate_note("%s: %s of %.*s: %.*s", path_of(k, rules), what, STR_ARG(r->where), STR_ARG(why));
		job->n_bad_rules++;
	}
}

static const struct document *last_for(const struct documents *crds, str api_version, str kind)
{
	const struct document *found = NULL;

	for (size_t i = 0; i < crds->list.n; i++) {
		if (val_is_map(crd_schema(crds->list.p[i].root, api_version, kind)))
			found = &crds->list.p[i];
	}
	return found;
}

/* The definition of the kind: the last one that serves it, but one of a file goes before that of the cluster. */
static const struct document *definition_of(const struct validate_job *job, str api_version, str kind, bool *proposed)
{
	const struct document *found = last_for(&job->crds, api_version, kind);

	*proposed = found && !val_exists(VAL_GET(VAL_GET(found->root, "metadata"), "uid"));
	return found ? found : last_for(&job->live_crds, api_version, kind);
}

static int compile_kind(struct validate_job *job, str api_version, str kind, struct validate_kind **ret,
			struct err *err)
{
	bool proposed;
	const struct document *crd = definition_of(job, api_version, kind, &proposed);
	struct rule_sources from = {
		.crd = crd ? crd->doc : NULL,
		.definition = crd ? crd->root : (val){ 0 },
		.files = job->rule_files.p,
		.n_files = job->rule_files.n,
		.limits = &job->limits,
		.keys = job->keys,
	};
	str version_copy = arena_str(&job->names, api_version), kind_copy = arena_str(&job->names, kind);
	struct validate_kind *k = calloc(1, sizeof(*k));

	if (!k || !version_copy.p || !kind_copy.p) {
		free(k);
		return err_nomem(err);
	}
	k->crd_path = crd ? crd->path : "";
	k->proposed = proposed;
	if (kind_rules_init(&k->rules, version_copy, kind_copy, &from, err) < 0) {
		free(k);
		return -err->code;
	}
	if (!vec_push(&job->kinds, k)) {
		kind_rules_done(&k->rules);
		free(k);
		return err_nomem(err);
	}
	if (k->rules.refused.code) {
		validate_note("%s: %s", k->crd_path, k->rules.refused.msg);
		job->n_bad_rules++;
	}
	for (size_t i = 0; i < k->rules.sets.n; i++)
		report_refused(job, k, &k->rules.sets.p[i]);
	*ret = k;
	return 0;
}

int validate_kind_of(struct validate_job *job, str api_version, str kind, struct validate_kind **ret, struct err *err)
{
	for (size_t i = 0; i < job->kinds.n; i++) {
		const struct kind_rules *k = &job->kinds.p[i]->rules;

		if (str_eq(k->api_version, api_version) && str_eq(k->kind, kind)) {
			*ret = job->kinds.p[i];
			return 0;
		}
	}
	return compile_kind(job, api_version, kind, ret, err);
}

bool validate_kind_has_rules(const struct validate_kind *k)
{
	for (size_t i = 0; i < k->rules.sets.n; i++) {
		if (cel_rules_count(k->rules.sets.p[i].rules))
			return true;
	}
	return false;
}

/* ---- output ---- */

static str text_at(val object, const char *name)
{
	return val_str(val_dig(object, "metadata", name, NULL));
}

/* Append a failure. Whoever may write objects controls its names and messages. */
static int add_text(struct validate_job *job, val object, const struct cel_failure *x, str path, str message,
		    struct err *err)
{
	str ns = text_at(object, "namespace"), name = text_at(object, "name"), kind = val_str(VAL_GET(object, "kind"));
	CLEANUP(buf_done) struct buf line = BUF_INIT(job->out.max);

	buf_printf(&line, "%s%.*s %.*s%s%.*s: %.*s: %.*s", x->warning ? "warning: " : "", STR_ARG(kind), STR_ARG(ns),
		   ns.n ? "/" : "", STR_ARG(name), STR_ARG(path.n ? path : STR(".")), STR_ARG(message));
	if (x->kind == CEL_FAILED)
		buf_printf(&line, " (%s)", cel_reason_name((enum cel_reason)x->reason));
	printable_add(&job->out, buf_str(&line), "\n    ");
	buf_add_byte(&job->out, '\n');
	return line.error ? buf_error(&line, "the output", err) : 0;
}

static void add_member(struct buf *out, const char *name, str value)
{
	buf_printf(out, ",\"%s\":", name);
	json_encode_string(value, JSON_PLAIN, out);
}

/* The check of one object by one set of rules. */
struct visit {
	struct validate_job *job;
	const struct document *d;
	const struct validate_kind *k;
	const struct compiled_rules *rules;
	struct topo type;
};

/* The place of a failure: by the keys of lists, and as a server names it. */
struct place {
	str path, field;
};

static void add_json(struct visit *v, const struct cel_failure *x, struct place place, str message)
{
	static const char *const kinds[] = {
		[CEL_FAILED] = "failed", [CEL_RUNTIME] = "error", [CEL_COMPILE] = "compile", [CEL_COST] = "cost"
	};
	struct validate_job *job = v->job;
	int severity = compiled_rules_severity(v->rules, x->rule);
	val root = v->d->root;

	buf_printf(&job->out, "%s{\"warning\":%s", job->n_failures + job->n_warnings ? "," : "",
		   x->warning ? "true" : "false");
	add_member(&job->out, "file", str_from(v->d->path));
	add_member(&job->out, "apiVersion", val_str(VAL_GET(root, "apiVersion")));
	add_member(&job->out, "kind", val_str(VAL_GET(root, "kind")));
	add_member(&job->out, "namespace", text_at(root, "namespace"));
	add_member(&job->out, "name", text_at(root, "name"));
	add_member(&job->out, "path", place.path);
	add_member(&job->out, "field", place.field);
	add_member(&job->out, "message", message);
	add_member(&job->out, "type", str_from(kinds[x->kind]));
	add_member(&job->out, "reason", str_from(cel_reason_name((enum cel_reason)x->reason)));
	add_member(&job->out, "rule", x->rule ? x->rule->rule : STR(""));
	add_member(&job->out, "source", str_from(path_of(v->k, v->rules)));
	add_member(&job->out, "severity",
		   str_from(severity_name(severity ? (enum severity)severity : SEVERITY_WARNING)));
	buf_add_byte(&job->out, '}');
}

/* ---- one object ---- */

static int add_failure(void *ctx, const struct cel_failure *x, struct err *err)
{
	CLEANUP(arena_done) struct arena scratch = ARENA_INIT(0);
	struct visit *v = ctx;
	struct place place = { .field = x->path.text };
	str message = x->message;
	int r = 0;

	if (v->job->options->unmasked) {
		place.path = failure_path_shown(v->d->root, &v->type, &x->path, &scratch);
	} else {
		place.path = failure_path(NULL, v->d->root, &v->type, &x->path, &scratch);
		place.field = failure_path(NULL, v->d->root, NULL, &x->path, &scratch);
		message = failure_message(x, failure_hides(NULL, v->d->root, x), &scratch);
	}
	if (!place.path.p || !place.field.p || !message.p)
		return err_nomem(err);
	if (v->job->options->form == OUTPUT_JSON)
		add_json(v, x, place, message);
	else
		r = add_text(v->job, v->d->root, x, place.path, message, err);
	if (x->warning)
		v->job->n_warnings++;
	else
		v->job->n_failures++;
	return r;
}

static val old_of(const struct validate_job *job, val object)
{
	struct identity id = identity_of(object);
	struct document *d = identity_get(&job->old_by_name, &id);

	if (!d)
		return (val){ 0 };
	d->met = true;
	return d->root;
}

int validate_object(struct validate_job *job, const struct document *d, enum rules_fit *ret, struct err *err)
{
	struct visit v = { .job = job, .d = d };
	struct rules_run run = {
		.object = d->root,
		.old = old_of(job, d->root),
		.ratchet = true,
		.arena = &job->scratch,
		.limits = &job->limits,
		.zones = &go_zoneinfo,
		.failed = add_failure,
		.ctx = &v,
	};
	struct validate_kind *k = NULL;
	int r = validate_kind_of(job, val_str(VAL_GET(d->root, "apiVersion")), val_str(VAL_GET(d->root, "kind")), &k,
				 err);

	if (r < 0)
		return r;
	v.k = k;
	v.type = topo_root(k->rules.api_version, k->rules.kind, k->rules.schema);
	for (size_t i = 0; r == 0 && i < k->rules.sets.n; i++) {
		v.rules = &k->rules.sets.p[i];
		r = compiled_rules_run(v.rules, &run, err);
		arena_reset(&job->scratch);
	}
	if (r < 0)
		return r;
	job->n_objects++;
	k->n_objects++;
	validate_idle_used(job, d->root);
	*ret = kind_rules_fit(&k->rules, d->root, val_exists(run.old));
	job->n_judged += *ret == RULES_FIT;
	return 0;
}
