/* Roles for plans made by hand, as whole texts. */
#include "daemon/rbac/roles.h"
#include "rules/rule_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ACCOUNT "---\napiVersion: v1\nkind: ServiceAccount\nmetadata:\n  name: \"d\"\n  namespace: \"ns\"\n"
#define ROLE(kind, metadata)                                                                                           \
	"---\napiVersion: rbac.authorization.k8s.io/v1\nkind: " kind "\nmetadata:\n  name: \"d\"\n" metadata
#define BINDING(prefix, kind, metadata)                                                                                \
	ROLE(kind, metadata)                                                                                           \
	"roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: " prefix "Role\n  name: \"d\"\n"                     \
	"subjects:\n- kind: ServiceAccount\n  name: \"d\"\n  namespace: \"ns\"\n"
#define RULE(group, resource, more)                                                                                    \
	"- apiGroups: [\"" group "\"]\n  resources: [\"" resource "\"]" more "  verbs: [list, watch]\n"
#define PATTERN " # a rule names its kinds by pattern\n"
#define DEFINITIONS RULE("apiextensions.k8s.io", "customresourcedefinitions", "\n")

struct planned {
	const char *api_version, *kind, *scopes[4]; /* "namespace/name" */
};

static const struct role_case {
	const char *name;
	bool per_namespace, connected;
	struct planned kinds[4];
	const char *text; /* behind the account */
} cases[] = {
	{ "names in one rule, in order",
	  false,
	  false,
	  { { "v1", "Secret", { "b/y", "a/x", "b/x" } } },
	  ROLE("ClusterRole", "rules:\n") RULE("", "secrets", "\n  resourceNames: [\"x\", \"y\"]\n")
		  BINDING("Cluster", "ClusterRoleBinding", "") },
	{ "a whole namespace lifts the names",
	  false,
	  false,
	  { { "v1", "Secret", { "a/x", "b/" } } },
	  ROLE("ClusterRole", "rules:\n") RULE("", "secrets", "\n") BINDING("Cluster", "ClusterRoleBinding", "") },
	{ "a role in each namespace, the cluster's first",
	  true,
	  false,
	  { { "v1", "Secret", { "b/y", "a/x", "b/x" } },
	    { "apps/v1", "Deployment", { "a/" } },
	    { "v1", "Node", { "/" } } },
	  ROLE("ClusterRole", "rules:\n") RULE("", "nodes", "\n") BINDING("Cluster", "ClusterRoleBinding", "")
		  ROLE("Role", "  namespace: \"a\"\nrules:\n") RULE("", "secrets", "\n  resourceNames: [\"x\"]\n")
			  RULE("apps", "deployments", "\n") BINDING("", "RoleBinding", "  namespace: \"a\"\n")
				  ROLE("Role", "  namespace: \"b\"\nrules:\n")
					  RULE("", "secrets", "\n  resourceNames: [\"x\", \"y\"]\n")
						  BINDING("", "RoleBinding", "  namespace: \"b\"\n") },
	{ "two versions of a resource are one",
	  false,
	  false,
	  { { "apps/v1", "Deployment", { "/" } }, { "apps/v1beta1", "Deployment", { "/x" } } },
	  ROLE("ClusterRole", "rules:\n") RULE("apps", "deployments", "\n")
		  BINDING("Cluster", "ClusterRoleBinding", "") },
	{ "kinds of definitions: the definitions too, and a guess is called one",
	  false,
	  false,
	  { { "e.x/v1", "Policy", { "/" } } },
	  ROLE("ClusterRole", "rules:\n") DEFINITIONS RULE("e.x", "policies", " # guessed\n")
		  BINDING("Cluster", "ClusterRoleBinding", "") },
	{ "what the server says: a plural of its own, and no namespaces",
	  true,
	  true,
	  { { "e.x/v1", "Policy", { "a/" } } },
	  ROLE("ClusterRole", "rules:\n") DEFINITIONS RULE("e.x", "policys", "\n")
		  BINDING("Cluster", "ClusterRoleBinding", "") },
	{ "hostile names stay texts",
	  false,
	  false,
	  { { "v1", "Secret", { "a/x]\n\"" } } },
	  ROLE("ClusterRole", "rules:\n") RULE("", "secrets", "\n  resourceNames: [\"x]\\n\\\"\"]\n")
		  BINDING("Cluster", "ClusterRoleBinding", "") },
};

