/* Exports everything that a state folder contains. */
#ifndef DAEMON_TRANSFER_EXPORT_H
#define DAEMON_TRANSFER_EXPORT_H

#include "base/err.h"

struct state_counts {
	size_t findings, records, lines; /* how many findings, records of the outbox, lines of the history */
	size_t left_out;                 /* rows that are malformed, or of another version */
};

/* Export the folder @dir to the file @to (NULL, "-": standard output). @version: the version of driftd, for the
 * head. Fails: EBUSY (a driftd uses the folder), EPROTO (the folder is of a newer driftd), ENOENT, EBADMSG, EIO,
 * ENOSPC, ENOMEM and the codes of open(2); @to is as it was before then. */
CHECKED int state_export(const char *dir, const char *to, const char *version, struct state_counts *ret,
			 struct err *err);

#endif
