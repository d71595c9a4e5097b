/* Judging the components of one reference by which of its templates are matched. */
#include "compare/groups.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/watch/reference/reference_judge.h"
#include "daemon/watch/verdict/accepted_judge.h"
#include "daemon/watch/verdict/verdict_report.h"

static bool component_unknown(const struct reference_judge *rj, const struct ref_component *component)
{
	for (size_t i = 0; i < component->n_templates; i++) {
		size_t t = component->templates[i]->index;

		if (rj->unknown[t] || rj->waiting[t])
			return true;
	}
	return false;
}

static struct offender offender_of(struct object *o)
{
	return (struct offender){
		.identity = object_identity(o),
		.uid = object_uid(o),
		.resource = o->kind->resource,
		.writers = doc_cache_writers(o->kind->doc_cache, o),
	};
}

/* Insert the object into those from @from on, which are sorted by name. Beyond OFFENDERS_MAX the last one is left
 * out. */
static void insert_offender(struct object *offenders[OFFENDERS_MAX], size_t from, size_t *n, struct object *o)
{
	size_t at = *n;

	while (at > from && str_cmp(object_key(o), object_key(offenders[at - 1])) < 0)
		at--;
	if (at == OFFENDERS_MAX)
		return;
	*n += *n < OFFENDERS_MAX;
	for (size_t i = *n - 1; i > at; i--)
		offenders[i] = offenders[i - 1];
	offenders[at] = o;
}

/* Add the first objects, by name, of one template that violate the component. Sorting makes the result independent
 * of the order in which objects arrived. */
static void add_offenders(const struct reference_judge *rj, const struct ref_template *t, const struct judge_context *c,
			  struct object *offenders[OFFENDERS_MAX], size_t *n)
{
	const struct kind *k = snapshot_find_kind(c->snapshot, t->identity.api_version, t->identity.kind);
	size_t from = *n, at = 0;
	struct object *o;

	while (k && (o = index_each(&k->objects, &at))) {
		const struct judged *j = &o->judged[rj->index];

		if (object_exists(o) && j->matched && j->template == t->index)
			insert_offender(offenders, from, n, o);
	}
}

static bool has_offenders(const struct component_verdict *v)
{
	return v->problem == COMPONENT_TOO_MANY || v->problem == COMPONENT_FORBIDDEN;
}

static size_t find_offenders(const struct reference_judge *rj, const struct component_verdict *v,
			     const struct judge_context *c, struct offender offenders[OFFENDERS_MAX])
{
	struct object *first[OFFENDERS_MAX];
	size_t n = 0;

	if (!has_offenders(v))
		return 0;
	for (size_t i = 0; i < v->n_templates; i++)
		add_offenders(rj, v->templates[i], c, first, &n);
	for (size_t i = 0; i < n; i++)
		offenders[i] = offender_of(first[i]);
	return n;
}

static struct finding_subject subject_of(const struct reference_judge *rj, const struct ref_part *part,
					 const struct ref_component *component)
{
	return (struct finding_subject){
		.cluster = rj->cluster->name,
		.reference = rj->reference->name,
		.reference_hash = str_from(rj->in_force->hash),
		.part = part->name,
		.component = component->name,
	};
}

bool reference_judge_reports(const struct reference_judge *rj, const struct ref_part *part,
			     const struct ref_component *component)
{
	struct finding_subject s = subject_of(rj, part, component);

	return component_is_own(rj->shard, &s);
}

static void judge_component(struct reference_judge *rj, const struct ref_part *part,
			    const struct ref_component *component, const bool *matched, uint64_t received_ns,
			    const struct judge_context *c)
{
	struct finding_subject s = subject_of(rj, part, component);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct offender offenders[OFFENDERS_MAX];
	size_t n_offenders;
	struct component_verdict v;
	struct component_terms terms;
	const struct accepted_judge accepted = { c->acceptances, c->findings };
	const struct accepted *by = NULL;
	struct err err;

	if (c->components_unknown || component_unknown(rj, component)) {
		findings_confirm(c->findings, FINDING_COMPONENT, &s);
		accepted_component_confirm(&accepted, &s);
		return;
	}
	terms = (struct component_terms){ FINDING_COMPONENT, cfg_severity(rj->reference, component->name),
					  rj->reference->hold_ns };
	if (component_judge(part, component, matched, &a, &v, &err) < 0 ||
	    accepted_component(&accepted, &v, &s, &terms, received_ns, &a, &by, &err) < 0) {
		rj->components_due = true; /* without memory the components are judged again in the next turn */
		return;
	}
	if (v.problem == COMPONENT_SATISFIED) {
		if (by)
			findings_accepted(c->findings, FINDING_COMPONENT, &s, by->is.says.reason);
		else
			findings_clear(c->findings, FINDING_COMPONENT, &s, END_REPAIRED);
		return;
	}
	rj->offended |= has_offenders(&v);
	n_offenders = find_offenders(rj, &v, c, offenders);
	if (component_report(c->findings, &v, &s, &terms, offenders, n_offenders, received_ns, &err) < 0)
		rj->components_due = true;
}

void reference_judge_components(struct reference_judge *rj, uint64_t received_ns, const struct judge_context *c)
{
	const struct reference *r = rj->in_force;
	CLEANUP(freep) bool *matched = NULL;

	if (!rj->components_due)
		return;
	matched = calloc(r->n_templates + 1, sizeof(*matched));
	if (!matched)
		return;
	rj->components_due = rj->offended = false;
	for (size_t i = 0; i < r->n_templates; i++)
		matched[i] = rj->matched[i] > 0 || rj->referenced[i] > 0;
	for (size_t p = 0; p < r->n_parts; p++) {
		const struct ref_part *part = &r->parts[p];

		for (size_t i = 0; i < part->n_components; i++) {
			if (reference_judge_reports(rj, part, &part->components[i]))
				judge_component(rj, part, &part->components[i], matched, received_ns, c);
		}
	}
}
