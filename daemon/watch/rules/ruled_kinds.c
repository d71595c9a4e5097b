/* Compiles the rules of watched kinds, again whenever a definition changes. */
#include "daemon/watch/rules/ruled_kinds.h"

#include "daemon/watch/rules/open_rules.h"
#include "rules/crd_schema.h"

void ruled_kinds_init(struct ruled_kinds *x, const struct rule_judge_options *o)
{
	*x = (struct ruled_kinds){ .o = o };
}

static void ruled_kind_free(struct ruled_kind *k)
{
	rules_in_force_unref(k->now);
	rule_errors_done(&k->errors);
	free(k);
}

void ruled_kinds_done(struct ruled_kinds *x)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&x->definitions, &at)))
		doc_unref(e->value);
	strmap_done(&x->definitions);
	for (size_t i = 0; i < x->list.n; i++)
		ruled_kind_free(x->list.p[i]);
	vec_done(&x->list);
}

struct ruled_kind *ruled_kinds_find(const struct ruled_kinds *x, const struct kind *k)
{
	for (size_t i = 0; i < x->list.n; i++) {
		if (x->list.p[i]->kind == k)
			return x->list.p[i];
	}
	return NULL;
}

const struct kind_rules *ruled_kind_rules(const struct ruled_kind *k)
{
	static const struct kind_rules none;

	return k->now ? &k->now->rules : &none;
}

const struct object_ways *ruled_kind_read_set(const struct ruled_kind *k)
{
	return k->now && k->now->read_set.known ? &k->now->read_set : NULL;
}

struct rule_scope ruled_kind_scope(const struct ruled_kind *k, const struct rule_judge_options *o)
{
	return (struct rule_scope){
		.findings = o->findings, .cluster = o->cluster, .shard = o->shard, .kind = k->kind
	};
}

/* Put the rules in force. The objects that had passed the former rules have to be validated again. */
static void put_in_force(struct ruled_kind *k, struct rules_in_force *now)
{
	struct object *o;
	size_t at = 0;

	rules_in_force_unref(k->now);
	k->now = now;
	while ((o = index_each(&k->kind->objects, &at)))
		o->passed = 0;
}

/* Compile everything that is for the kind, and report what does not compile. On failure the rules that were there stay
 * in force. */
static int compile(struct ruled_kinds *x, struct ruled_kind *k, struct doc *crd, struct err *err)
{
	struct rule_sources from = {
		.crd = crd,
		.definition = crd ? crd->root : (val){ 0 },
		.files = x->o->cfg->rule_files,
		.n_files = x->o->cfg->n_rule_files,
		.limits = x->o->limits,
		.keys = x->o->keys,
	};
	struct rule_scope scope = ruled_kind_scope(k, x->o);
	struct kind_rules rules;
	struct rules_in_force *fresh;
	int r = kind_rules_init(&rules, k->kind->api_version, k->kind->name, &from, err);

	if (r < 0)
		return r;
	fresh = rules_in_force_new(&rules, ++x->editions, x->o->keys);
	if (!fresh) {
		kind_rules_done(&rules);
		return err_nomem(err);
	}
	r = rule_errors_update(&k->errors, &scope, &fresh->rules, err);
	if (r < 0)
		rules_in_force_unref(fresh);
	else
		put_in_force(k, fresh);
	return r;
}

static struct doc *definition_of(const struct ruled_kinds *x, const struct kind *k)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&x->definitions, &at))) {
		struct doc *crd = e->value;

		if (crd_is_for(crd->root, k->api_version, k->name))
			return crd;
	}
	return NULL;
}

int ruled_kinds_add(struct ruled_kinds *x, struct kind *kind, struct err *err)
{
	struct ruled_kind *k = ruled_kinds_find(x, kind);

	if (k && !k->dropped)
		return 0;
	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k || !vec_push(&x->list, k)) {
			free(k);
			return err_nomem(err);
		}
		*k = (struct ruled_kind){ .kind = kind, .dropped = true };
	}
	k->dropped = compile(x, k, definition_of(x, kind), err) < 0;
	return k->dropped ? -err->code : 0;
}

void ruled_kinds_drop(struct ruled_kinds *x, struct kind *kind)
{
	struct ruled_kind *k = ruled_kinds_find(x, kind);
	struct rule_scope scope;
	struct err err;

	if (!k)
		return;
	scope = ruled_kind_scope(k, x->o);
	put_in_force(k, NULL);
	/* ending all errors needs no memory */
	(void)!rule_errors_update(&k->errors, &scope, ruled_kind_rules(k), &err);
	k->dropped = true;
}

