/* What inspections of the objects of one cluster have in common: the rules, and who owns whom. */
#ifndef DAEMON_WATCH_INSPECTOR_H
#define DAEMON_WATCH_INSPECTOR_H

#include "compare/compare.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/inspection/effects.h"
#include "daemon/watch/snapshot/owners.h"

struct inspector {
	struct inspection_context *context; /* NULL: nothing is inspected */
	bool silent;                        /* there are no effects, and nothing is counted: it is a rehearsal */
	const struct cfg *cfg;
	const struct cfg_cluster *cluster;
	struct findings *findings;
	struct key_table *keys;
	const struct limits *limits;
	const struct snapshot *snapshot;
	uint64_t generation; /* of the rules, as inspector_tick saw it */
	bool all_due; /* all objects are to be inspected again: the rules have changed since, or what knows who must */
	unsigned restless; /* ticks in a row at which the rules had changed */
	struct owners owners;
	bool owned; /* owners is kept, and complete */
};

/* What @i holds but for its own state is the caller's to fill in. */
void inspector_init(struct inspector *i);
void inspector_done(struct inspector *i);

/* Rules are in force. */
bool inspector_has_rules(const struct inspector *i);
/* Or failures of some are open. */
bool inspector_active(const struct inspector *i);

/* Some of them read the dependents of an object. */
bool inspector_reads_dependents(const struct inspector *i);

/* The rules as they are now, with the index that they need; valid until they change. Fails: ENOMEM. */
CHECKED int inspector_rules(struct inspector *i, const struct insp_set **ret, struct err *err);

/* Called about once a second. True: what was made of the objects may be out of date, and the rules were left alone
 * since the last call, or change for ever. */
bool inspector_tick(struct inspector *i);

/* An object is about to become another, or to go; or it came, or is another now. @again is called for its owners whose
 * inspection looked at it. */
void inspector_leaves(struct inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner), void *ctx);
void inspector_comes(struct inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner), void *ctx);

/* It is not inspected now: what was said of it stays. @reference may be NULL. */
void inspector_keep(struct inspector *i, const struct object *o, const struct cfg_reference *reference);
/* It is gone, because of @why: what was said of it ends. */
void inspector_forget(struct inspector *i, const struct object *o, const struct cfg_reference *reference,
		      enum end_reason why);

#endif
