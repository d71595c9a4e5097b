/* What a CustomResourceDefinition says of the schema of its objects. */
#include "rules/crd_schema.h"

#define RULES "x-kubernetes-validations"
#define DEPTH_MAX 200

/* The groups of the API server itself that look like those of a definition are told by name. */
bool crd_may_define(str api_version)
{
	static const char *const built_in[] = {
		"admissionregistration",
		"apiextensions",
		"apiregistration",
		"authentication",
		"authorization",
		"certificates",
		"coordination",
		"discovery",
		"events",
		"flowcontrol.apiserver",
		"internal.apiserver",
		"metrics",
		"networking",
		"node",
		"rbac.authorization",
		"resource",
		"scheduling",
		"storage",
		"storagemigration",
	};
	ptrdiff_t slash = str_find_byte(api_version, '/');
	str group = slash < 0 ? STR("") : str_sub(api_version, 0, (size_t)slash);

	if (str_find_byte(group, '.') < 0)
		return false;
	if (!str_has_suffix(group, STR(".k8s.io")))
		return true;
	group.n -= sizeof(".k8s.io") - 1;
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++) {
		if (str_eq(group, str_from(built_in[i])))
			return false;
	}
	return true;
}

bool crd_is(val object)
{
	return str_eq(val_str(VAL_GET(object, "kind")), CRD_KIND);
}

bool crd_is_for(val crd, str api_version, str kind)
{
	str group = val_str(val_dig(crd, "spec", "group", NULL));

	return api_version.n > group.n && str_has_prefix(api_version, group) && api_version.p[group.n] == '/' &&
	       str_eq(val_str(val_dig(crd, "spec", "names", "kind", NULL)), kind);
}

val crd_schema(val crd, str api_version, str kind)
{
	val versions = val_dig(crd, "spec", "versions", NULL);
	ptrdiff_t slash = str_find_byte(api_version, '/');
	str version = str_sub(api_version, (size_t)(slash + 1), api_version.n);

	if (!crd_is_for(crd, api_version, kind))
		return (val){ 0 };
	for (uint32_t i = 0; i < val_count(versions); i++) {
		val v = val_at(versions, i), served = VAL_GET(v, "served");

		if (str_eq(val_str(VAL_GET(v, "name")), version) && val_is_true(served))
			return val_dig(v, "schema", "openAPIV3Schema", NULL);
	}
	return (val){ 0 };
}

/* A step of a path in a schema: a member is a property or a value of a map, "[*]" the items, ".*" the values of
 * a map. */
static val step_into(val schema, const struct cel_at_step *step)
{
	val next;

	if (step->items)
		return VAL_GET(schema, "items");
	if (step->values)
		return VAL_GET(schema, "additionalProperties");
	next = val_get(VAL_GET(schema, "properties"), step->name);
	return val_exists(next) ? next : VAL_GET(schema, "additionalProperties");
}

/* A copy without rules. @names: the keys of this map are names of properties, not keywords. */
static val without_rules(val v, bool names, struct arena *a, unsigned depth)
{
	struct member *m;
	size_t n = 0;

	if (!val_is_map(v) || depth > DEPTH_MAX)
		return v;
	m = arena_array(a, v.n, sizeof(*m));
	if (!m)
		return (val){ 0 };
	for (uint32_t i = 0; i < v.n; i++) {
		str key = key_str(v.members[i].key);
		bool schema = names || str_eq(key, STR("items")) || str_eq(key, STR("additionalProperties"));
		bool properties = !names && str_eq(key, STR("properties"));

		if (!names && str_eq(key, STR(RULES)))
			continue;
		m[n] = v.members[i];
		if (schema || properties)
			m[n].value = without_rules(v.members[i].value, properties, a, depth + 1);
		n++;
	}
	return val_map_sorted(m, n);
}

val schema_with_rules(val schema, const struct cel_at *at, val rules, struct key_table *keys, struct arena *a)
{
	const struct key *key = key_make(keys, a, STR(RULES));

	for (uint32_t i = 0; i < at->n; i++)
		schema = step_into(schema, &at->steps[i]);
	if (!key || !val_is_map(schema))
		return (val){ 0 };
	schema = without_rules(schema, false, a, 0);
	return val_is_map(schema) ? val_map_with(a, schema, key, rules) : schema;
}
