/* Turns manifests into parts, components and templates. */
#include "manifest/manifest_reference.h"

#include "base/assert.h"
#include "manifest/manifest_internal.h"
#include "topology/crd.h"
#include "value/json.h"

#include <stdlib.h>

#define ORPHANS STR("orphans") /* the name of the component */

struct maker {
	const struct manifest_set *set;
	const struct crd_table *definitions;
	const struct manifest_reference_options *o;
	struct reference *ref;
	struct ref_component *components;
	size_t n_components;
	struct ref_text *no_text;
	const struct ref_choice *orphans; /* a copy of o->orphans */
	struct buf hashed;
	struct err *err;
};

static int no_memory(const struct maker *m)
{
	return arena_error(&m->ref->arena, m->err);
}

/* ---- templates ---- */

int manifest_no_text(struct reference *ref, struct ref_text **ret, struct err *err)
{
	*ret = arena_zalloc(&ref->arena, sizeof(**ret));
	return *ret ? omit_list_make(NULL, 0, &ref->arena, &(*ret)->omit, err) : arena_error(&ref->arena, err);
}

struct ref_template *manifest_listing_add(struct reference *ref, enum ref_use use, str path, struct ref_text *no_text)
{
	struct ref_template *t = arena_zalloc(&ref->arena, sizeof(*t));

	if (!t)
		return NULL;
	t->use = use;
	t->path = path;
	t->description = STR("");
	t->index = ref->n_templates;
	t->same_path = t;
	t->text = no_text;
	ref->templates[ref->n_templates++] = t;
	return t;
}

static struct ref_template *add_template(struct maker *m, enum ref_use use, str path)
{
	return manifest_listing_add(m->ref, use, path, m->no_text);
}

/* Whether the scope of the kind is known without a server, so that manifest_set_finish could use it. */
static bool scope_is_known(const struct maker *m, const struct identity *id)
{
	return !crd_may_define(id->api_version) || crd_table_get(m->definitions, id->api_version, id->kind);
}

static str path_of(const struct maker *m, const struct manifest *manifest)
{
	str file = manifest->document->file;
	ptrdiff_t slash = str_rfind(file, STR("/"));

	if (m->o->path.n)
		return m->o->path;
	if (m->o->folder.n && str_has_prefix(file, m->o->folder))
		return str_sub(file, m->o->folder.n, file.n);
	return str_sub(file, (size_t)(slash + 1), file.n);
}

static int add_manifest(struct maker *m, const struct manifest *manifest, str path, struct ref_template **ret)
{
	struct arena *a = &m->ref->arena;
	struct ref_template *t = add_template(m, REF_MANIFEST, path);

	if (!t)
		return no_memory(m);
	t->manifest = val_copy(a, m->o->keys, manifest->object);
	if (!val_exists(t->manifest))
		return no_memory(m);
	t->identity = identity_of(t->manifest);
	if (!str_eq(t->identity.namespace, manifest->id.namespace))
		t->identity.namespace = arena_str(a, manifest->id.namespace);
	if (!t->identity.namespace.p)
		return no_memory(m);
	t->any_scope = !scope_is_known(m, &t->identity);
	*ret = t;
	return 0;
}

/* ---- components ---- */

static str component_of(const struct maker *m, const struct manifest *manifest)
{
	if (m->o->component.n)
		return m->o->component;
	return m->o->folder.n ? path_of(m, manifest) : manifest->id.kind;
}

struct placed {
	const struct manifest *manifest;
	str component;
	size_t at; /* index in the set */
};

/* Compare by component, then put optional manifests last, and keep the order of the others. */
static int by_component(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int r = str_cmp(x->component, y->component);

	if (r == 0)
		r = (int)x->manifest->optional - (int)y->manifest->optional;
	return r ? r : x->at < y->at ? -1 : 1;
}

static int hash_manifest(struct maker *m, const struct ref_template *t)
{
	identity_text(&t->identity, &m->hashed);
	buf_printf(&m->hashed, " %.*s ", STR_ARG(t->component->name));
	if (json_encode(t->manifest, JSON_GO, NULL, &m->hashed, m->err) < 0)
		return -m->err->code;
	buf_add_byte(&m->hashed, '\n');
	return 0;
}