static const struct kc_resource *find(void *ctx, str api_version, str kind)
{
	static const struct kc_resource policies = { .group = "e.x",
						     .version = "v1",
						     .kind = "Policy",
						     .plural = "policys",
						     .can_list = true,
						     .can_watch = true };

	(void)ctx;
	assert_true(str_eq(api_version, STR("e.x/v1")) && str_eq(kind, STR("Policy")));
	return &policies;
}

static void add_kind(struct watch_plan *p, const struct planned *from)
{
	struct planned_kind k = { .api_version = str_from(from->api_version), .kind = str_from(from->kind) };

	for (size_t i = 0; i < ARRAY_LEN(from->scopes) && from->scopes[i]; i++) {
		str text = str_from(from->scopes[i]);
		size_t slash = (size_t)str_find_byte(text, '/');
		struct watch_scope s = { str_sub(text, 0, slash), str_sub(text, slash + 1, text.n) };

		assert_true(vec_push(&k.scopes, s));
	}
	p->defined |= str_eq(k.api_version, STR("e.x/v1"));
	assert_true(vec_push(&p->kinds, k));
}

static void expect(const char *name, const struct watch_plan *p, const struct role_options *o, const char *text)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(65536), expected = BUF_INIT(65536);
	struct err err;

	assert_int_equal(roles_print(p, o, &out, &err), 0);
	buf_printf(&expected, "%s%s", ACCOUNT, text);
	if (!str_eq(buf_str(&out), buf_str(&expected)))
		fail_msg("%s:\n%.*s\ninstead of\n%.*s", name, STR_ARG(buf_str(&out)), STR_ARG(buf_str(&expected)));
}

static void test_roles(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct role_case *c = &cases[i];
		const struct role_options o = { .name = "d",
						.namespace = "ns",
						.per_namespace = c->per_namespace,
						.find = c->connected ? find : NULL };
		struct watch_plan p = { 0 };

		for (size_t k = 0; k < ARRAY_LEN(c->kinds) && c->kinds[k].kind; k++)
			add_kind(&p, &c->kinds[k]);
		expect(c->name, &p, &o, c->text);
		watch_plan_done(&p);
	}
}

/* All that they may come to mean. */
static void test_patterns(void **state)
{
	const struct role_options o = { .name = "d", .namespace = "ns", .per_namespace = true };
	const struct planned map = { "v1", "ConfigMap", { "a/x" } };
	const struct rule_set sets[] = {
		{ .api_version = STR("*"), .kind = STR("Widget") },
		{ .api_version = STR("apps/*"), .kind = STR("*") },
		{ .api_version = STR("v*"), .kind = STR("*"), .namespace = STR("a") },
	};
	struct watch_plan p = { 0 };

	(void)state;
	add_kind(&p, &map);
	for (size_t i = 0; i < ARRAY_LEN(sets); i++)
		assert_true(vec_push(&p.patterns, &sets[i]));
	expect("patterns", &p, &o,
	       ROLE("ClusterRole", "rules:\n") RULE("*", "widgets", PATTERN) RULE("apps", "*", PATTERN)
		       BINDING("Cluster", "ClusterRoleBinding", "") ROLE("Role", "  namespace: \"a\"\nrules:\n")
			       RULE("", "configmaps", "\n  resourceNames: [\"x\"]\n") RULE("*", "*", PATTERN)
				       BINDING("", "RoleBinding", "  namespace: \"a\"\n"));
	watch_plan_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_roles), cmocka_unit_test(test_patterns) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
