/* The collection of a watch: its names, as the owner gives them and as discovery knows them, and its URL. */
#ifndef KUBECLIENT_KC_COLLECTION_H
#define KUBECLIENT_KC_COLLECTION_H

#include "base/buf.h"
#include "kubeclient/kc_resource.h"
#include "kubeclient/kc_watch.h"

struct kc_collection {
	char *api_version, *kind;
	char *namespace, *name, *label_selector,
		*field_selector;     /* NULL: not restricted; the name is a field selector too */
	char *shown;                 /* such as "deployments.apps"; a guess until discovery knows it */
	struct kc_resource resource; /* a copy; without a kind: discovery does not know it */
};

/* Copies. Fails: EINVAL (no apiVersion, no kind), ENOMEM; there is nothing to release then. */
CHECKED int kc_collection_init(struct kc_collection *c, const struct kc_watch_spec *spec, struct err *err);
void kc_collection_done(struct kc_collection *c);

/* Discovery knows the kind as @r, which is copied. Fails: ENOMEM, and all is as before. */
CHECKED int kc_collection_found(struct kc_collection *c, const struct kc_resource *r, struct err *err);
/* Discovery does not know the kind any more; @shown stays. */
void kc_collection_lost(struct kc_collection *c);

/* Append the path, and later the selectors as the end of its query. To be called when the kind is known. */
void kc_collection_path(const struct kc_collection *c, struct buf *b);
void kc_collection_selectors(const struct kc_collection *c, struct buf *b);

#endif
