/* The objects that "driftd compare" looks at. */
#ifndef DAEMON_COMPARE_INPUT_H
#define DAEMON_COMPARE_INPUT_H

#include "base/limits.h"
#include "base/problems.h"
#include "base/strmap.h"
#include "daemon/compare/options.h"
#include "value/doc.h"

#define COMPARE_UNREAD "error occurred while trying to fetch resources: "

struct compare_input {
	const struct limits *limits;
	struct key_table *keys;
	bool quiet;               /* no warnings about files without objects */
	VEC(struct doc *) docs;   /* keep the objects alive */
	VEC(val) objects;         /* in the order of the input, each identity once */
	VEC(str) names;           /* of each object: identity_text */
	struct arena text;        /* holds the names */
	struct strmap seen;       /* the names */
	struct problems problems; /* objects that could not be read; the others are compared all the same */
	VEC(str) sources;         /* of each listed problem */
	str refusal;              /* why nothing is compared, in full; empty: not refused */
	void *curl;               /* for url_read() */
};

void compare_input_init(struct compare_input *in, const struct limits *limits, struct key_table *keys);
void compare_input_done(struct compare_input *in);

/* Read all files that the options name. What is no object is skipped with a warning.
 * Fails: EINVAL for paths that name nothing ("failed to collect resources: …"); EIO for a URL that cannot be read, and
 * where no file can; ENOMEM. */
CHECKED int compare_input_files(struct compare_input *in, const struct compare_options *o, struct err *err);

/* Add one object, which @doc keeps alive (a reference is taken), unless its identity is there already. */
CHECKED int compare_input_add(struct compare_input *in, struct doc *doc, val object, struct err *err);

/* The objects in the text of a file called @name. Fails: ENOMEM. */
CHECKED int compare_input_text(struct compare_input *in, const char *name, str text, struct err *err);

/* Warn that the file called @name is skipped: @why it cannot be read. */
void compare_input_skip(const struct compare_input *in, const char *name, const char *why);

/* The problems since the last call are those of @source, which is copied. */
CHECKED int compare_input_mark(struct compare_input *in, str source, struct err *err);

/* End for these problems: fail with EIO, and @what and all of them in in->refusal. */
int compare_input_refuse(struct compare_input *in, const char *what, const struct problems *p, struct err *err);

/* All problems on one line, equal ones once; several stand in brackets. */
void compare_problems_text(const struct problems *p, struct buf *out);

#endif
