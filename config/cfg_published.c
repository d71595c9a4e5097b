/* Published references: loading what driftd-fetch fetched. */
#include "config/cfg_internal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "config/cfg_generated.h"
#include "config/part.h"
#include "config/source_choice.h"
#include "go/zoneinfo.h"

#include <errno.h>

/* ---- one revision ---- */

/* A bundle reads folders by their paths. */
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

/* Mistakes with a place go to those of the configuration, others to a list of their own: here all are this revision's,
 * and none of the configuration. */
static void load_apart(struct cfg_loader *l, struct cfg_reference *r, struct problems *found)
{
	struct problems *all = l->settings.problems, placed = { 0 };

	l->settings.problems = &placed;
	load_files(l, r, found);
	l->settings.problems = all;
	for (size_t i = 0; i < placed.list.n; i++)
		problems_add(found, "%s", placed.list.p[i]);
	found->dropped += placed.dropped;
	problems_done(&placed);
}

static void name_revision(struct cfg_reference *r, str id)
{
	memcpy(r->published.id, id.p, id.n);
	r->published.id[id.n] = '\0';
}

/* Whether it was loaded; what is wrong with it is in @found, and it is not there else. */
static bool load_revision(struct cfg_loader *l, struct cfg_reference *r, str id, struct problems *found)
{
	name_revision(r, id);
	load_apart(l, r, found);
	if (!problems_any(found) && r->reference)
		return true;
	ASSERT(problems_any(found) || l->settings.no_memory);
	reference_unref(TAKE(r->reference));
	r->published.id[0] = '\0';
	return false;
}

/* ---- which one ---- */

/* Which revision is to be loaded: the one in force. What was fetched comes into force in a daemon that runs, when that
 * is kept. Fails with the reason. */
static int choose(struct cfg_loader *l, const struct cfg_reference *r, char id[SOURCE_ID_SIZE], struct err *err)
{
	CLEANUP(freep) char *state = str_dup(l->cfg->state_dir);
	struct source_choice c = { 0 };
	int e = !state ? err_nomem(err) : *state ? source_choice_load(state, r->name, &c, err) : 0;

	if (e < 0 && e != -ENOENT)
		return e;
	if (*c.in_force) {
		memcpy(id, c.in_force, SOURCE_ID_SIZE);
		return 0;
	}
	e = source_store_find(l->cfg->sources_dir.p, r->name, id, err);
	return e < 0 ? e : err_set(err, EAGAIN, "what was fetched of it is not in force yet");
}

/* Why none is there, in words. */
static void be_absent(struct cfg_loader *l, struct cfg_reference *r, const struct problems *found,
		      const struct err *none)
{
	CLEANUP(freep) char *text = problems_any(found) ? problems_text(found) : str_dup(str_from(none->msg));

	r->published.why_absent = arena_str(&l->cfg->arena, str_from(text ? text : "out of memory"));
	l->settings.no_memory |= !r->published.why_absent.p;
	r->content = hash_str(STR("absent"), hash_seed());
	cfg_warn(l, "%.*s: reference '%.*s' is not there yet: %.*s", STR_ARG(r->where), STR_ARG(r->name),
		 STR_ARG(r->published.why_absent));
}

static void load_choice(struct cfg_loader *l, struct cfg_reference *r)
{
	char id[SOURCE_ID_SIZE];
	struct problems found = { 0 };
	struct err none = { .msg = "" };
	int e = choose(l, r, id, &none);

	l->settings.no_memory |= e == -ENOMEM;
	if (e < 0 || !load_revision(l, r, str_from(id), &found))
		be_absent(l, r, &found, &none);
	problems_done(&found);
}

void cfg_load_published(struct cfg_loader *l, struct cfg_reference *r, struct problems *found)
{
	if (!l->candidate || !str_eq(l->candidate->name, r->name)) {
		load_choice(l, r);
		return;
	}
	name_revision(r, l->candidate->id);
	load_files(l, r, found);
}

void cfg_part_absent(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->cfg->n_clusters; i++) {
		struct cfg_cluster *c = &l->clusters[i];
		const struct cfg_reference **there = arena_array(&l->cfg->arena, c->n_references + 1, sizeof(*there));
		const struct cfg_reference **absent = arena_array(&l->cfg->arena, c->n_references + 1, sizeof(*absent));
		size_t n = c->n_references;

		l->settings.no_memory |= !there || !absent;
		if (l->settings.no_memory)
			return;
		c->n_references = 0;
		for (size_t k = 0; k < n; k++) {
			if (c->references[k]->published.why_absent.p)
				absent[c->n_absent++] = c->references[k];
			else
				there[c->n_references++] = c->references[k];
		}
		c->references = there;
		c->absent = absent;
	}
}
