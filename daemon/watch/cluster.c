/* The life of a watched cluster: what it needs to watch, and what it is made of. */
#include "daemon/watch/cluster_internal.h"

#include "base/assert.h"
#include "base/hash.h"
#include "daemon/findings/notice.h"
#include "rules/crd_schema.h"

#include <errno.h>

#ifndef DRIFTD_VERSION
#error "DRIFTD_VERSION comes from CMake"
#endif

struct cluster_watch *cluster_watch_of(const struct cluster *c, const struct kind *k)
{
	for (size_t i = 0; i < c->n_watches; i++) {
		if (c->watches[i].kind == k)
			return &c->watches[i];
	}
	return NULL;
}

struct judge_context cluster_judge_context(struct cluster *c)
{
	return (struct judge_context){
		.findings = c->context.findings,
		.snapshot = &c->snapshot,
		.keys = c->context.keys,
		.limits = c->context.limits,
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

static struct cluster_watch *add_watch(struct cluster *c, struct kind *k)
{
	struct cluster_watch *w = cluster_watch_of(c, k);

	if (!w) {
		ASSERT(c->n_watches < c->max_watches); /* plan_watches has counted */
		w = &c->watches[c->n_watches++];
		*w = (struct cluster_watch){ .cluster = c, .kind = k };
	}
	return w;
}

/* A kind whose objects the snapshot keeps. */
static int plan_kind(struct cluster *c, str api_version, str name, struct err *err)
{
	struct kind *k;

	if (!api_version.n || !name.n)
		return 0; /* told by cluster_report_unwatchable */
	k = snapshot_kind(&c->snapshot, api_version, name);
	if (!k)
		return err_nomem(err);
	add_watch(c, k)->kept = true;
	return 0;
}

/* Begun only when a kind may come from one. */
static int plan_definitions(struct cluster *c, struct err *err)
{
	struct kind *k = snapshot_kind(&c->snapshot, STR("apiextensions.k8s.io/v1"), STR("CustomResourceDefinition"));

	if (!k)
		return err_nomem(err);
	c->definitions = add_watch(c, k);
	c->definitions->defines = true;
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
				r = plan_kind(c, f->sets.p[s].api_version, f->sets.p[s].kind, err);
		}
	}
	return r;
}

static int plan_template(struct cluster *c, const struct ref_template *t, struct err *err)
{
	int r = plan_kind(c, t->identity.api_version, t->identity.kind, err);

	for (size_t i = 0; r == 0 && i < t->footprint.n_lookups; i++) {
		const struct tmpl_lookup_use *use = &t->footprint.lookups[i];

		if (use->known[0] && use->known[1])
			r = plan_kind(c, use->args.api_version, use->args.kind, err);
	}
	return r;
}

static size_t count_kinds(const struct reference *ref)
{
	size_t n = 0;

	for (size_t t = 0; t < ref->n_templates; t++)
		n += 1 + ref->templates[t]->footprint.n_lookups;
	return n;
}

/* The kinds that templates are for, those that they look up by constant name, those of rule files, and definitions. */
static int plan_watches(struct cluster *c, struct err *err)
{
	size_t most = count_rule_sets(c->cfg) + 1;
	int r = 0;

	for (size_t i = 0; i < c->n_judges; i++)
		most += count_kinds(c->judges[i].reference->reference);
	c->watches = calloc(most, sizeof(*c->watches));
	c->max_watches = most;
	if (!c->watches)
		return err_nomem(err);
	for (size_t i = 0; r == 0 && i < c->n_judges; i++) {
		const struct reference *ref = c->judges[i].reference->reference;

		for (size_t t = 0; r == 0 && t < ref->n_templates; t++)
			r = plan_template(c, ref->templates[t], err);
	}
	if (r == 0)
		r = plan_rule_watches(c, err);
	return r == 0 ? plan_definitions(c, err) : r;
}

/* Rules for every kind that is kept. */
static int init_rule_judge(struct cluster *c, struct err *err)
{
	struct rule_judge_options o = {
		.cfg = c->cfg,
		.cluster = c->config->name,
		.findings = c->context.findings,
		.keys = c->context.keys,
		.limits = c->context.limits,
		.again = cluster_validate_again,
		.ctx = c,
	};
	int r = rule_judge_new(&o, &c->rules, err);

	for (size_t i = 0; r == 0 && i < c->n_watches; i++) {
		if (c->watches[i].kept)
			r = rule_judge_add_kind(c->rules, c->watches[i].kind, err);
	}
	return r;
}

static int report_unwatchable(struct cluster *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < c->n_judges; i++) {
		const struct reference *ref = c->judges[i].reference->reference;

		for (size_t t = 0; r == 0 && t < ref->n_templates; t++) {
			if (!ref->templates[t]->identity.api_version.n)
				r = cluster_report_unwatchable(c, ref->templates[t], err);
		}
	}
	return r;
}

