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

/* Merging looks into a map only where both sides have one. Whether it holds anything that is not named matters too: a
 * map that is left empty when fields are omitted goes with them. */
static uint64_t hash_named(val names, val v)
{
	uint32_t at = 0, n_named = 0;
	uint64_t h = VAL_MAP;

	if (!val_is_map(names) || !val_is_map(v))
		return val_hash(v);
	for (uint32_t i = 0; i < names.n; i++) {
		const struct key *key = names.members[i].key;
		int order = 1;

		while (at < v.n && (order = key_cmp(v.members[at].key, key)) < 0)
			at++;
		order = at < v.n ? order : 1;
		n_named += order == 0;
		h = hash_mix(h, hash_named(names.members[i].value, order == 0 ? v.members[at].value : (val){ 0 }));
	}
	return hash_mix(h, v.n > n_named);
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

static const struct view_part *part_of(const struct view_part *parts, size_t i)
{
	static const struct view_part all = { .scope = VIEW_ALL };

	return parts ? &parts[i] : &all;
}

bool view_hash_seen(const struct ref_template *const *candidates, size_t n, const struct view_part *parts, val object,
		    struct arena *a, uint64_t *hash)
{
	uint64_t h = *hash;

	for (size_t i = 0; i < n; i++) {
		const struct tmpl_footprint *print = &candidates[i]->text->footprint;
		val left;

		if (print->everything) {
			*hash = hash_mix(h, val_hash(object));
			return true;
		}
		left = omit_fields(object, candidates[i]->text->omit, a);
		if (!val_exists(left))
			return false;
		h = hash_mix(h, view_hash(part_of(parts, i), left));
		for (size_t k = 0; k < print->n_paths; k++) /* a template fails on a field of a text, not of nothing */
			h = hash_mix(h, val_hash_way(object, print->paths[k].keys, print->paths[k].n));
	}
	*hash = h;
	return true;
}
