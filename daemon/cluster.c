#include "cluster.h"

#include "config/rule_file.h"
#include "record_notice.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>
#include <time.h>

#ifndef DRIFTD_VERSION
#error "DRIFTD_VERSION comes from CMake"
#endif

/* A watch that fails for less is no gap: watching resumes where it stopped. */
#define GAP_GRACE_NS (10 * UINT64_C(1000000000))

struct cluster {
	struct cluster_context context;
	const struct cfg *cfg;
	const struct cfg_cluster *config;
	struct kubeconfig *kubeconfig;
	struct kc_client *client;
	struct snapshot snapshot;
	struct follower *followers;
	size_t n_followers;
	struct cluster_watch *watches;
	size_t n_watches;
	struct validator *validator;
	struct cluster_watch crds; /* for their rules; also started while a kind is missing: tells when it may have come */
	bool crds_needed;          /* there are kinds that can only come from one */
	struct object *first_pending, *last_pending;
	size_t n_pending;
	bool settled; /* every watch has listed, or failed */
	bool swept;   /* what was not seen again since the start has been ended */
	uint64_t up_since_ns, down_since_ns; /* as cluster_tick saw it; one of them is 0 */
	struct err discovery_problem;
	uint64_t component_cause_ns; /* reception of the event that made components due */
	void (*closed)(void *ctx);
	void *closed_ctx;
};

static struct cluster_watch *watch_of(const struct cluster *c, const struct kind *k)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		if (c->watches[i].kind == k)
			return &c->watches[i];
	}
	return NULL;
}

static const char *resource_of(void *ctx, const struct kind *k)
{
	const struct cluster_watch *w = watch_of(ctx, k);

	return w && w->watch ? kc_watch_resource(w->watch) : "";
}

static struct judge_context judge_context(struct cluster *c)
{
	return (struct judge_context){
		.findings = c->context.findings,
		.snapshot = &c->snapshot,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.resource = resource_of,
		.ctx = c,
	};
}

/* ---- the queue ---- */

static void enqueue(struct cluster *c, struct object *o)
{
	if (o->pending)
		return;
	o->pending = true;
	o->next_pending = NULL;
	o->previous_pending = c->last_pending;
	if (c->last_pending)
		c->last_pending->next_pending = o;
	else
		c->first_pending = o;
	c->last_pending = o;
	c->n_pending++;
	c->context.wake(c->context.ctx);
}

static void dequeue(struct cluster *c, struct object *o)
{
	if (!o->pending)
		return;
	if (o->previous_pending)
		o->previous_pending->next_pending = o->next_pending;
	else
		c->first_pending = o->next_pending;
	if (o->next_pending)
		o->next_pending->previous_pending = o->previous_pending;
	else
		c->last_pending = o->previous_pending;
	o->pending = false;
	c->n_pending--;
}

/* The rules for a kind have changed. */
static void validate_again(void *ctx, struct kind *k)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&k->objects, &at)))
		enqueue(ctx, e->value);
}

static void enqueue_again(void *ctx, struct object *o)
{
	enqueue(ctx, o);
}

/* ---- gaps: what cannot be watched ---- */

static struct finding_subject gap_subject(const struct cluster *c, const struct cluster_watch *w)
{
	return (struct finding_subject){
		.cluster = c->config->name,
		.api_version = w ? w->kind->api_version : STR(""),
		.kind = w ? w->kind->name : STR(""),
	};
}

/* @w NULL: the cluster as a whole. */
static void report_gap(struct cluster *c, const struct cluster_watch *w, const struct err *why)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_GAP, .severity = SEVERITY_ERROR, .subject = gap_subject(c, w) };

	if (w) {
		r.severity = SEVERITY_WARNING;
		r.subject.resource = str_from(kc_watch_resource(w->watch));
		r.what = arena_printf(&a, "%.*s: %.*s cannot be watched: %s", STR_ARG(c->config->name),
				      STR_ARG(r.subject.resource), why->msg);
	} else {
		r.what = arena_printf(&a, "%.*s: the API server %s cannot be watched: %s", STR_ARG(c->config->name),
				      kc_client_server(c->client), why->msg);
	}
	/* A watch's message may hold times and ports that mean nothing; its code says what kind of failure it is. */
	r.state = why == &c->discovery_problem ? str_from(why->msg) : arena_printf(&a, "%d", why->code);
	findings_report(c->context.findings, &r);
}

