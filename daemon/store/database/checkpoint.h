/* Copies the log of a database into the database (a checkpoint) beside the writer. This needs the disk to sync,
 * which takes from one to many milliseconds, so that no transaction should wait for it. SQLite allows any process to
 * copy while another one writes; here a thread with a connection of its own does it. */
#ifndef DAEMON_STORE_DATABASE_CHECKPOINT_H
#define DAEMON_STORE_DATABASE_CHECKPOINT_H

#include <sqlite3.h>
#include <stdbool.h>

struct checkpoints;

/* Begin to copy the log of @db, the writer's connection, whenever it has grown. @shared: another connection can be
 * opened beside it. The thread is started when it first has something to do; where there can be none, the writer
 * copies. NULL without memory. */
struct checkpoints *checkpoints_new(sqlite3 *db, bool shared);
/* Let the writer copy what can be copied. NULL is fine. */
void checkpoints_copy(struct checkpoints *c);
/* Let the writer copy all of the log, and cut it. False: not all was copied, and the connection says why. It first
 * waits until the thread is idle, because SQLite refuses while the thread copies. NULL is fine. */
bool checkpoints_empty_log(struct checkpoints *c);
/* Whether the last copy failed midway, perhaps on a full disk. Then some pages that the first page of the database
 * counts may be in the log only. */
bool checkpoints_broke_off(struct checkpoints *c);
/* How many frames the log has at least. */
int checkpoints_log_frames(const struct checkpoints *c);
/* End the thread, which first finishes what it is doing. Call this before the connection is closed. NULL is fine. */
void checkpoints_free(struct checkpoints *c);

#endif
