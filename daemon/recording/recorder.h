/* A source of events that writes down what it hands on: everything that a watcher receives, a line of JSON each, as
 * docs/replay.md describes it.
 *
 * Of objects nothing is handed on but that a definition has changed, so that who watches through it keeps none: memory
 * does not depend on what is recorded. */
#ifndef DAEMON_RECORDING_RECORDER_H
#define DAEMON_RECORDING_RECORDER_H

#include "daemon/recording/digest.h"
#include "daemon/watch/source/source.h"

#define RECORDING_FORMAT 1
#define RECORDING_LINE_MAX ((size_t)64 << 20)

struct recorder;

struct recorder_options {
	int fd; /* the recorder's to write to, not to close */
	const struct cfg *cfg;
	const struct cfg_cluster *only; /* NULL: all clusters of it */
	bool raw;
	const char *version; /* of driftd */
};

/* Writes the header. Fails: what write(2) fails with, ENOMEM. */
CHECKED int recorder_new(const struct recorder_options *o, struct recorder **ret, struct err *err);
void recorder_free(struct recorder *r); /* its sources are closed */

/* For the clusters; as long as the recorder. */
const struct source_maker *recorder_source(struct recorder *r);

/* Called about once a second: notes what causes no call, and that time goes on. */
void recorder_tick(struct recorder *r);
/* The last line. Nothing is written after it. */
void recorder_end(struct recorder *r);
/* What went wrong with writing; NULL: nothing did. Nothing is written after that. */
const struct err *recorder_error(const struct recorder *r);
uint64_t recorder_lines(const struct recorder *r);

#endif
