/* URLs as Go's net/url reads and writes them. */
#ifndef GO_URL_H
#define GO_URL_H

#include "base/arena.h"
#include "base/buf.h"

/* A URL. Its texts are views of the text or of the arena that it was parsed into; a zeroed one is the empty URL. */
struct go_url {
	str text;   /* the whole URL, as given */
	str scheme; /* in lower case */
	str opaque; /* the text behind the scheme, when that does not begin with a slash */
	bool has_user, has_password;
	str user, password; /* unescaped */
	str host;           /* unescaped, with the port */
	str path;           /* unescaped */
	str raw_path;       /* the text that the path was read from; empty: the path escaped as usual */
	bool omit_host;     /* the URL has no "//", such as "file:/x" */
	str query;          /* the query as it is written, without "?" */
	bool force_query;   /* the URL ends with "?", with an empty query */
	str fragment;       /* unescaped */
};

/* url.Parse: *ret lives in @a and views @s. Fails: EBADMSG, with Go's text appended to @why, which may be
 * NULL; ENOMEM. */
CHECKED int go_url_parse(str s, struct arena *a, struct go_url *ret, struct buf *why);
/* url.ParseRequestURI: the URL is absolute, or a path that begins with "/"; "#" is no fragment. Otherwise as
 * go_url_parse. */
CHECKED int go_url_parse_request(str s, struct arena *a, struct go_url *ret, struct buf *why);

/* Append URL.String(). */
void go_url_string(const struct go_url *u, struct buf *out);
/* Append URL.User.String(). */
void go_url_userinfo(const struct go_url *u, struct buf *out);
str go_url_hostname(const struct go_url *u); /* URL.Hostname(): without port and brackets */
str go_url_port(const struct go_url *u);     /* URL.Port() */
/* URL.EscapedPath(), in @a unless it is part of the text. Fails: ENOMEM. */
CHECKED int go_url_escaped_path(const struct go_url *u, struct arena *a, str *ret);

/* The part of a URL in which a text is, which decides what has to be escaped. */
enum go_url_part {
	GO_URL_PATH,
	GO_URL_PATH_SEGMENT,
	GO_URL_HOST,
	GO_URL_ZONE, /* the zone of an IPv6 address */
	GO_URL_USER,
	GO_URL_QUERY, /* a name or a value of a query */
	GO_URL_FRAGMENT,
};

/* Append @s escaped: url.PathEscape is GO_URL_PATH_SEGMENT, url.QueryEscape GO_URL_QUERY. */
void go_url_escape(struct buf *out, str s, enum go_url_part part);
/* Unescape @s: *ret is @s itself when nothing in it is escaped, else it is in @a. Fails: EBADMSG, with Go's text
 * appended to @why, which may be NULL; ENOMEM. */
CHECKED int go_url_unescape(str s, enum go_url_part part, struct arena *a, str *ret, struct buf *why);

#endif
