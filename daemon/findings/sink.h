/* Where records go: the journal, or a text for people or JSON lines on standard output. */
#ifndef DAEMON_FINDINGS_SINK_H
#define DAEMON_FINDINGS_SINK_H

#include "config/cfg.h"
#include "daemon/findings/record.h"

struct sink;

struct sink_counters {
	uint64_t records[8]; /* by priority */
	uint64_t write_failures;
};

/* CFG_OUTPUT_AUTO is resolved here: the journal when the process was started by systemd with standard output connected
 * to it or when its socket exists and standard output is no terminal; else text. Fails: ENOMEM; ENOENT when the journal
 * is asked for and absent. */
CHECKED int sink_new(enum cfg_output output, struct sink **ret, struct err *err);
/* Write to another output from now on. On failure the old one stays. Fails: as sink_new. */
CHECKED int sink_set_output(struct sink *s, enum cfg_output output, struct err *err);
void sink_free(struct sink *s);
DEFINE_CLEANUP(struct sink *, sink_free)

/* Write one record; a failure is counted, not returned: there is nobody left to tell. */
void sink_write(struct sink *s, const struct record *r);

const struct sink_counters *sink_counters(const struct sink *s);

#endif
