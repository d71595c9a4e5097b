/* Reading driftd.yaml: a table of settings, each with its place in the structure, its default and its help. */
#include "config/cfg.h"

#include "base/assert.h"
#include "config/cfg_bundle_ref.h"
#include "go/zoneinfo.h"
#include "rules/rule_file.h"
#include "value/node.h"

#include "base/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>

#define COUNT_MAX 1000000

/* What a cluster's entry is besides what it says. */
struct cluster_entry {
	const struct node *references; /* resolved at the end */
	bool wrong;                    /* it has mistakes: what it says may not be what is meant */
};

struct loader {
	struct cfg *cfg;
	const struct limits *limits;
	struct key_table *keys;
	struct problems *problems;
	struct err *err;
	struct cfg_cluster *clusters;
	struct cluster_entry *cluster_entries; /* in the order of @clusters */
	struct cfg_reference *references;
	const struct node *rule_files;   /* the last "validation_rules" */
	const struct node *shown_fields; /* the last */
	bool no_memory;
};

static size_t mistakes(const struct loader *l)
{
	return l->problems->list.n + l->problems->dropped;
}

/* ---- severities ---- */

enum severity cfg_severity(const struct cfg_reference *r, str component)
{
	for (size_t i = 0; i < r->n_components; i++) {
		if (str_eq(r->components[i].component, component))
			return r->components[i].severity;
	}
	return r->severity;
}

/* ---- values ---- */

typedef void (*setter)(struct loader *l, void *target, const struct node *n);

/* One key of a map: where it may stand, how it is read, and what the manual says of it. */
struct setting {
	const char *key;
	setter set;
	size_t offset;
	const char *default_text;
	const char *help;
};

static bool expect(struct loader *l, const struct node *n, enum node_kind kind, const char *what)
{
	if (n->kind == kind)
		return true;
	node_problem(n, l->problems, "expected %s", what);
	return false;
}

static void set_text(struct loader *l, void *target, const struct node *n)
{
	if (expect(l, n, NODE_SCALAR, "a text"))
		*(str *)target = n->text;
}

static void set_severity(struct loader *l, void *target, const struct node *n)
{
	if (expect(l, n, NODE_SCALAR, "a severity") && !severity_parse(n->text, target))
		node_problem(n, l->problems, "'%.*s' is no severity: critical, error, warning, notice or info",
			     STR_ARG(n->text));
}

bool cfg_output_parse(str s, enum cfg_output *ret)
{
	static const char *const names[] = { [CFG_OUTPUT_AUTO] = "auto",
					     [CFG_OUTPUT_JOURNAL] = "journal",
					     [CFG_OUTPUT_TEXT] = "text",
					     [CFG_OUTPUT_JSON] = "json" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(s, str_from(names[i]))) {
			*ret = (enum cfg_output)i;
			return true;
		}
	}
	return false;
}

static void set_output(struct loader *l, void *target, const struct node *n)
{
	if (expect(l, n, NODE_SCALAR, "auto, journal, text or json") && !cfg_output_parse(n->text, target))
		node_problem(n, l->problems, "'%.*s' is no output: auto, journal, text or json", STR_ARG(n->text));
}

/* A daemon's working directory is nobody's business: systemd starts it in "/", a person anywhere. */
static void set_state_dir(struct loader *l, void *target, const struct node *n)
{
	set_text(l, target, n);
	if (n->kind == NODE_SCALAR && n->text.n && n->text.p[0] != '/')
		node_problem(n, l->problems, "'%.*s' is no absolute path", STR_ARG(n->text));
}

/* What digits alone spell, no sign; above COUNT_MAX when they are none or it is more. */
static unsigned count_of(str text)
{
	unsigned count = text.n ? 0 : COUNT_MAX + 1;

	for (size_t i = 0; i < text.n && count <= COUNT_MAX; i++) {
		unsigned digit = (unsigned char)text.p[i] - (unsigned)'0';

		count = digit <= 9 ? count * 10 + digit : COUNT_MAX + 1;
	}
	return count;
}

