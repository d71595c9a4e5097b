/* One stage for each cluster that the next configuration changes. */
#include "daemon/watch/rehearsal.h"

#include "base/assert.h"
#include "base/slice_sort.h"
#include "base/strmap.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_record.h"
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/renames.h"
#include "daemon/watch/source/feed.h"
#include "mask/foreign.h"
#include "value/identity.h"

#include <errno.h>
#include <stdio.h>

/* the time in one turn of the loop; what happens meanwhile waits for the same loop */
#define SLICE_NS (2 * UINT64_C(1000000))
#define AT_ONCE 64 /* findings that are copied before the clock is looked at */
#define KEY_MAX ((size_t)16 << 20)
/* objects that are fed before the clock is looked at: fewer than findings, because each is read */
#define FED_AT_ONCE 8

/* A definition (@doc) or an object (@stored); the other member is NULL. */
struct known_object {
	struct doc *doc;
	struct stored_object *stored;
	uint8_t event; /* what happened to the object last */
};

/* What a watch would list, as far as the running cluster knows it. */
struct script {
	enum { SCRIPT_KNOWN, SCRIPT_ABSENT, SCRIPT_UNKNOWN } what;
	VEC(struct known_object) docs;
	size_t at;
	bool over;
};

struct stage {
	struct rehearsal *rehearsal;
	const struct cluster *running; /* NULL: the cluster does not run, or what it knows has been read */
	struct source_maker maker;
	/* the reload leaves the cluster as it is: only deviations that become accepted, or are accepted no longer,
	 * are judged */
	bool goes_on;
	struct feed *feed;
	struct cluster *cluster;
};

/* An open finding that is copied on a later turn. */
struct awaited {
	int64_t since_usec;
	str key; /* the finding's key, in the arena */
};

/*   new --> looking at findings --> putting them in order of age --> copying --> stages, one by one --> closing
 *       --> releasing --> freed */
struct rehearsal {
	struct rehearsal_options o;
	struct rehearsal_result result;
	struct arena arena;         /* memory of the result and of keys */
	struct doc_cache doc_cache; /* reads stored objects */
	struct findings *findings;
	struct findings_scan scan; /* the walk over findings that are open */
	bool looked;
	struct slice_sort sort;
	VEC(struct awaited) awaited;
	size_t copied;
	struct findings_scan lost; /* the walk over the copies of findings */
	bool ended_lost;
	struct renames renames;
	/* keys of the findings that ended outside while the rehearsal runs: they do not begin in the rehearsal */
	struct strmap over;
	/* the acceptances of the next configuration */
	struct acceptances *acceptances;
	struct accepted_news news; /* which of the acceptances differ from today's, and what these may be about */
	struct sink *sink;
	VEC(struct stage *) stages;
	size_t at;   /* the number of the stage that is being worked on */
	size_t open; /* stages whose cluster is not closed yet */
	uv_idle_t work;
	uint64_t ends_ns;
	bool cancelled;
};

/* ---- the result ---- */

static void note_unknown(struct rehearsal *r, str cluster, str resource)
{
	str text = resource.n ? arena_printf(&r->arena, "cluster %.*s: %.*s", STR_ARG(cluster), STR_ARG(resource))
			      : arena_printf(&r->arena, "cluster %.*s", STR_ARG(cluster));

	for (size_t i = 0; text.p && i < r->result.unknown.n; i++) {
		if (str_eq(r->result.unknown.p[i], text))
			return;
	}
	r->result.complete &= text.p && vec_push(&r->result.unknown, text);
}

/* Count a transition, and keep the first REHEARSED_MAX of them to be listed one by one. @message: of its record. */
static void note(struct rehearsal *r, enum transition t, const struct finding *f, str message)
{
	struct rehearsed x = { .transition = t, .severity = f->severity, .kind = f->kind };

	r->result.n[t]++;
	if (r->result.first.n == REHEARSED_MAX)
		return;
	x.message = arena_str(&r->arena, message);
	if (t != TRANSITION_BEGIN)
		memcpy(x.id, f->id, sizeof(x.id));
	r->result.complete &= x.message.p && finding_copy_subject(&r->arena, &f->subject, &x.subject) &&
			      vec_push(&r->result.first, x);
}

