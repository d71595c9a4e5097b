/* Places of objects that somebody looks at, as ways from the root. Objects that are the same there are the same to
 * whoever looks at nothing else. */
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
	bool known; /* for who adds them: else nothing can be said of what is looked at */
	struct arena arena;
	struct key_table *keys;
	VEC(struct object_way) p; /* through maps, to what is looked at with all below it */
	struct json_pick pick;    /* of a text, to have the hash of the whole object, and who it is */
};

/* None; known as far as there was memory. @keys outlive it, and are those of the texts that are picked from. */
void object_ways_init(struct object_ways *w, struct key_table *keys);
void object_ways_done(struct object_ways *w);

/* Another one, with all that is behind it; no name: all of the object. The names are copied. False: there are so many
 * that looking costs more than what it is for, or there was no memory. */
CHECKED bool object_ways_add(struct object_ways *w, const str *names, size_t n);

/* The hash of what lies on the ways of an object, or of what w->pick picked of its text; never 0. */
uint64_t object_ways_hash(const struct object_ways *w, val object);

#endif
