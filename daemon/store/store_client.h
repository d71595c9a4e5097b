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

/* Make a client. Fails: ENOMEM; as uv_async_init. */
CHECKED int store_client_new(uv_loop_t *loop, struct writer *writer, struct store_client **ret, struct err *err);
/* Stop answering, and close the handle on the loop. */
void store_client_close(struct store_client *d);
/* Free the client after the loop and the thread have ended; NULL is fine. */
void store_client_free(struct store_client *d);

/* Ask for the last record of the finding @id. done(ctx, history, err) is called once in another turn of the loop;
 * @history then belongs to the callee; NULL: it cannot be read, for the reason *err. Fails: EBUSY (too many requests
 * wait), ENOMEM. */
CHECKED int store_client_ask(struct store_client *d, const char *id, store_client_history_fn *done, void *ctx,
			     struct store_request **ret, struct err *err);
/* Give up the question: done is not called. */
void store_client_forget(struct store_request *q);
/* Store the acceptance @id as @json or, if that is {NULL, 0}, remove it. done(ctx, err) is called once in another
 * turn of the loop, however long that takes, when the change is committed or has failed for the reason *err; or by
 * store_client_close, when the outcome is unknown. Fails: EBUSY (too many requests wait), ENOMEM. */
CHECKED int store_client_keep_acceptance(struct store_client *d, const char *id, str json, store_client_kept_fn *done,
					 void *ctx, struct err *err);

/* Store an inspection rule of a user, remove one, or remove all. Arguments are copied; done() is called as for
 * store_client_keep_acceptance, in the order of the requests. Fail: EBUSY, ENOMEM. */
CHECKED int store_client_put_rule(struct store_client *d, const struct kept_rule *rule, store_client_kept_fn *done,
				  void *ctx, struct err *err);
CHECKED int store_client_remove_rule(struct store_client *d, str uuid, store_client_kept_fn *done, void *ctx,
				     struct err *err);
CHECKED int store_client_clear_rules(struct store_client *d, store_client_kept_fn *done, void *ctx, struct err *err);

/* Called about once a second: fails the questions that have waited for too long. */
void store_client_tick(struct store_client *d);

#endif
