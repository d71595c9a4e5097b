/* Finds the difference between a manifest and an object, and decides what of them is compared. */
#include "manifest/manifest_compare.h"

#include "go/base64.h"
#include "manifest/manifest_internal.h"
#include "topology/crd.h"
#include "value/kube_names.h"

#include <errno.h>
#include <inttypes.h>

/* ---- what is compared ---- */

/* Move stringData into data, as base64, as a server does. False without memory. */
static bool overlay(struct arena *a, val texts, struct member *out, size_t *n)
{
	for (uint32_t i = 0; val_is_map(texts) && i < texts.n; i++) {
		val text = texts.members[i].value;
		char *p;

		out[*n] = texts.members[i];
		if (val_is_string(text)) {
			p = arena_alloc(a, GO_BASE64_LEN((size_t)text.n) + 1);
			if (!p)
				return false;
			out[*n].value = val_string((str){ p, go_base64_write(&go_base64_std, text.s, text.n, p) });
		}
		(*n)++;
	}
	return true;
}

/* The form in which a server stores @object. VAL_ABSENT without memory. */
static val as_kept(struct arena *a, val object)
{
	val texts = VAL_GET(object, "stringData"), data = VAL_GET(object, "data");
	const struct key *key = key_make(NULL, a, STR("data"));
	struct member *out = arena_array(a, (size_t)val_count(texts) + val_count(data) + 1, sizeof(*out));
	size_t n = 0;

	if (!mask_is_secret(object) || !val_is_map(texts))
		return object;
	if (!key || !out)
		return (val){ 0 };
	for (uint32_t i = 0; val_is_map(data) && i < data.n; i++)
		out[n++] = data.members[i];
	if (!overlay(a, texts, out, &n))
		return (val){ 0 };
	data = val_map(a, out, n); /* the last of several equal keys wins */
	object = val_map_without(a, object, STR("stringData"));
	return val_exists(data) ? val_map_with(a, object, key, data) : (val){ 0 };
}

/* @map with @v as the value of its member @m. VAL_ABSENT without memory. */
static val with(struct arena *a, val map, const struct member *m, val v)
{
	return val_exists(v) ? val_map_with(a, map, m->key, v) : v;
}

/* Remove from an object who wrote it and what was applied to it. The former is not part of its contents, and the
 * latter is one long text, which could appear beside a difference with everything that may not be shown. VAL_ABSENT
 * without memory. */
static val without_history(struct arena *a, val object)
{
	const struct member *metadata = val_member(object, STR("metadata")), *annotations;
	bool applied = val_exists(val_dig(object, "metadata", "annotations", KUBE_LAST_APPLIED, NULL));
	val less;

	if (!applied && !val_exists(val_dig(object, "metadata", "managedFields", NULL)))
		return object;
	less = val_map_without(a, metadata->value, STR("managedFields"));
	annotations = val_member(less, STR("annotations"));
	if (applied && annotations)
		less = with(a, less, annotations, val_map_without(a, annotations->value, STR(KUBE_LAST_APPLIED)));
	return with(a, object, metadata, less);
}

/* Whether a member at the root of a manifest is not compared. */
static bool is_left_out(val manifest, str key)
{
	return str_eq(key, STR("apiVersion")) || str_eq(key, STR("kind")) || str_eq(key, STR("status")) ||
	       (str_eq(key, STR("rules")) && val_exists(VAL_GET(manifest, "aggregationRule")) &&
		str_eq(val_str(VAL_GET(manifest, "kind")), STR("ClusterRole")));
}

/* The members of metadata that are compared, as a map. */
static val metadata_of(struct arena *a, val metadata)
{
	static const char *const names[] = { "annotations", "finalizers", "labels", "ownerReferences" };
	struct member *out = arena_array(a, ARRAY_LEN(names), sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; out && i < ARRAY_LEN(names); i++) {
		const struct member *m = val_member(metadata, str_from(names[i]));

		if (m && i == 0 && val_is_map(m->value))
			out[n++] = (struct member){ m->key, val_map_without(a, m->value, STR(KUBE_LAST_APPLIED)) };
		else if (m)
			out[n++] = *m;
	}
	return out ? val_map_sorted(out, n) : (val){ 0 };
}

