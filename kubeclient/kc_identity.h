/* Who an object is, read from JSON that cannot be decoded: too deep, too large, a key that no object may have, or only
 * its beginning. */
#ifndef KUBECLIENT_KC_IDENTITY_H
#define KUBECLIENT_KC_IDENTITY_H

#include "base/str.h"

/* Pieces of the text, as they stand there; empty: not found. Names of Kubernetes hold no escapes: a text that does is
 * not taken for one. */
struct kc_identity {
	str namespace, name, uid, resource_version;
};

/* What stands in metadata of the object at the start of @text, as far as it goes. False without a name. */
bool kc_identity_scan(str text, struct kc_identity *ret);

/* The same of an object that is likely whole, and no further than to the name, the uid and the resourceVersion: what
 * stands behind them may say otherwise. */
bool kc_identity_glance(str text, struct kc_identity *ret);

#endif