static void clear_gap(struct cluster *c, const struct cluster_watch *w)
{
	struct finding_subject s = gap_subject(c, w);

	findings_clear(c->context.findings, FINDING_GAP, &s, NULL);
}

/* A watch that has failed for long enough. After an outage of the whole cluster every watch gets its time anew. */
static bool is_gap(const struct cluster *c, const struct cluster_watch *w, uint64_t now)
{
	return w->failing_since_ns && now - w->failing_since_ns >= GAP_GRACE_NS && now - c->up_since_ns >= GAP_GRACE_NS;
}

/* What the last failure said: of a watch, or of discovery, without which no watch begins. */
static const struct err *why_down(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		if (c->watches[i].failing_since_ns)
			return &c->watches[i].why;
	}
	return &c->discovery_problem;
}

/* The server does not answer, or refuses to say what there is. */
static void tick_down(struct cluster *c, uint64_t now)
{
	c->up_since_ns = 0;
	if (!c->down_since_ns)
		c->down_since_ns = now;
	if (now - c->down_since_ns >= GAP_GRACE_NS)
		report_gap(c, NULL, why_down(c));
}

static void tick_up(struct cluster *c, uint64_t now)
{
	c->down_since_ns = 0;
	if (!c->up_since_ns) {
		c->up_since_ns = now;
		kc_client_retry(c->client);
	}
	for (size_t i = 0; i < c->n_watches; i++) {
		if (is_gap(c, &c->watches[i], now))
			report_gap(c, &c->watches[i], &c->watches[i].why);
	}
	if (c->crds_needed && is_gap(c, &c->crds, now))
		report_gap(c, &c->crds, &c->crds.why);
	clear_gap(c, NULL);
}

void cluster_tick(struct cluster *c)
{
	if (kc_client_up(c->client) && kc_client_discovered(c->client))
		tick_up(c, uv_hrtime());
	else
		tick_down(c, uv_hrtime());
}

static void watch_works(struct cluster *c, struct cluster_watch *w)
{
	w->failing_since_ns = 0;
	w->forbidden = false;
	clear_gap(c, w);
}

/* What can be known of templates follows from what can be watched. */
static void update_unknown(struct cluster *c)
{
	for (size_t i = 0; i < c->n_followers; i++) {
		struct follower *f = &c->followers[i];
		const struct reference *r = f->reference->reference;

		for (size_t t = 0; t < r->n_templates; t++) {
			const struct ref_identity *id = &r->templates[t]->identity;
			const struct kind *k = snapshot_kind(&c->snapshot, id->api_version, id->kind);
			const struct cluster_watch *w = k ? watch_of(c, k) : NULL;

			f->unknown[t] = !w || (!w->synced && !w->missing);
		}
		f->components_due = true;
	}
	c->context.wake(c->context.ctx);
}

static bool all_settled(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		const struct cluster_watch *w = &c->watches[i];

		if (!w->synced && !w->missing && !w->failing_since_ns)
			return false;
	}
	return !c->crds_needed || c->crds.synced || c->crds.missing || c->crds.failing_since_ns;
}

static void check_settled(struct cluster *c)
{
	if (!c->settled && all_settled(c))
		c->settled = true;
	update_unknown(c);
}

/* ---- events of a watch ---- */

/* Who wrote, and when: managedFields without the field sets, for blame when a field has gone. */
static struct doc *writers_of(val managed_fields, struct key_table *keys)
{
	static const char *const kept[] = { "manager", "operation", "subresource", "time" };
	struct doc *d = val_is_list(managed_fields) ? doc_new(512, 1u << 20) : NULL;
	val *items = d ? arena_array(&d->arena, managed_fields.n, sizeof(*items)) : NULL;

