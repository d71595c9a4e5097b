/* What the API server says, put into the snapshot and the queue. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"

/* ---- events of a watch ---- */

/* Of several changes that wait together, the first has the old state; what could not be read is none. One that the
 * rules have seen waits for references only. */
static bool has_old_state(const struct object *o)
{
	return object_exists(o) && (!o->received_ns || o->ruled) && !o->unreadable;
}

/* Nobody saw it: it was only made. */
static struct object *unmake(struct cluster *c, struct object *o)
{
	if (!object_exists(o)) {
		snapshot_take(&c->snapshot, o);
		object_free(o);
	}
	return NULL;
}

/* Made if it is new; NULL: no memory. */
static struct object *need_object(struct cluster *c, struct kind *k, str key)
{
	struct object *o = snapshot_add(&c->snapshot, k, key);

	if (o && !o->judged)
		o->judged = calloc(c->n_judges ? c->n_judges : 1, sizeof(*o->judged));
	return o && !o->judged ? unmake(c, o) : o;
}

/* Something of it waits for its verdict. Of several changes, the first may have been missed, or some later one. */
static void note_event(struct object *o, const struct kc_object *e, bool missed)
{
	o->missed |= missed;
	o->several = o->received_ns;
	if (!o->received_ns)
		o->received_ns = e->received_ns;
}

static struct object *store(struct cluster *c, struct kind *k, const struct kc_object *e, bool missed)
{
	CLEANUP(freep) char *unreadable = e->unreadable ? strdup(e->unreadable) : NULL;
	struct object *o = e->unreadable && !unreadable ? NULL : need_object(c, k, e->key);
	struct keeper *keeper = &c->snapshot.keeper;
	struct keeping now;
	struct err err;

	if (!o)
		return NULL;
	if (keeper_make(e, &now, &err) < 0)
		return unmake(c, o);
	if (object_exists(o))
		cluster_inspect_before(c, o);
	if (has_old_state(o))
		keeper_turn(keeper, o);
	keeper_put(keeper, o, &now);
	free(o->unreadable);
	o->unreadable = TAKE(unreadable);
	o->ruled = o->foreseen = false;
	note_event(o, e, missed);
	return o;
}

/* A server that was set back to a backup gives a version again, for other contents. */
static bool is_same(struct cluster *c, struct object *o, const struct kc_object *e)
{
	bool same = false;
	struct err err;

	return keeper_same(&c->snapshot.keeper, o, e, &same, &err) == 0 && same;
}

/* Nothing but what the references saw of it counts, and they have judged it as it was. */
static bool is_settled(const struct cluster *c, const struct object *o)
{
	return c->settled && o->body && o->judged && !o->pending && !o->received_ns && !o->before && !o->unreadable &&
	       !o->retry && !c->inspected && !inspector_active(&c->inspector) && !rule_judge_looks_at(c->rules, o);
}

/* A change that no verdict sees is over when it is read: most updates of a cluster are such. False: it is to be judged,
 * or there was no memory. */
static bool renew_unseen(struct cluster *c, struct object *o, const struct kc_object *offered, enum object_event event)
{
	struct judge_context j = cluster_judge_context(c);
	struct kc_object as = *offered, *e = &as;
	struct err err;

	if (e->unreadable || !is_settled(c, o) || !str_eq(object_uid(o), e->uid))
		return false;
	for (size_t i = 0; i < c->n_judges; i++) {
		if (!reference_judge_stands(&c->judges[i], o, e, &j))
			return false;
	}
	if (keeper_renew(&c->snapshot.keeper, o, e, &err) < 0)
		return false;
	o->event = (uint8_t)event; /* for rules that come later */
	for (size_t i = 0; i < c->n_judges; i++)
		c->judges[i].counters.skipped_unchanged++;
	return true;
}

/* Who looked it up is judged again. */
static void changed(struct cluster *c, const struct object *o)
{
	for (size_t i = 0; i < c->n_judges; i++)
		reference_judge_changed(&c->judges[i], o);
	if (o->kind->looked_up)
		c->context.wake(c->context.ctx);
	keeper_trim(&c->snapshot.keeper);
}

static void tell_no_memory(struct cluster_kind *k)
{
	struct cluster *c = k->cluster;
	CLEANUP(freep) char *resource = str_dup(k->kind->resource);

	record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, resource,
		      "out of memory: an object could not be stored");
}

/* It is stored, and waits for its verdict. */
static void stored(struct cluster *c, struct object *o, enum object_event event)
{
	if (o->foreign)
		o->event = (uint8_t)event;
	else
		cluster_effects_due(c, o, event);
	cluster_inspect_after(c, o);
	cluster_enqueue(c, o);
	changed(c, o);
}

