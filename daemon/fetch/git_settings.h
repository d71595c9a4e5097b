/* The environment of git. It contains the whole configuration, so that no file of this host, of a user or of a
 * repository has an influence. It also contains the credentials, which are therefore neither among the arguments nor
 * on the disk. */
#ifndef DAEMON_FETCH_GIT_SETTINGS_H
#define DAEMON_FETCH_GIT_SETTINGS_H

#include "base/vec.h"
#include "daemon/fetch/git_url.h"

struct git_settings {
	VEC(char *) words; /* "NAME=value", with NULL at the end */
	size_t n_pairs;    /* pairs of the configuration */
	bool failed;       /* there was no memory */
};

/* Fill @x, which is zeroed, for a git that uses the repository @repository and may reach @s; @s NULL: it reaches
 * nothing. @scratch is the folder in which git will run; an SSH key that ssh(1) would refuse is copied to there.
 * Fails: EPERM, a file that the source names cannot be read, or is not what it should be; ENOMEM. */
CHECKED int git_settings_make(struct git_settings *x, const char *repository, const struct source *s,
			      const struct git_url *u, const char *scratch, struct err *err);
/* Overwrite and free all of it. */
void git_settings_done(struct git_settings *x);

/* Make a link @name in the folder @scratch to the file @path, which is relative to the working directory. A program
 * that runs there, and parses or expands its arguments, gets a harmless name in this way. Fails: EPERM, there is no
 * such file. */
CHECKED int git_link(const char *scratch, const char *name, str path, struct err *err);

#endif
