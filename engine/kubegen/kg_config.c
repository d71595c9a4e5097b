/* Generates ConfigMaps and Secrets from their shorthand. */
#include "go/base64.h"
#include "kubegen/kg_file.h"
#include "kubegen/kg_internal.h"
#include "kubegen/kg_objects.h"

#include <errno.h>

static const struct kg_field config_map_fields[] = {
	{ "data", KG_TEXT_MAP, true },
	{ "readFromFiles", KG_TEXTS, true },
};
static const struct kg_shape config_map_shape = { config_map_fields, ARRAY_LEN(config_map_fields), &kg_common_shape };

static const struct kg_field secret_fields[] = {
	{ "data", KG_TEXT_MAP, true },
	{ "readFromFiles", KG_TEXTS, true },
	{ "stringData", KG_TEXT_MAP, false },
	{ "type", KG_TEXT, false },
};
static const struct kg_shape secret_shape = { secret_fields, ARRAY_LEN(secret_fields), &kg_common_shape };

/* ---- data from files ---- */

/* Read the content of a file of the module: as text for a ConfigMap, encoded for a Secret. */
static int file_content(struct kg_make *m, str file, const struct kg_place *at, bool secret, val *ret)
{
	str content = { 0 };
	int r = (secret ? kg_file_bytes : kg_file_text)(m->e, file, at, &content);

	if (r < 0)
		return r;
	if (secret)
		return kg_base64(m->e, content, at, ret);
	*ret = val_string(content);
	return 0;
}

/* Members that are collected, each key once. */
struct data {
	struct member *members;
	uint32_t n;
	struct strmap keys;
};

static int add_member(struct kg_make *m, struct data *d, const struct key *key, val v)
{
	d->members[d->n++] = (struct member){ key, v };
	return key && strmap_put(&d->keys, key_str(key), d, NULL) ? 0 : kg_nomem(m->e);
}

static int add_file(struct kg_make *m, struct data *d, val files, uint32_t i, bool secret)
{
	const struct kg_place *at = kg_place_item(&m->e->arena, kg_place_of(files), i);
	str file = val_str(files.items[i]), clean = kg_path_join(&m->e->arena, STR(""), file);
	str base = kg_path_base(clean);
	val v;
	int r;

	if (!at || !clean.p)
		return kg_nomem(m->e);
	if (strmap_has(&d->keys, base))
		return kg_error(m->e, at, "ambiguous: the key '%.*s' is given twice", STR_ARG(base));
	r = file_content(m, file, at, secret, &v);
	return r < 0 ? r : add_member(m, d, key_make(m->e->keys, &m->e->arena, base), v);
}

/* Make the data of the members that are given and of those that are read from files. */
static val make_data(struct kg_make *m, val from, bool secret)
{
	val given = kg_get_texts(m, from, "data"), files = kg_get(from, "readFromFiles"), v = { 0 };
	struct data d = { 0 };

	d.members = arena_array(&m->e->arena, (size_t)val_count(given) + val_count(files), sizeof(*d.members));
	if (!d.members) {
		kg_make_nomem(m);
		return v;
	}
	for (uint32_t i = 0; m->r == 0 && i < val_count(given); i++)
		m->r = add_member(m, &d, given.members[i].key, given.members[i].value);
	for (uint32_t i = 0; m->r == 0 && i < val_count(files); i++)
		m->r = add_file(m, &d, files, i, secret);
	if (m->r == 0) {
		v = val_map(&m->e->arena, d.members, d.n);
		if (!val_exists(v))
			kg_make_nomem(m);
	}
	strmap_done(&d.keys);
	return v;
}

/* ---- the objects ---- */

static val make_config_map(struct kg_make *m, const struct kg_kind *kind, val from, val manifest)
{
	struct kg_object o = { .m = m };

	(void)manifest;
	kg_put_head(&o, "v1", kind->kind, from);
	kg_put_filled(&o, "data", make_data(m, from, false));
	return kg_object_val(&o);
}

/* Report data that the API server could not decode. */
static void check_base64(struct kg_make *m, val data)
{
	for (uint32_t i = 0; m->r == 0 && i < val_count(data); i++) {
		const struct member *d = &data.members[i];
		str bytes;
		int r = go_base64_decode(&go_base64_std, val_str(d->value), &m->e->arena, &bytes, NULL);

		if (r == -ENOMEM)
			kg_make_nomem(m);
		else if (r < 0)
			kg_wrong(m, data, d->key->p, "not base64");
	}
}

static val make_secret(struct kg_make *m, const struct kg_kind *kind, val from, val manifest)
{
	struct kg_object o = { .m = m };

	(void)manifest;
	check_base64(m, kg_get_texts(m, from, "data"));
	kg_put_head(&o, "v1", kind->kind, from);
	kg_carry(&o, from, &secret_shape);
	kg_put_filled(&o, "data", make_data(m, from, true));
	return kg_object_val(&o);
}

const struct kg_kind kg_config_map = { "ConfigMaps", "ConfigMap", &config_map_shape, make_config_map };
const struct kg_kind kg_secret = { "Secrets", "Secret", &secret_shape, make_secret };
