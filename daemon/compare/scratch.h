/* Temporary folders and started programs, which must not outlive a run. A run that SIGTERM, SIGINT or SIGHUP ends
 * removes and ends them. All functions may be called in any thread. */
#ifndef DAEMON_COMPARE_SCRATCH_H
#define DAEMON_COMPARE_SCRATCH_H

#include "base/err.h"

#include <signal.h>

/* Let the three signals end the children of this process, and theirs, with SIGTERM and after 2 s with SIGKILL,
 * remove the folders, and then end the process as they do by default. A signal that is ignored or blocked stays so.
 * Call this once, before there is another thread. Fails: EAGAIN, no thread could be made. */
CHECKED int scratch_begin(struct err *err);

/* Delay the end of the run between these two calls: around the creation of what has to be removed, and only briefly.
 * Do not nest them. Once the end has begun, scratch_hold does not return. */
void scratch_hold(void);
void scratch_release(void);

/* The signals that a program which is started here shall have blocked: the same as before scratch_begin. */
void scratch_child_mask(sigset_t *ret);

/* Make a new folder "PREFIX-<digits>" in $TMPDIR or /tmp, for its owner only; free() the name. */
CHECKED int scratch_folder(const char *prefix, char **ret, struct err *err);
/* Make a new folder "PREFIX-<digits>" in the folder @dir, likewise. */
CHECKED int scratch_folder_in(const char *dir, const char *prefix, char **ret, struct err *err);
/* Remove such a folder and everything below it, without following links. What cannot be removed stays. */
void scratch_remove(const char *path);

#endif
