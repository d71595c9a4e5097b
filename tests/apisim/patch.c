/* JSON patch, merge patch and a simple apply. */
#include "patch.h"

#include "list_key.h"

#include "base/str.h"

#include <string.h>

/* jansson refuses documents deeper than this at the door (JSON_PARSER_MAX_DEPTH), so recursion is bounded. */
#define DEPTH 2048

/* --- merge patch --- */

static json_t *merge(json_t *doc, json_t *patch, unsigned depth)
{
	const char *key;
	json_t *value, *out;

	if (!json_is_object(patch) || depth > DEPTH)
		return json_deep_copy(patch);
	out = json_is_object(doc) ? json_copy(doc) : json_object();
	json_object_foreach(patch, key, value)
	{
		if (json_is_null(value))
			json_object_del(out, key);
		else
			json_object_set_new(out, key, merge(json_object_get(out, key), value, depth + 1));
	}
	return out;
}

int patch_merge(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal)
{
	json_t *out;

	if (!json_is_object(patch))
		return refuse(refusal, 400, "BadRequest", "a merge patch must be a JSON object");
	out = merge(doc, patch, 0);
	if (!out)
		return refuse_nomem(refusal);
	*ret = out;
	return 0;
}

/* --- JSON patch --- */

static int unprocessable(struct refusal *refusal, const char *what, const char *path)
{
	return refuse(refusal, 422, "Invalid",
		      "the server rejected our request due to an error in our request: %s \"%.200s\"", what, path);
}

/* The next reference token of *path, unescaped, in @to. False at the end or when it is malformed. */
static bool pointer_token(const char **path, char *to, size_t n)
{
	size_t at = 0;
	const char *p = *path;

	if (*p != '/')
		return false;
	for (p++; *p && *p != '/'; p++) {
		char c = *p;

		if (c == '~') {
			p++;
			if (*p != '0' && *p != '1')
				return false;
			c = *p == '0' ? '~' : '/';
		}
		if (at + 1 >= n)
			return false;
		to[at++] = c;
	}
	to[at] = '\0';
	*path = p;
	return true;
}

/* An array index without leading zeros; "-" is the place behind the last when @end is allowed. */
static bool array_index(const char *token, size_t size, bool end, size_t *ret)
{
	char *stop;

	if (end && strcmp(token, "-") == 0) {
		*ret = size;
		return true;
	}
	if (token[0] < '0' || token[0] > '9' || (token[0] == '0' && token[1]))
		return false;
	*ret = strtoull(token, &stop, 10);
	return !*stop && (*ret < size || (end && *ret == size));
}

static json_t *child(json_t *at, const char *token)
{
	size_t i;

	if (json_is_object(at))
		return json_object_get(at, token);
	if (json_is_array(at) && array_index(token, json_array_size(at), false, &i))
		return json_array_get(at, i);
	return NULL;
}

/* The value at @path; NULL when there is none. */
static json_t *pointer_get(json_t *doc, const char *path)
{
	char token[1024];

	while (doc && *path)
		doc = pointer_token(&path, token, sizeof(token)) ? child(doc, token) : NULL;
	return doc;
}

/* The container of @path's last token, which goes to @token. */
static json_t *pointer_parent(json_t *doc, const char *path, char *token, size_t n)
{
	for (;;) {
		if (!doc || !pointer_token(&path, token, n))
			return NULL;
		if (!*path)
			return doc;
		doc = child(doc, token);
	}
}

enum edit { EDIT_ADD, EDIT_REMOVE, EDIT_REPLACE };

