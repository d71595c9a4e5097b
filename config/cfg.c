/* Reads driftd.yaml with a table of settings, each with its place in the structure, its default and its help. */
#include "config/cfg_internal.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/hash.h"
#include "config/part.h"
#include "config/paths.h"
#include "config/source_program.h"
#include "mask/credentials.h"
#include "rules/event_set.h"
#include "rules/rule_file.h"
#include "text/py_regex.h"

#include <errno.h>
#include <stdio.h>

#define NO_FILE_HINT "; driftd.yaml(5) says what it holds, examples/driftd.yaml is one to begin with, -c names another"

size_t cfg_mistakes(const struct cfg_loader *l)
{
	return l->settings.problems->list.n + l->settings.problems->dropped;
}

void cfg_warn(struct cfg_loader *l, const char *fmt, ...)
{
	char text[1024];
	va_list args;
	str kept;

	va_start(args, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	kept = arena_str(&l->cfg->arena, str_from(text));
	if (!kept.p || !vec_push(&l->warnings, kept))
		l->settings.no_memory = true;
}

/* ---- clusters ---- */

static void set_crd_rules(struct settings *s, void *target, const struct node *n)
{
	bool referenced = str_eq(n->text, STR("referenced"));

	if (!setting_expect(s, n, NODE_SCALAR, "all or referenced"))
		return;
	if (!referenced && !str_eq(n->text, STR("all")))
		node_problem(n, s->problems, "'%.*s' is neither all nor referenced", STR_ARG(n->text));
	*(bool *)target = referenced;
}

/* Keep the references of a cluster as nodes until all references are known. */
static void set_cluster_references(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;

	l->cluster_entries[(struct cfg_cluster *)target - l->clusters].references = n;
}

static const struct setting cluster_settings[] = {
	{ "name", setting_text, offsetof(struct cfg_cluster, name), NULL, "the label kube_cluster; required" },
	{ "kubeconfig", setting_text, offsetof(struct cfg_cluster, kubeconfig), "kubectl's rules",
	  "file with server and credentials, relative to this file" },
	{ "context", setting_text, offsetof(struct cfg_cluster, context), "the current one",
	  "context of the kubeconfig" },
	{ "references", set_cluster_references, 0, "all of them",
	  "names of the references that this cluster should follow" },
	{ "crd_rules", set_crd_rules, offsetof(struct cfg_cluster, crd_rules_referenced), "all",
	  "custom resources that are checked against the rules of their CRDs: all of a watched kind, or referenced: "
	  "only those that references and rules name, so that no others are read" },
};

static void set_clusters(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;
	struct cfg *cfg = target;
	const struct cfg_entries entries = { "cluster", l->clusters, sizeof(*l->clusters), &cfg->n_clusters };

	if (!setting_expect(s, n, NODE_LIST, "a list of clusters"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		size_t before = cfg_mistakes(l);
		struct cfg_cluster *c = cfg_entry_place(l, n, i, &entries);
		struct cfg_cluster_entry *entry;

		if (!c)
			continue;
		entry = &l->cluster_entries[c - l->clusters];
		*c = (struct cfg_cluster){ .where = cfg_where(l, n->items[i]) };
		*entry = (struct cfg_cluster_entry){ 0 };
		settings_read(s, n->items[i], cluster_settings, ARRAY_LEN(cluster_settings), c);
		c->kubeconfig = cfg_resolve_path(l, c->kubeconfig, n->file);
		entry->wrong = cfg_mistakes(l) > before;
	}
}

/* ---- the file ---- */

/* Keep the rule files as nodes until it is known which configuration file has the last word. */
static void set_rule_files(struct settings *s, void *target, const struct node *n)
{
	struct cfg_loader *l = s->ctx;

	(void)target;
	l->rule_files = n;
}

void cfg_refuse_inspection(struct settings *s, void *target, const struct node *n)
{
	(void)target;
	node_problem(n, s->problems, "%s", NOT_BUILT("inspection", "DRIFTD_INSPECTION"));
}

static void refuse_leader(struct settings *s, void *target, const struct node *n)
{
	(void)target;
	node_problem(n, s->problems, "%s", NOT_BUILT("leader election", "DRIFTD_LEADER"));
}

static void set_metrics(struct settings *s, void *target, const struct node *n);
static void set_flapping(struct settings *s, void *target, const struct node *n);

static const struct setting flapping_settings[] = {
	{ "changes", cfg_set_flapping_changes, offsetof(struct cfg, flapping_changes), "5",
	  "so many changes of one finding within the window make it flapping; 0: never" },
	{ "window", cfg_set_flapping_window, offsetof(struct cfg, flapping_window_ns), "10m",
	  "and for how long it must be quiet then" },
};

static const struct setting metrics_settings[] = {
	{ "listen", cfg_set_listen, 0, CFG_LISTEN_DEFAULT, "addresses (host:port) of the HTTP server" },
	{ "telemetry_path", cfg_set_telemetry_path, offsetof(struct cfg, telemetry_path), CFG_TELEMETRY_PATH_DEFAULT,
	  "where Prometheus scrapes" },
	{ "per_object", setting_truth, offsetof(struct cfg, per_object), "false",
	  "a series for each object that drifts, with its name: as many as there may be drifts" },
	{ "per_object_limit", cfg_set_count, offsetof(struct cfg, per_object_limit), "1000",
	  "at most so many of them; the others are counted" },
	{ "by_namespace", setting_truth, offsetof(struct cfg, by_namespace), "false",
	  "findings by type, severity, reference and namespace, so that alerts find the team that a namespace is of" },
	{ "by_namespace_limit", cfg_set_count, offsetof(struct cfg, by_namespace_limit), "1000",
	  "at most so many series of them; the others are folded into (other)" },
	{ "allowed_hosts", cfg_set_hosts, 0, NULL,
	  "names by which browsers reach the pages, besides localhost and addresses; not of the metrics" },
};

static const struct setting top_settings[] = {
	{ "clusters", set_clusters, 0, NULL, "what to watch" },
	{ "references", cfg_set_references, 0, NULL, "what clusters should look like" },
	{ "accepted", cfg_set_accepted, 0, NULL, "deviations that somebody has accepted" },
	{ "event_rules", cfg_set_event_rules, 0, NULL,
	  "sets of rules that say how bad drift is, whose it is, and what is accepted" },
	{ "inspection_rules", HAS_INSPECTION ? cfg_set_inspection : cfg_refuse_inspection,
	  offsetof(struct cfg, inspection), NULL,
	  "how inspection rules run, and those that come with the configuration" },
	{ "auto_discovery", HAS_INSPECTION ? cfg_set_discovery : cfg_refuse_inspection,
	  offsetof(struct cfg, inspection), NULL, "inspection of objects that match no template" },
	{ "watch", cfg_set_watch, 0, NULL, "kinds to watch besides those that references and rules are about" },
	{ "evidence_max_age", cfg_set_evidence, offsetof(struct cfg, evidence_ns), "90s",
	  "how old what proves that a cluster is watched may be; older, it is a gap" },
	{ "metrics", set_metrics, 0, NULL, "the HTTP server for Prometheus" },
	{ "output", cfg_set_output, offsetof(struct cfg, output), "auto",
	  "where events go: auto, journal, text, json" },
	{ "sensitive_fields", cfg_set_sensitive, 0, NULL,
	  "further names of fields whose values are never shown, besides password, token and the like" },
	{ "shown_fields", cfg_set_shown, 0, NULL,
	  "names of fields that sound like password or token and may be shown all the same" },
	{ "validation_rules", set_rule_files, 0, NULL,
	  "files with CEL rules for objects of any kind, folders of them, and patterns such as rules/*.yaml" },
	{ "validation_severity", setting_severity, offsetof(struct cfg, validation_severity), "warning",
	  "of a failed validation rule: those of a CRD, and of a rule file where it gives none" },
	{ "sources_dir", cfg_set_state_dir, offsetof(struct cfg, sources_dir),
	  "$DRIFTD_SOURCES_DIR, else " SOURCES_DIR_DEFAULT,
	  "folder in which driftd-fetch keeps what it fetched of published references, an absolute path" },
	{ "state_dir", cfg_set_state_dir, offsetof(struct cfg, state_dir), "$STATE_DIRECTORY",
	  "folder for the state kept across restarts, an absolute path" },
	{ "control_socket", cfg_set_control_socket, offsetof(struct cfg, control_socket),
	  "$RUNTIME_DIRECTORY/driftd.sock",
	  "socket through which commands reach the daemon, an absolute path; empty: none" },
	{ "flapping", set_flapping, 0, NULL, "what comes and goes all the time" },
	{ "leader_election", HAS_LEADER ? cfg_set_leader : refuse_leader, offsetof(struct cfg, leader), NULL,
	  "several hosts watch the same clusters, and one of them reports, by a lease in etcd; read at the start "
	  "only" },
	{ "alertmanager", cfg_set_alertmanager, offsetof(struct cfg, alertmanager), NULL,
	  "Alertmanagers to which open findings are posted as alerts" },
	{ "history_days", cfg_set_count, offsetof(struct cfg, history_days), "90",
	  "how long the history of findings is kept" },
	{ "history_megabytes", cfg_set_count, offsetof(struct cfg, history_megabytes), "200",
	  "how large the database with it may become; the oldest goes first" },
};

static void set_metrics(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, metrics_settings, ARRAY_LEN(metrics_settings), target);
}

static void set_flapping(struct settings *s, void *target, const struct node *n)
{
	settings_read(s, n, flapping_settings, ARRAY_LEN(flapping_settings), target);
}

void cfg_print_settings(struct buf *out)
{
	settings_print(out, "driftd.yaml, and each *.yaml of conf.d beside it:", top_settings, ARRAY_LEN(top_settings));
	settings_print(out, "an entry of clusters:", cluster_settings, ARRAY_LEN(cluster_settings));
	cfg_print_reference_settings(out);
	cfg_print_event_rules_settings(out);
	cfg_print_accepted_settings(out);
	if (HAS_INSPECTION)
		cfg_print_inspection_settings(out);
	cfg_print_watch_settings(out);
	settings_print(out, "metrics:", metrics_settings, ARRAY_LEN(metrics_settings));
	settings_print(out, "flapping:", flapping_settings, ARRAY_LEN(flapping_settings));
	cfg_print_leader_settings(out);
	cfg_print_alertmanager_settings(out);
	rule_file_print_settings(out);
	event_set_print_settings(out);
	if (HAS_INSPECTION)
		cfg_print_builtin_settings(out);
}

/* ---- resolving what entries name ---- */

static void resolve_cluster(struct cfg_loader *l, struct cfg_cluster *c, const struct node *names)
{
	struct cfg *cfg = l->cfg;
	size_t n = names ? node_count(names) : cfg->n_references;
	const struct cfg_reference **refs = arena_array(&cfg->arena, n, sizeof(*refs));
	const struct cfg_entries all = cfg_reference_entries(l);

	l->settings.no_memory |= !refs;
	for (size_t i = 0; refs && i < n; i++) {
		const struct cfg_reference *r =
			names ? cfg_entry_named(l, node_item(names, i), &all, "cluster", c->name) : &cfg->references[i];

		if (r)
			refs[c->n_references++] = r;
	}
	if (n == 0 && !l->rule_files && cfg->n_watch == 0)
		problems_add(l->settings.problems, "%.*s: cluster '%.*s' has no reference to follow%s",
			     STR_ARG(c->where), STR_ARG(c->name),
			     cfg->n_references
				     ? ""
				     : "; to begin with, references: [" CFG_HELM_ENTRY
				       "] holds releases of Helm against what was deployed (driftd.yaml(5) and "
				       "the guide five-lines.md say more)");
	c->references = refs;
}

/* Whether the file is loaded already: files that several patterns match count once. */
static bool is_loaded(const struct cfg *cfg, const char *path)
{
	for (size_t i = 0; i < cfg->n_rule_files; i++) {
		if (strcmp(cfg->rule_files[i]->path, path) == 0)
			return true;
	}
	return false;
}

static int load_rule_file(void *ctx, const char *path, struct err *err)
{
	struct cfg_loader *l = ctx;
	struct cfg *cfg = l->cfg;
	/* The copy lives as long as the messages of the file. */
	str copy = arena_str(&cfg->arena, str_from(path));
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r;

	if (!copy.p)
		return err_nomem(err);
	if (is_loaded(cfg, copy.p))
		return 0;
	if (l->n_rule_paths++ >= CFG_ENTRIES_MAX)
		return err_set(err, E2BIG, "more than %d rule files", CFG_ENTRIES_MAX);
	r = cfg_read_named(l->rule_files_where, copy.p, l->limits, &text, &n, l->settings.problems, err);
	if (r == 0)
		r = rule_file_parse((str){ text, n }, copy.p, l->limits, l->keys, &l->rule_file_list[cfg->n_rule_files],
				    l->settings.problems, err);
	cfg->n_rule_files += r == 0;
	return r == -ENOMEM ? r : 0; /* mistakes in one file do not hide those in others */
}

static void load_rule_files(struct cfg_loader *l)
{
	struct cfg *cfg = l->cfg;
	size_t n_paths = l->rule_files ? node_count(l->rule_files) : 0;

	l->rule_file_list = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(struct rule_file *));
	l->settings.no_memory |= !l->rule_file_list;
	cfg->rule_files = l->rule_file_list;
	for (size_t i = 0; l->rule_file_list && i < n_paths; i++) {
		const struct node *n = node_item(l->rule_files, i);
		CLEANUP(freep) char *path = NULL;
		struct err err;
		int r;

		if (!setting_expect(&l->settings, n, NODE_SCALAR, "a text"))
			continue;
		l->rule_files_where = cfg_where(l, n);
		path = str_dup(cfg_resolve_path(l, n->text, l->rule_files->file));
		r = path ? paths_of_rules(path, load_rule_file, l, &err) : -ENOMEM;
		l->settings.no_memory |= r == -ENOMEM;
		if (r < 0 && r != -ENOMEM)
			node_problem(n, l->settings.problems, "%s", err.msg);
	}
}