static void replace(struct ruled_kinds *x, struct ruled_kind *k, struct doc *crd)
{
	val before = ruled_kind_rules(k)->schema;
	val now = crd ? crd_schema(crd->root, k->kind->api_version, k->kind->name) : (val){ 0 };
	struct err err;

	/* The compiled rules point into their definition, so that an equal definition does not replace it. */
	if (val_exists(before) == val_exists(now) && (!val_exists(now) || val_equal(before, now)))
		return;
	if (compile(x, k, crd, &err) == 0 && !k->stale)
		x->o->again(x->o->ctx, k->kind);
}

/* Keep the latest definition, even if the watched kinds need not be compiled again. */
static void keep_definition(struct ruled_kinds *x, struct doc *crd)
{
	str name = identity_of(crd->root).name;
	void *before = NULL;

	if (!x->o->awaits || !x->o->awaits(x->o->ctx, crd->root))
		before = strmap_remove(&x->definitions, name);
	else if (strmap_put(&x->definitions, name, crd, &before))
		(void)doc_ref(crd);
	doc_unref(before);
}

void ruled_kinds_definition(struct ruled_kinds *x, struct doc *crd)
{
	keep_definition(x, crd);
	for (size_t i = 0; i < x->list.n; i++) {
		struct ruled_kind *k = x->list.p[i];

		if (!k->dropped && crd_is_for(crd->root, k->kind->api_version, k->kind->name))
			replace(x, k, crd);
	}
}

void ruled_kinds_definition_gone(struct ruled_kinds *x, str name)
{
	doc_unref(strmap_remove(&x->definitions, name));
	for (size_t i = 0; i < x->list.n; i++) {
		const struct doc *crd = ruled_kind_rules(x->list.p[i])->crd;

		if (!crd || !str_eq(identity_of(crd->root).name, name))
			continue;
		replace(x, x->list.p[i], NULL);
		x->list.p[i]->stale = true;
	}
}

bool ruled_kinds_each_definition(const struct ruled_kinds *x, bool (*each)(void *ctx, struct doc *crd), void *ctx)
{
	const struct strmap_entry *e;
	size_t at = 0;

	for (size_t i = 0; i < x->list.n; i++) {
		if (ruled_kind_rules(x->list.p[i])->crd && !each(ctx, ruled_kind_rules(x->list.p[i])->crd))
			return false;
	}
	while ((e = strmap_each(&x->definitions, &at))) {
		if (!each(ctx, e->value))
			return false;
	}
	return true;
}

void ruled_kinds_listed(struct ruled_kinds *x, const struct kind *kind)
{
	struct ruled_kind *k = ruled_kinds_find(x, kind);

	if (!k || !k->stale)
		return;
	k->stale = false;
	x->o->again(x->o->ctx, k->kind);
}

void ruled_kinds_definitions_known(struct ruled_kinds *x)
{
	bool news = !x->definitions_known;

	x->definitions_known = true;
	for (size_t i = 0; news && i < x->list.n; i++) {
		if (crd_may_define(x->list.p[i]->kind->api_version))
			x->o->again(x->o->ctx, x->list.p[i]->kind);
	}
}

const struct cel_rule *ruled_kind_find(const struct ruled_kind *k, enum rule_source source, str text,
				       const struct compiled_rules **ret_set)
{
	for (size_t i = 0; i < ruled_kind_rules(k)->sets.n; i++) {
		const struct compiled_rules *c = &ruled_kind_rules(k)->sets.p[i];

		for (size_t r = 0; c->source == source && r < cel_rules_count(c->rules); r++) {
			if (!str_eq(cel_rules_at(c->rules, r)->rule, text))
				continue;
			if (ret_set)
				*ret_set = c;
			return cel_rules_at(c->rules, r);
		}
	}
	return NULL;
}

bool ruled_kind_has(const struct ruled_kind *k, enum rule_source source, str text)
{
	if (str_eq(text, STR(OPEN_RULE_MORE)) || str_eq(text, STR(OPEN_RULE_ALL)))
		return ruled_kind_rules(k)->sets.n > 0;
	return ruled_kind_find(k, source, text, NULL) != NULL;
}

bool ruled_kinds_may_be_defined(const struct ruled_kinds *x, const struct kind *kind)
{
	return !x->definitions_known && crd_may_define(kind->api_version);
}
