/* Derives rules from collections, and prints them as YAML. */
#include "daemon/rbac/roles.h"

#include "kubeclient/kc_plural.h"
#include "kubeclient/kc_resources.h"
#include "rules/crd_schema.h"
#include "rules/rule_set.h"
#include "value/json.h"

/* A rule for the verbs list and watch on one resource. */
struct rule {
	str namespace; /* empty: the rule belongs to the ClusterRole */
	str group, resource;
	bool guessed;
	bool many;       /* too many names or namespaces were given up */
	bool by_pattern; /* comes from a pattern: it grants more than anybody has named */
	VEC(str) names;  /* empty: all objects */
	bool all;
};

struct rules {
	struct arena arena;
	VEC(struct rule) list;
};

static void rules_done(struct rules *r)
{
	for (size_t i = 0; i < r->list.n; i++)
		vec_done(&r->list.p[i].names);
	vec_done(&r->list);
	arena_done(&r->arena);
}

static struct rule *rule_of(struct rules *r, str namespace, str group, str resource)
{
	for (size_t i = 0; i < r->list.n; i++) {
		struct rule *x = &r->list.p[i];

		if (str_eq(x->namespace, namespace) && str_eq(x->group, group) && str_eq(x->resource, resource))
			return x;
	}
	if (!vec_push(&r->list, (struct rule){ .namespace = namespace, .group = group, .resource = resource }))
		return NULL;
	return &r->list.p[r->list.n - 1];
}

static bool add_name(struct rule *x, str name)
{
	if (!name.n)
		x->all = true;
	for (size_t i = 0; i < x->names.n; i++) {
		if (str_eq(x->names.p[i], name))
			return true;
	}
	return x->all || vec_push(&x->names, name);
}

static int add_kind(struct rules *r, const struct planned_kind *k, const struct role_options *o, struct err *err)
{
	const struct kc_resource *known = o->find ? o->find(o->ctx, k->api_version, k->kind) : NULL;
	CLEANUP(buf_done) struct buf plural = BUF_INIT(4096);
	str group = group_version_of(k->api_version).group, resource;

	if (known)
		buf_add_cstr(&plural, known->plural);
	else
		kc_plural_guess(k->kind, &plural);
	resource = arena_str(&r->arena, buf_str(&plural));
	if (!resource.p || plural.error)
		return err_nomem(err);
	for (size_t i = 0; i < k->scopes.n; i++) {
		bool in_namespace = o->per_namespace && (!known || known->namespaced);
		struct rule *x = rule_of(r, in_namespace ? k->scopes.p[i].namespace : STR(""), group, resource);

		if (!x || !add_name(x, k->scopes.p[i].name))
			return err_nomem(err);
		x->many = k->many;
		/* for Kubernetes' own kinds the guess is right */
		x->guessed = !known && crd_may_define(k->api_version);
	}
	return 0;
}

/* Add rules for kinds that only a server can name, also those that it will have later: everything that the pattern
 * may mean. */
static int add_pattern(struct rules *r, const struct rule_set *s, const struct role_options *o, struct err *err)
{
	str group = group_version_of(s->api_version).group;
	bool any_group = !s->api_version.n || str_find_byte(group, '*') >= 0 ||
			 (!group.n && str_find_byte(s->api_version, '*') >= 0);
	bool any_kind = !s->kind.n || str_find_byte(s->kind, '*') >= 0;
	CLEANUP(buf_done) struct buf plural = BUF_INIT(4096);
	bool in_namespace = o->per_namespace && s->namespace.n && str_find_byte(s->namespace, '*') < 0;
	struct rule *x;
	str resource = STR("*");

	if (!any_kind) {
		kc_plural_guess(s->kind, &plural);
		resource = arena_str(&r->arena, buf_str(&plural));
	}
	if (!resource.p || plural.error)
		return err_nomem(err);
	x = rule_of(r, in_namespace ? s->namespace : STR(""), any_group ? STR("*") : group, resource);
	if (!x || !add_name(x, STR("")))
		return err_nomem(err);
	x->by_pattern = true;
	return 0;
}

static int by_place(const void *a, const void *b)
{
	const struct rule *x = a, *y = b;
	int r = str_cmp(x->namespace, y->namespace);

	if (r == 0)
		r = str_cmp(x->group, y->group);
	return r ? r : str_cmp(x->resource, y->resource);
}

