/* Writes the records of a replay: at once, or, of what must last for some time, when it has. */
#ifndef DAEMON_RECORDING_TELLER_H
#define DAEMON_RECORDING_TELLER_H

#include "daemon/findings/sink.h"

struct teller;

struct teller *teller_new(enum cfg_output form); /* NULL without memory */
void teller_free(struct teller *t);
/* For clusters and findings; as long as the teller. */
struct sink *teller_sink(struct teller *t);
/* Write what has lasted long enough by clock_ns. */
void teller_tick(struct teller *t);

struct teller_counts {
	uint64_t begins, changes, ends, others; /* that were written */
	bool failed;                            /* some of them could not be */
};
struct teller_counts teller_counts(const struct teller *t);

#endif
