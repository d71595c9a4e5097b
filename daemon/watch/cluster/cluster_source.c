/* The source of a cluster's events, and the beginning of its watches. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/hash.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/source/kube_source.h"

#include <errno.h>

/* How often an unusable kubeconfig, or a file that it names, is looked at again. */
#define CONNECT_AGAIN_NS (10 * UINT64_C(1000000000))

static void on_notice(void *ctx, const struct kc_notice *n)
{
	struct cluster *c = ctx;

	if (n->kind == KC_NOTICE_DISCOVERY) {
		if (strcmp(n->message, c->connection.discovery_problem.msg) == 0)
			return; /* the source has tried again, with the same result */
		err_set(&c->connection.discovery_problem, EIO, "%s", n->message);
	}
	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, n->resource, n->message);
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

/* The client's tuning, with the age of evidence that the configuration allows. */
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
		.warn = c->connection.again_ns ? NULL : on_warning, /* the first try has printed the warnings */
		.notice = on_notice,
		.discovered = c->plan.patterns.n || c->plan.manifests ? cluster_discovered : NULL,
		.ctx = c,
	};

	return maker->open(maker->ctx, &options, &c->source, err);
}

static int begin_watch(struct cluster_watch *w, struct err *err)
{
	struct cluster *c = w->of->cluster;
	CLEANUP(freep) char *api_version = str_dup(w->of->kind->api_version);
	CLEANUP(freep) char *kind = str_dup(w->of->kind->name);
	CLEANUP(freep) char *namespace = str_dup(w->scope.namespace);
	CLEANUP(freep) char *name = str_dup(w->scope.name);
	struct kc_watch_spec spec = { .api_version = api_version, .kind = kind, .namespace = namespace, .name = name };
	int r;

	if (w->of->releases && !w->of->kept)
		spec.label_selector = HELM_LABEL_SELECTOR;

	if (w->watch)
		return 0;
	if (!api_version || !kind || !namespace || !name)
		return err_nomem(err);
	r = c->source->does->watch_add(c->source, &spec, &cluster_handler, w, &w->watch, err);
	if (r < 0)
		return err_wrap(err, "watch %s %s", api_version, kind);
	snapshot_name_kind(&c->snapshot, w->of->kind, str_from(cluster_watch_resource(w)));
	return 0;
}

int cluster_begin_watches(struct cluster *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < c->kinds.n; i++) {
		struct cluster_kind *k = c->kinds.p[i];

		for (size_t w = 0; r == 0 && w < k->n_watches; w++)
			r = begin_watch(&k->watches[w], err);
	}
	c->connection.begun = r == 0;
	return r;
}

void cluster_connect(struct cluster *c)
{
	struct err *problem = &c->connection.problem;

	if (c->source || open_source(c, problem) == 0)
		(void)!cluster_begin_watches(c, problem); /* a watch that could not begin does so at the next tick */
	c->connection.again_ns = clock_ns() + CONNECT_AGAIN_NS;
}

const struct err *cluster_connect_problem(const struct cluster *c)
{
	return c->connection.begun ? NULL : &c->connection.problem;
}

void cluster_connect_again(struct cluster *c, uint64_t now_ns)
{
	if (now_ns >= c->connection.again_ns)
		cluster_connect(c);
}

const struct err *cluster_discovery_problem(const struct cluster *c)
{
	return c->connection.discovery_problem.code ? &c->connection.discovery_problem : NULL;
}

bool cluster_up(const struct cluster *c)
{
	return c->source && c->source->does->up(c->source);
}

const struct kc_resource *cluster_offers(const struct cluster *c, size_t *at)
{
	return c->source ? c->source->does->listable(c->source, at) : NULL;
}

const struct kc_counters *cluster_requests(const struct cluster *c)
{
	static const struct kc_counters none;

	return c->source ? c->source->does->counters(c->source) : &none;
}
