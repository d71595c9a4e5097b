/* Settling with the journal what the database knows: after a loss of power each may have lost its last seconds or
 * minutes, and not the same ones. What the journal says of a finding counts if it is later than anything that the
 * database knows of it:
 *
 *     the journal's last record of it     the database
 *     end                                 forgets it, with what waits to be sent of it
 *     begin, change                       has it, under the id that it was reported under; its state is not known
 *                                         (FINDING_STATE_UNKNOWN), so that the next look says nothing new of it
 *
 * Of several findings with the same key only the latest that the journal has counts, open or not. Records of the
 * earlier ones were sent before they could be stored (DRIFTD_NOT_DURABLE), and the findings were forgotten when the
 * process ended then, or their ends were lost. A finding that the database has under that key, and that nobody has
 * heard of, is forgotten too, with what waits to be sent of it.
 *
 * A record that the database knows and the journal has lost is in the outbox, and is sent again (recover.c). Where the
 * outbox may be damaged, the last record of an open finding is sent again too, if it is in neither of them. */
#ifndef DAEMON_STORE_JOURNAL_RECONCILE_H
#define DAEMON_STORE_JOURNAL_RECONCILE_H

#include "base/shard.h"
#include "daemon/store/database/database.h"

struct reconcile_options {
	struct shard shard;     /* the process whose findings are reconciled */
	enum cfg_output output; /* the form of output that writes to the journal */
	bool (*is_watched)(void *ctx, str cluster);
	bool (*is_ended)(void *ctx); /* asked while waiting for the journal: whether the process has to end */
	void *ctx;
	bool all; /* anything may be missing in the database; otherwise only the latest changes */
};

struct reconciled {
	size_t learned, ended; /* numbers of findings that were added to the database, or removed from it */
	int64_t reach;         /* the earliest line of the history that was met in the journal too; 0: none was */
};

/* Reconcile, before the findings are read from @d. The journal may be behind: it is given a record, and this
 * function waits until that can be read, unless no journald runs. It waits up to ten seconds, or three minutes where
 * the database may lack something, since only the journal has it then. (systemd ends a journald that hangs for so
 * long.) Fails: ENOENT (the journal cannot be read); ECANCELED (is_ended); ENOSPC, EIO, ENOMEM, EBADMSG of the
 * database, in which nothing has changed then. */
CHECKED int reconcile(struct database *d, const struct reconcile_options *o, struct reconciled *ret, struct err *err);

#endif
