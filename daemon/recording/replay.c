/* Clusters over the feeds of a recording: time goes from line to line. */
#include "daemon/recording/replay.h"

#include "base/assert.h"
#include "config/part.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/findings.h"
#include "daemon/recording/recorder.h"
#include "daemon/recording/stream.h"
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/cluster/cluster.h"
#include "kubeclient/kc_resources.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define TICK_NS UINT64_C(1000000000)
#define TICKS_MAX 300 /* between two lines: a recorder that runs writes more often */
#define CLUSTERS_MAX 10000
/* A watch that nothing was recorded for by then has no recording: a recorder says at once what it watches, once it has
 * a client. */
#define UNRECORDED_NS (5 * UINT64_C(1000000000))

/* One cluster of the recording. */
struct replayed {
	struct replay *replay;
	char *name, *server;
	struct feed *feed; /* NULL: the configuration has no such cluster */
	VEC(struct stream *) streams;
	struct doc *discovery; /* texts of the feed's offers and unknown versions */
	struct kc_resource *kinds;
	struct arena texts;
	uint64_t watched_ns; /* when the recorder began to watch; 0: it has not */
};

/* A watch that follows no stream. */
struct unfollowed {
	struct feed_watch *watch;
	uint64_t since_ns;
	bool reported;
};

struct replay {
	struct cfg *cfg;
	const struct limits *limits;
	struct key_table *keys;
	struct replay_output *replay_output;
	struct findings *findings;
	struct acceptances *acceptances;      /* the acceptances of the configuration */
	struct replay_inspection *inspection; /* NULL: no rules inspect */
	struct reader *reader;
	struct source_maker maker;
	uv_loop_t loop;
	struct cluster **clusters;
	size_t n_clusters;
	struct replayed *recorded;
	size_t n_recorded;
	VEC(struct unfollowed) unfollowed;
	struct strmap unrecorded; /* "apps/v1 Deployment" */
	uint64_t now_ns, tick_ns;
	int64_t now_usec;
	bool ended;
};

/* ---- watches ---- */

static void on_add(void *owner, struct feed_watch *w)
{
	struct replayed *c = owner;

	(void)!vec_push(&c->replay->unfollowed, (struct unfollowed){ .watch = w, .since_ns = c->replay->now_ns });
}

static void on_remove(void *owner, struct feed_watch *w)
{
	struct replay *x = ((struct replayed *)owner)->replay;
	size_t n = 0;

	for (size_t i = 0; i < x->unfollowed.n; i++) {
		if (x->unfollowed.p[i].watch != w)
			x->unfollowed.p[n++] = x->unfollowed.p[i];
	}
	x->unfollowed.n = n;
}

static void on_close(void *owner)
{
	((struct replayed *)owner)->feed = NULL;
}

static struct stream *stream_for(const struct replayed *c, const struct feed_watch *w)
{
	for (size_t i = 0; i < c->streams.n; i++) {
		if (stream_covers(c->streams.p[i], w))
			return c->streams.p[i];
	}
	return NULL;
}

static bool has_watch(const struct replayed *c, const struct feed_watch *w)
{
	for (size_t i = 0; c->feed && i < c->feed->watches.n; i++) {
		if (c->feed->watches.p[i] == w)
			return true;
	}
	return false;
}

/* Watches of @c for which a stream has begun by now. */
static void follow_streams(struct replayed *c)
{
	struct replay *x = c->replay;

	for (size_t i = 0; i < x->unfollowed.n;) {
		struct feed_watch *w = x->unfollowed.p[i].watch;
		struct stream *s = has_watch(c, w) ? stream_for(c, w) : NULL;

		if (!s) {
			i++;
			continue;
		}
		on_remove(c, w);
		stream_follow(s, w);
	}
}

/* Whether discovery knew the kind, or may have missed it. */
static bool may_exist(const struct replayed *c, const struct kc_watch_spec *spec)
{
	struct group_version gv = group_version_of(str_from(spec->api_version));

	if (!c->discovery)
		return true;
	for (size_t i = 0; i < c->feed->unknown_versions.n; i++) {
		if (strcmp(c->feed->unknown_versions.p[i].api_version, spec->api_version) == 0)
			return true;
	}
	for (size_t i = 0; i < c->feed->offers.n; i++) {
		const struct kc_resource *k = c->feed->offers.p[i];

		if (str_eq(str_from(k->group), gv.group) && str_eq(str_from(k->version), gv.version) &&
		    strcmp(k->kind, spec->kind) == 0)
			return true;
	}
	return false;
}

