/* The life of a watched cluster: what it needs to watch, and what it is made of. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"

#include <errno.h>

#define REFERENCES_MAX (UINT16_MAX - 2)          /* the type of object->stage is the limit */
#define RELEASE_SLICE_NS (2 * UINT64_C(1000000)) /* how long objects are released in one turn of the loop */

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
		.writers_unknown = c->context.rehearsed,
	};
}

/* ---- life ---- */

/* Make the judge of validation rules, for every kind that is kept. */
static int init_rule_judge(struct cluster *c, struct err *err)
{
	struct rule_judge_options o = {
		.cfg = c->cfg,
		.cluster = c->config->name,
		.shard = c->context.shard,
		.findings = c->context.findings,
		.acceptances = c->context.acceptances,
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
		const struct reference *ref = c->references[i].in_force;

		for (size_t t = 0; r == 0 && t < ref->n_templates; t++) {
			if (c->references[i].counts[t] && !ref->templates[t]->identity.api_version.n)
				r = cluster_report_unwatchable(c, ref->templates[t], err);
		}
	}
	return r;
}

/* Release objects until uv_hrtime() reaches @until_ns; true when there are more. */
static bool release_objects(struct cluster *c, uint64_t until_ns)
{
	do {
		struct object *o;

		if (cluster_has_gone(c))
			o = cluster_take_gone(c);
		else if (!(o = snapshot_drain(&c->snapshot, &c->closing.drain)))
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
	cluster_free_releases(c);
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
	c->cfg = cfg_ref(cfg);
	c->config = config;
	cluster_init_missed(c);
	cluster_init_gaps(c);
	snapshot_init(&c->snapshot, c->context.limits, c->context.keys);
	r = cluster_init_inspector(c, err);
	if (r == 0)
		r = init_judges(c, err);
	if (r == 0)
		r = cluster_plan_kinds(c, err);
	if (r == 0)
		r = cluster_init_releases(c, err);
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
	void (*closed)(void *) = c->closing.closed;
	void *closed_ctx = c->closing.ctx;

	cluster_free(c);
	if (closed)
		closed(closed_ctx);
}

static void on_releasing(uv_idle_t *releasing)
{
	if (!release_objects(releasing->data, uv_hrtime() + RELEASE_SLICE_NS))
		uv_close((uv_handle_t *)releasing, on_released);
}

/* The source is closed, and calls no handler any more. */
static void on_disconnected(void *ctx)
{
	struct cluster *c = ctx;

	c->closing.releasing.data = c;
	/* uv_idle_init and uv_idle_start always return 0 here */
	(void)uv_idle_init(c->context.loop, &c->closing.releasing);
	(void)uv_idle_start(&c->closing.releasing, on_releasing);
}

void cluster_close(struct cluster *c, void (*closed)(void *ctx), void *ctx)
{
	c->closing.closed = closed;
	c->closing.ctx = ctx;
	if (c->source)
		c->source->does->close(c->source, on_disconnected, c);
	else
		on_disconnected(c);
}

/* ---- facts ---- */

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

uint64_t cluster_arrivals(const struct cluster *c, enum arrival_outcome o)
{
	ASSERT(o < ARRIVAL_OUTCOMES);
	return c->arrivals[o];
}
