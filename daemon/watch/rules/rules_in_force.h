/* The rules of one kind, as they are in force until others take their place. */
#ifndef DAEMON_WATCH_RULES_IN_FORCE_H
#define DAEMON_WATCH_RULES_IN_FORCE_H

#include "rules/kind_rules.h"
#include "value/object_ways.h"

/* A set of rules never changes once it is made. The loop counts its references; the holder of a reference may lend the
 * set to other threads. */
struct rules_in_force {
	uint32_t refs;
	uint64_t edition; /* no others of the cluster have it; not 0 */
	struct kind_rules rules;
	struct object_ways read_set; /* what of an object these rules can see */
	bool transition;             /* some of them compare it with what it was before */
};

/* @rules are taken over, unless there is no memory: then NULL. @keys: of the texts that the read set picks from. */
struct rules_in_force *rules_in_force_new(struct kind_rules *rules, uint64_t edition, struct key_table *keys);
static inline struct rules_in_force *rules_in_force_ref(struct rules_in_force *r)
{
	r->refs++;
	return r;
}
void rules_in_force_unref(struct rules_in_force *r); /* NULL is fine */

/* The proof that an object passed all rules of a set. */
struct rules_passed {
	uint64_t seen;      /* hash of what they could see; not 0 */
	uint64_t evaluated; /* expressions */
};

/* Whether @object, of which nothing is known from before, passes them all, and what they see of it is known. False: it
 * does not, or nothing can be said. In any thread; @a: scratch. */
bool rules_in_force_pass(const struct rules_in_force *r, val object, const struct limits *limits, struct arena *a,
			 struct rules_passed *ret);

#endif
