/* Finds the part of a schema that describes what rules are for. */
#include "rules/crd_schema.h"

#define RULES "x-kubernetes-validations"
#define DEPTH_MAX 200

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

/* A copy of a schema without its rules. @names: the keys of this map are names of properties, not keywords. */
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
