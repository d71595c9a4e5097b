/* Judges objects by a reference, whatever it is made of. */
#include "base/pattern.h"
#include "manifest/manifest_applied.h"

#include <errno.h>

/* The part of an object that is compared with a manifest. It consists of the members that the manifest names, as a
 * whole, because their lists show additions, and of the members of metadata that are compared or show that the
 * object is being deleted. VAL_ABSENT without memory. */
static val names_seen(val manifest, struct key_table *keys, struct arena *a)
{
	static const char *const metadata[] = { "annotations", "deletionTimestamp", "finalizers", "labels",
						"ownerReferences" };
	struct member *names = arena_array(a, (size_t)manifest.n + 1, sizeof(*names)),
		      *of_metadata = arena_array(a, ARRAY_LEN(metadata), sizeof(*of_metadata));
	size_t n = 0;

	if (!names || !of_metadata)
		return (val){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(metadata); i++) {
		of_metadata[i] = (struct member){ key_make(keys, a, str_from(metadata[i])), val_null() };
		if (!of_metadata[i].key)
			return (val){ 0 };
	}
	for (uint32_t i = 0; i < val_count(manifest); i++) {
		const struct key *key = manifest.members[i].key;

		if (str_eq(key_str(key), STR("status")))
			continue;
		names[n].key = key_make(keys, a, key_str(key));
		names[n].value = val_null();
		if (!names[n].key)
			return (val){ 0 };
		if (str_eq(key_str(key), STR("metadata")))
			names[n].value = val_map_sorted(of_metadata, ARRAY_LEN(metadata));
		n++;
	}
	return val_map_sorted(names, n);
}

/* The names that a manifest is compared by: stringData becomes data, and counts once if there are both. */
static val names_of(val manifest, const struct compare_env *env, struct arena *a)
{
	val names = names_seen(manifest, env->keys, a);
	const struct key *data = key_make(env->keys, a, STR("data"));

	if (!val_exists(names) || !val_exists(VAL_GET(manifest, "stringData")))
		return names;
	return data ? val_map_with(a, names, data, val_null()) : (val){ 0 };
}

/* Keep what the verdict saw, if asked for. Without memory, that is everything. */
static void keep_read_parts(val manifest, const struct compare_env *env, struct verdict *v)
{
	struct read_part *part = env->read_set ? arena_array(&v->arena, 1, sizeof(*part)) : NULL;

	if (!part || v->state == VERDICT_ERROR)
		return;
	*part = (struct read_part){ .scope = READS_NAMED, .names = names_of(manifest, env, &v->arena) };
	if (!val_exists(part->names))
		return;
	part->hash = val_hash(part->names);
	v->read_set = part;
	v->n_read_parts = 1;
}

static int keep_trial(const struct ref_template *t, const struct compare_env *env, struct verdict *v, struct err *err)
{
	struct verdict_trial *trial = env->explain ? arena_array(&v->arena, 1, sizeof(*trial)) : NULL;

	if (!env->explain)
		return 0;
	if (!trial)
		return err_nomem(err);
	*trial = (struct verdict_trial){
		.template = t,
		.outcome = v->state == VERDICT_ERROR ? TRIAL_FAILED : TRIAL_MATCHED,
		.why = STR(""),
		.differs = v->state == VERDICT_DRIFTED,
		.score = v->changes.total,
	};
	v->trials = trial;
	v->n_trials = 1;
	return 0;
}

static int review(const struct compare_env *env, struct verdict *v, struct err *err)
{
	uint64_t steps = env->limits->evaluation_steps - v->steps;
	int r;

	if (!env->review || v->state != VERDICT_DRIFTED)
		return 0;
	r = env->review(env->ctx, v, env->mask, &steps, err);
	v->steps = env->limits->evaluation_steps - steps;
	if (r == -E2BIG || (r == -ENOMEM && v->arena.full))
		return verdict_too_large(v, env->limits, err);
	return r;
}

