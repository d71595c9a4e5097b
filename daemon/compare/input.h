/* The objects that "driftd compare" looks at. */
#ifndef DAEMON_COMPARE_INPUT_H
#define DAEMON_COMPARE_INPUT_H

#include "base/limits.h"
#include "base/problems.h"
#include "base/strmap.h"
#include "daemon/compare/known.h"
#include "daemon/compare/options.h"
#include "topology/crd_table.h"
#include "value/doc.h"

#define COMPARE_UNREAD "error occurred while trying to fetch resources: "

struct compare_input {
	const struct limits *limits;
	struct key_table *keys;
	bool quiet;                     /* no warnings about files without objects */
	bool part;                      /* of another: keeps its warnings, and objects of one identity side by side */
	struct string_list warnings;    /* of a part */
	VEC(struct doc *) docs;         /* keep the objects alive */
	VEC(struct key_table *) tables; /* that keys of the objects are from, besides @keys */
	VEC(val) objects;               /* in the order of the input, each identity once */
	VEC(str) names;                 /* of each object: identity_text */
	struct arena text;              /* holds the names */
	struct strmap seen;             /* the names */
	struct crd_table schemas;       /* of the definitions among the objects, and of those of a live cluster */
	struct problems problems;       /* objects that could not be read; the others are compared all the same */
	VEC(str) sources;               /* of each listed problem */
	bool any_read;                  /* a source could be read, if not all that it holds */
	bool lost;                      /* one could not that may stand for many objects */
	struct compare_known *known;    /* of a live cluster: what is known to be all there; NULL: what is not in the
					   input does not exist */
	size_t n_own;                   /* with @known: objects behind these are there to be looked up, no more */
	str refusal;                    /* why nothing is compared, in full; empty: not refused */
	struct kc_perform *net;         /* for url_read() */
};

void compare_input_init(struct compare_input *in, const struct limits *limits, struct key_table *keys);
void compare_input_done(struct compare_input *in);

/* What the options name: paths of files, URLs, "-" for standard input; or one folder of kustomize. */
struct compare_sources {
	struct string_list names;
	bool kustomize;
};

/* Whether source @i is read over the network. */
bool compare_sources_remote(const struct compare_sources *s, size_t i);

void compare_sources_done(struct compare_sources *s);
/* Fails: EIO for paths that name nothing, with all of them in @in->refusal ("failed to collect resources: …"), ENOMEM.
 */
CHECKED int compare_sources_find(const struct compare_options *o, struct compare_input *in, struct compare_sources *ret,
				 struct err *err);
/* Read source @i. What is no object is skipped with a warning, and what cannot be read is a problem of its source.
 * Fails: ENOMEM; what kustomize and read(2) of standard input fail with. */
CHECKED int compare_sources_read(const struct compare_sources *s, size_t i, struct compare_input *in, struct err *err);

/* Append all of standard input. Fails: E2BIG, ENOMEM; what read(2) fails with. */
CHECKED int compare_stdin_read(struct buf *text, struct err *err);

/* Add one object, which @doc keeps alive (a reference is taken), unless its identity is there already. */
CHECKED int compare_input_add(struct compare_input *in, struct doc *doc, val object, struct err *err);

/* Take in what a definition says that is no object of the input; @doc keeps it alive. Fails: ENOMEM. */
CHECKED int compare_input_define(struct compare_input *in, struct doc *doc, val definition, struct err *err);

/* Begin a part of @in, which reads with @keys and is for one thread. */
void compare_input_part(const struct compare_input *in, struct key_table *keys, struct compare_input *ret);
/* Let go of the documents: the objects are absent from now on, and known by their names. */
void compare_input_drop(struct compare_input *part);
/* Add what came of reading to @in: problems, and the warnings to standard error. Fails: ENOMEM. */
CHECKED int compare_input_report(struct compare_input *in, const struct compare_input *part, struct err *err);
/* Add object @i of @part. 1, or 0 when its identity is there already; -ENOMEM. */
CHECKED int compare_input_take(struct compare_input *in, const struct compare_input *part, size_t i, struct err *err);
/* Keep the documents of @part alive as long as @in. Fails: ENOMEM. */
CHECKED int compare_input_keep(struct compare_input *in, struct compare_input *part, struct err *err);

/* The objects in the text of a file called @name. Fails: ENOMEM. */
CHECKED int compare_input_text(struct compare_input *in, const char *name, str text, struct err *err);

/* Warn that the file called @name is skipped: @why it cannot be read. */
void compare_input_skip(struct compare_input *in, const char *name, const char *why);

/* The problems since the last call are those of @source, which is copied. */
CHECKED int compare_input_mark(struct compare_input *in, str source, struct err *err);

/* End for these problems: fail with EIO, and @what and all of them in in->refusal. */
int compare_input_refuse(struct compare_input *in, const char *what, const struct problems *p, struct err *err);

/* All problems on one line, equal ones once; several stand in brackets. */
void compare_problems_text(const struct problems *p, struct buf *out);

#endif