	for (uint32_t i = 0; items && i < managed_fields.n; i++) {
		struct member m[ARRAY_LEN(kept)];
		size_t n = 0;

		for (size_t k = 0; k < ARRAY_LEN(kept); k++) {
			val v = val_get(managed_fields.items[i], str_from(kept[k]));
			const struct key *key = key_make(keys, &d->arena, str_from(kept[k]));

			if (key && val_is_string(v))
				m[n++] = (struct member){ key, val_copy(&d->arena, keys, v) };
		}
		items[i] = val_map(&d->arena, m, n);
	}
	if (!items) {
		doc_unref(d);
		return NULL;
	}
	d->root = (val){ .kind = VAL_LIST, .n = managed_fields.n, .items = items };
	return d;
}

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
	struct judge_context j = judge_context(c);

	for (size_t i = 0; i < c->n_followers; i++)
		follower_dependents(&c->followers[i], o, enqueue_again, c);
	for (size_t i = 0; i < c->n_followers; i++)
		follower_forget(&c->followers[i], o, &j);
	validator_forget(c->validator, o);
	dequeue(c, o);
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
		follower_dependents(&c->followers[i], o, enqueue_again, c);
	enqueue(c, o);
}

static double unix_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void on_synced(void *ctx, enum kc_list_reason reason, size_t count)
{
	struct cluster_watch *w = ctx;

	(void)reason;
	(void)count;
	w->synced = true;
	w->missing = false;
	w->last_sync = unix_now();
	watch_works(w->cluster, w);
	check_settled(w->cluster);
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
	watch_works(c, &c->crds);
	validator_crds_known(c->validator, true);
	check_settled(c);
}

static void on_crds_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct cluster *c = ctx;
	struct cluster_watch *w = &c->crds;

	if (state == KC_WATCHING) {
		watch_works(c, w);
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
	check_settled(c);
}

static void watch_crds(struct cluster *c)
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
		watch_works(c, w);
		return;
	case KC_MISSING:
		w->missing = true;
		w->synced = false;
		watch_works(c, w);
		kind_vanished(c, w->kind);
		watch_crds(c);
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
	check_settled(c);
}

/* ---- judging ---- */

static val decode_managed_fields(struct cluster *c, const struct object *o, struct doc **doc)
{
	struct json_options options = { .limits = c->context.limits, .keys = c->context.keys };
	struct err err;

	if (!o->managed_fields_n ||
	    json_decode((str){ o->managed_fields, o->managed_fields_n }, &options, doc, &err) < 0)
		return (val){ 0 };
	return (*doc)->root;
}

static void judge(struct cluster *c, struct object *o)
{
	CLEANUP(doc_unrefp) struct doc *managed = NULL;
	val managed_fields = decode_managed_fields(c, o, &managed);
	struct judge_context j = judge_context(c);
	struct err err;

	for (size_t i = 0; i < c->n_followers; i++) {
		/* Without an event of its own the object waits because of one that it depends on. */
		bool force = o->received_ns == 0 || o->judged[i].dependencies.n > 0;

		if (follower_judge(&c->followers[i], o, managed_fields, force, &j, &err) < 0)
			record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, resource_of(c, o->kind), err.msg);
	}
	if (validator_judge(c->validator, o, managed_fields, &err) < 0)
		record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, resource_of(c, o->kind), err.msg);
	doc_unref(TAKE(o->previous));
	if (managed) {
		doc_unref(o->writers);
		o->writers = writers_of(managed_fields, c->context.keys);
	}
	if (o->received_ns)
		c->component_cause_ns = o->received_ns;
	o->received_ns = 0;
	free(TAKE(o->managed_fields));
	o->managed_fields_n = 0;
}

static bool component_exists(const struct cluster *c, const struct finding_subject *s)
{
	for (size_t i = 0; i < c->n_followers; i++) {
		const struct reference *r = c->followers[i].reference->reference;

		if (!str_eq(c->followers[i].reference->name, s->reference))
			continue;
		for (size_t p = 0; p < r->n_parts; p++) {
			for (size_t k = 0; str_eq(r->parts[p].name, s->part) && k < r->parts[p].n_components; k++) {
				if (str_eq(r->parts[p].components[k].name, s->component))
					return true;
			}
		}
	}
	return false;
}

