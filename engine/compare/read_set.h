/* What a verdict saw of its object besides what the templates read (their footprints): where a template ignores
 * unspecified fields, only what its rendered reference names.
 *
 * Objects of one identity that are the same to the footprints and to the read set of the verdict on one of them have
 * the same verdict, as far as that depends on neither look-ups nor the clock, while their texts are below
 * READ_SET_BYTES_MAX: what a comparison may cost depends on all of an object. */
#ifndef COMPARE_READ_SET_H
#define COMPARE_READ_SET_H

#include "reference/ref.h"

#define READ_SET_BYTES_MAX 65536

enum read_scope {
	READS_ALL,
	READS_NAMED,   /* what the rendered reference names */
	READS_NOTHING, /* the template said doNotMatch */
};

/* For one candidate. */
struct read_part {
	enum read_scope scope;
	val names;     /* READS_NAMED: ref_names */
	uint64_t hash; /* val_hash of them */
};

/* Hash what @p sees of an object from which the template's fields to omit were omitted. */
uint64_t read_set_hash(const struct read_part *p, val left);

/* Fold into *hash what the verdict on @object saw of it: what is left of it after omitting, as far as @parts (one for
 * each of its @n candidates; NULL: all of it) say, and what the templates read besides. @a: scratch. False without
 * memory: then nothing can be said. */
bool read_set_hash_seen(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
			val object, struct arena *a, uint64_t *hash);

/* Adds to *pick what read_set_hash_seen reads: an object decoded with that pick has the hash of the whole one. False
 * without memory. */
bool read_set_pick(const struct ref_template *const *candidates, size_t n, const struct read_part *parts,
		   struct key_table *keys, struct arena *a, struct json_pick *pick);

#endif
