/* Knows the defaults that an API server computes from the fields beside them. Kubernetes: pkg/apis/.../defaults.go */
#include "manifest/manifest_internal.h"

/* The fields beside a field. Those of @manifest are what an apply leaves; the others stay as they are in @live. */
struct siblings {
	const struct walk *walk;
	size_t up;    /* how many levels above the current place of the walk they are */
	bool named;   /* the manifest has the field that is asked about */
	val manifest; /* VAL_ABSENT: what is asked is what the object has */
	val live;
};

/* What is @up levels above the current place of the walk. @named: the manifest has the field that is asked about, so
 * that the server computes it from what the manifest has beside it. */
static struct siblings above(const struct walk *w, size_t up, bool named)
{
	size_t n = w->list.levels.n;
	const struct change_level *level = n > up ? &w->list.levels.p[n - up - 1] : NULL;
	struct siblings s = { .walk = w, .up = up, .named = named };

	if (named)
		s.manifest = level ? level->expected : w->list.expected;
	s.live = level ? level->actual : w->list.actual;
	return s;
}

static val sibling(const struct siblings *s, str name)
{
	val v = val_get(s->manifest, name);

	return val_exists(v) && !val_is_null(v) ? v : val_get(s->live, name);
}

/* Whether the tag of @image is "latest". An image without a tag and a digest has that tag. */
static bool is_latest(str image)
{
	ptrdiff_t digest = str_find_byte(image, '@');
	str name = digest < 0 ? image : str_sub(image, 0, (size_t)digest);
	str last = str_sub(name, (size_t)(str_rfind(name, STR("/")) + 1), name.n);

	return str_find_byte(last, ':') < 0 ? digest < 0 : str_has_suffix(last, STR(":latest"));
}

static bool is_policy_for(str image, val l)
{
	return str_eq(val_str(l), is_latest(image) ? STR("Always") : STR("IfNotPresent"));
}

static bool is_pull_policy(const struct siblings *s, val l)
{
	return is_policy_for(val_str(sibling(s, STR("image"))), l);
}

/* Whether @l is the default pullPolicy of a volume that is an image. */
static bool is_volume_pull_policy(const struct siblings *s, val l)
{
	return is_policy_for(val_str(sibling(s, STR("reference"))), l);
}

static bool is_policy_types(const struct siblings *s, val l)
{
	bool egress = val_count(sibling(s, STR("egress"))) > 0;

	return val_count(l) == (egress ? 2u : 1u) && str_eq(val_str(val_at(l, 0)), STR("Ingress")) &&
	       (!egress || str_eq(val_str(val_at(l, 1)), STR("Egress")));
}

/* Whether @l is the port that the server fills in for a pod in the network of its node. The pod is around the port,
 * the list of ports, the container, and the list of containers. */
static bool is_host_port(const struct siblings *s, val l)
{
	const struct siblings pod = above(s->walk, s->up + 4, s->named);

	return val_is_true(sibling(&pod, STR("hostNetwork"))) && val_same(l, sibling(s, STR("containerPort")));
}

static bool is_target_port(const struct siblings *s, val l)
{
	return val_same(l, sibling(s, STR("port")));
}

/* Whether @l is the account in serviceAccount, which is the old name of serviceAccountName. */
static bool is_account(const struct siblings *s, val l)
{
	return val_same(l, sibling(s, STR("serviceAccountName")));
}

/* Kubernetes: staging/src/k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go */
static bool is_list_kind(const struct siblings *s, val l)
{
	str kind = val_str(sibling(s, STR("kind"))), list = val_str(l);

	return str_has_suffix(list, STR("List")) && str_eq(str_sub(list, 0, list.n - 4), kind);
}

static bool is_singular(const struct siblings *s, val l)
{
	return str_eq_nocase(val_str(l), val_str(sibling(s, STR("kind"))));
}

/* Whether @l is the API group that the server fills in for a subject: rbac.authorization.k8s.io for users and
 * groups; service accounts are in the core group. */
static bool is_subject_group(const struct siblings *s, val l)
{
	str kind = val_str(sibling(s, STR("kind")));

	return str_eq(val_str(l), STR("rbac.authorization.k8s.io")) &&
	       (str_eq(kind, STR("User")) || str_eq(kind, STR("Group")));
}