static bool reference_followed(const struct cluster *c, str name)
{
	for (size_t i = 0; i < c->n_followers; i++) {
		if (str_eq(c->followers[i].reference->name, name))
			return true;
	}
	return false;
}

/* The rules of a CRD that cannot be seen may still be broken. */
static bool rule_finding_over(const struct cluster *c, const struct finding *x, const struct cluster_watch *w)
{
	if (!w)
		return true;
	if (c->crds_needed && !c->crds.synced && str_eq(x->subject.rule_source, STR(RULE_SOURCE_CRD)))
		return false;
	return w->synced || w->missing;
}

/* A finding of an earlier life that was not seen again: is it over, or is its kind only out of sight? */
static bool over(void *ctx, const struct finding *x)
{
	struct cluster *c = ctx;
	const struct kind *k = snapshot_kind(&c->snapshot, x->subject.api_version, x->subject.kind);
	const struct cluster_watch *w = k ? watch_of(c, k) : NULL;

	switch (x->kind) {
	case FINDING_COMPONENT:
		return !component_exists(c, &x->subject);
	case FINDING_GAP:
		if (str_eq(x->subject.kind, c->crds.kind->name))
			return !c->crds.failing_since_ns;
		return x->subject.kind.n == 0 ? kc_client_up(c->client) : !w || !w->failing_since_ns;
	case FINDING_VALIDATION:
		return rule_finding_over(c, x, w);
	default:
		if (x->subject.rule.n)
			return rule_finding_over(c, x, w);
		return !w || !reference_followed(c, x->subject.reference) || w->synced || w->missing;
	}
}

static void judge_components(struct cluster *c)
{
	struct judge_context j = judge_context(c);

	for (size_t i = 0; i < c->n_followers; i++)
		follower_judge_components(&c->followers[i], c->component_cause_ns, &j);
	c->component_cause_ns = 0;
	if (all_settled(c))
		findings_sweep(c->context.findings, c->config->name, over, c, "not there any more");
	c->swept = true;
}

bool cluster_work(struct cluster *c, uint64_t until_ns)
{
	if (!c->settled)
		return false;
	while (c->first_pending) {
		struct object *o = c->first_pending;

		if (uv_hrtime() >= until_ns)
			return true;
		dequeue(c, o);
		judge(c, o);
	}
	judge_components(c);
	return false;
}

/* ---- life ---- */

static void on_notice(void *ctx, const struct kc_notice *n)
{
	struct cluster *c = ctx;

	if (n->kind == KC_NOTICE_DISCOVERY) {
		if (strcmp(n->message, c->discovery_problem.msg) == 0)
			return; /* tried again, to the same end */
		err_set(&c->discovery_problem, EIO, "%s", n->message);
	}
	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, n->resource, n->message);
}

static int add_watch(struct cluster *c, str api_version, str name, struct err *err)
{
	struct kind *k = snapshot_kind(&c->snapshot, api_version, name);

	if (!k)
		return err_nomem(err);
	if (watch_of(c, k))
		return 0;
	c->watches[c->n_watches++] = (struct cluster_watch){ .cluster = c, .kind = k };
	return 0;
}

static size_t count_rule_sets(const struct cfg *cfg)
{
	size_t n = 0;

	for (size_t i = 0; i < cfg->n_rule_files; i++)
		n += cfg->rule_files[i]->sets.n;
	return n;
}

/* The kinds that rule files name. */
static int plan_rule_watches(struct cluster *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < c->cfg->n_rule_files; i++) {
		const struct rule_file *f = c->cfg->rule_files[i];

		for (size_t s = 0; r == 0 && s < f->sets.n; s++) {
			if (rule_set_names_kind(&f->sets.p[s]))
				r = add_watch(c, f->sets.p[s].api_version, f->sets.p[s].kind, err);
		}
	}
	return r;
}

