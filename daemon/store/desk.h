/* Questions and orders of the loop about what is kept, answered by the thread that owns it. The loop never waits: the
 * answer comes on another turn, or, when the thread hangs, that there is none. */
#ifndef DAEMON_STORE_DESK_H
#define DAEMON_STORE_DESK_H

#include "daemon/store/database/database.h"
#include "daemon/store/writer.h"

#include <uv.h>

struct desk;
struct desk_question;
typedef void desk_told_fn(void *ctx, struct told *told, const struct err *err);
typedef void desk_kept_fn(void *ctx, const struct err *err);

/* Fails: ENOMEM; what uv_async_init fails with. */
CHECKED int desk_new(uv_loop_t *loop, struct writer *writer, struct desk **ret, struct err *err);
/* No question is answered any more, and its handle on the loop ends. */
void desk_close(struct desk *d);
/* When the loop and the thread have ended; NULL is fine. */
void desk_free(struct desk *d);

/* What was told of the finding @id. done(ctx, told, err) is called once on another turn of the loop; @told is the
 * callee's; NULL: that cannot be read, for the reason *err. Fails: EBUSY
 * (too many wait already), ENOMEM. */
CHECKED int desk_ask(struct desk *d, const char *id, desk_told_fn *done, void *ctx, struct desk_question **ret,
		     struct err *err);
/* Nobody waits for it any more: done is not called. */
void desk_forget(struct desk_question *q);
/* Keep the accepted deviation @id as @json, or, when that is {NULL, 0}, no longer. done(ctx, err) is called once, on
 * another turn of the loop, however long it takes: it is committed, or it is not, for the reason *err; or from
 * desk_close, when nobody can say. Fails: EBUSY (too many wait already), ENOMEM. */
CHECKED int desk_keep_acceptance(struct desk *d, const char *id, str json, desk_kept_fn *done, void *ctx,
				 struct err *err);

/* Keep a user's inspection rule, one of them no longer, or all of them no longer. What is given is copied; done as
 * above, and its order as that of the calls. Fail: EBUSY, ENOMEM. */
CHECKED int desk_put_rule(struct desk *d, const struct kept_rule *rule, desk_kept_fn *done, void *ctx, struct err *err);
CHECKED int desk_remove_rule(struct desk *d, str uuid, desk_kept_fn *done, void *ctx, struct err *err);
CHECKED int desk_clear_rules(struct desk *d, desk_kept_fn *done, void *ctx, struct err *err);

/* Called about once a second: who has waited for too long is told so. */
void desk_tick(struct desk *d);

#endif
