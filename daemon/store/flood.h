/* How many records go at once, so that a storm in one place hides nothing elsewhere.
 *
 * Each cluster, namespace and severity may have a burst; what exceeds it is deferred: it stays in the outbox and
 * follows bit by bit (deferral.h). Nothing is dropped. */
#ifndef DAEMON_STORE_FLOOD_H
#define DAEMON_STORE_FLOOD_H

#include "base/strmap.h"
#include "daemon/findings/record.h"

#define FLOOD_BURST 100        /* records of one place that go at once */
#define FLOOD_REFILL_MS 100    /* after which it may have one more */
#define FLOOD_PLACES_MAX 10000 /* that are distinguished; beyond, the oldest full ones are forgotten */

struct flood {
	struct strmap places; /* cluster, namespace and severity -> struct place */
};

void flood_done(struct flood *f);
/* Whether the record of a finding goes at once. @now_ms does not go backwards. Without memory it does. */
bool flood_allows(struct flood *f, const struct record *r, uint64_t now_ms);

#endif