static void make_foreign(struct object *o, bool counts)
{
	o->kind->n_foreign += !o->foreign;
	o->foreign = true;
	o->counts |= counts; /* what was counted once is to be found out again */
}

/* Nobody is told of it here. */
static void keep_foreign(struct cluster_kind *k, const struct kc_object *e, bool missed, bool counts,
			 enum object_event event)
{
	struct cluster *c = k->cluster;
	struct object *o = store(c, k->kind, e, missed);

	if (!o) {
		tell_no_memory(k);
		return;
	}
	make_foreign(o, counts);
	if (!o->counts) {
		o->missed = false;
		o->received_ns = 0;
		keeper_settle(&c->snapshot.keeper, o, false);
	}
	stored(c, o, event);
}

/* @listed: a complete list was seen before. */
static void keep(struct cluster_kind *k, const struct kc_object *e, bool missed, bool listed)
{
	struct cluster *c = k->cluster;
	struct object *o = snapshot_find(k->kind, e->key);
	struct object_share share;
	enum object_event event;

	if (e->event == KC_DELETED) {
		if (!o)
			return;
		o->missed |= missed;
		if (!o->foreign)
			cluster_inspect_deleted(c, o, e->unreadable ? NULL : e->doc);
		cluster_bury(c, o, END_DELETED, e->received_ns);
		return;
	}
	share = cluster_share_of(c, k->kind, e);
	if (o && object_exists(o) && (!share.kept || share.foreign != o->foreign)) { /* another one in its place */
		cluster_bury(c, o, END_DELETED, e->received_ns);
		o = NULL;
	}
	if (!share.kept || (e->unchanged && o && is_same(c, o, e)))
		return;
	event = !listed ? OBJECT_SYNCED : o ? OBJECT_MODIFIED : OBJECT_ADDED;
	if (share.foreign) {
		keep_foreign(k, e, missed, share.counts, event);
		return;
	}
	if (o && renew_unseen(c, o, e, event)) {
		changed(c, o);
		return;
	}
	o = store(c, k->kind, e, missed);
	if (!o) {
		tell_no_memory(k);
		return;
	}
	cluster_foresee(c, o, e);
	stored(c, o, event);
}

/* What a thread saw of an object counts where it is new. False: it is as if nobody had looked at it. */
static bool keep_foreseen(struct cluster_kind *k, const struct kc_object *e, bool missed)
{
	struct cluster *c = k->cluster;
	struct object *o = snapshot_find(k->kind, e->key);
	struct object_share share;

	if (o || !(o = need_object(c, k->kind, e->key)))
		return false;
	share = cluster_share_of(c, k->kind, e);
	if (share.foreign)
		make_foreign(o, share.counts);
	if (!cluster_take_foresight(c, o, e))
		return false;
	note_event(o, e, missed);
	stored(c, o, OBJECT_SYNCED);
	return true;
}

static void keep_prepared(struct cluster_kind *k, const struct kc_object *e, bool missed, bool listed)
{
	const struct cluster_context *context = &k->cluster->context;
	const struct object_type type = { k->kind->api_version, k->kind->name };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct kc_object read = *e;
	struct object *o;
	struct err err;
	str ignored;

	if (!listed && keep_foreseen(k, e, missed))
		return;
	read.prepared = NULL;
	if (object_decode(e->text, context->limits, context->keys, &type, &d, &ignored, &err) == 0) {
		read.doc = d;
		keep(k, &read, missed, listed);
		return;
	}
	tell_no_memory(k); /* a thread could read it */
	o = snapshot_find(k->kind, e->key);
	if (o && !object_exists(o)) {
		cluster_release_object(k->cluster, o);
		(void)unmake(k->cluster, o);
	}
}

/* A change that is offered before it is decoded. */
static bool on_unseen(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;
	struct cluster *c = w->of->cluster;
	struct object *o;

	awake_look(c->context.awake);
	if (!w->of->kept || w->of->defines || !c->n_judges)
		return false;
	o = snapshot_find(w->of->kind, e->key);
	if (o && o->foreign)
		return cluster_counts_as_before(c, o, e);
	if (!o || !renew_unseen(c, o, e, w->listed ? OBJECT_MODIFIED : OBJECT_SYNCED))
		return false;
	changed(c, o);
	return true;
}

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
	if (w->of->kept && e->prepared)
		keep_prepared(w->of, e, cluster_watch_missed(w), w->listed);
	else if (w->of->kept)
		keep(w->of, e, cluster_watch_missed(w), w->listed);
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
	.unneeded = cluster_unneeded,
};
