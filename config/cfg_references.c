/* Reads the entries of references, and the files that they name. */
#include "config/cfg_internal.h"

#include "base/pattern.h"
#include "config/cfg_generated.h"
#include "config/part.h"
#include "go/zoneinfo.h"

#include <errno.h>
#include <sys/stat.h>

enum severity cfg_severity(const struct cfg_reference *r, str component)
{
	for (size_t i = 0; i < r->n_components; i++) {
		if (str_eq(r->components[i].component, component))
			return r->components[i].severity;
	}
	return r->severity;
}

const char *cfg_excluded_by(const struct cfg_reference *r, const struct identity *id)
{
	if (pattern_any_matches(r->exclude_names.p, r->exclude_names.n, id->name))
		return "exclude_names";
	if (id->namespace.n && pattern_any_matches(r->exclude_namespaces.p, r->exclude_namespaces.n, id->namespace))
		return "exclude_namespaces";
	return NULL;
}

/* ---- entries ---- */

static void set_components(struct settings *s, void *target, const struct node *n)
{
	struct cfg_reference *r = target;
	struct cfg_component_severity *list;

	if (!setting_expect(s, n, NODE_MAP, "a map from component to severity"))
		return;
	list = arena_array(s->arena, n->n, sizeof(*list));
	s->no_memory |= !list;
	for (size_t i = 0; list && i < n->n; i++) {
		list[i] = (struct cfg_component_severity){ n->keys[i]->text, SEVERITY_WARNING };
		setting_severity(s, &list[i].severity, n->values[i]);
	}
	r->components = list;
	r->n_components = list ? n->n : 0;
}

/* Keep the event rules of a reference as a node until all sets are known. */
static void set_event_rules(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;

	l->reference_entries[(struct cfg_reference *)target - l->references].event_rules = n;
}

static void set_additions(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "a text") && !manifest_additions_parse(n->text, target))
		node_problem(n, s->problems, "'%.*s' is neither drift nor ignore", STR_ARG(n->text));
}

static const struct setting reference_settings[] = {
	{ "name", setting_text, offsetof(struct cfg_reference, name), NULL,
	  "how reports and clusters call it; required" },
	{ "path", setting_text, offsetof(struct cfg_reference, path), NULL,
	  "its metadata.yaml, or a bundle of kubegen, relative to this file; this, manifests, last_applied or "
	  "helm_releases is required" },
	{ "source", cfg_set_source, 0, NULL,
	  "where path or manifests are published, to be fetched and followed by driftd-fetch: a repository of git, an "
	  "image or artifact of OCI, a server over HTTPS" },
	{ "manifests", setting_text, offsetof(struct cfg_reference, manifests.path), NULL,
	  "a file of manifests or a folder with them (*.yaml, *.yml, *.json at any depth), relative to this file; what "
	  "changes there is read when it has been quiet for a second" },
	{ "include", setting_text_list, offsetof(struct cfg_reference, manifests.include), "all of them",
	  "of manifests: patterns of paths below the folder" },
	{ "exclude", setting_text_list, offsetof(struct cfg_reference, manifests.exclude), NULL,
	  "of manifests: patterns of paths that are passed over" },
	{ "namespace", setting_text, offsetof(struct cfg_reference, manifests.namespace), "default",
	  "of manifests: where objects live that name no namespace" },
	{ "last_applied", cfg_set_applied, offsetof(struct cfg_reference, applied), NULL,
	  "objects are compared with what kubectl applied last, from their annotation (kinds, "
	  "namespaces, labels)" },
	{ "helm_releases", cfg_set_helm, offsetof(struct cfg_reference, helm), NULL,
	  "objects are compared with the manifest of the newest deployed revision of each Helm release "
	  "(namespaces, names, kinds, trusted_namespaces); {} is enough" },
	{ "additions", set_additions, offsetof(struct cfg_reference, additions), "drift",
	  "of manifests, last_applied and helm_releases: whether elements of lists that they do not have, such as a "
	  "container, are drift, or ignore" },
	{ "orphans", cfg_set_orphans, 0, NULL,
	  "of manifests: which objects should not be there when no manifest is for them (labels, kinds)" },
	{ "severity", setting_severity, offsetof(struct cfg_reference, severity), "warning",
	  "of its drift: critical, error, warning, notice, info" },
	{ "for", cfg_set_hold, offsetof(struct cfg_reference, hold_ns), "0s; of helm_releases 2s",
	  "how long a finding must last to be reported, such as 30s; what ends sooner is not reported" },
	{ "component_severity", set_components, 0, NULL, "a map from component name to severity, where it differs" },
	{ "event_rules", set_event_rules, 0, NULL,
	  "the set of event rules for its drift, or a list of them in the order in which they are asked" },
	{ "exclude_namespaces", setting_text_list, offsetof(struct cfg_reference, exclude_namespaces), NULL,
	  "patterns such as kube-*: it is not for objects in such a namespace" },
	{ "exclude_names", setting_text_list, offsetof(struct cfg_reference, exclude_names), NULL,
	  "patterns: it is not for objects of such a name" },
	{ "inspection_scope", HAS_INSPECTION ? cfg_set_scope : cfg_refuse_inspection,
	  offsetof(struct cfg_reference, inspection_scope), "none",
	  "of the objects of its templates: which inspection rules run for them" },
};