static void set_count(struct loader *l, void *target, const struct node *n)
{
	unsigned count;

	if (!expect(l, n, NODE_SCALAR, "a number"))
		return;
	count = count_of(n->text);
	if (count == 0 || count > COUNT_MAX)
		node_problem(n, l->problems, "'%.*s' is no number from 1 to %d", STR_ARG(n->text), COUNT_MAX);
	else
		*(unsigned *)target = count;
}

static void set_truth(struct loader *l, void *target, const struct node *n)
{
	bool is_true = n->kind == NODE_SCALAR && str_eq(n->text, STR("true"));

	if (!is_true && !(n->kind == NODE_SCALAR && str_eq(n->text, STR("false"))))
		node_problem(n, l->problems, "expected true or false");
	*(bool *)target = is_true;
}

static void set_flapping_changes(struct loader *l, void *target, const struct node *n)
{
	unsigned count;

	if (!expect(l, n, NODE_SCALAR, "a number"))
		return;
	count = count_of(n->text);
	if (count == 1 || count > CFG_FLAPPING_CHANGES_MAX)
		node_problem(n, l->problems, "'%.*s' is no number from 2 to %d, and not 0, for never", STR_ARG(n->text),
			     CFG_FLAPPING_CHANGES_MAX);
	else
		*(unsigned *)target = count;
}

static void set_flapping_window(struct loader *l, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!expect(l, n, NODE_SCALAR, "a duration such as 10m"))
		return;
	if (!rule_hold_parse(n->text, &ns) || ns == 0)
		node_problem(n, l->problems, "'%.*s' is no duration up to 24h, such as 10m", STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

static void set_hold(struct loader *l, void *target, const struct node *n)
{
	if (expect(l, n, NODE_SCALAR, "a duration such as 30s") && !rule_hold_parse(n->text, target))
		node_problem(n, l->problems, "'%.*s' is no duration from 0s to 24h, such as 30s or 5m",
			     STR_ARG(n->text));
}

static void set_telemetry_path(struct loader *l, void *target, const struct node *n)
{
	set_text(l, target, n);
	if (n->kind == NODE_SCALAR && (n->text.n < 2 || n->text.p[0] != '/'))
		node_problem(n, l->problems, "'%.*s' is no path: it begins with '/' and names a page",
			     STR_ARG(n->text));
}

/* A path that fits a struct sockaddr_un. */
static void set_control_socket(struct loader *l, void *target, const struct node *n)
{
	if (!expect(l, n, NODE_SCALAR, "a path"))
		return;
	*(str *)target = n->text.n ? n->text : STR("");
	if (n->text.n && (n->text.p[0] != '/' || n->text.n > 107))
		node_problem(n, l->problems, "'%.*s' is no absolute path of at most 107 bytes", STR_ARG(n->text));
}

struct text_list {
	const str *p;
	size_t n;
};

/* A list of texts; one text counts as a list of one. */
static struct text_list text_list(struct loader *l, const struct node *n)
{
	struct node *const one[] = { (struct node *)n };
	struct node *const *items = n->kind == NODE_LIST ? n->items : one;
	size_t count = n->kind == NODE_LIST ? n->n : 1;
	str *texts = arena_array(&l->cfg->arena, count, sizeof(*texts));
	size_t kept = 0;

	l->no_memory |= !texts;
	for (size_t i = 0; texts && i < count; i++) {
		if (expect(l, items[i], NODE_SCALAR, "a text"))
			texts[kept++] = items[i]->text;
	}
	return (struct text_list){ texts, kept };
}

/* Names of keys; nothing but punctuation is the name of none. */
static struct text_list key_list(struct loader *l, const struct node *n)
{
	struct text_list list = text_list(l, n);

	for (size_t i = 0; i < list.n; i++) {
		if (mask_same_name(list.p[i], STR("")))
			node_problem(n, l->problems, "'%.*s' is no name of a field", STR_ARG(list.p[i]));
	}
	return list;
}

static void set_sensitive(struct loader *l, void *target, const struct node *n)
{
	struct text_list list = key_list(l, n);
	struct cfg *cfg = target;

	cfg->mask.sensitive = list.p;
	cfg->mask.n_sensitive = list.n;
}

static void set_shown(struct loader *l, void *target, const struct node *n)
{
	struct text_list list = key_list(l, n);
	struct cfg *cfg = target;

	l->shown_fields = n;
	cfg->mask.shown = list.p;
	cfg->mask.n_shown = list.n;
}

/* The two may stand in different files: the last word of each counts. */
static void check_fields(struct loader *l)
{
	const struct mask_fields *m = &l->cfg->mask;

	for (size_t i = 0; i < m->n_shown; i++) {
		for (size_t k = 0; k < m->n_sensitive; k++) {
			if (mask_same_name(m->shown[i], m->sensitive[k]))
				node_problem(l->shown_fields, l->problems, "'%.*s' is one of sensitive_fields too",
					     STR_ARG(m->shown[i]));
		}
	}
}

/* host:port with a port number; [v6]:port too. */
static bool is_address(str s)
{
	ptrdiff_t colon = str_rfind(s, STR(":"));
	unsigned port = 0;

	if (colon < 0 || (size_t)colon + 1 == s.n || s.n - (size_t)colon > 6)
		return false;
	for (size_t i = (size_t)colon + 1; i < s.n; i++) {
		if (!isdigit((unsigned char)s.p[i]))
			return false;
		port = port * 10 + (unsigned)(s.p[i] - '0');
	}
	return port <= 65535;
}

static void set_listen(struct loader *l, void *target, const struct node *n)
{
	struct text_list list = text_list(l, n);
	struct cfg *cfg = target;

	for (size_t i = 0; i < (n->kind == NODE_LIST ? n->n : 1); i++) {
		const struct node *item = n->kind == NODE_LIST ? n->items[i] : n;

		if (item->kind == NODE_SCALAR && !is_address(item->text))
			node_problem(item, l->problems,
				     "'%.*s' is no address: host:port is expected, such as " CFG_LISTEN_DEFAULT,
				     STR_ARG(item->text));
	}
	cfg->listen = list.p;
	cfg->n_listen = list.n;
}

static void set_hosts(struct loader *l, void *target, const struct node *n)
{
	struct text_list list = text_list(l, n);
	struct cfg *cfg = target;

	cfg->allowed_hosts = list.p;
	cfg->n_allowed_hosts = list.n;
}

/* ---- maps of settings ---- */

static const struct setting *find_setting(const struct setting *table, size_t n, str key)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(key, str_from(table[i].key)))
			return &table[i];
	}
	return NULL;
}

