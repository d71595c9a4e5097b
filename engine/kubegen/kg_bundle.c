/* Reads a bundle of kubegen. */
#include "kubegen/kg_bundle.h"

#include "kubegen/kg_file.h"
#include "kubegen/kg_internal.h"
#include "kubegen/kg_shape.h"

#include <errno.h>

#define BUNDLE_KIND "kubegen.k8s.io/Bundle.v1alpha2"

static const struct kg_field bundle_fields[] = {
	{ "Kind", KG_TEXT, true },        { "Name", KG_TEXT, true },    { "Namespace", KG_TEXT, true },
	{ "Description", KG_TEXT, true }, { "Modules", KG_MAPS, true },
};
static const struct kg_shape bundle_shape = { bundle_fields, ARRAY_LEN(bundle_fields), NULL };

static const struct kg_field module_fields[] = {
	{ "Name", KG_TEXT, true },      { "Namespace", KG_TEXT, true }, { "SourceDir", KG_TEXT, true },
	{ "OutputDir", KG_TEXT, true }, { "Parameters", KG_MAP, true },
};
static const struct kg_shape module_shape = { module_fields, ARRAY_LEN(module_fields), NULL };

static void refuse_macros(struct kg_make *m, val v)
{
	for (uint32_t i = 0; m->r == 0 && i < val_count(v); i++) {
		if (v.kind == VAL_MAP && kg_is_macro(key_str(v.members[i].key)))
			kg_wrong(m, v, v.members[i].key->p, "a bundle holds no macros");
		refuse_macros(m, v.kind == VAL_MAP ? v.members[i].value : v.items[i]);
	}
}

static int read_parameters(struct kg_make *m, val parameters, struct kg_instance *to)
{
	struct arena *a = &m->e->arena;
	struct kg_given *given = arena_array(a, val_count(parameters), sizeof(*given));

	if (!given)
		return kg_nomem(m->e);
	for (uint32_t i = 0; i < val_count(parameters); i++) {
		const struct member *p = &parameters.members[i];

		given[i] = (struct kg_given){ .name = key_str(p->key), .value = p->value };
		given[i].at = kg_place_member(a, kg_place_of(parameters), p->key);
		if (!given[i].at)
			return kg_nomem(m->e);
	}
	to->given = given;
	to->n_given = val_count(parameters);
	return 0;
}

static void read_module(struct kg_make *m, const struct kg_bundle *b, str folder, val from,
			struct kg_bundle_module *ret)
{
	struct kg_instance *i = &ret->instance;

	if (!kg_check(m, from, &module_shape))
		return;
	*ret = (struct kg_bundle_module){ .output_dir = val_str(kg_get(from, "OutputDir")) };
	i->name = kg_get_required(m, from, "Name");
	i->source_dir = kg_get_required(m, from, "SourceDir");
	i->namespace = val_str(kg_get(from, "Namespace"));
	if (i->namespace.n == 0)
		i->namespace = b->namespace;
	if (ret->output_dir.n == 0)
		ret->output_dir = i->name;
	i->path = kg_path_join(&m->e->arena, folder, i->source_dir);
	if (!i->path.p)
		kg_make_nomem(m);
	i->at = kg_place_member(&m->e->arena, kg_place_of(from), key_make(m->e->keys, &m->e->arena, STR("SourceDir")));
	if (!i->at)
		kg_make_nomem(m);
	if (m->r == 0)
		m->r = read_parameters(m, kg_get(from, "Parameters"), i);
}

static int read_bundle(struct kg_bundle *b, val root, str path)
{
	struct kg_make m = { .e = &b->eval };
	val modules = kg_get(root, "Modules");

	if (!str_eq(val_str(VAL_GET(root, "Kind")), STR(BUNDLE_KIND)))
		kg_wrong(&m, root, NULL, "unrecognised Kind '%.*s', expected " BUNDLE_KIND,
			 STR_ARG(val_str(VAL_GET(root, "Kind"))));
	refuse_macros(&m, root);
	if (!kg_check(&m, root, &bundle_shape))
		return m.r;
	b->namespace = val_str(kg_get(root, "Namespace"));
	b->description = val_str(kg_get(root, "Description"));
	b->name = val_str(kg_get(root, "Name"));
	if (b->name.n == 0)
		b->name = str_sub(kg_path_base(path), 0, kg_path_base(path).n - kg_path_extension(path).n);
	b->modules = arena_array(&b->eval.arena, val_count(modules), sizeof(*b->modules));
	if (!b->modules)
		return kg_nomem(&b->eval);
	for (; m.r == 0 && b->n_modules < val_count(modules); b->n_modules++)
		read_module(&m, b, kg_path_dir(path), modules.items[b->n_modules], &b->modules[b->n_modules]);
	return m.r;
}

static int parse(struct kg_bundle *b, str text, str path)
{
	const struct kg_place *at = kg_place_root(&b->eval.arena, path, text);
	struct err why;
	val root;
	bool yaml;
	int r;

	if (!at)
		return kg_nomem(&b->eval);
	if (!kg_path_is_yaml(path, &yaml))
		return kg_error(&b->eval, at, "unknown file extension '%.*s'", STR_ARG(kg_path_extension(path)));
	r = kg_document_decode(&b->eval, text, yaml, &b->doc, &why);
	if (r == -ENOMEM)
		return kg_nomem(&b->eval);
	if (r < 0)
		return kg_fail(at, -r, b->eval.err, "cannot parse: %s", why.msg);
	r = kg_copy(&b->eval, b->doc->root, at, &root);
	if (r < 0)
		return r;
	if (!val_is_map(root))
		return kg_error(&b->eval, at, "root of the document must be an object");
	return read_bundle(b, root, path);
}

int kg_bundle_parse(str text, str path, const struct limits *limits, struct key_table *keys, struct kg_bundle **ret,
		    struct err *err)
{
	CLEANUP(kg_bundle_freep) struct kg_bundle *b = calloc(1, sizeof(*b));
	str own_path, own_text;
	int r;

	if (!b)
		return err_nomem(err);
	kg_eval_init(&b->eval, NULL, STR(""), limits, keys, err);
	own_path = arena_str(&b->eval.arena, path);
	own_text = arena_str(&b->eval.arena, text);
	if (!own_path.p || !own_text.p)
		return err_nomem(err);
	r = parse(b, own_text, own_path);
	if (r == 0)
		*ret = TAKE(b);
	return r;
}

void kg_bundle_free(struct kg_bundle *b)
{
	if (!b)
		return;
	doc_unref(b->doc);
	kg_eval_done(&b->eval);
	free(b);
}
