/* Makes lists of objects from the manifests of a folder. */
#include "kubegen/kg_module.h"

#include "kubegen/kg_declare.h"
#include "kubegen/kg_file.h"
#include "kubegen/kg_internal.h"
#include "kubegen/kg_objects.h"

#include <errno.h>

#define MANIFEST_KIND "kubegen.k8s.io/Module.v1alpha2"
#define MANIFESTS_MAX 10000

/* The lists of shorthand objects, in the order of their objects in the output. */
static const struct kg_kind *const kinds[] = {
	&kg_deployment, &kg_replica_set, &kg_daemon_set, &kg_stateful_set, &kg_config_map, &kg_secret, &kg_service,
};

static const struct kg_field manifest_fields[] = {
	{ "Kind", KG_TEXT, true },        { "Namespace", KG_TEXT, true },  { "Deployments", KG_MAPS, true },
	{ "ReplicaSets", KG_MAPS, true }, { "DaemonSets", KG_MAPS, true }, { "StatefulSets", KG_MAPS, true },
	{ "ConfigMaps", KG_MAPS, true },  { "Secrets", KG_MAPS, true },    { "Services", KG_MAPS, true },
	{ "Resources", KG_MAPS, true },
};
static const struct kg_shape manifest_shape = { manifest_fields, ARRAY_LEN(manifest_fields), NULL };

/* A manifest while it is being read. */
struct source {
	str name; /* the name of the file in the folder */
	val root; /* the document without its declarations */
	const struct kg_place *at;
};

struct loader {
	struct kg_module *m;
	struct kg_eval *e;
	const struct kg_instance *instance;
	const struct kg_place *folder; /* the place of mistakes in the folder as a whole */
	VEC(struct source) sources;
};

/* ---- the files of the folder ---- */

static int add_name(void *ctx, str name, struct err *err)
{
	struct loader *l = ctx;
	struct source s = { .name = arena_str(&l->e->arena, name) };

	if (l->sources.n == MANIFESTS_MAX)
		return err_set(err, E2BIG, "more than %d files", MANIFESTS_MAX);
	return s.name.p && vec_push(&l->sources, s) ? 0 : err_nomem(err);
}

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct source *)a)->name, ((const struct source *)b)->name);
}

static int list_files(struct loader *l)
{
	const struct kg_folder *f = l->e->folder;
	struct err why;
	int r = f->list(f->ctx, add_name, l, &why);

	if (r == -ENOMEM)
		return kg_nomem(l->e);
	if (r < 0)
		return kg_fail(l->folder, -r, l->e->err, "%s", why.msg);
	if (l->sources.n)
		qsort(l->sources.p, l->sources.n, sizeof(*l->sources.p), by_name);
	return 0;
}

static int decode(struct loader *l, struct source *s, bool yaml)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct err why;
	str text;
	int r = kg_file_bytes(l->e, s->name, l->folder, &text);

	if (r < 0)
		return r;
	s->at = kg_place_root(&l->e->arena, kg_path_join(&l->e->arena, l->instance->path, s->name), text);
	if (!s->at || !s->at->in->label.p)
		return kg_nomem(l->e);
	r = kg_document_decode(l->e, text, yaml, &doc, &why);
	if (r < 0 && r != -ENOMEM)
		return kg_fail(s->at, -r, l->e->err, "cannot parse: %s", why.msg);
	if (!doc || !vec_push(&l->m->docs, doc))
		return kg_nomem(l->e);
	s->root = TAKE(doc)->root;
	return 0;
}

static int check_kind(struct loader *l, val root, const struct kg_place *at)
{
	val kind = VAL_GET(root, "Kind");

	if (str_eq(val_str(kind), STR(MANIFEST_KIND)))
		return 0;
	return kg_error(l->e, at, "unrecognised Kind '%.*s', expected " MANIFEST_KIND, STR_ARG(val_str(kind)));
}

/* Remove the declarations: the rest is evaluated when all manifests have been read. */
static int declare(struct loader *l, struct source *s, struct kg_declarations *d)
{
	val kind = VAL_GET(s->root, "Kind");
	int r = 0;

	if (!val_is_map(s->root))
		return kg_error(l->e, s->at, "root of the document must be an object");
	if (val_is_string(kind))
		r = check_kind(l, s->root, s->at);
	if (r == 0)
		r = kg_declare_manifest(d, s->root, s->at);
	if (r < 0)
		return r;
	s->root = val_map_without(&l->e->arena, s->root, STR("Parameters"));
	if (val_exists(s->root))
		s->root = val_map_without(&l->e->arena, s->root, STR("Internals"));
	return val_exists(s->root) ? 0 : kg_nomem(l->e);
}

static int read_source(struct loader *l, struct source *s, struct kg_declarations *d)
{
	bool yaml;
	int r;

	if (!kg_path_is_yaml(s->name, &yaml))
		return kg_error(l->e, l->folder, "'%.*s': unknown file extension '%.*s'", STR_ARG(s->name),
				STR_ARG(kg_path_extension(s->name)));
	r = decode(l, s, yaml);
	return r < 0 ? r : declare(l, s, d);
}

