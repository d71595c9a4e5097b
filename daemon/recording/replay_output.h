/* Writes the records of a replay: at once or, if a finding must last for some time, after that time. */
#ifndef DAEMON_RECORDING_REPLAY_OUTPUT_H
#define DAEMON_RECORDING_REPLAY_OUTPUT_H

#include "daemon/findings/sink.h"

struct replay_output;

struct replay_output *replay_output_new(enum cfg_output form); /* NULL without memory */
void replay_output_free(struct replay_output *t);
/* The sink for clusters and findings, which lives as long as the output. */
struct sink *replay_output_sink(struct replay_output *t);
/* Write the records of the findings that have lasted long enough by clock_ns. */
void replay_output_tick(struct replay_output *t);

struct replay_counts {
	uint64_t begins, changes, ends, others; /* records that were written */
	bool failed;                            /* some records could not be written */
};
struct replay_counts replay_counts(const struct replay_output *t);

#endif
