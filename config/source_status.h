/* How fetching a source went: status.json beside its link. driftd-fetch writes it, replaced whole, after each attempt.
 */
#ifndef CONFIG_SOURCE_STATUS_H
#define CONFIG_SOURCE_STATUS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "config/source.h"

/* Why an attempt failed. ORDER source_failure_names */
enum source_failure {
	SOURCE_UNREACHABLE,    /* no connection, no answer, a TLS failure, an error of the server */
	SOURCE_AUTHENTICATION, /* it did not let us in */
	SOURCE_MISSING,        /* no such repository, branch, tag, file */
	SOURCE_VERIFICATION,   /* no signature, or not a good one by a key that counts, or another hash */
	SOURCE_REFUSED,        /* a limit, a name, a kind of file: it will not do */
	SOURCE_LOCAL,          /* this host: a full disk, a program or a file of keys that is not there */
	SOURCE_FAILURES,
};

/* "unreachable", "authentication", "missing", "verification", "refused", "local" */
const char *source_failure_name(enum source_failure f);
/* Classifies the negated errno of a fetch: EKEYREJECTED is verification; EACCES and ENOKEY are authentication; ENOENT
 * is missing; E2BIG, EINVAL and EBADMSG are refused; ENOSPC, EDQUOT, EROFS, ENOMEM, EPERM and ENOEXEC are local; all
 * others are unreachable. */
enum source_failure source_failure_of(int r);

struct source_status {
	str place;                    /* source_place of what was fetched */
	str definition;               /* source_hash of what was fetched */
	uint64_t served;              /* the number of the wish (source_request.h) that it answers */
	int64_t attempted, succeeded; /* Unix times of the last attempt, and of the last one that succeeded; 0: none */
	uint64_t failures[SOURCE_FAILURES]; /* since the source was made */
	bool failed;                        /* the last attempt did: */
	enum source_failure failure;
	str message; /* why, printable, without credentials */
};

CHECKED int source_status_write(const struct source_status *s, struct buf *out, struct err *err);
/* Texts live in @a. Fails: EBADMSG, EINVAL, ENOMEM. */
CHECKED int source_status_read(str text, struct arena *a, struct source_status *ret, struct err *err);
/* Reads the status of the reference @name below @store. Fails: ENOENT, it was never fetched; as source_status_read and
 * source_store_read. */
CHECKED int source_status_load(const char *store, str name, struct arena *a, struct source_status *ret,
			       struct err *err);

/* Whether what was fetched last may count for @source: it was fetched as that says now (or nothing was, and somebody
 * brought it), and the last look did not find that its signature does not count. */
bool source_status_agrees(const struct source_status *s, const struct source *source);

#endif
