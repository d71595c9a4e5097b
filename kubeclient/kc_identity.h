/* Who an object is: as its document says, or read from JSON that cannot be decoded: too deep, too large, a key that no
 * object may have, or only its beginning. */
#ifndef KUBECLIENT_KC_IDENTITY_H
#define KUBECLIENT_KC_IDENTITY_H

#include "base/err.h"
#include "value/val.h"

/* Empty: not found. */
struct kc_identity {
	str namespace, name, uid, resource_version;
};

/* What stands in metadata of @object; the texts are its own. Fails with EBADMSG where no API server's object can be so:
 * without a name, or with a NUL in what it is known by. */
CHECKED int kc_identity_of(val object, struct kc_identity *ret, struct err *err);
bool kc_identity_holds_nul(const struct kc_identity *id); /* but for the version, which is opaque */

/* What stands in metadata of the object at the start of @text, as far as it goes, in pieces of the text. Names of
 * Kubernetes hold no escapes: a text that does is not taken for one. False without a name. */
bool kc_identity_scan(str text, struct kc_identity *ret);

/* As kc_identity_scan, for an object that is probably complete, but reads no further than the name, the uid and the
 * resourceVersion: what follows them may say otherwise. */
bool kc_identity_glance(str text, struct kc_identity *ret);

/* Whether the object at the start of @text may be of this type: by its apiVersion and kind, as far as they stand before
 * all else, where every API server writes them. Items of a list may have neither. */
bool kc_identity_may_be(str text, str api_version, str kind);

#endif
