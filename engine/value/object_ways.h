/* Places of objects that are read, as ways from the root. Two objects that are equal at these places are equal to a
 * reader that reads nothing else. */
#ifndef VALUE_OBJECT_WAYS_H
#define VALUE_OBJECT_WAYS_H

#include "base/vec.h"
#include "value/json_pick.h"
#include "value/val.h"

struct object_way {
	const str *names;
	size_t n;
};

/* The ways to what is read of an object. They live in @arena. */
struct object_ways {
	bool known; /* false: what is read cannot be known; for the code that adds ways */
	struct arena arena;
	struct key_table *keys;
	VEC(struct object_way) p; /* through maps, to what is read with all below it */
	struct json_pick pick;    /* of a text, to have the hash of the whole object, and who it is */
};

/* None; known as far as there was memory. @keys outlive it, and are those of the texts that are picked from. */
void object_ways_init(struct object_ways *w, struct key_table *keys);
void object_ways_done(struct object_ways *w);

/* Adds a way, with all that is behind it; no name: the whole object. The names are copied. False: there are so many
 * ways that comparing them costs more than it saves, or there was no memory. */
CHECKED bool object_ways_add(struct object_ways *w, const str *names, size_t n);

/* The hash of what lies on the ways of an object, or of what w->pick picked of its text; never 0. */
uint64_t object_ways_hash(const struct object_ways *w, val object);

#endif
