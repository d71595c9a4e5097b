/* The history of a commit. */
#ifndef DAEMON_FETCH_GIT_HISTORY_H
#define DAEMON_FETCH_GIT_HISTORY_H

#include "daemon/fetch/git_run.h"

/* The newest SOURCE_LOG_MAX commits of the history of @oid, through all parents, @oid first. Texts are printable, in
 * @a. */
CHECKED int git_log(const struct git *g, const char *oid, struct arena *a, const struct source_commit **ret, size_t *n,
		    struct err *err);

/* 1: @before is @oid or one of its ancestors; 0: it is not, as far as the cache knows. */
CHECKED int git_led_to(const struct git *g, str before, const char *oid, struct err *err);

#endif