/* ---- loading ---- */

/* Report fields that are both shown and sensitive. The two lists may be in different files: the last value of each
 * counts. */
static void check_fields(struct cfg_loader *l)
{
	const struct mask_fields *m = &l->cfg->mask;

	for (size_t i = 0; i < m->n_shown; i++) {
		for (size_t k = 0; k < m->n_sensitive; k++) {
			if (mask_same_name(m->shown[i], m->sensitive[k]))
				node_problem(l->shown_fields, l->settings.problems,
					     "'%.*s' is one of sensitive_fields too", STR_ARG(m->shown[i]));
		}
	}
}

static bool is_url(str s)
{
	return str_find_byte(s, '@') >= 0 && str_find(s, STR("://")) >= 0;
}

bool cfg_may_have_urls(const struct node *n)
{
	bool found = n->kind == NODE_SCALAR && is_url(n->text);

	for (size_t i = 0; i < n->n && !found; i++)
		found = cfg_may_have_urls(n->kind == NODE_MAP ? n->values[i] : n->items[i]);
	return found;
}

/* Register the passwords of URLs as secrets. No setting takes such a URL, but the message about the mistake quotes
 * it. */
static void know_urls(const struct node *n)
{
	if (n->kind == NODE_SCALAR && is_url(n->text))
		credentials_add_url(n->text);
	for (size_t i = 0; i < n->n; i++)
		know_urls(n->kind == NODE_MAP ? n->values[i] : n->items[i]);
}

