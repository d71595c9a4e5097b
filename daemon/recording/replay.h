/* A recording against references and rules, in the time of the recording. */
#ifndef DAEMON_RECORDING_REPLAY_H
#define DAEMON_RECORDING_REPLAY_H

#include "config/cfg.h"
#include "daemon/recording/replay_inspection.h"
#include "daemon/recording/replay_output.h"

#include <stdio.h>

struct replay_summary {
	struct replay_counts reported;
	uint64_t lines;
	size_t unrecorded; /* kinds that are needed and were not recorded */
	struct err damage; /* code 0: the recording is whole */
};

/* Read @from to its end, or to where it is damaged, and write the records. @inspection may be NULL: no rules inspect.
 * It takes over the clock (clock_set). Fails: EINVAL (no recording, or of another format), ENOMEM. */
CHECKED int replay_run(FILE *from, struct cfg *cfg, const struct limits *limits, struct key_table *keys,
		       struct replay_inspection *inspection, enum cfg_output form, struct replay_summary *ret,
		       struct err *err);

#endif
