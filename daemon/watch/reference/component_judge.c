/* Judges the components of one reference by which of their templates are matched. */
#include "base/vec.h"
#include "compare/groups.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/watch/reference/reference_judge.h"
#include "daemon/watch/verdict/accepted_judge.h"
#include "daemon/watch/verdict/verdict_report.h"

static bool component_unknown(const struct reference_judge *rj, const struct ref_component *component)
{
	for (size_t i = 0; i < component->n_templates; i++) {
		size_t t = component->templates[i]->index;

		if (rj->unknown[t] || rj->unkept[t] || rj->waiting[t])
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

/* Insert the object into the part of @offenders from @from on, which is sorted by name. When there are
 * OFFENDERS_MAX, the last one is left out. */
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

/* ---- objects that are accepted one by one ---- */

struct members {
	VEC(struct component_member) list;
	const struct reference_judge *rj;
	bool no_memory;
};

static void members_done(struct members *m)
{
	vec_done(&m->list);
}

static void add_member(struct members *m, const struct ref_template *t, const struct offender *is)
{
	m->no_memory |= !vec_push(&m->list, (struct component_member){ .template = t, .is = *is });
}

/* Add the objects that match @other as members of @t: both templates have the same path. */
static void add_members(struct members *m, const struct ref_template *t, const struct ref_template *other,
			const struct judge_context *c)
{
	const struct kind *k = snapshot_find_kind(c->snapshot, other->identity.api_version, other->identity.kind);
	const struct offender unknown = { 0 };
	struct offender is;
	struct object *o;
	size_t at = 0;

	if (m->rj->referenced[other->index] > 0)
		add_member(m, t, &unknown);
	while (k && (o = index_each(&k->objects, &at))) {
		const struct judged *j = &o->judged[m->rj->index];

		if (!object_exists(o) || !j->matched || j->template != other->index)
			continue;
		is = offender_of(o);
		add_member(m, t, &is);
	}
}

/* Members are sorted by name, so that the order in which their objects arrived does not count. */
static int compare_members(const void *a, const void *b)
{
	const struct identity *x = &((const struct component_member *)a)->is.identity;
	const struct identity *y = &((const struct component_member *)b)->is.identity;
	int r = str_cmp(x->namespace, y->namespace);

	return r ? r : str_cmp(x->name, y->name);
}

static int find_members(struct members *m, const struct component_verdict *v, const struct judge_context *c,
			struct err *err)
{
	for (size_t i = 0; i < v->n_templates; i++) {
		const struct ref_template *other = v->templates[i];

		do {
			add_members(m, v->templates[i], other, c);
			other = other->same_path;
		} while (other != v->templates[i]);
	}
	if (m->no_memory)
		return err_nomem(err);
	if (m->list.n)
		qsort(m->list.p, m->list.n, sizeof(*m->list.p), compare_members);
	return 0;
}

static size_t members_left(const struct members *m, const struct component_verdict *v,
			   struct offender offenders[OFFENDERS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_templates; i++) {
		for (size_t k = 0; k < m->list.n && n < OFFENDERS_MAX; k++) {
			const struct component_member *x = &m->list.p[k];

			if (x->template == v->templates[i] && !x->accepted && x->is.identity.kind.n)
				offenders[n++] = x->is;
		}
	}
	return n;
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
	CLEANUP(members_done) struct members members = { .rj = rj };
	struct offender offenders[OFFENDERS_MAX];
	size_t n_offenders;
	struct component_verdict v;
	struct component_terms terms;
	bool one_by_one;
	const struct accepted_judge accepted = { .set = c->acceptances, .findings = c->findings };
	const struct accepted *by = NULL;
	struct err err;

	if (component_unknown(rj, component)) {
		findings_confirm(c->findings, FINDING_COMPONENT, &s);
		accepted_component_confirm(&accepted, &s);
		return;
	}
	terms = (struct component_terms){ FINDING_COMPONENT, cfg_severity(rj->reference, component->name),
					  rj->reference->hold_ns };
	if (component_judge(part, component, matched, &a, &v, &err) < 0) {
		rj->components_due = true; /* without memory the components are judged again in the next turn */
		return;
	}
	rj->offended |= has_offenders(&v);
	one_by_one = has_offenders(&v) && accepted_names_members(&accepted, &s);
	if ((one_by_one && find_members(&members, &v, c, &err) < 0) ||
	    accepted_component(&accepted, &v, members.list.p, members.list.n, &s, &terms, received_ns, &a, &by, &err) <
		    0) {
		rj->components_due = true;
		return;
	}
	if (v.problem == COMPONENT_SATISFIED) {
		if (by)
			findings_accepted(c->findings, FINDING_COMPONENT, &s, by->is.says.reason);
		else
			findings_clear(c->findings, FINDING_COMPONENT, &s, END_REPAIRED);
		return;
	}
	n_offenders = one_by_one ? members_left(&members, &v, offenders) : find_offenders(rj, &v, c, offenders);
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
