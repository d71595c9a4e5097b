#include "daemon/watch/follower.h"

#include "base/hash.h"
#include "daemon/watch/verdict_report.h"

#include <errno.h>
#include <uv.h>

int follower_init(struct follower *f, const struct cfg *cfg, const struct cfg_cluster *cluster,
		  const struct cfg_reference *reference, size_t index, struct err *err)
{
	size_t n = reference->reference->n_templates;

	*f = (struct follower){
		.cfg = cfg, .cluster = cluster, .reference = reference, .index = index, .components_due = true
	};
	f->matched = calloc(n + 1, sizeof(*f->matched));
	f->referenced = calloc(n + 1, sizeof(*f->referenced));
	f->unknown = calloc(n + 1, sizeof(*f->unknown));
	if (!f->matched || !f->referenced || !f->unknown)
		return err_nomem(err);
	return matcher_new(reference->reference, &f->matcher, err);
}

void follower_done(struct follower *f)
{
	matcher_free(f->matcher);
	vec_done(&f->dependents);
	free(f->matched);
	free(f->referenced);
	free(f->unknown);
	*f = (struct follower){ 0 };
}

/* ---- bookkeeping: what an object counts for ---- */

static void drop_dependencies(struct follower *f, struct judged *j)
{
	for (size_t i = 0; i < j->dependencies.n; i++) {
		free(j->dependencies.p[i].namespace);
		free(j->dependencies.p[i].name);
	}
	vec_done(&j->dependencies);
	if (j->dependent_at) {
		struct object *last = f->dependents.p[--f->dependents.n];

		f->dependents.p[j->dependent_at - 1] = last;
		last->judged[f->index].dependent_at = j->dependent_at;
		j->dependent_at = 0;
	}
}

static void uncount(struct follower *f, struct judged *j)
{
	if (j->known)
		f->states[j->state]--;
	if (j->matched && --f->matched[j->template] == 0)
		f->components_due = true;
	for (size_t i = 0; i < j->n_references; i++) {
		if (--f->referenced[j->references[i]] == 0)
			f->components_due = true;
	}
	free(j->references);
	j->references = NULL;
	j->n_references = 0;
	j->known = j->matched = false;
	drop_dependencies(f, j);
}

struct gather {
	VEC(size_t) templates;
	bool no_memory;
};

static void gather_reference(void *ctx, const struct ref_template *t)
{
	struct gather *g = ctx;

	g->no_memory |= !vec_push(&g->templates, t->index);
}

static int count_references(struct follower *f, struct judged *j, val object, struct err *err)
{
	struct gather g = { 0 };

	matcher_references(f->matcher, object, gather_reference, &g);
	if (g.no_memory) {
		vec_done(&g.templates);
		return err_nomem(err);
	}
	for (size_t i = 0; i < g.templates.n; i++) {
		if (f->referenced[g.templates.p[i]]++ == 0)
			f->components_due = true;
	}
	j->references = g.templates.p;
	j->n_references = g.templates.n;
	return 0;
}

static bool add_dependency(struct judged *j, struct kind *kind, const struct verdict_lookup *l)
{
	struct dependency d = { .kind = kind, .namespace = str_dup(l->namespace), .name = str_dup(l->name) };

	if (kind && d.namespace && d.name && vec_push(&j->dependencies, d)) {
		kind->looked_up = true;
		return true;
	}
	free(d.namespace);
	free(d.name);
	return false;
}

static int count_dependencies(struct follower *f, struct object *o, const struct verdict *v,
			      const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[f->index];

	for (size_t i = 0; i < v->n_lookups; i++) {
		const struct verdict_lookup *l = &v->lookups[i];

		if (!add_dependency(j, snapshot_kind(c->snapshot, l->api_version, l->kind), l))
			return err_nomem(err);
	}
	if (j->dependencies.n == 0)
		return 0;
	if (!vec_push(&f->dependents, o))
		return err_nomem(err);
	j->dependent_at = f->dependents.n;
	return 0;
}

static int account(struct follower *f, struct object *o, const struct verdict *v, const struct judge_context *c,
		   struct err *err)
{
	struct judged *j = &o->judged[f->index];
	int r;

