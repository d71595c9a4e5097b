/* What a watch says, to where it is dealt with. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"

/* A definition may bring rules, and a kind that was missing. */
static void define(struct cluster *c, const struct kc_object *e)
{
	if (e->event == KC_DELETED)
		rule_judge_definition_gone(c->rules, e->name);
	else
		rule_judge_definition(c->rules, e->doc); /* which compares the schema */
	c->source->does->rediscover(c->source);
}

static void on_object(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	if (w->of->defines)
		define(w->of->cluster, e);
	if (w->of->kept)
		cluster_arrive(w, e);
}

static bool on_unseen(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	return w->of->kept && !w->of->defines && cluster_passes_unseen(w, e);
}

static bool on_unneeded(void *ctx, const struct kc_object *e)
{
	const struct cluster_watch *w = ctx;

	return !w->of->defines && cluster_passes_unneeded(w, e);
}

static void on_synced(void *ctx, enum kc_list_reason reason, size_t count)
{
	struct cluster_watch *w = ctx;

	(void)reason;
	(void)count;
	awake_look(w->of->cluster->context.awake);
	w->listed = true;
	w->absent = false;
	w->listing_since_ns = 0;
	w->last_sync = clock_seconds();
	cluster_watch_caught_up(w);
	cluster_watch_works(w);
	rule_judge_kind_listed(w->of->cluster->rules, w->of->kind);
	if (w->of->defines)
		rule_judge_definitions_known(w->of->cluster->rules);
	cluster_kind_changed(w->of);
}

static void on_failing(struct cluster_watch *w, bool forbidden, const struct err *why)
{
	if (!w->failing_since_ns)
		w->failing_since_ns = clock_ns();
	ASSERT(why && *why->msg);
	w->forbidden = forbidden;
	w->why = *why;
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	snapshot_name_kind(&w->of->cluster->snapshot, w->of->kind, str_from(cluster_watch_resource(w)));
	if (state != KC_WATCHING)
		cluster_watch_stops(w);
	switch (state) {
	case KC_WATCHING:
		cluster_watch_resumes(w);
		cluster_watch_works(w);
		return;
	case KC_ABSENT:
		cluster_watch_caught_up(w); /* there is nothing to see */
		w->absent = true;
		w->listed = false;
		w->listing_since_ns = 0;
		cluster_watch_works(w);
		break;
	case KC_BACKOFF:
	case KC_FORBIDDEN:
		on_failing(w, state == KC_FORBIDDEN, why);
		return;
	case KC_LISTING:
		w->listing_since_ns = clock_ns();
		w->absent = false; /* there is such a kind after all */
		break;
	default:
		return;
	}
	cluster_kind_changed(w->of);
}

static void on_access(void *ctx, unsigned denied)
{
	cluster_watch_denied(ctx, denied);
}

const struct kc_handler cluster_handler = {
	.object = on_object,
	.synced = on_synced,
	.state = on_state,
	.access = on_access,
	.prepare = &cluster_prepare,
	.unseen = on_unseen,
	.unneeded = on_unneeded,
};
