/* Imports the exports of other state folders. */
#ifndef DAEMON_TRANSFER_IMPORT_H
#define DAEMON_TRANSFER_IMPORT_H

#include "base/shard.h"
#include "daemon/store/database/database_move.h"
#include "daemon/transfer/export.h"

/* The options of an import. */
struct state_terms {
	struct shard shard;
	bool force; /* import even if a driftd has reported anything since a file was exported */
};

/* Import into the folder @dir, from files that state_export wrote, whatever @terms->shard owns. The database is made
 * when there is none. Every shard gets acceptances, rules and the times at which clusters were seen; the first one
 * also gets what is about no object or component. Everything is imported or nothing. What the folder has already
 * stays, so that it does not matter how often, or in which order, a file is imported. *ret counts what belongs to
 * this shard. The states of the findings stay known, because the keys are imported too. Of a finding in several
 * files the latest export counts. Fails: EBUSY (a driftd uses the folder), ESTALE (a file is older than the content
 * of the folder, and not forced: changes since then would be undone in the reports), EPROTO (a file is of a newer
 * driftd), EBADMSG and E2BIG (the file and the line are named), EIO, ENOSPC, ENOMEM and the codes of open(2). */
CHECKED int state_import_files(const char *dir, const char *const *files, size_t n, const struct state_terms *terms,
			       struct state_counts *ret, struct err *err);

struct transfer_in;
struct state_keys;

/* Import one file between database_move_begin and database_move_end, as state_import_files does, but without its
 * keys: they are added to @keys, which the folder must have before the transaction ends. A file that was exported
 * before @newest_usec is refused. */
CHECKED int state_import_lines(struct transfer_in *in, struct database *d, struct shard shard, int64_t newest_usec,
			       struct state_keys *keys, struct state_counts *counts, struct err *err);

#endif
