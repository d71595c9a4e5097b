/* Reads the names of kinds. */
#include "config/kind_name.h"

#include "topology/topology.h"

/* The apiVersion, such as "apps/v1", of a group and a version; the core group is empty. */
static str api_version_of(struct arena *a, str group, str version)
{
	return group.n ? arena_printf(a, "%.*s/%.*s", STR_ARG(group), STR_ARG(version)) : arena_str(a, version);
}

/* The version of the kind in manifests, or else in Kubernetes. {NULL, 0}: unknown. */
static str find_version(const struct manifest_set *set, str kind, str group, struct arena *a)
{
	static const char *const versions[] = { "v1", "v2", "v1beta1" };

	for (size_t i = 0; set && i < set->list.n; i++) {
		const struct identity *id = &set->list.p[i].id;

		if (str_eq(id->kind, kind) && str_eq(group_version_of(id->api_version).group, group))
			return id->api_version;
	}
	for (size_t i = 0; i < ARRAY_LEN(versions); i++) {
		str api_version = api_version_of(a, group, str_from(versions[i]));
		struct topo root;

		if (!api_version.p)
			break;
		root = topo_root(api_version, kind, (val){ 0 });
		if (topo_known(&root))
			return api_version;
	}
	return (str){ NULL, 0 };
}

/* Whether @s is a version, such as "v1" or "v2beta1": a group has a dot in it, or is a word. */
static bool is_version(str s)
{
	return s.n > 1 && s.p[0] == 'v' && s.p[1] >= '0' && s.p[1] <= '9';
}

/* Read one name. Return false when the version is unknown, or there is no memory, which the error of @a shows. */
static bool read_one(str text, const struct manifest_set *set, struct arena *a, struct manifest_kind *ret)
{
	ptrdiff_t dot = str_find_byte(text, '.'), next;
	str group = dot < 0 ? STR("") : str_sub(text, (size_t)dot + 1, text.n), version;

	ret->kind = dot < 0 ? text : str_sub(text, 0, (size_t)dot);
	next = str_find_byte(group, '.');
	version = next < 0 ? group : str_sub(group, 0, (size_t)next);
	if (is_version(version))
		ret->api_version =
			api_version_of(a, next < 0 ? STR("") : str_sub(group, (size_t)next + 1, group.n), version);
	else
		ret->api_version = find_version(set, ret->kind, group, a);
	return ret->api_version.p != NULL;
}

void kind_names_set(struct settings *s, void *target, const struct node *n)
{
	*(struct kind_names *)target = (struct kind_names){ setting_texts(s, n), n };
}

static void report_unknown(const struct kind_names *k, size_t i, struct problems *problems)
{
	static const char format[] = "the version of '%.*s' is not known: write it as KIND.VERSION.GROUP, such as "
				     "Deployment.v1.apps";

	if (k->at)
		node_problem(node_item(k->at, i), problems, format, STR_ARG(k->texts.p[i]));
	else
		problems_add(problems, format, STR_ARG(k->texts.p[i]));
}

struct manifest_kind *kind_names_read(const struct kind_names *k, const struct manifest_set *set, struct settings *s,
				      size_t *n)
{
	struct manifest_kind *kinds = arena_array(s->arena, k->texts.n + 1, sizeof(*kinds));

	*n = 0;
	for (size_t i = 0; kinds && i < k->texts.n; i++) {
		str text = k->texts.p[i];

		if (read_one(text, set, s->arena, &kinds[*n]))
			++*n;
		else
			report_unknown(k, i, s->problems);
	}
	return kinds;
}