static int compare_with(const struct matcher *m, const struct ref_template *t, val wanted, val object,
			const struct compare_env *env, struct verdict *v, struct err *err)
{
	const struct manifest_env manifest = {
		.limits = env->limits,
		.schema = env->schema,
		.managers = env->managers,
		.ctx = env->ctx,
		.additions = matcher_reference(m)->additions ? MANIFEST_DRIFT : MANIFEST_IGNORE,
		.mask = env->mask,
	};
	int r = manifest_judge(wanted, object, &manifest, v, err);

	if (r < 0)
		return r;
	v->template = t;
	r = review(env, v, err);
	if (r == 0)
		r = keep_trial(t, env, v, err);
	if (r < 0) {
		verdict_done(v);
		return r;
	}
	keep_read_parts(wanted, env, v);
	return 0;
}

static bool is_chosen(const struct ref_choice *c, val object)
{
	str namespace = val_str(val_dig(object, "metadata", "namespace", NULL));

	return label_selector_matches(&c->labels, val_dig(object, "metadata", "labels", NULL)) &&
	       (!c->n_namespaces || pattern_any_matches(c->namespaces, c->n_namespaces, namespace));
}

/* Judge an object of a kind that the reference claims, but for which it has no manifest. It is an orphan if its
 * labels and namespace are chosen. */
static int look_for_orphan(const struct ref_template *t, val object, const struct compare_env *env, struct verdict *v,
			   struct err *err)
{
	bool found = is_chosen(t->choice, object);
	int r;

	*v = (struct verdict){ .state = found ? VERDICT_COMPLIANT : VERDICT_UNMATCHED,
			       .template = found ? t : NULL,
			       .mask = env->mask,
			       .sensitive = mask_is_secret(object) };
	arena_init(&v->arena, 0, env->limits->arena_bytes);
	if (!found)
		return 0;
	v->expected = v->actual = object;
	r = keep_trial(t, env, v, err);
	if (r < 0)
		verdict_done(v);
	return r;
}

/* Make an error because what was applied to the object cannot be read, so that it cannot be judged. */
static int refuse_applied(const struct ref_template *t, const struct compare_env *env, struct verdict *v,
			  struct err *err)
{
	*v = (struct verdict){ .state = VERDICT_ERROR, .template = t, .mask = env->mask };
	arena_init(&v->arena, 0, env->limits->arena_bytes);
	v->error = v->error_detail = arena_str(&v->arena, str_from(err->msg));
	if (v->error.p && keep_trial(t, env, v, err) == 0)
		return 0;
	verdict_done(v);
	return err_nomem(err);
}

static int compare_applied(const struct matcher *m, const struct ref_template *t, val object,
			   const struct compare_env *env, struct verdict *v, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *applied = NULL;
	int r = 0;

	if (is_chosen(t->choice, object))
		r = manifest_applied_read(object, env->limits, env->keys, &applied, err);
	if (r == -EBADMSG || r == -E2BIG)
		return refuse_applied(t, env, v, err);
	if (r == 0 && applied)
		r = compare_with(m, t, applied->root, object, env, v, err);
	else if (r == 0)
		*v = (struct verdict){ .state = VERDICT_UNMATCHED };
	if (r == 0 && applied)
		v->rendered = TAKE(applied);
	return r;
}

static int reach_by_manifest(const struct matcher *m, val object, const struct compare_env *env, struct verdict *ret,
			     struct err *err)
{
	const struct identity id = identity_of(val_exists(env->correlated) ? env->correlated : object);
	const struct ref_template *const *candidates;

	if (!matcher_candidates(m, &id, &candidates)) {
		*ret = (struct verdict){ .state = VERDICT_UNMATCHED };
		return 0;
	}
	switch (candidates[0]->use) {
	case REF_MANIFEST:
		return compare_with(m, candidates[0], candidates[0]->manifest, object, env, ret, err);
	case REF_ORPHANS:
		return look_for_orphan(candidates[0], object, env, ret, err);
	case REF_APPLIED:
		return compare_applied(m, candidates[0], object, env, ret, err);
	case REF_RELEASED:
		*ret = (struct verdict){ .state = VERDICT_UNMATCHED };
		return 0;
	default:
		*ret = (struct verdict){ .state = VERDICT_EXCLUDED };
		return 0;
	}
}

verdict_reach *verdict_reach_of(const struct reference *r)
{
	return r->manifests ? reach_by_manifest : compare_object;
}
