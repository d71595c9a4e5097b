/* The sink of findings: it takes every transition and every record to the part that stores and writes them
 * (daemon/store). */
#ifndef DAEMON_FINDINGS_SINK_H
#define DAEMON_FINDINGS_SINK_H

#include "config/cfg.h"
#include "daemon/findings/record.h"

struct finding;
struct sink;

/* One step in the life of a finding with the record of it, or a record that stands alone. */
struct emission {
	const struct finding *finding; /* the finding as it is now; NULL: the record is about no finding */
	bool over;                     /* the finding is not open any more */
	const struct record *record;   /* NULL: nothing is reported */
	uint64_t received_ns;          /* clock_ns of the cause; 0: none */
	/* for a begin: it is reported only when the finding lasts that long, together with what happens to it
	 * meanwhile */
	int64_t hold_ns;
};

struct sink_taker {
	/* Called in order; the callee copies what it needs. It does not fail: there is nothing left to report a failure
	 * to. */
	void (*take)(void *ctx, const struct emission *t);
	void *ctx;
};

struct sink *sink_new(const struct sink_taker *taker); /* NULL without memory */
void sink_free(struct sink *s);
DEFINE_CLEANUP(struct sink *, sink_free)

void sink_emit(struct sink *s, const struct emission *t);
void sink_write(struct sink *s, const struct record *r); /* passes on a record that stands alone */

#endif
