/* Counts an object for the templates that it matches and names, and says what other shards need to know of it. */
#include "daemon/watch/reference/reference_judge_internal.h"

#include "base/assert.h"

bool reference_can_be_named(const struct ref_template *t)
{
	return t->identity.api_version.n && t->identity.kind.n && t->identity.name.n;
}

/* A template that does not count now may count later, when releases come and go. */
bool reference_template_counts(const struct reference_judge *rj, size_t template)
{
	return rj->in_force->changes || rj->counts[template];
}

/* Count the template and all others of the same path: templates are matched by path, and several components may list
 * one path. */
static void count_template(struct reference_judge *rj, const struct ref_template *t)
{
	const struct ref_template *other = t;

	do {
		rj->counts[other->index] = true;
		rj->names |= reference_can_be_named(other);
		other = other->same_path;
	} while (other != t);
}

void reference_find_counting(struct reference_judge *rj)
{
	const struct reference *r = rj->in_force;

	for (size_t p = 0; p < r->n_parts; p++) {
		for (size_t i = 0; i < r->parts[p].n_components; i++) {
			const struct ref_component *component = &r->parts[p].components[i];

			if (!reference_judge_reports(rj, &r->parts[p], component))
				continue;
			for (size_t t = 0; t < component->n_templates; t++)
				count_template(rj, component->templates[t]);
		}
	}
}

/* The template now matches one object more or one less, while it matches @others besides: judge the components again
 * if that may change their verdict or report. */
static void count_changed(struct reference_judge *rj, size_t others)
{
	if (others == 0 || rj->offended)
		rj->components_due = true;
}

void reference_uncount(struct reference_judge *rj, struct object *o)
{
	struct judged *j = &o->judged[rj->index];
	bool stated = j->known && !object_is_foreign(o);

	ASSERT(!stated || rj->states[j->state] > 0);
	ASSERT(!j->matched || rj->matched[j->template] > 0);
	if (stated)
		rj->states[j->state]--;
	if (j->matched)
		count_changed(rj, --rj->matched[j->template]);
	for (size_t i = 0; i < j->n_references; i++) {
		ASSERT(rj->referenced[j->references[i]] > 0);
		if (--rj->referenced[j->references[i]] == 0)
			rj->components_due = true;
	}
	free(j->references);
	j->references = NULL;
	j->n_references = 0;
	j->known = j->matched = false;
	dependents_drop(&rj->dependents, &j->dependencies);
}

void named_done(struct named *n)
{
	vec_done(&n->templates);
}

void named_add(void *ctx, const struct ref_template *t)
{
	struct named *n = ctx;

	n->no_memory |= !vec_push(&n->templates, t->index);
}

/* Count the templates that the object names. The list of @n is taken over. */
static void count_references(struct reference_judge *rj, struct judged *j, struct named *n)
{
	for (size_t i = 0; i < n->templates.n; i++) {
		if (rj->referenced[n->templates.p[i]]++ == 0)
			rj->components_due = true;
	}
	j->references = n->templates.p;
	j->n_references = (uint32_t)n->templates.n;
	*n = (struct named){ 0 };
}

size_t reference_candidates(const struct reference_judge *rj, const struct object *o,
			    const struct ref_template *const **ret)
{
	const struct identity id = object_identity(o);

	return matcher_candidates(rj->matcher, &id, ret);
}

void reference_set_waits(struct reference_judge *rj, struct object *o, bool waits)
{
	struct judged *j = &o->judged[rj->index];
	const struct ref_template *const *candidates;
	size_t n;

	if (j->waits == waits)
		return;
	n = reference_candidates(rj, o, &candidates); /* the candidates are the same for all versions of an object */
	for (size_t i = 0; i < n; i++) {
		ASSERT(waits || rj->waiting[candidates[i]->index] > 0);
		rj->waiting[candidates[i]->index] += waits ? 1 : (size_t)-1;
	}
	j->waits = waits;
	rj->components_due = true;
}

