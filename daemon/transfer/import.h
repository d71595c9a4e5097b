/* Imports what other state folders had. */
#ifndef DAEMON_TRANSFER_IMPORT_H
#define DAEMON_TRANSFER_IMPORT_H

#include "base/shard.h"
#include "daemon/store/database/database_move.h"
#include "daemon/transfer/export.h"

/* How the folder stands to the files. */
struct state_terms {
	struct shard shard;
	bool force; /* also over what a driftd has reported since a file was exported */
};

/* Add what @terms->shard owns of the files that state_export wrote to the folder @dir, whose database is made when
 * there is none. Acceptances, rules and when clusters were seen are every shard's; what is about no object or component
 * is the first one's. All of it or nothing, and what the folder has already stays: it does not matter how often, or in
 * which order, a file comes. *ret counts what of the files is this shard's. The states of the findings stay known: the
 * keys come along. Of findings that several files have, the latest export counts. Fails: EBUSY (a driftd has the
 * folder), ESTALE (a file is older than what the folder holds, unless forced: what changed since would be reported as
 * it was), EPROTO (of a newer driftd), EBADMSG and E2BIG (the file and the line are named), EIO, ENOSPC, ENOMEM and the
 * codes of open(2). */
CHECKED int state_import_files(const char *dir, const char *const *files, size_t n, const struct state_terms *terms,
			       struct state_counts *ret, struct err *err);

struct transfer_in;
struct state_keys;

/* The same of one file, between database_move_begin and database_move_end, without its keys: they are added to @keys,
 * which the folder must have before the transaction ends. A file that was exported before @newest_usec is refused. */
CHECKED int state_import_lines(struct transfer_in *in, struct database *d, struct shard shard, int64_t newest_usec,
			       struct state_keys *keys, struct state_counts *counts, struct err *err);

#endif
