/* The life of a watched cluster: what it needs to watch, and what it is made of. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/hash.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/source/kube_source.h"

#include <errno.h>

/* A kubeconfig, or a file that it names, which cannot be used is looked at again this often. */
#define CONNECT_AGAIN_NS (10 * UINT64_C(1000000000))
#define REFERENCES_MAX (UINT16_MAX - 2)          /* object->stage */
#define RELEASE_SLICE_NS (5 * UINT64_C(1000000)) /* of a turn of the loop */

struct judge_context cluster_judge_context(struct cluster *c)
{
	return (struct judge_context){
		.findings = c->context.findings,
		.snapshot = &c->snapshot,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.rules = c->rules,
		.acceptances = c->context.acceptances,
		.inspector = c->inspector,
		.components_unknown = c->context.rehearsed && cluster_is_shared(c),
		.writers_unknown = c->context.rehearsed,
	};
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

/* Rules for every kind that is kept. */
static int init_rule_judge(struct cluster *c, struct err *err)
{
	struct rule_judge_options o = {
		.cfg = c->cfg,
		.cluster = c->config->name,
		.shard = c->context.shard,
		.findings = c->context.findings,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.again = cluster_validate_again,
		.awaits = c->plan.patterns.n ? cluster_awaits_definition : NULL,
		.ctx = c,
	};
	int r = rule_judge_new(&o, &c->rules, err);

	for (size_t i = 0; r == 0 && i < c->kinds.n; i++) {
		if (c->kinds.p[i]->kept)
			r = rule_judge_add_kind(c->rules, c->kinds.p[i]->kind, err);
	}
	return r;
}

static int report_unwatchable(struct cluster *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < c->n_references; i++) {
		const struct reference *ref = c->references[i].reference->reference;

		for (size_t t = 0; r == 0 && t < ref->n_templates; t++) {
			if (c->references[i].counts[t] && !ref->templates[t]->identity.api_version.n)
				r = cluster_report_unwatchable(c, ref->templates[t], err);
		}
	}
	return r;
}

static void on_warning(void *ctx, const char *message)
{
	struct cluster *c = ctx;

	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, NULL, message);
}

static uint64_t config_hash(const struct cfg *cfg, const struct cfg_cluster *config)
{
	return cfg_cluster_hash(cfg, config, hash_seed());
}

bool cluster_is_unchanged(const struct cluster *c, const struct cfg *cfg, const struct cfg_cluster *config)
{
	uint64_t hash = kube_source_hash(config, config_hash(cfg, config));

	return hash && c->source && c->source->hash == hash;
}

bool cluster_goes_there(const struct cluster *c, const struct cfg_cluster *config)
{
	uint64_t hash = kube_source_hash(config, config_hash(c->cfg, c->config));

	return hash && c->source && c->source->hash == hash;
}

const struct watch_source *cluster_source(const struct cluster *c)
{
	return c->source;
}

void cluster_reread_credentials(struct cluster *c)
{
	if (c->source)
		c->source->does->reread(c->source);
}

/* How old evidence may be is the configuration's. */
static const struct kc_tuning *tuning_of(const struct cluster *c, struct kc_tuning *own)
{
	if (c->context.tuning || !c->cfg->evidence_ns)
		return c->context.tuning;
	*own = KC_TUNING_DEFAULT;
	own->evidence_ms = (uint64_t)c->cfg->evidence_ns / 1000000;
	own->idle_ms = kc_tuning_idle_ms(own->evidence_ms);
	return own;
}

static int open_source(struct cluster *c, struct err *err)
{
	struct kc_tuning own;
	const struct source_maker *maker = c->context.source ? c->context.source : &kube_source;
	const struct source_options options = {
		.loop = c->context.loop,
		.config = c->config,
		.config_hash = config_hash(c->cfg, c->config),
		.limits = c->context.limits,
		.keys = c->context.keys,
		.tuning = tuning_of(c, &own),
		.pace = c->context.pace,
		.warn = c->connect_again_ns ? NULL : on_warning, /* what is worth it was said at the first try */
		.notice = on_notice,
		.discovered = c->plan.patterns.n ? cluster_find_kinds : NULL,
		.ctx = c,
	};

	return maker->open(maker->ctx, &options, &c->source, err);
}

void cluster_connect(struct cluster *c)
{
	struct err *problem = &c->connect_problem;

	if (c->source || open_source(c, problem) == 0)
		(void)!cluster_begin_watches(c, problem); /* what lacks is begun at the next tick */
	c->connect_again_ns = clock_ns() + CONNECT_AGAIN_NS;
}

/* Objects are released until uv_hrtime() is @until_ns; true when there are more. */
static bool release_objects(struct cluster *c, uint64_t until_ns)
{
	do {
		struct object *o;

		if (tombstones_any(&c->gone))
			o = cluster_take_gone(c);
		else if (!(o = snapshot_drain(&c->snapshot, &c->drain)))
			return false;
		if (o) {
			cluster_release_object(c, o);
			object_free(o);
		}
	} while (uv_hrtime() < until_ns);
	return true;
}

static void cluster_free(struct cluster *c)
{
	(void)release_objects(c, UINT64_MAX);
	cluster_forget_hands(c);
	cluster_done_share(c);
	snapshot_done(&c->snapshot);
	for (size_t i = 0; i < c->n_references; i++)
		reference_judge_done(&c->references[i]);
	rule_judge_free(c->rules);
	if (c->inspector)
		c->inspector->ops->free(c->inspector);
	free(c->references);
	cluster_free_kinds(c);
	cfg_unref(c->cfg);
	free(c);
}

