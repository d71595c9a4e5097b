/* Makes a reference from releases of Helm. */
#include "manifest/manifest_releases.h"

#include "base/assert.h"
#include "manifest/manifest_internal.h"
#include "topology/crd.h"
#include "topology/scope.h"

#include <errno.h>

/* ---- one release ---- */

struct choosing {
	const struct release_options *o;
	struct release_left_out *left;
};

static bool is_watched(const struct release_options *o, const struct identity *id)
{
	for (size_t i = 0; i < o->n_kinds; i++) {
		if (str_eq(o->kinds[i].kind, id->kind) && str_eq(o->kinds[i].api_version, id->api_version))
			return true;
	}
	return false;
}

static enum release_scope scope_of(const struct release_options *o, const struct identity *id)
{
	if (!crd_may_define(id->api_version))
		return scope_is_cluster(id->api_version, id->kind) ? RELEASE_OUTSIDE : RELEASE_IN_NAMESPACES;
	return o->scope ? o->scope(o->ctx, id->api_version, id->kind) : RELEASE_SCOPE_UNKNOWN;
}

/* Whether a release may contain manifests of @id. Anybody who may write Secrets in a namespace may forge a release
 * there, but could change the objects there as well. */
static bool may_speak_for(const struct release_options *o, const struct identity *id)
{
	return o->trusted || (scope_of(o, id) == RELEASE_IN_NAMESPACES && str_eq(id->namespace, o->namespace));
}

static bool choose(void *ctx, const struct identity *id)
{
	const struct choosing *c = ctx;

	if (!is_watched(c->o, id)) {
		c->left->kinds++;
		return false;
	}
	if (!may_speak_for(c->o, id)) {
		c->left->places++;
		return false;
	}
	return true;
}

static int make_manifests(struct manifest_set *set, struct crd_table *definitions, const struct release_options *o,
			  struct reference **ret, struct release_left_out *left, struct err *err)
{
	struct choosing choosing = { o, left };
	const struct manifest_reference_options options = {
		.limits = o->limits,
		.keys = o->keys,
		.name = o->name,
		.component = o->name,
		.path = o->revision,
		.additions = o->additions,
		.takes = choose,
		.ctx = &choosing,
	};

	left->hooks = set->n_hooks;
	left->unnamed = set->n_unnamed;
	return manifest_reference_make(set, definitions, &options, ret, err);
}

int release_manifests_make(str manifest, const struct release_options *o, struct reference **ret,
			   struct release_left_out *left, struct err *err)
{
	struct manifest_set set;
	struct crd_table definitions;
	int r;

	*left = (struct release_left_out){ 0 };
	manifest_set_init(&set, o->limits, o->keys);
	crd_table_init(&definitions);
	r = manifest_set_add(&set, o->name, manifest, err);
	if (r == 0)
		r = manifest_set_finish(&set, &definitions, o->namespace, err);
	if (r == 0 && problems_any(&set.mistakes))
		r = err_set(err, EBADMSG, "its manifest has %zu mistake%s", set.mistakes.list.n + set.mistakes.dropped,
			    plural_s(set.mistakes.list.n + set.mistakes.dropped));
	if (r == 0)
		r = make_manifests(&set, &definitions, o, ret, left, err);
	crd_table_done(&definitions);
	manifest_set_done(&set);
	return r;
}

/* ---- all releases ---- */

struct joiner {
	const struct releases_options *o;
	struct reference *ref;
	struct ref_text *no_text;
	struct ref_component *components;
	size_t n_components;
	struct strmap taken; /* identity_text -> the listing that has the object */
	struct buf hashed;
	struct err *err;
};

static int no_memory(const struct joiner *j)
{
	return arena_error(&j->ref->arena, j->err);
}

/* Let @t have its object, unless another listing has it already: then *first is that listing, else NULL. */
static int take(struct joiner *j, struct ref_template *t, const struct ref_template **first)
{
	CLEANUP(buf_done) struct buf id = BUF_INIT(1 << 20);

	identity_text(&t->identity, &id);
	if (id.error)
		return err_nomem(j->err);
	*first = strmap_get(&j->taken, buf_str(&id));
	if (*first)
		return 0;
	return strmap_put(&j->taken, buf_str(&id), t, NULL) ? 0 : err_nomem(j->err);
}

static int add_manifest(struct joiner *j, const struct release_in_force *release, const struct ref_template *of,
			struct ref_component *c)
{
	const struct ref_template *first;
	struct ref_template *t = manifest_listing_add(j->ref, REF_MANIFEST, of->path, j->no_text);
	int r;

	if (!t)
		return no_memory(j);
	t->identity = of->identity;
	t->any_scope = of->any_scope;
	t->manifest = of->manifest;
	t->component = c;
	t->suspended = release->suspended;
	r = take(j, t, &first);
	if (r < 0 || first) {
		j->ref->n_templates--;
		if (r == 0 && j->o->claimed)
			j->o->claimed(j->o->ctx, t, first->component->name, c->name);
		return r;
	}
	((struct ref_template **)c->templates)[c->n_templates++] = t;
	return 0;
}

