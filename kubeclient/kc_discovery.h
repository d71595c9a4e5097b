/* Asks a server for its kinds: two requests if it offers aggregated discovery, else one for each group and version.
 * A group that fails keeps the kinds that were known of it, and does not stop the others. */
#ifndef KUBECLIENT_KC_DISCOVERY_H
#define KUBECLIENT_KC_DISCOVERY_H

#include "kubeclient/kc_http.h"
#include "kubeclient/kc_resources.h"

struct kc_discovery {
	struct kc_http *http;
	struct kc_resources *known; /* NULL before the first success */
	struct kc_resources *next;  /* being built; NULL: idle */
	TAILQ_HEAD(, kc_fetch) fetches;
	struct err error; /* the failure of /api or /apis in this round; code 0: none */
	uint64_t retry_after_ms;
	unsigned n_fetches; /* the number of fetches in this round */
	/* Whether this group and version has to be asked for, without aggregated discovery. NULL: all are. */
	bool (*wanted)(void *ctx, str api_version);
	/* The end of a round. @err is NULL when @known is new; parts of it may still be incomplete (kc_why_unknown). */
	void (*done)(void *ctx, const struct err *err);
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *message);
	void *ctx;
};

void kc_discovery_init(struct kc_discovery *d, struct kc_http *http);
void kc_discovery_done(struct kc_discovery *d); /* cancels a round without a callback */

/* End the round that is under way, if one is: groups that have not answered are incomplete for the reason @why, and
 * without /api or /apis the round has failed. Calls done. */
void kc_discovery_cut(struct kc_discovery *d, const struct err *why);

/* Start a round, unless one is under way. Fails: ENOMEM. */
CHECKED int kc_discovery_start(struct kc_discovery *d, struct err *err);

#endif