/* True for the end of a finding that has not lasted long enough to be reported: its end is not reported either. */
static bool is_unheard(const struct finding *x, enum transition t)
{
	return t == TRANSITION_END && clock_ns() < x->reported_from_ns;
}

static struct stage *stage_of(const struct rehearsal *r, str cluster)
{
	for (size_t i = 0; i < r->stages.n; i++) {
		struct stage *stage = r->stages.p[i];

		if (stage->cluster && str_eq(cluster_name(stage->cluster), cluster))
			return stage;
	}
	return NULL;
}

/* Whether the rehearsal judges what @x is about. In a cluster that goes on, only components and what acceptances are
 * about are judged again. */
static bool is_judged(const struct rehearsal *r, const struct finding *x)
{
	const struct stage *stage = stage_of(r, x->subject.cluster);

	return !stage || !stage->goes_on || !x->subject.name.n || x->kind == FINDING_COMPONENT ||
	       x->kind == FINDING_ACCEPTED ||
	       accepted_news_concern(r->acceptances, &r->news, stage->cluster, &x->subject);
}

static void take(void *ctx, const struct emission *t)
{
	struct rehearsal *r = ctx;
	enum transition what;

	if (!t->finding || t->finding->kind == FINDING_GAP)
		return;
	if (strmap_has(&r->over, t->finding->key) || !t->record || !record_transition(t->record, &what))
		return;
	if (!is_unheard(t->finding, what) && is_judged(r, t->finding))
		note(r, what, t->finding, t->record->text);
}

/* ---- what the feed lists ---- */

static void known_object_done(struct known_object *o)
{
	doc_unref(o->doc);
	stored_object_unref(o->stored);
}

static void script_free(struct script *s)
{
	for (size_t i = s->at; i < s->docs.n; i++)
		known_object_done(&s->docs.p[i]);
	vec_done(&s->docs);
	free(s);
}

static bool covers(const struct watch_scope *wide, str namespace, str name)
{
	return (!wide->namespace.n || str_eq(wide->namespace, namespace)) &&
	       (!wide->name.n || str_eq(wide->name, name));
}

/* A watch of the running cluster that covers at least this collection and works now. */
static const struct cluster_watch *find_watch(const struct cluster_kind *k, str namespace, str name)
{
	for (size_t i = 0; i < k->n_watches; i++) {
		const struct cluster_watch *w = &k->watches[i];

		if (w->known != WATCH_UNKNOWN && covers(&w->scope, namespace, name))
			return w;
	}
	return NULL;
}

static const struct cluster_kind *find_kind(const struct cluster *c, str api_version, str kind)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(c, &n);

	for (size_t i = 0; i < n; i++) {
		if (str_eq(kinds[i]->kind->api_version, api_version) && str_eq(kinds[i]->kind->name, kind))
			return kinds[i];
	}
	return NULL;
}

static bool add_definition(void *ctx, struct doc *d)
{
	struct script *s = ctx;

	if (!vec_push(&s->docs, ((struct known_object){ .doc = d })))
		return false;
	(void)doc_ref(d);
	return true;
}

static bool add_object(struct script *s, const struct object *o)
{
	if (!vec_push(&s->docs, ((struct known_object){ .stored = o->stored, .event = o->event })))
		return false;
	(void)stored_object_ref(o->stored);
	return true;
}

#define AHEAD 8 /* the distance, in objects, at which memory is fetched */

/* Objects and their texts lie anywhere in memory, and there are many: those that come soon are fetched into the
 * processor's cache while the present one is taken. */
static void fetch_ahead(const struct index *objects, size_t at)
{
	size_t near = at + AHEAD, far = at + 2 * (size_t)AHEAD;
	const struct object *soon = index_each(objects, &near), *later = index_each(objects, &far);

	if (soon)
		__builtin_prefetch(soon->stored, 1);
	if (later)
		__builtin_prefetch(later);
}

