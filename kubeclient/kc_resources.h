/* The kinds that a server offers, as discovery reports them. */
#ifndef KUBECLIENT_KC_RESOURCES_H
#define KUBECLIENT_KC_RESOURCES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "kubeclient/kc_resource.h"
#include "value/identity.h"

/* Limits: the kinds of one server, and the text of all their names. */
#define KC_RESOURCES_MAX 100000
#define KC_RESOURCES_BYTES ((size_t)64 << 20)

struct kc_resources {
	struct arena arena;
	VEC(const struct kc_resource *) list;
	struct strmap by_kind;          /* "apps/v1 Deployment" */
	struct strmap unknown_versions; /* "apps/v1" -> why its kinds are not all known, a text */
};

struct kc_resources *kc_resources_new(void);
void kc_resources_free(struct kc_resources *t);
DEFINE_CLEANUP(struct kc_resources *, kc_resources_free)

const struct kc_resource *kc_resources_find(const struct kc_resources *t, str api_version, str kind);

/* The kinds of this group and version are not all known, because of @why: what is not found proves nothing. Fails:
 * ENOMEM. */
CHECKED int kc_resources_mark_unknown(struct kc_resources *t, str api_version, str why, struct err *err);
/* Why a kind of @api_version that is not found may exist all the same; NULL: it does not. A group or version that the
 * server did not list has no kinds. */
const char *kc_resources_why_unknown(const struct kc_resources *t, str api_version);

/* Add what @from has for one group and version. Of equal groups, versions and kinds the first one stays, here and
 * below. Fails: ENOMEM, E2BIG. */
CHECKED int kc_resources_keep(struct kc_resources *t, const struct kc_resources *from, struct group_version gv,
			      struct err *err);

/* An APIGroupDiscoveryList. @failed is called for each group and version that the server marks as stale. */
CHECKED int kc_resources_add_aggregated(struct kc_resources *t, val list,
					int (*failed)(void *ctx, struct group_version gv, struct err *err), void *ctx,
					struct err *err);
/* An APIResourceList; @rank: of its version. */
CHECKED int kc_resources_add_list(struct kc_resources *t, val list, unsigned rank, struct err *err);

#endif
