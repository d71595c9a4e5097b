/* What is remembered of clusters over restarts, and while they are not watched: when each was synced last (what
 * is found later happened since), and what was inspected of it. */
#ifndef DAEMON_APP_REMEMBERED_H
#define DAEMON_APP_REMEMBERED_H

#include "base/err.h"
#include "base/str.h"

struct app;
struct cluster;
struct inspected;

struct remembered *remembered_new(void); /* NULL without memory */
void remembered_free(struct remembered *m);
/* For database_seen and database_take_inspected. @ctx: the app. Fail: ENOMEM. */
CHECKED int remembered_restore_seen(void *ctx, str cluster, int64_t usec, struct err *err);
CHECKED int remembered_restore_inspected(void *ctx, str cluster, str versions, struct err *err);
/* For cluster_context: Unix time, 0: never; the caller's, NULL: nothing is known. @ctx: the app. */
int64_t remembered_seen_usec(void *ctx, str cluster);
struct inspected *remembered_take_inspected(void *ctx, str cluster);

/* Note when each cluster was last seen: now, for those that are synced. */
void remembered_note_seen(struct app *app);
/* As remembered_note_seen, and keep the notes once a minute: then it returns true. */
bool remembered_tick(struct app *app);
/* As remembered_note_seen, and keep the notes at once. */
void remembered_keep_seen(struct app *app);
/* What is remembered of the cluster @was is of @is, unless something is remembered of that already. */
void remembered_rename(struct app *app, str was, str is);
/* The cluster is about to be closed. */
void remembered_note_inspected(struct app *app, const struct cluster *c);
/* Keep the notes of inspected objects for the next process. */
void remembered_keep_inspected(struct app *app);

#endif
