/* Asks a server whether the account may list and watch a collection, by SelfSubjectAccessReviews.
 *
 * A server that streams lists checks the right to list only when it is needed, perhaps hours later, and each server
 * words a 403 differently. The reviews wait behind all other requests. A server that does not answer them leaves the
 * question open. */
#ifndef KUBECLIENT_KC_ACCESS_H
#define KUBECLIENT_KC_ACCESS_H

#include "kubeclient/kc_call.h"
#include "kubeclient/kc_collection.h"

/* One question. The owner sets the first part and keeps what it points to. */
struct kc_access {
	const struct kc_collection *what;
	/* The server was asked for both verbs. @denied has the bits 1u << KC_LIST and 1u << KC_WATCH. @offered is false
	 * when the server does not answer reviews. */
	void (*done)(void *ctx, unsigned denied, bool offered);
	void *ctx;

	struct kc_call call;
	enum kc_verb verb; /* the verb that the decision is about */
	unsigned denied;   /* the number of verbs that are denied so far */
	bool answered;     /* every verb that was asked for so far got a yes or a no */
};

void kc_access_init(struct kc_access *a, struct kc_http *http); /* the second part */
/* Ask, unless a question is under way; no callback runs in here. Discovery must know the kind. False without memory:
 * then nothing happens. */
CHECKED bool kc_access_ask(struct kc_access *a);
/* End it without a callback. */
void kc_access_stop(struct kc_access *a);

#endif
