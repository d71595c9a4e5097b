/* The read sets (compare/read_set.h) of the verdicts on a cluster's objects under one reference. Read sets that are
 * equal are kept once, since most objects of a template have the same one. */
#ifndef DAEMON_WATCH_VIEWS_H
#define DAEMON_WATCH_VIEWS_H

#include "base/key.h"
#include "base/strmap.h"
#include "compare/compare.h"

/* The parts of objects that have to be decoded: a struct picked for each set of candidates. */
struct picks {
	struct strmap by_candidates;
	uint64_t edition; /* the edition of the inspection rules, whose reads are picked too */
};

/* One read set, owned by the objects that have it. */
struct read_set {
	uint32_t refs;
	uint32_t n; /* number of parts: one for each candidate of the object */
	uint64_t hash;
	struct arena arena; /* memory of the names */
	struct picks picks; /* what has to be decoded of an object with this read set */
	struct read_part parts[];
};

/* All read sets. It is zeroed at first, and empty when no object has one. */
struct read_sets {
	struct strmap known; /* hash -> struct read_set */
	struct picks whole;  /* the picks for objects that have no read set */
};

/* The most read sets that are kept. A template that names keys as the object has them needs one for each object. An
 * object for which there is no room has no read set, which stands for the whole object. */
#define READ_SETS_MAX 1024

/* Replace the read set in *of by that of @n parts. @parts NULL, or no memory: *of becomes NULL, which stands for the
 * whole object. @keys: as for val_copy. False: the read set is the same as before. */
bool read_sets_take(struct read_sets *all, const struct read_part *parts, size_t n, struct key_table *keys,
		    struct read_set **of);
void read_sets_drop(struct read_sets *all, struct read_set **of);
void read_sets_done(struct read_sets *all);

/* The part of an object that has to be decoded to know what a verdict saw that has @read_set (NULL: it saw the whole
 * object) and these candidates. @besides adds what others look at; it returns false without memory. The result is
 * kept for the next call with the same @edition. Returns NULL for the whole object, also without memory. */
const struct json_pick *read_sets_pick(struct read_sets *all, struct read_set *read_set,
				       const struct ref_template *const *candidates, size_t n, uint64_t edition,
				       bool (*besides)(void *ctx, struct arena *a, struct json_pick *pick), void *ctx,
				       struct key_table *keys);

#endif
