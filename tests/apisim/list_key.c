/* Merge keys of the lists that Kubernetes knows. */
#include "list_key.h"

#include "base/defs.h"

#include <string.h>

/* The first row whose field fits and whose parts all elements have. */
static const struct {
	const char *field; /* NULL: any */
	struct list_key key;
} rows[] = {
	{ "ports", { { "containerPort", "protocol" } } },
	{ "ports", { { "containerPort", NULL } } },
	{ "ports", { { "port", "protocol" } } },
	{ "ports", { { "port", NULL } } },
	{ "conditions", { { "type", NULL } } },
	{ "volumeMounts", { { "mountPath", NULL } } },
	{ "volumeDevices", { { "devicePath", NULL } } },
	{ "ownerReferences", { { "uid", NULL } } },
	{ "hostAliases", { { "ip", NULL } } },
	{ "topologySpreadConstraints", { { "topologyKey", "whenUnsatisfiable" } } },
	{ NULL, { { "name", NULL } } },
};

static bool has_parts(const struct list_key *key, json_t *list)
{
	size_t i;
	json_t *element;

	json_array_foreach(list, i, element) for (size_t p = 0; p < LIST_KEY_PARTS && key->parts[p]; p++)
	{
		json_t *value = json_object_get(element, key->parts[p]);

		if (!json_is_string(value) && !json_is_integer(value))
			return false;
	}
	return true;
}

bool list_key_of(const char *field, json_t *a, json_t *b, struct list_key *ret)
{
	if (json_array_size(a) == 0 && json_array_size(b) == 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].field && (!field || strcmp(rows[i].field, field) != 0))
			continue;
		if (has_parts(&rows[i].key, a) && has_parts(&rows[i].key, b)) {
			*ret = rows[i].key;
			return true;
		}
	}
	return false;
}

bool list_key_same(const struct list_key *key, json_t *a, json_t *b)
{
	for (size_t p = 0; p < LIST_KEY_PARTS && key->parts[p]; p++)
		if (!json_equal(json_object_get(a, key->parts[p]), json_object_get(b, key->parts[p])))
			return false;
	return true;
}

json_t *list_key_find(const struct list_key *key, json_t *list, json_t *element, size_t *at)
{
	size_t i;
	json_t *other;

	json_array_foreach(list, i, other)
	{
		if (!list_key_same(key, other, element))
			continue;
		if (at)
			*at = i;
		return other;
	}
	return NULL;
}

char *list_key_text(const struct list_key *key, json_t *element)
{
	json_auto_t *parts = json_object();

	for (size_t p = 0; p < LIST_KEY_PARTS && key->parts[p]; p++)
		json_object_set(parts, key->parts[p], json_object_get(element, key->parts[p]));
	return json_dumps(parts, JSON_COMPACT);
}
