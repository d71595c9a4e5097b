/* Puts the client of kubeclient behind the functions of a source. */
#include "daemon/watch/source/kube_source.h"

#include "kubeclient/kc_kinds.h"

#include <stdlib.h>

struct kube_source {
	struct watch_source source;
	struct kubeconfig *kubeconfig;
	void (*closed)(void *ctx);
	void *closed_ctx;
};

static struct kc_watch *kc_watch_of(const struct source_watch *w)
{
	return (struct kc_watch *)(uintptr_t)w;
}

/* ---- the kubeconfig ---- */

/* Load the kubeconfig that @config names, and find its target. */
static int load_target(const struct cfg_cluster *config, void (*warn)(void *ctx, const char *message), void *ctx,
		       struct kubeconfig **ret, struct kube_target *target, struct err *err)
{
	CLEANUP(freep) char *path = config->kubeconfig.n ? str_dup(config->kubeconfig) : NULL;
	CLEANUP(freep) char *context = config->context.n ? str_dup(config->context) : NULL;
	struct kubeconfig_source source;
	int r;

	if ((config->kubeconfig.n && !path) || (config->context.n && !context))
		return err_nomem(err);
	kubeconfig_source_env(path, &source);
	source.warn = warn;
	source.warn_ctx = ctx;
	r = kubeconfig_load(&source, ret, err);
	return r < 0 ? r : kubeconfig_target(*ret, context, target, err);
}

int kube_source_target(const struct cfg_cluster *config, struct kubeconfig **ret, struct kube_target *target,
		       struct err *err)
{
	return load_target(config, NULL, NULL, ret, target, err);
}

/* Whether a client can be made of the target. One is made, and closed before it does anything. */
static int check_client(const struct kube_target *target, struct err *err)
{
	const struct limits limits = LIMITS_DEFAULT;
	const struct kc_options options = { .target = target, .limits = &limits };
	struct kc_client *client;
	uv_loop_t loop;
	int r;

	if (uv_loop_init(&loop) < 0)
		return err_nomem(err);
	r = kc_client_new(&loop, &options, &client, err);
	if (r == 0)
		kc_client_close(client, NULL, NULL);
	(void)uv_run(&loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&loop);
	return r;
}

int kube_source_check(const struct cfg_cluster *config, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target target;
	int r = kube_source_target(config, &kubeconfig, &target, err);

	return r < 0 ? r : check_client(&target, err);
}

static uint64_t hash_of(const struct kube_target *target, uint64_t config_hash)
{
	uint64_t h = kube_target_hash(target, config_hash);

	return h ? h : 1;
}

uint64_t kube_source_hash(const struct cfg_cluster *config, uint64_t config_hash)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target target;
	struct err err;

	return kube_source_target(config, &kubeconfig, &target, &err) < 0 ? 0 : hash_of(&target, config_hash);
}

/* ---- the table ---- */

static int watch_add(struct watch_source *s, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		     struct source_watch **ret, struct err *err)
{
	struct kc_watch *w;
	int r = kc_watch_add(s->client, spec, h, ctx, &w, err);

	if (r == 0)
		*ret = (struct source_watch *)w;
	return r;
}

static void watch_remove(struct watch_source *s, struct source_watch *w)
{
	(void)s;
	kc_watch_remove(kc_watch_of(w));
}

static const char *watch_resource(const struct watch_source *s, const struct source_watch *w)
{
	(void)s;
	return kc_watch_resource(kc_watch_of(w));
}

static const struct kc_watch_counters *watch_counters(const struct watch_source *s, const struct source_watch *w)
{
	(void)s;
	return kc_watch_counters(kc_watch_of(w));
}

static const struct kc_counters *counters(const struct watch_source *s)
{
	return kc_client_counters(s->client);
}

static bool up(const struct watch_source *s)
{
	return kc_client_up(s->client);
}

static bool discovered(const struct watch_source *s)
{
	return kc_client_discovered(s->client);
}

static const char *server(const struct watch_source *s)
{
	return kc_client_server(s->client);
}

static const struct kc_resource *listable(const struct watch_source *s, size_t *at)
{
	return kc_listable(s->client, at);
}

static const char *why_unknown(const struct watch_source *s, size_t *at, str *api_version)
{
	return kc_why_unknown(s->client, at, api_version);
}

static void retry(struct watch_source *s)
{
	kc_client_retry(s->client);
}

static void reread(struct watch_source *s)
{
	kc_client_reread(s->client);
}

static void rediscover(struct watch_source *s)
{
	kc_client_rediscover(s->client);
}

static void test(struct watch_source *s)
{
	kc_client_test_connections(s->client);
}

static void on_closed(void *ctx)
{
	struct kube_source *k = ctx;
	void (*closed)(void *) = k->closed;
	void *closed_ctx = k->closed_ctx;

	kubeconfig_unref(k->kubeconfig);
	free(k);
	if (closed)
		closed(closed_ctx);
}

static void close_source(struct watch_source *s, void (*closed)(void *ctx), void *ctx)
{
	struct kube_source *k = (struct kube_source *)s;

	k->closed = closed;
	k->closed_ctx = ctx;
	kc_client_close(s->client, on_closed, k);
}

static const struct watch_source_table table = {
	.watch_add = watch_add,
	.watch_remove = watch_remove,
	.watch_resource = watch_resource,
	.watch_counters = watch_counters,
	.counters = counters,
	.up = up,
	.discovered = discovered,
	.server = server,
	.listable = listable,
	.why_unknown = why_unknown,
	.retry = retry,
	.reread = reread,
	.rediscover = rediscover,
	.test = test,
	.close = close_source,
};

static int open_source(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	CLEANUP(freep) struct kube_source *k = calloc(1, sizeof(*k));
	struct kube_target target;
	struct kc_options options = {
		.target = &target,
		.limits = o->limits,
		.keys = o->keys,
		.tuning = o->tuning,
		.pace = o->pace,
		.notice = o->notice,
		.notice_ctx = o->ctx,
		.discovered = o->discovered,
		.discovered_ctx = o->ctx,
	};
	int r = k ? load_target(o->config, o->warn, o->ctx, &kubeconfig, &target, err) : err_nomem(err);

	(void)ctx;
	if (r == 0)
		r = kc_client_new(o->loop, &options, &k->source.client, err);
	if (r < 0)
		return r;
	k->source.does = &table;
	k->source.hash = hash_of(&target, o->config_hash);
	k->kubeconfig = TAKE(kubeconfig);
	*ret = &TAKE(k)->source;
	return 0;
}

const struct source_maker kube_source = { .open = open_source };
