/* Inspection rules: which are in force, their effects, and requests to change them, one change after the other. */
#ifndef DAEMON_APP_INSPECTIONS_H
#define DAEMON_APP_INSPECTIONS_H

#include "daemon/serve/http.h"
#include "daemon/store/database/database.h"

struct app;
struct inspection_context;
struct made_item;

/* What the other parts call. It is a table because a build can leave inspection rules out. */
struct inspections_part {
	/* Read the built-in rules of the configuration; mistakes go to @problems. Fails: EINVAL (see @problems),
	 * ENOMEM. */
	int (*read)(struct app *app, struct problems *problems, struct err *err);
	/* Put the built-in rules in force, without any rule of users. Fails: ENOMEM. */
	int (*open)(struct app *app, struct err *err);
	/* Restore one rule of a user from the state database, for database_rules. @ctx: the app. Fails: EBADMSG,
	 * ENOMEM. */
	int (*restore)(void *ctx, const struct kept_rule *rule, struct err *err);
	/* Replace the rules of users by those among @items, which another host has, in their order; items of other
	 * kinds are ignored. If nothing differs, nothing is inspected again. Fails: ENOMEM; then some rules are
	 * missing. */
	int (*replace)(struct app *app, const struct made_item *items, size_t n, struct err *err);
	/* Allow effects from now on. Fails: ENOMEM, EIO. */
	int (*start)(struct app *app, struct err *err);
	/* Whether another host is responsible for effects, so that this one has none. */
	void (*follow)(struct app *app, bool follows);
	/* Allow no more effects; calls that are under way end. */
	void (*stop)(struct app *app);
	/* Begin the next change that waits; true while another one can begin at once. */
	bool (*go_on)(struct app *app);
	/* Free everything, after the loop and the writer have ended. */
	void (*close)(struct app *app);
	/* What the metrics show of inspections. */
	const struct inspection_context *(*context)(const struct app *app);
	/* Read which objects an earlier process had inspected; NULL without memory. */
	struct inspected *(*earlier)(str versions);
	const struct http_resource *resources;
};

extern const struct inspections_part inspections_part;

#endif
