/* Where a git repository is: which kinds of URLs are fetched from, and what may go with each. */
#ifndef DAEMON_FETCH_GIT_URL_H
#define DAEMON_FETCH_GIT_URL_H

#include "config/source.h"

enum git_transport { GIT_HTTPS, GIT_HTTP, GIT_SSH, GIT_FILE };

struct git_url {
	enum git_transport transport;
	str origin; /* of the first two: scheme, host and port, with a slash behind it; part of the source's URL, else
		       empty */
};

/* Fails with EINVAL: it is not one of https://, http:// (only where the source is insecure, and without credentials),
 * ssh://, USER@HOST:PATH (with known hosts) and file://, or has something in it that a shell, ssh or git could take for
 * something else. Names of branches and tags, and the path, are looked at in the same way. */
CHECKED int git_url_check(const struct source *s, struct git_url *ret, struct err *err);

#endif
