/* What makes a cluster's configuration another one: each change in turn, and that nothing else does. */
#include "config/cfg.h"

#include "support/edited_file.h"

#include <sys/stat.h>
#include <unistd.h>

static struct limits limits = LIMITS_DEFAULT;

static const struct edited_file files[] = {
	{ "driftd.yaml",
	  "clusters:\n"
	  "- {name: a, kubeconfig: ka, context: c, references: [one]}\n"
	  "- {name: b, kubeconfig: kb, references: [two, three]}\n"
	  "references:\n"
	  "- {name: one, path: one/metadata.yaml, severity: error, inspection_scope: x}\n"
	  "- {name: two, path: two/metadata.yaml, component_severity: {x: critical}, event_rules: [e, f], "
	  "exclude_names: n}\n"
	  "- {name: three, path: bundle.yaml}\n"
	  "event_rules: [{name: e, path: e.yaml}, {name: f, path: f.yaml}]\n"
	  "validation_rules: [rules.yaml]\n"
	  "sensitive_fields: [pin]\n"
	  "inspection_rules: {built_in: built-in.yaml, supported_interfaces: Pod, allow_api_call: ['http://a/b'], "
	  "severity: notice}\n"
	  "auto_discovery: {inspection_scope: s}\n"
	  "watch: [{apiVersion: v1, kind: Pod, namespaces: [a, b]}]\n"
	  "metrics: {listen: ['127.0.0.1:1']}\n" },
	{ "one/metadata.yaml", "apiVersion: v2\n"
			       "parts: [{name: p, components: [{name: x, allOf: [{path: t.yaml}]}]}]\n"
			       "templateFunctionFiles: [f.tmpl]\n" },
	{ "one/t.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\ndata: {a: '{{ template \"f\" }}'}\n" },
	{ "one/f.tmpl", "{{ define \"f\" }}text{{ end }}\n" },
	{ "two/metadata.yaml", "apiVersion: v2\nparts: [{name: p, components: [{name: x, allOf: [{path: t.yaml}]}, "
			       "{name: z, allOf: [{path: u.yaml}]}]}]\n" },
	{ "two/u.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\n" },
	{ "two/t.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: two}\n" },
	{ "bundle.yaml", "Kind: kubegen.k8s.io/Bundle.v1alpha2\nModules: [{Name: m, SourceDir: mod}]\n" },
	{ "mod/m.yml", "Kind: kubegen.k8s.io/Module.v1alpha2\n"
		       "ConfigMaps: [{name: c, data: {kubegen.Object.LoadYAML: d/data.yaml}}]\n" },
	{ "mod/d/data.yaml", "text: one\n" },
	{ "e.yaml", "rules: [{type: allow, path: a}]\n" },
	{ "f.yaml", "rules: [{type: warn, path: a}]\n" },
	{ "rules.yaml", "apiVersion: v1\nkind: ConfigMap\nrules: [{rule: 'true'}]\n" },
	{ "built-in.yaml", "[{actions: [{op: log, args: [a]}]}]\n" },
};

static int setup(void **state)
{
	char dir[] = "/tmp/driftd-hash-XXXXXX";

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) < 0 || mkdir("one", 0700) < 0 || mkdir("two", 0700) < 0 ||
	    mkdir("mod", 0700) < 0 || mkdir("mod/d", 0700) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		edited_file_put(&files[i], NULL, NULL);
	return 0;
}

static int teardown(void **state)
{
	char dir[256];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		(void)unlink(files[i].name);
	return rmdir("one") < 0 || rmdir("two") < 0 || rmdir("mod/d") < 0 || rmdir("mod") < 0 ||
	       !getcwd(dir, sizeof(dir)) || chdir("/") < 0 || rmdir(dir) < 0;
}

static void hashes(uint64_t ret[2])
{
	static const char *const names[] = { "driftd.yaml" };
	CLEANUP(cfg_unrefp) struct cfg *c = NULL;
	struct problems problems = { 0 };
	struct err err;

	if (cfg_load(names, 1, &limits, NULL, &c, &problems, &err) < 0)
		fail_msg("%s", problems.list.n ? problems.list.p[0] : err.msg);
	problems_done(&problems);
	for (size_t i = 0; i < 2; i++)
		ret[i] = cfg_cluster_hash(c, &c->clusters[i], 1);
}

