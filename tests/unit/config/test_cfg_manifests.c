/* References of manifests in a configuration: what their settings mean, what makes them others, and what is warned of.
 * The mistakes in them are those of test_cfg.c. */
#include "config/cfg.h"

#include "support/edited_file.h"

#include <sys/stat.h>
#include <unistd.h>

static struct limits limits = LIMITS_DEFAULT;

static const struct edited_file files[] = {
	{ "driftd.yaml",
	  "clusters: [{name: a, kubeconfig: k, references: [one]}, {name: b, kubeconfig: k, references: [two, "
	  "three]}]\n"
	  "references:\n"
	  "- {name: one, manifests: m, namespace: ns, include: ['*.yaml'], exclude: left/*, additions: ignore,\n"
	  "   component_severity: {e/b.yaml: critical},\n"
	  "   orphans: {labels: {matchLabels: {app: web}},\n"
	  "     kinds: [Deployment.apps, ConfigMap, Gadget.v1.example.com, Within.example.com, Node.v1, "
	  "CronJob.batch]}}\n"
	  "- {name: two, manifests: m/e/b.yaml, orphans: {labels: 'a in (x, y)'}}\n"
	  "- {name: three, path: t/metadata.yaml}\n"
	  "validation_rules: [rules.yaml]\n" },
	{ "m/a.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {x: '1'}\n" },
	{ "m/e/b.yaml",
	  "apiVersion: v1\nkind: Service\nmetadata: {name: b}\nspec: {type: ClusterIP, type: NodePort}\n---\n"
	  "apiVersion: example.com/v1beta7\nkind: Within\nmetadata: {name: c}\n" },
	{ "m/left/c.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n" },
	{ "m/f.json", "{\"apiVersion\": \"v1\", \"kind\": \"ConfigMap\", \"metadata\": {\"name\": \"d\"}}\n" },
	{ "t/metadata.yaml", "apiVersion: v2\nparts: [{name: p, components: [{name: x, allOf: [{path: t.yaml}]}]}]\n" },
	{ "t/t.yaml", "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: one}\n" },
	{ "rules.yaml", "apiVersion: v1\nkind: ConfigMap\nrules: [{rule: 'true'}]\n" },
};

static const char *const folders[] = { "t", "m", "m/e", "m/left" };

static int setup(void **state)
{
	char dir[] = "/tmp/driftd-cfg-manifests-XXXXXX";

	(void)state;
	if (!mkdtemp(dir) || chdir(dir) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++)
		assert_int_equal(mkdir(folders[i], 0700), 0);
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
	for (size_t i = ARRAY_LEN(folders); i-- > 0;)
		(void)rmdir(folders[i]);
	return !getcwd(dir, sizeof(dir)) || chdir("/") < 0 || rmdir(dir) < 0;
}

static struct cfg *load(void)
{
	static const char *const names[] = { "driftd.yaml" };
	struct problems problems = { 0 };
	struct cfg *c = NULL;
	struct err err;

	if (cfg_load(names, 1, &limits, NULL, &c, &problems, &err) < 0)
		fail_msg("%s", problems.list.n ? problems.list.p[0] : err.msg);
	problems_done(&problems);
	return c;
}

static void assert_str(str s, const char *expected)
{
	if (!str_eq(s, str_from(expected)))
		fail_msg("'%.*s' instead of '%s'", STR_ARG(s), expected);
}

/* ---- what settings mean ---- */

static void assert_template(const struct reference *ref, size_t i, const char *identity, bool orphans)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);

	assert_true(i < ref->n_templates);
	identity_text(&ref->templates[i]->identity, &text);
	assert_str(buf_str(&text), identity);
	assert_int_equal(ref->templates[i]->use == REF_ORPHANS, orphans);
}

/* The reference may outlive the entry: it has the same for itself. */
static void assert_orphans(const struct ref_choice *choice, const struct ref_choice *entry)
{
	assert_ptr_not_equal(choice, entry);
	assert_int_equal(choice->labels.n, entry->labels.n);
	assert_ptr_not_equal(choice->labels.requirements, entry->labels.requirements);
	assert_int_equal(label_selector_hash(&choice->labels, 1), label_selector_hash(&entry->labels, 1));
	assert_int_equal(choice->n_namespaces, 0);
}

static void test_settings(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = load();
	const struct cfg_reference *r = &c->references[0];
	const struct reference *ref = r->reference;

	(void)state;
	assert_str(r->manifests.path, "m");
	assert_int_equal(r->path.n, 0);
	assert_int_equal(cfg_severity(r, STR("e/b.yaml")), SEVERITY_CRITICAL);
	assert_int_equal(cfg_severity(r, STR("a.yaml")), SEVERITY_WARNING);
	assert_int_equal(cfg_severity(r, STR("orphans")), SEVERITY_WARNING);
	assert_true(ref->manifests);
	assert_false(ref->additions);
	assert_int_equal(ref->n_templates, 9);
	assert_template(ref, 0, "v1_ConfigMap_ns_a", false);
	assert_template(ref, 1, "v1_Service_ns_b", false);
	assert_template(ref, 2, "example.com/v1beta7_Within_ns_c", false);
	assert_template(ref, 3, "apps/v1_Deployment_", true);
	assert_template(ref, 4, "v1_ConfigMap_", true);
	assert_template(ref, 5, "example.com/v1_Gadget_", true);
	assert_template(ref, 6, "example.com/v1beta7_Within_", true); /* as the manifests have it */
	assert_template(ref, 7, "v1_Node_", true);
	assert_template(ref, 8, "batch/v1_CronJob_", true);
	assert_int_equal(r->manifests.orphans.labels.n, 1);
	assert_orphans(ref->templates[3]->choice, &r->manifests.orphans);
}