/* Collect the objects that the watch would list. An object that cannot be read goes in by its name only, so that its
 * verdict stays what it was. False without memory. */
static bool collect(const struct cluster_kind *k, str namespace, str name, struct script *s)
{
	const struct watch_scope scope = { namespace, name };
	const struct object *o;
	size_t at = 0;

	if (k->releases && !k->kept) /* the running cluster has already put in force what these Secrets say */
		return true;
	if (!k->kept)
		return rule_judge_each_definition(cluster_rule_judge(k->cluster), add_definition, s);
	if (!vec_reserve(&s->docs, k->kind->objects.n))
		return false;
	while ((o = index_each(&k->kind->objects, &at))) {
		str its_namespace, its_name;

		fetch_ahead(&k->kind->objects, at);

		identity_local_split(object_key(o), &its_namespace, &its_name);
		if (o->stored && !o->unreadable && covers(&scope, its_namespace, its_name) && !add_object(s, o))
			return false;
	}
	return true;
}

/* Whether the watch also needs objects that other shards report. */
static bool is_shared(const struct feed_watch *w)
{
	const struct cluster_watch *watch = w->ctx;
	const struct cluster *c = watch->of->cluster;

	return watch->of->kind->shared && cluster_is_shared(c);
}

static void on_add(void *owner, struct feed_watch *w)
{
	struct stage *stage = owner;
	struct script *s = w->owner = calloc(1, sizeof(*s));
	str namespace = str_from(w->spec.namespace), name = str_from(w->spec.name);
	const struct cluster_kind *k = NULL;
	const struct cluster_watch *seen;

	if (!s) /* without memory the kind stays unknown */
		return;
	if (stage->running)
		k = find_kind(stage->running, str_from(w->spec.api_version), str_from(w->spec.kind));
	seen = k ? find_watch(k, namespace, name) : NULL;
	if (seen && seen->known != WATCH_ABSENT && is_shared(w) && !k->kind->shared)
		seen = NULL; /* the running cluster does not keep what other processes report */
	s->what = !seen ? SCRIPT_UNKNOWN : seen->known == WATCH_ABSENT ? SCRIPT_ABSENT : SCRIPT_KNOWN;
	if (k)
		(void)snprintf(w->resource, sizeof(w->resource), "%.*s", STR_ARG(k->kind->resource));
	if (s->what == SCRIPT_KNOWN && !collect(k, namespace, name, s))
		s->what = SCRIPT_UNKNOWN;
}

static void on_remove(void *owner, struct feed_watch *w)
{
	(void)owner;
	if (w->owner)
		script_free(TAKE(w->owner));
}

static void on_close(void *owner)
{
	struct stage *stage = owner;

	for (size_t i = 0; i < stage->feed->watches.n; i++)
		on_remove(owner, stage->feed->watches.p[i]);
	stage->feed = NULL;
}

static int open_feed(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err)
{
	struct stage *stage = ctx;

	stage->feed = feed_new(o);
	if (!stage->feed)
		return err_nomem(err);
	stage->feed->owner = stage;
	stage->feed->on_add = on_add;
	stage->feed->on_remove = on_remove;
	stage->feed->on_close = on_close;
	*ret = &stage->feed->source;
	return 0;
}

/* Report the kinds that discovery has found, while the running source still exists. */
static bool report_kinds(struct stage *stage)
{
	const struct watch_source *s = cluster_source(stage->running);
	const struct kc_resource *kind;
	size_t at = 0;
	bool ok = true;

	if (!stage->feed->discovered)
		return true;
	while (s && ok && (kind = s->does->listable(s, &at)))
		ok = vec_push(&stage->feed->offers, kind);
	stage->feed->discovered(stage->feed->ctx);
	stage->feed->offers.n = 0;
	return ok;
}

/* ---- feeding ---- */

/* The document of the object. Who wrote its fields is known only if a rule of the running configuration asks for it,
 * or if the object drifts; otherwise the rehearsal says nothing of it. NULL without memory. */
