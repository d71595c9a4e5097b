/* driftd.yaml: what to watch, against what, and how to report it.
 *
 * A loaded configuration is complete and immutable: every default filled in, every reference loaded and compiled.
 * Loading finds all mistakes, each with file:line:column. Several files are read in order: a later one wins by key,
 * lists of named entries by name, those of kinds by apiVersion and kind. It is reference-counted, because a reload
 * leaves clusters alone that the new one does not change. */
#ifndef CONFIG_CFG_H
#define CONFIG_CFG_H

#include "base/severity.h"
#include "config/kind_name.h"
#include "config/source.h"
#include "config/source_store.h"
#include "manifest/manifest_releases.h"
#include "mask/names.h"
#include "reference/ref.h"
#include "release/helm_release.h"
#include "rules/acceptance.h"
#include "value/identity.h"
#include "value/settings.h"

struct event_set;
struct insp_builtins;
struct rule_file;

enum cfg_output {
	CFG_OUTPUT_AUTO, /* the journal if there is one, otherwise text */
	CFG_OUTPUT_JOURNAL,
	CFG_OUTPUT_TEXT,
	CFG_OUTPUT_JSON,
};

bool cfg_output_parse(str s, enum cfg_output *ret);

/* Manifests, in an entry of "references" (spec/manifests.md, section 1). */
struct cfg_manifests {
	str path; /* a file or a folder, absolute or relative to the working directory; empty: the entry has "path" */
	struct text_list include, exclude; /* patterns of paths below it; without an include: all */
	str namespace;                     /* the namespace of objects that name none */
	bool finds_orphans;
	struct ref_choice orphans;
	struct kind_names orphan_kinds; /* none: those of the manifests */
	uint64_t state;                 /* state of the files before they were read (manifest_files_state) */
};

/* The last-applied configurations, in an entry of "references" (spec/manifests.md, "Manifests that the cluster
 * holds"). */
struct cfg_applied {
	struct kind_names kinds;     /* empty: the entry has "path" or "manifests" */
	struct text_list namespaces; /* patterns; none: all */
	struct ref_choice choice;
};

/* How long a finding must last when the entry has no "for". The object that Helm changes may arrive before the Secret
 * that announces the change, because each has a watch of its own. */
#define CFG_HELM_HOLD_NS (2 * INT64_C(1000000000))

/* Helm's releases, in an entry of "references" (spec/manifests.md, "Manifests that the cluster holds"). */
struct cfg_helm {
	bool given;                  /* false: the entry has one of the others */
	enum helm_driver driver;     /* where it keeps them */
	struct text_list namespaces; /* patterns of the namespaces to look in; none: all */
	struct text_list names;      /* patterns; none: all */
	struct text_list trusted;    /* namespaces whose releases may describe objects of other namespaces */
	struct kind_names kinds;
	const struct manifest_kind *watched; /* what these mean */
	size_t n_watched;
};

/* Where a reference is published, in an entry of "references". Then "path" and "manifests" are paths within the
 * revision. */
struct cfg_published {
	struct source source; /* where the reference is published; SOURCE_NONE: nowhere */
	bool holds;           /* a revision waits to be accepted if more findings would begin than: */
	uint64_t hold_above;
	char id[SOURCE_ID_SIZE]; /* id of the loaded revision; "": none, for this reason: */
	str why_absent;
};

/* A revision to be loaded instead of the one in force. */
struct cfg_candidate {
	str name; /* the name of the reference */
	str id;   /* the id of the revision */
};

struct cfg_component_severity {
	str component;
	enum severity severity;
};

