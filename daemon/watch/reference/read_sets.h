/* The read sets of verdicts (compare/read_set.h) on the objects of a cluster under one reference. Equal ones are
 * kept once, since most objects of a template have the same. */
#ifndef DAEMON_WATCH_VIEWS_H
#define DAEMON_WATCH_VIEWS_H

#include "base/key.h"
#include "base/strmap.h"
#include "compare/compare.h"

/* What is decoded of the texts of objects: struct picked, by their candidates. */
struct picks {
	struct strmap by_candidates;
	uint64_t edition; /* the edition of the inspection rules, whose reads are picked too */
};

/* One read set. The objects that have it own it. */
struct read_set {
	uint32_t refs;
	uint32_t n; /* number of parts: one for each candidate of the object */
	uint64_t hash;
	struct arena arena; /* memory of the names */
	struct picks picks; /* what is read of an object with this read set */
	struct read_part parts[];
};

/* All read sets. It is zeroed at first, and empty when no object has one. */
struct read_sets {
	struct strmap known; /* hash -> struct read_set */
	struct picks whole;  /* the picks for objects that have no read set */
};

/* The number of different read sets. A template that names keys as the object has them makes one for each object;
 * objects beyond this number have all of them in their read set. */
#define READ_SETS_MAX 1024

/* Put the read set of @n parts (NULL: there is none) in the place of *of, which may be NULL. NULL stands for the
 * whole object, also without memory. @keys: as for val_copy. False: the read set is the same as before. */
bool read_sets_take(struct read_sets *all, const struct read_part *parts, size_t n, struct key_table *keys,
		    struct read_set **of);
void read_sets_drop(struct read_sets *all, struct read_set **of);
void read_sets_done(struct read_sets *all);

/* What has to be decoded of an object to know what the verdict of @read_set (NULL: the whole object) and these
 * candidates saw. @besides adds what others look at (false without memory). The result is kept for the next call
 * with the same @edition. NULL: the whole object, also without memory. */
const struct json_pick *read_sets_pick(struct read_sets *all, struct read_set *read_set,
				       const struct ref_template *const *candidates, size_t n, uint64_t edition,
				       bool (*besides)(void *ctx, struct arena *a, struct json_pick *pick), void *ctx,
				       struct key_table *keys);

#endif
