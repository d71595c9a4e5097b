/* A source of events that records what it passes on: everything that a watcher receives, a line of JSON each, as
 * docs/replay.md describes it.
 *
 * It passes on only objects that were changed by a definition, so that a watcher that uses it stores no objects: the
 * memory does not depend on what is recorded. */
#ifndef DAEMON_RECORDING_RECORDER_H
#define DAEMON_RECORDING_RECORDER_H

#include "daemon/recording/digest.h"
#include "daemon/watch/source/source.h"

#define RECORDING_FORMAT 1
#define RECORDING_LINE_MAX ((size_t)64 << 20)

struct recorder;

struct recorder_options {
	int fd; /* where to write; the recorder does not close it */
	const struct cfg *cfg;
	const struct cfg_cluster *only; /* the only cluster to record; NULL: all of the configuration */
	bool raw;
	const char *version; /* the version of driftd */
};

/* Make a recorder and write the header. Fails: what write(2) fails with, ENOMEM. */
CHECKED int recorder_new(const struct recorder_options *o, struct recorder **ret, struct err *err);
void recorder_free(struct recorder *r); /* Call this when its sources are closed. */

/* The maker of sources for the clusters, which lives as long as the recorder. */
const struct source_maker *recorder_source(struct recorder *r);

/* Call this about once a second: it records changes that cause no call, and the passing of time. */
void recorder_tick(struct recorder *r);
/* Write the last line. Nothing is written after it. */
void recorder_end(struct recorder *r);
/* The error of writing; NULL: there was none. Nothing is written after an error. */
const struct err *recorder_error(const struct recorder *r);
uint64_t recorder_lines(const struct recorder *r);

#endif
