/* Several hosts for the same clusters: whether this one tells, and how it takes the place of another.
 *
 *   muted: findings are judged, and nothing of them is told or kept
 *     |  the thread of the election has claimed the lease, and loaded what was told (leader_loaded)
 *     v
 *   app_takeover: the writer forgets what it had, and knows that instead; its thread makes a set of findings of it
 *     ^      |
 *     |      v
 *     |    that set is the findings: not muted, open. It is compared in portions with what was known, and what
 *     |    differs is judged again
 *     '------- another host leads
 *
 * Where it could not renew its lease in time and nobody else led meanwhile, it was never muted, and goes on. */
#include "base/file.h"
#include "daemon/api/api.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/adoption.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/notice.h"
#include "value/json.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#define FAILING_GRACE_NS (10 * UINT64_C(1000000000))

struct app_takeover {
	struct writer_takeover writer; /* first */
	struct app *app;
	struct leader_loaded *loaded;
	VEC(str) records;
	struct adoption *adoption; /* the writer's thread fills it; NULL: nothing is adopted */
	bool adopting;             /* it is under way, on the loop */
	atomic_bool over;          /* the writer has done its part */
	int result;
	struct err err;
};

/* The handle lives as long as the loop, of which the election's thread knows nothing. */
struct app_leader_wake {
	uv_async_t async;
	pthread_mutex_t lock; /* of what follows */
	bool closed;
};

void app_take_telling(void *ctx, const struct telling *t)
{
	struct app *app = ctx;

	if (!app->muted || !t->finding)
		writer_take(app->writer, t);
}

bool app_refuse_unshared(const struct app *app, struct http_response *r)
{
	if (app->leader)
		api_fail(r, 409, APP_UNSHARED);
	return app->leader;
}

void app_leader_status(struct app *app, struct leader_status *ret)
{
	leader_status(app->leader, ret);
	if (!ret->error.code && ret->state == ELECTION_LEADS)
		ret->error = app->takeover_error;
}

/* ---- records ---- */

static void tell(struct app *app, enum severity severity, const struct leader_status *s, const char *text)
{
	struct record r;

	record_init(&r, MESSAGE_LEADER, (int)severity);
	r.text = arena_printf(&r.arena, "leader election: %s", text);
	record_add(&r, "DRIFTD_EVENT", STR("leader"));
	record_add(&r, "DRIFTD_LEADER_STATE", str_from(election_state_name(s->state)));
	record_add(&r, "DRIFTD_LEADER_NAME", str_from(s->name));
	record_add(&r, "DRIFTD_LEADER", str_from(s->holder));
	record_addf(&r, "DRIFTD_LEADER_TERM", "%lld", (long long)s->term);
	sink_write(app->sink, &r);
	record_done(&r);
}

static void tell_leads(struct app *app, size_t open, size_t resent, bool resumes)
{
	struct leader_status s;
	char text[ELECTION_NAME_SIZE + 200];

	leader_status(app->leader, &s);
	if (resumes)
		(void)snprintf(text, sizeof(text), "this host, %s, leads again and goes on where it was", s.name);
	else
		(void)snprintf(text, sizeof(text),
			       "this host, %s, leads from now on: %zu finding%s open, %zu record%s told again", s.name,
			       open, open == 1 ? " is" : "s are", resent, resent == 1 ? " is" : "s are");
	tell(app, SEVERITY_INFO, &s, text);
	app->leader_told = true;
	app->leader_state = ELECTION_LEADS;
}

static void tell_publishes(struct app *app)
{
	struct leader_status s;
	char text[ELECTION_NAME_SIZE + 200];

	leader_status(app->leader, &s);
	(void)snprintf(text, sizeof(text),
		       "this host, %s, makes known what it knows to be open: etcd has nothing, or what was so before",
		       s.name);
	tell(app, SEVERITY_NOTICE, &s, text);
}

