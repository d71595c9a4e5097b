/* Gathering what templates, look-ups, rules and the setting "watch" are about, and joining what overlaps. */
#include "daemon/watch/source/watch_plan.h"

#include "rules/crd_schema.h"
#include "rules/rule_file.h"

#include <stdlib.h>

/* Whether every object of @inner is one of @outer. */
static bool covers(struct watch_scope outer, struct watch_scope inner)
{
	return (outer.namespace.n == 0 || str_eq(outer.namespace, inner.namespace)) &&
	       (outer.name.n == 0 || str_eq(outer.name, inner.name));
}

/* Whether some object may be in both scopes although neither covers the other: one has a name in any namespace, the
 * other a whole namespace. */
static bool cross(struct watch_scope a, struct watch_scope b)
{
	return !covers(a, b) && !covers(b, a) && (a.namespace.n == 0 || b.namespace.n == 0) &&
	       (a.name.n == 0 || b.name.n == 0);
}

/* ---- gathering ---- */

static struct planned_kind *kind_of(struct watch_plan *p, str api_version, str kind)
{
	for (size_t i = 0; i < p->kinds.n; i++) {
		if (str_eq(p->kinds.p[i].api_version, api_version) && str_eq(p->kinds.p[i].kind, kind))
			return &p->kinds.p[i];
	}
	if (!vec_push(&p->kinds, (struct planned_kind){ .api_version = api_version, .kind = kind }))
		return NULL;
	return &p->kinds.p[p->kinds.n - 1];
}

/* Add the scope without looking for one like it: a reference may have tens of thousands of manifests of one kind. */
static bool put(struct planned_kind *k, struct watch_scope scope)
{
	return vec_push(&k->scopes, scope);
}

static int add(struct watch_plan *p, str api_version, str kind, struct watch_scope scope, struct err *err)
{
	struct planned_kind *k;

	if (!api_version.n || !kind.n)
		return 0; /* the kind cannot be asked for; the cluster reports that */
	k = kind_of(p, api_version, kind);
	return k && put(k, scope) ? 0 : err_nomem(err);
}

/* The text if it is fixed, otherwise "". Look-ups write "*" where rules and templates leave a text empty. */
static str fixed(bool known, str text)
{
	return known && str_find_byte(text, '*') < 0 ? text : STR("");
}

static int add_lookup(struct watch_plan *p, const struct tmpl_lookup_use *use, struct err *err)
{
	str api_version = use->args.api_version, kind = use->args.kind;
	struct watch_scope scope = { fixed(use->known[2], use->args.namespace), fixed(use->known[3], use->args.name) };
	int r = add(p, api_version, kind, scope, err);
	struct planned_kind *k = r == 0 && api_version.n && kind.n ? kind_of(p, api_version, kind) : NULL;

	if (k)
		k->looked_up = true;
	return r;
}

/* The scope of a template's objects. An object that may or may not have a namespace is asked for in all namespaces
 * and without one. */
static struct watch_scope scope_of_template(const struct ref_template *t)
{
	return (struct watch_scope){ t->any_scope ? STR("") : t->identity.namespace, t->identity.name };
}

static int add_template(struct watch_plan *p, const struct ref_template *t, struct err *err)
{
	int r = add(p, t->identity.api_version, t->identity.kind, scope_of_template(t), err);

	for (size_t i = 0; r == 0 && i < t->text->footprint.n_lookups; i++) {
		const struct tmpl_lookup_use *use = &t->text->footprint.lookups[i];

		p->open |= !use->known[0] || !use->known[1];
		if (use->known[0] && use->known[1])
			r = add_lookup(p, use, err);
	}
	return r;
}

static struct watch_scope scope_of_rules(const struct rule_set *s)
{
	return (struct watch_scope){ fixed(true, s->namespace), fixed(true, s->name) };
}

/* A ServiceAccount of a template counts as present when any binding names it (compare.md, correlation 4). */
static bool may_be_subject(const struct reference *ref, const struct ref_template *t)
{
	return !ref->manifests && str_eq(t->identity.kind, STR("ServiceAccount"));
}