static struct doc *read_known(struct rehearsal *r, const struct feed_watch *w, const struct known_object *known,
			      str *managed_fields)
{
	const struct object_type type = { str_from(w->spec.api_version), str_from(w->spec.kind) };
	struct doc *d = NULL;
	struct err err;

	*managed_fields = STR("");
	if (known->doc)
		return doc_ref(known->doc);
	if (doc_cache_read(&r->doc_cache, known->stored, &type, &d, managed_fields, &err) < 0)
		return NULL;
	if (!known->stored->n_managed)
		*managed_fields = STR("[]"); /* nobody wrote the object, and that is known */
	else if (!known->stored->whole || known->stored->reducible)
		*managed_fields = STR("");
	return d;
}

/* Rules see the last event of the object as it happened, not as one of an earlier process. */
static void set_event(const struct feed_watch *w, str key, uint8_t event)
{
	const struct cluster_watch *watch = w->ctx;
	struct object *o = snapshot_find(watch->of->kind, key);

	if (o)
		o->event = event;
}

/* False without memory. */
static bool feed_object(struct stage *stage, struct feed_watch *w, const struct known_object *known)
{
	struct rehearsal *r = stage->rehearsal;
	str managed_fields;
	CLEANUP(doc_unrefp) struct doc *d = read_known(r, w, known, &managed_fields);
	char space[512];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	struct identity id = identity_of(d ? d->root : val_null());
	struct kc_object o = {
		.event = KC_LISTED,
		.namespace = id.namespace,
		.name = id.name,
		.doc = d,
		.managed_fields = managed_fields,
		.received_ns = clock_ns(),
	};

	if (!d)
		return false;
	o.uid = foreign_name(val_dig(d->root, "metadata", "uid", NULL));
	o.resource_version = foreign_name(val_dig(d->root, "metadata", "resourceVersion", NULL));
	identity_local_key(id.namespace, id.name, &key);
	o.key = buf_str(&key);
	if (key.error) /* no object of a cluster has a key that is too long for @space */
		return true;
	w->handler.object(w->ctx, &o);
	if (stage->goes_on && known->stored)
		set_event(w, o.key, known->event);
	return true;
}

static struct feed_watch *next_watch(const struct feed *f)
{
	for (size_t i = 0; i < f->watches.n; i++) {
		const struct script *s = f->watches.p[i]->owner;

		if (!s || !s->over)
			return f->watches.p[i];
	}
	return NULL;
}

static void feed_end(struct stage *stage, struct feed_watch *w)
{
	struct script *s = w->owner;
	struct err why;

	s->over = true;
	if (s->what == SCRIPT_KNOWN) {
		w->handler.synced(w->ctx, KC_LIST_START);
		w->handler.state(w->ctx, KC_WATCHING, NULL);
		return;
	}
	if (s->what == SCRIPT_UNKNOWN)
		note_unknown(stage->rehearsal, cluster_name(stage->cluster), str_from(w->resource));
	(void)err_set(&why, EACCES, "not watched now");
	w->handler.state(w->ctx, s->what == SCRIPT_ABSENT ? KC_ABSENT : KC_FORBIDDEN, &why);
}

/* Feed some more objects. A handler may add and remove watches meanwhile. False: all is fed, or memory is short. */
static bool feed_some(struct stage *stage)
{
	struct feed_watch *w = next_watch(stage->feed);
	struct script *s = w ? w->owner : NULL;

	if (!s) {
		stage->rehearsal->result.complete &= !w;
		return false;
	}
	for (size_t i = 0; i < FED_AT_ONCE && s->at < s->docs.n; i++) {
		struct known_object *o = &s->docs.p[s->at++];

		stage->rehearsal->result.complete &= feed_object(stage, w, o);
		known_object_done(o);
	}
	if (s->at == s->docs.n)
		feed_end(stage, w);
	return true;
}

/* ---- findings of the running clusters ---- */

static bool is_about_objects(const struct finding *x)
{
	return x->kind != FINDING_GAP && !(x->kind == FINDING_ERROR && x->subject.rule.n);
}

