/* What must not outlive a run: temporary folders, and the programs that it started. A run that SIGTERM, SIGINT or
 * SIGHUP ends takes them along. All of it is for any thread. */
#ifndef DAEMON_COMPARE_SCRATCH_H
#define DAEMON_COMPARE_SCRATCH_H

#include "base/err.h"

#include <signal.h>

/* From now on the three signals end the children of this process, and theirs, with SIGTERM and after 2 s with SIGKILL,
 * remove the folders, and then end the process as they do by default. One that is ignored or blocked stays so. To be
 * called once, before there is another thread. Fails: EAGAIN, no thread could be made. */
CHECKED int scratch_begin(struct err *err);

/* Between these two the end does not begin: around the making of what has to go, and not for long. Do not nest. Once
 * the end has begun, scratch_hold does not return. */
void scratch_hold(void);
void scratch_release(void);

/* The signals that a program which is started here shall have blocked: as before scratch_begin. */
void scratch_child_mask(sigset_t *ret);

/* A new folder "PREFIX-<digits>" in $TMPDIR or /tmp, for its owner only; free() the name. */
CHECKED int scratch_folder(const char *prefix, char **ret, struct err *err);
/* The same in the folder @dir. */
CHECKED int scratch_folder_in(const char *dir, const char *prefix, char **ret, struct err *err);
/* Remove such a folder and all below it, without following links. What cannot be removed stays. */
void scratch_remove(const char *path);

#endif