static int count_dependencies(struct reference_judge *rj, struct object *o, const struct verdict *v,
			      const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];

	for (size_t i = 0; i < v->n_lookups; i++) {
		const struct verdict_lookup *l = &v->lookups[i];

		struct kind *kind = snapshot_find_kind(c->snapshot, l->api_version, l->kind);

		if (!kind) /* nothing ever changes of a kind that is not watched */
			continue;
		if (!dependents_add(&rj->dependents, kind, l->namespace, l->name, o, &j->dependencies))
			return err_nomem(err);
		kind->looked_up = true;
	}
	return 0;
}

int reference_account(struct reference_judge *rj, struct object *o, const struct verdict *v, struct named *n,
		      const struct judge_context *c, struct err *err)
{
	struct judged *j = &o->judged[rj->index];

	reference_uncount(rj, o);
	j->known = true;
	j->state = (uint8_t)v->state;
	j->matched = v->template != NULL;
	j->template = v->template ? (uint32_t)v->template->index : 0;
	if (!object_is_foreign(o))
		rj->states[v->state]++;
	if (j->matched)
		count_changed(rj, rj->matched[j->template]++);
	count_references(rj, j, n);
	return count_dependencies(rj, o, v, c, err);
}

/* ---- what other shards report ---- */

static bool counts(const struct reference_judge *rj, const struct identity *id)
{
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(rj->matcher, id, &candidates);

	for (size_t i = 0; i < n; i++) {
		if (reference_template_counts(rj, candidates[i]->index))
			return !cfg_excluded_by(rj->reference, id);
	}
	return false;
}

bool reference_judges_count(const struct reference_judge *judges, size_t n, const struct identity *id)
{
	for (size_t i = 0; i < n; i++) {
		if (counts(&judges[i], id))
			return true;
	}
	return false;
}

struct counting {
	const struct reference_judge *rj;
	bool any;
};

static void note_counting(void *ctx, const struct ref_template *t)
{
	struct counting *of = ctx;

	of->any |= of->rj->counts[t->index];
}

bool reference_judge_counts_named(const struct reference_judge *rj, val object)
{
	struct counting of = { .rj = rj };

	if (rj->names)
		matcher_references(rj->matcher, object, note_counting, &of);
	return of.any;
}

bool reference_judge_compares(const struct reference_judge *rj)
{
	const struct reference *r = rj->in_force;

	for (size_t i = 0; i < r->n_templates; i++) {
		const struct ref_template *const *candidates;
		size_t n;

		if (!rj->counts[i])
			continue;
		n = matcher_candidates(rj->matcher, &r->templates[i]->identity, &candidates);
		if (!templates_decide_by_identity(candidates, n))
			return true;
	}
	return false;
}

/* Whether a component can be violated by an object of the template. Then the report names who wrote the object last. */
static bool may_offend(const struct ref_template *t)
{
	const struct ref_template *other = t;

	do {
		enum ref_group group = other->component->group;

		if (group == REF_ONE_OF || group == REF_ANY_ONE_OF || group == REF_NONE_OF)
			return true;
		other = other->same_path;
	} while (other != t);
	return false;
}

bool reference_judge_counts_as_before(const struct reference_judge *rj, const struct object *o, val object)
{
	const struct judged *j = &o->judged[rj->index];
	CLEANUP(named_done) struct named named = { 0 };
	const struct ref_template *const *candidates;
	size_t n = reference_candidates(rj, o, &candidates);

	if (!j->known || j->waits || !templates_decide_by_identity(candidates, n) || (n && may_offend(candidates[0])))
		return false;
	if (!rj->names)
		return true;
	matcher_references(rj->matcher, object, named_add, &named);
	return !named.no_memory && named.templates.n == j->n_references &&
	       (!j->n_references ||
		memcmp(named.templates.p, j->references, j->n_references * sizeof(*j->references)) == 0);
}
