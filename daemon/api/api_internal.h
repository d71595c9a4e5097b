/* The documents of the API (docs/api.md), each appended to @out, for those who answer. */
#ifndef DAEMON_API_API_INTERNAL_H
#define DAEMON_API_API_INTERNAL_H

#include "daemon/serve/metrics.h"
#include "daemon/view/findings_list.h"
#include "daemon/view/kind_words.h"
#include "daemon/view/releases_list.h"
#include "daemon/view/source_words.h"

/* ---- explain_doc.c ---- */

/* An Explanation of @o by the reference of cluster_judges()[@judge]. It holds places, names and scores, and what
 * templates say, which may quote values: for who is trusted. Fails: ENOMEM. */
CHECKED int explain_doc(struct cluster *c, size_t judge, const struct object *o, struct buf *out, struct err *err);

/* ---- objects_doc.c ---- */

/* From the parameters kind and name, both due, namespace and cluster; each may stand once. */
struct object_query {
	str cluster, kind, namespace, name;
};

/* What is open on objects that are called so, while it is looked for. */
struct objects_open;

/* Begin to look; texts of @q are borrowed. Fails: ENOMEM. */
CHECKED int objects_open_new(const struct metrics_view *view, const struct object_query *q, struct objects_open **ret,
			     struct err *err);
void objects_open_free(struct objects_open *o);
/* Some of it, until about @until_ns (uv_hrtime). True: there is more to do. */
bool objects_open_look(struct objects_open *o, uint64_t until_ns);
/* An ObjectList: each object with who judges it and what is open against it, and, where there is none, why it is not
 * known. Fails: ENOMEM. */
CHECKED int objects_doc(const struct metrics_view *view, const struct objects_open *o, struct buf *out,
			struct err *err);

/* ---- releases_doc.c ---- */

/* A ReleaseList: of those with a name also their revisions and objects. Fails: ENOMEM. */
CHECKED int releases_doc(const struct metrics_view *view, const struct release_filter *f, struct buf *out,
			 struct err *err);

/* ---- sources_doc.c: references that are published elsewhere ---- */

/* A Reference. @trusted: with what authors of commits wrote, and who signed. */
void source_doc(const struct source_state *v, bool trusted, struct buf *out);
/* A ReferenceList, without what is long: commits, and what was in force before. */
void sources_doc(const struct metrics_view *view, bool trusted, struct buf *out);
/* The member "references" of the status: of each how it stands, and what is wrong; nothing where there is none. */
void sources_short_doc(const struct metrics_view *view, struct buf *out);

/* ---- status_doc.c: how driftd and what it watches are; no object, no value ---- */

void status_doc(const struct metrics_view *view, struct buf *out);
/* The members "complete" and, when it is false, "unknown": clusters of which "nothing is wrong" says little, each with
 * what it waits for, "absent": references of which nothing is in force yet, or "nothing": why nothing is watched at
 * all.
 * @known: what was asked for is. */
void completeness_doc(const struct metrics_view *view, bool known, struct buf *out);

/* ---- unknown_filters.c ---- */

/* What a filter names that nobody knows, a line for each, with what there is: "no namespace 'sohp' is known; did you
 * mean 'shop'?". That nothing passes such a filter says nothing of how well anything is. */
struct unknown_words {
	struct buf text;
	bool mistaken; /* one of them can only be a mistake: a cluster, a reference, a kind that no server has */
};

/* Clusters, references and kinds. */
void unknown_words_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret);
/* Components and namespaces, which may have come to be called so just now, or be well. To be asked when no finding
 * passes: it looks at all objects for a namespace. */
void unknown_places_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret);

/* ---- words_doc.c: for who completes a command line ---- */

struct word_query {
	const char *of; /* "cluster", "reference", "namespace", "kind", "resource", "name", "id", "cause", ... */
	str beginning;  /* of the words; may be empty */
	bool objects;   /* of all that is watched, instead of what is open */
	struct finding_filter filter;
};

struct words;

/* Begin to look for words; texts of @q are borrowed. Fails: EINVAL (there are no such words), ENOMEM. */
CHECKED int words_new(const struct metrics_view *view, const struct word_query *q, struct words **ret, struct err *err);
void words_free(struct words *w);
/* Some of it, until about @until_ns (uv_hrtime). True: there is more to do. */
bool words_look(struct words *w, uint64_t until_ns);
/* A WordList: each word once, in order, the first of them and the last one when there are many. Fails: ENOMEM. */
CHECKED int words_doc(const struct words *w, struct buf *out, struct err *err);

#endif