static void tell_state(struct app *app, const struct leader_status *s)
{
	char text[2 * ELECTION_NAME_SIZE + 100];

	if ((app->leader_told && app->leader_state == s->state) || s->state == ELECTION_LEADS)
		return;
	if (s->state == ELECTION_FOLLOWS && !*s->holder)
		return;
	if (s->state == ELECTION_FOLLOWS && strcmp(s->holder, s->name) == 0)
		(void)snprintf(text, sizeof(text), "an earlier life of this host, %s, has the lease until it ends",
			       s->name);
	else if (s->state == ELECTION_FOLLOWS)
		(void)snprintf(text, sizeof(text), "%s leads; this host, %s, follows", s->holder, s->name);
	else
		(void)snprintf(text, sizeof(text), "this host, %s, %s: it tells nothing, and its records wait", s->name,
			       s->error.code == ESTALE ? "found that etcd has lost what it put there last"
						       : "could not renew its lease");
	tell(app, s->state == ELECTION_FOLLOWS ? SEVERITY_INFO : SEVERITY_ERROR, s, text);
	app->leader_told = true;
	app->leader_state = s->state;
}

/* What is wrong with etcd: for the lease, or for what is to be told. Code 0: nothing. */
static struct err failure_of(struct app *app, const struct leader_status *s)
{
	struct writer_status w;

	if (s->error.code)
		return s->error;
	writer_status(app->writer, &w);
	return w.agreement_error;
}

/* By what fails: how that is told, and that it has passed. */
struct failure_words {
	const char *fails, *passed;
};

static const struct failure_words *words_for(const struct leader_status *s, const struct err *why)
{
	static const struct failure_words away = { "etcd cannot be asked", "etcd answers again" },
					  refuses = { "etcd cannot be used", "etcd can be used again" },
					  takeover = { "what was told cannot be taken over",
						       "what kept this host from taking over has passed" };

	if (s->state == ELECTION_LEADS && !s->tells && s->error.code)
		return &takeover;
	return why->code == EHOSTUNREACH ? &away : &refuses;
}

static void tell_failure(struct app *app, const struct leader_status *s)
{
	struct err why = failure_of(app, s);
	char text[sizeof(why.msg) + 100];
	uint64_t now = uv_hrtime();

	if (!why.code) {
		if (app->leader_failure_told)
			tell(app, SEVERITY_INFO, s, app->leader_failure_told->passed);
		app->leader_failing_ns = 0;
		app->leader_failure_told = NULL;
		return;
	}
	if (!app->leader_failing_ns)
		app->leader_failing_ns = now;
	if (app->leader_failure_told || now - app->leader_failing_ns < FAILING_GRACE_NS)
		return;
	app->leader_failure_told = words_for(s, &why);
	(void)snprintf(text, sizeof(text), "%s for %llu s: %s", app->leader_failure_told->fails,
		       (unsigned long long)((now - app->leader_failing_ns) / 1000000000), why.msg);
	tell(app, SEVERITY_ERROR, s, text);
}

/* ---- taking another's place ---- */

static void takeover_free(struct app_takeover *t)
{
	if (!t)
		return;
	leader_loaded_free(t->loaded);
	adoption_free(t->adoption);
	vec_done(&t->records);
	vec_done(&t->writer.found);
	arena_done(&t->writer.arena);
	free(t);
}

static void wake(void *ctx)
{
	struct app *app = ctx;
	struct app_leader_wake *w = app->leader_wake;

	(void)pthread_mutex_lock(&w->lock);
	if (!w->closed)
		(void)uv_async_send(&w->async);
	(void)pthread_mutex_unlock(&w->lock);
}

/* What was told, read. The findings borrow from the documents. */
struct told_findings {
	VEC(struct finding) list;
	VEC(struct doc *) docs;
};

static void told_done(struct told_findings *told)
{
	for (size_t i = 0; i < told->docs.n; i++)
		doc_unref(told->docs.p[i]);
	vec_done(&told->docs);
	vec_done(&told->list);
}

/* One that cannot be read is of a newer driftd: it begins anew. */
static int read_told(struct told_findings *told, str state, const struct limits *limits, struct err *err)
{
	const struct json_options o = { .limits = limits };
	struct doc *doc;
	struct finding x;
	int r = json_decode(state, &o, &doc, err);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	if (!finding_from_json(doc->root, &x)) {
		doc_unref(doc);
		return 0;
	}
	if (!vec_push(&told->docs, doc)) {
		doc_unref(doc);
		return err_nomem(err);
	}
	return vec_push(&told->list, x) ? 0 : err_nomem(err);
}

static int by_age(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return (x->first_seen_usec > y->first_seen_usec) - (x->first_seen_usec < y->first_seen_usec);
}

