/* Whether the account may list and watch a collection, asked of the server: SelfSubjectAccessReviews.
 *
 * A server that streams lists does not check the right to list until it is needed, hours later; and the text of a 403
 * is worded by each server. The reviews are asked behind all other requests. A server that does not answer them says
 * nothing. */
#ifndef KUBECLIENT_KC_ACCESS_H
#define KUBECLIENT_KC_ACCESS_H

#include "kubeclient/kc_call.h"
#include "kubeclient/kc_collection.h"

/* The owner fills the first part and keeps what it points to. */
struct kc_access {
	const struct kc_collection *what;
	/* The server was asked for both verbs. @denied has the bits 1u << KC_LIST and 1u << KC_WATCH. @offered is false
	 * when the server does not answer reviews. */
	void (*done)(void *ctx, unsigned denied, bool offered);
	void *ctx;

	struct kc_call call;
	enum kc_verb verb; /* that it is about */
	unsigned denied;   /* so far */
	bool answered;     /* all that was asked so far, with yes or no */
};

void kc_access_init(struct kc_access *a, struct kc_http *http); /* the second part */
/* Ask, unless that is under way; no callback runs in here. The kind must be known. False without memory: then nothing
 * happens. */
CHECKED bool kc_access_ask(struct kc_access *a);
/* End it without a callback. */
void kc_access_stop(struct kc_access *a);

#endif
