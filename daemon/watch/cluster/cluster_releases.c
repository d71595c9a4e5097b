/* The releases of Helm in a cluster: their Secrets are watched, what is in force follows from them, and what is wrong
 * with one is reported.
 *
 *   Secret --cluster_releases_arrive--> books, one for each reference of releases
 *                                         |  cluster_releases_work: before anything is judged, and then at most
 *                                         v  every PAUSE_NS
 *                                       the reference in force, of the judge
 */
#include "daemon/watch/cluster/cluster_internal.h"

#include "base/assert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_owner.h"
#include "daemon/findings/notice.h"
#include "kubeclient/kc_resource.h"

#include <inttypes.h>

/* The pause between two changes: each time all objects of the cluster are looked through. A first change, and the
 * suspension of a release, are put in force at once. */
#define PAUSE_NS (300 * UINT64_C(1000000))

static struct release_time now_is(const struct cluster *c)
{
	return (struct release_time){ clock_ns(), clock_usec(), c->phase == CLUSTER_LISTING };
}

/* ---- the watch ---- */

static enum release_scope scope_of(void *ctx, str api_version, str kind)
{
	const struct cluster *c = ctx;
	struct group_version of = group_version_of(api_version);
	const struct kc_resource *r;
	size_t at = 0;

	while (c->source && (r = c->source->does->listable(c->source, &at))) {
		if (str_eq(str_from(r->kind), kind) && str_eq(str_from(r->group), of.group) &&
		    str_eq(str_from(r->version), of.version))
			return r->namespaced ? RELEASE_IN_NAMESPACES : RELEASE_OUTSIDE;
	}
	return RELEASE_SCOPE_UNKNOWN;
}

static int add_book(struct cluster *c, size_t judge, struct err *err)
{
	const struct release_book_options o = {
		.reference = c->references[judge].reference,
		.limits = c->context.limits,
		.keys = c->context.keys,
		.scope = scope_of,
		.ctx = c,
	};

	return c->references[judge].in_force->changes ? release_book_new(&o, &c->releases.books[judge], err) : 0;
}

/* Watch the kind in which this driver of Helm keeps releases. If references are about the kind too, it is watched
 * once, as a whole. */
static int add_driver(struct cluster *c, enum helm_driver driver, struct err *err)
{
	const struct planned_kind *plan = &c->plan.releases[driver];
	const struct kind *known = snapshot_find_kind(&c->snapshot, plan->api_version, plan->kind);
	struct cluster_kind *k = known ? cluster_kind_of(c, known) : NULL;
	int r = k ? 0 : cluster_add_kind(c, plan->api_version, plan->kind, plan, &k, err);

	if (r < 0)
		return r;
	k->releases = true;
	c->releases.kinds[driver] = k;
	return 0;
}

int cluster_init_releases(struct cluster *c, struct err *err)
{
	int r = 0;

	for (int d = 0; r == 0 && d < HELM_DRIVERS; d++)
		r = c->plan.releases[d].kind.n ? add_driver(c, (enum helm_driver)d, err) : 0;
	if (r < 0 || !cluster_has_releases(c))
		return r;
	c->releases.books = calloc(c->n_references, sizeof(struct release_book *));
	if (!c->releases.books)
		return err_nomem(err);
	for (size_t i = 0; i < c->n_references && r == 0; i++)
		r = add_book(c, i, err);
	return r;
}

void cluster_free_releases(struct cluster *c)
{
	for (size_t i = 0; c->releases.books && i < c->n_references; i++)
		release_book_free(c->releases.books[i]);
	free(c->releases.books);
}

bool cluster_has_releases(const struct cluster *c)
{
	return c->releases.kinds[HELM_SECRETS] || c->releases.kinds[HELM_CONFIG_MAPS];
}

/* True when the reference is made of releases, and it is not known yet which releases the cluster has. */
static bool awaits_releases(const struct cluster *c, size_t judge)
{
	const struct cluster_kind *k = c->releases.kinds[c->references[judge].reference->helm.driver];

	return c->releases.books[judge] && !k->kind->known;
}