struct cfg_entries cfg_reference_entries(struct cfg_loader *l)
{
	return (struct cfg_entries){ "reference", l->references, sizeof(*l->references), &l->cfg->n_references };
}

/* Report an entry that has none, or more than one, of path, manifests, last_applied and helm_releases. */
static void check_source(struct cfg_loader *l, const struct node *entry, const struct cfg_reference *r)
{
	static const char *const sources[] = { "path", "manifests", "last_applied", "helm_releases" };
	const char *found = NULL;

	for (size_t i = 0; i < ARRAY_LEN(sources); i++) {
		const struct node *n = node_get(entry, sources[i]);

		if (n && found)
			node_problem(n, l->settings.problems, "reference '%.*s' has both %s and %s", STR_ARG(r->name),
				     found, sources[i]);
		found = n ? sources[i] : found;
	}
	if (node_get(entry, "source"))
		return; /* cfg_check_source checks such an entry and reports its mistakes */
	if (!found || (strcmp(found, "path") == 0 && !r->path.n))
		node_problem(entry, l->settings.problems,
			     "reference '%.*s' has no path, manifests, last_applied or helm_releases",
			     STR_ARG(r->name));
	if (node_get(entry, "additions") && found && strcmp(found, "path") == 0)
		node_problem(node_get(entry, "additions"), l->settings.problems,
			     "additions goes with manifests, last_applied and helm_releases");
}

