/* The result of fetching a source: status.json beside its link. driftd-fetch writes it, replaced whole, after each
 * attempt. */
#ifndef CONFIG_SOURCE_STATUS_H
#define CONFIG_SOURCE_STATUS_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/str.h"
#include "config/source.h"

/* Why an attempt failed. ORDER source_failure_names */
enum source_failure {
	SOURCE_UNREACHABLE,    /* no connection, no answer, a TLS failure, or an error of the server */
	SOURCE_AUTHENTICATION, /* the source did not let us in */
	SOURCE_MISSING,        /* no such repository, branch, tag or file */
	SOURCE_VERIFICATION,   /* no signature, none by an accepted key, or another hash */
	SOURCE_REFUSED,        /* a limit, a name or a kind of file that is not accepted */
	SOURCE_LOCAL,          /* something on this host is wrong: a full disk, a missing program or file of keys */
	SOURCE_FAILURES,
};

/* The name of the failure: "unreachable", "authentication", "missing", "verification", "refused", "local". */
const char *source_failure_name(enum source_failure f);
/* Classifies the negated errno of a fetch: EKEYREJECTED is verification; EACCES and ENOKEY are authentication; ENOENT
 * is missing; E2BIG, EINVAL and EBADMSG are refused; ENOSPC, EDQUOT, EROFS, ENOMEM, EPERM and ENOEXEC are local; all
 * others are unreachable. */
enum source_failure source_failure_of(int r);

struct source_status {
	str place;                          /* source_place of what was fetched */
	str definition;                     /* source_hash of what was fetched */
	uint64_t served;                    /* the number of the wish (source_request.h) that was served last */
	int64_t attempted, succeeded;       /* Unix times of the last attempt and of the last successful one; 0: none */
	uint64_t failures[SOURCE_FAILURES]; /* since the source was made */
	bool failed;                        /* the last attempt did: */
	enum source_failure failure;
	str message; /* why it failed, printable, without credentials */
};

CHECKED int source_status_write(const struct source_status *s, struct buf *out, struct err *err);
/* Read a status. Texts live in @a. Fails: EBADMSG, EINVAL, ENOMEM. */
CHECKED int source_status_read(str text, struct arena *a, struct source_status *ret, struct err *err);
/* Reads the status of the reference @name below @store. Fails: ENOENT, it was never fetched; as source_status_read and
 * source_store_read. */
CHECKED int source_status_load(const char *store, str name, struct arena *a, struct source_status *ret,
			       struct err *err);

/* Whether the revision that was fetched last may be used for @source: it was fetched as @source says now (or
 * imported), and the last attempt did not refuse its signature. */
bool source_status_agrees(const struct source_status *s, const struct source *source);

#endif
