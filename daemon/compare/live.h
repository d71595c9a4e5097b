/* The objects of a live cluster for "driftd compare". */
#ifndef DAEMON_COMPARE_LIVE_H
#define DAEMON_COMPARE_LIVE_H

#include "daemon/compare/input.h"
#include "reference/ref.h"

struct compare_live;

/* Connect as the options and the kubeconfig say, and ask the cluster for its kinds.
 * Fails: as compare_target_init, kc_client_new and kc_discover. */
CHECKED int compare_live_open(const struct compare_options *o, const struct limits *limits, struct key_table *keys,
			      struct compare_live **ret, struct err *err);
void compare_live_close(struct compare_live *l);
DEFINE_CLEANUP(struct compare_live *, compare_live_close)

/* The groups and versions in which a cluster serves a kind. */
struct compare_kinds {
	VEC(struct compare_kind {
		char *group; /* "" for the core group */
		char *version;
	})
	v;
};

/* Those of @kind that can be listed, the core group first; none for a kind that the cluster does not know.
 * Fails: ENOMEM. Call compare_kinds_done in either case. */
CHECKED int compare_live_kinds(const struct compare_live *l, str kind, struct compare_kinds *ret, struct err *err);
void compare_kinds_done(struct compare_kinds *k);

/* List one kind into @in; @namespace may be empty. Fails: ENOENT when the cluster does not know the kind; what else
 * kc_list_all fails with. */
CHECKED int compare_live_list(struct compare_live *l, str api_version, str kind, str namespace,
			      struct compare_input *in, struct err *err);

/* The last request did not reach the server: neither will the next. */
bool compare_live_lost(const struct compare_live *l);

/* List every kind that @ref has templates for, in each version that the cluster serves, whatever version the templates
 * name: an object is correlated by its kind alone where a template does not fix more. Kinds that the cluster does not
 * know are warned about. A kind that the cluster refuses to list is a problem of @in, and the others are listed.
 * Fails: ENOENT when none is known; ENOKEY and transport errors; ENOMEM. */
CHECKED int compare_live_load(struct compare_live *l, const struct reference *ref, struct compare_input *in,
			      struct err *err);

#endif
