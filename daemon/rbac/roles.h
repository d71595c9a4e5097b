/* The roles that an account needs to watch the collections of a plan, and no more. */
#ifndef DAEMON_RBAC_ROLES_H
#define DAEMON_RBAC_ROLES_H

#include "base/buf.h"
#include "daemon/watch/source/watch_plan.h"
#include "kubeclient/kc_resource.h"

struct role_options {
	const char *name;      /* the name of the account, the roles and the bindings */
	const char *namespace; /* the namespace of the account */
	bool per_namespace;    /* a Role where the namespace is fixed, instead of one ClusterRole for all */
	/* The server's resource for a kind, or NULL: then its plural is guessed, and the output says so. */
	const struct kc_resource *(*find)(void *ctx, str api_version, str kind);
	void *ctx;
};

/* Append the ServiceAccount, the roles and their bindings as YAML documents. One rule for each resource, in order, so
 * that equal plans give equal texts. Fails: ENOMEM. */
CHECKED int roles_print(const struct watch_plan *plan, const struct role_options *o, struct buf *out, struct err *err);

#endif
