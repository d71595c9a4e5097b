/* What the files that read driftd.yaml share. */
#ifndef CONFIG_CFG_INTERNAL_H
#define CONFIG_CFG_INTERNAL_H

#include "config/cfg.h"

#include "config/cfg_loaded.h"
#include "config/source_files.h"

#include "base/strmap.h"
#include "base/vec.h"
#include "value/settings.h"

#define CFG_ENTRIES_MAX 256 /* the most entries of one list */

/* An entry of a cluster, with what only loading needs. */
struct cfg_cluster_entry {
	const struct node *references; /* resolved at the end */
	/* the entry has mistakes, so that its other settings may not be what is meant */
	bool wrong;
};

struct cfg_reference_entry {
	const struct node *event_rules; /* resolved at the end */
};

struct cfg_accepted_entry {
	struct accepted_change is;
	const struct node *at;
};

/* The state of loading. Setters get it as their context. */
struct cfg_loader {
	struct settings settings;
	struct cfg *cfg;
	const struct limits *limits;
	struct key_table *keys;
	struct err *err;
	struct cfg_cluster *clusters;
	struct cfg_cluster_entry *cluster_entries; /* the entries in the order of @clusters */
	struct cfg_reference *references;
	struct cfg_reference_entry *reference_entries; /* the entries in the order of @references */
	struct cfg_event_rules *event_rules;
	struct cfg_watch *watch;
	VEC(struct cfg_accepted_entry) accepted;
	struct strmap accepted_ids;
	VEC(str) warnings;             /* texts in the configuration's arena */
	const struct node *rule_files; /* the last "validation_rules" */
	str rule_files_where;          /* place of the path or pattern that is being read */
	struct rule_file **rule_file_list;
	size_t n_rule_paths;                   /* with mistakes or without */
	const struct node *shown_fields;       /* the last */
	const struct node *leader;             /* the last "leader_election" */
	const struct node *alertmanager;       /* the last "alertmanager" */
	const struct cfg_candidate *candidate; /* may be NULL */
	struct cfg_cache *cache;               /* the cache of loaded revisions; may be NULL */
};

/* A reference that needs nothing but a cluster. */
#define CFG_HELM_ENTRY "{name: helm, helm_releases: {}}"
#define CFG_APPLIED_ENTRY "{name: applied, last_applied: {kinds: [Deployment.apps, ConfigMap, Service]}}"

/* ---- what was parsed ahead (cfg_parsed.c) ---- */

/* The nodes of the file, if @text is the hash of what was parsed of it; NULL: there are none. *urls: some of them may
 * be URLs with passwords. @x may be NULL, as in the next. */
struct node *cfg_parsed_root(const struct cfg_parsed *x, const char *path, uint64_t text, bool *urls);
/* The item @i of @list, which is "accepted" of a file; NULL: it was not read ahead, or has a mistake. */
const struct accepted_change *cfg_parsed_accepted(const struct cfg_parsed *x, const struct node *list, size_t i);
/* Whether a text of @n, or below it, may be a URL with a password (cfg.c). */
bool cfg_may_have_urls(const struct node *n);
/* Read an item of "accepted" in any thread, with texts in @a (cfg_accepted.c). False: it has a mistake, which is to be
 * found again, or there is no memory. */
bool cfg_accepted_ahead(const struct node *n, struct arena *a, struct accepted_change *ret);

/* How many there are so far. */
size_t cfg_mistakes(const struct cfg_loader *l);

/* Add a warning: a setting is valid but probably wrong. */
void cfg_warn(struct cfg_loader *l, const char *fmt, ...) PRINTF(2, 3);

/* Warn of acceptances and event rules that apply to nothing (cfg_idle.c). Called after everything else. */
void cfg_warn_of_idle(struct cfg_loader *l);

/* ---- parts that the build left out (cfg.c) ---- */

setting_fn cfg_refuse_inspection;

/* ---- single values (cfg_values.c) ---- */

/* each sets a field of its type */
setting_fn cfg_set_output, cfg_set_state_dir, cfg_set_control_socket, cfg_set_telemetry_path;
setting_fn cfg_set_path;  /* for a str: a path that is relative to the file which contains it */
setting_fn cfg_set_count; /* sets an unsigned */
setting_fn cfg_set_hold, cfg_set_flapping_window, cfg_set_evidence; /* each sets nanoseconds */
setting_fn cfg_set_flapping_changes;
setting_fn cfg_set_sensitive, cfg_set_shown, cfg_set_listen, cfg_set_hosts; /* each sets fields of a struct cfg */

/* ---- lists of named entries (cfg_entries.c): a later file's entry replaces the one of the same name ---- */

struct cfg_entries {
	const char *noun;
	void *p;     /* room for CFG_ENTRIES_MAX entries, each beginning with its name */
	size_t size; /* the size of one entry */
	size_t *n;
};

/* The place for item @i of @list. It contains the settings of an earlier entry with the same name. NULL: the item is
 * no entry, or one too many, which is reported. */
void *cfg_entry_place(struct cfg_loader *l, const struct node *list, size_t i, const struct cfg_entries *entries);
/* The entry that @n names. NULL: there is none, which is reported for the @noun called @whose. */
void *cfg_entry_named(struct cfg_loader *l, const struct node *n, const struct cfg_entries *entries, const char *noun,
		      str whose);

/* The path that @file means by @path, in the configuration's arena or borrowed. */
str cfg_resolve_path(struct cfg_loader *l, str path, const char *file);
/* Report that the path of the @noun called @name at @n is a pattern, although one file is meant. False: it is no
 * pattern. */
