/* The releases of Helm that references are about, each with how it stands and what is open of it. */
#ifndef DAEMON_VIEW_RELEASES_LIST_H
#define DAEMON_VIEW_RELEASES_LIST_H

#include "base/vec.h"
#include "daemon/serve/metrics.h"
#include "daemon/watch/releases/release_book.h"

/* Texts; empty: any. */
struct release_filter {
	str cluster, namespace, name;
};

/* What is valid until the loop goes on. */
struct release_item {
	const struct cluster *cluster;
	size_t judge; /* of cluster_judges() */
	const struct known_release *is;
	const struct ref_component *component; /* what is in force of it; NULL: nothing is */
	size_t objects;                        /* that are compared with it */
	size_t n_open, open[8]; /* findings of it and of its objects that are not accepted, by severity */
};

/* By cluster and reference, and then by name. */
struct release_list {
	VEC(struct release_item) items;
	size_t n_references; /* of releases, of the clusters that pass */
	size_t n_unknown;    /* clusters that have such, and whose releases are not known */
};

/* Fails: ENOMEM. */
CHECKED int release_list_make(const struct metrics_view *view, const struct release_filter *f, struct release_list *ret,
			      struct err *err);
void release_list_done(struct release_list *l);

/* "in force", "being changed" or "not in force". */
const char *release_state(const struct release_item *x);

/* What the object of a listing of its component is: a verdict's name, "missing", "held", or "unknown", where its kind
 * is not wholly listed, or another process reports the object. */
const char *release_object_state(const struct release_item *x, const struct ref_template *t);

#endif
