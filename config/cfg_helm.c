/* Reads the entry of a reference that consists of Helm's releases. */
#include "config/cfg_internal.h"

#include "base/hash.h"
#include "base/pattern.h"
#include "manifest/manifest_releases.h"

/* The kinds that most charts consist of, and that are not secret. */
static const str usual_kinds[] = {
	{ "ConfigMap", 9 },
	{ "CronJob.batch", 13 },
	{ "DaemonSet.apps", 14 },
	{ "Deployment.apps", 15 },
	{ "HorizontalPodAutoscaler.v2.autoscaling", 38 },
	{ "Ingress.networking.k8s.io", 25 },
	{ "Job.batch", 9 },
	{ "NetworkPolicy.networking.k8s.io", 31 },
	{ "PersistentVolumeClaim", 21 },
	{ "PodDisruptionBudget.policy", 26 },
	{ "Role.rbac.authorization.k8s.io", 30 },
	{ "RoleBinding.rbac.authorization.k8s.io", 37 },
	{ "Service", 7 },
	{ "ServiceAccount", 14 },
	{ "StatefulSet.apps", 16 },
};

/* ---- entries ---- */

static void set_driver(struct settings *s, void *target, const struct node *n)
{
	if (setting_expect(s, n, NODE_SCALAR, "secret or configmap") && !helm_driver_parse(n->text, target))
		node_problem(n, s->problems, "'%.*s' is neither secret nor configmap", STR_ARG(n->text));
}

static const struct setting helm_settings[] = {
	{ "namespaces", setting_text_list, offsetof(struct cfg_helm, namespaces), "all of them",
	  "patterns: in which namespaces releases are looked for" },
	{ "names", setting_text_list, offsetof(struct cfg_helm, names), "all of them", "patterns: which releases" },
	{ "kinds", kind_names_set, offsetof(struct cfg_helm, kinds),
	  "ConfigMap, CronJob, DaemonSet, Deployment, HorizontalPodAutoscaler, Ingress, Job, NetworkPolicy, "
	  "PersistentVolumeClaim, PodDisruptionBudget, Role, RoleBinding, Service, ServiceAccount, StatefulSet",
	  "which kinds of their objects are watched, as KIND.GROUP or KIND.VERSION.GROUP" },
	{ "driver", set_driver, offsetof(struct cfg_helm, driver), "secret",
	  "where Helm keeps its releases, as HELM_DRIVER in its environment: secret, or configmap, which more people "
	  "may write as a rule" },
	{ "trusted_namespaces", setting_text_list, offsetof(struct cfg_helm, trusted), NULL,
	  "namespaces whose releases also speak for objects of other namespaces, and for those that are in none: "
	  "whoever may write Secrets there can say what these should be" },
};

bool cfg_helm_looks_in(const struct cfg_helm *h, str namespace)
{
	return !h->namespaces.n || pattern_any_matches(h->namespaces.p, h->namespaces.n, namespace);
}

static void check_trusted(struct settings *s, const struct node *n, const struct cfg_helm *h)
{
	for (size_t i = 0; i < h->trusted.n; i++) {
		if (!cfg_helm_looks_in(h, h->trusted.p[i]))
			node_problem(n, s->problems,
				     "helm_releases: trusted_namespaces has '%.*s', and namespaces does not",
				     STR_ARG(h->trusted.p[i]));
	}
}

void cfg_set_helm(struct settings *s, void *target, const struct node *n)
{
	struct cfg_helm *h = target;

	h->kinds.texts = (struct text_list){ usual_kinds, ARRAY_LEN(usual_kinds) };
	h->given = true;
	if (node_is_null(n) || !setting_expect(s, n, NODE_MAP, "a map, which may be empty"))
		return;
	settings_read(s, n, helm_settings, ARRAY_LEN(helm_settings), h);
	if (!h->kinds.texts.n)
		node_problem(n, s->problems, "helm_releases without kinds: it is for no object");
	check_trusted(s, n, h);
}

void cfg_print_helm_settings(struct buf *out)
{
	settings_print(out, "helm_releases, in an entry of references:", helm_settings, ARRAY_LEN(helm_settings));
}

/* ---- the reference ---- */

static uint64_t settings_hash(const struct cfg_reference *r)
{
	const struct cfg_helm *h = &r->helm;
	uint64_t seed = hash_seed(), hash = hash_mix(hash_str(STR("helm releases"), seed), r->additions);

	hash = hash_mix(hash, text_list_hash(h->namespaces, seed));
	hash = hash_mix(hash, text_list_hash(h->names, seed));
	hash = hash_mix(hash, text_list_hash(h->kinds.texts, seed));
	hash = hash_mix(hash, h->driver);
	return hash_mix(hash, text_list_hash(h->trusted, seed));
}

struct text_list cfg_helm_namespaces(const struct cfg_helm *h)
{
	return patterns_are_names(h->namespaces.p, h->namespaces.n) ? h->namespaces : (struct text_list){ 0 };
}

/* The namespaces to watch. Objects of a trusted release may be in any of them. */
static struct text_list watched_namespaces(const struct cfg_helm *h)
{
	return h->trusted.n ? (struct text_list){ 0 } : cfg_helm_namespaces(h);
}

struct releases_options cfg_helm_options(const struct cfg_reference *r, const struct limits *limits)
{
	struct text_list namespaces = watched_namespaces(&r->helm);

	return (struct releases_options){
		.limits = limits,
		.name = r->name,
		.kinds = r->helm.watched,
		.n_kinds = r->helm.n_watched,
		.namespaces = namespaces.p,
		.n_namespaces = namespaces.n,
		.additions = r->additions,
	};
}

/* As long as no release is known. */
int cfg_make_helm(struct cfg_loader *l, struct cfg_reference *r, struct err *err)
{
	struct releases_options o;

	r->helm.watched = kind_names_read(&r->helm.kinds, NULL, &l->settings, &r->helm.n_watched);
	if (!r->helm.watched)
		return err_nomem(err);
	r->content = settings_hash(r);
	o = cfg_helm_options(r, l->limits);
	return o.n_kinds ? releases_reference_make(&o, NULL, 0, &r->reference, err) : 0;
}