/* @value is borrowed. False when the path does not lead anywhere. */
static bool edit(json_t **doc, enum edit what, const char *path, json_t *value)
{
	char token[1024];
	json_t *at;
	size_t i;

	if (!*path && what != EDIT_REMOVE) {
		json_decref(*doc);
		*doc = json_deep_copy(value);
		return *doc;
	}
	at = pointer_parent(*doc, path, token, sizeof(token));
	if (json_is_object(at)) {
		if (what != EDIT_ADD && !json_object_get(at, token))
			return false;
		if (what == EDIT_REMOVE)
			return json_object_del(at, token) == 0;
		return json_object_set_new(at, token, json_deep_copy(value)) == 0;
	}
	if (!json_is_array(at) || !array_index(token, json_array_size(at), what == EDIT_ADD, &i))
		return false;
	if (what == EDIT_REMOVE)
		return json_array_remove(at, i) == 0;
	if (what == EDIT_ADD)
		return json_array_insert_new(at, i, json_deep_copy(value)) == 0;
	return json_array_set_new(at, i, json_deep_copy(value)) == 0;
}

static int move_or_copy(json_t **doc, const char *path, const char *from, bool move, struct refusal *refusal)
{
	json_t *value = from ? pointer_get(*doc, from) : NULL;
	json_auto_t *copy = NULL;

	if (!value)
		return unprocessable(refusal, "nothing at", from ? from : "");
	/* A value cannot be moved into itself. */
	if (move && strncmp(path, from, strlen(from)) == 0 && path[strlen(from)] == '/')
		return unprocessable(refusal, "cannot move into itself", path);
	copy = json_deep_copy(value);
	if (move && !edit(doc, EDIT_REMOVE, from, NULL))
		return unprocessable(refusal, "cannot remove", from);
	return edit(doc, EDIT_ADD, path, copy) ? 0 : unprocessable(refusal, "cannot add at", path);
}

static int apply_operation(json_t **doc, json_t *operation, struct refusal *refusal)
{
	const char *op = json_string_value(json_object_get(operation, "op"));
	const char *path = json_string_value(json_object_get(operation, "path"));
	const char *from = json_string_value(json_object_get(operation, "from"));
	json_t *value = json_object_get(operation, "value");

	if (!op || !path)
		return refuse(refusal, 400, "BadRequest", "a JSON patch operation needs op and path");
	if (strcmp(op, "move") == 0 || strcmp(op, "copy") == 0)
		return move_or_copy(doc, path, from, *op == 'm', refusal);
	if (strcmp(op, "remove") == 0)
		return edit(doc, EDIT_REMOVE, path, NULL) ? 0 : unprocessable(refusal, "cannot remove", path);
	if (!value)
		return refuse(refusal, 400, "BadRequest", "the JSON patch operation %s needs a value", op);
	if (strcmp(op, "add") == 0)
		return edit(doc, EDIT_ADD, path, value) ? 0 : unprocessable(refusal, "cannot add at", path);
	if (strcmp(op, "replace") == 0)
		return edit(doc, EDIT_REPLACE, path, value) ? 0 : unprocessable(refusal, "cannot replace", path);
	if (strcmp(op, "test") == 0)
		return json_equal(pointer_get(*doc, path), value) ? 0 : unprocessable(refusal, "test failed at", path);
	return refuse(refusal, 400, "BadRequest", "unknown JSON patch operation \"%s\"", op);
}

int patch_json(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal)
{
	json_t *out;
	size_t i;
	json_t *operation;

	if (!json_is_array(patch))
		return refuse(refusal, 400, "BadRequest", "a JSON patch must be a list");
	out = json_deep_copy(doc);
	json_array_foreach(patch, i, operation)
	{
		if (apply_operation(&out, operation, refusal) < 0) {
			json_decref(out);
			return -1;
		}
	}
	if (!json_is_object(out)) {
		json_decref(out);
		return unprocessable(refusal, "the result is not an object", "");
	}
	*ret = out;
	return 0;
}

/* --- strategic merge --- */

static json_t *strategic(json_t *doc, json_t *patch, unsigned depth);

static const char *directive(json_t *patch)
{
	const char *text = json_string_value(json_object_get(patch, "$patch"));

	return text ? text : "";
}