struct cfg_reference {
	str name;
	/* path of metadata.yaml, absolute or relative to the working directory; empty: one of the next three */
	str path;
	struct cfg_manifests manifests;
	struct cfg_applied applied;
	struct cfg_helm helm;
	struct cfg_published published;
	enum manifest_additions additions; /* what additions count as, in all three */
	str where;                         /* file:line:column */
	/* the severity of drift and of unsatisfied components, unless a component has its own */
	enum severity severity;
	int64_t hold_ns; /* a finding that ends sooner is not reported */
	const struct cfg_component_severity *components;
	size_t n_components;
	/* NULL: the reference is published, and no revision of it could be loaded yet */
	struct reference *reference;
	/* hash of all its files (hash_seed), and of everything else that decides verdicts */
	uint64_t content;
	const struct event_set *const *event_sets; /* the event rules for its drift, in their order */
	size_t n_event_sets;
	struct text_list exclude_namespaces, exclude_names; /* patterns: what it is not for */
	/* scope of its objects for inspection rules; {NULL, 0}: none */
	str inspection_scope;
};

/* One of "event_rules". */
struct cfg_event_rules {
	str name;
	str path;
	str where;
	struct event_set *set;
};

/* The settings "inspection_rules", and what "auto_discovery" adds to them. */
struct cfg_inspection {
	str built_in;             /* file with built-in rules, ended by a NUL; empty: none */
	str built_in_where;       /* file:line:column of the setting */
	str default_scope;        /* scope of user rules without one; {NULL, 0}: none */
	unsigned mask_secrets;    /* enum insp_masking */
	const str *call_prefixes; /* beginnings of URLs that rules may call; none: no calls */
	size_t n_call_prefixes;
	bool leaves_calls_out;       /* for a command that ends: api-call does nothing, whatever is allowed */
	str supported_interfaces;    /* {NULL, 0}: any */
	struct py_regex *interfaces; /* supported_interfaces, compiled; NULL: any */
	str discovered_scope;        /* scope of objects without a template; {NULL, 0}: none */
	enum severity severity;      /* the severity of failures of inspections */
	unsigned effects_per_minute; /* quota of each rule: log entries and requests */
};

/* An entry of "watch": a kind that is watched in addition to those of references and rules. */
struct cfg_watch {
	str api_version, kind;
	const str *namespaces;
	size_t n_namespaces; /* 0: all */
	str where;
};

struct cfg_cluster {
	str name; /* label kube_cluster */
	str where;
	str kubeconfig; /* file; empty: kubectl's rules */
	str context;    /* empty: the current one */
	const struct cfg_reference *const *references;
	size_t n_references;
	const struct cfg_reference *const *absent; /* published references of the cluster that are not there yet */
	size_t n_absent;
	bool crd_rules_referenced; /* only those custom resources are watched that references and rules are about */
};

/* Leader election (daemon/leader): which of several hosts reports. Paths are absolute or relative to the working
 * directory. */
struct cfg_leader {
	const str *endpoints; /* URLs of etcd; none: there is only one host */
	size_t n_endpoints;
	str prefix; /* prefix of all keys, without a slash at its end */
	str name;   /* name of this host; empty: its host name */
	int64_t lease_ns;
	str hash_key_file;
	str ca_file, cert_file, key_file; /* PEM; may be empty */
	str user, password_file;          /* both or none */
};

#define CFG_LEADER_PREFIX_DEFAULT "/driftd"

#define CFG_LABEL_NAME_MAX 100

struct cfg_label {
	str name, value;
};

#define CFG_ALERTMANAGERS_MAX 16
#define CFG_ALERTMANAGER_FILE_MAX ((size_t)1 << 20)

/* The Alertmanagers to which open findings are posted (daemon/alertmanager). Paths are absolute or relative to the
 * working directory. */
struct cfg_alertmanager {
	const str *urls; /* without slashes at their ends; none: no Alertmanager */
	size_t n_urls;
	str ca_file, cert_file, key_file; /* PEM; may be empty */
	str server_name;                  /* empty: the URL's host */
	str username, password_file;      /* both or none */
	str bearer_token_file;            /* may be empty */
	const struct cfg_label *labels;   /* further ones, by name */
	size_t n_labels;
	enum severity min_severity;
	bool values;  /* values of fields are in the texts */
	str page_url; /* without a slash at its end; empty: alerts have no links */
};

struct cfg_parsed;

