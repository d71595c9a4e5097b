/* The documents of the API (docs/api.md). Each function appends one to @out. */
#ifndef DAEMON_API_API_INTERNAL_H
#define DAEMON_API_API_INTERNAL_H

#include "daemon/serve/metrics.h"
#include "daemon/view/findings_list.h"
#include "daemon/view/kind_words.h"
#include "daemon/view/releases_list.h"
#include "daemon/view/source_words.h"

/* ---- explain_doc.c ---- */

/* The Explanation of @o by the reference of cluster_judges()[@judge]. It contains places, names and scores, and
 * texts of templates, which may quote values: it is for trusted clients. Fails: ENOMEM. */
CHECKED int explain_doc(struct cluster *c, size_t judge, const struct object *o, struct buf *out, struct err *err);

/* ---- objects_doc.c ---- */

/* The parameters: kind and name are required, namespace and cluster optional; each may occur once. */
struct object_query {
	str cluster, kind, namespace, name;
};

/* The search for findings that are open on objects of that name. */
struct objects_open;

/* Begin to search; the texts of @q are borrowed. Fails: ENOMEM. */
CHECKED int objects_open_new(const struct metrics_view *view, const struct object_query *q, struct objects_open **ret,
			     struct err *err);
void objects_open_free(struct objects_open *o);
/* Search until about @until_ns (uv_hrtime). True: there is more to do. */
bool objects_open_look(struct objects_open *o, uint64_t until_ns);
/* An ObjectList: each object with its judges and its open findings, and, if there is none, why it is not known.
 * Fails: ENOMEM. */
CHECKED int objects_doc(const struct metrics_view *view, const struct objects_open *o, struct buf *out,
			struct err *err);

/* ---- releases_doc.c ---- */

/* A ReleaseList; with a name the releases have their revisions and objects too. Fails: ENOMEM. */
CHECKED int releases_doc(const struct metrics_view *view, const struct release_filter *f, struct buf *out,
			 struct err *err);

/* ---- sources_doc.c: references that are published elsewhere ---- */

/* A Reference. @trusted: including what authors of commits wrote, and who signed. */
void source_doc(const struct source_state *v, bool trusted, struct buf *out);
/* A ReferenceList, without commits and earlier revisions, which are long. */
void sources_doc(const struct metrics_view *view, bool trusted, struct buf *out);
/* The member "references" of the status: each with its standing and its problems; nothing without references. */
void sources_short_doc(const struct metrics_view *view, struct buf *out);

/* ---- status_doc.c: how driftd and what it watches are; no object, no value ---- */

void status_doc(const struct metrics_view *view, struct buf *out);
/* The members "complete" and, if it is false, "unknown": the clusters for which "nothing is wrong" proves little,
 * each with what it waits for; "absent": the references without a revision in force; or "nothing": why nothing is
 * watched at all. @known: everything that was asked for is known. */
void completeness_doc(const struct metrics_view *view, bool known, struct buf *out);

/* ---- unknown_filters.c ---- */

/* The names in a filter that nobody knows, a line each with a suggestion, such as "no namespace 'sohp' is known; did
 * you mean 'shop'?". An empty result of such a filter proves nothing. */
struct unknown_words {
	struct buf text;
	bool mistaken; /* some name can only be a mistake: a cluster, a reference, or a kind that no server has */
};

/* Clusters, references and kinds. */
void unknown_words_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret);
/* Find unknown components and namespaces, which may be new, or have no findings. Call this when no finding passes
 * the filter: it looks at all objects for a namespace. */
void unknown_places_find(const struct metrics_view *view, const struct finding_filter *f, struct unknown_words *ret);

/* ---- words_doc.c: for who completes a command line ---- */

struct word_query {
	const char *of; /* "cluster", "reference", "namespace", "kind", "resource", "name", "id", "cause", ... */
	str beginning;  /* what the words begin with; may be empty */
	bool objects;   /* among all watched objects, instead of open findings */
	struct finding_filter filter;
};

struct words;

/* Begin to search for words; the texts of @q are borrowed. Fails: EINVAL (there are no such words), ENOMEM. */
CHECKED int words_new(const struct metrics_view *view, const struct word_query *q, struct words **ret, struct err *err);
void words_free(struct words *w);
/* Search until about @until_ns (uv_hrtime). True: there is more to do. */
bool words_look(struct words *w, uint64_t until_ns);
/* A WordList: each word once, in order, the first of them and the last one when there are many. Fails: ENOMEM. */
CHECKED int words_doc(const struct words *w, struct buf *out, struct err *err);

#endif
