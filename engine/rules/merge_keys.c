/* A table for built-in types, and a way through a schema for others. */
#include "rules/merge_keys.h"

/* ---- what definitions say ---- */

/* The schema of what is at @place; VAL_ABSENT: it says nothing. */
static val schema_at(val schema, const struct event_place *place)
{
	val above, member;

	if (!place->above)
		return schema;
	above = schema_at(schema, place->above);
	if (place->element)
		return VAL_GET(above, "items");
	member = val_get(VAL_GET(above, "properties"), place->key);
	return val_exists(member) ? member : VAL_GET(above, "additionalProperties");
}

/* What elements have that lack the key. */
static str default_of(val list, str key)
{
	val v = VAL_GET(val_get(val_dig(list, "items", "properties", NULL), key), "default");

	return val_is_string(v) ? val_str(v) : (str){ NULL, 0 };
}

static size_t defined_keys(val schema, const struct event_place *place, struct event_key ret[EVENT_KEYS_MAX])
{
	val list = val_exists(schema) ? schema_at(schema, place) : schema;
	val keys = VAL_GET(list, "x-kubernetes-list-map-keys");
	uint32_t n = val_is_list(keys) && keys.n <= EVENT_KEYS_MAX ? keys.n : 0;

	for (uint32_t i = 0; i < n; i++) {
		str name = val_str(keys.items[i]);

		ret[i] = (struct event_key){ name, default_of(list, name) };
	}
	return n;
}

/* ---- what is built in ---- */

#define REQUIRED(text)                                                                                                 \
	{                                                                                                              \
		{ (text), sizeof(text) - 1 },                                                                          \
		{                                                                                                      \
			NULL, 0                                                                                        \
		}                                                                                                      \
	}
#define PROTOCOL                                                                                                       \
	{                                                                                                              \
		{ "protocol", 8 },                                                                                     \
		{                                                                                                      \
			"TCP", 3                                                                                       \
		}                                                                                                      \
	}

/* Lists of one name may hold elements of several types: the first row fits whose first key an element has. */
static const struct known_list {
	const char *list;
	struct event_key keys[2];
} known_lists[] = {
	{ "addresses", { REQUIRED("type") } },
	{ "conditions", { REQUIRED("type") } },
	{ "hostAliases", { REQUIRED("ip") } },
	{ "hostIPs", { REQUIRED("ip") } },
	{ "ownerReferences", { REQUIRED("uid") } },
	{ "podIPs", { REQUIRED("ip") } },
	{ "ports", { REQUIRED("containerPort"), PROTOCOL } },
	{ "ports", { REQUIRED("port"), PROTOCOL } },
	{ "topologySpreadConstraints", { REQUIRED("topologyKey"), REQUIRED("whenUnsatisfiable") } },
	{ "volumeDevices", { REQUIRED("devicePath") } },
	{ "volumeMounts", { REQUIRED("mountPath") } },
};

static const struct known_list *find_known(str name, val first)
{
	for (size_t i = 0; i < ARRAY_LEN(known_lists); i++) {
		const struct known_list *k = &known_lists[i];

		if (str_eq(name, str_from(k->list)) && val_exists(val_get(first, k->keys[0].name)))
			return k;
	}
	return NULL;
}

size_t merge_keys(val schema, const struct event_place *place, val elements, struct event_key ret[EVENT_KEYS_MAX])
{
	size_t n = defined_keys(schema, place, ret);
	const struct known_list *known = NULL;
	val first = val_at(elements, 0);

	if (n)
		return n;
	if (!val_is_map(first))
		return 0;
	if (!place->element)
		known = find_known(place->key, first);
	if (!known) {
		ret[0] = (struct event_key)REQUIRED("name");
		return val_is_string(VAL_GET(first, "name"));
	}
	for (; n < ARRAY_LEN(known->keys) && known->keys[n].name.n; n++)
		ret[n] = known->keys[n];
	return n;
}