/* Add the component of the @n manifests in @list, which all belong to it. */
static int add_component(struct maker *m, const struct placed *list, size_t n)
{
	struct arena *a = &m->ref->arena;
	struct ref_component *c = &m->components[m->n_components++];
	struct ref_template **templates = arena_array(a, n, sizeof(struct ref_template *));
	str path = arena_str(a, path_of(m, list[0].manifest));
	int r = 0;

	*c = (struct ref_component){
		.name = m->o->folder.n ? path : arena_str(a, list[0].component),
		.description = STR(""),
		.group = REF_V1_REQUIRED,
		.templates = templates,
		.n_templates = n,
	};
	if (!templates || !path.p || !c->name.p)
		return no_memory(m);
	for (size_t i = 0; i < n && r == 0; i++) {
		r = add_manifest(m, list[i].manifest, path, &templates[i]);
		if (r < 0)
			break;
		templates[i]->component = c;
		c->n_required += !list[i].manifest->optional;
		r = hash_manifest(m, templates[i]);
	}
	return r;
}

static int add_components(struct maker *m)
{
	struct placed *list = calloc(m->set->list.n + 1, sizeof(*list));
	size_t n = 0;
	int r = 0;

	if (!list)
		return err_nomem(m->err);
	for (size_t i = 0; i < m->set->list.n; i++) {
		const struct manifest *manifest = &m->set->list.p[i];

		if (!m->o->takes || m->o->takes(m->o->ctx, &manifest->id))
			list[n++] = (struct placed){ manifest, component_of(m, manifest), i };
	}
	qsort(list, n, sizeof(*list), by_component);
	for (size_t i = 0, next; i < n && r == 0; i = next) {
		for (next = i + 1; next < n && str_eq(list[next].component, list[i].component);)
			next++;
		r = add_component(m, &list[i], next - i);
	}
	free(list);
	return r;
}

/* ---- orphans ---- */

static bool has_kind(const struct ref_component *c, const struct manifest_kind *k)
{
	for (size_t i = 0; i < c->n_templates; i++) {
		const struct identity *id = &c->templates[i]->identity;

		if (str_eq(id->api_version, k->api_version) && str_eq(id->kind, k->kind))
			return true;
	}
	return false;
}

static const str *copy_texts(const str *from, size_t n, struct arena *a)
{
	str *list = arena_array(a, n, sizeof(*list));

	for (size_t i = 0; list && i < n; i++) {
		list[i] = arena_str(a, from[i]);
		if (!list[i].p)
			return NULL;
	}
	return list;
}

/* Copy a choice, because the original may be freed before the reference is. NULL without memory. */
static const struct ref_choice *copy_choice(const struct ref_choice *from, struct arena *a)
{
	struct ref_choice *ret = arena_alloc(a, sizeof(*ret));
	struct label_requirement *list = arena_array(a, from->labels.n, sizeof(*list));

	if (!ret || !list)
		return NULL;
	for (size_t i = 0; i < from->labels.n; i++) {
		list[i] = from->labels.requirements[i];
		list[i].key = arena_str(a, list[i].key);
		list[i].values = copy_texts(list[i].values, list[i].n_values, a);
		if (!list[i].key.p || !list[i].values)
			return NULL;
	}
	*ret = *from;
	ret->labels.requirements = list;
	ret->namespaces = copy_texts(from->namespaces, from->n_namespaces, a);
	return ret->namespaces ? ret : NULL;
}

static int add_orphan_kind(struct maker *m, struct ref_component *c, struct ref_template **templates,
			   const struct manifest_kind *k)
{
	struct arena *a = &m->ref->arena;
	struct ref_template *t;

	if (has_kind(c, k))
		return 0;
	t = add_template(m, REF_ORPHANS, c->name);
	if (!t)
		return no_memory(m);
	t->identity = (struct identity){ arena_str(a, k->api_version), arena_str(a, k->kind), STR(""), STR("") };
	if (!t->identity.api_version.p || !t->identity.kind.p)
		return no_memory(m);
	t->component = c;
	t->choice = m->orphans;
	templates[c->n_templates++] = t;
	buf_printf(&m->hashed, "orphans %.*s %.*s\n", STR_ARG(k->api_version), STR_ARG(k->kind));
	return 0;
}

/* Add a hook, so that an object that Helm or Argo CD left behind is no orphan: it has a manifest, although it is not
 * compared with it. */
static int add_hook(struct maker *m, const struct ref_component *c, const struct identity *id)
{
	struct arena *a = &m->ref->arena;
	struct ref_template *t = add_template(m, REF_LEFT_OUT, c->name);

	if (!t)
		return no_memory(m);
	t->component = c;
	t->identity = (struct identity){ arena_str(a, id->api_version), arena_str(a, id->kind),
					 arena_str(a, id->namespace), arena_str(a, id->name) };
	if (!t->identity.api_version.p || !t->identity.kind.p || !t->identity.namespace.p || !t->identity.name.p)
		return no_memory(m);
	identity_text(&t->identity, &m->hashed);
	buf_add_cstr(&m->hashed, " is a hook\n");
	return 0;
}

