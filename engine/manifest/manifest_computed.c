/* Knows the defaults that an API server computes from the fields beside them. Kubernetes: pkg/apis/.../defaults.go */
#include "manifest/manifest_internal.h"

/* Whether @l is the default imagePullPolicy, which is Always for an image without a tag or with "latest". */
static bool is_pull_policy(val siblings, val l)
{
	str image = val_str(VAL_GET(siblings, "image"));
	str last = str_sub(image, (size_t)(str_rfind(image, STR("/")) + 1), image.n);
	bool fixed = str_find_byte(last, '@') >= 0 ||
		     (str_find_byte(last, ':') >= 0 && !str_has_suffix(last, STR(":latest")));

	return str_eq(val_str(l), fixed ? STR("IfNotPresent") : STR("Always"));
}

static bool is_policy_types(val siblings, val l)
{
	bool egress = val_count(VAL_GET(siblings, "egress")) > 0;

	return val_count(l) == (egress ? 2u : 1u) && str_eq(val_str(val_at(l, 0)), STR("Ingress")) &&
	       (!egress || str_eq(val_str(val_at(l, 1)), STR("Egress")));
}

static bool is_host_port(val siblings, val l)
{
	return val_same(l, VAL_GET(siblings, "containerPort"));
}

static bool is_target_port(val siblings, val l)
{
	return val_same(l, VAL_GET(siblings, "port"));
}

/* Whether @l is the account in serviceAccount, which is the old name of serviceAccountName. */
static bool is_account(val siblings, val l)
{
	return val_same(l, VAL_GET(siblings, "serviceAccountName"));
}

/* Kubernetes: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go */
static bool is_list_kind(val siblings, val l)
{
	str kind = val_str(VAL_GET(siblings, "kind")), list = val_str(l);

	return str_has_suffix(list, STR("List")) && str_eq(str_sub(list, 0, list.n - 4), kind);
}

static bool is_singular(val siblings, val l)
{
	return str_eq_nocase(val_str(l), val_str(VAL_GET(siblings, "kind")));
}

/* Whether @l is the API group that the server fills in for a subject: rbac.authorization.k8s.io for users and
 * groups; service accounts are in the core group. */
static bool is_subject_group(val siblings, val l)
{
	str kind = val_str(VAL_GET(siblings, "kind"));

	return str_eq(val_str(l), STR("rbac.authorization.k8s.io")) &&
	       (str_eq(kind, STR("User")) || str_eq(kind, STR("Group")));
}

/* ---- the limits of containers: those that are there stand for those that are not ---- */

static bool is_default_limit(val range, str resource, val l)
{
	return val_same(l, val_get(VAL_GET(range, "max"), resource));
}

static bool is_default_request(val range, str resource, val l)
{
	val limit = val_get(VAL_GET(range, "default"), resource);

	return val_same(l, val_exists(limit) ? limit : val_get(VAL_GET(range, "min"), resource));
}

/* Whether @is accepts each of the limits @l. */
static bool are_limits(bool (*is)(val range, str resource, val l), val range, val l)
{
	for (uint32_t i = 0; i < val_count(l); i++) {
		if (!is(range, key_str(l.members[i].key), l.members[i].value))
			return false;
	}
	return true;
}

/* The value of the object that is @up levels above the current place of the walk. */
static val above(const struct walk *w, size_t up)
{
	size_t n = w->list.levels.n;

	return n > up ? w->list.levels.p[n - up - 1].actual : w->list.actual;
}

/* Whether @l is what the server computes as the default limits of containers, if the manifest has no default limits,
 * or as one of them. */
static bool is_limit(const struct walk *w, const struct place *p, bool below, val l)
{
	str name = topo_field_name(&p->type);
	bool (*is)(val, str, val) = str_eq(name, STR("default"))          ? is_default_limit
				    : str_eq(name, STR("defaultRequest")) ? is_default_request
									  : NULL;
	val range = above(w, (p->type.field ? 1u : 2u) - below);

	if (!is || !str_eq(val_str(VAL_GET(range, "type")), STR("Container")))
		return false;
	return p->type.field ? val_is_map(l) && are_limits(is, range, l) : is(range, p->type.name, l);
}

bool manifest_is_computed(const struct walk *w, const struct place *p, bool below, val l)
{
	static const struct {
		const char *name;
		bool (*is)(val siblings, val l);
	} fields[] = {
		{ "apiGroup", is_subject_group },      { "hostPort", is_host_port },
		{ "imagePullPolicy", is_pull_policy }, { "listKind", is_list_kind },
		{ "policyTypes", is_policy_types },    { "serviceAccount", is_account },
		{ "singular", is_singular },           { "targetPort", is_target_port },
	};

	if (is_limit(w, p, below, l))
		return true;
	for (size_t i = 0; p->type.field && i < ARRAY_LEN(fields); i++) {
		if (str_eq(p->type.name, str_from(fields[i].name)))
			return fields[i].is(above(w, 1u - below), l);
	}
	return false;
}
