/* What is watched of a cluster: as little as references and rules allow, and nothing twice. */
#include "daemon/watch/source/watch_plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#define TEMPLATES_MAX 12
#define T(api_version, kind, metadata) "apiVersion: " api_version "\nkind: " kind "\nmetadata: {" metadata "}\n"
#define CM(metadata) T("v1", "ConfigMap", metadata)
#define ANY "'{{ .metadata.name }}'"

static const struct plan_case {
	const char *name;
	const char *templates[TEMPLATES_MAX];
	const char *rules;   /* of a rule file, without its rules; NULL: there is none */
	const char *cluster; /* further settings of the cluster */
	const char *plan;    /* a line for each collection */
	const char *watch;   /* the setting; NULL: there is none */
} cases[] = {
	{ "a fixed name and namespace", { CM("name: a, namespace: ns") }, NULL, "", "v1 ConfigMap ns/a\n", NULL },
	{ "a fixed namespace", { CM("name: " ANY ", namespace: ns") }, NULL, "", "v1 ConfigMap ns/\n", NULL },
	{ "a fixed name", { CM("name: a") }, NULL, "", "v1 ConfigMap /a\n", NULL },
	{ "nothing fixed", { CM("name: " ANY) }, NULL, "", "v1 ConfigMap /\n", NULL },
	{ "what has no version cannot be asked for",
	  { T("'{{ .apiVersion }}'", "ConfigMap", "name: a") },
	  NULL,
	  "",
	  "",
	  NULL },
	{ "equal and covered ones count once",
	  { CM("name: a, namespace: ns"), CM("name: " ANY ", namespace: ns"), CM("name: a, namespace: m"),
	    CM("name: b, namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap m/a\nv1 ConfigMap ns/\n",
	  NULL },
	{ "names anywhere count once, and cover those in namespaces",
	  { CM("name: b, namespace: m"), CM("name: a, namespace: ns"), CM("name: b"), CM("name: a, namespace: ns"),
	    CM("name: c"), CM("name: b"), CM("name: b, namespace: ns"), CM("name: d, namespace: m") },
	  NULL,
	  "",
	  "v1 ConfigMap /b\nv1 ConfigMap /c\nv1 ConfigMap m/d\nv1 ConfigMap ns/a\n",
	  NULL },
	{ "all of a kind covers whatever comes before and behind it",
	  { CM("name: b, namespace: m"), CM("name: c"), CM("name: " ANY ", namespace: ns"), CM("name: " ANY),
	    CM("name: a, namespace: a") },
	  NULL,
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "a name anywhere and a whole namespace may hold the same object",
	  { CM("name: a"), CM("name: " ANY ", namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "kinds apart",
	  { CM("name: a, namespace: ns"), T("apps/v1", "Deployment", "name: a, namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap ns/a\napps/v1 Deployment ns/a\n",
	  NULL },
	{ "many names in a namespace are the namespace",
	  { CM("name: a, namespace: ns"), CM("name: b, namespace: ns"), CM("name: c, namespace: ns"),
	    CM("name: d, namespace: ns"), CM("name: e, namespace: ns"), CM("name: f, namespace: ns"),
	    CM("name: g, namespace: ns"), CM("name: h, namespace: ns"), CM("name: i, namespace: m") },
	  NULL,
	  "",
	  "v1 ConfigMap m/\nv1 ConfigMap ns/\n",
	  NULL },
	{ "many namespaces are the cluster",
	  { CM("name: a, namespace: a"), CM("name: a, namespace: b"), CM("name: a, namespace: c"),
	    CM("name: a, namespace: d"), CM("name: a, namespace: e"), CM("name: a, namespace: f"),
	    CM("name: a, namespace: g"), CM("name: a, namespace: h"), CM("name: a, namespace: i") },
	  NULL,
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "look-ups with constants",
	  { CM("name: a, namespace: ns, labels: {x: '{{ len (lookupCRs \"v1\" \"Secret\" \"s\" \"*\") }}'}") },
	  NULL,
	  "",
	  "v1 ConfigMap ns/a\nv1 Secret s/\n",
	  NULL },
	{ "a look-up for any kind needs all of what is watched",
	  { CM("name: a, namespace: ns, labels: {x: '{{ len (lookupCRs (print .apiVersion) (print .kind) \"s\" \"*\") "
	       "}}'}") },
	  NULL,
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "rules with and without a name",
	  { CM("name: a, namespace: ns") },
	  "{apiVersion: v1, kind: ConfigMap, namespace: ns, name: b, ",
	  "",
	  "v1 ConfigMap ns/a\nv1 ConfigMap ns/b\n",
	  NULL },
	{ "rules for all of a kind",
	  { CM("name: a, namespace: ns") },
	  "{apiVersion: v1, kind: ConfigMap, ",
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "rules with a pattern are for what is watched",
	  { CM("name: a, namespace: ns") },
	  "{apiVersion: v1, kind: 'C*', namespace: 'm*', ",
	  "",
	  "v1 ConfigMap /\n",
	  NULL },
	{ "a binding anywhere may name the account",
	  { T("v1", "ServiceAccount", "name: a, namespace: ns"),
	    T("rbac.authorization.k8s.io/v1", "RoleBinding", "name: a, namespace: ns") },
	  NULL,
	  "",
	  "v1 ServiceAccount ns/a\nrbac.authorization.k8s.io/v1 RoleBinding /\n",
	  NULL },
	{ "custom resources are held against the rules of their definition",
	  { T("e.x/v1", "Widget", "name: a") },
	  NULL,
	  "",
	  "e.x/v1 Widget /\ndefinitions\n",
	  NULL },
	{ "unless that is not wanted",
	  { T("e.x/v1", "Widget", "name: a") },
	  NULL,
	  ", crd_rules: referenced",
	  "e.x/v1 Widget /a\ndefinitions\n",
	  NULL },
	{ "a kind that nothing else is about",
	  { CM("name: a, namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap ns/a\nv1 Service /\n",
	  "{apiVersion: v1, kind: Service}" },
	{ "in some namespaces, once each",
	  { CM("name: a, namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap ns/a\nv1 Service a/\nv1 Service b/\n",
	  "{apiVersion: v1, kind: Service, namespaces: [b, a, b]}" },
	{ "a kind that references are about is watched once, as far as both need",
	  { CM("name: a, namespace: ns"), CM("name: b, namespace: m") },
	  NULL,
	  "",
	  "v1 ConfigMap m/b\nv1 ConfigMap ns/\n",
	  "{apiVersion: v1, kind: ConfigMap, namespaces: ns}" },
	{ "all of a kind that references are about in part",
	  { CM("name: a, namespace: ns") },
	  NULL,
	  "",
	  "v1 ConfigMap /\n",
	  "{apiVersion: v1, kind: ConfigMap}" },
	{ "more namespaces than a kind has collections",
	  { T("v1", "Secret", "name: a") },
	  NULL,
	  "",
	  "v1 Secret /a\nv1 Service /\n",
	  "{apiVersion: v1, kind: Service, namespaces: [a, b, c, d, e, f, g, h, i]}" },
	{ "without a reference",
	  { NULL },
	  NULL,
	  "",
	  "v1 Service a/\n",
	  "{apiVersion: v1, kind: Service, namespaces: a}" },
	{ "rules with a pattern are for it",
	  { NULL },
	  "{apiVersion: v1, kind: 'S*', namespace: m, ",
	  "",
	  "v1 Service a/\nv1 Service m/\n",
	  "{apiVersion: v1, kind: Service, namespaces: a}" },
	{ "of a definition, in part where its rules are not wanted",
	  { NULL },
	  NULL,
	  ", crd_rules: referenced",
	  "e.x/v1 Widget a/\ndefinitions\n",
	  "{apiVersion: e.x/v1, kind: Widget, namespaces: a}" },
};

static void write_file(const char *dir, const char *name, const char *text)
{
	char path[300];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", dir, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void write_reference(const char *dir, const struct plan_case *c)
{
	char metadata[4096] = "apiVersion: v2\nparts:\n- name: p\n  components:\n  - name: c\n    allOf:\n";
	size_t at = strlen(metadata);

	for (int i = 0; i < TEMPLATES_MAX && c->templates[i]; i++) {
		char name[16];

		(void)snprintf(name, sizeof(name), "t%d.yaml", i);
		write_file(dir, name, c->templates[i]);
		at += (size_t)snprintf(metadata + at, sizeof(metadata) - at, "    - path: %s\n", name);
	}
	write_file(dir, "metadata.yaml", metadata);
}

static struct cfg *load(const char *dir, const struct plan_case *c, struct key_table *keys)
{
	const struct limits limits = LIMITS_DEFAULT;
	struct problems problems = { 0 };
	char text[1024], path[300];
	const char *const files[] = { path };
	struct cfg *cfg = NULL;
	struct err err;

	write_reference(dir, c);
	(void)snprintf(text, sizeof(text), "clusters: [{name: c, kubeconfig: k%s}]\n%s%swatch: [%s]\n", c->cluster,
		       c->templates[0] ? "references: [{name: r, path: metadata.yaml}]\n" : "",
		       c->rules ? "validation_rules: [rules.yaml]\n" : "", c->watch ? c->watch : "");
	write_file(dir, "driftd.yaml", text);
	(void)snprintf(text, sizeof(text), "%s rules: [{rule: 'true'}]}\n", c->rules ? c->rules : "{");
	write_file(dir, "rules.yaml", text);
	(void)snprintf(path, sizeof(path), "%s/driftd.yaml", dir);
	if (cfg_load(files, 1, &limits, keys, &cfg, &problems, &err) < 0)
		fail_msg("%s: %s %s", c->name, err.msg, problems_text(&problems));
	problems_done(&problems);
	return cfg;
}

static void describe(const struct watch_plan *p, struct buf *out)
{
	for (size_t i = 0; i < p->kinds.n; i++) {
		const struct planned_kind *k = &p->kinds.p[i];

		for (size_t s = 0; s < k->scopes.n; s++)
			buf_printf(out, "%.*s %.*s %.*s/%.*s\n", STR_ARG(k->api_version), STR_ARG(k->kind),
				   STR_ARG(k->scopes.p[s].namespace), STR_ARG(k->scopes.p[s].name));
	}
	if (p->defined)
		buf_add_cstr(out, "definitions\n");
}

static void test_plans(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf plan = BUF_INIT(65536);
		char dir[] = "/tmp/driftd-plan-XXXXXX", command[64];
		struct key_table *keys = key_table_new();
		struct watch_plan p;
		struct cfg *cfg;
		struct err err;

		assert_non_null(mkdtemp(dir));
		cfg = load(dir, &cases[i], keys);
		assert_int_equal(watch_plan_make(cfg, &cfg->clusters[0], &p, &err), 0);
		describe(&p, &plan);
		if (!str_eq(buf_str(&plan), str_from(cases[i].plan)))
			fail_msg("%s:\n%.*sinstead of\n%s", cases[i].name, STR_ARG(buf_str(&plan)), cases[i].plan);
		watch_plan_done(&p);
		cfg_unref(cfg);
		key_table_free(keys);
		(void)snprintf(command, sizeof(command), "rm -r %s", dir);
		assert_int_equal(system(command), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_plans) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
