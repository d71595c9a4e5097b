/* Walking an object along the names of a reference. */
#include "compare/view.h"

#include "base/hash.h"

val view_names(val rendered, struct key_table *keys, struct arena *a)
{
	struct member *names;

	if (!val_is_map(rendered))
		return val_null();
	names = arena_array(a, rendered.n, sizeof(*names));
	if (!names)
		return (val){ 0 };
	for (uint32_t i = 0; i < rendered.n; i++) {
		const struct member *m = &rendered.members[i];

		names[i] = (struct member){ key_make(keys, a, key_str(m->key)), view_names(m->value, keys, a) };
		if (!names[i].key || !val_exists(names[i].value))
			return (val){ 0 };
	}
	return val_map_sorted(names, rendered.n);
}

/* Merging looks into a map only where both sides have one. Whether it is empty matters too: a map that omitting fields
 * leaves empty goes with them. */
static uint64_t hash_named(val names, val v)
{
	uint64_t h;
	uint32_t at = 0;

	if (!val_is_map(names) || !val_is_map(v))
		return val_hash(v);
	h = hash_mix(VAL_MAP, v.n == 0);
	for (uint32_t i = 0; i < names.n; i++) {
		const struct key *key = names.members[i].key;
		int order = 1;

		while (at < v.n && (order = key_cmp(v.members[at].key, key)) < 0)
			at++;
		h = hash_mix(h, hash_named(names.members[i].value,
					   at < v.n && order == 0 ? v.members[at].value : (val){ 0 }));
	}
	return h;
}

uint64_t view_hash(const struct view_part *p, val left)
{
	switch (p->scope) {
	case VIEW_NOTHING:
		return VIEW_NOTHING;
	case VIEW_NAMED:
		return hash_named(p->names, left);
	default:
		return val_hash(left);
	}
}
