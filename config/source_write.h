/* Files that the daemon and driftd-fetch replace whole. */
#ifndef CONFIG_SOURCE_WRITE_H
#define CONFIG_SOURCE_WRITE_H

#include "base/buf.h"

#include <sys/types.h>

/* Write @text to a file beside @path, see to it that it is on disk, and give it the name @path. A reader of @path sees
 * the old content or all of @text, never a part. No folder is made: one that is missing was lost, which is for its
 * owner to find out. Fails: the codes of open(2), write(2), fsync(2), rename(2). */
CHECKED int source_write(const char *path, mode_t mode, str text, struct err *err);
/* See to it that the names in the folder of @path are on disk. */
CHECKED int source_sync_folder(const char *path, struct err *err);

#endif
