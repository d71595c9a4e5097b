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
	const char *scratch;  /* an empty folder for this fetch, which is removed afterwards */
	const char *cache;    /* a folder that is kept between fetches of this source */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC */
	/* The revision that was fetched last by the same definition; "": there is none. When the source still has
	 * that revision, and it is still signed as required, the engine may set "unchanged" and gather no files. */
	str before;
	/* the engine must not set "unchanged": somebody else has to have signed it now, or the stored revision was
	 * damaged */
	bool anew;
};

struct fetched {
	struct arena *arena;             /* memory for the texts; the caller's */
	struct tree *tree;               /* the caller's; empty at first */
	struct source_revision revision; /* all members but n_files, n_bytes, n_left_out */
	bool unchanged;
};

/* Fetch a source. Fail with the codes that source_failure_of distinguishes (config/source_status.h): ETIMEDOUT after
 * the deadline; EKEYREJECTED when the fetched data is not signed as required; … */
CHECKED int fetch_git(const struct fetch_job *job, struct fetched *ret, struct err *err);
CHECKED int fetch_oci(const struct fetch_job *job, struct fetched *ret, struct err *err);
CHECKED int fetch_https(const struct fetch_job *job, struct fetched *ret, struct err *err);

#endif