static json_t *merge_list(const struct list_key *key, json_t *doc, json_t *patch, unsigned depth)
{
	json_t *out = json_copy(doc);
	size_t i, at;
	json_t *element;

	json_array_foreach(patch, i, element)
	{
		json_t *old = list_key_find(key, out, element, &at);

		if (strcmp(directive(element), "delete") == 0) {
			if (old)
				json_array_remove(out, at);
		} else if (old) {
			json_array_set_new(out, at, strategic(old, element, depth + 1));
		} else {
			json_array_append_new(out, strategic(NULL, element, depth + 1));
		}
	}
	return out;
}

/* A list without the marker { "$patch": "replace" }. */
static json_t *without_markers(json_t *list)
{
	json_t *out = json_array();
	size_t i;
	json_t *element;

	json_array_foreach(list, i, element) if (!json_object_get(element, "$patch"))
		json_array_append_new(out, json_deep_copy(element));
	return out;
}

static bool replaces(json_t *list)
{
	size_t i;
	json_t *element;

	json_array_foreach(list, i, element) if (strcmp(directive(element), "replace") == 0) return true;
	return false;
}

/* Whether every element has the key, or is a marker. */
static bool merges_by(const char *field, json_t *doc, json_t *patch, struct list_key *key)
{
	return json_is_array(doc) && json_is_array(patch) && !replaces(patch) && list_key_of(field, doc, patch, key);
}

static void delete_primitives(json_t *out, const char *field, json_t *values)
{
	json_t *list = json_object_get(out, field);
	json_t *kept;
	size_t i, k;
	json_t *element, *value;

	if (!json_is_array(list))
		return;
	kept = json_array();
	json_array_foreach(list, i, element)
	{
		bool gone = false;

		json_array_foreach(values, k, value) gone = gone || json_equal(element, value);
		if (!gone)
			json_array_append(kept, element);
	}
	json_object_set_new(out, field, kept);
}

static void strategic_field(json_t *out, const char *field, json_t *value, unsigned depth)
{
	static const char drop[] = "$deleteFromPrimitiveList/";
	json_t *old = json_object_get(out, field);
	struct list_key key;

	if (strncmp(field, drop, sizeof(drop) - 1) == 0)
		delete_primitives(out, field + sizeof(drop) - 1, value);
	else if (*field == '$')
		return;
	else if (json_is_null(value))
		json_object_del(out, field);
	else if (merges_by(field, old, value, &key))
		json_object_set_new(out, field, merge_list(&key, old, value, depth));
	else if (json_is_array(value))
		json_object_set_new(out, field, without_markers(value));
	else
		json_object_set_new(out, field, strategic(old, value, depth + 1));
}

/* Of @out only the fields that $retainKeys names. */
static void retain(json_t *out, json_t *keys)
{
	json_t *copy = json_copy(out);
	const char *field;
	json_t *value;

	json_object_foreach(copy, field, value)
	{
		bool kept = false;
		size_t i;
		json_t *key;

		json_array_foreach(keys, i, key) kept =
			kept || (json_is_string(key) && strcmp(json_string_value(key), field) == 0);
		if (!kept)
			json_object_del(out, field);
	}
	json_decref(copy);
}

static json_t *strategic(json_t *doc, json_t *patch, unsigned depth)
{
	const char *field;
	json_t *value, *out;

	if (!json_is_object(patch) || depth > DEPTH)
		return json_deep_copy(patch);
	if (strcmp(directive(patch), "delete") == 0)
		return json_object();
	out = json_is_object(doc) && strcmp(directive(patch), "replace") != 0 ? json_copy(doc) : json_object();
	if (json_is_array(json_object_get(patch, "$retainKeys")))
		retain(out, json_object_get(patch, "$retainKeys"));
	json_object_foreach(patch, field, value) strategic_field(out, field, value, depth);
	return out;
}

int patch_strategic(json_t *doc, json_t *patch, json_t **ret, struct refusal *refusal)
{
	json_t *out;

	if (!json_is_object(patch))
		return refuse(refusal, 400, "BadRequest", "a strategic merge patch must be a JSON object");
	out = strategic(doc, patch, 0);
	if (!out)
		return refuse_nomem(refusal);
	*ret = out;
	return 0;
}