/* Nobody knows what there is of it, unless the server did not have the kind at all. */
static void report_unrecorded(struct replayed *c, struct feed_watch *w)
{
	char kind[1024];
	struct err why;

	if (!may_exist(c, &w->spec)) {
		(void)err_set(&why, ENOENT, "the server did not have it");
		w->handler.state(w->ctx, KC_ABSENT, &why);
		return;
	}
	(void)snprintf(kind, sizeof(kind), "%s %s", w->spec.api_version, w->spec.kind);
	(void)!strmap_put(&c->replay->unrecorded, str_from(kind), c, NULL);
	(void)err_set(&why, ENODATA, "it was not recorded");
	w->handler.state(w->ctx, KC_FORBIDDEN, &why);
}

static void report_all_unrecorded(struct replay *x, struct replayed *c, uint64_t waited_ns, bool again)
{
	for (size_t i = 0; i < x->unfollowed.n; i++) {
		struct unfollowed *u = &x->unfollowed.p[i];

		if (!has_watch(c, u->watch) || (u->reported && !again) || x->now_ns - u->since_ns < waited_ns ||
		    (waited_ns && (!c->watched_ns || x->now_ns - c->watched_ns < waited_ns)))
			continue;
		u->reported = true;
		report_unrecorded(c, u->watch);
	}
}

static int open_feed(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err)
{
	struct replay *x = ctx;

	for (size_t i = 0; i < x->n_recorded; i++) {
		struct replayed *c = &x->recorded[i];

		if (c->feed || !str_eq(o->config->name, str_from(c->name)))
			continue;
		c->feed = feed_new(o);
		if (!c->feed)
			return err_nomem(err);
		c->feed->undiscovered = true;
		c->feed->server = c->server ? c->server : "of the recording";
		c->feed->on_add = on_add;
		c->feed->on_remove = on_remove;
		c->feed->on_close = on_close;
		c->feed->owner = c;
		*ret = &c->feed->source;
		return 0;
	}
	return err_set(err, ENODATA, "the cluster was not recorded");
}

/* ---- time ---- */

static void work(struct replay *x)
{
	size_t next = 0;

	while (clusters_work(x->clusters, x->n_clusters, &next, UINT64_MAX))
		;
}

static void set_time(struct replay *x, uint64_t ns, int64_t usec)
{
	x->now_ns = ns;
	x->now_usec = usec;
	clock_set(usec, ns);
}

/* What the daemon does once a second. */
static void tick(struct replay *x)
{
	for (size_t i = 0; i < x->n_recorded; i++)
		report_all_unrecorded(x, &x->recorded[i], UNRECORDED_NS, false);
	for (size_t i = 0; i < x->n_clusters; i++)
		cluster_tick(x->clusters[i]);
	findings_tick(x->findings, x->now_ns);
	accepted_apply(x->acceptances, x->findings, x->clusters, x->n_clusters);
	work(x);
	replay_output_tick(x->replay_output);
}

/* To @ns, in seconds; in one step over what no recorder would be silent for. */
static void advance(struct replay *x, uint64_t ns)
{
	for (unsigned i = 0; i < TICKS_MAX && x->tick_ns <= ns; i++) {
		set_time(x, x->tick_ns, x->now_usec + (int64_t)((x->tick_ns - x->now_ns) / 1000));
		tick(x);
		x->tick_ns += TICK_NS;
	}
	if (x->tick_ns <= ns)
		x->tick_ns = ns + TICK_NS;
}

static int go_to_line(struct replay *x, const struct recording_line *l, struct err *err)
{
	if (l->ns < x->now_ns || l->ns > INT64_MAX || l->usec > INT64_MAX / 2)
		return err_set(err, EBADMSG, "line %" PRIu64 ": the time goes back, or is not a time",
			       reader_lines(x->reader));
	advance(x, l->ns);
	set_time(x, l->ns, l->usec);
	return 0;
}

/* ---- lines ---- */

static const char *text_of(struct replayed *c, val map, str name)
{
	return arena_str(&c->texts, val_str(val_get(map, name))).p;
}

