/* Decides which findings of an earlier process that were not seen again have ended, and why. A reload that changes a
 * cluster ends its findings as a restart does, for the same reasons. */
#include "daemon/watch/cluster/cluster_internal.h"

/* ---- references ---- */

static const struct reference_judge *judge_of(const struct cluster *c, str reference)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (str_eq(c->references[i].reference->name, reference))
			return &c->references[i];
	}
	return NULL;
}

/* Why the findings of a reference end when the cluster is not judged by it. */
static enum end_reason why_not_judged(const struct cluster *c, str reference)
{
	for (size_t i = 0; i < c->cfg->n_references; i++) {
		if (str_eq(c->cfg->references[i].name, reference))
			return END_REFERENCE_ELSEWHERE;
	}
	return END_REFERENCE_GONE;
}

/* Whether the reference is a published one of which no revision could be loaded, so that it is unknown what it says. */
static bool is_absent(const struct cluster *c, str reference)
{
	for (size_t i = 0; i < c->config->n_absent; i++) {
		if (str_eq(c->config->absent[i]->name, reference))
			return true;
	}
	return false;
}

static bool has_component(const struct reference *r, const struct finding_subject *s)
{
	for (size_t p = 0; p < r->n_parts; p++) {
		for (size_t k = 0; str_eq(r->parts[p].name, s->part) && k < r->parts[p].n_components; k++) {
			if (str_eq(r->parts[p].components[k].name, s->component))
				return true;
		}
	}
	return false;
}

/* Whether the finding of a component has ended. A component that still exists was judged, or is unknown. */
static bool component_over(const struct cluster *c, const struct finding_subject *s, enum end_reason *why)
{
	const struct reference_judge *rj = judge_of(c, s->reference);

	*why = rj ? END_NOT_IN_REFERENCE : why_not_judged(c, s->reference);
	if (!rj)
		return !is_absent(c, s->reference);
	return !rj->awaits && !has_component(rj->in_force, s);
}

/* ---- objects ---- */

/* Whether the subject of the finding would be seen if it existed. */
static bool is_watched(const struct cluster_kind *of, const struct finding_subject *s)
{
	for (size_t i = 0; of && of->kept && i < of->n_watches; i++) {
		if (watch_scope_has(&of->watches[i].scope, s->namespace, s->name))
			return true;
	}
	return false;
}

static enum end_reason why_not_seen(const struct cluster *c, const struct finding_subject *s, const struct kind *k)
{
	const struct object *o = k ? identity_local_get(&k->objects, s->namespace, s->name) : NULL;
	const struct cluster_kind *of = k ? cluster_kind_of(c, k) : NULL;

	if (o && str_eq(object_uid(o), s->uid))
		return END_REPAIRED;
	if (!is_watched(of, s))
		return END_NOT_WATCHED;
	return cluster_kind_absent(of) ? END_NOT_SERVED : END_DELETED;
}

/* Why a finding ends whose object is in the reference no longer. */
static enum end_reason why_out_of_reference(const struct cluster *c, const struct finding_subject *s,
					    const struct kind *k)
{
	const struct identity id = { s->api_version, s->kind, s->namespace, s->name };
	const struct reference_judge *rj = judge_of(c, s->reference);
	const struct ref_template *const *candidates;

	if (!rj)
		return why_not_judged(c, s->reference);
	if (!matcher_candidates(rj->matcher, &id, &candidates))
		return END_NOT_IN_REFERENCE;
	return cfg_excluded_by(rj->reference, &id) ? END_EXCLUDED : why_not_seen(c, s, k);
}

static bool object_over(const struct cluster *c, const struct finding_subject *s, const struct kind *k,
			enum end_reason *why)
{
	*why = s->reference.n ? why_out_of_reference(c, s, k) : why_not_seen(c, s, k);
	if (is_absent(c, s->reference))
		return false;
	return !k || k->known || (s->reference.n && !judge_of(c, s->reference));
}

/* ---- rules ---- */

/* Whether the finding of a rule has ended. If the CRD cannot be seen, its rules may still be violated. */
static bool rule_finding_over(const struct cluster *c, const struct finding *x, const struct kind *k,
			      enum end_reason *why)
{
	const struct finding_subject *s = &x->subject;
	enum rule_source source = rule_source_parse(s->rule_source);

	if (!rule_judge_has(c->rules, k, source, s->rule))
		*why = END_RULE_GONE;
	else
		*why = x->kind == FINDING_ERROR ? END_REPAIRED : why_not_seen(c, s, k);
	if (!k)
		return true;
	if (c->definitions && !c->definitions->kind->known && source == RULES_OF_CRD)
		return false;
	return k->known;
}

static bool inspection_over(const struct cluster *c, const struct finding_subject *s, const struct kind *k,
			    enum end_reason *why)
{
	bool over = object_over(c, s, k, why);

	if (!c->inspector || !c->inspector->ops->has_rule(c->inspector, s->rule))
		*why = END_RULE_GONE;
	return over;
}

/* ---- gaps ---- */

/* True when a gap is over. A gap is about a reference that is not there, the whole cluster, one watch, or a template
 * whose kind cannot be watched. */
static bool gap_over(const struct cluster *c, const struct finding_subject *s, const struct kind *k,
		     enum end_reason *why)
{
	const struct cluster_kind *of = k ? cluster_kind_of(c, k) : NULL;

	*why = END_REPAIRED;
	if (s->reference.n)
		return !is_absent(c, s->reference);
	if (!s->kind.n)
		return !cluster_down_is_reported(c);
	for (size_t i = 0; of && i < of->n_watches; i++) {
		const struct cluster_watch *w = &of->watches[i];

		if (str_eq(w->scope.namespace, s->namespace) && str_eq(w->scope.name, s->name))
			return !cluster_watch_fails(w);
	}
	if (s->api_version.n)
		*why = END_NOT_WATCHED;
	return true;
}

/* Whether a finding of an earlier process that was not seen again is over, or whether its kind is only out of sight. */
static bool over(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct cluster *c = ctx;
	const struct finding_subject *s = &x->subject;
	const struct kind *k = snapshot_find_kind(&c->snapshot, s->api_version, s->kind);

	if (x->kind == FINDING_ERROR && finding_is_of_component(x->kind, s))
		return component_over(c, s, why);
	if (finding_is_violation(x->kind, s))
		return rule_finding_over(c, x, k, why);
	switch (x->kind) {
	case FINDING_COMPONENT:
		return component_over(c, s, why);
	case FINDING_ACCEPTED:
		return s->kind.n ? object_over(c, s, k, why) : component_over(c, s, why);
	case FINDING_GAP:
		return gap_over(c, s, k, why);
	case FINDING_INSPECTION:
		return inspection_over(c, s, k, why);
	default:
		return s->rule.n ? rule_finding_over(c, x, k, why) : object_over(c, s, k, why);
	}
}

bool cluster_sweep(struct cluster *c, uint64_t until_ns)
{
	while (!findings_sweep(c->context.findings, c->config->name, over, c)) {
		if (uv_hrtime() >= until_ns)
			return false;
	}
	return true;
}