/* The kinds that templates are for, and those that they look up by constant name. */
static int plan_watches(struct cluster *c, struct err *err)
{
	size_t most = count_rule_sets(c->cfg);
	int r = 0;

	for (size_t i = 0; i < c->n_followers; i++) {
		const struct reference *ref = c->followers[i].reference->reference;

		for (size_t t = 0; t < ref->n_templates; t++)
			most += 1 + ref->templates[t]->footprint.n_lookups;
	}
	c->watches = calloc(most + 1, sizeof(*c->watches));
	if (!c->watches)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < c->n_followers; i++) {
		const struct reference *ref = c->followers[i].reference->reference;

		for (size_t t = 0; r == 0 && t < ref->n_templates; t++) {
			const struct ref_template *template = ref->templates[t];

			r = add_watch(c, template->identity.api_version, template->identity.kind, err);
			for (size_t l = 0; r == 0 && l < template->footprint.n_lookups; l++) {
				const struct tmpl_lookup_use *use = &template->footprint.lookups[l];

				if (use->known[0] && use->known[1])
					r = add_watch(c, use->args.api_version, use->args.kind, err);
			}
		}
	}
	return r == 0 ? plan_rule_watches(c, err) : r;
}

/* Rules for every kind that is watched. */
static int init_validator(struct cluster *c, struct err *err)
{
	struct validator_options o = {
		.cfg = c->cfg,
		.cluster = c->config->name,
		.findings = c->context.findings,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.resource = resource_of,
		.again = validate_again,
		.ctx = c,
	};
	int r = validator_new(&o, &c->validator, err);

	c->crds = (struct cluster_watch){
		.cluster = c,
		.kind = snapshot_kind(&c->snapshot, STR("apiextensions.k8s.io/v1"), STR("CustomResourceDefinition")),
	};
	if (r == 0 && !c->crds.kind)
		r = err_nomem(err);
	for (size_t i = 0; r == 0 && i < c->n_watches; i++) {
		c->crds_needed |= validator_is_custom(c->watches[i].kind->api_version);
		r = validator_add_kind(c->validator, c->watches[i].kind, err);
	}
	return r;
}

static int start_watches(struct cluster *c, struct err *err)
{
	struct kc_handler handler = { .object = on_object, .synced = on_synced, .state = on_state };

	for (size_t i = 0; i < c->n_watches; i++) {
		struct cluster_watch *w = &c->watches[i];
		CLEANUP(freep) char *api_version = str_dup(w->kind->api_version);
		CLEANUP(freep) char *kind = str_dup(w->kind->name);
		struct kc_watch_spec spec = { .api_version = api_version, .kind = kind };
		int r;

		if (!api_version || !kind)
			return err_nomem(err);
		r = kc_watch_add(c->client, &spec, &handler, w, &w->watch, err);
		if (r < 0)
			return err_wrap(err, "watch %s %s", api_version, kind);
	}
	if (c->crds_needed)
		watch_crds(c);
	return 0;
}

static void on_warning(void *ctx, const char *message)
{
	struct cluster *c = ctx;

	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, NULL, message);
}

static int connect_client(struct cluster *c, struct err *err)
{
	CLEANUP(freep) char *path = c->config->kubeconfig.n ? str_dup(c->config->kubeconfig) : NULL;
	CLEANUP(freep) char *context = c->config->context.n ? str_dup(c->config->context) : NULL;
	struct kubeconfig_source source;
	struct kube_target target;
	struct kc_options options = {
		.target = &target,
		.limits = c->context.limits,
		.keys = c->context.keys,
		.user_agent = "driftd/" DRIFTD_VERSION " (linux/amd64) kubernetes/unknown",
		.tuning = c->context.tuning,
		.notice = on_notice,
		.notice_ctx = c,
	};
	int r;

	kubeconfig_source_env(path, &source);
	source.warn = on_warning;
	source.warn_ctx = c;
	r = kubeconfig_load(&source, &c->kubeconfig, err);
	if (r == 0)
		r = kubeconfig_target(c->kubeconfig, context, &target, err);
	if (r == 0)
		r = kc_client_new(c->context.loop, &options, &c->client, err);
	return r < 0 ? err_wrap(err, "cluster '%.*s'", STR_ARG(c->config->name)) : 0;
}

