/* Moves findings and acceptances from old names to new ones. */
#include "daemon/watch/renames.h"

#include "daemon/findings/finding_owner.h"

#include <errno.h>

int renames_begin(struct renames *ret, struct cfg_places *was, const struct cfg *next, struct shard shard,
		  struct err *err)
{
	int r;

	*ret = (struct renames){ .next = next, .shard = shard, .was = *was };
	*was = (struct cfg_places){ 0 };
	arena_init(&ret->arena, 0, 0);
	r = cfg_places_of(next, &ret->is, err);
	if (r == 0)
		r = cfg_renames_find(&ret->was, &ret->is, &ret->names, err);
	if (r < 0)
		renames_done(ret);
	return r;
}

void renames_done(struct renames *r)
{
	strmap_done(&r->acceptances);
	cfg_renames_done(&r->names);
	cfg_places_done(&r->was);
	cfg_places_done(&r->is);
	arena_done(&r->arena);
	*r = (struct renames){ 0 };
}

/* ---- acceptances ---- */

/* Replace a name that was renamed. A text that is a pattern stays: it means whatever it matches. */
static bool take_name(const str *name, str *to)
{
	if (name)
		*to = *name;
	return name;
}

/* False: the acceptance names nothing that was renamed. */
static bool rename_acceptance(const struct renames *r, struct acceptance *a)
{
	bool cluster = take_name(cfg_renames_get(&r->names, CFG_PLACE_CLUSTER, a->cluster), &a->cluster);

	return take_name(cfg_renames_get(&r->names, CFG_PLACE_REFERENCE, a->reference), &a->reference) || cluster;
}

/* Note the id that @a had under its old names, with the one that it has now. */
static int note_id(struct renames *r, const struct accepted *a, struct err *err)
{
	struct acceptance was = a->is.says;
	bool cluster = take_name(cfg_renames_before(&r->names, CFG_PLACE_CLUSTER, was.cluster), &was.cluster);
	char old[ACCEPTANCE_ID_SIZE];
	str now;

	if (!take_name(cfg_renames_before(&r->names, CFG_PLACE_REFERENCE, was.reference), &was.reference) && !cluster)
		return 0;
	now = arena_str(&r->arena, str_from(a->is.id));
	return acceptance_id(&was, old) && now.p &&
			       strmap_put(&r->acceptances, str_from(old), (void *)(uintptr_t)now.p, NULL)
		       ? 0
		       : err_nomem(err);
}

struct renamed {
	/* the acceptance under its old name; it is taken out of the set, which still owns it as a change */
	const struct accepted *was;
	struct acceptance now;
	char id[ACCEPTANCE_ID_SIZE];
};

/* The acceptances that are renamed. All of them are taken out of the set before the first is put back. */
struct renamed_list {
	VEC(struct renamed) list;
	struct strmap ids; /* the ids of the acceptances under their new names */
};

static int take_made(const struct renames *r, struct acceptances *s, struct renamed_list *all, struct err *err)
{
	const struct accepted *x = acceptances_next(s, NULL), *next;

	for (; x; x = next) {
		struct renamed one = { .was = x, .now = x->is.says };

		next = acceptances_next(s, x);
		if (x->configured || !rename_acceptance(r, &one.now))
			continue;
		if (!acceptance_id(&one.now, one.id) || !strmap_put(&all->ids, str_from(one.id), &all->ids, NULL) ||
		    !vec_push(&all->list, one))
			return err_nomem(err);
	}
	for (size_t i = 0; i < all->list.n; i++)
		(void)acceptances_remove(s, all->list.p[i].was->is.id);
	return 0;
}

/* Put the acceptances back under their new names. Where the configuration has the same acceptance, that one stays. */
static int put_made(struct acceptances *s, const struct renamed_list *all, renames_accepted_fn *each, void *ctx,
		    struct err *err)
{
	int status = 0;

	for (size_t i = 0; status == 0 && i < all->list.n; i++) {
		const struct renamed *x = &all->list.p[i];

		if (each)
			each(ctx, x->id, &x->now);
		status = acceptances_put(s, &x->now, false, err);
		if (status == -EEXIST)
			status = 0;
	}
	for (size_t i = 0; each && status == 0 && i < all->list.n; i++) {
		const char *id = all->list.p[i].was->is.id;

		if (!strmap_has(&all->ids, str_from(id)))
			each(ctx, id, NULL);
	}
	return status;
}