static int add_reference(struct watch_plan *p, const struct reference *ref, struct err *err)
{
	int r = 0;

	p->manifests |= ref->manifests;
	for (size_t i = 0; r == 0 && i < ref->n_templates; i++) {
		p->subjects |= may_be_subject(ref, ref->templates[i]);
		r = add_template(p, ref->templates[i], err);
	}
	return r;
}

static int add_rules(struct watch_plan *p, const struct rule_file *f, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < f->sets.n; i++) {
		const struct rule_set *s = &f->sets.p[i];

		if (rule_set_names_kind(s))
			r = add(p, s->api_version, s->kind, scope_of_rules(s), err);
		else if (!vec_push(&p->patterns, s))
			r = err_nomem(err);
	}
	return r;
}

static int add_watched(struct watch_plan *p, const struct cfg_watch *w, struct err *err)
{
	int r = 0;

	if (w->n_namespaces == 0)
		return add(p, w->api_version, w->kind, (struct watch_scope){ STR(""), STR("") }, err);
	for (size_t i = 0; r == 0 && i < w->n_namespaces; i++)
		r = add(p, w->api_version, w->kind, (struct watch_scope){ w->namespaces[i], STR("") }, err);
	return r;
}

/* Add the rules that name kinds by pattern to a kind that is watched anyway. */
static int add_pattern_rules(const struct watch_plan *p, struct planned_kind *k, bool namespaced, struct err *err)
{
	for (size_t i = 0; i < p->patterns.n; i++) {
		struct watch_scope scope = scope_of_rules(p->patterns.p[i]);

		if (rule_set_for_kind(p->patterns.p[i], k->api_version, k->kind) &&
		    (namespaced || !scope.namespace.n) && !put(k, scope))
			return err_nomem(err);
	}
	return 0;
}

/* Plan watches of the objects in which Helm keeps releases, wherever a reference looks for them. */
static int add_releases(struct watch_plan *p, const struct cfg_reference *r, struct err *err)
{
	struct text_list namespaces = cfg_helm_namespaces(&r->helm);
	struct planned_kind *k = &p->releases[r->helm.driver];

	if (!r->helm.given)
		return 0;
	k->api_version = STR("v1");
	k->kind = helm_driver_kind(r->helm.driver);
	/* the kind is watched already: widen that to everything that is needed */
	for (size_t i = 0; i < p->kinds.n; i++) {
		if (str_eq(p->kinds.p[i].api_version, k->api_version) && str_eq(p->kinds.p[i].kind, k->kind))
			k = &p->kinds.p[i];
	}
	for (size_t i = 0; i < namespaces.n; i++) {
		if (!put(k, (struct watch_scope){ namespaces.p[i], STR("") }))
			return err_nomem(err);
	}
	return namespaces.n || put(k, (struct watch_scope){ STR(""), STR("") }) ? 0 : err_nomem(err);
}

/* ---- joining ---- */

static int by_place(const void *a, const void *b)
{
	const struct watch_scope *x = a, *y = b;
	int r = str_cmp(x->namespace, y->namespace);

	return r ? r : str_cmp(x->name, y->name);
}

/* Sort the scopes by place, and drop each one that another covers. Names of any namespace come first, and a whole
 * namespace comes before what is in it. */
static void reduce(struct planned_kind *k)
{
	struct watch_scope *list = k->scopes.p;
	size_t n = 0, n_anywhere = 0;

	if (k->scopes.n == 0)
		return;
	qsort(list, k->scopes.n, sizeof(*list), by_place);
	for (size_t i = 0; i < k->scopes.n; i++) {
		struct watch_scope s = list[i], anywhere = { STR(""), s.name };

		if ((n > 0 && covers(list[n - 1], s)) ||
		    (n_anywhere > 0 && bsearch(&anywhere, list, n_anywhere, sizeof(*list), by_place)))
			continue;
		list[n++] = s;
		n_anywhere = s.namespace.n ? n_anywhere : n;
	}
	k->scopes.n = n;
}

