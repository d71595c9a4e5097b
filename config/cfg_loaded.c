/* Loads one revision of a published reference, and caches the result. */
#include "config/cfg_internal.h"

#include "base/hash.h"
#include "config/cfg_generated.h"
#include "config/part.h"
#include "go/zoneinfo.h"

#include <errno.h>

struct cfg_loaded {
	struct arena arena; /* for the warnings */
	char id[SOURCE_ID_SIZE];
	uint64_t entry;              /* hash of the settings of the entry that affect loading */
	struct reference *reference; /* NULL: the revision cannot be loaded */
	uint64_t content;
	struct problems placed, others; /* problems with and without a place in the revision's files */
	VEC(str) warnings;
	bool no_memory;
};

/* ---- loading ---- */

/* Load a bundle, whose reader takes folders by their paths. */
static int load_bundle(struct cfg_loader *l, struct cfg_reference *r, const struct source_file *metadata,
		       struct cfg_generated *bundle, struct err *err)
{
	CLEANUP(buf_done) struct buf root = BUF_INIT(4096), path = BUF_INIT(8192);
	int status;

	source_store_revision(l->cfg->sources_dir.p, str_from(r->published.id), &root);
	buf_add_cstr(&root, "/files");
	buf_printf(&path, "%s/%.*s", root.p ? root.p : "", STR_ARG(r->path));
	status = buf_error(&path, "the path of a bundle", err);
	if (status == 0 && HAS_KUBEGEN)
		status = cfg_bundle_stays_below(metadata->text, path.p, root.p, l->limits, err);
	return status < 0 ? status : cfg_generate(path.p, l->limits, l->keys, bundle, err);
}

static void load_templates(struct cfg_loader *l, struct cfg_reference *r, const struct source_files *files,
			   struct problems *found)
{
	struct ref_options o = {
		.limits = l->limits, .keys = l->keys, .name = r->name, .zones = &go_zoneinfo, .one_document = true
	};
	CLEANUP(cfg_generated_done) struct cfg_generated bundle = { 0 };
	const struct source_file *metadata = source_files_find(files, r->path);
	size_t folder = (size_t)(str_rfind(r->path, STR("/")) + 1);
	struct source_folder from = { .files = files, .folder = str_sub(r->path, 0, folder) };
	struct ref_source source = source_folder_source(&from);
	struct err err;

	if (!metadata) {
		problems_add(found, "there is no file '%.*s' in the revision", STR_ARG(r->path));
		return;
	}
	if (load_bundle(l, r, metadata, &bundle, &err) < 0) {
		problems_add(found, "%s", err.msg);
		return;
	}
	o.metadata_path = bundle.files.read ? bundle.metadata : str_sub(r->path, folder, r->path.n);
	cfg_load_templates(l, bundle.files.read ? &bundle.files : &source, &o, r, from.folder, found);
	r->content = bundle.files.read ? bundle.content : from.content;
}

static void load_files(struct cfg_loader *l, struct cfg_reference *r, struct problems *found)
{
	CLEANUP(source_files_done) struct source_files files;
	struct err err;
	int e = source_files_read(l->cfg->sources_dir.p, str_from(r->published.id), &files, &err);

	if (e == 0 && r->published.source.wants == SOURCE_WANTS_TEMPLATES)
		load_templates(l, r, &files, found);
	else if (e == 0)
		e = cfg_take_manifests(l, r, &files, &err);
	if (e < 0)
		problems_add(found, "%s", err.msg);
	l->settings.no_memory |= e == -ENOMEM;
}

static uint64_t entry_hash(str sources_dir, const struct cfg_reference *r)
{
	const struct cfg_manifests *m = &r->manifests;
	uint64_t seed = hash_seed(), h = hash_mix(hash_str(sources_dir, seed), hash_str(r->name, seed));

	h = hash_mix(hash_mix(h, r->published.source.wants), hash_str(r->path, seed));
	h = hash_mix(hash_mix(h, hash_str(m->path, seed)), hash_str(m->namespace, seed));
	h = hash_mix(hash_mix(h, text_list_hash(m->include, seed)), text_list_hash(m->exclude, seed));
	h = hash_mix(hash_mix(h, r->additions), m->finds_orphans);
	h = hash_mix(h, label_selector_hash(&m->orphans.labels, seed));
	return hash_mix(h, text_list_hash(m->orphan_kinds.texts, seed));
}

