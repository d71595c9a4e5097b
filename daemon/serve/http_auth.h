/* Checks users and passwords of a web listener. Hashing takes long on purpose: threads do it, two at a time, and
 * results are remembered for a while. */
#ifndef DAEMON_SERVE_HTTP_AUTH_H
#define DAEMON_SERVE_HTTP_AUTH_H

#include "config/web_config.h"

#include <uv.h>

struct http_auth;

enum http_verdict { HTTP_AUTH_WRONG, HTTP_AUTH_RIGHT, HTTP_AUTH_LATER };

/* Fails: ENOMEM; EIO (no random key). */
CHECKED int http_auth_new(uv_loop_t *loop, const struct web_config *w, struct http_auth **ret, struct err *err);
/* Free @a, also while checks are under way: those are dropped, and their done is not called. */
void http_auth_free(struct http_auth *a);

/* Check the password of @user. With HTTP_AUTH_LATER done(ctx, right) is called in another turn of the loop. A user
 * that does not exist takes as long as one that does. */
CHECKED enum http_verdict http_auth_check(struct http_auth *a, const char *user, const char *password,
					  void (*done)(void *ctx, bool right), void *ctx);

#endif
