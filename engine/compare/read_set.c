/* Hashes the parts of an object that have the names in a reference. */
#include "compare/read_set.h"

#include "base/hash.h"

/* Hash what is named of @v. Merging looks into a map only if both sides have a map. Whether a map has any other
 * members matters as well, because a map that becomes empty when fields are omitted is omitted, too. */
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

uint64_t read_set_hash(const struct read_part *p, val left)
{
	switch (p->scope) {
	case READS_NOTHING:
		return READS_NOTHING;
	case READS_NAMED:
		return hash_named(p->names, left);
	default:
		return val_hash(left);
	}
}

static const struct read_part *part_of(const struct read_part *parts, size_t i)
{
	static const struct read_part all = { .scope = READS_ALL };

	return parts ? &parts[i] : &all;
}

/* Whether @b sees the same of any object as @a: it omits, names and reads the same. */
static bool sees_the_same(const struct ref_text *a, const struct read_part *of_a, const struct ref_text *b,
			  const struct read_part *of_b)
{
	return a->omit.paths == b->omit.paths && a->omit.n == b->omit.n && of_a->scope == of_b->scope &&
	       of_a->hash == of_b->hash && a->footprint.paths_hash == b->footprint.paths_hash;
}

static bool hash_candidate(const struct ref_text *text, const struct read_part *part, val object, struct arena *a,
			   uint64_t *h)
{
	const struct tmpl_footprint *print = &text->footprint;
	val left = omit_fields(object, text->omit, a);

	if (!val_exists(left))
		return false;
	*h = hash_mix(*h, read_set_hash(part, left));
	/* a template may fail on a field of a text, but not on one of a missing value */
	for (size_t k = 0; k < print->n_paths; k++)
		*h = hash_mix(*h, val_hash_way(object, print->paths[k].keys, print->paths[k].n));
	return true;
}

bool read_set_hash_seen(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
			val object, struct arena *a, uint64_t *hash)
{
	uint64_t h = *hash;

	for (size_t i = 0; i < n; i++) {
		const struct ref_text *text = candidates[i]->text;

		if (text->footprint.everything) {
			*hash = hash_mix(h, val_hash(object));
			return true;
		}
		if (i > 0 && sees_the_same(candidates[i - 1]->text, part_of(parts, i - 1), text, part_of(parts, i)))
			continue;
		if (!hash_candidate(text, part_of(parts, i), object, a, &h))
			return false;
	}
	*hash = h;
	return true;
}