static int by_text(const void *a, const void *b)
{
	return str_cmp(*(const str *)a, *(const str *)b);
}

/* Collect the rules in order, with the definitions of kinds if some kinds may come from one. */
static int gather(struct rules *r, const struct watch_plan *plan, const struct role_options *o, struct err *err)
{
	struct rule *x;
	int status = 0;

	arena_init(&r->arena, 0, 0);
	for (size_t i = 0; status == 0 && i < plan->kinds.n; i++)
		status = add_kind(r, &plan->kinds.p[i], o, err);
	for (size_t i = 0; status == 0 && i < HELM_DRIVERS; i++)
		status = plan->releases[i].scopes.n ? add_kind(r, &plan->releases[i], o, err) : 0;
	for (size_t i = 0; status == 0 && i < plan->patterns.n; i++)
		status = add_pattern(r, plan->patterns.p[i], o, err);
	if (status == 0 && plan->defined) {
		x = rule_of(r, STR(""), STR("apiextensions.k8s.io"), STR("customresourcedefinitions"));
		status = x && add_name(x, STR("")) ? 0 : err_nomem(err);
	}
	if (r->list.n)
		qsort(r->list.p, r->list.n, sizeof(*r->list.p), by_place);
	for (size_t i = 0; i < r->list.n; i++) {
		if (r->list.p[i].names.n)
			qsort(r->list.p[i].names.p, r->list.p[i].names.n, sizeof(str), by_text);
	}
	return status;
}

/* ---- YAML ---- */

/* Append a text as JSON, which every YAML reader accepts: names in templates may be any text. */
static void add_text(struct buf *out, const char *before, str text)
{
	buf_add_cstr(out, before);
	json_encode_string(text, JSON_PLAIN, out);
}

static void print_head(struct buf *out, const char *api_version, const char *kind, const struct role_options *o,
		       str namespace)
{
	buf_printf(out, "---\napiVersion: %s\nkind: %s\nmetadata:\n", api_version, kind);
	add_text(out, "  name: ", str_from(o->name));
	if (namespace.n)
		add_text(out, "\n  namespace: ", namespace);
	buf_add_byte(out, '\n');
}

static void print_rule(struct buf *out, const struct rule *x)
{
	add_text(out, "- apiGroups: [", x->group);
	add_text(out, "]\n  resources: [", x->resource);
	buf_printf(out, "]%s\n",
		   x->by_pattern ? " # a rule names its kinds by pattern"
		   : x->guessed  ? " # guessed"
		   : x->many     ? " # too many are named to be asked for one by one"
				 : "");
	for (size_t i = 0; !x->all && i < x->names.n; i++)
		add_text(out, i ? ", " : "  resourceNames: [", x->names.p[i]);
	buf_printf(out, "%s  verbs: [list, watch]\n", x->all ? "" : "]\n");
}

static void print_binding(struct buf *out, const struct role_options *o, str namespace)
{
	const char *prefix = namespace.n ? "" : "Cluster";

	print_head(out, "rbac.authorization.k8s.io/v1", namespace.n ? "RoleBinding" : "ClusterRoleBinding", o,
		   namespace);
	buf_printf(out, "roleRef:\n  apiGroup: rbac.authorization.k8s.io\n  kind: %sRole\n", prefix);
	add_text(out, "  name: ", str_from(o->name));
	add_text(out, "\nsubjects:\n- kind: ServiceAccount\n  name: ", str_from(o->name));
	add_text(out, "\n  namespace: ", str_from(o->namespace));
	buf_add_byte(out, '\n');
}

int roles_print(const struct watch_plan *plan, const struct role_options *o, struct buf *out, struct err *err)
{
	CLEANUP(rules_done) struct rules rules = { 0 };
	int r = gather(&rules, plan, o, err);

	if (r < 0)
		return r;
	print_head(out, "v1", "ServiceAccount", o, str_from(o->namespace));
	for (size_t i = 0; i < rules.list.n;) {
		str namespace = rules.list.p[i].namespace;

		print_head(out, "rbac.authorization.k8s.io/v1", namespace.n ? "Role" : "ClusterRole", o, namespace);
		buf_add_cstr(out, "rules:\n");
		for (; i < rules.list.n && str_eq(rules.list.p[i].namespace, namespace); i++)
			print_rule(out, &rules.list.p[i]);
		print_binding(out, o, namespace);
	}
	return buf_error(out, "roles", err);
}
