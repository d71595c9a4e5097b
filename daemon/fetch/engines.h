/* The engines that fetch: git, skopeo, libcurl. Each runs in a process of its own for one source, and may be killed at
 * any moment: nothing that it leaves in its cache makes a later fetch wrong.
 *
 * A hostile source meets: the limits of tree.h, a deadline, a ceiling for what programs write, no link followed,
 * nothing executed, no redirect to another host with credentials, no terminal asked. Messages are printable, name the
 * source and hold no credential. */
#ifndef DAEMON_FETCH_ENGINES_H
#define DAEMON_FETCH_ENGINES_H

#include "config/source.h"
#include "config/source_revision.h"
#include "daemon/fetch/tree.h"

struct fetch_job {
	const struct source *source;
	const char *scratch;  /* an empty folder of its own, which is removed behind it */
	const char *cache;    /* a folder that is kept between fetches of this source */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	/* What was fetched last, by the same definition: "" when nothing was. When the source still has that, and it
	 * still is signed as it must be, the engine may say "unchanged" and gather nothing. */
	str before;
	bool anew; /* it is not to say "unchanged": something else has to have signed it, or what there is was damaged
		    */
};

struct fetched {
	struct arena *arena;             /* of the texts; the caller's */
	struct tree *tree;               /* the caller's; empty at first */
	struct source_revision revision; /* without n_files, n_bytes, n_left_out */
	bool unchanged;
};

/* Fail with the codes that source_failure_of distinguishes (config/source_status.h): ETIMEDOUT when the deadline is
 * over; EKEYREJECTED when what was fetched is not signed as it must be; … */
CHECKED int fetch_git(const struct fetch_job *job, struct fetched *ret, struct err *err);
CHECKED int fetch_oci(const struct fetch_job *job, struct fetched *ret, struct err *err);
CHECKED int fetch_https(const struct fetch_job *job, struct fetched *ret, struct err *err);

#endif
