/* Decoding objects of the API. */
#include "value/object_text.h"

static const char *const managed_fields_path[] = { "metadata", "managedFields", NULL };

static int complete_type(struct doc *d, const struct object_type *type, struct key_table *keys, struct err *err)
{
	const struct {
		str name, value;
	} fields[] = { { STR("apiVersion"), type->api_version }, { STR("kind"), type->kind } };

	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		const struct key *key;
		str value;

		if (val_exists(val_get(d->root, fields[i].name)))
			continue;
		key = key_make(keys, &d->arena, fields[i].name);
		value = arena_str(&d->arena, fields[i].value);
		if (!key || !value.p)
			return err_nomem(err);
		d->root = val_map_with(&d->arena, d->root, key, val_string(value));
		if (!val_exists(d->root))
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
		r = complete_type(d, type, keys, err);
	if (r == 0)
		*ret = TAKE(d);
	return r;
}