bool cfg_refuse_pattern(struct cfg_loader *l, const struct node *n, const char *noun, str name, str path);
/* Read the file at @path, to be freed with free(). A file that cannot be read is a mistake of the setting at @where,
 * which names it. Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int cfg_read_named(str where, const char *path, const struct limits *limits, char **ret, size_t *len,
			   struct problems *problems, struct err *err);
/* "file:line:column" of @n. */
str cfg_where(struct cfg_loader *l, const struct node *n);

/* ---- references (cfg_references.c) ---- */

setting_fn cfg_set_references;
struct cfg_entries cfg_reference_entries(struct cfg_loader *l);
void cfg_load_references(struct cfg_loader *l);
/* Load the templates of @source, whose metadata.yaml is at @o->metadata_path. Mistakes go to the problems, with
 * files below @folder, otherwise to @found. */
void cfg_load_templates(struct cfg_loader *l, const struct ref_source *source, struct ref_options *o,
			struct cfg_reference *r, str folder, struct problems *found);
/* Reports names in references that do not exist. */
void cfg_check_references(struct cfg_loader *l);
void cfg_print_reference_settings(struct buf *out);

/* ---- references that are published (cfg_source.c says where, cfg_published.c which revision, cfg_loaded.c loads it)
 * ---- */

setting_fn cfg_set_source; /* sets fields of a struct cfg_reference */
/* Reports settings of @entry that contradict each other. */
void cfg_check_source(struct cfg_loader *l, const struct node *entry, struct cfg_reference *r);
/* Loads the revision in force of a published reference, or the candidate. Mistakes of a candidate go to @found; a
 * revision that is no candidate makes no mistakes, but the reference may be absent. */
void cfg_load_published(struct cfg_loader *l, struct cfg_reference *r, struct problems *found);
/* Load the revision that r->published names, or take it from the cache. Mistakes go to @placed if they have a place
 * in its files, otherwise to @others; then there may be no reference. */
void cfg_load_revision(struct cfg_loader *l, struct cfg_reference *r, struct problems *placed, struct problems *others);
/* Separate the absent references of clusters from the others. */
void cfg_part_absent(struct cfg_loader *l);
void cfg_print_source_settings(struct buf *out);

/* ---- manifests as references (cfg_manifests.c) ---- */

setting_fn cfg_set_orphans; /* sets fields of a struct cfg_reference */
/* Reports settings of @entry that contradict each other, and finds the path of @r. */
void cfg_check_manifests(struct cfg_loader *l, const struct node *entry, struct cfg_reference *r);
/* Load manifests. Mistakes go to the problems, with their places, and then there may be no reference. Fails: as
 * reading files; E2BIG; ENOMEM. */
CHECKED int cfg_load_manifests(struct cfg_loader *l, struct cfg_reference *r, struct err *err);
/* Makes the reference of the fetched files @from; otherwise as cfg_load_manifests. */
CHECKED int cfg_take_manifests(struct cfg_loader *l, struct cfg_reference *r, const struct source_files *from,
			       struct err *err);
void cfg_print_manifest_settings(struct buf *out);

/* ---- what was applied last as a reference (cfg_applied.c) ---- */

setting_fn cfg_set_applied; /* sets fields of a struct cfg_applied */
/* Make the reference of last-applied configurations. Mistakes go to the problems, and then there may be no
 * reference. Fails: EIO, ENOMEM. */
CHECKED int cfg_make_applied(struct cfg_loader *l, struct cfg_reference *r, struct err *err);
void cfg_print_applied_settings(struct buf *out);

/* ---- Helm's releases as a reference (cfg_helm.c) ---- */

setting_fn cfg_set_helm; /* sets fields of a struct cfg_helm */
/* Make the reference that says what is watched, and that is in force as long as no release is known. Mistakes go to
 * the problems, and then there may be no reference. Fails: E2BIG, EIO, ENOMEM. */
CHECKED int cfg_make_helm(struct cfg_loader *l, struct cfg_reference *r, struct err *err);
void cfg_print_helm_settings(struct buf *out);

/* ---- sets of event rules (cfg_event_rules.c) ---- */

setting_fn cfg_set_event_rules;
void cfg_load_event_rules(struct cfg_loader *l);
/* Gives references the sets that they name, and reports unknown names, and sets that no reference names. */
void cfg_resolve_event_rules(struct cfg_loader *l);
void cfg_print_event_rules_settings(struct buf *out);

/* ---- inspection rules (cfg_inspection.c) ---- */

setting_fn cfg_set_inspection, cfg_set_discovery; /* each sets fields of a struct cfg_inspection */
setting_fn cfg_set_scope;                         /* sets a str */
/* Reports mistakes in the built-in rules. */
void cfg_check_builtins(struct cfg_loader *l);
void cfg_print_inspection_settings(struct buf *out);
void cfg_print_builtin_settings(struct buf *out);

/* ---- kinds that are watched besides (cfg_watch.c) ---- */

setting_fn cfg_set_watch;
void cfg_print_watch_settings(struct buf *out);

/* ---- leader election (cfg_leader.c) ---- */

setting_fn cfg_set_leader;
/* Reports missing settings of leader_election. */
void cfg_check_leader(struct cfg_loader *l);
void cfg_print_leader_settings(struct buf *out);

/* ---- alerts (cfg_alertmanager.c) ---- */

setting_fn cfg_set_alertmanager;
/* Reports missing settings of alertmanager, and settings that contradict each other; with @files also files that cannot
 * be read. */
void cfg_check_alertmanager(struct cfg_loader *l, bool files);
void cfg_print_alertmanager_settings(struct buf *out);

/* ---- accepted deviations (cfg_accepted.c) ---- */

setting_fn cfg_set_accepted;
/* Stores the acceptances that were read in the configuration, and reports unknown clusters and references. */
void cfg_keep_accepted(struct cfg_loader *l);
void cfg_print_accepted_settings(struct buf *out);

#endif