void cfg_set_references(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;
	const struct cfg_entries entries = cfg_reference_entries(l);

	(void)target;
	if (!setting_expect(s, n, NODE_LIST, "a list of references"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		struct cfg_reference *r = cfg_entry_place(l, n, i, &entries);

		if (!r)
			continue;
		*r = (struct cfg_reference){ .severity = SEVERITY_WARNING };
		l->reference_entries[r - l->references] = (struct cfg_reference_entry){ 0 };
		r->where = cfg_where(l, n->items[i]);
		settings_read(s, n->items[i], reference_settings, ARRAY_LEN(reference_settings), r);
		if (r->helm.given && !node_get(n->items[i], "for"))
			r->hold_ns = CFG_HELM_HOLD_NS;
		check_source(l, n->items[i], r);
		cfg_check_source(l, n->items[i], r);
		cfg_check_manifests(l, n->items[i], r);
		if (r->published.source.kind) /* the paths of a published reference are not on this host */
			continue;
		r->path = cfg_resolve_path(l, r->path, n->file);
		if (cfg_refuse_pattern(l, node_get(n->items[i], "path"), "reference", r->name, r->path))
			r->path = STR("");
	}
}

void cfg_print_reference_settings(struct buf *out)
{
	settings_print(out, "an entry of references:", reference_settings, ARRAY_LEN(reference_settings));
	cfg_print_source_settings(out);
	cfg_print_manifest_settings(out);
	cfg_print_applied_settings(out);
	cfg_print_helm_settings(out);
}

/* ---- loading ---- */

struct placed {
	struct cfg_loader *l;
	const struct cfg_reference *r;
	str folder; /* ends with a slash; may be empty */
	bool reported;
};

/* Append the known part of a place such as "shop/metadata.yaml:7:13". */
static void add_place(const struct placed *p, const struct ref_mistake *m, struct buf *out)
{
	buf_add_str(out, p->folder);
	buf_add_str(out, m->file);
	if (m->line)
		buf_printf(out, ":%zu", m->line);
	if (m->line && m->column)
		buf_printf(out, ":%zu", m->column);
}

static void on_mistake(void *ctx, const struct ref_mistake *m)
{
	struct placed *p = ctx;
	CLEANUP(buf_done) struct buf place = BUF_INIT(1 << 16);
	struct problems *problems = p->l->settings.problems;

	add_place(p, m, &place);
	if (place.error)
		p->l->settings.no_memory = true;
	else if (m->warning)
		cfg_warn(p->l, "%s: reference '%.*s': %s", place.p, STR_ARG(p->r->name), m->text);
	else
		problems_add(problems, "%s: reference '%.*s': %s%s%s", place.p, STR_ARG(p->r->name), m->text,
			     m->hint ? "; " : "", m->hint ? m->hint : "");
	p->reported |= !m->warning;
}

static void load_from(struct cfg_loader *l, const struct ref_source *source, const struct ref_options *o,
		      struct cfg_reference *r, struct problems *found)
{
	struct err err;
	int e = reference_load(source, o, &r->reference, found, &err);

	if (e == -ENOMEM)
		l->settings.no_memory = true;
	else if (e < 0 && !problems_any(found))
		problems_add(found, "%s", err.msg);
}

/* Whether @name is a folder, perhaps given instead of its metadata.yaml. */
static bool is_folder(struct cfg_loader *l, const struct cfg_ref_dir *dir, str name)
{
	CLEANUP(freep) char *path = str_dup(name.n ? name : STR("."));
	struct stat s;

	l->settings.no_memory |= !path;
	return path && fstatat(dir->fd, path, &s, 0) == 0 && S_ISDIR(s.st_mode);
}

void cfg_load_templates(struct cfg_loader *l, const struct ref_source *source, struct ref_options *o,
			struct cfg_reference *r, str folder, struct problems *found)
{
	struct placed placed = { .l = l, .r = r, .folder = folder };

	o->mistake = on_mistake;
	o->ctx = &placed;
	load_from(l, source, o, r, found);
	if (placed.reported) /* the mistake is reported with its place already */
		problems_done(found);
}

static void load_folder(struct cfg_loader *l, struct ref_options *o, struct cfg_reference *r, struct problems *found)
{
	struct cfg_ref_dir dir = { .fd = -1 };
	struct ref_source source = cfg_ref_dir_source(&dir);
	str folder = str_sub(r->path, 0, (size_t)(str_rfind(r->path, STR("/")) + 1));
	struct err err;

	if (cfg_ref_dir_open(&dir, r->path, &o->metadata_path, &err) == -ENOMEM)
		l->settings.no_memory = true;
	else if (dir.fd < 0)
		problems_add(found, "%s", err.msg);
	else if (is_folder(l, &dir, o->metadata_path))
		problems_add(found, "'%.*s' is a folder; a reference is named by the file in it, metadata.yaml",
			     STR_ARG(r->path));
	else
		cfg_load_templates(l, &source, o, r, folder, found);
	r->content = dir.content;
	cfg_ref_dir_close(&dir);
}

static void load(struct cfg_loader *l, struct ref_options *o, struct cfg_reference *r, struct problems *found)
{
	CLEANUP(cfg_generated_done) struct cfg_generated bundle = { 0 };
	CLEANUP(freep) char *path = str_dup(r->path);
	struct err err;
	int e = path ? cfg_generate(path, l->limits, l->keys, &bundle, &err) : err_nomem(&err);

	r->content = bundle.content;
	o->metadata_path = bundle.metadata;
	if (e == -ENOMEM)
		l->settings.no_memory = true;
	else if (e < 0)
		problems_add(found, "%s", err.msg);
	else if (bundle.files.read)
		load_from(l, &bundle.files, o, r, found);
	else
		load_folder(l, o, r, found);
}

static void load_by(int (*read)(struct cfg_loader *l, struct cfg_reference *r, struct err *err), struct cfg_loader *l,
		    struct cfg_reference *r, struct problems *found)
{
	struct err err;
	int e = read(l, r, &err);

	if (e == -ENOMEM)
		l->settings.no_memory = true;
	else if (e < 0)
		problems_add(found, "%s", err.msg);
}

static void load_reference(struct cfg_loader *l, struct cfg_reference *r)
{
	struct ref_options o = {
		.limits = l->limits, .keys = l->keys, .name = r->name, .zones = &go_zoneinfo, .one_document = true
	};
	struct problems found = { 0 };

	if (r->published.source.kind)
		cfg_load_published(l, r, &found);
	else if (r->manifests.path.n)
		load_by(cfg_load_manifests, l, r, &found);
	else if (r->applied.kinds.texts.n)
		load_by(cfg_make_applied, l, r, &found);
	else if (r->helm.given)
		load_by(cfg_make_helm, l, r, &found);
	else if (r->path.n)
		load(l, &o, r, &found);
	for (size_t i = 0; i < found.list.n; i++)
		problems_add(l->settings.problems, "%.*s: reference '%.*s': %s", STR_ARG(r->where), STR_ARG(r->name),
			     found.list.p[i]);
	problems_done(&found);
}

void cfg_load_references(struct cfg_loader *l)
{
	for (size_t i = 0; i < l->cfg->n_references; i++)
		load_reference(l, &l->references[i]);
}

/* ---- what they name ---- */

static bool has_component(const struct reference *r, str name)
{
	for (size_t p = 0; p < r->n_parts; p++) {
		for (size_t c = 0; c < r->parts[p].n_components; c++) {
			if (str_eq(r->parts[p].components[c].name, name))
				return true;
		}
	}
	return false;
}

static bool is_followed(const struct cfg *cfg, const struct cfg_reference *r)
{
	for (size_t i = 0; i < cfg->n_clusters; i++) {
		for (size_t k = 0; k < cfg->clusters[i].n_references; k++) {
			if (cfg->clusters[i].references[k] == r)
				return true;
		}
	}
	return false;
}

/* Report names in selections that match nothing: they are most likely typing errors, and would never have an effect.
 * The names of releases are not known here. */
void cfg_check_references(struct cfg_loader *l)
{
	const struct cfg *cfg = l->cfg;

	for (size_t i = 0; i < cfg->n_references; i++) {
		const struct cfg_reference *r = &cfg->references[i];

		for (size_t c = 0; r->reference && !r->reference->changes && c < r->n_components; c++) {
			if (!has_component(r->reference, r->components[c].component))
				problems_add(l->settings.problems,
					     "%.*s: reference '%.*s' has no component '%.*s' (component_severity)",
					     STR_ARG(r->where), STR_ARG(r->name), STR_ARG(r->components[c].component));
		}
		if (cfg->n_clusters > 0 && !is_followed(cfg, r))
			problems_add(l->settings.problems, "%.*s: reference '%.*s' is followed by no cluster",
				     STR_ARG(r->where), STR_ARG(r->name));
	}
}