/* Read the nodes of a file. *ret NULL: it cannot be read, which is reported. */
static int read_nodes(struct cfg_loader *l, const char *file, struct node **ret, bool *urls)
{
	CLEANUP(freep) char *text = NULL;
	uint64_t hash;
	size_t len;
	int r = file_read(file, l->limits->file_bytes, &text, &len, l->err);

	*ret = NULL;
	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		problems_add(l->settings.problems, "%s%s", l->err->msg, r == -ENOENT ? NO_FILE_HINT : "");
		return 0;
	}
	hash = hash_bytes(text, len, hash_seed());
	l->cfg->texts = hash_mix(l->cfg->texts, hash);
	*urls = true;
	*ret = cfg_parsed_root(l->cfg->parsed, file, hash, urls);
	if (*ret)
		return 0;
	r = node_parse((str){ text, len }, file, l->limits, &l->cfg->arena, ret, l->settings.problems, l->err);
	return r == -ENOMEM ? r : 0;
}

static int read_file(struct cfg_loader *l, const char *file)
{
	struct node *root;
	bool urls;
	int r = read_nodes(l, file, &root, &urls);

	if (r < 0 || !root)
		return r;
	if (urls)
		know_urls(root);
	settings_read(&l->settings, root, top_settings, ARRAY_LEN(top_settings), l->cfg);
	return 0;
}