static bool overlaps(const struct planned_kind *k)
{
	for (size_t i = 0; i < k->scopes.n; i++) {
		for (size_t o = 0; o < i; o++) {
			if (cross(k->scopes.p[i], k->scopes.p[o]))
				return true;
		}
	}
	return false;
}

static void widen_to_all(struct planned_kind *k)
{
	if (k->scopes.n == 0)
		return;
	k->scopes.p[0] = (struct watch_scope){ STR(""), STR("") };
	k->scopes.n = 1;
}

/* Watch the whole namespace of each scope that names objects in it. */
static void widen_to_namespaces(struct planned_kind *k)
{
	for (size_t i = 0; i < k->scopes.n; i++) {
		if (k->scopes.p[i].namespace.n)
			k->scopes.p[i].name = STR("");
	}
	reduce(k);
}

static void join(struct planned_kind *k)
{
	reduce(k);
	k->many |= k->scopes.n > WATCH_SCOPES_MAX;
	if (k->scopes.n > WATCH_SCOPES_MAX)
		widen_to_namespaces(k);
	if (k->scopes.n > WATCH_SCOPES_MAX || overlaps(k))
		widen_to_all(k);
}

/* ---- the plan ---- */

/* Whether the rules may be for a kind of a CustomResourceDefinition. They are not when their group is fixed and
 * belongs to Kubernetes. */
static bool may_be_custom(const struct rule_set *s)
{
	ptrdiff_t slash = str_find_byte(s->api_version, '/'), star = str_find_byte(s->api_version, '*');

	return !s->api_version.n || (star >= 0 && (slash < 0 || star < slash)) || crd_may_define(s->api_version);
}

/* Whether components count objects of the kind by the subjects that name them. Owner references need no
 * such count: what a missing owner owns is soon deleted. */
static bool counts_by_subjects(const struct watch_plan *p, const struct planned_kind *k)
{
	return p->subjects && (str_eq(k->kind, STR("RoleBinding")) || str_eq(k->kind, STR("ClusterRoleBinding")));
}

int watch_plan_found(const struct watch_plan *p, struct planned_kind *k, bool namespaced, struct err *err)
{
	int r = add_pattern_rules(p, k, namespaced, err);

	if (r < 0)
		return r;
	if (p->open || counts_by_subjects(p, k) || (p->whole_customs && crd_may_define(k->api_version)))
		widen_to_all(k);
	join(k);
	return 0;
}

int watch_plan_make(const struct cfg *cfg, const struct cfg_cluster *c, struct watch_plan *ret, struct err *err)
{
	int r = 0;

	*ret = (struct watch_plan){ .whole_customs = !c->crd_rules_referenced };
	for (size_t i = 0; r == 0 && i < c->n_references; i++)
		r = add_reference(ret, c->references[i]->reference, err);
	for (size_t i = 0; r == 0 && i < cfg->n_rule_files; i++)
		r = add_rules(ret, cfg->rule_files[i], err);
	for (size_t i = 0; r == 0 && i < cfg->n_watch; i++)
		r = add_watched(ret, &cfg->watch[i], err);
	for (size_t i = 0; r == 0 && i < c->n_references; i++)
		r = add_releases(ret, c->references[i], err);
	for (size_t i = 0; r == 0 && i < HELM_DRIVERS; i++)
		join(&ret->releases[i]);
	for (size_t i = 0; i < ret->patterns.n; i++)
		ret->defined |= may_be_custom(ret->patterns.p[i]);
	for (size_t i = 0; r == 0 && i < ret->kinds.n; i++) {
		r = watch_plan_found(ret, &ret->kinds.p[i], true, err);
		ret->defined |= crd_may_define(ret->kinds.p[i].api_version);
	}
	return r;
}

void watch_plan_done(struct watch_plan *p)
{
	for (size_t i = 0; i < p->kinds.n; i++)
		vec_done(&p->kinds.p[i].scopes);
	vec_done(&p->kinds);
	for (size_t i = 0; i < HELM_DRIVERS; i++)
		vec_done(&p->releases[i].scopes);
	vec_done(&p->patterns);
}