/* Note that a finding ends because the next configuration does not watch its cluster. */
static void note_unwatched(struct rehearsal *r, const struct finding *x)
{
	const struct record_terms terms = { .cluster_named = r->o.next->n_clusters > 1 };
	struct record end;

	if (x->kind == FINDING_GAP || !x->announced || is_unheard(x, TRANSITION_END))
		return;
	record_end(&end, x, NULL, end_reason_text(END_CLUSTER_GONE), &(struct blame){ 0 }, &terms);
	note(r, TRANSITION_END, x, end.text);
	record_done(&end);
}

/* The finding under the names of the next configuration. The copy borrows from @x. */
static struct finding renamed(struct rehearsal *r, const struct finding *x)
{
	struct finding copy = *x, moved = *x;

	return r->renames.next && renames_move(&r->renames, &moved) ? moved : copy;
}

static bool await(struct rehearsal *r, const struct finding *x)
{
	struct awaited w = { x->first_seen_usec, arena_str(&r->arena, x->key) };

	return w.key.p && vec_push(&r->awaited, w);
}

static int compare_age(const void *a, const void *b)
{
	const struct awaited *x = a, *y = b;

	return (x->since_usec > y->since_usec) - (x->since_usec < y->since_usec);
}

/* Whether a finding about rules, and not about an object, is open in a cluster that runs. */
static bool any_of_rules(const struct rehearsal *r)
{
	for (size_t i = 0; i < r->o.n_clusters; i++) {
		const struct finding_counters *c = findings_counters(r->o.findings, cluster_name(r->o.clusters[i]));

		if (c && c->rule_errors)
			return true;
	}
	return false;
}

static int copy_now(struct rehearsal *r, const struct finding *x, struct err *err)
{
	struct finding next = renamed(r, x);

	if (is_about_objects(x) || !cfg_find_cluster(r->o.next, next.subject.cluster))
		return 0;
	return findings_restore(r->findings, &next, err) < 0 ? err_nomem(err) : 0;
}

/* Copy the findings that are about no object. This is done at once, because making the clusters needs them. */
static int copy_what_is_about_none(struct rehearsal *r, struct err *err)
{
	const struct finding *x = NULL;
	size_t at = 0;
	int status = 0;

	while (status == 0 && (x = findings_each_gap(r->o.findings, &at, x)))
		status = copy_now(r, x, err);
	if (!any_of_rules(r))
		return status;
	for (at = 0; status == 0 && (x = findings_each(r->o.findings, &at));) {
		if (x->kind != FINDING_GAP)
			status = copy_now(r, x, err);
	}
	return status;
}

/* Look at the findings about objects, of which there may be very many. They are copied on later turns: in the
 * rehearsal they begin only when their objects are judged. True: there are more, and the time is up. */
