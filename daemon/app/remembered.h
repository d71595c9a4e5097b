/* What driftd remembers of clusters over restarts and while they are not watched: when each was last synced, since
 * what is found later happened after that; and which objects were inspected. */
#ifndef DAEMON_APP_REMEMBERED_H
#define DAEMON_APP_REMEMBERED_H

#include "base/err.h"
#include "base/str.h"

struct app;
struct cluster;
struct inspected;

struct remembered *remembered_new(void); /* NULL without memory */
void remembered_free(struct remembered *m);
/* Callbacks for database_seen and database_take_inspected. @ctx: the app. Fail: ENOMEM. */
CHECKED int remembered_restore_seen(void *ctx, str cluster, int64_t usec, struct err *err);
CHECKED int remembered_restore_inspected(void *ctx, str cluster, str versions, struct err *err);
/* Callbacks for cluster_context; @ctx: the app. remembered_seen_usec: Unix time, 0: never.
 * remembered_take_inspected: the caller owns the result; NULL: unknown. */
int64_t remembered_seen_usec(void *ctx, str cluster);
struct inspected *remembered_take_inspected(void *ctx, str cluster);

/* Note when each cluster was last seen: now, for those that are synced. */
void remembered_note_seen(struct app *app);
/* As remembered_note_seen; once a minute it also stores the notes, and returns true. */
bool remembered_tick(struct app *app);
/* As remembered_note_seen; it also stores the notes at once. */
void remembered_keep_seen(struct app *app);
/* What is remembered of the cluster @was belongs to @is now, unless something is remembered of @is. */
void remembered_rename(struct app *app, str was, str is);
/* Note which objects were inspected, because the cluster is about to be closed. */
void remembered_note_inspected(struct app *app, const struct cluster *c);
/* Keep the notes of inspected objects for the next process. */
void remembered_keep_inspected(struct app *app);

#endif
