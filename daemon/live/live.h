/* The objects of a live cluster for a command that ends. */
#ifndef DAEMON_LIVE_LIVE_H
#define DAEMON_LIVE_LIVE_H

#include "base/limits.h"
#include "base/problems.h"
#include "daemon/live/target.h"
#include "kubeclient/kc_kinds.h"
#include "value/doc.h"

struct live;

struct live_options {
	const struct live_flags *flags; /* outlive the connection, as do the others */
	const struct limits *limits;
	struct key_table *keys;
	bool progress; /* show progress of lists to a person who waits, on standard error */
	void (*warn)(const char *message);
};

/* Connect by the flags and the kubeconfig, and ask the cluster for its kinds. Fails: as live_target_init,
 * kc_client_new and kc_discover. */
CHECKED int live_open(const struct live_options *o, struct live **ret, struct err *err);
void live_close(struct live *l);
DEFINE_CLEANUP(struct live *, live_close)

/* The client, for kc_listable and kc_why_unknown. */
const struct kc_client *live_client(const struct live *l);

/* The groups and versions in which a cluster serves a kind. */
struct live_kinds {
	VEC(struct live_kind {
		char *group; /* "" for the core group */
		char *version;
		char *plural;
	})
	v;
};

/* Find the resources of @kind that can be listed, the core group first. None for a kind that the cluster does not know.
 * Fails: ENOMEM. Call live_kinds_done in either case. */
CHECKED int live_kinds(const struct live *l, str kind, struct live_kinds *ret, struct err *err);
void live_kinds_done(struct live_kinds *k);

/* Whether a cluster serves a kind. */
enum live_service {
	LIVE_SERVED,
	LIVE_ABSENT,
	LIVE_UNKNOWN, /* discovery could not list this group and version */
};

/* Whether the cluster serves the kind. *why is set for LIVE_UNKNOWN only, and lives as long as @l. */
enum live_service live_serves(const struct live *l, str api_version, str kind, const char **why);

/* The receiver of the objects of a list. */
struct live_sink {
	/* Takes a reference to @doc if it keeps @object. A negative result becomes that of the list. A list that has
	 * to start over gives objects again. */
	int (*object)(void *ctx, struct doc *doc, val object, struct err *err);
	void *ctx;
	struct problems *problems; /* objects that cannot be read; the others are listed nevertheless */
	bool managed_fields;       /* keep the objects' managed fields */
};

/* Objects of one kind: all of them, or those of a namespace, of a name, or that selectors choose. */
struct live_collection {
	str api_version, kind;
	str namespace, name;         /* empty: any */
	const char *labels, *fields; /* selectors as a server reads them; NULL: any */
};

/* List the objects of a collection. Objects listed before a failure stay with @to. Fails: ENOENT when the cluster
 * does not know the kind; EREMOTEIO when that is unknown; otherwise as kc_list_all and @to. */
CHECKED int live_list(struct live *l, const struct live_collection *what, const struct live_sink *to, struct err *err);

/* Whether the server, after a failure, does not answer at all, so that more requests are useless. */
bool live_lost(struct live *l);

#endif
