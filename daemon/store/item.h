/* What the loop hands to the writer, one step at a time. */
#ifndef DAEMON_STORE_ITEM_H
#define DAEMON_STORE_ITEM_H

#include "daemon/findings/sink.h"
#include "daemon/store/database/database.h"

#include <sys/queue.h>

enum item_kind {
	ITEM_FINDING,   /* a transition of a finding, with a record unless nothing is reported */
	ITEM_NOTICE,    /* a record that is about no finding */
	ITEM_ROW,       /* a record that was in the outbox already */
	ITEM_SEEN,      /* when the cluster @key was synced */
	ITEM_UNWATCHED, /* the cluster @key was not watched from @seen_usec to @until_usec */
	ITEM_INSPECTED, /* @json: what was inspected of the cluster @key */
};

/* Each try to commit an item decides again between the first three states; an item that was sent waits for no turn.
 *
 *     PENDING <---> DEFERRED     once this is committed, the item waits in the outbox only
 *      | ^   <---> WITHDRAWN     once this is committed, the item is over
 *      v |
 *     SENT                       once this is committed, the item is over; PENDING again when the journal does not
 *                                have the record
 */
enum item_state { ITEM_PENDING, ITEM_DEFERRED, ITEM_WITHDRAWN, ITEM_SENT };

struct item {
	STAILQ_ENTRY(item) link;
	enum item_kind kind;
	enum item_state state;           /* changed with item_becomes */
	char finding[FINDING_ID_SIZE];   /* for ITEM_FINDING: the id of the finding */
	bool over;                       /* for ITEM_FINDING: the finding is not open any more */
	bool resent;                     /* the record was perhaps sent before */
	bool urgent;                     /* a deferred record goes before others that are due */
	int64_t seen_usec;               /* for ITEM_SEEN and ITEM_UNWATCHED */
	int64_t until_usec;              /* for ITEM_UNWATCHED */
	int64_t hold_usec;               /* the hold time that was reported */
	int64_t due_usec, due_hold_usec; /* for a record that is deferred in the outbox: when it is due */
	int64_t seq;                     /* the item's row in the outbox, once it is committed, if it has a record */
	uint64_t received_ns;
	size_t bytes;
	struct buf key; /* the key of the finding */
	struct buf json, record;
	struct buf merged; /* the record merged with those that were deferred before; empty: none were */
};

STAILQ_HEAD(items, item);

/* An item with a copy of @t, with the state of the finding in the record if @with_state; NULL without memory. */
struct item *item_of_emission(const struct emission *t, bool with_state);
/* An item which says that @cluster was synced at @usec; NULL without memory. */
struct item *item_of_seen(str cluster, int64_t usec);
/* An item which says that @cluster was not watched within @span; NULL without memory. */
struct item *item_of_unwatched(str cluster, const struct time_span *span);
/* An item with what was inspected of @cluster; NULL without memory, or when it is too large. */
struct item *item_of_inspected(str cluster, str versions);
/* An item with a row of the outbox, which this process or an earlier one put there; NULL without memory. */
struct item *item_of_row(const struct outbox_row *row);
void item_free(struct item *i); /* NULL is fine */
/* Change the state of the item. An item that was sent (ITEM_SENT) can only become ITEM_PENDING. */
void item_becomes(struct item *i, enum item_state state);

/* Take the first item out; NULL: there is none. */
struct item *items_take(struct items *items);

#endif
