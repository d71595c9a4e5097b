/* Field sets, computed from two versions of an object. */
#include "managed_fields.h"

#include "list_key.h"

#include <stdio.h>
#include <string.h>

/* A set of fields is a FieldsV1 tree: { "f:spec": { "f:replicas": {} } }; an empty object is a leaf, "." is the
 * container itself. */

#define DEPTH 2048

struct differ {
	const struct field_write *w;
	unsigned depth;
};

static bool is_empty(json_t *set)
{
	return json_object_size(set) == 0;
}

/* Put @sub under @key unless it is empty. Takes @sub. */
static void put_nonempty(json_t *set, const char *key, json_t *sub)
{
	if (is_empty(sub))
		json_decref(sub);
	else
		json_object_set_new(set, key, sub);
}

static void field_key(char *to, size_t n, const char *name)
{
	(void)snprintf(to, n, "f:%s", name);
}

/* Maps that are one field, whatever is in them. */
static bool is_atomic_map(const struct differ *d, const char *field)
{
	return !d->w->custom && (strcmp(field, "selector") == 0 || strcmp(field, "nodeSelector") == 0);
}

static json_t *map_difference(struct differ *d, json_t *a, json_t *b);

/* In what @b has and @a has not, or has with another value: the fields of list @b. */
static json_t *keyed_difference(struct differ *d, const struct list_key *key, json_t *a, json_t *b)
{
	json_t *set = json_object();
	size_t i;
	json_t *element;

	if (!a)
		json_object_set_new(set, ".", json_object());
	json_array_foreach(b, i, element)
	{
		json_t *other = list_key_find(key, a, element, NULL);
		char *text = list_key_text(key, element);
		char label[640];

		if (!text)
			continue;
		(void)snprintf(label, sizeof(label), "k:%s", text);
		free(text);
		put_nonempty(set, label, map_difference(d, other, element));
	}
	return set;
}

static json_t *set_difference(json_t *a, json_t *b)
{
	json_t *set = json_object();
	size_t i, k;
	json_t *element, *other;

	json_array_foreach(b, i, element)
	{
		bool there = false;
		char label[640];

		json_array_foreach(a, k, other) there = there || json_equal(element, other);
		if (there || !json_is_string(element))
			continue;
		(void)snprintf(label, sizeof(label), "v:\"%s\"", json_string_value(element));
		json_object_set_new(set, label, json_object());
	}
	return set;
}

/* Adds to @set the field @name, when @b's value is not @a's. */
static void field_difference(struct differ *d, json_t *set, const char *name, json_t *a, json_t *b)
{
	struct list_key key;
	char label[512];

	if (a && json_equal(a, b))
		return;
	field_key(label, sizeof(label), name);
	if (json_is_object(b) && !is_atomic_map(d, name) && (!a || json_is_object(a)))
		put_nonempty(set, label, map_difference(d, a, b));
	else if (json_is_array(b) && (!a || json_is_array(a)) && strcmp(name, "finalizers") == 0)
		put_nonempty(set, label, set_difference(a, b));
	else if (json_is_array(b) && (!a || json_is_array(a)) && list_key_of(name, a, b, &key))
		put_nonempty(set, label, keyed_difference(d, &key, a, b));
	else
		json_object_set_new(set, label, json_object());
}