static bool read_kind(struct replayed *c, val from, struct kc_resource *k)
{
	val rank = VAL_GET(from, "rank");

	*k = (struct kc_resource){
		.group = text_of(c, from, STR("group")),
		.version = text_of(c, from, STR("version")),
		.kind = text_of(c, from, STR("kind")),
		.plural = text_of(c, from, STR("plural")),
		.namespaced = val_equal(VAL_GET(from, "namespaced"), val_bool(true)),
		.can_watch = val_equal(VAL_GET(from, "watch"), val_bool(true)),
		.can_list = true,
		.rank = rank.kind == VAL_INT ? (unsigned)rank.i : 0,
	};
	return k->group && k->version && k->kind && k->plural;
}

/* The kinds and unknown versions of a line, which replace those before. */
static int read_discovery(struct replayed *c, const struct recording_line *l, struct err *err)
{
	val kinds = VAL_GET(l->root, "kinds"), unknown_versions = VAL_GET(l->root, "doubts");
	struct feed *f = c->feed;

	f->offers.n = f->unknown_versions.n = 0;
	arena_done(&c->texts);
	arena_init(&c->texts, 0, KC_RESOURCES_BYTES);
	free(c->kinds);
	c->kinds = NULL;
	if (val_count(kinds) > KC_RESOURCES_MAX)
		return err_set(err, E2BIG, "too many kinds");
	c->kinds = calloc(val_count(kinds) + 1, sizeof(*c->kinds));
	if (!c->kinds)
		return err_nomem(err);
	for (uint32_t i = 0; i < val_count(kinds); i++) {
		if (!read_kind(c, val_at(kinds, i), &c->kinds[i]) || !vec_push(&f->offers, &c->kinds[i]))
			return err_nomem(err);
	}
	for (uint32_t i = 0; i < val_count(unknown_versions); i++) {
		struct feed_unknown d = { text_of(c, val_at(unknown_versions, i), STR("apiVersion")),
					  text_of(c, val_at(unknown_versions, i), STR("why")) };

		if (!d.api_version || !d.why || !vec_push(&f->unknown_versions, d))
			return err_nomem(err);
	}
	return 0;
}

static int on_discovery(struct replayed *c, const struct recording_line *l, struct err *err)
{
	int r;

	if (!c->feed)
		return 0;
	r = read_discovery(c, l, err);
	if (r < 0)
		return r;
	doc_unref(c->discovery);
	c->discovery = doc_new(0, 64); /* an empty document shows that discovery has answered */
	if (c->feed->discovered)
		c->feed->discovered(c->feed->ctx);
	follow_streams(c);
	report_all_unrecorded(c->replay, c, UNRECORDED_NS, true);
	return c->discovery ? 0 : err_nomem(err);
}

static int on_watch(struct replayed *c, const struct recording_line *l, struct err *err)
{
	struct stream *s = stream_new(l);

	if (!s || !vec_push(&c->streams, s)) {
		stream_free(s);
		return err_nomem(err);
	}
	if (!c->watched_ns)
		c->watched_ns = l->ns;
	if (c->feed)
		follow_streams(c);
	return 0;
}

/* A watch of another configuration that still follows the stream has nothing to follow any more. */
static void on_unwatch(struct replayed *c, size_t at)
{
	struct stream *s = c->streams.p[at];

	ASSERT(at < c->streams.n);
	memmove(&c->streams.p[at], &c->streams.p[at + 1], (--c->streams.n - at) * sizeof(struct stream *));
	for (size_t i = 0; c->feed && i < c->feed->watches.n; i++) {
		struct feed_watch *w = c->feed->watches.p[i];

		if (w->owner == s) {
			w->owner = NULL;
			on_add(c, w);
		}
	}
	stream_free(s);
	if (c->feed)
		follow_streams(c);
}

static void on_connection(struct replayed *c, const struct recording_line *l)
{
	if (!c->feed)
		return;
	c->feed->down = !line_bool(l, STR("up"));
	c->feed->undiscovered = !line_bool(l, STR("discovered"));
	if (!c->server && (c->server = str_dup(val_str(VAL_GET(l->root, "server")))))
		c->feed->server = c->server;
}

