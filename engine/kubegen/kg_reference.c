/* Makes a reference from a bundle. */
#include "kubegen/kg_reference.h"

#include "text/template_escape.h"
#include "value/identity.h"
#include "value/json.h"
#include "value/yaml.h"

#include <errno.h>

#define METADATA_MAX (64u << 20)
#define TEMPLATE_MAX (64u << 20)
#define REFERENCE_MAX (512u << 20) /* the most bytes of the whole reference */

struct maker {
	struct kg_reference *r;
	struct buf metadata; /* the metadata as YAML; names are quoted as JSON */
	struct buf text;
	struct err *err;
};

/* Whether a name may be in the name of a template, where a glob or a path would mean something else. */
static bool is_safe(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if ((unsigned char)name.p[i] < ' ' || strchr("/\\*?[]", name.p[i]))
			return false;
	}
	return !str_eq(name, STR(".")) && !str_eq(name, STR(".."));
}

static int add_file(struct maker *m, str path, str text)
{
	struct kg_reference *r = m->r;

	if (!path.p || !text.p)
		return arena_error(&r->arena, m->err);
	if (strmap_has(&r->index, path))
		return err_set(m->err, EINVAL, "two objects are called '%.*s'", STR_ARG(path));
	if (!vec_push(&r->files, (struct kg_reference_file){ path, text }) ||
	    !strmap_put(&r->index, path, (void *)r->files.n, NULL))
		return err_nomem(m->err);
	return 0;
}

/* ---- names ---- */

static str short_name(struct maker *m, struct identity id)
{
	return arena_printf(&m->r->arena, "%.*s-%.*s", STR_ARG(id.kind), STR_ARG(id.name));
}

/* Note in @shared the short names that more than one object of @items has. */
static int find_shared(struct maker *m, val items, struct strmap *shared)
{
	CLEANUP(strmap_done) struct strmap seen = { 0 };

	for (uint32_t i = 0; i < items.n; i++) {
		struct identity id = identity_of(items.items[i]);
		str name = short_name(m, id);

		if (id.name.n == 0)
			return err_set(m->err, EINVAL, "a %.*s without metadata.name cannot be in a reference",
				       STR_ARG(id.kind));
		if (!is_safe(id.kind) || !is_safe(id.namespace) || !is_safe(id.name))
			return err_set(m->err, EINVAL, "%.*s '%.*s' has a name that cannot be that of a template",
				       STR_ARG(id.kind), STR_ARG(id.name));
		if (!name.p || !strmap_put(strmap_has(&seen, name) ? shared : &seen, name, m, NULL))
			return arena_error(&m->r->arena, m->err);
	}
	return 0;
}

/* INSTANCE/MANIFEST#KIND-NAME; objects that would have the same path have their namespace in it. */
static str template_path(struct maker *m, str instance, str manifest, struct identity id, const struct strmap *shared)
{
	struct arena *a = &m->r->arena;
	str name = short_name(m, id);

	if (name.p && id.namespace.n && strmap_has(shared, name))
		name = arena_printf(a, "%.*s-%.*s-%.*s", STR_ARG(id.kind), STR_ARG(id.namespace), STR_ARG(id.name));
	return name.p ? arena_printf(a, "%.*s/%.*s#%.*s", STR_ARG(instance), STR_ARG(manifest), STR_ARG(name)) : name;
}

/* ---- templates ---- */

static int template_text(struct maker *m, val object, str *ret)
{
	CLEANUP(buf_done) struct buf yaml = BUF_INIT(TEMPLATE_MAX);
	int r = yaml_encode(object, &yaml, m->err);

	if (r < 0)
		return r;
	buf_clear(&m->text);
	template_escape(buf_str(&yaml), &m->text);
	r = buf_error(&m->text, "a template", m->err);
	if (r == 0)
		*ret = arena_str(&m->r->arena, buf_str(&m->text));
	return r;
}

static void add_quoted(struct buf *out, const char *what, str value)
{
	buf_add_cstr(out, what);
	json_encode_string(value, JSON_PLAIN, out);
	buf_add_byte(out, '\n');
}