/* Load a revision with a loader of its own, which has only the parts of a configuration that this needs. */
static void load(struct cfg_loaded *x, str sources_dir, const struct cfg_reference *entry, const struct limits *limits,
		 struct key_table *keys)
{
	struct cfg part = { .sources_dir = sources_dir };
	struct cfg_reference r = *entry;
	struct err err;
	struct cfg_loader l = { .cfg = &part, .limits = limits, .keys = keys, .err = &err };

	arena_init(&part.arena, 0, 0);
	l.settings = (struct settings){ .arena = &part.arena, .problems = &x->placed, .ctx = &l };
	r.reference = NULL;
	memcpy(r.published.id, x->id, sizeof(x->id));
	r.manifests.orphan_kinds.at = NULL; /* the name of its file is freed */
	load_files(&l, &r, &x->others);
	for (size_t i = 0; i < l.warnings.n; i++)
		l.settings.no_memory |= !vec_push(&x->warnings, l.warnings.p[i]);
	vec_done(&l.warnings);
	x->arena = part.arena;
	x->reference = r.reference;
	x->content = r.content;
	x->no_memory = l.settings.no_memory;
}

struct cfg_loaded *cfg_loaded_new(str sources_dir, const struct cfg_reference *r, str id, const struct limits *limits,
				  struct key_table *keys)
{
	struct cfg_loaded *x = calloc(1, sizeof(*x));

	if (!x)
		return NULL;
	memcpy(x->id, id.p, id.n < sizeof(x->id) ? id.n : sizeof(x->id) - 1);
	x->entry = entry_hash(sources_dir, r);
	load(x, sources_dir, r, limits, keys);
	return x;
}

void cfg_loaded_free(struct cfg_loaded *x)
{
	if (!x)
		return;
	reference_unref(x->reference);
	problems_done(&x->placed);
	problems_done(&x->others);
	vec_done(&x->warnings);
	arena_done(&x->arena);
	free(x);
}

/* ---- keeping ---- */

bool cfg_cache_take(struct cfg_cache *c, struct cfg_loaded *x)
{
	return vec_push(&c->list, x);
}

static bool has(const struct cfg *cfg, const struct reference *reference)
{
	for (size_t i = 0; cfg && reference && i < cfg->n_references; i++) {
		if (cfg->references[i].reference == reference)
			return true;
	}
	return false;
}

void cfg_cache_keep(struct cfg_cache *c, const struct cfg *cfg)
{
	size_t n = 0;

	for (size_t i = 0; i < c->list.n; i++) {
		if (has(cfg, c->list.p[i]->reference))
			c->list.p[n++] = c->list.p[i];
		else
			cfg_loaded_free(c->list.p[i]);
	}
	c->list.n = n;
}

void cfg_cache_done(struct cfg_cache *c)
{
	cfg_cache_keep(c, NULL);
	cfg_parsed_free(TAKE(c->parsed));
	vec_done(&c->list);
}

static const struct cfg_loaded *find(const struct cfg_cache *c, uint64_t entry, str id)
{
	for (size_t i = c->list.n; i-- > 0;) { /* from the newest result on */
		if (c->list.p[i]->entry == entry && str_eq(str_from(c->list.p[i]->id), id))
			return c->list.p[i];
	}
	return NULL;
}

/* ---- taking it ---- */

static void add_all(struct problems *to, const struct problems *from)
{
	for (size_t i = 0; i < from->list.n; i++)
		problems_add(to, "%s", from->list.p[i]);
	to->dropped += from->dropped;
}

static void take(struct cfg_loader *l, struct cfg_reference *r, const struct cfg_loaded *x, struct problems *placed,
		 struct problems *others)
{
	r->reference = x->reference ? reference_ref(x->reference) : NULL;
	r->content = x->content;
	add_all(others, &x->others);
	add_all(placed, &x->placed);
	for (size_t i = 0; i < x->warnings.n; i++)
		cfg_warn(l, "%.*s", STR_ARG(x->warnings.p[i]));
	l->settings.no_memory |= x->no_memory;
}

void cfg_load_revision(struct cfg_loader *l, struct cfg_reference *r, struct problems *placed, struct problems *others)
{
	str dir = l->cfg->sources_dir, id = str_from(r->published.id);
	const struct cfg_loaded *known = l->cache ? find(l->cache, entry_hash(dir, r), id) : NULL;
	CLEANUP(cfg_loaded_freep) struct cfg_loaded *own = NULL;

	if (!known)
		known = own = cfg_loaded_new(dir, r, id, l->limits, l->keys);
	if (!known) {
		l->settings.no_memory = true;
		return;
	}
	take(l, r, known, placed, others);
	/* A revision that could not be loaded is not cached: it may be there next time. */
	if (own && own->reference && l->cache && cfg_cache_take(l->cache, own))
		own = NULL;
}
