/* What a start would meet, found out before it: driftd check-config --connect; without clusters also as a part of
 * driftd check-config.
 *
 *   files --> account of the service --> what it can read --> each cluster: server, credentials, kinds, what is allowed
 *
 * Clusters are asked on one loop: those that do not answer keep the others waiting no longer than one of them would. It
 * only reads; what the account may do is asked by SelfSubjectAccessReviews, as the daemon asks it. */
#ifndef DAEMON_PREFLIGHT_PREFLIGHT_H
#define DAEMON_PREFLIGHT_PREFLIGHT_H

#include "config/cfg.h"
#include "daemon/preflight/checks.h"

struct preflight_options {
	const struct cfg *cfg;
	const char *config_path;
	const char *web_path; /* NULL: none */
	const char *account;  /* the user for the check, for good; NULL: the present one */
	/* Read the configuration again, as that user; mistakes go to @problems. */
	void (*read_again)(void *ctx, struct problems *problems);
	void *ctx;
	const struct limits *limits;
	struct key_table *keys;
};

/* Run all checks. Fails: ENOMEM, EPERM and ENOENT (of the account). Problems that the checks find are in @ret, and
 * are no failure; call checks_done in any case. */
CHECKED int preflight_run(const struct preflight_options *o, struct checks *ret, struct err *err);
/* Run the checks of files only. Fails as preflight_run. */
CHECKED int preflight_files(const struct preflight_options *o, struct checks *ret, struct err *err);

#endif