	uncount(f, j);
	j->known = true;
	j->state = v->state;
	j->matched = v->template != NULL;
	j->template = v->template ? v->template->index : 0;
	f->states[v->state]++;
	if (j->matched && f->matched[j->template]++ == 0)
		f->components_due = true;
	r = count_references(f, j, o->doc->root, err);
	return r < 0 ? r : count_dependencies(f, o, v, c, err);
}

/* ---- what the templates can see ---- */

/* Where the way ends early matters too: a template fails on a field of a text, and not on a field of nothing. */
static uint64_t hash_path(val v, const struct tmpl_path *p)
{
	size_t i = 0;

	while (i < p->n && val_is_map(v))
		v = val_get(v, p->keys[i++]);
	return hash_mix(val_hash(v), i);
}

/* Equal hashes mean that no candidate can come to another verdict: the identity (which selects candidates), what is
 * left of the object after omitting, and what the template reads besides. */
static uint64_t seen_hash(const struct ref_template *const *candidates, size_t n, val object, struct arena *a)
{
	uint64_t h = hash_mix(1, n);

	h = hash_mix(h, val_hash(VAL_GET(object, "apiVersion")));
	h = hash_mix(h, val_hash(VAL_GET(object, "kind")));
	h = hash_mix(h, val_hash(val_dig(object, "metadata", "namespace", NULL)));
	h = hash_mix(h, val_hash(val_dig(object, "metadata", "name", NULL)));
	h = hash_mix(h, val_hash(val_dig(object, "metadata", "ownerReferences", NULL)));
	for (size_t i = 0; i < n; i++) {
		const struct tmpl_footprint *print = &candidates[i]->footprint;

		if (print->everything)
			return hash_mix(h, val_hash(object));
		h = hash_mix(h, val_hash(omit_fields(object, candidates[i]->omit, a)));
		for (size_t k = 0; k < print->n_paths; k++)
			h = hash_mix(h, hash_path(object, &print->paths[k]));
	}
	return h;
}

/* ---- judging ---- */

struct evaluation {
	const struct judge_context *c;
	VEC(void *) results; /* arrays handed to the template, alive until it ends */
};

static int lookup(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n, struct err *err)
{
	struct evaluation *e = ctx;
	struct found found = { 0 };
	int r = snapshot_lookup(e->c->snapshot, request, &found, err);

	if (r == 0 && !vec_push(&e->results, found.values.p))
		r = err_nomem(err);
	if (r < 0) {
		vec_done(&found.values);
		return r;
	}
	*ret = found.values.p;
	*n = found.values.n;
	return 0;
}

static int evaluate(struct follower *f, const struct object *o, const struct judge_context *c, struct verdict *v,
		    struct err *err)
{
	struct evaluation e = { .c = c };
	struct compare_env env = { .limits = c->limits, .keys = c->keys, .lookup = lookup, .ctx = &e };
	uint64_t from = uv_hrtime();
	int r = compare_object(f->matcher, o->doc->root, &env, v, err);

	for (size_t i = 0; i < e.results.n; i++)
		free(e.results.p[i]);
	vec_done(&e.results);
	f->counters.evaluations++;
	histogram_observe(&f->counters.duration, uv_hrtime() - from);
	return r;
}

struct finding_subject follower_subject(const struct follower *f, const struct object *o, const struct judge_context *c)
{
	val root = o->doc ? o->doc->root : val_null();
	struct ref_identity id = object_identity(root);

	return (struct finding_subject){
		.cluster = f->cluster->name,
		.reference = f->reference->name,
		.reference_hash = str_from(f->reference->reference->hash),
		.api_version = o->kind->api_version,
		.kind = o->kind->name,
		.namespace = id.namespace,
		.name = id.name,
		.uid = val_str(val_dig(root, "metadata", "uid", NULL)),
		.resource_version = val_str(val_dig(root, "metadata", "resourceVersion", NULL)),
		.resource = str_from(c->resource(c->ctx, o->kind)),
	};
}

