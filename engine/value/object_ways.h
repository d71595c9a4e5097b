/* The places of objects that a reader reads, as ways from the root. Two objects that are equal at these places are
 * equal to that reader. */
#ifndef VALUE_OBJECT_WAYS_H
#define VALUE_OBJECT_WAYS_H

#include "base/vec.h"
#include "value/json_pick.h"
#include "value/val.h"

struct object_way {
	const str *names; /* names of members, and VAL_EACH_ITEM where the way goes on in each item of a list */
	size_t n;
};

/* The ways to the parts of an object that are read. They live in @arena. */
struct object_ways {
	bool known; /* false: nobody knows what is read; the code that adds ways sets this */
	struct arena arena;
	struct key_table *keys;
	VEC(struct object_way) p; /* what is at the end of a way is read with all below it */
	/* what to build of a text for its object's identity, and for the hash of the whole object */
	struct json_pick pick;
};

/* Begin without ways. @w->known is false without memory. @keys must outlive @w, and must be the table of the texts
 * that are picked from. */
void object_ways_init(struct object_ways *w, struct key_table *keys);
void object_ways_done(struct object_ways *w);

/* Add a way, with all that is behind it; without names it is the whole object. The names are copied. False: there
 * are so many ways that comparing them costs more than it saves, or there is no memory. */
CHECKED bool object_ways_add(struct object_ways *w, const str *names, size_t n);

/* The hash of the values at the ends of the ways of an object, or of what w->pick picked of its text; never 0. */
uint64_t object_ways_hash(const struct object_ways *w, val object);

#endif