/* Add the component of a release. Its required manifests come first, as in the release's own reference. */
static int add_release(struct joiner *j, const struct release_in_force *release)
{
	const struct ref_component *of = release->manifests->parts[0].components;
	size_t n = release->manifests->parts[0].n_components ? of->n_templates : 0;
	struct ref_component *c = &j->components[j->n_components++];
	int r = 0;

	*c = (struct ref_component){
		.name = arena_str(&j->ref->arena, release->name),
		.description = STR(""),
		.group = REF_V1_REQUIRED,
		.templates = arena_array(&j->ref->arena, n, sizeof(struct ref_template *)),
	};
	if (!c->name.p || !c->templates)
		return no_memory(j);
	for (size_t i = 0; i < n && r == 0; i++) {
		size_t before = c->n_templates;

		r = add_manifest(j, release, of->templates[i], c);
		if (i < of->n_required)
			c->n_required += c->n_templates - before;
	}
	buf_printf(&j->hashed, "%.*s %s %d\n", STR_ARG(release->name), release->manifests->hash, release->suspended);
	j->ref->shared[j->ref->n_shared++] = reference_ref(release->manifests);
	return r;
}

/* Add a kind that is watched. Its component is in no part, so that it is not judged. */
static int add_kind(struct joiner *j, const struct manifest_kind *k, str namespace, const struct ref_component *c)
{
	struct arena *a = &j->ref->arena;
	struct ref_template *t = manifest_listing_add(j->ref, REF_RELEASED, STR(""), j->no_text);

	if (!t)
		return no_memory(j);
	t->component = c;
	t->identity = (struct identity){ arena_str(a, k->api_version), arena_str(a, k->kind), arena_str(a, namespace),
					 STR("") };
	return t->identity.api_version.p && t->identity.kind.p && t->identity.namespace.p ? 0 : no_memory(j);
}

static int add_kinds(struct joiner *j)
{
	struct ref_component *none = arena_zalloc(&j->ref->arena, sizeof(*none));
	int r = 0;

	if (!none)
		return no_memory(j);
	none->name = none->description = STR("");
	none->group = REF_V1_OPTIONAL;
	for (size_t i = 0; i < j->o->n_kinds && r == 0; i++) {
		const struct manifest_kind *k = &j->o->kinds[i];

		if (!j->o->n_namespaces || scope_is_cluster(k->api_version, k->kind))
			r = add_kind(j, k, STR(""), none);
		else
			for (size_t n = 0; n < j->o->n_namespaces && r == 0; n++)
				r = add_kind(j, k, j->o->namespaces[n], none);
	}
	return r;
}

static size_t count_listings(const struct releases_options *o, const struct release_in_force *releases, size_t n)
{
	size_t listings = o->n_kinds * (o->n_namespaces + 1);

	for (size_t i = 0; i < n; i++)
		listings += releases[i].manifests->n_templates;
	return listings;
}

static int join(struct joiner *j, const struct release_in_force *releases, size_t n)
{
	struct arena *a = &j->ref->arena;
	struct ref_part *part = arena_array(a, 1, sizeof(*part));
	int r;

	j->components = arena_array(a, n, sizeof(*j->components));
	j->ref->templates = arena_array(a, count_listings(j->o, releases, n), sizeof(struct ref_template *));
	j->ref->shared = arena_array(a, n, sizeof(struct reference *));
	if (!part || !j->components || !j->ref->templates || !j->ref->shared)
		return no_memory(j);
	r = manifest_no_text(j->ref, &j->no_text, j->err);
	if (r == 0)
		r = add_kinds(j);
	for (size_t i = 0; i < n && r == 0; i++)
		r = add_release(j, &releases[i]);
	*part = (struct ref_part){ RELEASES_PART, STR(""), j->components, j->n_components };
	j->ref->parts = part;
	j->ref->n_parts = 1;
	return r == 0 ? buf_error(&j->hashed, "names of the releases", j->err) : r;
}

int releases_reference_make(const struct releases_options *o, const struct release_in_force *releases, size_t n,
			    struct reference **ret, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = reference_new(o->limits, o->name, 0);
	struct joiner j = { .o = o, .ref = ref, .hashed = BUF_INIT(o->limits->arena_bytes), .err = err };
	int r;

	ASSERT(o->n_kinds > 0);
	if (!ref)
		return err_nomem(err);
	ref->version = 2;
	ref->manifests = ref->changes = true;
	ref->additions = o->additions == MANIFEST_DRIFT;
	buf_add_cstr(&j.hashed, "releases\n");
	r = join(&j, releases, n);
	if (r == 0)
		r = reference_hash(ref, buf_str(&j.hashed), err);
	strmap_done(&j.taken);
	buf_done(&j.hashed);
	if (r == 0)
		*ret = TAKE(ref);
	return r;
}