static int adopt_told(struct app_takeover *t, struct told_findings *told, struct err *err)
{
	const str *states = t->writer.publishes ? t->writer.found.p : t->writer.states;
	size_t n = t->writer.publishes ? t->writer.found.n : t->writer.n_states;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_told(told, states[i], &t->app->limits, err);
	if (r == 0 && told->list.n)
		qsort(told->list.p, told->list.n, sizeof(*told->list.p), by_age);
	for (size_t i = 0; r == 0 && i < told->list.n; i++)
		r = adoption_add(t->adoption, &told->list.p[i], err);
	return r;
}

/* On the writer's thread. */
static void on_writer_done(struct writer_takeover *writer, int r, const struct err *err)
{
	struct app_takeover *t = (struct app_takeover *)writer;
	struct app *app = t->app;
	struct told_findings told = { 0 };

	t->result = r;
	t->err = *err;
	if (r == 0 && t->adoption)
		t->result = adopt_told(t, &told, &t->err);
	told_done(&told);
	atomic_store(&t->over, true);
	wake(app);
}

static int read_batch(struct app_takeover *t, struct err *err)
{
	str batch = t->loaded->batch, record;
	int r;

	while ((r = leader_batch_next(&batch, &record, err)) > 0) {
		if (!vec_push(&t->records, record))
			return err_nomem(err);
	}
	return r == -EBADMSG ? 0 : r; /* what was told is known all the same */
}

/* Another host tells: what this one had to tell it tells otherwise. */
static void begin_drop(struct app *app)
{
	struct app_takeover *t = app->takeover ? NULL : calloc(1, sizeof(*t));

	if (!t) /* then it is forgotten when this host leads again */
		return;
	t->app = app;
	t->writer.drops = true;
	t->writer.done = on_writer_done;
	app->takeover = t;
	writer_take_over(app->writer, &t->writer);
}

static void begin_takeover(struct app *app, struct leader_loaded *loaded)
{
	struct app_takeover *t = calloc(1, sizeof(*t));
	struct err err;

	if (!t) {
		leader_loaded_free(loaded);
		return; /* the term passes, and is claimed again */
	}
	t->app = app;
	t->loaded = loaded;
	arena_init(&t->writer.arena, 65536, (size_t)1 << 30);
	if (read_batch(t, &err) < 0 || adoption_new(app->findings, &t->adoption, &err) < 0) {
		takeover_free(t);
		return;
	}
	t->writer.publishes = loaded->publishes;
	t->writer.states = loaded->states.p;
	t->writer.n_states = loaded->states.n;
	t->writer.records = t->records.p;
	t->writer.n_records = t->records.n;
	t->writer.done = on_writer_done;
	app->takeover = t;
	app->muted = true;
	writer_take_over(app->writer, &t->writer);
}

static void on_differs(void *ctx, const struct finding *x)
{
	struct app *app = ctx;
	struct cluster *c = cluster_find(app->clusters, app->n_clusters, x->subject.cluster);

	if (c)
		cluster_judge_told(c, x);
}

/* What was told is known from now on, and goes on. */
static int adopt(struct app *app, struct app_takeover *t, struct err *err)
{
	int r;

	app->muted = false;
	r = adoption_begin(t->adoption, err);
	app->muted = r < 0;
	t->adopting = r == 0;
	return r;
}

static void lead(struct app *app, const struct app_takeover *t)
{
	app->inspecting.follows = false;
	app->unwatched_end = true;
	app_begin_accepted(app);
	leader_open(app->leader, t->loaded);
	tell_leads(app, adoption_count(t->adoption), t->records.n, false);
	writer_wake(app->writer);
	app_wake(app);
}

/* The writer has done its part. */
static void finish_takeover(struct app *app)
{
	struct app_takeover *t = app->takeover;
	struct leader_status s;
	int r = t->result;

	app->takeover_error.code = 0;
	leader_status(app->leader, &s);
	if (t->loaded && s.state == ELECTION_LEADS && s.term == t->loaded->term) {
		if (r == 0)
			r = adopt(app, t, &t->err);
		if (r == 0) {
			lead(app, t);
			return;
		}
		leader_loaded_free(app->takeover_again);
		app->takeover_again = TAKE(t->loaded);
		app->takeover_error = t->err;
	}
	takeover_free(TAKE(app->takeover));
}

