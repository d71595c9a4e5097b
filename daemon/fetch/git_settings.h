/* The environment of git: all its configuration, so that no file of this host, of a user or of a repository has a word
 * in it. Credentials are in it too, and therefore neither among the arguments nor on the disk. */
#ifndef DAEMON_FETCH_GIT_SETTINGS_H
#define DAEMON_FETCH_GIT_SETTINGS_H

#include "base/vec.h"
#include "daemon/fetch/git_url.h"

struct git_settings {
	VEC(char *) words; /* "NAME=value", the last one is NULL */
	size_t n_pairs;    /* of configuration */
	bool failed;       /* there was no memory */
};

/* Fill @x, which is zeroed, for a git that looks at the repository @repository, and with what it may reach @s with;
 * @s NULL: it reaches nothing. @scratch is the folder that it will run in; a key of SSH that ssh(1) would refuse is
 * copied to there. Fails: EPERM, a file that the source names cannot be read, or is not what it should be; ENOMEM. */
CHECKED int git_settings_make(struct git_settings *x, const char *repository, const struct source *s,
			      const struct git_url *u, const char *scratch, struct err *err);
/* Overwrites all of it. */
void git_settings_done(struct git_settings *x);

/* A link @name in the folder @scratch to the file @path, which is relative to the working directory: so a program that
 * runs there, and takes apart or expands what it is given, gets a name that says nothing. Fails: EPERM, it is not
 * there. */
CHECKED int git_link(const char *scratch, const char *name, str path, struct err *err);

#endif