static int rename_made(struct renames *r, struct acceptances *s, renames_accepted_fn *each, void *ctx, struct err *err)
{
	struct renamed_list all = { 0 };
	int status = take_made(r, s, &all, err);

	if (status == 0)
		status = put_made(s, &all, each, ctx, err);
	vec_done(&all.list);
	strmap_done(&all.ids);
	return status;
}

int renames_acceptances(struct renames *r, struct acceptances *s, renames_accepted_fn *each, void *ctx, struct err *err)
{
	const struct accepted *x = NULL;
	int status = r->names.list.n ? rename_made(r, s, each, ctx, err) : 0;

	while (status == 0 && r->names.list.n && (x = acceptances_next(s, x)))
		status = note_id(r, x, err);
	return status;
}

/* ---- findings ---- */

static const struct cfg_reference *reference_of(const struct renames *r, str name)
{
	for (size_t i = 0; i < r->next->n_references; i++) {
		const struct cfg_reference *x = &r->next->references[i];

		if (str_eq(x->name, name))
			return x->reference && x->reference->manifests ? x : NULL;
	}
	return NULL;
}

static bool has_component(const struct reference *r, str name)
{
	for (size_t i = 0; i < r->parts[0].n_components; i++) {
		if (str_eq(r->parts[0].components[i].name, name))
			return true;
	}
	return false;
}

/* The manifest for the object that is missing; NULL: there is none. */
static const struct ref_template *manifest_of(const struct reference *r, const struct finding_subject *s)
{
	for (size_t i = 0; i < r->n_templates; i++) {
		const struct identity *id = &r->templates[i]->identity;

		if (r->templates[i]->use == REF_MANIFEST && str_eq(id->api_version, s->api_version) &&
		    str_eq(id->kind, s->kind) && str_eq(id->namespace, s->namespace) && str_eq(id->name, s->name))
			return r->templates[i];
	}
	return NULL;
}

/* Move a finding about a manifest: its component is named after the file of the manifest. */
static bool move_manifest(struct renames *r, const struct reference *of, struct finding *copy)
{
	struct finding_subject *s = &copy->subject;
	const struct ref_template *t;

	if (!s->name.n || has_component(of, s->component))
		return false;
	t = manifest_of(of, s);
	if (!t)
		return false;
	s->component = t->component->name;
	s->template_path = t->path;
	r->manifests++;
	return true;
}

/* Move a finding about a component of manifests: the part is named after the reference, and the summary names the
 * component. */
static bool move_component(struct renames *r, str reference_was, struct finding *copy)
{
	struct finding_subject *s = &copy->subject;
	const struct cfg_reference *of = reference_of(r, s->reference);
	bool part = of && !str_eq(s->reference, reference_was) && str_eq(s->part, reference_was);

	if (part)
		s->part = s->reference;
	if (part) /* the state of the finding is the same, although its text has changed */
		memcpy(copy->state_hash, FINDING_STATE_UNKNOWN, sizeof(copy->state_hash));
	return (of && copy->kind == FINDING_COMPONENT && move_manifest(r, of->reference, copy)) || part;
}

bool renames_move(void *ctx, struct finding *copy)
{
	struct renames *r = ctx;
	struct finding_subject *s = &copy->subject;
	str reference_was = s->reference;
	bool moves = take_name(cfg_renames_get(&r->names, CFG_PLACE_CLUSTER, s->cluster), &s->cluster);
	const char *acceptance = s->acceptance.n ? strmap_get(&r->acceptances, s->acceptance) : NULL;

	moves |= take_name(cfg_renames_get(&r->names, CFG_PLACE_REFERENCE, s->reference), &s->reference);
	if (finding_is_of_component(copy->kind, s))
		moves |= move_component(r, reference_was, copy);
	if (acceptance)
		s->acceptance = str_from(acceptance);
	return (moves || acceptance) && finding_is_own(r->shard, copy->kind, s);
}
