/* Finds out whether this process already keeps the objects of other shards that count for a template of another
 * configuration.
 *
 * For an object, only templates of the first group (correlate.h) that fits are candidates. So a template that counts
 * now brings all objects of its identity, except those that fit a template of an earlier group which does not count. */
#include "daemon/watch/reference/reference_judge_internal.h"

static bool is_wider_in(str wide, str narrow)
{
	return !wide.n || str_eq(wide, narrow);
}

static bool overlaps_in(str a, str b)
{
	return is_wider_in(a, b) || is_wider_in(b, a);
}

static bool is_wider(const struct ref_template *wide, const struct ref_template *narrow)
{
	const struct identity *a = &wide->identity, *b = &narrow->identity;

	return str_eq(a->api_version, b->api_version) && str_eq(a->kind, b->kind) && is_wider_in(a->name, b->name) &&
	       is_wider_in(a->namespace, b->namespace) && (wide->any_scope || !narrow->any_scope);
}

static bool overlaps(const struct identity *a, const struct identity *b)
{
	return str_eq(a->api_version, b->api_version) && str_eq(a->kind, b->kind) && overlaps_in(a->name, b->name) &&
	       overlaps_in(a->namespace, b->namespace);
}

/* The number of the group to which templates of this identity belong, in the order in which groups are tried
 * (matcher.c). */
static int group_in(const struct reference_judge *rj, const struct identity *id)
{
	if (id->name.n)
		return !id->namespace.n;
	return rj->in_force->manifests ? 2 + (id->namespace.n > 0) : 2 + !id->namespace.n;
}

/* Whether the reference has a template of this identity; with @counting: one that counts. */
static bool has_identity(const struct reference_judge *rj, const struct identity *id, bool counting)
{
	const struct reference *r = rj->in_force;

	for (size_t i = 0; i < r->n_templates; i++) {
		if (identity_eq(&r->templates[i]->identity, id) && (!counting || reference_template_counts(rj, i)))
			return true;
	}
	return false;
}

/* Whether some objects that are for @t in @next are not kept, although they fit the template @by, which counts: they
 * are for the template @other, which does not count. */
static bool takes_away(const struct reference_judge *rj, const struct ref_template *other,
		       const struct ref_template *by, const struct reference_judge *next, const struct ref_template *t)
{
	const struct identity *id = &other->identity;

	if (group_in(rj, id) >= group_in(rj, &by->identity) || !overlaps(id, &t->identity) ||
	    has_identity(rj, id, true))
		return false;
	return rj->in_force->manifests != next->in_force->manifests ||
	       group_in(next, id) >= group_in(next, &t->identity) || !has_identity(next, id, false);
}

/* Whether objects count by naming an object of the template, with all of its identity. */
static bool is_named(const struct reference_judge *rj, const struct ref_template *t)
{
	return !rj->in_force->manifests && reference_can_be_named(t);
}

static bool brings(const struct reference_judge *rj, const struct ref_template *by, const struct reference_judge *next,
		   const struct ref_template *t)
{
	const struct reference *r = rj->in_force;

	if (!reference_template_counts(rj, by->index) || !is_wider(by, t))
		return false;
	if (r->manifests && by->identity.name.n) /* the template @by is for one object */
		return false;
	if (is_named(next, t) && (r->manifests || !identity_eq(&by->identity, &t->identity)))
		return false;
	for (size_t i = 0; i < r->n_templates; i++) {
		if (takes_away(rj, r->templates[i], by, next, t))
			return false;
	}
	return true;
}

static bool has_text(struct text_list list, str text)
{
	for (size_t i = 0; i < list.n; i++) {
		if (str_eq(list.p[i], text))
			return true;
	}
	return false;
}

static bool has_all(struct text_list list, struct text_list of)
{
	for (size_t i = 0; i < of.n; i++) {
		if (!has_text(list, of.p[i]))
			return false;
	}
	return true;
}

/* Whether a template that counts is for the object @id. With @same, the template must have exactly this identity. */
static bool keeps_one(const struct reference_judge *rj, const struct identity *id, bool same)
{
	const struct ref_template *const *candidates;
	size_t n = matcher_candidates(rj->matcher, id, &candidates);

	for (size_t i = 0; i < n; i++) {
		if (reference_template_counts(rj, candidates[i]->index) &&
		    (!same || (!rj->in_force->manifests && identity_eq(&candidates[i]->identity, id))))
			return true;
	}
	return false;
}

static bool keeps_all(const struct reference_judge *rj, const struct reference_judge *next,
		      const struct ref_template *t)
{
	const struct reference *r = rj->in_force;

	for (size_t i = 0; i < r->n_templates; i++) {
		if (brings(rj, r->templates[i], next, t))
			return true;
	}
	return false;
}

/* Whether all objects of other shards for @t are kept. Manifests, of which a reference may have very many, are for
 * one object each and are looked up. */
static bool keeps(const struct reference_judge *rj, const struct reference_judge *next, const struct ref_template *t)
{
	const struct identity *id = &t->identity;
	struct identity outside = *id;

	outside.namespace = STR("");
	if (!has_all(next->reference->exclude_names, rj->reference->exclude_names) ||
	    !has_all(next->reference->exclude_namespaces, rj->reference->exclude_namespaces))
		return false;
	if (!id->name.n || (!id->namespace.n && !next->in_force->manifests))
		return keeps_all(rj, next, t);
	return keeps_one(rj, id, is_named(next, t)) && (!t->any_scope || keeps_one(rj, &outside, false));
}

static bool any_keeps(const struct reference_judge *judges, size_t n, const struct reference_judge *next,
		      const struct ref_template *t)
{
	for (size_t i = 0; i < n; i++) {
		if (keeps(&judges[i], next, t))
			return true;
	}
	return false;
}

bool reference_judge_knows_kept(struct reference_judge *next, const struct reference_judge *judges, size_t n,
				const struct snapshot *kept)
{
	const struct reference *r = next->in_force;
	bool all = true;

	for (size_t i = 0; i < r->n_templates; i++) {
		const struct ref_template *t = r->templates[i];
		const struct kind *k = snapshot_find_kind(kept, t->identity.api_version, t->identity.kind);

		if (!next->counts[i] || (k && k->shared && !is_named(next, t)) || any_keeps(judges, n, next, t))
			continue;
		next->unkept[i] = true;
		all = false;
	}
	return all;
}