static int add_hooks(struct maker *m, const struct ref_component *c)
{
	int r = 0;

	for (size_t i = 0; i < m->set->hooks.n && r == 0; i++) {
		const struct identity *id = &m->set->hooks.p[i].id;

		if (has_kind(c, &(struct manifest_kind){ id->api_version, id->kind }))
			r = add_hook(m, c, id);
	}
	return r;
}

static void hash_selector(struct maker *m)
{
	for (size_t i = 0; i < m->o->orphans->labels.n; i++) {
		const struct label_requirement *l = &m->o->orphans->labels.requirements[i];

		buf_printf(&m->hashed, "label %.*s %d", STR_ARG(l->key), (int)l->op);
		for (size_t k = 0; k < l->n_values; k++)
			buf_printf(&m->hashed, " '%.*s'", STR_ARG(l->values[k]));
		buf_add_byte(&m->hashed, '\n');
	}
}

static int add_orphans(struct maker *m)
{
	size_t n = m->o->n_orphan_kinds ? m->o->n_orphan_kinds : m->set->list.n;
	struct ref_template **templates = arena_array(&m->ref->arena, n, sizeof(struct ref_template *));
	struct ref_component *c = &m->components[m->n_components];
	int r = 0;

	if (!m->o->orphans)
		return 0;
	m->orphans = copy_choice(m->o->orphans, &m->ref->arena);
	if (!templates || !m->orphans)
		return no_memory(m);
	hash_selector(m);
	m->n_components++;
	*c = (struct ref_component){
		.name = ORPHANS, .description = STR(""), .group = REF_NONE_OF, .templates = templates
	};
	for (size_t i = 0; i < n && r == 0; i++) {
		const struct identity *id = &m->set->list.p[i].id;
		struct manifest_kind k = { id->api_version, id->kind };

		r = add_orphan_kind(m, c, templates, m->o->n_orphan_kinds ? &m->o->orphan_kinds[i] : &k);
	}
	return r < 0 ? r : add_hooks(m, c);
}

/* ---- the whole ---- */

/* The bytes that the listings need, so that nothing of the last block is wasted. */
static size_t bytes_of(const struct manifest_set *set)
{
	size_t each = sizeof(struct ref_template) + sizeof(struct ref_component) + 3 * sizeof(struct ref_template *);
	size_t bytes = 0;

	for (size_t i = 0; i < set->list.n; i++)
		bytes += each + set->list.p[i].document->file.n + val_copy_bytes(set->list.p[i].object);
	return bytes;
}

static int make(struct maker *m)
{
	size_t n_kinds = m->o->n_orphan_kinds ? m->o->n_orphan_kinds : m->set->list.n;
	size_t n = m->set->list.n + n_kinds + m->set->hooks.n;
	struct arena *a = &m->ref->arena;
	struct ref_part *part = arena_array(a, 1, sizeof(*part));
	int r;

	m->components = arena_array(a, m->set->list.n + 1, sizeof(*m->components));
	m->ref->templates = arena_array(a, n, sizeof(struct ref_template *));
	if (!part || !m->components || !m->ref->templates)
		return no_memory(m);
	if (m->o->additions == MANIFEST_IGNORE)
		buf_add_cstr(&m->hashed, "additions are ignored\n");
	r = manifest_no_text(m->ref, &m->no_text, m->err);
	if (r == 0)
		r = add_components(m);
	if (r == 0)
		r = add_orphans(m);
	*part = (struct ref_part){ .name = m->ref->name,
				   .description = STR(""),
				   .components = m->components,
				   .n_components = m->n_components };
	m->ref->parts = part;
	m->ref->n_parts = 1;
	return r == 0 ? buf_error(&m->hashed, "text of the manifests", m->err) : r;
}

int manifest_reference_make(const struct manifest_set *set, const struct crd_table *definitions,
			    const struct manifest_reference_options *o, struct reference **ret, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *ref = reference_new(o->limits, o->name, bytes_of(set));
	struct maker m = { .set = set,
			   .definitions = definitions,
			   .o = o,
			   .ref = ref,
			   .hashed = BUF_INIT(o->limits->arena_bytes),
			   .err = err };
	int r;

	if (!ref)
		return err_nomem(err);
	ASSERT(!problems_any(&set->mistakes));
	ref->version = 2;
	ref->manifests = true;
	ref->additions = o->additions == MANIFEST_DRIFT;
	ref->n_hooks = set->n_hooks;
	ref->n_unnamed = set->n_unnamed;
	r = make(&m);
	if (r == 0)
		r = reference_hash(ref, buf_str(&m.hashed), err);
	buf_done(&m.hashed);
	if (r == 0)
		*ret = TAKE(ref);
	return r;
}
