/* Inspection rules: what is in force, its effects, and requests about them, one change after the other. */
#ifndef DAEMON_APP_INSPECTIONS_H
#define DAEMON_APP_INSPECTIONS_H

#include "daemon/inspection/rest.h"
#include "daemon/serve/http.h"
#include "daemon/store/database/database.h"

struct app;

/* The built-in rules, taken from @built_in; none of users yet. Fails: ENOMEM. */
CHECKED int inspections_open(struct app *app, struct insp_builtins *built_in, struct err *err);
/* One that is kept, for database_rules. @ctx: the app. Fails: EBADMSG, ENOMEM. */
CHECKED int inspections_restore(void *ctx, const struct kept_rule *rule, struct err *err);
/* Effects may happen from now on. Fails: ENOMEM, EIO. */
CHECKED int inspections_start(struct app *app, struct err *err);
/* And no calls any more: those that are under way end. */
void inspections_stop(struct app *app);
/* Requests about rules, and what is refused of them. @ctx: the app. */
void inspections_answer(void *ctx, const struct http_request *q, struct http_response *r);
void inspections_refuse(struct http_response *r, unsigned status, const char *why);
/* Begin the next change that waits; true while another one can begin at once. */
bool inspections_go_on(struct app *app);
/* When the loop and the writer have ended. */
void inspections_close(struct app *app);

#endif
