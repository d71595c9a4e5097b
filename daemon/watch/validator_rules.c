/* The rules that are for a kind: compiled, replaced as a whole when a CRD changes, and those that cannot be evaluated.
 */
#include "daemon/watch/validator_internal.h"
#include "daemon/watch/validator_report.h"
#include "rules/crd_schema.h"

#include <errno.h>

struct finding_subject rule_subject(const struct validator *v, const struct kind_rules *k, enum rule_source source,
				    str rule, str place)
{
	return (struct finding_subject){
		.cluster = v->o.cluster,
		.api_version = k->kind->api_version,
		.kind = k->kind->name,
		.resource = str_from(v->o.resource(v->o.ctx, k->kind)),
		.rule = rule,
		.rule_path = place,
		.rule_source = str_from(rule_source_name(source)),
	};
}

static void rule_error_free(struct rule_error *e)
{
	free(e->rule);
	free(e->place);
}

static void sets_free(struct compiled *sets, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (sets[i].owned)
			cel_rules_free(sets[i].rules);
	}
	free(sets);
}

void kind_rules_free(struct kind_rules *k)
{
	sets_free(k->sets.p, k->sets.n);
	for (size_t i = 0; i < k->invalid.n; i++)
		rule_error_free(&k->invalid.p[i]);
	for (size_t i = 0; i < k->costly.n; i++)
		rule_error_free(&k->costly.p[i]);
	vec_done(&k->invalid);
	vec_done(&k->costly);
	arena_done(&k->arena);
	doc_unref(k->crd);
	free(k);
}

/* ---- rules that do not compile ---- */

static bool same_error(const struct rule_error *a, const struct rule_error *b)
{
	return a->source == b->source && strcmp(a->rule, b->rule) == 0 && strcmp(a->place, b->place) == 0;
}

static void clear_error(struct validator *v, const struct kind_rules *k, const struct rule_error *e, const char *why)
{
	struct finding_subject s = rule_subject(v, k, e->source, str_from(e->rule), str_from(e->place));

	findings_clear(v->o.findings, FINDING_ERROR, &s, why);
}

/* The place of an error says which of the rule's expressions is meant, so that both may be wrong. */
static bool add_invalid(struct kind_rules *fresh, enum rule_source source, str rule, str place)
{
	struct rule_error e = { .source = source, .rule = str_dup(rule), .place = str_dup(place) };

	if (e.rule && e.place && vec_push(&fresh->invalid, e))
		return true;
	rule_error_free(&e);
	return false;
}

static bool report_invalid(struct validator *v, const struct kind_rules *k, struct kind_rules *fresh,
			   const struct compiled *c)
{
	for (size_t i = 0; i < cel_rules_count(c->rules); i++) {
		const struct cel_rule *rule = cel_rules_at(c->rules, i);
		str why = rule->error.p ? rule->error : rule->message_error;
		str text = rule->error.p ? rule->rule : rule->message_expression;
		struct finding_subject s = rule_subject(v, k, c->source, text, rule->where);

		if (!why.p)
			continue;
		if (!add_invalid(fresh, c->source, text, rule->where))
			return false;
		rule_error_report(v->o.findings, &s, why, 0);
	}
	return true;
}

static void clear_fixed(struct validator *v, const struct kind_rules *k, const struct kind_rules *fresh)
{
	for (size_t i = 0; i < k->invalid.n; i++) {
		bool still = false;

		for (size_t j = 0; j < fresh->invalid.n; j++)
			still |= same_error(&k->invalid.p[i], &fresh->invalid.p[j]);
		if (!still)
			clear_error(v, k, &k->invalid.p[i], NULL);
	}
}

/* ---- compiling ---- */

static int add_crd(struct validator *v, struct kind_rules *fresh, struct err *err)
{
	val schema =
		fresh->crd ? crd_schema(fresh->crd->root, fresh->kind->api_version, fresh->kind->name) : (val){ 0 };
	struct compiled c = { .source = SOURCE_CRD, .owned = true };
	int r;

	if (!val_is_map(schema))
		return 0;
	r = cel_rules_compile(schema, (val){ 0 }, true, v->o.limits, &c.rules, err);
	if (r < 0)
		return r == -ENOMEM ? r : 0; /* a schema past all limits: the API server has none of it either */
	if (vec_push(&fresh->sets, c))
		return 0;
	cel_rules_free(c.rules);
	return err_nomem(err);
}

