/* Writing all that a state folder holds. */
#ifndef DAEMON_TRANSFER_EXPORT_H
#define DAEMON_TRANSFER_EXPORT_H

#include "base/err.h"

struct state_counts {
	size_t findings, records, lines; /* of the outbox, of the history */
	size_t left_out;                 /* rows that are none, or of another version */
};

/* What is in the folder @dir, to the file @to (NULL, "-": standard output), which @version writes. Fails: EBUSY (a
 * driftd has the folder), EPROTO (it is of a newer driftd), ENOENT, EBADMSG, EIO, ENOSPC, ENOMEM and the codes of
 * open(2); nothing is at @to then that was not there before. */
CHECKED int state_export(const char *dir, const char *to, const char *version, struct state_counts *ret,
			 struct err *err);

#endif