static void test_defaults(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = load();
	const struct cfg_reference *r = &c->references[1];

	(void)state;
	assert_str(r->manifests.namespace, "default");
	assert_true(r->reference->additions);
	assert_int_equal(r->reference->parts[0].n_components, 3); /* kinds, and orphans */
	assert_template(r->reference, 0, "v1_Service_default_b", false);
	assert_template(r->reference, 1, "example.com/v1beta7_Within_default_c", false);
	assert_template(r->reference, 2, "v1_Service_", true);
	assert_template(r->reference, 3, "example.com/v1beta7_Within_", true);
	assert_int_equal(c->references[2].manifests.path.n, 0);
	assert_false(c->references[2].reference->manifests);
}

/* What is accepted and cannot be meant, once for each reference. */
static void test_warnings(void **state)
{
	CLEANUP(cfg_unrefp) struct cfg *c = load();

	(void)state;
	assert_int_equal(c->n_warnings, 2);
	assert_str(c->warnings[0],
		   "m/e/b.yaml:4:25: the key 'type' stands there twice: the last one counts (reference 'one')");
	assert_str(c->warnings[1],
		   "m/e/b.yaml:4:25: the key 'type' stands there twice: the last one counts (reference 'two')");
}

/* ---- what is another ---- */

struct facts {
	uint64_t content, one, two, a, b;
};

static struct facts facts(void)
{
	CLEANUP(cfg_unrefp) struct cfg *c = load();

	return (struct facts){ c->content, c->references[0].content, c->references[1].content,
			       cfg_cluster_hash(c, &c->clusters[0], 1), cfg_cluster_hash(c, &c->clusters[1], 1) };
}

/* Manifests are another reference, whose clusters are others; the rest of the configuration is what it was. */
static void test_each_change(void **state)
{
	static const struct {
		const char *file, *from, *to;
		bool rest, one, two;
	} cases[] = {
		{ "driftd.yaml", NULL, NULL, false, false, false },
		{ "m/a.yaml", "'1'", "'2'", false, true, false },
		{ "m/a.yaml", "data: {x", "# data\ndata: {x", false, true, false },
		{ "m/e/b.yaml", "NodePort", "ClusterIP", false, true, true },
		{ "m/left/c.yaml", "name: c", "name: d", false, false, false },
		{ "m/f.json", "\"d\"", "\"e\"", false, false, false },
		{ "driftd.yaml", "references:", "# moved by a line\nreferences:", true, false, false },
		{ "driftd.yaml", "namespace: ns", "namespace: other", true, true, false },
		{ "driftd.yaml", "additions: ignore", "additions: drift", true, true, false },
		{ "driftd.yaml", "exclude: left/*", "exclude: [left/*, x]", true, false, false }, /* the same files */
		{ "driftd.yaml", "exclude: left/*", "exclude: x", true, true, false },
		{ "driftd.yaml", "'*.yaml'", "'*'", true, true, false },
		{ "driftd.yaml", "app: web", "app: db", true, true, false },
		{ "driftd.yaml", "app: web", "ap: web", true, true, false },
		{ "driftd.yaml", "Deployment.apps", "Deployment.v1.apps", true, true, false },
		{ "driftd.yaml", ", CronJob.batch", "", true, true, false },
		{ "driftd.yaml", "a in (x, y)", "a in (x)", true, false, true },
		{ "driftd.yaml", "a in (x, y)", "a notin (x, y)", true, false, true },
		{ "driftd.yaml", ", orphans: {labels: 'a in (x, y)'}", "", true, false, true },
		{ "t/t.yaml", "name: one", "name: other", true, false, false },
		{ "rules.yaml", "'true'", "'false'", true, false, false },
	};
	struct facts before, after;

	(void)state;
	before = facts();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct edited_file *f = files;

		while (strcmp(f->name, cases[i].file) != 0)
			f++;
		edited_file_put(f, cases[i].from, cases[i].to);
		after = facts();
		edited_file_put(f, NULL, NULL);
		if ((after.content != before.content) != cases[i].rest || (after.one != before.one) != cases[i].one ||
		    (after.two != before.two) != cases[i].two)
			fail_msg("%s: '%s' to '%s'", cases[i].file, cases[i].from, cases[i].to);
		if ((cases[i].one && after.a == before.a) || (cases[i].two && after.b == before.b))
			fail_msg("%s: '%s' to '%s', for the clusters", cases[i].file, cases[i].from, cases[i].to);
	}
	after = facts();
	assert_memory_equal(&before, &after, sizeof(before));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_settings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_defaults, setup, teardown),
		cmocka_unit_test_setup_teardown(test_warnings, setup, teardown),
		cmocka_unit_test_setup_teardown(test_each_change, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
