/* Reading what was applied last, and references of it. */
#include "manifest/manifest_applied.h"

#include "base/assert.h"
#include "value/json.h"
#include "value/kube_names.h"

#include <errno.h>

/* ---- the annotation ---- */

/* Without a namespace it is where the object is, as kubectl was told on its command line. */
static bool is_of(const struct identity *applied, const struct identity *object)
{
	return str_eq(applied->kind, object->kind) && str_eq(applied->name, object->name) &&
	       str_eq(group_version_of(applied->api_version).group, group_version_of(object->api_version).group) &&
	       (!applied->namespace.n || str_eq(applied->namespace, object->namespace));
}

static int read(str text, const struct limits *limits, struct key_table *keys, struct doc **ret, struct err *err)
{
	int r = json_decode(text, &(struct json_options){ .limits = limits, .keys = keys }, ret, err);

	if (r == -EBADMSG || (r == 0 && !val_is_map((*ret)->root)))
		return err_set(err, EBADMSG, "its annotation %s holds no object", KUBE_LAST_APPLIED);
	return r;
}

int manifest_applied_read(val object, const struct limits *limits, struct key_table *keys, struct doc **ret,
			  struct err *err)
{
	str text = val_str(val_dig(object, "metadata", "annotations", KUBE_LAST_APPLIED, NULL));
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct identity applied, id = identity_of(object);
	int r = 0;

	*ret = NULL;
	if (!text.n)
		return 0;
	r = read(text, limits, keys, &d, err);
	if (r < 0)
		return r;
	applied = identity_of(d->root);
	if (!is_of(&applied, &id))
		return 0;
	if (!str_eq(applied.api_version, id.api_version))
		return err_set(err, EBADMSG, "it was applied in another version than %.*s, in which it is watched",
			       STR_ARG(group_version_of(id.api_version).version));
	*ret = TAKE(d);
	return 0;
}

/* ---- the reference ---- */

static struct ref_component *component_of(struct ref_component *components, size_t *n, str kind)
{
	for (size_t i = 0; i < *n; i++) {
		if (str_eq(components[i].name, kind))
			return &components[i];
	}
	components[(*n)++] = (struct ref_component){ .name = kind, .description = STR(""), .group = REF_V1_OPTIONAL };
	return &components[*n - 1];
}

/* Of one kind in one namespace, or wherever it is: that narrows what is watched. */
static bool add_template(struct reference *ref, const struct applied_reference_options *o,
			 const struct manifest_kind *k, str namespace, struct ref_component *c)
{
	struct arena *a = &ref->arena;
	struct ref_template *t = arena_zalloc(a, sizeof(*t)), **listed;

	listed = t ? arena_array(a, c->n_templates + 1, sizeof(struct ref_template *)) : NULL;
	if (!listed)
		return false;
	t->use = REF_APPLIED;
	t->path = c->name;
	t->description = STR("");
	t->index = ref->n_templates;
	t->component = c;
	t->same_path = t;
	t->identity = (struct identity){ arena_str(a, k->api_version), c->name, arena_str(a, namespace), STR("") };
	t->choice = o->choice;
	t->footprint.may_exclude = true; /* what is not chosen, or was never applied */
	ref->templates[ref->n_templates++] = t;
	for (size_t i = 0; i < c->n_templates; i++)
		listed[i] = c->templates[i];
	listed[c->n_templates++] = t;
	c->templates = listed;
	return t->identity.api_version.p && t->identity.namespace.p;
}

/* Where patterns say which namespaces, all are watched. */
static bool are_names(const struct ref_choice *c)
{
	for (size_t i = 0; i < c->n_namespaces; i++) {
		if (str_find_byte(c->namespaces[i], '*') >= 0)
			return false;
	}
	return c->n_namespaces > 0;
}

static bool add_kind(struct reference *ref, const struct applied_reference_options *o, const struct manifest_kind *k,
		     struct ref_component *c)
{
	bool ok = true;

	if (!are_names(o->choice))
		return add_template(ref, o, k, STR(""), c);
	for (size_t i = 0; ok && i < o->choice->n_namespaces; i++)
		ok = add_template(ref, o, k, o->choice->namespaces[i], c);
	return ok;
}

static bool make(struct reference *ref, const struct applied_reference_options *o)
{
	struct arena *a = &ref->arena;
	struct ref_part *part = arena_array(a, 1, sizeof(*part));
	struct ref_component *components = arena_array(a, o->n_kinds, sizeof(*components));
	size_t n = 0;

	ref->templates = arena_array(a, o->n_kinds * (o->choice->n_namespaces + 1), sizeof(struct ref_template *));
	if (!part || !components || !ref->templates)
		return false;
	for (size_t i = 0; i < o->n_kinds; i++) {
		str kind = arena_str(a, o->kinds[i].kind);

		if (!kind.p || !add_kind(ref, o, &o->kinds[i], component_of(components, &n, kind)))
			return false;
	}
	*part = (struct ref_part){ ref->name, STR(""), components, n };
	ref->parts = part;
	ref->n_parts = 1;
	return true;
}

int applied_reference_make(const struct applied_reference_options *o, struct reference **ret, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = reference_new(o->limits, o->name);

	ASSERT(o->n_kinds > 0);
	if (!ref)
		return err_nomem(err);
	ref->version = 2;
	ref->manifests = true;
	ref->additions = o->additions == MANIFEST_DRIFT;
	if (!make(ref, o))
		return arena_error(&ref->arena, err);
	if (reference_hash(ref, STR("last applied"), err) < 0)
		return -err->code;
	*ret = TAKE(ref);
	return 0;
}
