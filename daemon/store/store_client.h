/* Requests of the loop to the thread that owns the state database. The loop never waits: an answer comes on a later
 * turn. When the thread hangs, the answer is an error. */
#ifndef DAEMON_STORE_STORE_CLIENT_H
#define DAEMON_STORE_STORE_CLIENT_H

#include "daemon/store/database/database.h"
#include "daemon/store/writer.h"

#include <uv.h>

struct store_client;
struct store_request;
typedef void store_client_history_fn(void *ctx, struct finding_history *history, const struct err *err);
typedef void store_client_kept_fn(void *ctx, const struct err *err);

/* Fails: ENOMEM; what uv_async_init fails with. */
CHECKED int store_client_new(uv_loop_t *loop, struct writer *writer, struct store_client **ret, struct err *err);
/* No question is answered any more, and its handle on the loop ends. */
void store_client_close(struct store_client *d);
/* When the loop and the thread have ended; NULL is fine. */
void store_client_free(struct store_client *d);

/* Ask for the last record of the finding @id. done(ctx, history, err) is called once on another turn of the loop;
 * @history is the callee's; NULL: it cannot be read, for the reason *err. Fails: EBUSY (too many wait already), ENOMEM.
 */
CHECKED int store_client_ask(struct store_client *d, const char *id, store_client_history_fn *done, void *ctx,
			     struct store_request **ret, struct err *err);
/* Give up the question: done is not called. */
void store_client_forget(struct store_request *q);
/* Keep the accepted deviation @id as @json or, when that is {NULL, 0}, no longer. done(ctx, err) is called once: on
 * another turn of the loop, however long it takes, when the change is committed, or is not for the reason *err; or from
 * store_client_close, when that is not known. Fails: EBUSY (too many wait already), ENOMEM. */
CHECKED int store_client_keep_acceptance(struct store_client *d, const char *id, str json, store_client_kept_fn *done,
					 void *ctx, struct err *err);

/* Keep a user's inspection rule, one of them no longer, or all of them no longer. What is given is copied; done as
 * above, and its order as that of the calls. Fail: EBUSY, ENOMEM. */
CHECKED int store_client_put_rule(struct store_client *d, const struct kept_rule *rule, store_client_kept_fn *done,
				  void *ctx, struct err *err);
CHECKED int store_client_remove_rule(struct store_client *d, str uuid, store_client_kept_fn *done, void *ctx,
				     struct err *err);
CHECKED int store_client_clear_rules(struct store_client *d, store_client_kept_fn *done, void *ctx, struct err *err);

/* Called about once a second: fails the questions that have waited for too long. */
void store_client_tick(struct store_client *d);

#endif
