/* URLs as Go's net/url reads and writes them. */
#ifndef GO_URL_H
#define GO_URL_H

#include "base/arena.h"
#include "base/buf.h"

/* Views of the text or of the arena that it was parsed into; a zeroed one is the empty URL. */
struct go_url {
	str text;   /* the whole, as given */
	str scheme; /* in lower case */
	str opaque; /* what follows the scheme where that is not a slash */
	bool has_user, has_password;
	str user, password; /* unescaped */
	str host;           /* unescaped, with the port */
	str path;           /* unescaped */
	str raw_path;       /* what the path was read from; empty: the path escaped as usual */
	bool omit_host;     /* "file:/x": no "//" */
	str query;          /* as written, without "?" */
	bool force_query;   /* "?" and nothing behind it */
	str fragment;       /* unescaped */
};

/* url.Parse: *ret lives in @a and views @s. Fails: EBADMSG, with Go's text appended to @why, which may be
 * NULL; ENOMEM. */
CHECKED int go_url_parse(str s, struct arena *a, struct go_url *ret, struct buf *why);
/* url.ParseRequestURI: absolute, or a path that begins with "/"; "#" is no fragment. Else the same. */
CHECKED int go_url_parse_request(str s, struct arena *a, struct go_url *ret, struct buf *why);

/* URL.String(). */
void go_url_string(const struct go_url *u, struct buf *out);
/* URL.User.String(). */
void go_url_userinfo(const struct go_url *u, struct buf *out);
str go_url_hostname(const struct go_url *u); /* URL.Hostname(): without port and brackets */
str go_url_port(const struct go_url *u);     /* URL.Port() */
/* URL.EscapedPath(), in @a where it is not as written. -ENOMEM. */
CHECKED int go_url_escaped_path(const struct go_url *u, struct arena *a, str *ret);

/* Where in a URL a text stands: what has to be escaped there. */
enum go_url_part {
	GO_URL_PATH,
	GO_URL_PATH_SEGMENT,
	GO_URL_HOST,
	GO_URL_ZONE, /* of an IPv6 address */
	GO_URL_USER,
	GO_URL_QUERY, /* a name or a value of it */
	GO_URL_FRAGMENT,
};

/* Append @s escaped: url.PathEscape is GO_URL_PATH_SEGMENT, url.QueryEscape GO_URL_QUERY. */
void go_url_escape(struct buf *out, str s, enum go_url_part part);
/* The reverse; @s itself when nothing in it is escaped, else in @a. Fails: EBADMSG, with Go's text appended to @why,
 * which may be NULL; ENOMEM. */
CHECKED int go_url_unescape(str s, enum go_url_part part, struct arena *a, str *ret, struct buf *why);

#endif
