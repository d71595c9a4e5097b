/* Reads the target of a request, strictly: it refuses everything that two readers could understand in two ways. */
#ifndef DAEMON_SERVE_URI_H
#define DAEMON_SERVE_URI_H

#include "base/err.h"
#include "base/str.h"

#define URI_BYTES_MAX 8192
#define URI_SEGMENTS_MAX 32
#define URI_PARAMETERS_MAX 64

struct uri_parameter {
	const char *name, *value; /* decoded; "" without a '=' */
};

/* A target. Everything in it is decoded, UTF-8 without NUL, and owned by it. */
struct uri {
	char *text;
	const char *path;                       /* "/api/v1/findings" */
	const char *segments[URI_SEGMENTS_MAX]; /* "api", "v1", "findings"; one empty one for "/" */
	size_t n_segments;
	struct uri_parameter parameters[URI_PARAMETERS_MAX];
	size_t n_parameters;
};

/* @raw: "/path?query", or the absolute form, whose scheme and host are skipped. A slash that is escaped separates
 * nothing. Fails: EBADMSG (no such form, a bad escape, not UTF-8, NUL), E2BIG (a limit), ENOMEM. */
CHECKED int uri_parse(struct uri *u, str raw, struct err *err);
void uri_done(struct uri *u);

#endif
