/* Go's text/template (1.24): parse a set of templates once, execute it many times.
 *
 * A parsed set is immutable and may be executed by several threads at once. An execution is a function of dot, the
 * callbacks of tmpl_env and nothing else. Output, error texts and the positions in them are those of Go's package. */
#ifndef TEMPLATE_TMPL_H
#define TEMPLATE_TMPL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/span.h"
#include "value/val.h"

struct tmpl;

struct tmpl_functions;

struct tmpl_source {
	str name;
	str text;
};

/* Parse @sources in order into one name space; the first is the main template. As Go's ParseFiles does, a later source
 * with the name of an earlier one replaces it unless it holds only white space, comments and definitions. Names and
 * texts are copied; @functions (tmpl_functions.h) are what they may call besides and, or, call. Limits used:
 * file_bytes, template_nesting, and for constant regular expressions, which are compiled here, regex_match_limit and
 * arena_bytes; @limits is not kept.
 * @error_text (may be NULL) receives the complete error text, of which err->msg holds the beginning.
 * Fails: EBADMSG with Go's text; E2BIG; ENOMEM. */
CHECKED int tmpl_parse(const struct tmpl_source *sources, size_t n, const struct tmpl_functions *functions,
		       const struct limits *limits, struct tmpl **ret, struct buf *error_text, struct err *err);
void tmpl_free(struct tmpl *t);
DEFINE_CLEANUP(struct tmpl *, tmpl_free)

/* What lookupCR and lookupCRs ask for. The callback puts all objects that match into *ret (owned by the caller of
 * tmpl_execute, alive until it returns). An empty namespace or name, or "*", is passed on as given: the callback
 * decides what it matches, and records the request as a dependency. When it returns a negative number, with err
 * filled, the execution ends. */
struct tmpl_lookup {
	str api_version, kind, namespace, name;
};

struct go_zones;

/* The texts of one execution that were made of scalars which are marked secret (value/val.h), by whatever functions:
 * as they appear in the output, and in the intermediate results. A text of several lines is kept line by line.
 * Results of comparing, counting or testing a secret are not among them. */
#define TMPL_SECRETS_MAX 256
struct tmpl_secrets {
	struct arena *arena; /* the memory of the texts */
	size_t n;
	bool too_many; /* there are more texts, or memory was short */
	str texts[TMPL_SECRETS_MAX];
};

struct tmpl_env {
	const struct limits
		*limits; /* required: template_depth, template_steps, template_output_bytes, arena_bytes, … */
	int (*lookup)(void *ctx, const struct tmpl_lookup *request, const val **ret, size_t *n,
		      struct err *err);                   /* NULL: look-ups find nothing */
	int64_t (*now)(void *ctx, int32_t *nanoseconds);  /* Unix seconds; NULL: the system's clock */
	bool (*random)(void *ctx, void *bytes, size_t n); /* false: no entropy; NULL: the system's */
	void *ctx;
	const struct go_zones *zones; /* go/zone.h; NULL: no zones but UTC */
	uint64_t *steps;              /* may be NULL: the steps that were spent of template_steps are added to it */
	struct buf *error_text;       /* may be NULL: receives the complete text of an error */
	/* may be NULL: receives which parts of the buffer actions printed, as far as there is room */
	struct spans *printed;
	struct tmpl_secrets *secrets; /* may be NULL */
};

/* tmpl_execute's code for a template that called doNotMatch. err->msg holds Go's text, which ends in the reason. */
#define TMPL_NO_MATCH ENOMSG
/* The text before the reason in tmpl_execute's complete error text. */
#define TMPL_NO_MATCH_TEXT "error calling doNotMatch: Do not match: "

/* Execute the main template with @dot, and append to @out what Go would write; when it fails part-way, the partial
 * output. Memory: one arena, released before it returns; at most limits->arena_bytes. Fails: EINVAL with Go's text;
 * ENOMSG: doNotMatch was called; E2BIG: a limit, which the text names; ENOMEM; the code that a callback returned. */
CHECKED int tmpl_execute(const struct tmpl *t, val dot, const struct tmpl_env *env, struct buf *out, struct err *err);

/* The name of the main template, and every template's tree as Go prints it (Tree.Root.String()), for hashing a
 * reference. */
str tmpl_name(const struct tmpl *t);
void tmpl_print_tree(const struct tmpl *t, struct buf *out); /* the tree of the main template */
/* Print the tree of one template of the set; false: there is no such template. */
bool tmpl_print_named(const struct tmpl *t, str name, struct buf *out);
/* The names of the set in sorted order; false behind the last. */
bool tmpl_name_at(const struct tmpl *t, size_t i, str *name);

/* ---- what a template can read ---- */

struct tmpl_path {
	const str *keys;
	size_t n;
};

struct tmpl_lookup_use {
	bool many;     /* the call is of lookupCRs, not of lookupCR */
	bool known[4]; /* whether the argument is a constant: api_version, kind, namespace, name */
	struct tmpl_lookup args;
};

/* The field paths of dot that an execution may read. Each path covers the value at its end, everything below it, and
 * how far the path leads (whether it ends early, and in what). @everything: dot is used as a whole. A footprint
 * never claims less than what can be read. Its strings point into the set and its arena. */
struct tmpl_footprint {
	bool everything;
	const struct tmpl_path *paths; /* sorted, none a prefix of another */
	size_t n_paths;
	uint64_t paths_hash; /* a hash that is equal for equal paths */
	const struct tmpl_lookup_use *lookups;
	size_t n_lookups;
	bool uses_time;   /* the outcome may depend on the clock */
	bool uses_random; /* the outcome may depend on randomness */
	bool may_exclude; /* the template may call doNotMatch */
	struct arena arena;
};

CHECKED int tmpl_footprint(const struct tmpl *t, struct tmpl_footprint *ret, struct err *err);
void tmpl_footprint_done(struct tmpl_footprint *f);
/* Whether @a and @b are the same to the template: executions with either give the same result. */
bool tmpl_footprint_same(const struct tmpl_footprint *f, val a, val b);

/* ---- templates that only print fields ---- */

#define TMPL_PLAIN_MARK "x"

/* The output of a template that only prints fields of dot between texts, with a mark for each field. Zero it at
 * first, except for the limit of @text. */
struct tmpl_plain {
	struct buf text; /* owned by the function that declares the struct */
	struct spans printed;
	struct tmpl_path fields[SPANS_MAX]; /* one for each span; the template owns them */
};

/* False: the template does something else, has too many fields or too long a text, or there is no memory. */
bool tmpl_plain(const struct tmpl *t, struct tmpl_plain *ret);

#endif