static int add_templates(struct maker *m, str instance, const struct kg_manifest *manifest)
{
	CLEANUP(strmap_done) struct strmap shared = { 0 };
	val items = VAL_GET(manifest->list, "items");
	int r = find_shared(m, items, &shared);

	for (uint32_t i = 0; r == 0 && i < val_count(items); i++) {
		str path = template_path(m, instance, manifest->base, identity_of(items.items[i]), &shared);
		str text = { 0 };

		r = path.p ? template_text(m, items.items[i], &text) : arena_error(&m->r->arena, m->err);
		if (r == 0)
			r = add_file(m, path, text);
		add_quoted(&m->metadata, "    - path: ", path);
	}
	return r;
}

/* ---- instances ---- */

static bool has_objects(const struct kg_module *module)
{
	for (size_t i = 0; i < module->n_manifests; i++) {
		if (val_exists(module->manifests[i].list))
			return true;
	}
	return false;
}

/* Add an instance. Without objects it is no component, because a component has templates. */
static int add_instance(struct maker *m, str name, const struct kg_module *module)
{
	int r = 0;

	if (!is_safe(name) || str_eq(name, STR(KG_REFERENCE_METADATA)))
		return err_set(m->err, EINVAL, "module '%.*s' has a name that cannot be that of a folder",
			       STR_ARG(name));
	if (!has_objects(module))
		return 0;
	add_quoted(&m->metadata, "  - name: ", name);
	buf_add_cstr(&m->metadata, "    allOf:\n");
	for (size_t i = 0; r == 0 && i < module->n_manifests; i++) {
		if (!is_safe(module->manifests[i].base))
			r = err_set(m->err, EINVAL, "manifest '%.*s' has a name that cannot be that of a template",
				    STR_ARG(module->manifests[i].path));
		else if (val_exists(module->manifests[i].list))
			r = add_templates(m, name, &module->manifests[i]);
	}
	return r < 0 ? err_wrap(m->err, "module '%.*s'", STR_ARG(name)) : 0;
}

static int add_instances(struct maker *m, const struct kg_bundle *b, struct kg_module *const *modules)
{
	CLEANUP(strmap_done) struct strmap seen = { 0 };
	int r = 0;

	buf_add_cstr(&m->metadata, "apiVersion: v2\nparts:\n");
	add_quoted(&m->metadata, "- name: ", b->name);
	if (b->description.n)
		add_quoted(&m->metadata, "  description: ", b->description);
	buf_add_cstr(&m->metadata, "  components:\n");
	for (size_t i = 0; r == 0 && i < b->n_modules; i++) {
		str name = b->modules[i].instance.name;

		if (strmap_has(&seen, name))
			return err_set(m->err, EINVAL, "two modules are called '%.*s'", STR_ARG(name));
		r = strmap_put(&seen, name, m, NULL) ? add_instance(m, name, modules[i]) : err_nomem(m->err);
	}
	return r;
}

int kg_reference_make(const struct kg_bundle *b, struct kg_module *const *modules, struct kg_reference *ret,
		      struct err *err)
{
	struct maker m = { .r = ret, .metadata = BUF_INIT(METADATA_MAX), .text = BUF_INIT(TEMPLATE_MAX), .err = err };
	int r;

	*ret = (struct kg_reference){ 0 };
	arena_init(&ret->arena, 0, REFERENCE_MAX);
	r = add_instances(&m, b, modules);
	if (r == 0)
		r = buf_error(&m.metadata, "the metadata", err);
	if (r == 0)
		r = add_file(&m, STR(KG_REFERENCE_METADATA), arena_str(&ret->arena, buf_str(&m.metadata)));
	buf_done(&m.metadata);
	buf_done(&m.text);
	return r;
}

void kg_reference_done(struct kg_reference *r)
{
	vec_done(&r->files);
	strmap_done(&r->index);
	arena_done(&r->arena);
	*r = (struct kg_reference){ 0 };
}

const struct kg_reference_file *kg_reference_find(const struct kg_reference *r, str path)
{
	size_t n = (size_t)strmap_get(&r->index, path);

	return n ? &r->files.p[n - 1] : NULL;
}