/* The part of a member that is compared. The finalizers of a namespace are not, because the server manages them. */
static val part_to_compare(struct arena *a, val manifest, str key, val part)
{
	if (str_eq(key, STR("metadata")))
		return metadata_of(a, part);
	if (str_eq(key, STR("spec")) && str_eq(val_str(VAL_GET(manifest, "kind")), STR("Namespace")))
		return val_map_without(a, part, STR("finalizers"));
	return part;
}

/* The part of @manifest that is compared. VAL_ABSENT without memory. */
static val manifest_to_compare(struct arena *a, val manifest)
{
	struct member *out = arena_array(a, (size_t)manifest.n + 1, sizeof(*out));
	size_t n = 0;

	for (uint32_t i = 0; out && i < val_count(manifest); i++) {
		str key = key_str(manifest.members[i].key);

		if (is_left_out(manifest, key))
			continue;
		out[n].key = manifest.members[i].key;
		out[n].value = part_to_compare(a, manifest, key, manifest.members[i].value);
		if (!val_exists(out[n++].value))
			return (val){ 0 };
	}
	return out ? val_map_sorted(out, n) : (val){ 0 };
}

/* ---- the whole ---- */

bool manifest_additions_parse(str s, enum manifest_additions *ret)
{
	if (!str_eq(s, STR("drift")) && !str_eq(s, STR("ignore")))
		return false;
	*ret = str_eq(s, STR("drift")) ? MANIFEST_DRIFT : MANIFEST_IGNORE;
	return true;
}

val manifest_managers_of(void *object)
{
	return val_dig(*(const val *)object, "metadata", "managedFields", NULL);
}

static int failure(const struct walk *w, struct err *err)
{
	/* The functions that compare two values cannot return that they had no memory. */
	if (w->no_memory || w->list.no_memory || w->arena->full || w->arena->failed)
		return arena_error(w->arena, err);
	if (w->too_deep)
		return err_set(err, E2BIG, "it is nested more than %" PRIu32 " deep", w->env->limits->depth);
	if (!w->steps)
		return err_set(err, E2BIG, "comparing it takes more than %" PRIu64 " steps",
			       w->env->limits->evaluation_steps);
	return 0;
}

int manifest_compare(val manifest, val live, const struct manifest_env *env, struct arena *a,
		     struct manifest_difference *ret, struct err *err)
{
	str api_version = val_str(VAL_GET(manifest, "apiVersion")), kind = val_str(VAL_GET(manifest, "kind"));
	val whole = as_kept(a, manifest), kept = as_kept(a, without_history(a, live)),
	    compared = manifest_to_compare(a, whole);
	struct walk w = { .env = env,
			  .list = change_list_of(whole, kept, env->mask, a),
			  .arena = a,
			  .live = live,
			  .steps = env->limits->evaluation_steps,
			  .built_in = !val_exists(env->schema) && !crd_may_define(api_version) };
	struct place root = { .type = topo_root(api_version, kind, env->schema) };
	struct manifest_difference d = { .actual = kept };
	int r;

	if (!val_exists(whole) || !val_exists(kept) || !val_exists(compared))
		return arena_error(a, err);
	d.expected = manifest_walk_map(&w, &root, compared, kept);
	d.deleting = val_exists(val_dig(live, "metadata", "deletionTimestamp", NULL));
	d.steps = env->limits->evaluation_steps - w.steps;
	r = failure(&w, err);
	if (r == 0)
		r = change_list_end(&w.list, &d.changes, err);
	else
		change_list_done(&w.list);
	if (r == 0)
		*ret = d;
	return r;
}

int manifest_judge(val manifest, val live, const struct manifest_env *env, struct verdict *ret, struct err *err)
{
	struct verdict v = { .mask = env->mask };
	struct manifest_difference d = { 0 };
	int r;

	arena_init(&v.arena, 0, env->limits->arena_bytes);
	r = manifest_compare(manifest, live, env, &v.arena, &d, err);
	v.state = r < 0 ? VERDICT_ERROR : d.changes.total ? VERDICT_DRIFTED : VERDICT_COMPLIANT;
	v.expected = d.expected;
	v.actual = d.actual;
	v.changes = d.changes;
	v.steps = d.steps;
	if (r == -E2BIG) {
		v.error = v.error_detail = arena_str(&v.arena, str_from(err->msg));
		r = v.error.p ? 0 : err_nomem(err);
	}
	if (r < 0)
		verdict_done(&v);
	else
		*ret = v;
	return r;
}
