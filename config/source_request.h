/* What the daemon asks driftd-fetch for: one file, replaced whole, which has all its sources.
 *
 *   driftd: wants another look          driftd-fetch: has seen it              driftd: reads status.json
 *     wish = 7  -- request.json -->       fetches what it has not served  -->    served = 7
 *
 * So nothing is lost when either of them ends at any moment: a wish that is not served is found again. */
#ifndef CONFIG_SOURCE_REQUEST_H
#define CONFIG_SOURCE_REQUEST_H

#include "base/arena.h"
#include "config/source.h"

#define SOURCE_REQUEST_FILE "sources.json" /* a file in the state folder of the daemon */
#define SOURCE_REQUEST_MAX ((size_t)4 << 20)
#define SOURCE_KEPT_MAX 32

struct source_wish {
	struct source source;
	uint64_t wish;   /* grows; 0: none yet */
	str in_force;    /* id of the revision in force; empty: none */
	str in_force_is; /* the source's name for that revision, if it is known: the next one comes after it */
	const str *kept; /* ids of revisions that may not be removed */
	size_t n_kept;
};

struct source_request {
	const struct source_wish *wishes;
	size_t n;
};

CHECKED int source_request_write(const struct source_request *r, struct buf *out, struct err *err);
/* Texts live in @a. Fails: EBADMSG; EINVAL, a name is not good or a member is missing; ENOMEM. */
CHECKED int source_request_read(str text, struct arena *a, struct source_request *ret, struct err *err);

#endif