const struct release_book *cluster_releases(const struct cluster *c, size_t judge)
{
	ASSERT(judge < c->n_references);
	return c->releases.books ? c->releases.books[judge] : NULL;
}

void cluster_releases_arrive(struct cluster_kind *k, const struct kc_object *e)
{
	struct cluster *c = k->cluster;
	struct release_time now = now_is(c);

	if (c->releases.adopted)
		return;
	(void)!kc_key_store_take_in(&k->defined, e); /* without memory, a later removal of the Secret is not noticed */
	for (size_t i = 0; i < c->n_references; i++) {
		struct release_book *b = c->releases.books[i];

		if (k != c->releases.kinds[c->references[i].reference->helm.driver])
			continue;
		if (b && (e->event == KC_DELETED || e->unreadable))
			release_book_drop(b, e->key, now);
		else if (b && !e->unchanged)
			release_book_take(b, e->doc->root, now);
	}
	c->context.wake(c->context.ctx);
}

/* ---- reporting releases ---- */

static struct finding_subject subject_of(const struct cluster *c, const struct reference_judge *rj,
					 const struct known_release *k)
{
	return (struct finding_subject){
		.cluster = c->config->name,
		.reference = rj->reference->name,
		.reference_hash = str_from(rj->in_force->hash),
		.part = RELEASES_PART,
		.component = k->name,
	};
}

static bool is_reported_here(const struct cluster *c, const struct reference_judge *rj, const struct known_release *k)
{
	struct finding_subject s = subject_of(c, rj, k);

	return component_is_own(c->context.shard, &s);
}

/* The place of a release in a summary: "helm/shop:". */
static str release_place(struct arena *a, const struct finding_subject *s, const struct known_release *k)
{
	return arena_printf(a, "%.*s/%.*s:", STR_ARG(s->part), STR_ARG(k->name));
}

static void report_problem(struct cluster *c, const struct reference_judge *rj, const struct known_release *k)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(RECORD_VALUE_MAX);
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_ERROR,
				    .severity = cfg_severity(rj->reference, k->name),
				    .subject = subject_of(c, rj, k) };
	struct err err;

	release_problem(k, &why);
	if (!why.n) {
		findings_clear(c->context.findings, FINDING_ERROR, &r.subject, END_REPAIRED);
		return;
	}
	r.state = buf_str(&why);
	finding_report_say(&r, &a, release_place(&a, &r.subject, k), r.state);
	/* without memory the problem is reported with the release's next change */
	(void)!findings_report(c->context.findings, &r, &err);
}

/* Report a release that has been changing for too long: what is wrong with its objects is not reported meanwhile. */
static void report_stuck(struct cluster *c, const struct reference_judge *rj, const struct known_release *k,
			 struct release_time now)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct finding_report r = { .kind = FINDING_GAP,
				    .severity = SEVERITY_WARNING,
				    .subject = subject_of(c, rj, k) };
	struct err err;

	r.subject.shard = cluster_gap_shard(c);
	if (release_changing(k, now) < RELEASE_STUCK_USEC) {
		findings_clear(c->context.findings, FINDING_GAP, &r.subject, END_REPAIRED);
		return;
	}
	r.state = arena_printf(&a, "revision %u has been %s for %d min", k->newest.number,
			       helm_status_name(k->newest.status), (int)(RELEASE_STUCK_USEC / 60000000));
	finding_report_say(&r, &a, release_place(&a, &r.subject, k),
			   arena_printf(&a, "its %.*s: nothing is said of its objects", STR_ARG(r.state)));
	/* without memory the release is reported at the next tick */
	(void)!findings_report(c->context.findings, &r, &err);
}

static bool release_over(void *ctx, const struct finding *x, enum end_reason *why)
{
	const struct cluster *c = ctx;

	*why = END_NOT_IN_REFERENCE;
	if ((x->kind != FINDING_ERROR && x->kind != FINDING_GAP) || x->subject.kind.n || !x->subject.component.n ||
	    !str_eq(x->subject.cluster, c->config->name))
		return false;
	for (size_t i = 0; i < c->n_references; i++) {
		if (c->releases.books[i] && str_eq(c->references[i].reference->name, x->subject.reference))
			return !awaits_releases(c, i) && !release_book_find(c->releases.books[i], x->subject.component);
	}
	return false;
}

