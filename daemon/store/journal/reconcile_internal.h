/* What the files of the settlement share.
 *
 *   reconcile.c         what the journal has that the database lacks
 *   reconcile_lost.c  what neither has, of what was to be sent
 */
#ifndef DAEMON_STORE_JOURNAL_RECONCILE_INTERNAL_H
#define DAEMON_STORE_JOURNAL_RECONCILE_INTERNAL_H

#include "base/strmap.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/store/journal/reconcile.h"

#define STATE_MAX ((size_t)1 << 20) /* bytes of a finding, or of a text of it */

struct sd_journal;

/* The last that a reader of the journal knows of a finding that has not ended, once all that waits is sent. */
struct said {
	str paths;
	enum severity severity;
};

struct reconciliation {
	struct database *d;
	const struct reconcile_options *o;
	struct sd_journal *journal;
	bool current;       /* the journal has all that was ever given to it */
	struct strmap kept; /* ids of findings that the database has */
	struct strmap
		outbox; /* ids of records in it; what of it was sent is looked up in the journal later (recover.c) */
	struct strmap waits;     /* ids of those that were not sent */
	struct strmap beginning; /* ids of findings whose begin is in the outbox, */
	struct strmap ending;    /* or whose end */
	struct strmap by_key;    /* of those that are kept: the id, by the key */
	struct strmap heard;     /* of those that the journal knows better than the database, likewise */
	struct arena ids;        /* that these are in */
	struct strmap added;     /* ids of records that the history has learned here */
	struct strmap seen;      /* ids of findings of which the journal has a record */
	struct strmap said;      /* of findings, where anything may be lacking: a struct said, in the same arena */
	struct strmap over;      /* of those that ended */
	struct strmap later;     /* keys of all these: what the journal says of an earlier one is over */
	int64_t first_begun;     /* line of the first open finding whose begin the journal has; 0: none was met */
	struct reconciled n;
};

static inline bool reconciliation_is_ours(const struct reconciliation *s, const struct finding *x)
{
	return s->o->is_watched(s->o->ctx, x->subject.cluster) && finding_is_own(s->o->shard, x->kind, &x->subject);
}

/* What of a finding a record says. 1, with its key; 0: it is about no finding, or says not enough. Its texts live as
 * long as @r. Fails: ENOMEM. */
CHECKED int reconcile_finding_of(struct record *r, struct finding *x, struct err *err);
/* Once the journal was read. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int reconcile_lost(struct reconciliation *s, struct err *err);

#endif
