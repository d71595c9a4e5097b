/* Writes files that the daemon and driftd-fetch replace as a whole. */
#ifndef CONFIG_SOURCE_WRITE_H
#define CONFIG_SOURCE_WRITE_H

#include "base/buf.h"

#include <sys/types.h>

/* Write @text to a file beside @path, sync it, and rename it to @path. A reader of @path sees the old content or all
 * of @text, never a part. No folder is made: a missing one was lost, which its owner has to notice. Fails: the codes
 * of open(2), write(2), fsync(2), rename(2). */
CHECKED int source_write(const char *path, mode_t mode, str text, struct err *err);
/* Sync the folder of @path, so that the names in it are on disk. */
CHECKED int source_sync_folder(const char *path, struct err *err);

#endif
