/* Decodes the texts of objects of the API. */
#include "value/object_text.h"

static const char *const managed_fields_path[] = { "metadata", "managedFields", NULL };

static int complete_type(struct arena *a, val *root, const struct object_type *type, struct key_table *keys,
			 struct err *err)
{
	const struct {
		str name, value;
	} fields[] = { { STR("apiVersion"), type->api_version }, { STR("kind"), type->kind } };

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct key *key;
		str value;

		if (val_exists(val_get(*root, fields[i].name)))
			continue;
		key = key_make(keys, a, fields[i].name);
		value = arena_str(a, fields[i].value);
		if (!key || !value.p)
			return err_nomem(err);
		*root = val_map_with(a, *root, key, val_string(value));
		if (!val_exists(*root))
			return err_nomem(err);
	}
	return 0;
}

int object_decode(str text, const struct limits *limits, struct key_table *keys, const struct object_type *type,
		  struct doc **ret, str *managed_fields, struct err *err)
{
	const struct json_skip skip = { .path = managed_fields_path, .raw = managed_fields, .unchecked = true };
	const struct json_options o = { .limits = limits, .keys = keys, .skips = &skip, .n_skips = 1 };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int r = json_decode(text, &o, &d, err);

	if (r == 0 && type)
		r = complete_type(&d->arena, &d->root, type, keys, err);
	if (r == 0)
		*ret = TAKE(d);
	return r;
}

static const str identity_paths[][2] = {
	{ { "apiVersion", 10 }, { NULL, 0 } },     { { "kind", 4 }, { NULL, 0 } },
	{ { "metadata", 8 }, { "namespace", 9 } }, { { "metadata", 8 }, { "name", 4 } },
	{ { "metadata", 8 }, { "uid", 3 } },       { { "metadata", 8 }, { "resourceVersion", 15 } },
};

bool object_pick(struct key_table *keys, struct arena *a, struct json_pick *ret)
{
	struct json_pick all = { .kind = PICK_MEMBERS };

	for (size_t i = 0; i < ARRAY_LEN(identity_paths); i++) {
		const str *path = identity_paths[i];
		struct json_pick one;

		if (!json_pick_path(path, path[1].p ? 2 : 1, keys, a, &one) || !json_pick_both(&all, &one, a, &all))
			return false;
	}
	*ret = all;
	return true;
}

int object_decode_part(str text, const struct limits *limits, struct key_table *keys, const struct object_type *type,
		       const struct json_pick *pick, const struct json_reader *reader, struct arena *a, val *ret,
		       str *managed_fields, struct err *err)
{
	const struct json_skip skip = {
		.path = managed_fields_path, .raw = managed_fields, .unchecked = true, .reader = reader
	};
	const struct json_options o = { .limits = limits, .keys = keys, .skips = &skip, .n_skips = 1, .pick = pick };
	int r = json_decode_value(text, &o, a, ret, NULL, err);

	return r == 0 && type ? complete_type(a, ret, type, keys, err) : r;
}
