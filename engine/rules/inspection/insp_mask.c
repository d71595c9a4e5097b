/* Hides secrets from inspection rules by putting "***" in their place. */
#include "rules/inspection/insp_mask.h"

#include "mask/names.h"
#include "value/kube_names.h"

static bool is_secret(val map)
{
	return str_eq(val_str(VAL_GET(map, "kind")), STR("Secret")) &&
	       str_eq(val_str(VAL_GET(map, "apiVersion")), STR("v1"));
}

enum insp_place insp_place_of(enum insp_place parent, val map, str key)
{
	if (parent == INSP_SECRET_DATA || mask_name_of_rules(key) ||
	    (parent == INSP_SECRET_ANNOTATIONS && str_eq(key, STR(KUBE_LAST_APPLIED))))
		return INSP_HIDDEN;
	if (parent == INSP_SECRET_METADATA && str_eq(key, STR("annotations")))
		return INSP_SECRET_ANNOTATIONS;
	if ((str_eq(key, STR("data")) || str_eq(key, STR("stringData"))) && is_secret(map))
		return INSP_SECRET_DATA;
	return str_eq(key, STR("metadata")) && is_secret(map) ? INSP_SECRET_METADATA : INSP_PLAIN;
}

static int masked_list(struct insp_work *w, val v, val *ret, struct err *err)
{
	val *copy = NULL, item = { 0 };

	for (uint32_t i = 0; i < v.n; i++) {
		int r = insp_masked(w, INSP_PLAIN, v.items[i], &item, err);

		if (r < 0)
			return r;
		if (!copy && (item.kind != v.items[i].kind || item.items != v.items[i].items)) {
			copy = arena_array(w->arena, v.n, sizeof(*copy));
			if (!copy)
				return arena_error(w->arena, err);
			memcpy(copy, v.items, v.n * sizeof(*copy));
		}
		if (copy)
			copy[i] = item;
	}
	if (copy)
		v.items = copy;
	*ret = v;
	return 0;
}

static int masked_map(struct insp_work *w, enum insp_place place, val v, val *ret, struct err *err)
{
	struct member *copy = NULL;
	val value = { 0 };

	for (uint32_t i = 0; i < v.n; i++) {
		const struct member *m = &v.members[i];
		int r = insp_masked(w, insp_place_of(place, v, key_str(m->key)), m->value, &value, err);

		if (r < 0)
			return r;
		if (!copy && (value.kind != m->value.kind || value.items != m->value.items)) {
			copy = arena_array(w->arena, v.n, sizeof(*copy));
			if (!copy)
				return arena_error(w->arena, err);
			memcpy(copy, v.members, v.n * sizeof(*copy));
		}
		if (copy)
			copy[i].value = value;
	}
	if (copy)
		v.members = copy;
	*ret = v;
	return 0;
}

int insp_masked(struct insp_work *w, enum insp_place place, val v, val *ret, struct err *err)
{
	int r = insp_spend(w, 1, err);

	if (r < 0)
		return r;
	if (place == INSP_HIDDEN || (place == INSP_SECRET_DATA && !val_is_map(v) && !val_is_null(v)))
		*ret = val_string(STR("***"));
	else if (v.kind == VAL_LIST)
		return masked_list(w, v, ret, err);
	else if (v.kind == VAL_MAP)
		return masked_map(w, place, v, ret, err);
	else
		*ret = v;
	return 0;
}