static int on_notice(struct replayed *c, const struct recording_line *l, struct err *err)
{
	CLEANUP(freep) char *resource = str_dup(val_str(VAL_GET(l->root, "resource")));
	CLEANUP(freep) char *message = str_dup(val_str(VAL_GET(l->root, "message")));
	uint64_t kind = line_number(l, STR("kind"));

	if (!resource || !message)
		return err_nomem(err);
	if (c->feed && kind <= KC_NOTICE_BAD_DATA)
		c->feed->notice(c->feed->ctx, &(struct kc_notice){ .kind = (enum kc_notice_kind)kind,
								   .resource = resource[0] ? resource : NULL,
								   .message = message });
	return 0;
}

static int on_stream_line(struct replayed *c, const struct recording_line *l, struct err *err)
{
	uint64_t id = line_number(l, STR("id"));
	static struct feed nobody;
	struct feed *f = c->feed ? c->feed : &nobody;
	size_t i = 0;

	while (i < c->streams.n && c->streams.p[i]->id != id)
		i++;
	if (i == c->streams.n)
		return err_set(err, EBADMSG, "there is no such watch");
	if (str_eq(l->event, STR("object")))
		return stream_object(c->streams.p[i], f, l, c->replay->keys, err);
	if (str_eq(l->event, STR("state")))
		return stream_state(c->streams.p[i], f, l, err);
	if (str_eq(l->event, STR("synced")))
		stream_synced(c->streams.p[i], f, l);
	else if (str_eq(l->event, STR("access")))
		stream_access(c->streams.p[i], f, l);
	else if (str_eq(l->event, STR("unwatch")))
		on_unwatch(c, i);
	else
		return err_set(err, EBADMSG, "'%.*s' is not an event", STR_ARG(l->event));
	return 0;
}

static int on_line(struct replay *x, const struct recording_line *l, struct err *err)
{
	uint64_t cluster = line_number(l, STR("c"));
	struct replayed *c;

	if (str_eq(l->event, STR("alive")))
		return 0;
	x->ended = str_eq(l->event, STR("end"));
	if (x->ended)
		return 0;
	if (cluster >= x->n_recorded)
		return err_set(err, EBADMSG, "there is no such cluster");
	c = &x->recorded[cluster];
	if (str_eq(l->event, STR("watch")))
		return on_watch(c, l, err);
	if (str_eq(l->event, STR("discovery")))
		return on_discovery(c, l, err);
	if (str_eq(l->event, STR("notice")))
		return on_notice(c, l, err);
	if (str_eq(l->event, STR("connection"))) {
		on_connection(c, l);
		return 0;
	}
	return on_stream_line(c, l, err);
}

/* ---- life ---- */

static int read_header(struct replay *x, struct err *err)
{
	struct recording_line l;
	int r = reader_next(x->reader, &l, err);
	val clusters;

	if (r == -ENOMEM)
		return r;
	if (r <= 0 || !str_eq(l.event, STR("header")))
		return err_set(err, EINVAL, "it is not a recording");
	if (line_number(&l, STR("format")) != RECORDING_FORMAT)
		return err_set(err, EINVAL, "it is a recording of another format than %d", RECORDING_FORMAT);
	clusters = VAL_GET(l.root, "clusters");
	if (val_count(clusters) > CLUSTERS_MAX || l.ns > INT64_MAX || l.usec > INT64_MAX / 2)
		return err_set(err, EINVAL, "its header has too many clusters, or no time");
	x->recorded = calloc(val_count(clusters) + 1, sizeof(*x->recorded));
	if (!x->recorded)
		return err_nomem(err);
	for (; x->n_recorded < val_count(clusters); x->n_recorded++) {
		struct replayed *c = &x->recorded[x->n_recorded];

		c->replay = x;
		c->name = str_dup(val_str(val_at(clusters, (uint32_t)x->n_recorded)));
		if (!c->name)
			return err_nomem(err);
	}
	set_time(x, l.ns, l.usec);
	x->tick_ns = l.ns + TICK_NS;
	return 0;
}

static void wake(void *ctx)
{
	(void)ctx;
}

