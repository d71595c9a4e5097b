/* Defaults that an API server makes of the fields beside them. Kubernetes: pkg/apis/.../defaults.go */
#include "manifest/manifest_internal.h"

/* Without a tag, and with "latest", an image is pulled always. */
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

/* The name of old. */
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

bool manifest_is_computed(const struct walk *w, const struct place *p, val l)
{
	static const struct {
		const char *name;
		bool (*is)(val siblings, val l);
	} fields[] = {
		{ "hostPort", is_host_port },       { "imagePullPolicy", is_pull_policy }, { "listKind", is_list_kind },
		{ "policyTypes", is_policy_types }, { "serviceAccount", is_account },      { "singular", is_singular },
		{ "targetPort", is_target_port },
	};
	val siblings = w->list.levels.n > 1 ? w->list.levels.p[w->list.levels.n - 2].actual : w->list.actual;

	for (size_t i = 0; p->type.field && i < ARRAY_LEN(fields); i++) {
		if (str_eq(p->type.name, str_from(fields[i].name)))
			return fields[i].is(siblings, l);
	}
	return false;
}
