/* The objects that "driftd compare" reads from files, standard input or a cluster. */
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
	bool quiet; /* no warnings about files without objects */
	/* this input is a part of another one: it keeps its warnings, and objects of one identity side by side */
	bool part;
	struct string_list warnings;    /* the warnings of a part */
	VEC(struct doc *) docs;         /* keep the objects alive */
	VEC(struct key_table *) tables; /* tables that own keys of the objects, besides @keys */
	VEC(val) objects;               /* the objects in the order of the input, each identity once */
	VEC(str) names;                 /* the identity_text of each object */
	struct arena text;              /* holds the names */
	struct strmap seen;             /* the names that are taken */
	struct crd_table schemas;       /* from the definitions among the objects, and from those of a live cluster */
	struct problems problems;       /* objects that could not be read; the others are compared all the same */
	VEC(str) sources;               /* the source of each listed problem */
	bool any_read;                  /* at least one source could be read, perhaps not in full */
	bool lost;                      /* a source that may stand for many objects could not be read */
	/* the kinds of a live cluster whose objects are all known; NULL: an object that is not in the input does not
	 * exist */
	struct compare_known *known;
	size_t n_own;           /* with @known: objects from this index on are only there to be looked up */
	str refusal;            /* why nothing is compared, in full; empty: not refused */
	struct kc_perform *net; /* for url_read() */
};

void compare_input_init(struct compare_input *in, const struct limits *limits, struct key_table *keys);
void compare_input_done(struct compare_input *in);

/* The sources that the options name: paths of files, URLs, "-" for standard input; or one folder of kustomize. */
struct compare_sources {
	struct string_list names;
	bool kustomize;
};

/* Whether source @i is read over the network. */
bool compare_sources_remote(const struct compare_sources *s, size_t i);

void compare_sources_done(struct compare_sources *s);
/* Find the sources. Fails: EIO for paths that name nothing, with all of them in @in->refusal ("failed to collect
 * resources: …"); ENOMEM. */
CHECKED int compare_sources_find(const struct compare_options *o, struct compare_input *in, struct compare_sources *ret,
				 struct err *err);
/* Read source @i. A text that is no object is skipped with a warning, and whatever cannot be read is a problem of
 * its source. Fails: ENOMEM; what kustomize and read(2) of standard input fail with. */
CHECKED int compare_sources_read(const struct compare_sources *s, size_t i, struct compare_input *in, struct err *err);

/* Append all of standard input. Fails: E2BIG, ENOMEM; what read(2) fails with. */
CHECKED int compare_stdin_read(struct buf *text, struct err *err);

/* Add one object, which @doc keeps alive (a reference is taken), unless its identity is in the input already. */
CHECKED int compare_input_add(struct compare_input *in, struct doc *doc, val object, struct err *err);

/* Note what a definition says that is no object of the input; @doc keeps it alive. Fails: ENOMEM. */
CHECKED int compare_input_define(struct compare_input *in, struct doc *doc, val definition, struct err *err);

/* Begin a part of @in, which reads with @keys and belongs to one thread. */
void compare_input_part(const struct compare_input *in, struct key_table *keys, struct compare_input *ret);
/* Release the documents: the objects are absent afterwards, and only known by their names. */
void compare_input_drop(struct compare_input *part);
/* Add the results of reading to @in: problems, and the warnings to standard error. Fails: ENOMEM. */
CHECKED int compare_input_report(struct compare_input *in, const struct compare_input *part, struct err *err);
/* Add object @i of @part. 1, or 0 when its identity is in the input already; -ENOMEM. */
CHECKED int compare_input_take(struct compare_input *in, const struct compare_input *part, size_t i, struct err *err);
/* Keep the documents of @part alive as long as @in. Fails: ENOMEM. */
CHECKED int compare_input_keep(struct compare_input *in, struct compare_input *part, struct err *err);

/* Read the objects in the text of a file called @name. Fails: ENOMEM. */
CHECKED int compare_input_text(struct compare_input *in, const char *name, str text, struct err *err);

/* Warn that the file called @name is skipped; @why says why it cannot be read. */
void compare_input_skip(struct compare_input *in, const char *name, const char *why);

/* Assign the problems since the last call to @source, which is copied. */
CHECKED int compare_input_mark(struct compare_input *in, str source, struct err *err);

/* Fail with EIO because of these problems; @what and all of them are in in->refusal then. */
int compare_input_refuse(struct compare_input *in, const char *what, const struct problems *p, struct err *err);

/* Append all problems as one line, equal ones once; several are enclosed in brackets. */
void compare_problems_text(const struct problems *p, struct buf *out);

#endif
