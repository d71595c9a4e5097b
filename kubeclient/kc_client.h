/* A client of one cluster: discovery and any number of watches over one HTTP connection, on the caller's loop.
 *
 * Reads only. Not thread-safe: everything happens on the loop's thread, callbacks included; no callback runs inside
 * kc_watch_add or kc_client_new. The process ignores SIGPIPE. The client returns errors and reports what is worth a
 * record through the notice callback; it logs nothing. */
#ifndef KUBECLIENT_KC_CLIENT_H
#define KUBECLIENT_KC_CLIENT_H

#include "base/key.h"
#include "base/limits.h"
#include "kubeclient/kc_tuning.h"
#include "kubeclient/kc_watch.h"
#include "kubeclient/kubeconfig.h"

#include <uv.h>

struct kc_client;

struct kc_options {
	const struct kube_target *target; /* the client takes its own reference on target->config */
	const struct limits *limits;      /* copied: object_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;           /* the key table of this thread; outlives the client; may be NULL */
	const struct kc_tuning *tuning;   /* copied; NULL: KC_TUNING_DEFAULT */
	/* shared by all clients of the loop, and outlives them; NULL: the client has its own */
	struct kc_pace *pace;
	void (*notice)(void *ctx, const struct kc_notice *n); /* may be NULL; must not close the client */
	void *notice_ctx;
	/* A round of discovery has completed: kc_listable (kc_kinds.h) lists the kinds. May be NULL; otherwise old
	 * servers are asked for all their groups. The callback may add and remove watches, but must not close the
	 * client. */
	void (*discovered)(void *ctx);
	void *discovered_ctx;
};

/* Creates the client and starts discovery when the loop runs. Certificate and token files are read here once, so that a
 * wrong path is an error at start. Fails: EINVAL (URL, PEM), ENOENT and other codes of open(2), ENOMEM. */
CHECKED int kc_client_new(uv_loop_t *loop, const struct kc_options *o, struct kc_client **ret, struct err *err);

/* Ends all requests and watches without a further callback, closes every handle, frees the client, then calls @closed
 * (may be NULL) from the loop. Exactly once per client; not to be used afterwards. */
void kc_client_close(struct kc_client *c, void (*closed)(void *ctx), void *ctx);

const struct kc_counters *kc_client_counters(const struct kc_client *c);
/* True while the last request that reached an end got an answer from the server, whatever it said, and something was
 * heard of it within tuning->evidence_ms. */
bool kc_client_up(const struct kc_client *c);
/* The process did not run for a while, as on a suspended host, so that nothing known of any connection is evidence
 * any more. Test every watch at once, on a new connection. */
void kc_client_test_connections(struct kc_client *c);
const char *kc_client_server(const struct kc_client *c); /* the URL */

/* Start watching. A kind that discovery does not know is looked for again (state KC_ABSENT). The handler is copied.
 * *ret stays valid until kc_watch_remove or kc_client_close. Fails: EINVAL, ENOMEM. */
CHECKED int kc_watch_add(struct kc_client *c, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
			 struct kc_watch **ret, struct err *err);

/* The server was away and answers again: watches that wait after a failure try again soon, the rate
 * limit permitting. */
void kc_client_retry(struct kc_client *c);

/* Read token and certificate files again now. They are read when they change; this is for file systems that do not
 * report changes. */
void kc_client_reread(struct kc_client *c);

/* Ask discovery to refresh soon, for instance because a CustomResourceDefinition appeared. Cheap to call often. */
void kc_client_rediscover(struct kc_client *c);

bool kc_client_discovered(const struct kc_client *c); /* discovery has completed once */

/* List all objects of a kind once, running the client's loop until it is done or @timeout_ms (0: for ever) passed: for
 * one-shot commands, never from a callback. @object gets each with event KC_LISTED. Fails: ENOENT (kind not known),
 * ENOKEY, EACCES, ETIMEDOUT and transport errors; objects may have been reported before a failure. */
CHECKED int kc_list_all(struct kc_client *c, const struct kc_watch_spec *spec, uint64_t timeout_ms,
			void (*object)(void *ctx, const struct kc_object *o), void *ctx, struct err *err);

#endif
