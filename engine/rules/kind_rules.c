/* Compiles the rules of a kind, and checks objects with them. */
#include "rules/kind_rules.h"

#include "rules/crd_schema.h"

#include <errno.h>

const char *rule_source_name(enum rule_source s)
{
	return s == RULES_OF_CRD ? "crd" : "file";
}

enum rule_source rule_source_parse(str name)
{
	return str_eq(name, STR("crd")) ? RULES_OF_CRD : RULES_OF_FILE;
}

/* ---- compiling ---- */

static int keep(struct kind_rules *k, const struct compiled_rules *c, struct err *err)
{
	if (vec_push(&k->sets, *c))
		return 0;
	if (c->owned)
		cel_rules_free(c->rules);
	return err_nomem(err);
}

static int compile_crd(struct kind_rules *k, const struct rule_sources *from, struct err *err)
{
	struct compiled_rules c = { .source = RULES_OF_CRD, .owned = true };
	int r;

	if (!val_is_map(k->schema))
		return 0;
	r = cel_rules_compile(k->schema, (val){ 0 }, true, from->limits, &c.rules, &k->refused);
	if (r == -ENOMEM)
		return err_nomem(err);
	if (r < 0)
		return 0;
	k->refused = (struct err){ 0 };
	return keep(k, &c, err);
}

/* Compile a set of rules. With a schema, values are typed as it says; without one, the rules stay as the file has
 * compiled them. */
static int compile_set(struct kind_rules *k, const struct rule_file *file, const struct rule_set *set,
		       const struct rule_sources *from, struct err *err)
{
	struct compiled_rules c = { .source = RULES_OF_FILE, .file = file, .set = set, .rules = set->rules };
	val schema = schema_with_rules(k->schema, &set->at, set->list, from->keys, &k->arena);
	int r = 0;

	if (val_is_map(schema)) {
		r = cel_rules_compile(schema, (val){ 0 }, set->at.n == 0, from->limits, &c.rules, err);
		c.owned = r == 0;
	}
	return r == -ENOMEM ? r : keep(k, &c, err);
}

static int compile_file(struct kind_rules *k, const struct rule_file *file, const struct rule_sources *from,
			struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < file->sets.n; i++) {
		if (rule_set_for_kind(&file->sets.p[i], k->api_version, k->kind))
			r = compile_set(k, file, &file->sets.p[i], from, err);
	}
	return r;
}

int kind_rules_init(struct kind_rules *k, str api_version, str kind, const struct rule_sources *from, struct err *err)
{
	int r;

	*k = (struct kind_rules){ .api_version = api_version, .kind = kind, .crd = doc_ref(from->crd) };
	arena_init(&k->arena, 0, from->limits->arena_bytes);
	if (val_exists(from->definition))
		k->schema = crd_schema(from->definition, api_version, kind);
	r = compile_crd(k, from, err);
	for (size_t i = 0; r == 0 && i < from->n_files; i++)
		r = compile_file(k, from->files[i], from, err);
	if (r < 0)
		kind_rules_done(k);
	return r;
}

void kind_rules_done(struct kind_rules *k)
{
	for (size_t i = 0; i < k->sets.n; i++) {
		if (k->sets.p[i].owned)
			cel_rules_free(k->sets.p[i].rules);
	}
	vec_done(&k->sets);
	arena_done(&k->arena);
	doc_unref(TAKE(k->crd));
}

int compiled_rules_severity(const struct compiled_rules *c, const struct cel_rule *rule)
{
	size_t i = rule ? (size_t)(rule - cel_rules_at(c->rules, 0)) : SIZE_MAX;

	return c->set && i < val_count(c->set->list) ? c->set->severities[i] : 0;
}

/* ---- one object ---- */

static enum rules_fit rule_fit(const struct cel_rule *r, bool has_old)
{
	if (r->error.p || r->empty)
		return RULES_NONE;
	return r->transition && !r->optional_old && !has_old ? RULES_NEED_OLD : RULES_FIT;
}

enum rules_fit kind_rules_fit(const struct kind_rules *k, val object, bool has_old)
{
	enum rules_fit best = RULES_NONE;

	for (size_t i = 0; i < k->sets.n; i++) {
		const struct compiled_rules *c = &k->sets.p[i];

		for (size_t r = 0; (!c->set || rule_set_for_object(c->set, object)) && r < cel_rules_count(c->rules);
		     r++) {
			enum rules_fit fit = rule_fit(cel_rules_at(c->rules, r), has_old);

			best = fit > best ? fit : best;
		}
	}
	return best;
}

struct visit {
	const struct compiled_rules *c;
	struct rules_run *run;
	int64_t budget;
	bool stopped; /* the budget was exceeded, and that is reported */
};

static int visit_value(void *ctx, val self, val old, const struct cel_where *path, struct err *err)
{
	struct visit *v = ctx;
	struct cel_validation validation = {
		.object = self,
		.old = old,
		.root = *path,
		.ratchet = v->run->ratchet,
		.arena = v->run->arena,
		.limits = v->run->limits,
		.zones = v->run->zones,
		.budget = v->budget,
		.call_limit = CEL_CALL_COST,
	};
	int r;

	if (v->stopped)
		return 0;
	r = cel_rules_validate(v->c->rules, &validation, err);
	v->run->evaluated += validation.evaluated;
	v->stopped = validation.budget < 0;
	v->budget = validation.budget;
	for (struct cel_failure *f = validation.failures; r == 0 && f; f = f->next) {
		if (f->kind == CEL_COMPILE) /* such a failure is about the rule, not about this object */
			continue;
		if (v->c->source == RULES_OF_FILE && !rule_failure_place(f, v->run->arena))
			return err_nomem(err);
		r = v->run->failed(v->run->ctx, f, err);
	}
	if (v->run->transient && validation.failures)
		arena_reset(v->run->arena);
	return r;
}

int compiled_rules_run(const struct compiled_rules *c, struct rules_run *run, struct err *err)
{
	struct visit v = { .c = c, .run = run, .budget = CEL_TOTAL_COST };

	if (!c->set)
		return visit_value(&v, run->object, run->old, &(struct cel_where){ .text = { "", 0 } }, err);
	if (!rule_set_for_object(c->set, run->object))
		return 0;
	return cel_at_walk(&c->set->at, run->object, run->old, visit_value, &v, err);
}
