/* Limits how many records go at once, so that a storm in one place hides nothing elsewhere.
 *
 * Each cluster, namespace and severity may have a burst. What exceeds it is deferred: it stays in the outbox and is
 * sent later, in lots (deferral.h). Nothing is dropped. */
#ifndef DAEMON_STORE_FLOOD_H
#define DAEMON_STORE_FLOOD_H

#include "base/strmap.h"
#include "daemon/findings/record.h"

#define FLOOD_BURST 100     /* records of one place that may go at once */
#define FLOOD_REFILL_MS 100 /* the time after which a place may have one more record */
/* places that are distinguished; when there are more, the oldest with full tokens are forgotten */
#define FLOOD_PLACES_MAX 10000

struct flood {
	struct strmap places; /* cluster, namespace and severity -> struct place */
};

void flood_done(struct flood *f);
/* Whether the record of a finding may go at once. @now_ms does not go backwards. True without memory. */
bool flood_allows(struct flood *f, const struct record *r, uint64_t now_ms);

#endif