static int set_defaults(struct cfg_loader *l)
{
	static const str listen = { CFG_LISTEN_DEFAULT, sizeof(CFG_LISTEN_DEFAULT) - 1 };
	struct cfg *cfg = l->cfg;

	cfg->listen = &listen;
	cfg->n_listen = 1;
	cfg->telemetry_path = STR(CFG_TELEMETRY_PATH_DEFAULT);
	cfg->per_object_limit = CFG_PER_OBJECT_LIMIT_DEFAULT;
	cfg->by_namespace_limit = CFG_BY_NAMESPACE_LIMIT_DEFAULT;
	cfg->state_dir = str_from(getenv("STATE_DIRECTORY"));
	cfg->sources_dir = str_from(source_store_usual());
	cfg->flapping_changes = 5;
	cfg->flapping_window_ns = 600 * INT64_C(1000000000);
	cfg->history_days = 90;
	cfg->history_megabytes = 200;
	cfg->validation_severity = SEVERITY_WARNING;
	cfg->inspection.severity = SEVERITY_ERROR;
	cfg->inspection.effects_per_minute = CFG_EFFECTS_PER_MINUTE_DEFAULT;
	l->clusters = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->clusters));
	l->cluster_entries = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->cluster_entries));
	l->references = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->references));
	l->reference_entries = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->reference_entries));
	l->event_rules = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->event_rules));
	l->watch = arena_array(&cfg->arena, CFG_ENTRIES_MAX, sizeof(*l->watch));
	cfg->clusters = l->clusters;
	cfg->references = l->references;
	cfg->event_rules = l->event_rules;
	cfg->watch = l->watch;
	return l->clusters && l->cluster_entries && l->references && l->reference_entries && l->event_rules && l->watch
		       ? 0
		       : err_nomem(l->err);
}