struct cfg {
	unsigned refs;    /* a reference count of one thread */
	str path;         /* the path of the first file */
	uint64_t texts;   /* hash of the files of settings (hash_seed) */
	uint64_t content; /* hash of all files of the configuration, except manifests */
	struct arena arena;
	const str *warnings; /* settings that are valid but probably wrong, each with its place */
	size_t n_warnings;
	const struct cfg_cluster *clusters;
	size_t n_clusters;
	const struct cfg_reference *references;
	size_t n_references;
	const struct cfg_event_rules *event_rules;
	size_t n_event_rules;
	const str *listen; /* host:port; one by default */
	size_t n_listen;
	str telemetry_path;
	bool per_object;             /* export a series for each object that drifts */
	unsigned per_object_limit;   /* at most so many */
	bool by_namespace;           /* export a series for each namespace, reference, type and severity of findings */
	unsigned by_namespace_limit; /* at most so many */
	const str *allowed_hosts;    /* host names by which clients may ask for pages */
	size_t n_allowed_hosts;
	str control_socket; /* an absolute path; empty: no socket; p NULL: not configured */
	enum cfg_output output;
	/* fields that are hidden in addition to the usual ones, and fields that are shown */
	struct mask_fields mask;
	const struct accepted_change *accepted; /* acceptances, with different ids */
	size_t n_accepted;
	struct rule_file *const *rule_files; /* validation_rules, compiled */
	size_t n_rule_files;
	enum severity validation_severity; /* the severity of a failed rule that gives none */
	str sources_dir;                   /* the store of driftd-fetch (config/source_store.h) */
	str state_dir;                     /* empty: nothing is stored over restarts */
	/* changes of a finding within the window that make it flap; 0: findings do not flap */
	unsigned flapping_changes;
	int64_t flapping_window_ns;
	int64_t evidence_ns;                      /* how old the evidence of a watched cluster may be; 0: the default */
	unsigned history_days, history_megabytes; /* limits of the history below state_dir */
	struct cfg_inspection inspection;
	const struct cfg_watch *watch; /* no two of the same kind */
	size_t n_watch;
	struct cfg_leader leader;
	struct cfg_alertmanager alertmanager;
	struct cfg_parsed *parsed; /* has the texts of files that were parsed ahead; NULL: none were */
};

#define CFG_EFFECTS_PER_MINUTE_DEFAULT 600
#define CFG_EVIDENCE_MIN_NS (10 * INT64_C(1000000000))
#define CFG_EVIDENCE_MAX_NS (3600 * INT64_C(1000000000))
#define CFG_FLAPPING_CHANGES_MAX 20
#define CFG_LISTEN_DEFAULT "127.0.0.1:19470"
#define CFG_PER_OBJECT_LIMIT_DEFAULT 1000
#define CFG_BY_NAMESPACE_LIMIT_DEFAULT 1000
#define CFG_TELEMETRY_PATH_DEFAULT "/metrics"

/* Read @files in order, check everything, load the references; one reference in *ret. On failure @problems holds every
 * mistake.
 * Fails: EINVAL (see @problems), ENOMEM. */
CHECKED int cfg_load(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
		     struct cfg **ret, struct problems *problems, struct err *err);

/* Add mistakes to @problems that concern the place of @c. Its references may not be loaded. */
typedef void cfg_cluster_check(const struct cfg_cluster *c, struct problems *problems);

/* cfg_load loads, of a published reference, the revision in force (config/source_choice.h). A reference that has none
 * yet, or whose revision cannot be loaded, is absent: that is a warning, not a mistake. */

/* Does what cfg_load does, and also checks what a start would check, whatever else is wrong, so that all mistakes are
 * found at once: @check is called for each cluster whose entry has no mistake, and the built-in inspection rules are
 * read. With NULL for @check it does what cfg_load does. @candidate, which may be NULL, names a reference and the
 * revision of it to load; a mistake in that revision is a mistake here. */
CHECKED int cfg_load_checked(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
			     cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg **ret,
			     struct problems *problems, struct err *err);
