/* The identity of an object: from its document, or from JSON that cannot be decoded because it is too deep, too
 * large, has a key that no object may have, or is only a beginning. */
#ifndef KUBECLIENT_KC_IDENTITY_H
#define KUBECLIENT_KC_IDENTITY_H

#include "base/err.h"
#include "value/val.h"

/* Empty: not found. */
struct kc_identity {
	str namespace, name, uid, resource_version;
};

/* The identity in metadata of @object, whose texts it borrows. Fails with EBADMSG if no API server can have such an
 * object: it has no name, or a NUL in its identity. */
CHECKED int kc_identity_of(val object, struct kc_identity *ret, struct err *err);
bool kc_identity_holds_nul(const struct kc_identity *id); /* but for the version, which is opaque */

/* Read the identity from the object at the start of @text, as far as the text goes; it points into the text. Names
 * of Kubernetes have no escapes: a text with escapes counts as no name. False without a name. */
bool kc_identity_scan(str text, struct kc_identity *ret);

/* As kc_identity_scan, for an object that is probably complete, but reads no further than the name, the uid and the
 * resourceVersion: what follows them may say otherwise. */
bool kc_identity_glance(str text, struct kc_identity *ret);

/* Whether the object at the start of @text may be of this type, judged by its apiVersion and kind if these come
 * first, where every API server writes them. Items of a list may have neither. */
bool kc_identity_may_be(str text, str api_version, str kind);

#endif
