/* Passes the events of watches to the files that handle them. */
#include "daemon/watch/cluster/cluster_internal.h"

/* Handle an event of a definition, which may bring rules, and a kind that was missing. */
static void define(struct cluster_kind *k, const struct kc_object *e)
{
	struct cluster *c = k->cluster;

	/* without memory, a later removal of the definition is not noticed */
	(void)!kc_key_store_take_in(&k->defined, e);
	if (e->event == KC_DELETED)
		rule_judge_definition_gone(c->rules, e->name);
	else
		/* the rule judge compares the schema, and does nothing when it is the same */
		rule_judge_definition(c->rules, e->doc);
	c->source->does->rediscover(c->source);
}

/* Whether the kind has a store of its own of which objects exist: definitions and Secrets of Helm must not be
 * missed. */
static bool has_store(const struct cluster_kind *k)
{
	return k->defines || k->releases;
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct cluster_watch *w = ctx;

	return has_store(w->of) ? kc_key_store_find(&w->of->defined, key, ret) : cluster_finds(w, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct cluster_watch *w = ctx;

	return has_store(w->of) ? kc_key_store_absent(&w->of->defined, list, ret, err)
				: cluster_list_absent(w, list, ret, err);
}

static void on_object(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	if (w->of->defines)
		define(w->of, e);
	if (w->of->releases)
		cluster_releases_arrive(w->of, e);
	if (w->of->kept)
		cluster_arrive(w, e);
}

static bool on_unseen(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	return w->of->kept && !has_store(w->of) && cluster_passes_unseen(w, e);
}

static bool on_unneeded(void *ctx, const struct kc_object *e)
{
	const struct cluster_watch *w = ctx;

	return !has_store(w->of) && cluster_passes_unneeded(w, e);
}

static void on_synced(void *ctx, enum kc_list_reason reason)
{
	struct cluster_watch *w = ctx;

	(void)reason;
	awake_look(w->of->cluster->context.awake);
	cluster_watch_listed(w);
	rule_judge_kind_listed(w->of->cluster->rules, w->of->kind);
	if (w->of->defines)
		rule_judge_definitions_known(w->of->cluster->rules);
	cluster_kind_changed(w->of);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster_watch *w = ctx;

	awake_look(w->of->cluster->context.awake);
	snapshot_name_kind(&w->of->cluster->snapshot, w->of->kind, str_from(cluster_watch_resource(w)));
	if (state != KC_WATCHING)
		cluster_watch_stops(w);
	w->lacking = state == KC_WAITING && why;
	switch (state) {
	case KC_WAITING:
		if (w->lacking)
			cluster_kinds_changed(w->of->cluster);
		return;
	case KC_WATCHING:
		cluster_watch_resumes(w);
		cluster_watch_works(w);
		return;
	case KC_ABSENT:
		kc_key_store_done(&w->of->defined);
		cluster_watch_absent(w);
		break;
	case KC_BACKOFF:
	case KC_FORBIDDEN:
		cluster_watch_failed(w, state == KC_FORBIDDEN, why);
		return;
	case KC_LISTING:
		cluster_watch_lists(w);
		break;
	}
	cluster_kind_changed(w->of);
}

static void on_access(void *ctx, unsigned denied)
{
	cluster_watch_denied(ctx, denied);
}

const struct kc_handler cluster_handler = {
	.object = on_object,
	.find = on_find,
	.absent = on_absent,
	.synced = on_synced,
	.state = on_state,
	.access = on_access,
	.prepare = &cluster_prepare,
	.unseen = on_unseen,
	.unneeded = on_unneeded,
};
