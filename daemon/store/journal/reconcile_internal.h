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

#define STATE_MAX ((size_t)1 << 20) /* bytes of a finding, or of one of its texts */

struct sd_journal;

/* What a reader of the journal will know about a finding that has not ended, once all waiting records are sent. */
struct said {
	str paths;
	enum severity severity;
};

struct reconciliation {
	struct database *d;
	const struct reconcile_options *o;
	struct sd_journal *journal;
	bool current;       /* the journal has everything that it was ever given */
	struct strmap kept; /* ids of findings that the database has */
	/* ids of records in the outbox; the sent ones are looked up in the journal later (recover.c) */
	struct strmap outbox;
	struct strmap waits;     /* ids of records in the outbox that were not sent */
	struct strmap beginning; /* ids of findings whose begin is in the outbox */
	struct strmap ending;    /* ids of findings whose end is in the outbox */
	struct strmap by_key;    /* key -> id, for findings that the database has */
	struct strmap heard;     /* key -> id, for findings that the journal knows better than the database */
	struct arena ids;        /* memory for all these ids */
	struct strmap added;     /* ids of records that were added to the history in this run */
	struct strmap seen;      /* ids of findings of which the journal has a record */
	struct strmap said;      /* id of a finding -> struct said, if anything may be missing */
	struct strmap over;      /* ids of findings that have ended */
	/* keys of the later findings that were met: what the journal says of an earlier finding of such a key is
	 * over */
	struct strmap later;
	int64_t first_begun; /* line of the first open finding whose begin the journal has; 0: none was met */
	struct reconciled n;
};

static inline bool reconciliation_is_ours(const struct reconciliation *s, const struct finding *x)
{
	return s->o->is_watched(s->o->ctx, x->subject.cluster) && finding_is_own(s->o->shard, x->kind, &x->subject);
}

/* Read what a record says about a finding. 1, with its key; 0: it is about no finding, or does not say enough. The
 * texts live as long as @r. Fails: ENOMEM. */
CHECKED int reconcile_finding_of(struct record *r, struct finding *x, struct err *err);
/* Handle lost records, after the journal was read. Fails: ENOSPC, EIO, ENOMEM. */
CHECKED int reconcile_lost(struct reconciliation *s, struct err *err);

#endif