int cluster_begin_watch(struct cluster *c, struct cluster_watch *w, struct err *err)
{
	CLEANUP(freep) char *api_version = str_dup(w->kind->api_version);
	CLEANUP(freep) char *kind = str_dup(w->kind->name);
	struct kc_watch_spec spec = { .api_version = api_version, .kind = kind };
	int r;

	if (w->watch)
		return 0;
	if (!api_version || !kind)
		return err_nomem(err);
	r = kc_watch_add(c->client, &spec, &cluster_handler, w, &w->watch, err);
	if (r < 0)
		return err_wrap(err, "watch %s %s", api_version, kind);
	snapshot_name_kind(&c->snapshot, w->kind, str_from(kc_watch_resource(w->watch)));
	return 0;
}

static int start_watches(struct cluster *c, struct err *err)
{
	bool custom = false;
	int r = report_unwatchable(c, err);

	for (size_t i = 0; r == 0 && i < c->n_watches; i++) {
		struct cluster_watch *w = &c->watches[i];

		custom |= crd_may_define(w->kind->api_version) && w->kept;
		if (w->kept)
			r = cluster_begin_watch(c, w, err);
	}
	return r == 0 && custom ? cluster_begin_watch(c, c->definitions, err) : r;
}

static void on_warning(void *ctx, const char *message)
{
	struct cluster *c = ctx;

	record_notice(c->context.sink, c->config->name, SEVERITY_WARNING, NULL, message);
}

/* The kubeconfig that @config names, and the target in it. @warned may be NULL. */
static int load_target(const struct cfg_cluster *config, struct cluster *warned, struct kubeconfig **ret,
		       struct kube_target *target, struct err *err)
{
	CLEANUP(freep) char *path = config->kubeconfig.n ? str_dup(config->kubeconfig) : NULL;
	CLEANUP(freep) char *context = config->context.n ? str_dup(config->context) : NULL;
	struct kubeconfig_source source;
	int r;

	if ((config->kubeconfig.n && !path) || (config->context.n && !context))
		return err_nomem(err);
	kubeconfig_source_env(path, &source);
	source.warn = warned ? on_warning : NULL;
	source.warn_ctx = warned;
	r = kubeconfig_load(&source, ret, err);
	return r < 0 ? r : kubeconfig_target(*ret, context, target, err);
}

int cluster_check_target(const struct cfg_cluster *config, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target target;

	return load_target(config, NULL, &kubeconfig, &target, err);
}

static uint64_t hash_of(const struct cfg *cfg, const struct cfg_cluster *config, const struct kube_target *target)
{
	uint64_t h = kube_target_hash(target, cfg_cluster_hash(cfg, config, hash_seed()));

	return h ? h : 1;
}

bool cluster_is_unchanged(const struct cluster *c, const struct cfg *cfg, const struct cfg_cluster *config)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *kubeconfig = NULL;
	struct kube_target target;
	struct err err;

	if (load_target(config, NULL, &kubeconfig, &target, &err) < 0)
		return false;
	return c->hash == hash_of(cfg, config, &target);
}

static int connect_client(struct cluster *c, struct err *err)
{
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

	r = load_target(c->config, c, &c->kubeconfig, &target, err);
	if (r == 0) {
		c->hash = hash_of(c->cfg, c->config, &target);
		r = kc_client_new(c->context.loop, &options, &c->client, err);
	}
	return r < 0 ? err_wrap(err, "cluster '%.*s'", STR_ARG(c->config->name)) : 0;
}

static void release_object(void *ctx, struct object *o)
{
	struct cluster *c = ctx;

	for (size_t i = 0; o->judged && i < c->n_judges; i++)
		reference_judge_release(&c->judges[i], o);
	rule_judge_release(o);
}

static void cluster_free(struct cluster *c)
{
	snapshot_done(&c->snapshot, release_object, c);
	for (size_t i = 0; i < c->n_judges; i++)
		reference_judge_done(&c->judges[i]);
	rule_judge_free(c->rules);
	free(c->judges);
	free(c->watches);
	kubeconfig_unref(c->kubeconfig);
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
	c->judges = calloc(c->config->n_references + 1, sizeof(*c->judges));
	if (!c->judges)
		return err_nomem(err);
	for (c->n_judges = 0; c->n_judges < c->config->n_references;) {
		size_t i = c->n_judges++;
		int r = reference_judge_init(&c->judges[i], c->cfg, c->config, c->config->references[i], i, err);

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
	c->cfg = cfg_ref(cfg);
	c->config = config;
	snapshot_init(&c->snapshot);
	r = init_judges(c, err);
	if (r == 0)
		r = plan_watches(c, err);
	if (r == 0)
		r = init_rule_judge(c, err);
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
		if (!cluster_watch_settled(&c->watches[i]))
			return kc_watch_resource(c->watches[i].watch);
	}
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

const struct reference_judge *cluster_judges(const struct cluster *c, size_t *n)
{
	*n = c->n_judges;
	return c->judges;
}

const struct cluster_watch *cluster_watches(const struct cluster *c, size_t *n)
{
	*n = c->n_watches;
	return c->watches;
}

const struct rule_judge *cluster_rule_judge(const struct cluster *c)
{
	return c->rules;
}

size_t cluster_queue_length(const struct cluster *c)
{
	return c->n_pending;
}
