/* What the API server says, put into the snapshot and the queue. */
#include "daemon/watch/cluster_internal.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"

/* What can be known of templates follows from what can be watched. */
static void update_unknown(struct cluster *c)
{
	for (size_t i = 0; i < c->n_judges; i++) {
		struct reference_judge *f = &c->judges[i];
		const struct reference *r = f->reference->reference;

		for (size_t t = 0; t < r->n_templates; t++) {
			const struct identity *id = &r->templates[t]->identity;
			const struct kind *k = snapshot_find_kind(&c->snapshot, id->api_version, id->kind);
			const struct cluster_watch *w = k ? cluster_watch_of(c, k) : NULL;

			f->unknown[t] = !w || (!w->synced && !w->missing);
		}
		f->components_due = true;
	}
	c->context.wake(c->context.ctx);
}

bool cluster_watch_settled(const struct cluster_watch *w)
{
	return !w->watch || w->synced || w->missing || w->failing_since_ns;
}

bool cluster_all_settled(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		if (!cluster_watch_settled(&c->watches[i]))
			return false;
	}
	return true;
}

static void check_settled(struct cluster *c)
{
	if (!c->settled && cluster_all_settled(c))
		c->settled = true;
	update_unknown(c);
}

/* ---- events of a watch ---- */

static struct object *store(struct cluster *c, struct kind *k, const struct kc_object *e)
{
	struct object *o = snapshot_add(&c->snapshot, k, e->key);

	if (!o)
		return NULL;
	if (!o->judged)
		o->judged = calloc(c->n_judges + 1, sizeof(*o->judged));
	if (!o->judged) {
		snapshot_remove(&c->snapshot, o);
		return NULL;
	}
	/* Of several changes that wait together, the first has the old state. */
	if (o->received_ns)
		doc_unref(TAKE(o->doc));
	if (o->doc) {
		doc_unref(o->previous);
		o->previous = TAKE(o->doc);
	}
	o->doc = doc_ref(e->doc);
	free(o->managed_fields);
	o->managed_fields = str_dup(e->managed_fields);
	o->managed_fields_n = o->managed_fields ? e->managed_fields.n : 0;
	if (!o->received_ns)
		o->received_ns = e->received_ns;
	return o;
}

static void forget(struct cluster *c, struct object *o, uint64_t received_ns)
{
	struct judge_context j = cluster_judge_context(c);

	for (size_t i = 0; i < c->n_judges; i++)
		reference_judge_dependents(&c->judges[i], o, cluster_enqueue_again, c);
	for (size_t i = 0; i < c->n_judges; i++)
		reference_judge_forget(&c->judges[i], o, &j);
	rule_judge_forget(c->rules, o);
	cluster_dequeue(c, o);
	snapshot_remove(&c->snapshot, o);
	c->component_cause_ns = received_ns;
	c->context.wake(c->context.ctx);
}

static void keep(struct cluster_watch *w, const struct kc_object *e)
{
	struct cluster *c = w->cluster;
	struct object *o = snapshot_find(w->kind, e->key);

	if (e->event == KC_DELETED) {
		if (o)
			forget(c, o, e->received_ns);
		return;
	}
	if (e->unchanged && o)
		return;
	o = store(c, w->kind, e);
	if (!o) {
		record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, kc_watch_resource(w->watch),
			      "out of memory: an object could not be stored");
		return;
	}
	for (size_t i = 0; i < c->n_judges; i++)
		reference_judge_dependents(&c->judges[i], o, cluster_enqueue_again, c);
	cluster_enqueue(c, o);
}

/* A definition may bring rules, and a kind that was missing. */
static void define(struct cluster *c, const struct kc_object *e)
{
	if (e->event == KC_DELETED)
		rule_judge_definition_gone(c->rules, e->name);
	else if (!e->unchanged)
		rule_judge_definition(c->rules, e->doc);
	kc_client_rediscover(c->client);
}

static void on_object(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;

	if (w->defines)
		define(w->cluster, e);
	if (w->kept)
		keep(w, e);
}

static void on_synced(void *ctx, enum kc_list_reason reason, size_t count)
{
	struct cluster_watch *w = ctx;

	(void)reason;
	(void)count;
	w->synced = true;
	w->missing = false;
	w->last_sync = clock_seconds();
	cluster_watch_works(w->cluster, w);
	if (w->defines)
		rule_judge_definitions_known(w->cluster->rules);
	check_settled(w->cluster);
}

/* Nobody can create objects of a kind that the server does not know: those we knew are gone. */
static void kind_vanished(struct cluster *c, struct kind *k)
{
	const struct strmap_entry *e;
	size_t at;

	for (at = 0; (e = strmap_each(&k->objects, &at)); at = 0)
		forget(c, e->value, 0);
}

static void on_missing(struct cluster *c, struct cluster_watch *w)
{
	struct err err;

	w->missing = true;
	w->synced = false;
	cluster_watch_works(c, w);
	kind_vanished(c, w->kind);
	if (cluster_begin_watch(c, c->definitions, &err) < 0)
		record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, NULL, err.msg);
}

static void on_failing(struct cluster_watch *w, bool forbidden, const struct err *why)
{
	if (!w->failing_since_ns)
		w->failing_since_ns = uv_hrtime();
	w->forbidden = forbidden;
	w->missing = false;
	w->why = why ? *why : (struct err){ 0 };
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster_watch *w = ctx;
	struct cluster *c = w->cluster;

	snapshot_name_kind(&c->snapshot, w->kind, str_from(kc_watch_resource(w->watch)));
	switch (state) {
	case KC_WATCHING:
		cluster_watch_works(c, w);
		return;
	case KC_MISSING:
		on_missing(c, w);
		break;
	case KC_BACKOFF:
	case KC_FORBIDDEN:
		on_failing(w, state == KC_FORBIDDEN, why);
		break;
	default:
		return;
	}
	check_settled(c);
}

const struct kc_handler cluster_handler = { .object = on_object, .synced = on_synced, .state = on_state };
