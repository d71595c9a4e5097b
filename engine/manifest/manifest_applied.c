/* Reads what was last applied to objects, and makes references for that. */
#include "manifest/manifest_applied.h"

#include "base/assert.h"
#include "base/pattern.h"
#include "manifest/manifest_internal.h"
#include "value/json.h"
#include "value/kube_names.h"

#include <errno.h>

/* ---- the annotation ---- */

/* Whether the annotation is about this object. An annotation without a namespace means the object's own, which
 * kubectl got on its command line. */
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

struct maker {
	const struct applied_reference_options *o;
	struct reference *ref;
	struct ref_component *components;
	size_t n_components;
	struct ref_text *no_text;
};

static struct ref_component *component_of(struct maker *m, str kind)
{
	for (size_t i = 0; i < m->n_components; i++) {
		if (str_eq(m->components[i].name, kind))
			return &m->components[i];
	}
	m->components[m->n_components] =
		(struct ref_component){ .name = kind, .description = STR(""), .group = REF_V1_OPTIONAL };
	return &m->components[m->n_components++];
}

/* Add a template for one kind, in one namespace or in all: the namespace limits what is watched. False without
 * memory. */
static bool add_template(struct maker *m, const struct manifest_kind *k, str namespace, struct ref_component *c)
{
	struct arena *a = &m->ref->arena;
	struct ref_template *t = manifest_listing_add(m->ref, REF_APPLIED, c->name, m->no_text), **listed;

	listed = t ? arena_array(a, c->n_templates + 1, sizeof(struct ref_template *)) : NULL;
	if (!listed)
		return false;
	t->component = c;
	t->identity = (struct identity){ arena_str(a, k->api_version), c->name, arena_str(a, namespace), STR("") };
	t->choice = m->o->choice;
	for (size_t i = 0; i < c->n_templates; i++)
		listed[i] = c->templates[i];
	listed[c->n_templates++] = t;
	c->templates = listed;
	return t->identity.api_version.p && t->identity.namespace.p;
}

static bool add_kind(struct maker *m, const struct manifest_kind *k)
{
	const struct ref_choice *choice = m->o->choice;
	str kind = arena_str(&m->ref->arena, k->kind);
	struct ref_component *c = kind.p ? component_of(m, kind) : NULL;
	bool ok = c != NULL;

	/* When namespaces are chosen by patterns, all are watched. */
	if (ok && !patterns_are_names(choice->namespaces, choice->n_namespaces))
		return add_template(m, k, STR(""), c);
	for (size_t i = 0; ok && i < choice->n_namespaces; i++)
		ok = add_template(m, k, choice->namespaces[i], c);
	return ok;
}

static bool make(struct maker *m, struct err *err)
{
	const struct applied_reference_options *o = m->o;
	struct arena *a = &m->ref->arena;
	struct ref_part *part = arena_array(a, 1, sizeof(*part));
	bool ok = manifest_no_text(m->ref, &m->no_text, err) == 0;

	m->components = arena_array(a, o->n_kinds, sizeof(*m->components));
	m->ref->templates = arena_array(a, o->n_kinds * (o->choice->n_namespaces + 1), sizeof(struct ref_template *));
	ok = ok && part && m->components && m->ref->templates;
	for (size_t i = 0; ok && i < o->n_kinds; i++)
		ok = add_kind(m, &o->kinds[i]);
	if (!ok)
		return false;
	*part = (struct ref_part){ m->ref->name, STR(""), m->components, m->n_components };
	m->ref->parts = part;
	m->ref->n_parts = 1;
	return true;
}

int applied_reference_make(const struct applied_reference_options *o, struct reference **ret, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = reference_new(o->limits, o->name, 0);
	struct maker m = { .o = o, .ref = ref };

	ASSERT(o->n_kinds > 0);
	if (!ref)
		return err_nomem(err);
	ref->version = 2;
	ref->manifests = true;
	ref->additions = o->additions == MANIFEST_DRIFT;
	if (!make(&m, err))
		return arena_error(&ref->arena, err);
	if (reference_hash(ref, STR("last applied"), err) < 0)
		return -err->code;
	*ret = TAKE(ref);
	return 0;
}
