/* The Helm releases of references, each with its state and its open findings. */
#ifndef DAEMON_VIEW_RELEASES_LIST_H
#define DAEMON_VIEW_RELEASES_LIST_H

#include "base/vec.h"
#include "daemon/serve/metrics.h"
#include "daemon/watch/releases/release_book.h"

/* Texts; empty: any. */
struct release_filter {
	str cluster, namespace, name;
};

/* A release; valid until the loop goes on. */
struct release_item {
	const struct cluster *cluster;
	size_t judge; /* the index in cluster_judges() */
	const struct known_release *is;
	const struct ref_component *component; /* the manifests in force; NULL: none are */
	size_t objects;                        /* the number of objects that are compared with the release */
	/* open findings about the release and its objects, except accepted ones, by severity */
	size_t n_open, open[8];
};

/* Releases, sorted by cluster, reference and name. */
struct release_list {
	VEC(struct release_item) items;
	size_t n_references; /* references of releases in the clusters that pass */
	size_t n_unknown;    /* clusters with such references whose releases are unknown */
};

/* Fails: ENOMEM. */
CHECKED int release_list_make(const struct metrics_view *view, const struct release_filter *f, struct release_list *ret,
			      struct err *err);
void release_list_done(struct release_list *l);

/* The state of a release: "in force", "being changed" or "not in force". */
const char *release_state(const struct release_item *x);

/* The state of the object of a manifest: the name of a verdict, "missing", "held", or "unknown" if its kind is not
 * completely listed, or another process reports the object. */
const char *release_object_state(const struct release_item *x, const struct ref_template *t);

#endif
