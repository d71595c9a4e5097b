/* URLs of git repositories: which kinds are accepted, and which settings may accompany each. */
#ifndef DAEMON_FETCH_GIT_URL_H
#define DAEMON_FETCH_GIT_URL_H

#include "config/source.h"

enum git_transport { GIT_HTTPS, GIT_HTTP, GIT_SSH, GIT_FILE };

struct git_url {
	enum git_transport transport;
	/* for http and https: scheme, host and port, with a slash behind it; a part of the source's URL; otherwise
	 * empty */
	str origin;
};

/* Check the URL. Fails with EINVAL when it is not one of https://, http:// (only where the source is insecure, and
 * without credentials), ssh://, USER@HOST:PATH (with known hosts) and file://, or contains anything that a shell,
 * ssh or git could misinterpret. Names of branches and tags, and the path, are checked in the same way. */
CHECKED int git_url_check(const struct source *s, struct git_url *ret, struct err *err);

#endif