static bool look_at_findings(struct rehearsal *r, uint64_t until_ns)
{
	const struct finding *x;
	size_t n = 0;

	if (r->looked)
		return false;
	while ((x = findings_scan_next(&r->scan))) {
		struct finding next = renamed(r, x);

		if (!cfg_find_cluster(r->o.next, next.subject.cluster))
			note_unwatched(r, x);
		else if (is_about_objects(x))
			r->result.complete &= await(r, x);
		if (++n % AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return true;
	}
	r->result.complete &= r->scan.begun; /* @begun is false if findings of another host took the place of these */
	findings_scan_end(&r->scan);
	r->looked = true;
	r->result.complete &=
		slice_sort_begin(&r->sort, r->awaited.p, r->awaited.n, sizeof(*r->awaited.p), compare_age);
	return uv_hrtime() >= until_ns;
}

/* Sort the findings by age, because findings_restore takes the oldest first. True: the time is up. */
static bool sort_findings(struct rehearsal *r, uint64_t until_ns)
{
	while (slice_sort_step(&r->sort)) {
		if (uv_hrtime() >= until_ns)
			return true;
	}
	slice_sort_done(&r->sort);
	return false;
}

/* A finding ended while the rehearsal runs. The rehearsal still sees the objects as they were at its beginning, and
 * must not report that the finding begins again. */
static void on_ended(void *ctx, const struct finding *x)
{
	CLEANUP(buf_done) struct buf key = BUF_INIT(KEY_MAX);
	struct rehearsal *r = ctx;
	struct finding next = renamed(r, x);

	finding_key(next.kind, &next.subject, &key);
	r->result.complete &= !key.error && strmap_put(&r->over, buf_str(&key), r, NULL);
}

/* Copy the finding with this key. If it has ended meanwhile, note that instead. False without memory. */
static bool copy_one(struct rehearsal *r, str key)
{
	const struct finding *x = findings_find(r->o.findings, key);
	struct finding next;
	struct stage *stage;
	struct err err;

	if (!x)
		return strmap_put(&r->over, key, r, NULL);
	next = renamed(r, x);
	if (findings_restore(r->findings, &next, &err) < 0)
		return false;
	stage = stage_of(r, next.subject.cluster);
	if (stage)
		cluster_recall(stage->cluster, &next);
	return true;
}

/* Copy findings until the time is up. False: all are copied. */
static bool copy_some(struct rehearsal *r, uint64_t until_ns)
{
	while (r->copied < r->awaited.n) {
		r->result.complete &= copy_one(r, r->awaited.p[r->copied++].key);
		if (r->copied % AT_ONCE == 0 && uv_hrtime() >= until_ns)
			return true;
	}
	r->ended_lost = r->ended_lost || accepted_end_lost(r->acceptances, r->findings, &r->lost, until_ns);
	return !r->ended_lost;
}

/* ---- stages ---- */

static void rehearsal_free(struct rehearsal *r)
{
	findings_scan_end(&r->scan);
	slice_sort_done(&r->sort);
	doc_cache_done(&r->doc_cache);
	findings_free(r->findings);
	acceptances_free(r->acceptances);
	sink_free(r->sink);
	for (size_t i = 0; i < r->stages.n; i++)
		free(r->stages.p[i]);
	vec_done(&r->stages);
	vec_done(&r->result.first);
	vec_done(&r->result.unknown);
	vec_done(&r->awaited);
	strmap_done(&r->over);
	renames_done(&r->renames);
	arena_done(&r->arena);
	cfg_unref(r->o.next);
	free(r);
}

static void on_work_closed(uv_handle_t *h)
{
	rehearsal_free(h->data);
}

static void on_release(uv_idle_t *work)
{
	struct rehearsal *r = work->data;

	if (!findings_release(r->findings))
		uv_close((uv_handle_t *)work, on_work_closed);
}

static void on_cluster_closed(void *ctx)
{
	struct rehearsal *r = ctx;

	ASSERT(r->open > 0);
	if (--r->open == 0)
		(void)uv_idle_start(&r->work, on_release);
}

/* End the rehearsal. Its clusters are closed in slices of their own. */
static void end(struct rehearsal *r)
{
	(void)uv_idle_stop(&r->work);
	if (!r->cancelled)
		r->o.done(r->o.ctx, &r->result);
	r->cancelled = true;
	r->open = 1; /* one more than there are, until all clusters are asked to close */
	for (size_t i = 0; i < r->stages.n; i++) {
		if (r->stages.p[i]->cluster) {
			r->open++;
			cluster_close(TAKE(r->stages.p[i]->cluster), on_cluster_closed, r);
		}
	}
	on_cluster_closed(r);
}

static bool any_waits(const struct kind *k, size_t n_judges)
{
	const struct object *o;
	size_t at = 0;

	while ((o = index_each(&k->objects, &at))) {
		for (size_t i = 0; i < n_judges; i++) {
			if (o->judged[i].waits)
				return true;
		}
	}
	return false;
}

/* Some objects need what is not known: a kind that they look up, or who wrote a field. */
static void note_waiting(struct stage *stage)
{
	struct rehearsal *r = stage->rehearsal;
	size_t n_kinds, n_judges;
	struct cluster_kind *const *kinds = cluster_kinds(stage->cluster, &n_kinds);

	(void)cluster_judges(stage->cluster, &n_judges);
	for (size_t i = 0; i < n_kinds; i++) {
		if (any_waits(kinds[i]->kind, n_judges))
			note_unknown(r, cluster_name(stage->cluster),
				     arena_printf(&r->arena, "some of %.*s", STR_ARG(kinds[i]->kind->resource)));
	}
}

/* Feed the cluster of the stage and let it judge. False: the stage is over. */
static bool stage_work(struct stage *stage, uint64_t until_ns)
{
	if (cluster_lacks_references(stage->cluster)) { /* published references do not arrive during a rehearsal */
		note_unknown(stage->rehearsal, cluster_name(stage->cluster), STR("references that are absent"));
		return false;
	}
	while (uv_hrtime() < until_ns) {
		if (feed_some(stage))
			continue;
		cluster_tick(stage->cluster); /* reports what is not known as a gap */
		if (cluster_work(stage->cluster, until_ns) || *cluster_waits_for(stage->cluster))
			return true;
		note_waiting(stage);
		return false;
	}
	return true;
}

static void on_work(uv_idle_t *work)
{
	struct rehearsal *r = work->data;
	uint64_t now = uv_hrtime(), until_ns = now + SLICE_NS;

	if (now >= r->ends_ns)
		r->result.complete = false;
	if (now < r->ends_ns && (look_at_findings(r, until_ns) || sort_findings(r, until_ns) || copy_some(r, until_ns)))
		return;
	if (now >= r->ends_ns || r->at == r->stages.n)
		end(r);
	else if (!stage_work(r->stages.p[r->at], until_ns))
		r->at++;
}

static void ignore_wake(void *ctx)
{
	(void)ctx;
}

static void note_of_reference(const struct stage *stage, const char *what, str reference)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1024);

	buf_printf(&text, "%s of reference %.*s", what, STR_ARG(reference));
	note_unknown(stage->rehearsal, cluster_name(stage->cluster), buf_str(&text));
}

