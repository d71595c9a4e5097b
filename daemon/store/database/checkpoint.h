/* Bringing the log of a database to its place, beside the one who writes it: that needs the disk to sync, which takes
 * from one to many milliseconds, and no transaction waits for it. SQLite allows this to any process while another one
 * writes; here it is a thread with a connection of its own. */
#ifndef DAEMON_STORE_DATABASE_CHECKPOINT_H
#define DAEMON_STORE_DATABASE_CHECKPOINT_H

#include <sqlite3.h>
#include <stdbool.h>

struct checkpoints;

/* From now on the log of @db, the writer's connection, is brought to its place as it grows. @shared: another connection
 * can be opened beside it. The thread is started when there is first something for it to do; where it cannot be, the
 * writer does all itself. NULL without memory. */
struct checkpoints *checkpoints_new(sqlite3 *db, bool shared);
/* What can be copied is, by the writer. NULL is fine. */
void checkpoints_copy(struct checkpoints *c);
/* All of the log is copied, by the writer, and it is cut; as far as that can be: false: not all, the connection says
 * why. Waits until the thread does nothing, since it would be refused as long as that does. NULL is fine. */
bool checkpoints_empty_log(struct checkpoints *c);
/* The last copy failed midway, on a full disk perhaps: pages that the database has by what its first one says may be in
 * the log only. */
bool checkpoints_broke_off(struct checkpoints *c);
/* How many frames the log has at least. */
int checkpoints_log_frames(const struct checkpoints *c);
/* Ends the thread, which may finish what it does first. Before the connection is closed. NULL is fine. */
void checkpoints_free(struct checkpoints *c);

#endif