static void freep_cluster(struct cluster **c)
{
	if (*c)
		cluster_free(*c);
}

static int init_judges(struct cluster *c, struct err *err)
{
	if (c->config->n_references > REFERENCES_MAX)
		return err_set(err, E2BIG, "more than %d references", REFERENCES_MAX);
	c->references = calloc(c->config->n_references + 1, sizeof(*c->references));
	if (!c->references)
		return err_nomem(err);
	for (c->n_references = 0; c->n_references < c->config->n_references;) {
		size_t i = c->n_references++;
		int r = reference_judge_init(&c->references[i], c->cfg, c->config, c->config->references[i], i,
					     c->context.shard, err);

		if (r < 0)
			return r;
	}
	return 0;
}

int cluster_new(const struct cluster_context *context, struct cfg *cfg, const struct cfg_cluster *config,
		struct cluster **ret, struct err *err)
{
	CLEANUP(freep_cluster) struct cluster *c = calloc(1, sizeof(*c));
	int r;

	if (!c)
		return err_nomem(err);
	c->context = *context;
	(void)shard_text(context->shard, c->shard_text);
	c->cfg = cfg_ref(cfg);
	c->config = config;
	if (context->last_seen_usec)
		c->unseen_since_usec = context->last_seen_usec(context->ctx, config->name);
	snapshot_init(&c->snapshot, c->context.limits, c->context.keys);
	r = cluster_init_inspector(c, err);
	if (r == 0)
		r = init_judges(c, err);
	if (r == 0)
		r = cluster_plan_kinds(c, err);
	if (r == 0)
		r = cluster_init_share(c, err);
	if (r == 0)
		r = init_rule_judge(c, err);
	if (r < 0)
		return r;
	cluster_await_patterns(c);
	findings_unconfirm(context->findings, config->name);
	r = report_unwatchable(c, err);
	if (r < 0)
		return r;
	cluster_connect(c);
	*ret = TAKE(c);
	return 0;
}

static void on_released(uv_handle_t *h)
{
	struct cluster *c = h->data;
	void (*closed)(void *) = c->closed;
	void *closed_ctx = c->closed_ctx;

	cluster_free(c);
	if (closed)
		closed(closed_ctx);
}

static void on_releasing(uv_idle_t *releasing)
{
	if (!release_objects(releasing->data, uv_hrtime() + RELEASE_SLICE_NS))
		uv_close((uv_handle_t *)releasing, on_released);
}

/* Nothing comes from the server any more. */
static void on_disconnected(void *ctx)
{
	struct cluster *c = ctx;

	c->releasing.data = c;
	(void)uv_idle_init(c->context.loop, &c->releasing); /* always 0, as the next */
	(void)uv_idle_start(&c->releasing, on_releasing);
}

void cluster_close(struct cluster *c, void (*closed)(void *ctx), void *ctx)
{
	c->closed = closed;
	c->closed_ctx = ctx;
	if (c->source)
		c->source->does->close(c->source, on_disconnected, c);
	else
		on_disconnected(c);
}

/* ---- facts ---- */

static bool all_judged(const struct cluster *c)
{
	for (size_t i = 0; i < c->n_references; i++) {
		if (dependents_due(&c->references[i].dependents))
			return false;
	}
	return c->settled && c->swept && c->queue.n == 0 && !tombstones_any(&c->gone);
}

bool cluster_synced(const struct cluster *c)
{
	return all_judged(c) && cluster_all_known(c) && !cluster_stale(c);
}

const char *cluster_waits_for(const struct cluster *c)
{
	const struct cluster_watch *w = c->settled ? NULL : cluster_unsettled(c);

	if (c->told_down)
		return "";
	if (!c->begun)
		return c->source ? "memory" : "its kubeconfig";
	if (w)
		return cluster_watch_resource(w);
	if (!cluster_patterns_settled(c))
		return "discovery";
	return all_judged(c) ? "" : "judging";
}

str cluster_name(const struct cluster *c)
{
	return c->config->name;
}

struct cluster *cluster_find(struct cluster *const *clusters, size_t n, str name)
{
	for (size_t i = 0; i < n; i++) {
		if (str_eq(cluster_name(clusters[i]), name))
			return clusters[i];
	}
	return NULL;
}

const struct kc_counters *cluster_requests(const struct cluster *c)
{
	static const struct kc_counters none;

	return c->source ? c->source->does->counters(c->source) : &none;
}

bool cluster_up(const struct cluster *c)
{
	return c->source && c->source->does->up(c->source);
}

const struct reference_judge *cluster_judges(const struct cluster *c, size_t *n)
{
	*n = c->n_references;
	return c->references;
}

struct cluster_kind *const *cluster_kinds(const struct cluster *c, size_t *n)
{
	*n = c->kinds.n;
	return c->kinds.p;
}

size_t cluster_objects(const struct cluster *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->kinds.n; i++) {
		const struct cluster_kind *k = c->kinds.p[i];

		n += k->kept ? k->kind->objects.n - k->kind->n_foreign : 0;
	}
	return n;
}

const struct rule_judge *cluster_rule_judge(const struct cluster *c)
{
	return c->rules;
}

uint64_t cluster_progress(const struct cluster *c)
{
	return c->progress;
}

uint64_t cluster_arrivals(const struct cluster *c, enum arrival_outcome o)
{
	return c->arrivals[o];
}

size_t cluster_queue_length(const struct cluster *c)
{
	return c->queue.n;
}
