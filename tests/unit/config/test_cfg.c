/* Loading driftd.yaml: what it means, defaults, merging of conf.d, and each mistake with its place.
 *
 * tests/data/config/bad/NAME.yaml is a configuration with mistakes, NAME.txt what must be said of it, a line each;
 * "DIR" stands for the folder. */
#include "config/cfg.h"

#include "base/file.h"
#include "rules/event_set.h"
#include "rules/inspection/insp_builtin.h"
#include "rules/inspection/insp_run.h"
#include "rules/rule_file.h"
#include "text/py_regex.h"

#include <errno.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define DATA TEST_DATA "/config"

static struct limits limits = LIMITS_DEFAULT;

static struct cfg *load(const char *const *files, size_t n)
{
	struct problems problems = { 0 };
	struct cfg *cfg = NULL;
	struct err err;

	if (cfg_load(files, n, &limits, NULL, &cfg, &problems, &err) < 0) {
		CLEANUP(freep) char *text = problems_text(&problems);

		problems_done(&problems);
		fail_msg("%s\n%s", err.msg, text);
	}
	assert_false(problems_any(&problems));
	return cfg;
}

static void assert_str(str s, const char *expected)
{
	if (!str_eq(s, str_from(expected)))
		fail_msg("'%.*s' instead of '%s'", STR_ARG(s), expected);
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void test_everything_set(void **state)
{
	static const char *const files[] = { DATA "/good/driftd.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);

	(void)state;
	assert_int_equal(c->n_clusters, 2);
	assert_str(c->clusters[0].name, "prod");
	assert_str(c->clusters[0].kubeconfig, DATA "/good/kube/prod.yaml");
	assert_str(c->clusters[0].context, "admin");
	assert_str(c->clusters[0].where, DATA "/good/driftd.yaml:3:3");
	assert_int_equal(c->clusters[0].n_references, 1);
	assert_ptr_equal(c->clusters[0].references[0], &c->references[0]);
	assert_str(c->clusters[1].name, "edge");
	assert_int_equal(c->clusters[1].kubeconfig.n, 0);
	assert_int_equal(c->clusters[1].n_references, 1); /* all of them by default */
	assert_int_equal(c->n_references, 1);
	assert_str(c->references[0].path, DATA "/good/../ref/metadata.yaml");
	assert_non_null(c->references[0].reference);
	assert_int_equal(c->references[0].reference->n_templates, 1);
	assert_int_equal(cfg_severity(&c->references[0], STR("server")), SEVERITY_CRITICAL);
	assert_int_equal(cfg_severity(&c->references[0], STR("other")), SEVERITY_ERROR);
	assert_int_equal(c->n_event_rules, 2);
	assert_str(c->event_rules[0].path, DATA "/good/rules/scaling.yaml");
	assert_int_equal(c->references[0].n_event_sets, 2); /* in the order of the reference */
	assert_ptr_equal(c->references[0].event_sets[0], c->event_rules[1].set);
	assert_ptr_equal(c->references[0].event_sets[1], c->event_rules[0].set);
	assert_int_equal(c->references[0].event_sets[1]->n, 1);
	assert_int_equal(c->n_listen, 2);
	assert_str(c->listen[1], "[::1]:19471");
	assert_str(c->telemetry_path, "/driftd");
	assert_int_equal(c->output, CFG_OUTPUT_JSON);
	assert_int_equal(c->mask.n_sensitive, 2);
	assert_str(c->mask.sensitive[1], "pin");
	assert_int_equal(c->mask.n_shown, 1);
	assert_str(c->mask.shown[0], "tokenIssuer");
	assert_str(c->state_dir, "/var/lib/driftd");
	assert_int_equal(c->history_days, 30);
	assert_int_equal(c->history_megabytes, 200);
	assert_int_equal(c->flapping_changes, 7);
	assert_int_equal(c->flapping_window_ns, 90 * INT64_C(1000000000));
}

static bool is_supported(const struct cfg *c, str text)
{
	struct py_regex_scratch scratch = { 0 };
	uint64_t steps = 1000;
	struct err err;
	int r = py_regex_match(c->inspection.interfaces, &scratch, text, false, &steps, &err);

	py_regex_scratch_done(&scratch);
	assert_true(r == 0 || r == 1);
	return r == 1;
}

static void test_inspection(void **state)
{
	static const char *const files[] = { DATA "/good/driftd.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);
	const struct cfg_inspection *x = &c->inspection;

	(void)state;
	assert_str(x->built_in, DATA "/good/inspection/rules.yaml");
	assert_str(x->built_in_where, DATA "/good/driftd.yaml:31:13");
	assert_str(x->default_scope, "lab");
	assert_int_equal(x->mask_secrets, INSP_MASK_SENSITIVE);
	assert_true(is_supported(c, STR("apps/v1/Deployment")));
	assert_false(is_supported(c, STR("batch/v1/Job")));
	assert_int_equal(x->n_call_prefixes, 2);
	assert_str(x->call_prefixes[0], "https://hooks.example.com/driftd");
	assert_str(x->call_prefixes[1], "http://[::1]:8080");
	assert_str(x->discovered_scope, "unknown");
	assert_int_equal(x->severity, SEVERITY_WARNING);
	assert_int_equal(x->effects_per_minute, 60);
	assert_str(c->references[0].inspection_scope, "base");
	assert_int_equal(c->n_watch, 2);
	assert_str(c->watch[0].api_version, "v1");
	assert_str(c->watch[0].kind, "ConfigMap");
	assert_int_equal(c->watch[0].n_namespaces, 2);
	assert_str(c->watch[0].namespaces[1], "pay");
	assert_str(c->watch[1].where, DATA "/good/driftd.yaml:41:3");
	assert_int_equal(c->watch[1].n_namespaces, 0);
}

static void test_no_inspection(void **state)
{
	static const char *const files[] = { DATA "/minimal.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);
	const struct cfg_inspection *x = &c->inspection;
	struct problems problems = { 0 };
	struct insp_builtins rules;
	struct err err;

	(void)state;
	assert_int_equal(x->built_in.n, 0);
	assert_null(x->default_scope.p);
	assert_int_equal(x->mask_secrets, INSP_MASK_ALWAYS);
	assert_null(x->interfaces);
	assert_int_equal(x->n_call_prefixes, 0);
	assert_null(x->discovered_scope.p);
	assert_int_equal(x->severity, SEVERITY_ERROR);
	assert_int_equal(x->effects_per_minute, CFG_EFFECTS_PER_MINUTE_DEFAULT);
	assert_null(c->references[0].inspection_scope.p);
	assert_int_equal(c->n_watch, 0);
	assert_int_equal(cfg_load_builtins(c, &limits, &rules, &problems, &err), 0);
	assert_int_equal(rules.rules.n, 0);
	insp_builtins_done(&rules);
}

static void test_exclusion(void **state)
{
	static const char *const files[] = { DATA "/good/driftd.yaml" };
	static const struct {
		struct identity id;
		const char *by;
	} cases[] = {
		{ { .namespace = { "kube-system", 11 }, .name = { "web", 3 } }, "exclude_namespaces" },
		{ { .namespace = { "kube", 4 }, .name = { "web", 3 } }, NULL },
		{ { .namespace = { "shop", 4 }, .name = { "leader-1", 8 } }, "exclude_names" },
		{ { .name = { "lock", 4 } }, "exclude_names" },
		{ { .name = { "kube-system", 11 } }, NULL },
	};
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);
	struct cfg_reference every = c->references[0];
	const str any = STR("*");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *by = cfg_excluded_by(&c->references[0], &cases[i].id);

		assert_string_equal(by ? by : "", cases[i].by ? cases[i].by : "");
	}
	every.exclude_namespaces.p = &any; /* but for what is in none */
	assert_null(cfg_excluded_by(&every, &cases[4].id));
	assert_non_null(cfg_excluded_by(&every, &cases[1].id));
}

/* In the order of the list, each once; a name with special characters that is there is itself. */
static void test_rule_files_by_pattern(void **state)
{
	static const char *const files[] = { DATA "/patterns.yaml" };
	static const char *const expected[] = { "b.yml", "a.yaml", "c[1].yaml", "f.json", "deeper/e.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);

	(void)state;
	assert_int_equal(c->n_rule_files, ARRAY_LEN(expected));
	for (size_t i = 0; i < ARRAY_LEN(expected); i++) {
		assert_memory_equal(c->rule_files[i]->path, DATA "/rule-files/", sizeof(DATA "/rule-files/") - 1);
		assert_string_equal(c->rule_files[i]->path + sizeof(DATA "/rule-files/") - 1, expected[i]);
	}
}

static void test_defaults(void **state)
{
	static const char *const files[] = { DATA "/minimal.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = NULL, *d = NULL;

	(void)state;
	setenv("STATE_DIRECTORY", "/run/x", 1);
	c = load(files, 1);
	assert_int_equal(c->n_listen, 1);
	assert_str(c->listen[0], CFG_LISTEN_DEFAULT);
	assert_str(c->telemetry_path, CFG_TELEMETRY_PATH_DEFAULT);
	assert_int_equal(c->output, CFG_OUTPUT_AUTO);
	assert_int_equal(c->mask.n_sensitive, 0);
	assert_str(c->state_dir, "/run/x");
	assert_int_equal(c->references[0].severity, SEVERITY_WARNING);
	assert_int_equal(c->clusters[0].n_references, 1);
	unsetenv("STATE_DIRECTORY");
	d = load(files, 1);
	assert_int_equal(d->state_dir.n, 0);
}

/* Later files win: by key, and named entries as a whole. */
static void test_conf_d_is_merged_in_order(void **state)
{
	CLEANUP(arena_done) struct arena a;
	CLEANUP(cfg_unrefp) struct cfg *c = NULL;
	const char *const *files;
	struct err err;
	size_t n;

	(void)state;
	arena_init(&a, 0, 0);
	assert_int_equal(cfg_files(DATA "/good/driftd.yaml", &a, &files, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(files[0], DATA "/good/driftd.yaml");
	assert_string_equal(files[1], DATA "/good/conf.d/10-lab.yaml");
	assert_string_equal(files[2], DATA "/good/conf.d/20-last.yaml");
	c = load(files, n);
	assert_int_equal(c->n_clusters, 3);
	assert_str(c->clusters[0].name, "prod");
	assert_str(c->clusters[1].name, "edge"); /* keeps its place, loses what it had */
	assert_str(c->clusters[1].context, "other");
	assert_int_equal(c->clusters[1].n_references, 2);
	assert_str(c->clusters[2].name, "lab");
	assert_str(c->clusters[2].kubeconfig, "/abs/lab.yaml");
	assert_int_equal(c->clusters[2].n_references, 1);
	assert_str(c->clusters[2].references[0]->name, "extra");
	assert_int_equal(c->n_references, 2);
	assert_int_equal(c->references[0].severity, SEVERITY_NOTICE);
	assert_int_equal(c->references[0].n_components, 0);
	assert_int_equal(c->references[0].n_event_sets, 1);
	assert_int_equal(c->output, CFG_OUTPUT_TEXT);
	assert_int_equal(c->n_listen, 1);
	assert_str(c->listen[0], "0.0.0.0:9000");
	assert_str(c->telemetry_path, "/driftd"); /* of the same map, but not set again */
	assert_str(c->inspection.default_scope, "lab");
	assert_str(c->inspection.supported_interfaces, "Pod$");
	assert_true(is_supported(c, STR("v1/Pod")));
	assert_false(is_supported(c, STR("v1/PodTemplate")));
	assert_int_equal(c->inspection.n_call_prefixes, 0);
	assert_int_equal(c->n_watch, 3);
	assert_int_equal(c->watch[0].n_namespaces, 0); /* of the same kind */
	assert_str(c->watch[1].kind, "Widget");
	assert_str(c->watch[2].namespaces[0], "shop");
}

/* The problems of @file, "DIR" for its folder. */
static char *problems_of(const char *file)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct problems problems = { 0 };
	struct cfg *cfg = NULL;
	struct err err = { 0 };
	int r = cfg_load(&file, 1, &limits, NULL, &cfg, &problems, &err);

	assert_int_equal(r, -EINVAL);
	assert_null(cfg);
	for (size_t i = 0; i < problems.list.n; i++) {
		str rest = str_from(problems.list.p[i]);
		ptrdiff_t at;

		while ((at = str_find(rest, STR(DATA "/bad"))) >= 0) {
			buf_add_str(&out, str_sub(rest, 0, (size_t)at));
			buf_add_cstr(&out, "DIR");
			rest = str_sub(rest, (size_t)at + sizeof(DATA "/bad") - 1, rest.n);
		}
		buf_add_str(&out, rest);
		buf_add_byte(&out, '\n');
	}
	problems_done(&problems);
	return buf_steal(&out);
}

static void test_mistakes(void **state)
{
	glob_t found;

	(void)state;
	assert_int_equal(glob(DATA "/bad/*.yaml", 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *file = found.gl_pathv[i];
		CLEANUP(freep) char *said = problems_of(file), *expected = NULL, *path = NULL;
		struct err err;
		size_t n;

		assert_true(asprintf(&path, "%.*stxt", (int)(strlen(file) - 4), file) > 0);
		if (getenv("TEST_WRITE")) { /* to look at with git diff */
			FILE *out = fopen(path, "we");

			fputs(said, out);
			fclose(out);
			continue;
		}
		if (file_read(path, 1u << 20, &expected, &n, &err) < 0)
			fail_msg("%s", err.msg);
		if (strcmp(said, expected) != 0)
			fail_msg("%s:\n%s\ninstead of\n%s", file, said, expected);
	}
	globfree(&found);
}

static void test_no_file(void **state)
{
	CLEANUP(freep) char *said = problems_of(DATA "/bad/absent");

	(void)state;
	assert_non_null(strstr(said, "DIR/absent"));
	assert_non_null(strstr(said, "No such file or directory; driftd.yaml(5)"));
}

/* ---- what the caller holds against clusters ---- */

static size_t n_checked;
static char checked[16][256];

static void refuse(const struct cfg_cluster *c, struct problems *problems)
{
	assert_true(n_checked < ARRAY_LEN(checked));
	(void)snprintf(checked[n_checked++], sizeof(checked[0]), "%.*s %.*s", STR_ARG(c->name), STR_ARG(c->kubeconfig));
	problems_add(problems, "%.*s is refused", STR_ARG(c->name));
}

static void approve(const struct cfg_cluster *c, struct problems *problems)
{
	(void)c;
	(void)problems;
	n_checked++;
}

static int load_checked(const char *file, cfg_cluster_check *check, struct cfg **ret, char **said)
{
	struct problems problems = { 0 };
	struct err err;
	int r;

	n_checked = 0;
	r = cfg_load_checked(&file, 1, &limits, NULL, check, NULL, ret, &problems, &err);
	*said = problems_text(&problems);
	problems_done(&problems);
	return r;
}

/* Other mistakes do not keep a cluster from being looked at; one in its own entry does. */
static void test_clusters_are_checked_beside_mistakes(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = NULL;
	CLEANUP(freep) char *said = NULL;

	(void)state;
	assert_int_equal(load_checked(DATA "/checked.yaml", refuse, &c, &said), -EINVAL);
	assert_null(c);
	assert_int_equal(n_checked, 2);
	assert_string_equal(checked[0], "right " DATA "/right.kubeconfig");
	assert_string_equal(checked[1], "lost " DATA "/lost.kubeconfig");
	assert_non_null(strstr(said, "'paper' is not an output"));
	assert_non_null(strstr(said, "did you mean 'kubeconfig'"));
	assert_non_null(strstr(said, "right is refused\nlost is refused"));
}

static void test_a_refused_cluster_is_a_mistake(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = NULL;
	CLEANUP(freep) char *said = NULL, *nothing = NULL;

	(void)state;
	assert_int_equal(load_checked(DATA "/minimal.yaml", refuse, &c, &said), -EINVAL);
	assert_null(c);
	assert_string_equal(said, "here is refused");
	assert_int_equal(load_checked(DATA "/minimal.yaml", approve, &c, &nothing), 0);
	assert_int_equal(n_checked, 1);
	assert_string_equal(nothing, "");
}

/* ---- built-in rules ---- */

/* The folder @dir with a configuration @text in it. */
static struct cfg *load_text(const char *dir, const char *text)
{
	char path[256];
	const char *files[] = { path };

	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", dir);
	put(path, text);
	return load(files, 1);
}

#define REFERENCES                                                                                                     \
	"references:\n  - {name: helm, helm_releases: {}}\n"                                                           \
	"  - {name: applied, last_applied: {kinds: [Deployment.apps, ConfigMap, Service]}}\n"

/* What is said behind the first line, which has the name of the file. */
static void assert_begins(const struct cfg *c, const char *words, const char *lines)
{
	CLEANUP(buf_done) struct buf said = BUF_INIT(4096);
	str rest, first;

	cfg_add_beginning(c, &said);
	rest = buf_str(&said);
	assert_true(str_next_part(&rest, '\n', &first));
	if (str_find(first, str_from(words)) < 0 || str_find(first, STR("driftd.yaml")) < 0)
		fail_msg("'%.*s' has no '%s'", STR_ARG(first), words);
	assert_str(rest, lines);
}

static void test_a_beginning(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = NULL, *followed = NULL, *no_reference = NULL;
	CLEANUP(buf_done) struct buf none = BUF_INIT(4096);
	char dir[] = "/tmp/driftd-beginning-XXXXXX", path[256];

	(void)state;
	assert_non_null(mkdtemp(dir));
	c = load_text(dir, "references: []\n");
	assert_begins(c, "kubeconfig of a cluster beside it",
		      "clusters:\n  - {name: prod, kubeconfig: prod.kubeconfig}\n" REFERENCES);
	(void)snprintf(path, sizeof(path), "%s/b.kubeconfig", dir);
	put(path, "");
	assert_begins(c, "to begin with", "clusters:\n  - {name: b, kubeconfig: b.kubeconfig}\n" REFERENCES);
	/* Names that would be something else in YAML, or nothing, are none. */
	static const char *const others[] = { "a-1", "x, y", "a\nb", ".hidden", "-", "" };
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s.kubeconfig", dir, others[i]);
		put(path, "");
	}
	assert_begins(c, "to begin with",
		      "clusters:\n  - {name: a-1, kubeconfig: a-1.kubeconfig}\n"
		      "  - {name: b, kubeconfig: b.kubeconfig}\n" REFERENCES);
	followed = load_text(dir, "clusters:\n  - {name: b, kubeconfig: b.kubeconfig}\n" REFERENCES);
	assert_null(cfg_nothing(followed));
	cfg_add_beginning(followed, &none);
	assert_int_equal(none.n, 0);
	no_reference = load_text(dir, "clusters: [{name: b, kubeconfig: b.kubeconfig}]\nvalidation_rules: []\n");
	assert_begins(no_reference, "to begin with", REFERENCES);
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s.kubeconfig", dir, others[i]);
		(void)unlink(path);
	}
	(void)snprintf(path, sizeof(path), "%s/b.kubeconfig", dir);
	(void)unlink(path);
	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", dir);
	(void)unlink(path);
	assert_int_equal(rmdir(dir), 0);
}

static void test_built_in_rules(void **state)
{
	static const char *const files[] = { DATA "/good/driftd.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = load(files, 1);
	struct problems problems = { 0 };
	struct insp_builtins rules;
	struct err err;

	(void)state;
	assert_int_equal(cfg_load_builtins(c, &limits, &rules, &problems, &err), 0);
	assert_false(problems_any(&problems));
	assert_int_equal(rules.rules.n, 2);
	assert_str(rules.rules.p[1]->uuid, "named");
	insp_builtins_done(&rules);
}

/* They are for the start to read, and for who looks for all mistakes. */
static void test_mistakes_of_built_in_rules(void **state)
{
	static const char *const files[] = { DATA "/built-in.yaml" };
	static const char expected[] =
		DATA "/built-in.yaml:3:30: 'loud' is not a severity: critical, error, warning, "
		     "notice or info\n" DATA "/inspection.yaml:1:19: actions[0]: unsupported action 'fial'\n" DATA
		     "/inspection.yaml:2:31: actions[0]: missing required argument(s): msg";
	CLEANUP(cfg_unrefp) struct cfg *c = NULL;
	CLEANUP(freep) char *said = NULL, *alone = NULL;

	(void)state;
	assert_int_equal(load_checked(files[0], approve, &c, &said), -EINVAL);
	assert_string_equal(said, expected);
	assert_int_equal(load_checked(files[0], NULL, &c, &alone), -EINVAL);
	assert_null(strchr(alone, '\n'));
}

static void test_severities(void **state)
{
	enum severity s = SEVERITY_INFO;

	(void)state;
	for (int i = SEVERITY_CRITICAL; i <= SEVERITY_INFO; i++) {
		assert_true(severity_parse(str_from(severity_name((enum severity)i)), &s));
		assert_int_equal(s, i);
	}
	assert_false(severity_parse(STR("Warning"), &s));
	assert_false(severity_parse(STR(""), &s));
	assert_int_equal(s, SEVERITY_INFO);
}

static void test_settings_are_described(void **state)
{
	static const char *const words[] = { "clusters",    "references",    "telemetry_path",   "component_severity",
					     "event_rules", "exclude_names", CFG_LISTEN_DEFAULT, "inspection_rules",
					     "built_in",    "mask_secrets",  "auto_discovery",   "an entry of watch" };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	(void)state;
	cfg_print_settings(&out);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_true(str_find(buf_str(&out), str_from(words[i])) >= 0);
}

/* What a reference may name: nothing outside its folder. */
static void test_a_reference_stays_in_its_folder(void **state)
{
	static const char *const outside[] = {
		"../config/minimal.yaml", "/etc/hostname", "a/../../x", "", "..", "x\0y"
	};
	struct cfg_ref_dir dir = { .fd = -1 };
	struct ref_source source = cfg_ref_dir_source(&dir);
	char *text = NULL;
	struct err err;
	size_t n;
	str name;

	(void)state;
	assert_int_equal(cfg_ref_dir_open(&dir, STR(DATA "/ref/metadata.yaml"), &name, &err), 0);
	assert_str(name, "metadata.yaml");
	assert_int_equal(source.read(source.ctx, name, 1u << 20, &text, &n, &err), 0);
	free(text);
	for (size_t i = 0; i < ARRAY_LEN(outside); i++) {
		str path = i + 1 < ARRAY_LEN(outside) ? str_from(outside[i]) : (str){ outside[i], 3 };

		assert_int_equal(source.read(source.ctx, path, 1u << 20, &text, &n, &err), -EINVAL);
	}
	assert_int_equal(source.read(source.ctx, STR("absent.yaml"), 1u << 20, &text, &n, &err), -ENOENT);
	assert_int_equal(source.read(source.ctx, name, 10, &text, &n, &err), -E2BIG);
	cfg_ref_dir_close(&dir);
	cfg_ref_dir_close(&dir);
	assert_int_equal(cfg_ref_dir_open(&dir, STR(DATA "/nowhere/metadata.yaml"), &name, &err), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_everything_set),
		cmocka_unit_test(test_inspection),
		cmocka_unit_test(test_no_inspection),
		cmocka_unit_test(test_exclusion),
		cmocka_unit_test(test_rule_files_by_pattern),
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_conf_d_is_merged_in_order),
		cmocka_unit_test(test_mistakes),
		cmocka_unit_test(test_no_file),
		cmocka_unit_test(test_clusters_are_checked_beside_mistakes),
		cmocka_unit_test(test_a_refused_cluster_is_a_mistake),
		cmocka_unit_test(test_a_beginning),
		cmocka_unit_test(test_built_in_rules),
		cmocka_unit_test(test_mistakes_of_built_in_rules),
		cmocka_unit_test(test_severities),
		cmocka_unit_test(test_settings_are_described),
		cmocka_unit_test(test_a_reference_stays_in_its_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
