/* Correlation by groups of fields: finds the entries (templates, overrides) that are for an object.
 *
 * An entry is indexed by the first group of fields that it fixes, and by no other. An object is looked up group by
 * group; the first group that has entries for it gives all of them. */
#ifndef COMPARE_CORRELATE_H
#define COMPARE_CORRELATE_H

#include "base/strmap.h"
#include "reference/ref.h"

/* ORDER correlate_fields */
enum {
	CORRELATE_API_VERSION = 1,
	CORRELATE_NAME = 2,
	CORRELATE_NAMESPACE = 4,
	CORRELATE_KIND = 8,
};

/* The groups are tried in another order for overrides than for templates. */
enum correlate_order { CORRELATE_TEMPLATES, CORRELATE_OVERRIDES }; /* ORDER correlate_order */

struct correlator;

/* Index the entries 0 to @n by their identities, which must outlive the index. Fails: ENOMEM. */
CHECKED int correlator_new(const struct identity *const *ids, size_t n, enum correlate_order order,
			   struct correlator **ret, struct err *err);
void correlator_free(struct correlator *c);
DEFINE_CLEANUP(struct correlator *, correlator_free)

/* All entries, group after group. Each entry has a slot, and correlator_find returns a range of slots. */
const uint32_t *correlator_slots(const struct correlator *c, size_t *n);
/* Find the entries for @id, in ascending order. Returns their number, and *first is the first of their slots.
 * Returns 0 also for an identity longer than any real one. Needs no memory. */
size_t correlator_find(const struct correlator *c, const struct identity *id, size_t *first);

/* Call @found for each set of two or more entries that share their fields, in the order of the groups and then of the
 * entries. */
void correlator_collisions(const struct correlator *c,
			   void (*found)(void *ctx, unsigned fields, const uint32_t *entries, size_t n), void *ctx);

/* Append the names of fields, such as "apiVersion, metadata_name, metadata_namespace, kind". */
void correlate_fields_text(unsigned fields, struct buf *out);

#endif