/* ---- the behavior of autoscalers. Kubernetes: pkg/apis/autoscaling/v2/defaults.go ---- */

static bool is_scale_up(const struct siblings *s)
{
	size_t n = s->walk->list.at.n;

	return n >= 2 && str_eq(s->walk->list.at.p[n - 2].text, STR("scaleUp"));
}

/* Only upwards there is a default: not to wait. */
static bool is_window(const struct siblings *s, val l)
{
	return is_scale_up(s) && val_same(l, val_int(0));
}

static bool is_scaling_policy(val policy, str type, int64_t value)
{
	return str_eq(val_str(VAL_GET(policy, "type")), type) && val_same(VAL_GET(policy, "value"), val_int(value)) &&
	       val_same(VAL_GET(policy, "periodSeconds"), val_int(15));
}

/* Whether @l has the default policies: all pods at once, and upwards four pods, too. */
static bool is_policies(const struct siblings *s, val l)
{
	uint32_t n = is_scale_up(s) ? 2 : 1;

	return val_count(l) == n && (n == 1 || is_scaling_policy(val_at(l, 0), STR("Pods"), 4)) &&
	       is_scaling_policy(val_at(l, n - 1), STR("Percent"), 100);
}

/* ---- the limits of containers: those that are there stand for those that are not ---- */

static val limit(const struct siblings *range, str name, str resource)
{
	const struct siblings limits = { .manifest = val_get(range->manifest, name),
					 .live = val_get(range->live, name) };

	return sibling(&limits, resource);
}

static bool is_default_limit(const struct siblings *range, str resource, val l)
{
	return val_same(l, limit(range, STR("max"), resource));
}

static bool is_default_request(const struct siblings *range, str resource, val l)
{
	val most = limit(range, STR("default"), resource);

	return val_same(l, val_exists(most) ? most : limit(range, STR("min"), resource));
}

/* Whether @is accepts each of the limits @l. */
static bool are_limits(bool (*is)(const struct siblings *range, str resource, val l), const struct siblings *range,
		       val l)
{
	for (uint32_t i = 0; i < val_count(l); i++) {
		if (!is(range, key_str(l.members[i].key), l.members[i].value))
			return false;
	}
	return true;
}

/* Whether @l is what the server computes as the default limits of containers, if the manifest has no default limits,
 * or as one of them. */
static bool is_limit(const struct walk *w, const struct place *p, bool below, val l)
{
	str name = topo_field_name(&p->type);
	bool (*is)(const struct siblings *, str, val) = str_eq(name, STR("default"))          ? is_default_limit
							: str_eq(name, STR("defaultRequest")) ? is_default_request
											      : NULL;
	const struct siblings range = above(w, (p->type.field ? 1u : 2u) - below, !below);

	/* A server reads a limit that the manifest gives as null as zero. */
	if (!p->type.field && !below)
		return false;
	if (!is || !str_eq(val_str(sibling(&range, STR("type"))), STR("Container")))
		return false;
	return p->type.field ? val_is_map(l) && are_limits(is, &range, l) : is(&range, p->type.name, l);
}

bool manifest_is_computed(const struct walk *w, const struct place *p, bool below, val l)
{
	static const struct {
		const char *name;
		bool (*is)(const struct siblings *s, val l);
	} fields[] = {
		{ "apiGroup", is_subject_group },
		{ "hostPort", is_host_port },
		{ "imagePullPolicy", is_pull_policy },
		{ "listKind", is_list_kind },
		{ "policies", is_policies },
		{ "policyTypes", is_policy_types },
		{ "pullPolicy", is_volume_pull_policy },
		{ "serviceAccount", is_account },
		{ "singular", is_singular },
		{ "stabilizationWindowSeconds", is_window },
		{ "targetPort", is_target_port },
	};

	const struct siblings beside = above(w, 1u - below, !below);

	if (is_limit(w, p, below, l))
		return true;
	for (size_t i = 0; p->type.field && i < ARRAY_LEN(fields); i++) {
		if (str_eq(p->type.name, str_from(fields[i].name)))
			return fields[i].is(&beside, l);
	}
	return false;
}
