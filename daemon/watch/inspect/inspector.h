/* What the inspections of one cluster's objects share: the rules, and who owns whom. */
#ifndef DAEMON_WATCH_INSPECTOR_H
#define DAEMON_WATCH_INSPECTOR_H

#include "daemon/inspection/effects.h"
#include "daemon/watch/snapshot/owners.h"
#include "daemon/watch/snapshot/watch_inspector.h"

struct inspector {
	struct watch_inspector base; /* must be the first member */
	struct watch_inspector_options of;
	struct inspection_context *context;
	uint64_t generation; /* the generation of the rules, as inspector_tick saw it */
	/* every object has to be inspected again, because the rules changed or the index of owners was lost */
	bool all_due;
	unsigned restless; /* ticks in a row at which the rules had changed */
	struct owners owners;
	bool owned;                          /* the index of owners is kept, and is complete */
	struct watch_inspector_reads *reads; /* what the rules of its edition read; NULL: it is not known yet */
};

/* *ret: the rules as they are now, valid until they change. The index of owners is made if they need it. Fails:
 * ENOMEM. */
CHECKED int inspector_rules(struct inspector *i, const struct insp_set **ret, struct err *err);

/* The functions of struct watch_inspector_ops. */
bool inspector_has_rules(const struct watch_inspector *base);
bool inspector_active(const struct watch_inspector *base);
bool inspector_reads_dependents(const struct watch_inspector *base);
struct watch_inspector_reads *inspector_reads(struct watch_inspector *base);
bool inspector_tick(struct watch_inspector *base);
void inspector_leaves(struct watch_inspector *base, struct object *o, void (*again)(void *ctx, struct object *owner),
		      void *ctx);
void inspector_comes(struct watch_inspector *base, struct object *o, void (*again)(void *ctx, struct object *owner),
		     void *ctx);
void inspector_keep(struct watch_inspector *base, const struct object *o, const struct cfg_reference *reference);
void inspector_forget(struct watch_inspector *base, const struct object *o, const struct cfg_reference *reference,
		      enum end_reason why);
void inspector_count_known(struct watch_inspector *base, uint64_t n);
void inspector_free(struct watch_inspector *base);

#endif