bool app_go_on_adopting(struct app *app, uint64_t until_ns)
{
	struct app_takeover *t = app->takeover;

	if (!t || !t->adopting)
		return false;
	while (adoption_go_on(t->adoption, on_differs, app)) {
		if (uv_hrtime() >= until_ns)
			return true;
	}
	takeover_free(TAKE(app->takeover));
	return false;
}

static void on_news(uv_async_t *async)
{
	struct app *app = async->data;
	struct leader_loaded *loaded;
	struct leader_status s;

	if (app->takeover && !app->takeover->adopting && atomic_load(&app->takeover->over))
		finish_takeover(app);
	leader_status(app->leader, &s);
	if (s.state == ELECTION_FOLLOWS && !app->muted) {
		app->muted = app->inspecting.follows = true;
		begin_drop(app);
	}
	tell_state(app, &s);
	if (app->takeover)
		return;
	loaded = leader_take_loaded(app->leader);
	if (!loaded)
		return;
	if (!loaded->resumes) {
		if (loaded->publishes)
			tell_publishes(app);
		begin_takeover(app, loaded);
		return;
	}
	leader_loaded_free(loaded);
	tell_leads(app, 0, 0, true);
	writer_wake(app->writer);
}

void app_tick_leader(struct app *app)
{
	struct leader_status s;

	if (!app->leader)
		return;
	app_leader_status(app, &s);
	tell_failure(app, &s);
	if (app->takeover_again && !app->takeover)
		begin_takeover(app, TAKE(app->takeover_again)); /* nothing comes of it in another term */
	on_news(&app->leader_wake->async);                      /* should a try have failed */
}

/* ---- life ---- */

static int read_key(struct app *app, struct err *err)
{
	CLEANUP(freep) char *path = str_dup(app->cfg->leader.hash_key_file);
	CLEANUP(freep) char *bytes = NULL;
	size_t n;
	int r = path ? file_read(path, FINDINGS_KEY_SIZE, &bytes, &n, err) : err_nomem(err);

	if (r == -E2BIG || (r == 0 && n != FINDINGS_KEY_SIZE))
		return err_set(err, EINVAL, "hash_key_file '%s' of leader_election has not %d bytes", path,
			       FINDINGS_KEY_SIZE);
	if (r < 0)
		return err_wrap(err, "hash_key_file of leader_election");
	memcpy(app->leader_key, bytes, FINDINGS_KEY_SIZE);
	return 0;
}

int app_open_leader(struct app *app, struct err *err)
{
	struct leader_options o = { .shard = app->options.shard, .changed = wake, .ctx = app };
	int r;

	if (!app->cfg->leader.n_endpoints)
		return 0;
	r = read_key(app, err);
	if (r < 0)
		return r;
	app->leader_cfg = cfg_ref(app->cfg);
	app->muted = app->inspecting.follows = true;
	o.from = &app->leader_cfg->leader;
	memcpy(o.key, app->leader_key, sizeof(o.key));
	return leader_new(&o, &app->leader, err);
}

int app_start_leader(struct app *app, struct err *err)
{
	struct app_leader_wake *w;
	int r;

	if (!app->leader)
		return 0;
	w = calloc(1, sizeof(*w));
	r = w ? uv_async_init(&app->loop, &w->async, on_news) : -ENOMEM;
	if (r < 0) {
		free(w);
		return err_set(err, -r, "%s", uv_strerror(r));
	}
	(void)pthread_mutex_init(&w->lock, NULL); /* of the default kind it does not fail */
	w->async.data = app;
	app->leader_wake = w;
	return leader_start(app->leader, err);
}

void app_leave_loop_leader(struct app *app)
{
	struct app_leader_wake *w = app->leader_wake;

	if (!w)
		return;
	(void)pthread_mutex_lock(&w->lock);
	w->closed = true;
	(void)pthread_mutex_unlock(&w->lock);
	uv_close((uv_handle_t *)&w->async, NULL);
}

void app_close_leader(struct app *app)
{
	leader_stop(TAKE(app->leader));
	takeover_free(TAKE(app->takeover));
	leader_loaded_free(TAKE(app->takeover_again));
	if (app->leader_wake)
		(void)pthread_mutex_destroy(&app->leader_wake->lock);
	free(TAKE(app->leader_wake));
	cfg_unref(TAKE(app->leader_cfg));
}
