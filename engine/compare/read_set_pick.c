/* Picks from an object what a read set contains. */
#include "compare/read_set.h"

/* Pick what hash_named hashes. */
static bool pick_named(val names, struct key_table *keys, struct arena *a, struct json_pick *ret)
{
	struct json_pick *members;

	*ret = (struct json_pick){ .kind = val_is_map(names) ? PICK_MEMBERS : PICK_WHOLE };
	if (ret->kind == PICK_WHOLE)
		return true;
	members = arena_array(a, names.n, sizeof(*members));
	if (!members)
		return false;
	for (uint32_t i = 0; i < names.n; i++) {
		/* the recursion is as deep as the names */
		if (!pick_named(names.members[i].value, keys, a, &members[i]))
			return false;
		members[i].key = key_make(keys, a, key_str(names.members[i].key));
		if (!members[i].key)
			return false;
	}
	ret->members = members;
	ret->n = names.n;
	return true;
}

static bool pick_part(const struct ref_template *t, const struct read_part *part, struct key_table *keys,
		      struct arena *a, struct json_pick *pick)
{
	struct json_pick of;

	if (part && part->scope == READS_NOTHING)
		return true;
	if (!omit_pick(t->text->omit, !part || part->scope == READS_ALL, keys, a, &of) ||
	    !json_pick_both(pick, &of, a, pick))
		return false;
	return !part || part->scope != READS_NAMED ||
	       (pick_named(part->names, keys, a, &of) && json_pick_both(pick, &of, a, pick));
}

static bool pick_paths(const struct tmpl_footprint *print, struct key_table *keys, struct arena *a,
		       struct json_pick *pick)
{
	struct json_pick path;

	for (size_t i = 0; i < print->n_paths; i++) {
		if (!json_pick_path(print->paths[i].keys, print->paths[i].n, keys, a, &path) ||
		    !json_pick_both(pick, &path, a, pick))
			return false;
	}
	return true;
}

bool read_set_pick(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
		   struct key_table *keys, struct arena *a, struct json_pick *pick)
{
	for (size_t i = 0; i < n; i++) {
		if (candidates[i]->text->footprint.everything) {
			pick->kind = PICK_WHOLE;
			return true;
		}
		if (!pick_part(candidates[i], parts ? &parts[i] : NULL, keys, a, pick) ||
		    !pick_paths(&candidates[i]->text->footprint, keys, a, pick))
			return false;
	}
	return true;
}