/* Letters to change, add or drop to make one of the other; at most 3 matter. */
static size_t edit_distance(str a, str b)
{
	size_t row[33];

	if (a.n > 32 || b.n > 32)
		return SIZE_MAX;
	for (size_t j = 0; j <= b.n; j++)
		row[j] = j;
	for (size_t i = 1; i <= a.n; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= b.n; j++) {
			size_t change = diagonal + (a.p[i - 1] != b.p[j - 1]);
			size_t best = row[j] + 1 < row[j - 1] + 1 ? row[j] + 1 : row[j - 1] + 1;

			diagonal = row[j];
			row[j] = best < change ? best : change;
		}
	}
	return row[b.n];
}

static void unknown_key(struct loader *l, const struct node *key, const struct setting *table, size_t n)
{
	const char *nearest = NULL;
	size_t best = 3;

	for (size_t i = 0; i < n; i++) {
		size_t d = edit_distance(key->text, str_from(table[i].key));

		if (d < best) {
			best = d;
			nearest = table[i].key;
		}
	}
	if (nearest)
		node_problem(key, l->problems, "unknown key '%.*s'; did you mean '%s'?", STR_ARG(key->text), nearest);
	else
		node_problem(key, l->problems, "unknown key '%.*s'", STR_ARG(key->text));
}

static void apply(struct loader *l, const struct node *map, const struct setting *table, size_t n, void *target)
{
	if (!expect(l, map, NODE_MAP, "a map of settings"))
		return;
	for (size_t i = 0; i < map->n; i++) {
		const struct setting *s = find_setting(table, n, map->keys[i]->text);

		if (!s)
			unknown_key(l, map->keys[i], table, n);
		else if (!node_is_null(map->values[i]))
			s->set(l, (char *)target + s->offset, map->values[i]);
	}
}

