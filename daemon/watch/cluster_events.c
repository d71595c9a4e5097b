/* What the API server says, put into the snapshot and the queue. */
#include "daemon/watch/cluster_internal.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"

/* What can be known of templates follows from what can be watched. */
static void update_unknown(struct cluster *c)
{
	for (size_t i = 0; i < c->n_followers; i++) {
		struct follower *f = &c->followers[i];
		const struct reference *r = f->reference->reference;

		for (size_t t = 0; t < r->n_templates; t++) {
			const struct ref_identity *id = &r->templates[t]->identity;
			const struct kind *k = snapshot_kind(&c->snapshot, id->api_version, id->kind);
			const struct cluster_watch *w = k ? cluster_watch_of(c, k) : NULL;

			f->unknown[t] = !w || (!w->synced && !w->missing);
		}
		f->components_due = true;
	}
	c->context.wake(c->context.ctx);
}

bool cluster_all_settled(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		const struct cluster_watch *w = &c->watches[i];

		if (!w->synced && !w->missing && !w->failing_since_ns)
			return false;
	}
	return !c->crds_needed || c->crds.synced || c->crds.missing || c->crds.failing_since_ns;
}

void cluster_check_settled(struct cluster *c)
{
	if (!c->settled && cluster_all_settled(c))
		c->settled = true;
	update_unknown(c);
}

/* ---- events of a watch ---- */

static struct object *store(struct cluster *c, struct kind *k, const struct kc_object *e)
{
	struct object *o = snapshot_add(&c->snapshot, k, e->namespace, e->name);

	if (!o)
		return NULL;
	if (!o->judged)
		o->judged = calloc(c->n_followers + 1, sizeof(*o->judged));
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

	for (size_t i = 0; i < c->n_followers; i++)
		follower_dependents(&c->followers[i], o, cluster_enqueue_again, c);
	for (size_t i = 0; i < c->n_followers; i++)
		follower_forget(&c->followers[i], o, &j);
	validator_forget(c->validator, o);
	cluster_dequeue(c, o);
	snapshot_remove(&c->snapshot, o);
	c->component_cause_ns = received_ns;
	c->context.wake(c->context.ctx);
}

static void on_object(void *ctx, const struct kc_object *e)
{
	struct cluster_watch *w = ctx;
	struct cluster *c = w->cluster;
	struct object *o;

	if (e->event == KC_DELETED) {
		o = snapshot_find(w->kind, e->namespace, e->name);
		if (o)
			forget(c, o, e->received_ns);
		return;
	}
	o = snapshot_find(w->kind, e->namespace, e->name);
	if (e->unchanged && o)
		return;
	o = store(c, w->kind, e);
	if (!o) {
		record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, kc_watch_resource(w->watch),
			      "out of memory: an object could not be stored");
		return;
	}
	for (size_t i = 0; i < c->n_followers; i++)
		follower_dependents(&c->followers[i], o, cluster_enqueue_again, c);
	cluster_enqueue(c, o);
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
	cluster_check_settled(w->cluster);
}

/* ---- CRDs ---- */

static void on_crd(void *ctx, const struct kc_object *e)
{
	struct cluster *c = ctx;

	if (e->event == KC_DELETED)
		validator_crd_gone(c->validator, e->name);
	else if (!e->unchanged)
		validator_crd(c->validator, e->doc);
	kc_client_rediscover(c->client);
}

static void on_crds_synced(void *ctx, enum kc_list_reason reason, size_t count)
{
	struct cluster *c = ctx;

	(void)reason;
	(void)count;
	c->crds.synced = true;
	cluster_watch_works(c, &c->crds);
	validator_crds_known(c->validator, true);
	cluster_check_settled(c);
}

static void on_crds_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster *c = ctx;
	struct cluster_watch *w = &c->crds;

	if (state == KC_WATCHING) {
		cluster_watch_works(c, w);
		return;
	}
	if (state == KC_MISSING) {
		w->missing = true;
	} else if (state == KC_BACKOFF || state == KC_FORBIDDEN) {
		if (!w->failing_since_ns)
			w->failing_since_ns = uv_hrtime();
		w->forbidden = state == KC_FORBIDDEN;
		w->why = why ? *why : (struct err){ 0 };
	} else {
		return;
	}
	cluster_check_settled(c);
}

void cluster_watch_crds(struct cluster *c)
{
	struct kc_watch_spec spec = { .api_version = "apiextensions.k8s.io/v1", .kind = "CustomResourceDefinition" };
	struct kc_handler handler = { .object = on_crd, .synced = on_crds_synced, .state = on_crds_state };
	struct err err;

	if (!c->crds.watch && kc_watch_add(c->client, &spec, &handler, c, &c->crds.watch, &err) < 0)
		c->crds.watch = NULL; /* discovery is polled as well */
	c->crds_needed = c->crds_needed && c->crds.watch;
}

/* Nobody can create objects of a kind that the server does not know: those we knew are gone. */
static void kind_vanished(struct cluster *c, struct kind *k)
{
	const struct strmap_entry *e;
	size_t at;

	for (at = 0; (e = strmap_each(&k->objects, &at)); at = 0)
		forget(c, e->value, 0);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster_watch *w = ctx;
	struct cluster *c = w->cluster;

	switch (state) {
	case KC_WATCHING:
		cluster_watch_works(c, w);
		return;
	case KC_MISSING:
		w->missing = true;
		w->synced = false;
		cluster_watch_works(c, w);
		kind_vanished(c, w->kind);
		cluster_watch_crds(c);
		break;
	case KC_BACKOFF:
	case KC_FORBIDDEN:
		if (!w->failing_since_ns)
			w->failing_since_ns = uv_hrtime();
		w->forbidden = state == KC_FORBIDDEN;
		w->missing = false;
		w->why = why ? *why : (struct err){ 0 };
		break;
	default:
		return;
	}
	cluster_check_settled(c);
}

const struct kc_handler cluster_handler = { .object = on_object, .synced = on_synced, .state = on_state };
