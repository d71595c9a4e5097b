/* What cannot be watched, told when it has lasted. */
#include "daemon/watch/cluster_internal.h"

/* A watch that fails for less is no gap: watching resumes where it stopped. */
#define GAP_GRACE_NS (10 * UINT64_C(1000000000))

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
	struct err err;

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
	(void)!findings_report(c->context.findings, &r, &err); /* again at the next tick */
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
	clear_gap(c, NULL);
}

void cluster_tick(struct cluster *c)
{
	cluster_retry(c, uv_hrtime());
	if (kc_client_up(c->client) && kc_client_discovered(c->client))
		tick_up(c, uv_hrtime());
	else
		tick_down(c, uv_hrtime());
}

void cluster_watch_works(struct cluster *c, struct cluster_watch *w)
{
	w->failing_since_ns = 0;
	w->forbidden = false;
	clear_gap(c, w);
}

int cluster_report_unwatchable(struct cluster *c, const struct ref_template *t, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = {
		.kind = FINDING_GAP,
		.severity = SEVERITY_WARNING,
		.subject = { .cluster = c->config->name, .kind = t->identity.kind, .template_path = t->path },
	};

	r.what = arena_printf(&a, "%.*s: objects of template %.*s are not watched: it does not fix their apiVersion",
			      STR_ARG(c->config->name), STR_ARG(t->path));
	r.state = r.what;
	return findings_report(c->context.findings, &r, err);
}
