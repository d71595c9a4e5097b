/* Reads the entry of a reference that consists of manifests, and the manifests. */
#include "config/cfg_internal.h"

#include "base/hash.h"
#include "config/manifest_files.h"

#include <errno.h>

/* ---- entries ---- */

static void set_labels(struct settings *s, void *target, const struct node *n)
{
	struct cfg_manifests *m = target;

	if (!label_selector_read(n, s->arena, &m->orphans.labels, s->problems))
		s->no_memory = true;
	else if (!m->orphans.labels.n)
		node_problem(n, s->problems, "no label: every object of these kinds would be an orphan");
}

static const struct setting orphan_settings[] = {
	{ "labels", set_labels, 0, NULL, "a label selector, such as app.kubernetes.io/part-of=shop; required" },
	{ "kinds", kind_names_set, offsetof(struct cfg_manifests, orphan_kinds), "those of the manifests",
	  "which kinds of objects are compared, as KIND.GROUP or KIND.VERSION.GROUP" },
};

void cfg_set_orphans(struct settings *s, void *target, const struct node *n)
{
	struct cfg_reference *r = target;

	if (!setting_expect(s, n, NODE_MAP, "a map with labels and kinds"))
		return;
	settings_read(s, n, orphan_settings, ARRAY_LEN(orphan_settings), &r->manifests);
	r->manifests.finds_orphans = true;
	if (!node_get(n, "labels"))
		node_problem(n, s->problems, "orphans without labels: every object of these kinds would be one");
}

void cfg_check_manifests(struct cfg_loader *l, const struct node *entry, struct cfg_reference *r)
{
	static const char *const others[] = { "include", "exclude", "namespace", "orphans" };
	const struct node *manifests = node_get(entry, "manifests");

	for (size_t i = 0; !manifests && i < ARRAY_LEN(others); i++) {
		const struct node *n = node_get(entry, others[i]);

		if (n)
			node_problem(n, l->settings.problems, "%s goes with manifests", others[i]);
	}
	if (r->published.source.kind && manifests && !r->manifests.namespace.n)
		r->manifests.namespace = STR("default");
	if (r->published.source.kind)
		return;
	if (manifests && manifests->kind == NODE_SCALAR && !r->manifests.path.n)
		node_problem(manifests, l->settings.problems, "reference '%.*s' has an empty path of manifests",
			     STR_ARG(r->name));
	if (!r->manifests.path.n)
		return;
	if (!r->manifests.namespace.n)
		r->manifests.namespace = STR("default");
	r->manifests.path = arena_str(&l->cfg->arena, cfg_resolve_path(l, r->manifests.path, entry->file));
	l->settings.no_memory |= !r->manifests.path.p;
	if (cfg_refuse_pattern(l, manifests, "reference", r->name, r->manifests.path))
		r->manifests.path = STR("");
}

void cfg_print_manifest_settings(struct buf *out)
{
	settings_print(out, "orphans, in an entry of references:", orphan_settings, ARRAY_LEN(orphan_settings));
}

/* ---- reading ---- */

struct manifests {
	struct manifest_set set;
	struct crd_table definitions;
};

static void manifests_done(struct manifests *m)
{
	crd_table_done(&m->definitions);
	manifest_set_done(&m->set);
}

/* Report the mistakes in manifests. Return true when there are none. */
static bool report_mistakes(struct cfg_loader *l, const struct cfg_reference *r, struct manifest_set *set)
{
	struct problems *mistakes = &set->mistakes, *warnings = &set->warnings;

	for (size_t i = 0; i < mistakes->list.n; i++)
		problems_add(l->settings.problems, "%s (reference '%.*s')", mistakes->list.p[i], STR_ARG(r->name));
	if (mistakes->dropped)
		problems_add(l->settings.problems, "%.*s: reference '%.*s': %zu more mistakes in its manifests",
			     STR_ARG(r->where), STR_ARG(r->name), mistakes->dropped);
	for (size_t i = 0; i < warnings->list.n; i++)
		cfg_warn(l, "%s (reference '%.*s')", warnings->list.p[i], STR_ARG(r->name));
	problems_done(warnings);
	return !problems_any(mistakes);
}

/* Hash the settings of the entry that affect verdicts besides the files. */
static uint64_t settings_hash(const struct cfg_reference *r)
{
	const struct cfg_manifests *m = &r->manifests;
	uint64_t seed = hash_seed(), h = hash_mix(hash_str(m->namespace, seed), r->additions);

	h = hash_mix(h, m->finds_orphans);
	h = hash_mix(h, label_selector_hash(&m->orphans.labels, seed));
	return hash_mix(h, text_list_hash(m->orphan_kinds.texts, seed));
}

static int make(struct cfg_loader *l, struct cfg_reference *r, struct manifests *m, str folder, struct err *err)
{
	struct manifest_reference_options o = {
		.limits = l->limits, .keys = l->keys, .name = r->name, .folder = folder, .additions = r->additions
	};
	int status = manifest_set_finish(&m->set, &m->definitions, r->manifests.namespace, err);

	if (status < 0 || !report_mistakes(l, r, &m->set))
		return status;
	if (!m->set.list.n)
		return err_set(err, ENOENT, "'%.*s' has no manifest of an object",
			       STR_ARG(r->manifests.path.n ? r->manifests.path : STR(".")));
	o.orphans = r->manifests.finds_orphans ? &r->manifests.orphans : NULL;
	o.orphan_kinds = kind_names_read(&r->manifests.orphan_kinds, &m->set, &l->settings, &o.n_orphan_kinds);
	if (!o.orphan_kinds)
		return err_nomem(err);
	return manifest_reference_make(&m->set, &m->definitions, &o, &r->reference, err);
}

/* Load the manifests from the files on disk, or from @from. */
static int load(struct cfg_loader *l, struct cfg_reference *r, const struct source_files *from, struct err *err)
{
	const struct cfg_manifests *m = &r->manifests;
	CLEANUP(manifests_done) struct manifests read = { 0 };
	struct manifest_files files = { m->path.p, m->include, m->exclude };
	struct manifest_files_read got;
	int status;

	manifest_set_init(&read.set, l->limits, l->keys);
	crd_table_init(&read.definitions);
	status = from ? manifest_files_take(&files, from->list.p, from->list.n, &read.set, &got, err)
		      : manifest_files_read(&files, &read.set, &got, err);
	if (status < 0)
		return status;
	r->content = hash_mix(got.content, settings_hash(r));
	return make(l, r, &read, got.folder, err);
}

int cfg_load_manifests(struct cfg_loader *l, struct cfg_reference *r, struct err *err)
{
	const struct cfg_manifests *m = &r->manifests;
	struct manifest_files files = { m->path.p, m->include, m->exclude };

	r->manifests.state = manifest_files_state(&files);
	return load(l, r, NULL, err);
}

int cfg_take_manifests(struct cfg_loader *l, struct cfg_reference *r, const struct source_files *from, struct err *err)
{
	return load(l, r, from, err);
}
