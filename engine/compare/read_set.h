/* What a verdict saw of its object besides what the templates read (their footprints): where a template ignores
 * unspecified fields, only what its rendered reference names.
 *
 * Objects of one identity that do not differ in what the footprints and the read set of a verdict on one of them
 * contain have the same verdict, as far as it depends on neither look-ups nor the clock, and if their texts are
 * below READ_SET_BYTES_MAX: the cost of a comparison depends on all of an object. */
#ifndef COMPARE_READ_SET_H
#define COMPARE_READ_SET_H

#include "reference/ref.h"

#define READ_SET_BYTES_MAX 65536

enum read_scope {
	READS_ALL,
	READS_NAMED,   /* what the rendered reference names */
	READS_NOTHING, /* the template called doNotMatch */
};

/* What one candidate saw. */
struct read_part {
	enum read_scope scope;
	val names;     /* READS_NAMED: ref_names */
	uint64_t hash; /* val_hash of @names */
};

/* Hash what @p contains of an object without the template's fields to omit, which is @left. */
uint64_t read_set_hash(const struct read_part *p, val left);

/* Mix into *hash what the verdict on @object saw of it: what the templates read, and what @parts (one for each of
 * its @n candidates; NULL: all of it) contain of the object without the omitted fields. @a is scratch. False without
 * memory: then the hash is of no use. */
bool read_set_hash_seen(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
			val object, struct arena *a, uint64_t *hash);

/* Add to *pick what read_set_hash_seen reads: an object decoded with that pick has the hash of the whole one. False
 * without memory. */
bool read_set_pick(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
		   struct key_table *keys, struct arena *a, struct json_pick *pick);

#endif