static int start_clusters(struct replay *x, struct err *err)
{
	const struct cluster_context context = {
		.loop = &x->loop,
		.sink = replay_output_sink(x->replay_output),
		.findings = x->findings,
		.keys = x->keys,
		.limits = x->limits,
		.acceptances = x->acceptances,
		.inspection = HAS_INSPECTION && x->inspection
				      ? replay_inspection_open(x->inspection, replay_output_sink(x->replay_output))
				      : NULL,
		.source = &x->maker,
		.wake = wake,
	};

	x->clusters = calloc(x->cfg->n_clusters + 1, sizeof(struct cluster *));
	if (!x->clusters)
		return err_nomem(err);
	for (; x->n_clusters < x->cfg->n_clusters; x->n_clusters++) {
		int r = cluster_new(&context, x->cfg, &x->cfg->clusters[x->n_clusters], &x->clusters[x->n_clusters],
				    err);
		if (r < 0)
			return r;
	}
	findings_name_clusters(x->findings, x->cfg->n_clusters > 1);
	findings_set_flapping(x->findings, x->cfg->flapping_changes, (uint64_t)x->cfg->flapping_window_ns);
	return 0;
}

/* To the end of what can be read; what is wrong with the rest. */
static void read_lines(struct replay *x, struct err *damage)
{
	struct recording_line l;
	int r;

	while ((r = reader_next(x->reader, &l, damage)) > 0 && !x->ended) {
		r = go_to_line(x, &l, damage);
		if (r == 0)
			r = on_line(x, &l, damage);
		if (r < 0)
			break;
		work(x);
	}
	if (r == 0 && !x->ended)
		(void)err_set(damage, EBADMSG, "it was cut short: its end is missing");
	else if (r >= 0)
		damage->code = 0;
}

/* At the end, report the watches that were never recorded: what is not known must be said. */
static void end(struct replay *x)
{
	for (size_t i = 0; i < x->n_recorded; i++)
		report_all_unrecorded(x, &x->recorded[i], 0, false);
	tick(x);
}

static int set_up(struct replay *x, FILE *from, enum cfg_output form, struct err *err)
{
	int r;

	x->reader = reader_new(from);
	x->replay_output = replay_output_new(form);
	if (!x->reader || !x->replay_output)
		return err_nomem(err);
	r = findings_new(replay_output_sink(x->replay_output), &x->findings, err);
	if (r == 0)
		r = acceptances_new(&x->acceptances, err);
	if (r == 0)
		r = acceptances_configure(x->acceptances, x->cfg, err);
	if (r == 0)
		r = read_header(x, err);
	if (r == 0)
		acceptances_tick(x->acceptances, clock_usec());
	return r < 0 ? r : start_clusters(x, err);
}

static void tear_down(struct replay *x)
{
	for (size_t i = 0; i < x->n_clusters; i++)
		cluster_close(x->clusters[i], NULL, NULL);
	(void)uv_run(&x->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&x->loop);
	for (size_t i = 0; i < x->n_recorded; i++) {
		struct replayed *c = &x->recorded[i];

		for (size_t k = 0; k < c->streams.n; k++)
			stream_free(c->streams.p[k]);
		vec_done(&c->streams);
		arena_done(&c->texts);
		doc_unref(c->discovery);
		free(c->kinds);
		free(c->name);
		free(c->server);
	}
	free(x->recorded);
	free(x->clusters);
	strmap_done(&x->unrecorded);
	vec_done(&x->unfollowed);
	acceptances_free(x->acceptances);
	findings_free(x->findings);
	replay_output_free(x->replay_output);
	reader_free(x->reader);
}

int replay_run(FILE *from, struct cfg *cfg, const struct limits *limits, struct key_table *keys,
	       struct replay_inspection *inspection, enum cfg_output form, struct replay_summary *ret, struct err *err)
{
	struct replay x = { .cfg = cfg, .limits = limits, .keys = keys, .inspection = inspection };
	int r;

	*ret = (struct replay_summary){ 0 };
	x.maker = (struct source_maker){ .open = open_feed, .ctx = &x };
	if (uv_loop_init(&x.loop) < 0)
		return err_nomem(err);
	r = set_up(&x, from, form, err);
	if (r == 0) {
		read_lines(&x, &ret->damage);
		end(&x);
		ret->reported = replay_counts(x.replay_output);
		ret->lines = reader_lines(x.reader);
		ret->unrecorded = x.unrecorded.n;
	}
	tear_down(&x);
	return r;
}
