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
	bool held;                     /* "refused" waits for somebody's word, whatever is found out about it since */
	bool lost; /* the file was: what is in force is what driftd-fetch was asked for last, all else is not known */
	char refused[SOURCE_ID_SIZE]; /* was fetched and is not taken: it has mistakes, or waits; "": none */
	char before[SOURCE_BEFORE_MAX]
		   [SOURCE_ID_SIZE]; /* what was in force before, the newest first, no two the same */
	size_t n_before;
};

/* @id is in force now; what was goes to what was before. */
void source_choice_take(struct source_choice *c, str id);

/* Append the path of its file. */
void source_choice_path(const char *state_dir, str name, struct buf *out);
/* Read that of the reference @name. Where it is gone or damaged the request to driftd-fetch, which is beside it, says
 * what was in force. Fails: ENOENT, there is none; EBADMSG, EINVAL; the codes of open(2); ENOMEM. */
CHECKED int source_choice_load(const char *state_dir, str name, struct source_choice *ret, struct err *err);
/* Write it, whole or not at all; it is on disk when this returns. Fails: the codes of open(2), write(2), rename(2). */
CHECKED int source_choice_save(const char *state_dir, str name, const struct source_choice *c, struct err *err);

#endif