static void test_each_change(void **state)
{
	static const struct {
		const char *file, *from, *to;
		bool a, b; /* is it another configuration for that cluster? */
	} cases[] = {
		{ "driftd.yaml", NULL, NULL, false, false },
		{ "driftd.yaml", "clusters:", "# moved by a line\nclusters:", false, false },
		{ "driftd.yaml", "'127.0.0.1:1'", "'127.0.0.1:2'", false, false },
		{ "driftd.yaml", "kubeconfig: ka", "kubeconfig: kc", true, false },
		{ "driftd.yaml", "context: c", "context: d", true, false },
		{ "driftd.yaml", "references: [one]", "references: [one, two]", true, false },
		{ "driftd.yaml", "kubeconfig: kb", "kubeconfig: kb, context: c", false, true },
		{ "driftd.yaml", "severity: error", "severity: notice", true, false },
		{ "driftd.yaml", "x: critical", "x: error", false, true },
		{ "driftd.yaml", "x: critical", "z: critical", false, true },
		{ "driftd.yaml", "[pin]", "[pin, code]", true, true },
		{ "driftd.yaml", "sensitive_fields: [pin]\n", "", true, true },
		{ "driftd.yaml", "sensitive_fields", "shown_fields: [key]\nsensitive_fields", true, true },
		{ "driftd.yaml", "sensitive_fields", "shown_fields", true, true },
		{ "driftd.yaml", "validation_rules: [rules.yaml]\n", "", true, true },
		{ "driftd.yaml", "sensitive_fields", "validation_severity: error\nsensitive_fields", true, true },
		{ "driftd.yaml", "[e, f]", "[f, e]", false, true },
		{ "driftd.yaml", "exclude_names: n", "exclude_names: [n, m]", false, true },
		{ "driftd.yaml", "exclude_names: n", "exclude_namespaces: n", false, true },
		{ "driftd.yaml", "severity: error", "severity: error, exclude_namespaces: n", true, false },
		{ "driftd.yaml", "severity: error", "severity: error, event_rules: e", true, false },
		{ "e.yaml", "allow", "ignore", false, true },
		{ "e.yaml", "path: a", "path: b", false, true },
		{ "one/metadata.yaml", "name: p", "name: q", true, false },
		{ "one/t.yaml", "name: one", "name: other", true, false },
		{ "one/f.tmpl", "text", "test", true, false },
		{ "two/t.yaml", "name: two", "name: 'two'", false, true },
		{ "bundle.yaml", "Name: m", "Name: other", false, true },
		{ "mod/m.yml", "name: c", "name: d", false, true },
		{ "mod/d/data.yaml", "one", "two", false, true },
		{ "rules.yaml", "'true'", "'false'", true, true },
		{ "built-in.yaml", "[a]", "[b]", false, false }, /* they are read at the start */
		{ "driftd.yaml", "built-in.yaml", "e.yaml", false, false },
		{ "driftd.yaml", "supported_interfaces: Pod", "supported_interfaces: Job", true, true },
		{ "driftd.yaml", "supported_interfaces: Pod", "mask_secrets: never", true, true },
		{ "driftd.yaml", "built_in:", "mask_secrets: never, built_in:", true, true },
		{ "driftd.yaml", "built_in:", "default_scope: x, built_in:", true, true },
		{ "driftd.yaml", "built_in:", "effects_per_minute: 5, built_in:", true, true },
		{ "driftd.yaml", "['http://a/b']", "['http://a/c']", true, true },
		{ "driftd.yaml", "['http://a/b']", "false", true, true },
		{ "driftd.yaml", "severity: notice", "severity: info", true, true },
		{ "driftd.yaml", "inspection_scope: s}", "inspection_scope: t}", true, true },
		{ "driftd.yaml", "inspection_scope: x", "inspection_scope: y", true, false },
		{ "driftd.yaml", "kind: Pod", "kind: Secret", true, true },
		{ "driftd.yaml", "apiVersion: v1", "apiVersion: v2", true, true },
		{ "driftd.yaml", "[a, b]", "[a]", true, true },
		{ "driftd.yaml", "watch: [", "watch: [{apiVersion: v1, kind: Node}, ", true, true },
	};
	uint64_t before[2], after[2];

	(void)state;
	hashes(before);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct edited_file *f = files;

		while (strcmp(f->name, cases[i].file) != 0)
			f++;
		edited_file_put(f, cases[i].from, cases[i].to);
		hashes(after);
		edited_file_put(f, NULL, NULL);
		if ((after[0] != before[0]) != cases[i].a || (after[1] != before[1]) != cases[i].b)
			fail_msg("%s: '%s' to '%s'", cases[i].file, cases[i].from, cases[i].to);
	}
	hashes(after);
	assert_memory_equal(before, after, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_each_change, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