static void check_clusters(struct cfg_loader *l, cfg_cluster_check *check)
{
	for (size_t i = 0; i < l->cfg->n_clusters; i++) {
		if (!l->cluster_entries[i].wrong)
			check(&l->clusters[i], l->settings.problems);
	}
}

static int keep_warnings(struct cfg_loader *l)
{
	str *warnings = arena_array(&l->cfg->arena, l->warnings.n, sizeof(*warnings));

	if (!warnings)
		return err_nomem(l->err);
	if (l->warnings.n)
		memcpy(warnings, l->warnings.p, l->warnings.n * sizeof(*warnings));
	l->cfg->warnings = warnings;
	l->cfg->n_warnings = l->warnings.n;
	return 0;
}

/* Hash all files of the configuration, except manifests and published references: a change in those alone takes
 * effect without a reload. */
static void add_contents(struct cfg *cfg)
{
	cfg->content = cfg->texts;
	for (size_t i = 0; i < cfg->n_references; i++) {
		if (!cfg->references[i].manifests.path.n && !cfg->references[i].published.source.kind)
			cfg->content = hash_mix(cfg->content, cfg->references[i].content);
	}
	for (size_t i = 0; i < cfg->n_rule_files; i++)
		cfg->content = hash_mix(cfg->content, cfg->rule_files[i]->content);
	for (size_t i = 0; i < cfg->n_event_rules; i++)
		cfg->content = hash_mix(cfg->content, cfg->event_rules[i].set->content);
}

static int load_all(struct cfg_loader *l, const char *const *files, size_t n, cfg_cluster_check *check)
{
	int r = set_defaults(l);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_file(l, files[i]);
	if (r < 0)
		return r;
	l->cfg->sources_dir = arena_str(&l->cfg->arena, l->cfg->sources_dir);
	l->settings.no_memory |= !l->cfg->sources_dir.p;
	cfg_load_references(l);
	for (size_t i = 0; i < l->cfg->n_clusters; i++)
		resolve_cluster(l, &l->clusters[i], l->cluster_entries[i].references);
	load_rule_files(l);
	cfg_load_event_rules(l);
	cfg_resolve_event_rules(l);
	cfg_check_references(l);
	cfg_keep_accepted(l);
	cfg_check_leader(l);
	cfg_check_alertmanager(l, check != NULL);
	check_fields(l);
	cfg_warn_of_idle(l);
	cfg_part_absent(l);
	if (check && !l->settings.no_memory) {
		check_clusters(l, check);
		if (HAS_INSPECTION)
			cfg_check_builtins(l);
	}
	if (l->settings.no_memory)
		return err_nomem(l->err);
	if (problems_any(l->settings.problems))
		return err_set(l->err, EINVAL, "the configuration has %zu mistakes", cfg_mistakes(l));
	add_contents(l->cfg);
	return keep_warnings(l);
}