/* Read the file of built-in inspection rules, which cfg_load does not: they are read at the start only. None when no
 * file is configured. Fails as insp_builtins_load does; release *ret with insp_builtins_done after a success. */
CHECKED int cfg_load_builtins(const struct cfg *cfg, const struct limits *limits, struct insp_builtins *ret,
			      struct problems *problems, struct err *err);
/* Add the inspection rules of the file at @path, which @option names (insp_builtins_add).
 * Fails as cfg_load_builtins; then *to is as it was. */
CHECKED int cfg_add_builtins(const char *path, const char *option, const struct limits *limits,
			     struct insp_builtins *to, struct problems *problems, struct err *err);
/* Read only "accepted" of the file of settings at @path, for who has neither clusters nor references: what it names of
 * these is not checked. *ret has nothing else. Fails as cfg_load. */
CHECKED int cfg_load_accepted(const char *path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
			      struct problems *problems, struct err *err);
/* Whether the files of settings still have the texts from which @cfg was read. */
bool cfg_texts_unchanged(const struct cfg *cfg, const char *const *files, size_t n, const struct limits *limits);
void cfg_parsed_free(struct cfg_parsed *x); /* cfg_loaded.h */
struct cfg *cfg_ref(struct cfg *c);
void cfg_unref(struct cfg *c);
DEFINE_CLEANUP(struct cfg *, cfg_unref)

/* The cluster called @name; NULL: none has that name. */
const struct cfg_cluster *cfg_find_cluster(const struct cfg *cfg, str name);

/* A number that differs if @c of @cfg would be watched or judged in another way, as far as the files of the
 * configuration decide: references, rules and sensitive fields count, the content of a kubeconfig and the file of
 * built-in inspection rules do not. Comparable within a process. */
uint64_t cfg_cluster_hash(const struct cfg *cfg, const struct cfg_cluster *c, uint64_t seed);

/* The files that make up the configuration at @path: itself and, when it is called driftd.yaml, the *.yaml of conf.d
 * beside it in lexical order. Strings live in @a, but for @path itself. Fails: ENOMEM; the codes of opendir(3) when
 * there is a conf.d that cannot be listed. */
CHECKED int cfg_files(const char *path, struct arena *a, const char *const **ret, size_t *n, struct err *err);

/* Print every setting with its default and meaning, for the manual and --help. */
void cfg_print_settings(struct buf *out);

/* Why nothing is watched, in words; NULL: something is watched. */
const char *cfg_nothing(const struct cfg *c);
/* Append what could be configured when nothing is watched: a sentence, and lines of YAML with the kubeconfigs that
 * are beside the configuration now. Nothing is appended when something is watched. */
void cfg_add_beginning(const struct cfg *c, struct buf *out);

/* The severity of a finding in @component of @r. */
enum severity cfg_severity(const struct cfg_reference *r, str component);

/* The setting that excludes the object @id from @r; NULL: it is not excluded. Namespaces are those of the objects in
 * them. */
const char *cfg_excluded_by(const struct cfg_reference *r, const struct identity *id);

/* Whether releases in @namespace are watched. */
bool cfg_helm_looks_in(const struct cfg_helm *h, str namespace);
/* The namespaces in which Helm's releases are watched; none: all. */
struct text_list cfg_helm_namespaces(const struct cfg_helm *h);
/* The options for the releases in force of @r, which has helm_releases. */
struct releases_options cfg_helm_options(const struct cfg_reference *r, const struct limits *limits);

/* A reference's files on disk, for reference_load: reads below the folder of @metadata_path. */
struct cfg_ref_dir {
	int fd;           /* the descriptor of the folder */
	uint64_t content; /* hash of the files read so far */
};
CHECKED int cfg_ref_dir_open(struct cfg_ref_dir *d, str metadata_path, str *ret_metadata_name, struct err *err);
void cfg_ref_dir_close(struct cfg_ref_dir *d);
struct ref_source cfg_ref_dir_source(struct cfg_ref_dir *d);

#endif
