/* The rules of one kind, as they are in force until others replace them. */
#ifndef DAEMON_WATCH_RULES_IN_FORCE_H
#define DAEMON_WATCH_RULES_IN_FORCE_H

#include "base/assert.h"
#include "base/recent_hashes.h"
#include "rules/kind_rules.h"
#include "value/object_ways.h"

/* A set of rules never changes once it is made. The loop counts its references; the holder of a reference may lend the
 * set to other threads. */
struct rules_in_force {
	uint32_t refs;
	uint64_t edition; /* unique in the cluster; not 0 */
	struct kind_rules rules;
	struct object_ways read_set; /* what these rules can see of an object */
	bool transition;             /* some rules compare the object with its old state */
	bool selective;              /* some rules are for objects of certain names or namespaces only */
	struct recent_hashes passed; /* what the rules saw of objects that passed */
};

/* Takes @rules over, unless it returns NULL for lack of memory. @keys: the key table of the texts that the read set
 * picks from. */
struct rules_in_force *rules_in_force_new(struct kind_rules *rules, uint64_t edition, struct key_table *keys);
static inline struct rules_in_force *rules_in_force_ref(struct rules_in_force *r)
{
	ASSERT(r->refs > 0);
	r->refs++;
	return r;
}
void rules_in_force_unref(struct rules_in_force *r); /* NULL is fine */

/* The proof that an object passed all rules of a set. */
struct rules_passed {
	uint64_t seen;      /* hash of what the rules could see; not 0 */
	uint64_t evaluated; /* the number of expressions that were evaluated */
};

/* Whether @object, whose old state is unknown, passes all rules, and what they see of it is known. False: it does
 * not pass, or that cannot be decided. Nothing is evaluated if an object in which the rules see the same has passed.
 * Safe in any thread; @a is scratch memory. */
bool rules_in_force_pass(struct rules_in_force *r, val object, const struct limits *limits, struct arena *a,
			 struct rules_passed *ret);

#endif
