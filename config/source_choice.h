/* The choice which revision of a reference is in force: references/NAME.json in the daemon's state folder. It is
 * written before the revision takes effect, so that a restart finds the revision that was in force. */
#ifndef CONFIG_SOURCE_CHOICE_H
#define CONFIG_SOURCE_CHOICE_H

#include "base/arena.h"
#include "base/buf.h"
#include "config/source_store.h"

#define SOURCE_BEFORE_MAX 10

struct source_choice {
	char in_force[SOURCE_ID_SIZE]; /* "": none was yet */
	bool pinned;                   /* an administrator said so */
	/* the revision @refused waits to be accepted, whatever is found out about it later */
	bool held;
	/* the file was lost: the revision in force is the one that driftd-fetch was asked for last, and the rest is
	 * unknown */
	bool lost;
	/* a fetched revision that is not in force, because it has mistakes or waits; "": none */
	char refused[SOURCE_ID_SIZE];
	char before[SOURCE_BEFORE_MAX][SOURCE_ID_SIZE]; /* earlier revisions in force, the newest first, each once */
	size_t n_before;
};

/* @id is in force now; the revision before becomes an earlier one. */
void source_choice_take(struct source_choice *c, str id);

bool source_choice_equal(const struct source_choice *a, const struct source_choice *b);

/* Append the path of its file. */
void source_choice_path(const char *state_dir, str name, struct buf *out);
/* Read the choice of the reference @name. If it is gone or damaged, the request to driftd-fetch, which is beside it,
 * names the revision in force. Fails: ENOENT, there is none; EBADMSG, EINVAL; the codes of open(2); ENOMEM. */
CHECKED int source_choice_load(const char *state_dir, str name, struct source_choice *ret, struct err *err);
/* Write the choice, whole or not at all; it is on disk when this returns. Fails: the codes of open(2), write(2),
 * rename(2). */
CHECKED int source_choice_save(const char *state_dir, str name, const struct source_choice *c, struct err *err);

#endif
