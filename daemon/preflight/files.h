/* The files that a configuration names, and whether the account of the service can read them. */
#ifndef DAEMON_PREFLIGHT_FILES_H
#define DAEMON_PREFLIGHT_FILES_H

#include "config/cfg.h"
#include "daemon/preflight/checks.h"

struct file_to_check {
	str cluster;      /* empty: no cluster */
	const char *what; /* such as "token" */
	const char *path;
	const char *real;            /* absolute and without links, as far as files_gather could follow them */
	bool run;                    /* a program */
	bool maybe;                  /* the file need not exist */
	unsigned mode, owner, group; /* what files_gather found */
	bool found;
};

struct files {
	struct arena arena;
	VEC(struct file_to_check) list;
};

/* Collect the files while everything can still be read, with owners and modes. @web_path: of --web.config.file, or
 * NULL. Fails: ENOMEM, and as reading the kubeconfigs fails; call files_done in any case. */
CHECKED int files_gather(const struct cfg *cfg, const char *config_path, const char *web_path, struct files *ret,
			 struct err *err);
void files_done(struct files *f);

/* Add a row for each file that this process cannot read (or run), or, with @as_service, that the unit hides; one row
 * when all is well. */
void files_check(const struct files *f, bool as_service, struct checks *out);

/* Whether this process can run @command: a path, or a name to be found in its PATH. If not, errno says why. */
bool file_can_run(const char *command);

#endif