/* Note that nothing is known of a new entry for Helm releases: what it compares with is known only when their
 * Secrets are watched. */
static void note_releases(void *ctx, str reference)
{
	note_of_reference(ctx, "releases", reference);
}

/* Note that nothing is said of some components: objects count for them that other processes report and that this
 * process has not kept. */
static void note_components(void *ctx, str reference)
{
	note_of_reference(ctx, "some components", reference);
}

static int add_stage(struct rehearsal *r, const struct cfg_cluster *config, const struct cluster *running,
		     struct err *err)
{
	struct stage *stage = calloc(1, sizeof(*stage));
	struct cluster_context context = {
		.loop = r->o.loop,
		.sink = r->sink,
		.findings = r->findings,
		.keys = r->o.keys,
		.limits = r->o.limits,
		.acceptances = r->acceptances,
		.inspection = r->o.inspection,
		.rehearsed = true,
		.shard = r->o.shard,
		.wake = ignore_wake,
	};
	int status;

	if (!stage || !vec_push(&r->stages, stage)) {
		free(stage);
		return err_nomem(err);
	}
	*stage = (struct stage){ .rehearsal = r,
				 .running = running,
				 .maker = { open_feed, stage },
				 .goes_on = cluster_is_unchanged(running, r->o.next, config) };
	context.source = &stage->maker;
	status = cluster_new(&context, r->o.next, config, &stage->cluster, err);
	if (status == 0)
		status = cluster_adopt_releases(stage->cluster, running, note_releases, stage, err);
	if (status < 0)
		return status;
	if (!stage->feed || !report_kinds(stage))
		return err_nomem(err);
	cluster_share_components(stage->cluster, running, note_components, stage);
	stage->running = NULL; /* the running cluster may be gone on a later turn of the loop */
	return 0;
}

