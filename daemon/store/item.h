/* What the loop hands to the writer, one step at a time. */
#ifndef DAEMON_STORE_ITEM_H
#define DAEMON_STORE_ITEM_H

#include "daemon/findings/sink.h"
#include "daemon/store/database/database.h"

#include <sys/queue.h>

/* One telling, or when a cluster was seen, or what was inspected of it. */
struct item {
	STAILQ_ENTRY(item) link;
	char finding[FINDING_ID_SIZE]; /* "": it is about none */
	bool over;
	bool sent;                       /* told before it could be committed */
	bool resent;                     /* perhaps told before */
	bool deferred;                   /* it waits in the outbox */
	bool untold;                     /* nothing is said of it */
	int64_t hold_usec;               /* as it was told */
	int64_t due_usec, due_hold_usec; /* in the outbox, behind those that wait there */
	int64_t seen_usec;               /* of the cluster @key; 0: it is a telling */
	bool row;                        /* it was in the outbox before */
	bool inspected;                  /* @json are the versions of the cluster @key: no telling either */
	int64_t seq;                     /* in the outbox; 0: it is not there */
	uint64_t received_ns;
	size_t bytes;
	struct buf key; /* of the finding */
	struct buf json, record;
	struct buf merged; /* with what was deferred before; empty: nothing was */
};

STAILQ_HEAD(items, item);

/* A copy of what is told, with the state of the finding in the record if @with_state; NULL without memory. */
struct item *item_of_telling(const struct telling *t, bool with_state);
/* That @cluster was wholly watched at @usec; NULL without memory. */
struct item *item_of_seen(str cluster, int64_t usec);
/* What was inspected of @cluster; NULL without memory, or when it is too large. */
struct item *item_of_inspected(str cluster, str versions);
/* What an earlier life, or this one, put into the outbox; NULL without memory. */
struct item *item_of_row(const struct outbox_row *row);
void item_free(struct item *i); /* NULL is fine */

/* The first one, taken out; NULL: there is none. */
struct item *items_take(struct items *items);

#endif