/* With a schema, values are typed as it says. */
static int typed_rules(struct validator *v, struct kind_rules *fresh, const struct rule_set *set, struct compiled *c,
		       struct err *err)
{
	val schema =
		fresh->crd ? crd_schema(fresh->crd->root, fresh->kind->api_version, fresh->kind->name) : (val){ 0 };
	int r;

	schema = schema_with_rules(schema, &set->at, set->list, v->o.keys, &fresh->arena);
	if (!val_is_map(schema))
		return 0;
	r = cel_rules_compile(schema, (val){ 0 }, set->at.n == 0, v->o.limits, &c->rules, err);
	c->owned = r == 0;
	return r == -ENOMEM ? r : 0;
}

static int add_sets(struct validator *v, struct kind_rules *fresh, const struct rule_file *f, struct err *err)
{
	for (size_t i = 0; i < f->sets.n; i++) {
		const struct rule_set *set = &f->sets.p[i];
		struct compiled c = { .source = SOURCE_FILE, .set = set, .rules = set->rules };
		int r;

		if (!rule_set_for_kind(set, fresh->kind->api_version, fresh->kind->name))
			continue;
		r = typed_rules(v, fresh, set, &c, err);
		if (r < 0)
			return r;
		if (!vec_push(&fresh->sets, c)) {
			if (c.owned)
				cel_rules_free(c.rules);
			return err_nomem(err);
		}
	}
	return 0;
}

static int compile_all(struct validator *v, const struct kind_rules *k, struct kind_rules *fresh, struct err *err)
{
	const struct cfg *cfg = v->o.cfg;
	int r = add_crd(v, fresh, err);

	for (size_t i = 0; r == 0 && i < cfg->n_rule_files; i++)
		r = add_sets(v, fresh, cfg->rule_files[i], err);
	for (size_t i = 0; r == 0 && i < fresh->sets.n; i++) {
		if (!report_invalid(v, k, fresh, &fresh->sets.p[i]))
			r = err_nomem(err);
	}
	return r;
}

static void kind_rules_freep(struct kind_rules **k)
{
	if (*k)
		kind_rules_free(*k);
}

int kind_rules_compile(struct validator *v, struct kind_rules *k, struct doc *crd, struct err *err)
{
	CLEANUP(kind_rules_freep) struct kind_rules *fresh = calloc(1, sizeof(*fresh));
	struct kind_rules old;
	int r;

	if (!fresh)
		return err_nomem(err);
	arena_init(&fresh->arena, 0, v->o.limits->arena_bytes);
	fresh->kind = k->kind;
	fresh->crd = doc_ref(crd);
	r = compile_all(v, k, fresh, err);
	if (r < 0)
		return r;
	clear_fixed(v, k, fresh);
	old = *k;
	*k = *fresh;
	*fresh = old;
	/* What costs too much is counted by objects: these will be validated again. */
	k->costly.p = old.costly.p;
	k->costly.n = old.costly.n;
	k->costly.cap = old.costly.cap;
	fresh->costly.p = NULL;
	fresh->costly.n = fresh->costly.cap = 0;
	return 0;
}

/* ---- rules that cost too much ---- */

static struct rule_error *find_costly(struct kind_rules *k, const struct open *x)
{
	for (size_t i = 0; i < k->costly.n; i++) {
		struct rule_error *e = &k->costly.p[i];

		if (e->source == x->source && strcmp(e->rule, x->rule) == 0)
			return e;
	}
	return NULL;
}

void rule_costs_too_much(struct validator *v, struct kind_rules *k, const struct open *x, str why)
{
	struct rule_error *known = find_costly(k, x);
	struct rule_error e = { .source = x->source, .objects = 1 };
	struct finding_subject s;

	if (known) {
		known->objects++;
		return;
	}
	e.rule = str_dup(str_from(x->rule));
	e.place = str_dup(STR("cost"));
	if (!e.rule || !e.place || !vec_push(&k->costly, e)) {
		rule_error_free(&e);
		return;
	}
	s = rule_subject(v, k, e.source, str_from(e.rule), str_from(e.place));
	rule_error_report(v->o.findings, &s, why, 0);
}

void rule_costs_less(struct validator *v, struct kind_rules *k, const struct open *x)
{
	struct rule_error *e = find_costly(k, x);

	if (!e || --e->objects > 0)
		return;
	clear_error(v, k, e, NULL);
	rule_error_free(e);
	*e = k->costly.p[--k->costly.n];
}