/* Containers that a typed object always has, so that nobody adds them. */
static bool is_structural(const struct differ *d, const char *name)
{
	static const char *const names[] = { "metadata", "spec", "status", "template", "containers" };

	if (strcmp(name, "metadata") == 0)
		return true;
	for (size_t i = 0; !d->w->custom && i < ARRAY_LEN(names); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static json_t *map_difference(struct differ *d, json_t *a, json_t *b)
{
	json_t *set = json_object();
	const char *name;
	json_t *value;

	if (++d->depth < DEPTH) {
		if (!a)
			json_object_set_new(set, ".", json_object());
		json_object_foreach(b, name, value)
		{
			field_difference(d, set, name, json_object_get(a, name), value);
			if (!json_object_get(a, name) && is_structural(d, name)) {
				char label[512];

				field_key(label, sizeof(label), name);
				json_object_del(json_object_get(set, label), ".");
				if (is_empty(json_object_get(set, label)))
					json_object_del(set, label);
			}
		}
	}
	d->depth--;
	return set;
}

/* What is in @set and not in @minus. A leaf of @minus takes the whole subtree. */
static json_t *subtract(json_t *set, json_t *minus, unsigned depth)
{
	json_t *out = json_object();
	const char *key;
	json_t *sub;

	json_object_foreach(set, key, sub)
	{
		json_t *other = json_object_get(minus, key);

		if (!other || depth > DEPTH)
			json_object_set(out, key, sub);
		else if (is_empty(sub) || is_empty(other))
			continue;
		else
			put_nonempty(out, key, subtract(sub, other, depth + 1));
	}
	return out;
}

static json_t *unite(json_t *a, json_t *b, unsigned depth)
{
	json_t *out = json_copy(a);
	const char *key;
	json_t *sub;

	json_object_foreach(b, key, sub)
	{
		json_t *mine = json_object_get(out, key);

		if (mine && depth < DEPTH)
			json_object_set_new(out, key, unite(mine, sub, depth + 1));
		else
			json_object_set(out, key, sub);
	}
	return out;
}

/* A copy without what nobody owns. */
static json_t *ownable(json_t *obj)
{
	static const char *const server[] = {
		"managedFields", "resourceVersion", "uid",      "creationTimestamp", "generation",
		"name",          "namespace",       "selfLink", "deletionTimestamp", "deletionGracePeriodSeconds"
	};
	json_t *out, *meta;

	if (!obj)
		return json_object();
	out = json_copy(obj);
	meta = json_copy(json_object_get(obj, "metadata"));
	if (!meta)
		meta = json_object();
	for (size_t i = 0; i < ARRAY_LEN(server); i++)
		json_object_del(meta, server[i]);
	json_object_del(out, "apiVersion");
	json_object_del(out, "kind");
	json_object_set_new(out, "metadata", meta);
	return out;
}

static bool text_is(json_t *entry, const char *key, const char *text)
{
	const char *value = json_string_value(json_object_get(entry, key));

	return strcmp(value ? value : "", text ? text : "") == 0;
}

static bool is_writer(json_t *entry, const struct field_write *w)
{
	return text_is(entry, "manager", w->manager) && text_is(entry, "operation", "Update") &&
	       text_is(entry, "apiVersion", w->api_version) && text_is(entry, "subresource", w->subresource);
}

static json_t *new_entry(const struct field_write *w, json_t *set)
{
	json_t *entry =
		json_pack("{s:s, s:s, s:s, s:s, s:s, s:O}", "manager", w->manager, "operation", "Update", "apiVersion",
			  w->api_version, "time", w->time, "fieldsType", "FieldsV1", "fieldsV1", set);

	if (entry && w->subresource)
		json_object_set_new(entry, "subresource", json_string(w->subresource));
	return entry;
}

/* @entry with its set changed to what the write leaves it; a new reference, NULL when nothing is left. */
static json_t *carry_over(json_t *entry, const struct field_write *w, json_t *changed, json_t *removed)
{
	bool writer = is_writer(entry, w);
	json_t *before = json_object_get(entry, "fieldsV1");
	json_t *set = subtract(before, removed, 0);
	json_t *next = writer ? unite(set, changed, 0) : subtract(set, changed, 0);
	json_t *out = NULL;

	json_decref(set);
	if (!is_empty(next)) {
		out = json_copy(entry);
		if (!json_equal(before, next))
			json_object_set_new(out, "time", json_string(w->time));
		json_object_set(out, "fieldsV1", next);
	}
	json_decref(next);
	return out;
}

static json_t *updated_entries(json_t *entries, const struct field_write *w, json_t *changed, json_t *removed)
{
	json_t *out = json_array();
	bool found = false;
	size_t i;
	json_t *entry;

	json_array_foreach(entries, i, entry)
	{
		json_t *next = carry_over(entry, w, changed, removed);

		found = found || is_writer(entry, w);
		if (next)
			json_array_append_new(out, next);
	}
	if (!found && !is_empty(changed))
		json_array_append_new(out, new_entry(w, changed));
	return out;
}

bool managed_fields_update(json_t *now, json_t *old, const struct field_write *w)
{
	struct differ d = { .w = w };
	json_auto_t *a = ownable(old), *b = ownable(now);
	json_auto_t *changed = map_difference(&d, a, b), *removed = NULL;
	json_t *entries = json_object_get(json_object_get(old, "metadata"), "managedFields");
	json_t *all_gone = map_difference(&d, b, a);
	json_t *out;

	/* Gone is what only the old object had: the difference the other way round, without what merely changed. */
	removed = subtract(all_gone, changed, 0);
	json_decref(all_gone);
	out = updated_entries(entries, w, changed, removed);
	return out && json_object_set_new(json_object_get(now, "metadata"), "managedFields", out) == 0;
}