/* The running cluster at the place of @config, perhaps under an old name. NULL: none runs there. */
static const struct cluster *running_of(const struct rehearsal *r, const struct cfg_cluster *config)
{
	const str *before = cfg_renames_before(&r->renames.names, CFG_PLACE_CLUSTER, config->name);

	return cluster_find(r->o.clusters, r->o.n_clusters, before ? *before : config->name);
}

static int add_stages(struct rehearsal *r, struct err *err)
{
	bool accepts_otherwise = acceptances_changed(r->acceptances, NULL);

	for (size_t i = 0; i < r->o.next->n_clusters; i++) {
		const struct cfg_cluster *config = &r->o.next->clusters[i];
		const struct cluster *running = running_of(r, config);

		if (!running || !cluster_source(running) || !cluster_goes_there(running, config))
			note_unknown(r, config->name, STR(""));
		else if ((accepts_otherwise || !cluster_is_unchanged(running, r->o.next, config)) &&
			 add_stage(r, config, running, err) < 0)
			return -err->code;
	}
	return 0;
}

/* ---- rehearsals ---- */

/* Turn today's acceptances into those after the reload, in the way of the reload: those that were made at run time
 * stay, and the order stays. */
static int prepare_acceptances(struct rehearsal *r, struct err *err)
{
	int status = acceptances_new(&r->acceptances, err);

	if (status == 0 && r->o.acceptances)
		status = acceptances_copy(r->acceptances, r->o.acceptances, err);
	if (status < 0)
		return status;
	acceptances_tick(r->acceptances, clock_usec());
	acceptances_forget_changes(r->acceptances, acceptances_last_change(r->acceptances));
	status = acceptances_configure(r->acceptances, r->o.next, err);
	if (status == 0 && r->renames.next)
		status = renames_acceptances(&r->renames, r->acceptances, NULL, NULL, err);
	if (status < 0)
		return status;
	acceptances_tick(r->acceptances, clock_usec());
	r->news = accepted_news(r->acceptances);
	return 0;
}

static int prepare_renames(struct rehearsal *r, struct err *err)
{
	struct cfg_places was;
	int status = cfg_places_of(r->o.now, &was, err);

	return status < 0 ? status : renames_begin(&r->renames, &was, r->o.next, r->o.shard, err);
}

static int prepare(struct rehearsal *r, struct err *err)
{
	const struct sink_taker taker = { take, r };

	if (r->o.now && prepare_renames(r, err) < 0)
		return -err->code;

	r->sink = sink_new(&taker);
	if (!r->sink)
		return err_nomem(err);
	if (findings_new_like(r->o.findings, r->sink, &r->findings, err) < 0 || prepare_acceptances(r, err) < 0 ||
	    copy_what_is_about_none(r, err) < 0)
		return -err->code;
	findings_scan_begin(r->o.findings, &r->scan);
	r->scan.ended = on_ended;
	r->scan.ctx = r;
	findings_name_clusters(r->findings, r->o.next->n_clusters > 1);
	return 0;
}

int rehearsal_new(const struct rehearsal_options *o, struct rehearsal **ret, struct err *err)
{
	struct rehearsal *r = calloc(1, sizeof(*r));
	int status;

	if (!r)
		return err_nomem(err);
	r->o = *o;
	r->o.next = cfg_ref(o->next);
	r->result.complete = true;
	r->ends_ns = uv_hrtime() + o->patience_ns;
	r->work.data = r;
	arena_init(&r->arena, 0, 0);
	doc_cache_init(&r->doc_cache, o->limits, o->keys);
	status = prepare(r, err);
	if (status < 0) {
		rehearsal_free(r);
		return status;
	}
	(void)uv_idle_init(o->loop, &r->work); /* uv_idle_init and uv_idle_start always return 0 here */
	(void)uv_idle_start(&r->work, on_work);
	status = add_stages(r, err);
	if (status < 0) { /* the clusters that were made can only be closed on the loop */
		rehearsal_close(r);
		return status;
	}
	*ret = r;
	return 0;
}

void rehearsal_close(struct rehearsal *r)
{
	if (!r)
		return;
	r->cancelled = true;
	end(r);
}