static void release_object(void *ctx, struct object *o)
{
	struct cluster *c = ctx;

	for (size_t i = 0; o->judged && i < c->n_followers; i++)
		follower_release(&c->followers[i], o);
	validator_release(o);
}

static void cluster_free(struct cluster *c)
{
	snapshot_done(&c->snapshot, release_object, c);
	for (size_t i = 0; i < c->n_followers; i++)
		follower_done(&c->followers[i]);
	validator_free(c->validator);
	free(c->followers);
	free(c->watches);
	kubeconfig_unref(c->kubeconfig);
	free(c);
}

static void freep_cluster(struct cluster **c)
{
	if (*c)
		cluster_free(*c);
}

static int init_followers(struct cluster *c, struct err *err)
{
	c->followers = calloc(c->config->n_references + 1, sizeof(*c->followers));
	if (!c->followers)
		return err_nomem(err);
	for (size_t i = 0; i < c->config->n_references; i++) {
		int r = follower_init(&c->followers[i], c->cfg, c->config, c->config->references[i], i, err);

		c->n_followers = i + 1;
		if (r < 0)
			return r;
	}
	return 0;
}

int cluster_new(const struct cluster_context *context, const struct cfg *cfg, const struct cfg_cluster *config,
		struct cluster **ret, struct err *err)
{
	CLEANUP(freep_cluster) struct cluster *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_nomem(err);
	c->context = *context;
	c->cfg = cfg;
	c->config = config;
	snapshot_init(&c->snapshot);
	r = init_followers(c, err);
	if (r == 0)
		r = plan_watches(c, err);
	if (r == 0)
		r = init_validator(c, err);
	if (r == 0)
		r = connect_client(c, err);
	if (r < 0)
		return r;
	findings_unconfirm(context->findings, config->name);
	r = start_watches(c, err);
	if (r < 0) {
		cluster_close(TAKE(c), NULL, NULL);
		return r;
	}
	*ret = TAKE(c);
	return 0;
}

static void on_closed(void *ctx)
{
	struct cluster *c = ctx;
	void (*closed)(void *) = c->closed;
	void *closed_ctx = c->closed_ctx;

	cluster_free(c);
	if (closed)
		closed(closed_ctx);
}

void cluster_close(struct cluster *c, void (*closed)(void *ctx), void *ctx)
{
	c->closed = closed;
	c->closed_ctx = ctx;
	kc_client_close(c->client, on_closed, c);
}

/* ---- facts ---- */

bool cluster_synced(const struct cluster *c)
{
	return c->settled && c->swept && c->n_pending == 0;
}

const char *cluster_waits_for(const struct cluster *c)
{
	for (size_t i = 0; !c->settled && i < c->n_watches; i++) {
		const struct cluster_watch *w = &c->watches[i];

		if (!w->synced && !w->missing && !w->failing_since_ns)
			return kc_watch_resource(w->watch);
	}
	if (!c->settled && c->crds_needed && !c->crds.synced && !c->crds.failing_since_ns)
		return kc_watch_resource(c->crds.watch);
	return cluster_synced(c) ? "" : "judging";
}

str cluster_name(const struct cluster *c)
{
	return c->config->name;
}

const struct kc_client *cluster_client(const struct cluster *c)
{
	return c->client;
}

const struct snapshot *cluster_snapshot(const struct cluster *c)
{
	return &c->snapshot;
}

const struct follower *cluster_followers(const struct cluster *c, size_t *n)
{
	*n = c->n_followers;
	return c->followers;
}

const struct cluster_watch *cluster_watches(const struct cluster *c, size_t *n)
{
	*n = c->n_watches;
	return c->watches;
}

const struct validator *cluster_validator(const struct cluster *c)
{
	return c->validator;
}

size_t cluster_queue_length(const struct cluster *c)
{
	return c->n_pending;
}
