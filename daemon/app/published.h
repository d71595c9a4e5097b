/* References that are published elsewhere and followed: which revision of each is in force.
 *
 *              driftd-fetch moves its link              no mistake             as many findings begin as may
 *   current  ------------------------------> checking ------------> rehearsed -------------------------------> current
 *      ^  ^                                     |                       |
 *      |  |                          mistakes   |                       | more, or the source was rewritten
 *      |  '--- another revision is fetched --- broken                   v
 *      '------------------ accept ----------------------------------- held
 *
 *   absent: nothing was fetched yet, or nothing that can be loaded; the first that can is in force at once.
 *   pinned: an administrator said which one is in force; what is fetched meanwhile is not looked at.
 *
 * The daemon only reads what driftd-fetch wrote, below its store (config/source_store.h), and asks for more by one file
 * in its own state folder (config/source_request.h). What is in force is written there too, before it is: after a kill
 * the next start has the same. */
#ifndef DAEMON_APP_PUBLISHED_H
#define DAEMON_APP_PUBLISHED_H

#include "daemon/serve/http.h"
#include "daemon/serve/source_state.h"

struct app;

/* Answers to POST /api/v1/references/{name}/update|accept|pin|unpin|rollback, for clients that may change things.
 * pin takes ?revision=, the beginning of an id or of the source's name for the revision; without the parameter it
 * pins the revision in force. rollback takes the same parameter; without it, it goes back to the revision that was
 * in force before. accept takes at least 12 digits of the id, and then accepts no other revision; without the
 * parameter it accepts whichever is held. Each answers with the reference as api_reference does, or with an error:
 * 404, there is no such reference; 409, the state of the reference does not allow this; 422, the revision cannot be
 * loaded. @ctx: the app. */
void published_update(void *ctx, const struct http_request *q, struct http_response *r);
void published_accept(void *ctx, const struct http_request *q, struct http_response *r);
void published_pin(void *ctx, const struct http_request *q, struct http_response *r);
void published_unpin(void *ctx, const struct http_request *q, struct http_response *r);
void published_roll_back(void *ctx, const struct http_request *q, struct http_response *r);

/* Fails: ENOMEM. */
CHECKED int published_open(struct app *app, struct err *err);
void published_free(struct app *app);
/* Follow the published references of the configuration in force. Fails: ENOMEM, then none is followed. */
CHECKED int published_configure(struct app *app, struct err *err);
/* Store the present choices as far as possible, so that a configuration which is read finds them. */
void published_keep(struct app *app);
/* Called about once a second. */
void published_tick(struct app *app);

/* The followed references; borrowed until the next turn of the loop. */
const struct source_state *published_views(const struct app *app, size_t *n);

#endif