/* The part that holds @component. */
static const struct ref_part *part_of(const struct reference *r, const struct ref_component *component)
{
	for (size_t i = 0; i < r->n_parts; i++) {
		if (component >= r->parts[i].components &&
		    component < r->parts[i].components + r->parts[i].n_components)
			return &r->parts[i];
	}
	return NULL;
}

static void add_template(const struct follower *f, struct finding_subject *s, const struct ref_template *t)
{
	const struct ref_part *part;

	if (!t)
		return;
	part = part_of(f->reference->reference, t->component);
	s->template_path = t->path;
	s->component = t->component->name;
	s->part = part ? part->name : STR("");
}

static void report(struct follower *f, const struct object *o, val managed_fields, const struct verdict *v,
		   const struct judge_context *c)
{
	struct finding_subject s = follower_subject(f, o, c);
	struct verdict_context context = {
		.verdict = v,
		.object = o->doc->root,
		.managed_fields = managed_fields,
		.writers_before = o->writers ? o->writers->root : (val){ 0 },
		.subject = &s,
		.received_ns = o->received_ns,
		.limits = c->limits,
		.sensitive_fields = f->cfg->sensitive_fields,
		.n_sensitive_fields = f->cfg->n_sensitive_fields,
	};

	add_template(f, &s, v->template);
	context.severity = cfg_severity(f->reference, s.component);
	switch (v->state) {
	case VERDICT_DRIFTED:
		verdict_report(c->findings, &context);
		findings_clear(c->findings, FINDING_ERROR, &s, NULL);
		break;
	case VERDICT_ERROR:
		/* Whether the drift is repaired cannot be said: it stays as it is. */
		f->counters.failures++;
		verdict_report(c->findings, &context);
		findings_confirm(c->findings, FINDING_DRIFT, &s);
		break;
	default:
		findings_clear(c->findings, FINDING_DRIFT, &s,
			       v->state == VERDICT_COMPLIANT ? NULL : "no longer in the reference");
		findings_clear(c->findings, FINDING_ERROR, &s, NULL);
	}
}

static void confirm(const struct follower *f, const struct object *o, const struct judge_context *c)
{
	struct finding_subject s = follower_subject(f, o, c);

	findings_confirm(c->findings, FINDING_DRIFT, &s);
	findings_confirm(c->findings, FINDING_ERROR, &s);
}

int follower_judge(struct follower *f, struct object *o, val managed_fields, bool force, const struct judge_context *c,
		   struct err *err)
{
	struct judged *j = &o->judged[f->index];
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(f->matcher, o->doc->root, &candidates);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(c->limits->arena_bytes);
	struct verdict v;
	uint64_t seen;
	int r;

	seen = seen_hash(candidates, n, o->doc->root, &a);
	if (!force && j->known && j->seen == seen) {
		f->counters.skipped_unchanged++;
		confirm(f, o, c);
		return 0;
	}
	r = evaluate(f, o, c, &v, err);
	if (r < 0)
		return r;
	r = account(f, o, &v, c, err);
	j->seen = seen;
	if (r == 0)
		report(f, o, managed_fields, &v, c);
	verdict_done(&v);
	return r;
}

void follower_forget(struct follower *f, struct object *o, const struct judge_context *c)
{
	struct finding_subject s = follower_subject(f, o, c);

	follower_release(f, o);
	findings_clear(c->findings, FINDING_DRIFT, &s, "object deleted");
	findings_clear(c->findings, FINDING_ERROR, &s, "object deleted");
}

void follower_release(struct follower *f, struct object *o)
{
	uncount(f, &o->judged[f->index]);
}

static bool depends_on(const struct judged *j, const struct object *changed)
{
	struct ref_identity id = object_identity(changed->doc ? changed->doc->root : val_null());

	for (size_t i = 0; i < j->dependencies.n; i++) {
		const struct dependency *d = &j->dependencies.p[i];

		if (d->kind == changed->kind && lookup_matches(str_from(d->namespace), id.namespace) &&
		    lookup_matches(str_from(d->name), id.name))
			return true;
	}
	return false;
}

