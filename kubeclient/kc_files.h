/* Watches files that were read and may change: the owner is called a moment after they did.
 *
 * Folders are watched, not files, since editors and Kubernetes' mounts put new files in the place of old ones: the
 * folder that holds the file, and every folder on the way to it that holds a symbolic link, for a link may be made to
 * lead elsewhere. What does not exist yet is waited for in the last folder that does. Of a path with a slash at its end
 * everything in that folder counts, but not what is in folders below it.
 *
 *   the kernel reports --a folder cannot be watched (no inotify watches left)--> polled every KC_FILES_LOOK_MS
 *          ^                                                                              |
 *          '------------------------- all can be watched ---------------------------------'
 *
 * Where the kernel accepts a watch but reports nothing (a network file system), nothing is reported here either:
 * owners therefore also read again from time to time. */
#ifndef KUBECLIENT_KC_FILES_H
#define KUBECLIENT_KC_FILES_H

#include "base/defs.h"

#include <sys/queue.h>
#include <uv.h>

#define KC_FILES_LOOK_MS 2000

struct kc_folder;
TAILQ_HEAD(kc_folders, kc_folder);

/* Embedded in its owner and never moved. */
struct kc_files {
	uv_loop_t *loop;
	uv_timer_t timer; /* changes that come together are reported once */
	uv_timer_t look;  /* runs while folders cannot be watched */
	int unwatched;    /* why, a negated errno; 0: all are */
	struct kc_folders folders;
	char **paths;
	uint64_t *seen; /* for each path: what identifies its state */
	size_t n_paths;
	unsigned n_open; /* handles of the loop that are not closed yet */
	bool closing;
	void (*changed)(void *ctx);
	void (*closed)(void *ctx);
	void *ctx;
};

/* Watches nothing yet. @changed is called from the loop; it may call kc_files_watch and kc_files_close. */
void kc_files_init(struct kc_files *f, uv_loop_t *loop, void (*changed)(void *ctx), void *ctx);

/* Watch @paths (copied, NULL ones are passed over) instead of those before. Without memory fewer are watched. */
void kc_files_watch(struct kc_files *f, const char *const *paths, size_t n);

/* Returns why the kernel last had no watch left for a folder of any struct kc_files in the process: a negated errno
 * such as -ENOSPC; 0: it always had one. May be called from any thread. */
int kc_files_unwatched(void);

/* @closed is called from the loop when nothing is open any more; NULL: nobody waits for that. */
void kc_files_close(struct kc_files *f, void (*closed)(void *ctx));

#endif
