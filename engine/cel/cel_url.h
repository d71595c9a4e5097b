/* URLs as Go's net/url.ParseRequestURI reads them: absolute, or a path that starts with "/". */
#ifndef CEL_URL_H
#define CEL_URL_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

struct cel_url {
	str text;
	str scheme;
	str user; /* with the password, as written */
	bool has_user;
	str host;     /* with the port */
	str path;     /* unescaped */
	str raw_path; /* as written */
	str opaque;
	str query; /* without "?" */
	bool force_query;
};

/* Views @s; unescaped parts live in @a. Fails: EBADMSG with Go's text; ENOMEM. */
CHECKED int cel_url_parse(str s, struct arena *a, struct cel_url *ret, struct err *err);

str cel_url_hostname(const struct cel_url *u); /* without port and brackets */
str cel_url_port(const struct cel_url *u);
/* The escaped path; {NULL, 0} without memory. */
str cel_url_escaped_path(const struct cel_url *u, struct arena *a);
/* %XX and, in queries, "+". False when malformed or without memory. */
bool cel_url_unescape(str s, bool query, struct arena *a, str *ret);

#endif