/* Read the accepted deviations of a file. Its other settings are for the daemon. */
static int load_accepted(struct cfg_loader *l, const char *path)
{
	struct node *root;
	bool urls;
	int r = read_nodes(l, path, &root, &urls);
	const struct node *accepted = root && root->kind == NODE_MAP ? node_get(root, "accepted") : NULL;

	if (r < 0)
		return r;
	if (root && !accepted)
		node_problem(root, l->settings.problems, "it has no 'accepted'");
	if (accepted)
		cfg_set_accepted(&l->settings, l->cfg, accepted);
	cfg_keep_accepted(l);
	return l->settings.no_memory ? err_nomem(l->err) : 0;
}

int cfg_load_accepted(const char *path, const struct limits *limits, struct key_table *keys, struct cfg **ret,
		      struct problems *problems, struct err *err)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = calloc(1, sizeof(*cfg));
	struct cfg_loader l = { .cfg = cfg, .limits = limits, .keys = keys, .err = err };
	int r;

	if (!cfg)
		return err_nomem(err);
	l.settings = (struct settings){ .arena = &cfg->arena, .problems = problems, .ctx = &l };
	cfg->refs = 1;
	arena_init(&cfg->arena, 0, 0);
	r = load_accepted(&l, path);
	vec_done(&l.accepted);
	strmap_done(&l.accepted_ids);
	vec_done(&l.warnings);
	if (r == 0 && problems_any(problems))
		r = err_set(err, EINVAL, "%s: what it accepts has mistakes", path);
	if (r < 0)
		return r;
	*ret = TAKE(cfg);
	return 0;
}

int cfg_load_cached(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
		    cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg_cache *cache,
		    struct cfg **ret, struct problems *problems, struct err *err)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = calloc(1, sizeof(*cfg));
	struct cfg_loader l = { .cfg = cfg, .limits = limits, .keys = keys, .err = err, .candidate = candidate };
	int r;

	if (!cfg)
		return err_nomem(err);
	l.settings = (struct settings){ .arena = &cfg->arena, .problems = problems, .ctx = &l };
	l.cache = cache;
	if (cache)
		cfg->parsed = TAKE(cache->parsed);
	cfg->refs = 1;
	arena_init(&cfg->arena, 0, 0);
	cfg->path = arena_str(&cfg->arena, str_from(n ? files[0] : ""));
	if (!cfg->path.p)
		return err_nomem(err);
	r = load_all(&l, files, n, check);
	vec_done(&l.accepted);
	strmap_done(&l.accepted_ids);
	vec_done(&l.warnings);
	if (r < 0)
		return r;
	*ret = TAKE(cfg);
	return 0;
}

int cfg_load_checked(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
		     cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg **ret,
		     struct problems *problems, struct err *err)
{
	return cfg_load_cached(files, n, limits, keys, check, candidate, NULL, ret, problems, err);
}

int cfg_load(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys, struct cfg **ret,
	     struct problems *problems, struct err *err)
{
	return cfg_load_checked(files, n, limits, keys, NULL, NULL, ret, problems, err);
}

bool cfg_texts_unchanged(const struct cfg *cfg, const char *const *files, size_t n, const struct limits *limits)
{
	uint64_t texts = 0;

	for (size_t i = 0; i < n; i++) {
		CLEANUP(freep) char *text = NULL;
		struct err err;
		size_t len;

		if (file_read(files[i], limits->file_bytes, &text, &len, &err) < 0)
			return false;
		texts = hash_mix(texts, hash_bytes(text, len, hash_seed()));
	}
	return texts == cfg->texts;
}

struct cfg *cfg_ref(struct cfg *c)
{
	ASSERT(c->refs > 0);
	c->refs++;
	return c;
}

void cfg_unref(struct cfg *c)
{
	if (!c)
		return;
	ASSERT(c->refs > 0);
	if (--c->refs > 0)
		return;
	for (size_t i = 0; i < c->n_references; i++)
		reference_unref(c->references[i].reference);
	for (size_t i = 0; i < c->n_rule_files; i++)
		rule_file_free(c->rule_files[i]);
	for (size_t i = 0; i < c->n_event_rules; i++)
		event_set_free(c->event_rules[i].set);
	py_regex_free(c->inspection.interfaces);
	cfg_parsed_free(c->parsed);
	arena_done(&c->arena);
	free(c);
}

const struct cfg_cluster *cfg_find_cluster(const struct cfg *cfg, str name)
{
	for (size_t i = 0; i < cfg->n_clusters; i++) {
		if (str_eq(cfg->clusters[i].name, name))
			return &cfg->clusters[i];
	}
	return NULL;
}