static void set_components(struct loader *l, void *target, const struct node *n)
{
	struct cfg_reference *r = target;
	struct cfg_component_severity *list;

	if (!expect(l, n, NODE_MAP, "a map from component to severity"))
		return;
	list = arena_array(&l->cfg->arena, n->n, sizeof(*list));
	l->no_memory |= !list;
	for (size_t i = 0; list && i < n->n; i++) {
		list[i] = (struct cfg_component_severity){ n->keys[i]->text, SEVERITY_WARNING };
		set_severity(l, &list[i].severity, n->values[i]);
	}
	r->components = list;
	r->n_components = list ? n->n : 0;
}

static const struct setting reference_settings[] = {
	{ "name", set_text, offsetof(struct cfg_reference, name), NULL, "how reports and clusters call it; required" },
	{ "path", set_text, offsetof(struct cfg_reference, path), NULL,
	  "its metadata.yaml, or a bundle of kubegen, relative to this file; required" },
	{ "severity", set_severity, offsetof(struct cfg_reference, severity), "warning",
	  "of its drift: critical, error, warning, notice, info" },
	{ "for", set_hold, offsetof(struct cfg_reference, hold_ns), "0s",
	  "how long a finding must last to be told, such as 30s; what ends sooner is not" },
	{ "component_severity", set_components, 0, NULL, "a map from component name to severity, where it differs" },
};

static void set_crd_rules(struct loader *l, void *target, const struct node *n)
{
	bool referenced = str_eq(n->text, STR("referenced"));

	if (!expect(l, n, NODE_SCALAR, "all or referenced"))
		return;
	if (!referenced && !str_eq(n->text, STR("all")))
		node_problem(n, l->problems, "'%.*s' is neither all nor referenced", STR_ARG(n->text));
	*(bool *)target = referenced;
}

/* A cluster's references wait until all references are known. */
static void set_cluster_references(struct loader *l, void *target, const struct node *n)
{
	l->cluster_entries[(struct cfg_cluster *)target - l->clusters].references = n;
}

static const struct setting cluster_settings[] = {
	{ "name", set_text, offsetof(struct cfg_cluster, name), NULL, "the label kube_cluster; required" },
	{ "kubeconfig", set_text, offsetof(struct cfg_cluster, kubeconfig), "kubectl's rules",
	  "file with server and credentials, relative to this file" },
	{ "context", set_text, offsetof(struct cfg_cluster, context), "the current one", "context of the kubeconfig" },
	{ "references", set_cluster_references, 0, "all of them",
	  "names of the references that this cluster should follow" },
	{ "crd_rules", set_crd_rules, offsetof(struct cfg_cluster, crd_rules_referenced), "all",
	  "custom resources that their CRDs' rules are held against: all of a watched kind, or referenced: only those "
	  "that "
	  "references and rules name, so that no others need be read" },
};

/* ---- lists of named entries: a later file's entry replaces the one of the same name ---- */

#define ENTRIES_MAX 256

static str resolve_path(struct loader *l, str path, const char *file)
{
	const char *slash = strrchr(file, '/');
	str r;

	if (path.n == 0 || path.p[0] == '/' || !slash)
		return path;
	r = arena_printf(&l->cfg->arena, "%.*s%.*s", (int)(slash - file + 1), file, STR_ARG(path));
	l->no_memory |= !r.p;
	return r;
}

static str where(struct loader *l, const struct node *n)
{
	str s = node_where(n, &l->cfg->arena);

	l->no_memory |= !s.p;
	return s;
}

static bool entry_name(struct loader *l, const struct node *n, str *ret)
{
	const struct node *name = node_get(n, "name");

	if (!expect(l, n, NODE_MAP, "an entry with a name"))
		return false;
	if (!name || name->kind != NODE_SCALAR || name->text.n == 0) {
		node_problem(n, l->problems, "this entry has no name");
		return false;
	}
	*ret = name->text;
	return true;
}

static bool repeated_in(const struct node *list, size_t i, str name)
{
	for (size_t j = 0; j < i; j++) {
		const struct node *other = node_get(list->items[j], "name");

		if (other && other->kind == NODE_SCALAR && str_eq(other->text, name))
			return true;
	}
	return false;
}