void follower_dependents(struct follower *f, const struct object *changed, void (*again)(void *ctx, struct object *o),
			 void *ctx)
{
	if (!changed->kind->looked_up)
		return;
	for (size_t i = 0; i < f->dependents.n; i++) {
		struct object *o = f->dependents.p[i];

		if (o != changed && depends_on(&o->judged[f->index], changed))
			again(ctx, o);
	}
}

/* ---- components ---- */

static bool component_unknown(const struct follower *f, const struct ref_component *component)
{
	for (size_t i = 0; i < component->n_templates; i++) {
		if (f->unknown[component->templates[i]->index])
			return true;
	}
	return false;
}

/* The objects of one template that stand against a component; returns how many there are in all. */
static size_t add_offenders(const struct follower *f, const struct ref_template *t, const struct judge_context *c,
			    struct offender offenders[OFFENDERS_MAX], size_t n)
{
	const struct kind *k = snapshot_kind(c->snapshot, t->identity.api_version, t->identity.kind);
	const struct strmap_entry *e;
	size_t at = 0;

	while (k && (e = strmap_each(&k->objects, &at))) {
		const struct object *o = e->value;
		const struct judged *j = &o->judged[f->index];

		if (!o->doc || !j->matched || j->template != t->index)
			continue;
		if (n < OFFENDERS_MAX)
			offenders[n] = (struct offender){
				.identity = object_identity(o->doc->root),
				.uid = val_str(val_dig(o->doc->root, "metadata", "uid", NULL)),
				.resource = str_from(c->resource(c->ctx, k)),
				.writers = o->writers ? o->writers->root : (val){ 0 },
			};
		n++;
	}
	return n;
}

static size_t find_offenders(const struct follower *f, const struct component_verdict *v, const struct judge_context *c,
			     struct offender offenders[OFFENDERS_MAX])
{
	size_t n = 0;

	if (v->problem != COMPONENT_TOO_MANY && v->problem != COMPONENT_FORBIDDEN)
		return 0;
	for (size_t i = 0; i < v->n_templates; i++)
		n = add_offenders(f, v->templates[i], c, offenders, n);
	return n < OFFENDERS_MAX ? n : OFFENDERS_MAX;
}

static void judge_component(struct follower *f, const struct ref_part *part, const struct ref_component *component,
			    const bool *matched, uint64_t received_ns, const struct judge_context *c)
{
	struct finding_subject s = {
		.cluster = f->cluster->name,
		.reference = f->reference->name,
		.reference_hash = str_from(f->reference->reference->hash),
		.part = part->name,
		.component = component->name,
	};
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct offender offenders[OFFENDERS_MAX];
	size_t n_offenders;
	struct component_verdict v;
	struct err err;

	if (component_unknown(f, component)) {
		findings_confirm(c->findings, FINDING_COMPONENT, &s);
		return;
	}
	if (component_judge(part, component, matched, &a, &v, &err) < 0) {
		f->components_due = true; /* without memory: again at the next turn */
		return;
	}
	if (v.problem == COMPONENT_SATISFIED) {
		findings_clear(c->findings, FINDING_COMPONENT, &s, NULL);
		return;
	}
	n_offenders = find_offenders(f, &v, c, offenders);
	component_report(c->findings, &v, &s, cfg_severity(f->reference, component->name), offenders, n_offenders,
			 received_ns);
}

void follower_judge_components(struct follower *f, uint64_t received_ns, const struct judge_context *c)
{
	const struct reference *r = f->reference->reference;
	CLEANUP(freep) bool *matched = NULL;

	if (!f->components_due)
		return;
	matched = calloc(r->n_templates + 1, sizeof(*matched));
	if (!matched)
		return;
	f->components_due = false;
	for (size_t i = 0; i < r->n_templates; i++)
		matched[i] = f->matched[i] > 0 || f->referenced[i] > 0;
	for (size_t p = 0; p < r->n_parts; p++) {
		for (size_t i = 0; i < r->parts[p].n_components; i++)
			judge_component(f, &r->parts[p], &r->parts[p].components[i], matched, received_ns, c);
	}
}
