/* Applies changes of the acceptances to findings and clusters. First it ends the findings that nothing accepts any
 * more. Then it puts the objects that the changes are about into the work queues: no object is judged before a round
 * is over. */
#include "daemon/watch/accepted_apply.h"

#include "base/pattern.h"
#include "daemon/findings/clock.h"

#define ONE_BY_ONE_MAX 16

/* ---- findings ---- */

static bool is_lost(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct accepted *by = x->kind == FINDING_ACCEPTED ? acceptances_get(ctx, x->subject.acceptance) : NULL;

	*why = by ? END_EXPIRED : END_NOT_ACCEPTED;
	return x->kind == FINDING_ACCEPTED && !(by && by->in_force);
}

bool accepted_end_lost(const struct acceptances *s, struct findings *f, struct findings_scan *scan, uint64_t until_ns)
{
	if (!scan->begun)
		findings_scan_begin(f, scan);
	while (!findings_end_some(f, scan, is_lost, (void *)s)) {
		if (uv_hrtime() >= until_ns)
			return false;
	}
	findings_scan_end(scan);
	return true;
}

/* ---- what has changed ---- */

/* Whether the acceptance concerns at most one object of each kind. */
static bool is_exact(const struct accepted *x)
{
	return x->is.says.component.n ||
	       (accepted_is_named(x) && x->is.says.namespace.n && patterns_are_names(&x->is.says.namespace, 1));
}

struct accepted_news accepted_news(const struct acceptances *s)
{
	struct accepted_news news = { .exact = true };
	const struct accepted *x = NULL;
	bool named = true;
	size_t n = 0;

	for (; (x = acceptances_changed(s, x)); n++) {
		news.last = x->change;
		news.lost |= !x->in_force;
		news.exact &= is_exact(x);
		named &= x->is.says.component.n || accepted_is_named(x);
	}
	news.many = n > ONE_BY_ONE_MAX;
	news.everything = news.many && !named;
	news.exact &= !news.many;
	return news;
}

static bool is_among(const struct accepted_news *news, const struct accepted *x)
{
	return x->changed && x->change <= news->last;
}

bool accepted_news_concern(const struct acceptances *s, const struct accepted_news *news, const struct cluster *c,
			   const struct finding_subject *of)
{
	struct accepted_walk w = { 0 };
	const struct accepted *x = NULL;

	if (news->everything)
		return true;
	if (news->many)
		w.named = acceptances_for_object(s, of->name).named;
	while ((x = news->many ? accepted_walk_next(&w) : acceptances_changed(s, x))) {
		if (is_among(news, x) && !x->is.says.component.n && cluster_accepts_of(c, &x->is.says, of))
			return true;
	}
	return false;
}

/* ---- a round ---- */

struct concerned {
	const struct acceptances *set;
	const struct accepted_news *news;
};

static bool concerns(void *ctx, const struct cluster *c, const struct finding_subject *s)
{
	const struct concerned *x = ctx;

	return accepted_news_concern(x->set, x->news, c, s);
}

/* Each changed acceptance names its object, so that the object is looked up and the others are not gone through. */
static void judge_exact(struct cluster *c, struct concerned *ctx)
{
	const struct accepted *x = NULL;

	while ((x = acceptances_changed(ctx->set, x)) && is_among(ctx->news, x))
		cluster_judge_accepted_of(c, x->is.says.namespace, x->is.says.name, concerns, ctx);
}

/* Have the clusters judge again what the changes are about, one cluster after the other. If another cluster is at
 * the place of the one that was being walked, all clusters are walked again; a new cluster judges everything anyway.
 * False: the time is up. */
static bool judge_some(struct accepted_round *r, const struct acceptances *s, struct cluster *const *clusters, size_t n,
		       uint64_t until_ns)
{
	struct concerned ctx = { s, &r->news };

	if (r->cluster && (r->at >= n || clusters[r->at] != r->cluster))
		r->at = 0;
	for (; r->at < n; r->at++) {
		if (clusters[r->at] != r->cluster)
			r->walk = (struct cluster_walk){ 0 };
		r->cluster = clusters[r->at];
		if (r->news.exact)
			judge_exact(clusters[r->at], &ctx);
		else if (!cluster_judge_accepted(clusters[r->at], &r->walk, concerns, &ctx, until_ns))
			return false;
	}
	return true;
}

void accepted_round_end(struct accepted_round *r)
{
	findings_scan_end(&r->scan);
	*r = (struct accepted_round){ 0 };
}

static bool go_on(struct accepted_round *r, struct acceptances *s, struct findings *f, struct cluster *const *clusters,
		  size_t n, uint64_t until_ns)
{
	if (!r->ended)
		r->ended = !r->news.lost || accepted_end_lost(s, f, &r->scan, until_ns);
	if (!r->ended || (r->news.last && !judge_some(r, s, clusters, n, until_ns)))
		return false;
	acceptances_forget_changes(s, r->news.last);
	accepted_round_end(r);
	return true;
}

bool accepted_apply_some(struct accepted_round *r, struct acceptances *s, struct findings *f,
			 struct cluster *const *clusters, size_t n, uint64_t until_ns)
{
	if (!r->begun) {
		acceptances_tick(s, clock_usec());
		r->news = accepted_news(s);
		r->news.lost |= r->all;
		if (!r->news.last && !r->all)
			return true;
		r->begun = true;
	}
	return go_on(r, s, f, clusters, n, until_ns) && !acceptances_changed(s, NULL);
}

void accepted_apply(struct acceptances *s, struct findings *f, struct cluster *const *clusters, size_t n)
{
	struct accepted_round r = { 0 };

	while (!accepted_apply_some(&r, s, f, clusters, n, UINT64_MAX)) {
	}
}