static void set_references(struct loader *l, void *target, const struct node *n)
{
	struct cfg *cfg = target;

	if (!expect(l, n, NODE_LIST, "a list of references"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		struct cfg_reference *r = l->references;
		str name;

		if (!entry_name(l, n->items[i], &name))
			continue;
		if (repeated_in(n, i, name))
			node_problem(n->items[i], l->problems, "reference '%.*s' stands here twice", STR_ARG(name));
		while (r < l->references + cfg->n_references && !str_eq(r->name, name))
			r++;
		if (r == l->references + ENTRIES_MAX) {
			node_problem(n->items[i], l->problems, "more than %d references", ENTRIES_MAX);
			return;
		}
		if (r == l->references + cfg->n_references)
			cfg->n_references++;
		*r = (struct cfg_reference){ .severity = SEVERITY_WARNING };
		r->where = where(l, n->items[i]);
		apply(l, n->items[i], reference_settings, ARRAY_LEN(reference_settings), r);
		if (r->path.n == 0)
			node_problem(n->items[i], l->problems, "reference '%.*s' has no path", STR_ARG(name));
		r->path = resolve_path(l, r->path, n->file);
	}
}

static void set_clusters(struct loader *l, void *target, const struct node *n)
{
	struct cfg *cfg = target;

	if (!expect(l, n, NODE_LIST, "a list of clusters"))
		return;
	for (size_t i = 0; i < n->n; i++) {
		struct cfg_cluster *c = l->clusters;
		size_t before = mistakes(l);
		str name;

		if (!entry_name(l, n->items[i], &name))
			continue;
		if (repeated_in(n, i, name))
			node_problem(n->items[i], l->problems, "cluster '%.*s' stands here twice", STR_ARG(name));
		while (c < l->clusters + cfg->n_clusters && !str_eq(c->name, name))
			c++;
		if (c == l->clusters + ENTRIES_MAX) {
			node_problem(n->items[i], l->problems, "more than %d clusters", ENTRIES_MAX);
			return;
		}
		if (c == l->clusters + cfg->n_clusters)
			cfg->n_clusters++;
		*c = (struct cfg_cluster){ .where = where(l, n->items[i]) };
		l->cluster_entries[c - l->clusters] = (struct cluster_entry){ 0 };
		apply(l, n->items[i], cluster_settings, ARRAY_LEN(cluster_settings), c);
		c->kubeconfig = resolve_path(l, c->kubeconfig, n->file);
		l->cluster_entries[c - l->clusters].wrong = mistakes(l) > before;
	}
}

/* The files wait until it is known which configuration file has the last word. */
static void set_rule_files(struct loader *l, void *target, const struct node *n)
{
	(void)target;
	l->rule_files = n;
}

static void set_metrics(struct loader *l, void *target, const struct node *n);
static void set_flapping(struct loader *l, void *target, const struct node *n);

static const struct setting flapping_settings[] = {
	{ "changes", set_flapping_changes, offsetof(struct cfg, flapping_changes), "5",
	  "how many of one finding within the window are too many to be told one by one; 0: never" },
	{ "window", set_flapping_window, offsetof(struct cfg, flapping_window_ns), "10m",
	  "and for how long it must be quiet then" },
};

static const struct setting metrics_settings[] = {
	{ "listen", set_listen, 0, CFG_LISTEN_DEFAULT, "addresses (host:port) of the HTTP server" },
	{ "telemetry_path", set_telemetry_path, offsetof(struct cfg, telemetry_path), CFG_TELEMETRY_PATH_DEFAULT,
	  "where Prometheus scrapes" },
	{ "per_object", set_truth, offsetof(struct cfg, per_object), "false",
	  "a series for each object that drifts, with its name: as many as there may be drifts" },
	{ "per_object_limit", set_count, offsetof(struct cfg, per_object_limit), "1000",
	  "at most so many of them; the others are counted" },
	{ "allowed_hosts", set_hosts, 0, NULL,
	  "names by which browsers reach the pages, besides localhost and addresses; not of the metrics" },
};

static const struct setting top_settings[] = {
	{ "clusters", set_clusters, 0, NULL, "what to watch" },
	{ "references", set_references, 0, NULL, "what clusters should look like" },
	{ "metrics", set_metrics, 0, NULL, "the HTTP server for Prometheus" },
	{ "output", set_output, offsetof(struct cfg, output), "auto", "where events go: auto, journal, text, json" },
	{ "sensitive_fields", set_sensitive, 0, NULL,
	  "further names of fields whose values are never shown, besides password, token and the like" },
	{ "shown_fields", set_shown, 0, NULL,
	  "names of fields that sound like password or token and may be shown all the same" },
	{ "validation_rules", set_rule_files, 0, NULL,
	  "files with CEL rules for objects of any kind, relative to this file" },
	{ "validation_severity", set_severity, offsetof(struct cfg, validation_severity), "warning",
	  "of a failed validation rule: those of a CRD, and of a rule file where it gives none" },
	{ "state_dir", set_state_dir, offsetof(struct cfg, state_dir), "$STATE_DIRECTORY",
	  "folder for the state kept across restarts, an absolute path" },
	{ "control_socket", set_control_socket, offsetof(struct cfg, control_socket), "$RUNTIME_DIRECTORY/driftd.sock",
	  "socket through which commands reach the daemon, an absolute path; empty: none" },
	{ "flapping", set_flapping, 0, NULL, "what comes and goes all the time" },
	{ "history_days", set_count, offsetof(struct cfg, history_days), "90",
	  "how long the history of findings is kept" },
	{ "history_megabytes", set_count, offsetof(struct cfg, history_megabytes), "200",
	  "how large the database with it may become; the oldest goes first" },
};

static void set_metrics(struct loader *l, void *target, const struct node *n)
{
	apply(l, n, metrics_settings, ARRAY_LEN(metrics_settings), target);
}

static void set_flapping(struct loader *l, void *target, const struct node *n)
{
	apply(l, n, flapping_settings, ARRAY_LEN(flapping_settings), target);
}

static void print_table(struct buf *out, const char *title, const struct setting *table, size_t n)
{
	buf_printf(out, "%s\n", title);
	for (size_t i = 0; i < n; i++) {
		buf_printf(out, "  %-20s %s", table[i].key, table[i].help);
		if (table[i].default_text)
			buf_printf(out, " (default: %s)", table[i].default_text);
		buf_add_byte(out, '\n');
	}
}

void cfg_print_settings(struct buf *out)
{
	print_table(out, "driftd.yaml:", top_settings, ARRAY_LEN(top_settings));
	print_table(out, "an entry of clusters:", cluster_settings, ARRAY_LEN(cluster_settings));
	print_table(out, "an entry of references:", reference_settings, ARRAY_LEN(reference_settings));
	print_table(out, "metrics:", metrics_settings, ARRAY_LEN(metrics_settings));
	print_table(out, "flapping:", flapping_settings, ARRAY_LEN(flapping_settings));
}

/* ---- resolving what entries name ---- */

static const struct cfg_reference *find_reference(const struct cfg *cfg, str name)
{
	for (size_t i = 0; i < cfg->n_references; i++) {
		if (str_eq(cfg->references[i].name, name))
			return &cfg->references[i];
	}
	return NULL;
}

static void resolve_cluster(struct loader *l, struct cfg_cluster *c, const struct node *names)
{
	struct cfg *cfg = l->cfg;
	struct text_list list = names ? text_list(l, names) : (struct text_list){ .n = cfg->n_references };
	const struct cfg_reference **refs = arena_array(&cfg->arena, list.n, sizeof(*refs));
	size_t kept = 0;

	l->no_memory |= !refs;
	for (size_t i = 0; refs && i < list.n; i++) {
		const struct cfg_reference *r = names ? find_reference(cfg, list.p[i]) : &cfg->references[i];

		if (r)
			refs[kept++] = r;
		else if (names)
			node_problem(names->kind == NODE_LIST ? names->items[i] : names, l->problems,
				     "cluster '%.*s' names reference '%.*s', which is not defined", STR_ARG(c->name),
				     STR_ARG(list.p[i]));
	}
	if (kept == 0 && list.n == 0 && !l->rule_files)
		problems_add(l->problems, "%.*s: cluster '%.*s' has no reference to follow", STR_ARG(c->where),
			     STR_ARG(c->name));
	c->references = refs;
	c->n_references = kept;
}

static void load_from(struct loader *l, const struct ref_source *source, const struct ref_options *o,
		      struct cfg_reference *r, struct problems *found)
{
	struct err err;
	int e = reference_load(source, o, &r->reference, found, &err);

	if (e == -ENOMEM)
		l->no_memory = true;
	else if (e < 0 && !problems_any(found))
		problems_add(found, "%s", err.msg);
}

static void load_folder(struct loader *l, struct ref_options *o, struct cfg_reference *r, struct problems *found)
{
	struct cfg_ref_dir dir = { .fd = -1 };
	struct ref_source source = cfg_ref_dir_source(&dir);
	struct err err;

	if (cfg_ref_dir_open(&dir, r->path, &o->metadata_path, &err) == -ENOMEM)
		l->no_memory = true;
	else if (dir.fd < 0)
		problems_add(found, "%s", err.msg);
	else
		load_from(l, &source, o, r, found);
	r->content = dir.content;
	cfg_ref_dir_close(&dir);
}

static void load_bundle(struct loader *l, const char *path, struct ref_options *o, struct cfg_reference *r,
			struct problems *found)
{
	CLEANUP(kg_reference_done) struct kg_reference files;
	struct ref_source source = cfg_bundle_source(&files);
	struct err err;
	int e = cfg_bundle_reference(path, l->limits, l->keys, &files, &r->content, &err);

	o->metadata_path = STR(KG_REFERENCE_METADATA);
	if (e == -ENOMEM)
		l->no_memory = true;
	else if (e < 0)
		problems_add(found, "%s", err.msg);
	else
		load_from(l, &source, o, r, found);
}

static void load_reference(struct loader *l, struct cfg_reference *r)
{
	struct ref_options o = { .limits = l->limits, .keys = l->keys, .name = r->name, .zones = &go_zoneinfo };
	CLEANUP(freep) char *path = str_dup(r->path);
	struct problems found = { 0 };
	bool bundle = false;
	struct err err;

	if (r->path.n == 0)
		return;
	if (!path || cfg_bundle_detect(path, l->limits, &bundle, &err) < 0)
		l->no_memory = true;
	else if (bundle)
		load_bundle(l, path, &o, r, &found);
	else
		load_folder(l, &o, r, &found);
	for (size_t i = 0; i < found.list.n; i++)
		problems_add(l->problems, "%.*s: reference '%.*s': %s", STR_ARG(r->where), STR_ARG(r->name),
			     found.list.p[i]);
	problems_done(&found);
}

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

/* A name that fits nothing is a slip of the pen, and would be silent for ever. */
static void check_names(struct loader *l)
{
	const struct cfg *cfg = l->cfg;

	for (size_t i = 0; i < cfg->n_references; i++) {
		const struct cfg_reference *r = &cfg->references[i];

		for (size_t c = 0; r->reference && c < r->n_components; c++) {
			if (!has_component(r->reference, r->components[c].component))
				problems_add(l->problems,
					     "%.*s: reference '%.*s' has no component '%.*s' (component_severity)",
					     STR_ARG(r->where), STR_ARG(r->name), STR_ARG(r->components[c].component));
		}
		if (cfg->n_clusters > 0 && !is_followed(cfg, r))
			problems_add(l->problems, "%.*s: reference '%.*s' is followed by no cluster", STR_ARG(r->where),
				     STR_ARG(r->name));
	}
}

static void load_rule_files(struct loader *l)
{
	struct cfg *cfg = l->cfg;
	struct text_list list = l->rule_files ? text_list(l, l->rule_files) : (struct text_list){ 0 };
	struct rule_file **files = arena_array(&cfg->arena, list.n, sizeof(struct rule_file *));
	struct err err;

	l->no_memory |= !files;
	cfg->rule_files = files;
	for (size_t i = 0; files && i < list.n; i++) {
		/* With a NUL behind it, and alive as long as the messages of the file. */
		str path = arena_str(&cfg->arena, resolve_path(l, list.p[i], l->rule_files->file));
		int r = path.p ? rule_file_load(path.p, l->limits, l->keys, &files[cfg->n_rule_files], l->problems,
						&err)
			       : -ENOMEM;

		l->no_memory |= r == -ENOMEM;
		cfg->n_rule_files += r == 0;
	}
}

/* ---- loading ---- */

static int read_file(struct loader *l, const char *file)
{
	CLEANUP(freep) char *text = NULL;
	struct node *root;
	size_t len;
	int r = file_read(file, l->limits->file_bytes, &text, &len, l->err);

	if (r == -ENOMEM)
		return r;
	if (r < 0) {
		problems_add(l->problems, "%s", l->err->msg);
		return 0;
	}
	r = node_parse((str){ text, len }, file, l->limits, &l->cfg->arena, &root, l->problems, l->err);
	if (r == -ENOMEM)
		return r;
	if (r == 0)
		apply(l, root, top_settings, ARRAY_LEN(top_settings), l->cfg);
	return 0;
}

static int set_defaults(struct loader *l)
{
	static const str listen = { CFG_LISTEN_DEFAULT, sizeof(CFG_LISTEN_DEFAULT) - 1 };
	struct cfg *cfg = l->cfg;

	cfg->listen = &listen;
	cfg->n_listen = 1;
	cfg->telemetry_path = STR(CFG_TELEMETRY_PATH_DEFAULT);
	cfg->per_object_limit = CFG_PER_OBJECT_LIMIT_DEFAULT;
	cfg->state_dir = str_from(getenv("STATE_DIRECTORY"));
	cfg->flapping_changes = 5;
	cfg->flapping_window_ns = 600 * INT64_C(1000000000);
	cfg->history_days = 90;
	cfg->history_megabytes = 200;
	cfg->validation_severity = SEVERITY_WARNING;
	l->clusters = arena_array(&cfg->arena, ENTRIES_MAX, sizeof(*l->clusters));
	l->cluster_entries = arena_array(&cfg->arena, ENTRIES_MAX, sizeof(*l->cluster_entries));
	l->references = arena_array(&cfg->arena, ENTRIES_MAX, sizeof(*l->references));
	cfg->clusters = l->clusters;
	cfg->references = l->references;
	return l->clusters && l->cluster_entries && l->references ? 0 : err_nomem(l->err);
}

static void check_clusters(struct loader *l, cfg_cluster_check *check)
{
	for (size_t i = 0; i < l->cfg->n_clusters; i++) {
		if (!l->cluster_entries[i].wrong)
			check(&l->clusters[i], l->problems);
	}
}

static int load_all(struct loader *l, const char *const *files, size_t n, cfg_cluster_check *check)
{
	int r = set_defaults(l);

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_file(l, files[i]);
	if (r < 0)
		return r;
	for (size_t i = 0; i < l->cfg->n_references; i++)
		load_reference(l, &l->references[i]);
	for (size_t i = 0; i < l->cfg->n_clusters; i++)
		resolve_cluster(l, &l->clusters[i], l->cluster_entries[i].references);
	load_rule_files(l);
	check_names(l);
	check_fields(l);
	if (l->no_memory)
		return err_nomem(l->err);
	if (check)
		check_clusters(l, check);
	if (problems_any(l->problems))
		return err_set(l->err, EINVAL, "the configuration has %zu mistakes", mistakes(l));
	return 0;
}

int cfg_load_checked(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
		     cfg_cluster_check *check, struct cfg **ret, struct problems *problems, struct err *err)
{
	CLEANUP(cfg_unrefp) struct cfg *cfg = calloc(1, sizeof(*cfg));
	struct loader l = { .cfg = cfg, .limits = limits, .keys = keys, .problems = problems, .err = err };
	int r;

	if (!cfg)
		return err_nomem(err);
	cfg->refs = 1;
	arena_init(&cfg->arena, 0, 0);
	r = load_all(&l, files, n, check);
	if (r < 0)
		return r;
	*ret = TAKE(cfg);
	return 0;
}

int cfg_load(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys, struct cfg **ret,
	     struct problems *problems, struct err *err)
{
	return cfg_load_checked(files, n, limits, keys, NULL, ret, problems, err);
}

struct cfg *cfg_ref(struct cfg *c)
{
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
