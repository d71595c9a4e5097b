/* "driftd compare --helm": the manifests that Helm keeps of its releases, as a reference. */
#ifndef DAEMON_COMPARE_HELM_H
#define DAEMON_COMPARE_HELM_H

#include "daemon/compare/manifests.h"
#include "daemon/live/live.h"
#include "release/helm_release.h"

/* The releases that were seen and that the options ask for. */
struct compare_helm {
	const struct limits *limits;
	struct key_table *keys;
	str namespace;                  /* the only namespace, also of names without one; empty: any */
	const struct string_list *only; /* NAMESPACE/RELEASE or RELEASE; empty: all */
	enum helm_driver driver;
	struct arena text;
	struct strmap names; /* NAMESPACE/RELEASE -> 1 + its index */
	VEC(struct helm_known) releases;
	size_t n_strange; /* objects with the type or the label of Helm that are no revisions */
};

/* Read the options. Fails: EINVAL. compare_helm_done is due in any case. */
CHECKED int compare_helm_init(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			      struct compare_helm *ret, struct err *err);
void compare_helm_done(struct compare_helm *h);

/* Look for revisions among the objects of @in, which outlives it. Fails: ENOMEM. */
CHECKED int compare_helm_find(struct compare_helm *h, const struct compare_input *in, struct err *err);
/* List the revisions of the cluster. What cannot be read is a problem of @in. Fails: as live_list. */
CHECKED int compare_helm_list(struct compare_helm *h, struct live *l, struct compare_input *in, struct err *err);

/* Add a group to @m for each release: the manifest of its newest deployed revision. Releases without a deployed
 * revision, and those whose newest revision is another one, are warned about; a release that cannot be read is a
 * problem of @in. Fails: ENOENT when nothing is deployed, or not what the options ask for; ENOMEM. */
CHECKED int compare_helm_open(struct compare_helm *h, struct compare_manifests *m, struct compare_input *in,
			      struct err *err);

#endif