static void report_releases(struct cluster *c, struct release_time now)
{
	for (size_t i = 0; i < c->n_references; i++) {
		const struct reference_judge *rj = &c->references[i];
		const struct known_release *k;

		for (size_t at = 0; c->releases.books[i] && (k = release_book_get(c->releases.books[i], at)); at++) {
			if (!is_reported_here(c, rj, k))
				continue;
			report_problem(c, rj, k);
			report_stuck(c, rj, k, now);
		}
	}
}

/* ---- putting releases in force ---- */

static void judge_again(void *ctx, struct object *o)
{
	cluster_enqueue(ctx, o);
}

static int put_in_force(struct cluster *c, size_t judge, struct err *err)
{
	CLEANUP(reference_unrefp) struct reference *next = NULL;
	struct judge_context j = cluster_judge_context(c);
	int r = release_book_make(c->releases.books[judge], &next, err);

	return r < 0 ? r : reference_judge_replace(&c->references[judge], next, &j, judge_again, c, err);
}

/* Put changed releases in force. True: some reference was replaced. */
static bool replace_changed(struct cluster *c, struct release_time now)
{
	bool any = false;

	for (size_t i = 0; i < c->n_references; i++) {
		struct release_book *b = c->releases.books[i];
		struct err err;

		if (!b || awaits_releases(c, i) || !release_book_changed(b, now) ||
		    (now.ns < c->releases.next_ns && !release_book_is_urgent(b)))
			continue;
		if (put_in_force(c, i, &err) < 0) {
			release_book_again(b);
			record_notice(c->context.sink, c->config->name, SEVERITY_ERROR, NULL, err.msg);
			continue;
		}
		any = true;
	}
	return any;
}

void cluster_releases_work(struct cluster *c)
{
	struct release_time now;

	if (!cluster_has_releases(c) || c->releases.adopted)
		return;
	now = now_is(c);
	if (!replace_changed(c, now))
		return;
	c->releases.next_ns = now.ns + PAUSE_NS;
	for (size_t i = 0; i < c->kinds.n; i++)
		cluster_note_versions(c->kinds.p[i]);
	cluster_kinds_changed(c);
	report_releases(c, now);
	findings_end_where(c->context.findings, release_over, c);
}

/* The judge of the running cluster whose reference of releases has the same name and settings; NULL: there is none. */
static const struct reference_judge *twin_of(const struct cluster *running, const struct cfg_reference *r)
{
	for (size_t i = 0; i < running->n_references; i++) {
		const struct cfg_reference *its = running->references[i].reference;

		if (str_eq(its->name, r->name) && its->helm.given && its->content == r->content)
			return &running->references[i];
	}
	return NULL;
}

int cluster_adopt_releases(struct cluster *c, const struct cluster *running, void (*unknown)(void *ctx, str reference),
			   void *ctx, struct err *err)
{
	struct judge_context j = cluster_judge_context(c);
	int r = 0;

	c->releases.adopted = true;
	for (size_t i = 0; c->releases.books && r == 0 && i < c->n_references; i++) {
		struct reference_judge *rj = &c->references[i];
		const struct reference_judge *twin = twin_of(running, rj->reference);

		if (c->releases.books[i] && twin)
			r = reference_judge_replace(rj, twin->in_force, &j, judge_again, c, err);
		else if (c->releases.books[i])
			unknown(ctx, rj->reference->name);
	}
	return r;
}

void cluster_tick_releases(struct cluster *c)
{
	struct release_time now;

	if (!cluster_has_releases(c) || c->phase != CLUSTER_LIVE || c->releases.adopted)
		return;
	now = now_is(c);
	report_releases(c, now);
	for (size_t i = 0; i < c->n_references; i++) {
		if (c->releases.books[i] && release_book_changed(c->releases.books[i], now))
			c->context.wake(c->context.ctx);
	}
}