static int read_sources(struct loader *l)
{
	CLEANUP(kg_declarations_done) struct kg_declarations d = { 0 };
	int r = kg_declarations_init(&d, l->e, l->instance);

	if (r == 0)
		r = list_files(l);
	for (size_t i = 0; r == 0 && i < l->sources.n; i++)
		r = read_source(l, &l->sources.p[i], &d);
	return r < 0 ? r : kg_declare_check(&d);
}

/* ---- one manifest ---- */

static void add_objects(struct kg_make *m, const struct kg_kind *kind, val manifest, struct kg_items *to)
{
	val list = kg_get(manifest, kind->list);

	for (uint32_t i = 0; m->r == 0 && i < val_count(list); i++) {
		val from = list.items[i];
		val object = kg_check(m, from, kind->shape) ? kind->make(m, kind, from, manifest) : (val){ 0 };

		if (m->r == 0 && !vec_push(&to->v, object))
			kg_make_nomem(m);
	}
}

static val as_list(struct kg_make *m, const struct kg_items *items)
{
	struct kg_object o = { .m = m };
	val list = val_list(&m->e->arena, items->v.p, items->v.n);

	if (!val_exists(list))
		kg_make_nomem(m);
	kg_put_text(&o, "apiVersion", "v1");
	kg_put_text(&o, "kind", "List");
	kg_put(&o, "items", list);
	return kg_object_val(&o);
}

static int generate_objects(struct loader *l, val manifest, val *ret)
{
	CLEANUP(kg_items_done) struct kg_items items = { 0 };
	struct kg_make m = { .e = l->e, .namespace = val_str(kg_get(manifest, "Namespace")) };
	val resources = kg_get(manifest, "Resources");

	if (m.namespace.n == 0)
		m.namespace = l->instance->namespace;
	(void)kg_check(&m, manifest, &manifest_shape);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		add_objects(&m, kinds[i], manifest, &items);
	for (uint32_t i = 0; m.r == 0 && i < val_count(resources); i++)
		kg_resource(&m, resources.items[i], &items);
	*ret = items.v.n ? as_list(&m, &items) : (val){ 0 };
	strmap_done(&m.ports);
	return m.r;
}

static int generate(struct loader *l, const struct source *s, struct kg_manifest *ret)
{
	val manifest;
	int r = kg_evaluate_document(l->e, s->root, s->at, &manifest);

	*ret = (struct kg_manifest){
		.base = str_sub(s->name, 0, s->name.n - kg_path_extension(s->name).n),
		.path = s->at->in->label,
	};
	if (r < 0 || !val_exists(manifest))
		return r;
	r = check_kind(l, manifest, s->at);
	return r < 0 ? r : generate_objects(l, manifest, &ret->list);
}

/* Refuse two manifests that differ only in their extension, because they would be written to one file. */
static int check_bases(struct loader *l)
{
	CLEANUP(strmap_done) struct strmap seen = { 0 };

	for (size_t i = 0; i < l->m->n_manifests; i++) {
		str base = l->m->manifests[i].base;

		if (strmap_has(&seen, base))
			return kg_error(l->e, l->folder, "ambiguous: two manifests are called '%.*s'", STR_ARG(base));
		if (!strmap_put(&seen, base, l, NULL))
			return kg_nomem(l->e);
	}
	return 0;
}

static int load(struct loader *l)
{
	struct kg_module *m = l->m;
	int r;

	l->folder = kg_place_root(&l->e->arena, l->instance->path, STR(""));
	if (!l->folder)
		return kg_nomem(l->e);
	r = read_sources(l);
	if (r < 0)
		return r;
	m->manifests = arena_array(&l->e->arena, l->sources.n, sizeof(*m->manifests));
	if (!m->manifests)
		return kg_nomem(l->e);
	for (; r == 0 && m->n_manifests < l->sources.n; m->n_manifests++)
		r = generate(l, &l->sources.p[m->n_manifests], &m->manifests[m->n_manifests]);
	return r < 0 ? r : check_bases(l);
}

int kg_module_generate(const struct kg_instance *instance, const struct kg_folder *folder, const struct limits *limits,
		       struct key_table *keys, struct kg_module **ret, struct err *err)
{
	CLEANUP(kg_module_freep) struct kg_module *m = calloc(1, sizeof(*m));
	struct loader l = { .m = m, .instance = instance };
	int r;

	if (!m)
		return err_nomem(err);
	l.e = &m->eval;
	kg_eval_init(l.e, folder, instance->path, limits, keys, err);
	r = load(&l);
	vec_done(&l.sources);
	if (r == 0)
		*ret = TAKE(m);
	return r;
}

void kg_module_free(struct kg_module *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->docs.n; i++)
		doc_unref(m->docs.p[i]);
	vec_done(&m->docs);
	kg_eval_done(&m->eval);
	free(m);
}
