/* Reports the state of the leadership, and takes over what another host has reported. */
#include "daemon/app/leadership.h"

#include "base/assert.h"
#include "base/file.h"
#include "config/part.h"
#include "daemon/api/api.h"
#include "daemon/app/accepting.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/adoption.h"
#include "daemon/findings/finding_json.h"
#include "value/json.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

#define FAILING_GRACE_NS (10 * UINT64_C(1000000000))

enum leadership_state {
	LEADERSHIP_SILENT,
	LEADERSHIP_DROPPING,
	LEADERSHIP_LOADING,
	LEADERSHIP_RETRYING,
	LEADERSHIP_ADOPTING,
	LEADERSHIP_FINISHING,
	LEADERSHIP_REPORTING,
};

struct takeover {
	struct writer_takeover writer; /* the first member, so that a pointer to it is one to the takeover */
	struct leadership *l;
	struct leader_loaded *loaded;
	VEC(str) records;
	struct adoption *adoption; /* the writer's thread fills it; NULL: nothing is adopted */
	atomic_bool over;          /* the writer has finished its part */
	int result;
	struct err err;
};

/* A task of the writer: store what users made at another host. */
struct made_update {
	struct writer_task task; /* the first member, so that a pointer to it is one to the update */
	struct leadership *l;
	struct leader_loaded *loaded;
	atomic_bool over;
};

struct leadership {
	struct app *app;
	enum leadership_state state; /* only set_state changes it */
	struct leader *leader;
	struct cfg *cfg;                      /* the configuration that the election was made from */
	bool has_key;                         /* @leader has a key */
	unsigned char key[FINDINGS_KEY_SIZE]; /* the key of the findings */
	uv_async_t news;
	/* protects @news and @on_loop, because the election's thread knows nothing of the loop */
	pthread_mutex_t lock;
	bool on_loop;                /* @news has been initialized on the loop */
	struct takeover *takeover;   /* set in the states that drop, load, adopt and finish */
	struct leader_loaded *again; /* set in the state that retries */
	struct made_update *update;  /* the last update; NULL: there was none */
	struct err takeover_error;   /* why the last takeover failed; code 0: it did not fail */
	bool reported;
	enum election_state reported_state;
	const struct failure_words *failure_reported; /* NULL: no failure is reported */
	uint64_t failing_ns;                          /* uv_hrtime since which etcd requests fail; 0: none fails */
};

static const char *const state_names[] = { "silent",   "dropping",  "loading", "retrying",
					   "adopting", "finishing", "telling" };
_Static_assert(ARRAY_LEN(state_names) == LEADERSHIP_REPORTING + 1, "a name for each state");

static void leave_effects(struct app *app, bool to_others)
{
	if (app->inspecting)
		app->inspecting->follow(app, to_others);
}

/* Change the state. While another host leads, and until this one has replaced it, the effects of inspections are the
 * other host's. */
static void set_state(struct leadership *l, enum leadership_state to)
{
	static const unsigned follow[] = {
		[LEADERSHIP_SILENT] = 1u << LEADERSHIP_LOADING,
		[LEADERSHIP_DROPPING] = 1u << LEADERSHIP_SILENT,
		[LEADERSHIP_LOADING] = 1u << LEADERSHIP_SILENT | 1u << LEADERSHIP_RETRYING | 1u << LEADERSHIP_ADOPTING,
		[LEADERSHIP_RETRYING] = 1u << LEADERSHIP_SILENT | 1u << LEADERSHIP_LOADING,
		[LEADERSHIP_ADOPTING] =
			1u << LEADERSHIP_RETRYING | 1u << LEADERSHIP_FINISHING | 1u << LEADERSHIP_REPORTING,
		[LEADERSHIP_FINISHING] = 1u << LEADERSHIP_SILENT,
		[LEADERSHIP_REPORTING] = 1u << LEADERSHIP_SILENT | 1u << LEADERSHIP_DROPPING | 1u << LEADERSHIP_LOADING,
	};

	ASSERT(follow[l->state] & 1u << to);
	l->state = to;
	if (to != LEADERSHIP_LOADING && to != LEADERSHIP_RETRYING)
		leave_effects(l->app, to != LEADERSHIP_ADOPTING && to != LEADERSHIP_REPORTING);
}

/* Whether this host reports findings. */
static bool reports(const struct leadership *l)
{
	return l->state == LEADERSHIP_ADOPTING || l->state == LEADERSHIP_REPORTING;
}

void leadership_take_emission(void *ctx, const struct emission *t)
{
	struct app *app = ctx;

	if (reports(app->leadership) || !t->finding)
		writer_take(app->writer, t);
}

bool leadership_refuses(const struct app *app, struct http_response *r)
{
	if (app->leadership)
		api_fail(r, 409, LEADERSHIP_UNSHARED);
	return app->leadership;
}

unsigned leadership_refusal(const struct app *app, char why[LEADERSHIP_REFUSAL_SIZE])
{
	struct leader_status s;

	if (!app->leadership)
		return 0;
	leader_status(app->leadership->leader, &s);
	if (s.state == ELECTION_FOLLOWS && *s.holder && strcmp(s.holder, s.name) != 0) {
		(void)snprintf(why, LEADERSHIP_REFUSAL_SIZE, "this host is not the leader: ask %s", s.holder);
		return 409;
	}
	if (s.state == ELECTION_LEADS && s.reports && app->leadership->state == LEADERSHIP_REPORTING)
		return 0;
	(void)snprintf(why, LEADERSHIP_REFUSAL_SIZE, "this host does not lead now, and changes nothing: try again");
	return 503;
}

void leadership_status(const struct app *app, struct leader_status *ret)
{
	leader_status(app->leadership->leader, ret);
	if (!ret->error.code && ret->state == ELECTION_LEADS)
		ret->error = app->leadership->takeover_error;
}

bool leadership_reports(const struct app *app)
{
	return app->leadership->state == LEADERSHIP_REPORTING;
}

const char *leadership_phase(const struct app *app)
{
	ASSERT(app->leadership->state < ARRAY_LEN(state_names));
	return state_names[app->leadership->state];
}

const struct writer_agreement *leadership_agreement(const struct app *app)
{
	return &app->leadership->leader->agreement;
}

bool leadership_key(const struct app *app, unsigned char ret[FINDINGS_KEY_SIZE])
{
	if (app->leadership->has_key)
		leader_key(app->leadership->leader, ret);
	return app->leadership->has_key;
}

static void give_key(struct leadership *l, const unsigned char key[FINDINGS_KEY_SIZE])
{
	leader_set_key(l->leader, key);
	l->has_key = true;
}

void leadership_use_key(struct app *app, const unsigned char key[FINDINGS_KEY_SIZE])
{
	struct leadership *l = app->leadership;

	memcpy(l->key, key, FINDINGS_KEY_SIZE);
	if (!l->has_key)
		give_key(l, key);
}

static bool uses_agreed_key(const struct leadership *l)
{
	unsigned char key[FINDINGS_KEY_SIZE];

	leader_key(l->leader, key);
	return memcmp(key, l->key, sizeof(key)) == 0;
}

/* ---- records ---- */

static void PRINTF(4, 5)
	report(struct leadership *l, enum severity severity, const struct leader_status *s, const char *text, ...)
{
	struct record r;
	char what[2 * ELECTION_NAME_SIZE + sizeof(s->error.msg) + 200];
	va_list args;

	va_start(args, text);
	(void)vsnprintf(what, sizeof(what), text, args);
	va_end(args);
	record_init(&r, MESSAGE_LEADER, (int)severity);
	r.text = arena_printf(&r.arena, "leader election: %s", what);
	record_add(&r, "DRIFTD_EVENT", STR("leader"));
	record_add(&r, "DRIFTD_LEADER_STATE", str_from(election_state_name(s->state)));
	record_add(&r, "DRIFTD_LEADER_NAME", str_from(s->name));
	record_add(&r, "DRIFTD_LEADER", str_from(s->holder));
	record_addf(&r, "DRIFTD_LEADER_TERM", "%lld", (long long)s->term);
	sink_write(l->app->sink, &r);
	record_done(&r);
}

static void report_leads(struct leadership *l, size_t open, size_t resent, bool resumes)
{
	struct leader_status s;

	leader_status(l->leader, &s);
	if (resumes)
		report(l, SEVERITY_INFO, &s, "this host, %s, leads again and goes on where it was", s.name);
	else
		report(l, SEVERITY_INFO, &s,
		       "this host, %s, leads from now on: %zu finding%s open, %zu record%s sent again", s.name, open,
		       open == 1 ? " is" : "s are", resent, resent == 1 ? " is" : "s are");
	l->reported = true;
	l->reported_state = ELECTION_LEADS;
}

static void report_publishes(struct leadership *l)
{
	struct leader_status s;

	leader_status(l->leader, &s);
	report(l, SEVERITY_NOTICE, &s,
	       "this host, %s, makes known what it knows to be open: etcd has nothing, or what was so before", s.name);
}

static void report_state(struct leadership *l, const struct leader_status *s)
{
	if ((l->reported && l->reported_state == s->state) || s->state == ELECTION_LEADS)
		return;
	if (s->state == ELECTION_FOLLOWS && !*s->holder)
		return;
	/* The host led before it was restarted, and looks for its lease. */
	if (s->state == ELECTION_UNSURE && s->renewal_age_ns < 0 && s->error.code != ESTALE)
		return;
	if (s->state == ELECTION_FOLLOWS && strcmp(s->holder, s->name) == 0)
		report(l, SEVERITY_INFO, s, "an earlier life of this host, %s, has the lease until it ends", s->name);
	else if (s->state == ELECTION_FOLLOWS)
		report(l, SEVERITY_INFO, s, "%s leads; this host, %s, follows", s->holder, s->name);
	else
		report(l, SEVERITY_ERROR, s, "this host, %s, %s: it reports nothing, and its records wait", s->name,
		       s->error.code == ESTALE ? "found that etcd has lost what it put there last"
					       : "could not renew its lease");
	l->reported = true;
	l->reported_state = s->state;
}

/* What is wrong with etcd, be it with the lease or with records that wait. Code 0: nothing. */
static struct err failure_of(struct leadership *l, const struct leader_status *s)
{
	struct writer_status w;

	if (s->error.code)
		return s->error;
	writer_status(l->app->writer, &w);
	return w.agreement_error;
}

/* The words for a failure, and for the end of the failure. */
struct failure_words {
	const char *fails, *passed;
};

static const struct failure_words *words_for(const struct leader_status *s, const struct err *why)
{
	static const struct failure_words away = { "etcd cannot be asked", "etcd answers again" },
					  refuses = { "etcd cannot be used", "etcd can be used again" },
					  takeover = { "what was reported cannot be taken over",
						       "this host can take over again" };

	if (s->state == ELECTION_LEADS && !s->reports && s->error.code)
		return &takeover;
	return why->code == EHOSTUNREACH ? &away : &refuses;
}

static void report_failure(struct leadership *l, const struct leader_status *s)
{
	struct err why = failure_of(l, s);
	uint64_t now = uv_hrtime();

	if (!why.code) {
		if (l->failure_reported)
			report(l, SEVERITY_INFO, s, "%s", l->failure_reported->passed);
		l->failing_ns = 0;
		l->failure_reported = NULL;
		return;
	}
	if (!l->failing_ns)
		l->failing_ns = now;
	if (l->failure_reported || now - l->failing_ns < FAILING_GRACE_NS)
		return;
	l->failure_reported = words_for(s, &why);
	report(l, SEVERITY_ERROR, s, "%s for %llu s: %s", l->failure_reported->fails,
	       (unsigned long long)((now - l->failing_ns) / 1000000000), why.msg);
}

/* ---- taking another host's place ---- */

static void takeover_free(struct takeover *t)
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

/* Wake the loop. Runs on any thread that has news. */
static void wake(void *ctx)
{
	struct leadership *l = ctx;

	(void)pthread_mutex_lock(&l->lock);
	if (l->on_loop)
		(void)uv_async_send(&l->news);
	(void)pthread_mutex_unlock(&l->lock);
}

/* The findings that another host reported. They borrow from the documents. */
struct predecessor_findings {
	VEC(struct finding) list;
	VEC(struct doc *) docs;
};

static void predecessor_findings_done(struct predecessor_findings *reported)
{
	for (size_t i = 0; i < reported->docs.n; i++)
		doc_unref(reported->docs.p[i]);
	vec_done(&reported->docs);
	vec_done(&reported->list);
}

/* Read the state of an inspection. A state that cannot be read comes from a newer driftd: the inspection begins
 * again. */
static int read_predecessor(struct predecessor_findings *reported, str state, const struct limits *limits,
			    struct err *err)
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
	if (!vec_push(&reported->docs, doc)) {
		doc_unref(doc);
		return err_nomem(err);
	}
	return vec_push(&reported->list, x) ? 0 : err_nomem(err);
}

static int by_age(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;

	return (x->first_seen_usec > y->first_seen_usec) - (x->first_seen_usec < y->first_seen_usec);
}

static int adopt_predecessor(struct takeover *t, struct predecessor_findings *reported, struct err *err)
{
	const str *states = t->writer.publishes ? t->writer.found.p : t->writer.states;
	size_t n = t->writer.publishes ? t->writer.found.n : t->writer.n_states;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = read_predecessor(reported, states[i], &t->l->app->limits, err);
	if (r == 0 && reported->list.n)
		qsort(reported->list.p, reported->list.n, sizeof(*reported->list.p), by_age);
	for (size_t i = 0; r == 0 && i < reported->list.n; i++)
		r = adoption_add(t->adoption, &reported->list.p[i], err);
	return r;
}

/* Runs on the writer's thread when the writer has finished its part. */
static void on_writer_done(struct writer_takeover *writer, int r, const struct err *err)
{
	struct takeover *t = (struct takeover *)writer;
	struct leadership *l = t->l;
	struct predecessor_findings reported = { 0 };

	t->result = r;
	t->err = *err;
	if (r == 0 && t->adoption)
		t->result = adopt_predecessor(t, &reported, &t->err);
	predecessor_findings_done(&reported);
	atomic_store(&t->over, true);
	wake(l);
}

static int read_batch(struct takeover *t, struct err *err)
{
	str batch = t->loaded->batch, record;
	int r;

	while ((r = leader_batch_next(&batch, &record, err)) > 0) {
		if (!vec_push(&t->records, record))
			return err_nomem(err);
	}
	return r == -EBADMSG ? 0 : r; /* the reported findings are known nevertheless */
}

/* Drop the waiting records, because another host reports from now on, in its own way. */
static void begin_drop(struct leadership *l)
{
	struct takeover *t = calloc(1, sizeof(*t));

	set_state(l, t ? LEADERSHIP_DROPPING : LEADERSHIP_SILENT);
	if (!t) /* without it the records are dropped when this host leads again */
		return;
	t->l = l;
	t->writer.drops = true;
	t->writer.done = on_writer_done;
	l->takeover = t;
	writer_take_over(l->app->writer, &t->writer);
}

/* Begin a takeover; NULL without memory: then the term passes, and is claimed again. */
static struct takeover *takeover_new(struct leadership *l, struct leader_loaded *loaded)
{
	struct takeover *t = calloc(1, sizeof(*t));
	struct err err;

	if (!t) {
		leader_loaded_free(loaded);
		return NULL;
	}
	t->l = l;
	t->loaded = loaded;
	arena_init(&t->writer.arena, 65536, (size_t)1 << 30);
	if (read_batch(t, &err) == 0 && adoption_new(l->app->findings, &t->adoption, &err) == 0)
		return t;
	takeover_free(t);
	return NULL;
}

static void begin_takeover(struct leadership *l, struct leader_loaded *loaded)
{
	struct takeover *t = takeover_new(l, loaded);

	leader_loaded_free(TAKE(l->again));
	if (!t) {
		if (l->state == LEADERSHIP_RETRYING)
			set_state(l, LEADERSHIP_SILENT);
		return;
	}
	t->writer.publishes = loaded->publishes;
	t->writer.publishes_made = loaded->publishes || !loaded->made_known;
	t->writer.made = loaded->made.p;
	t->writer.n_made = loaded->made.n;
	t->writer.states = loaded->states.p;
	t->writer.n_states = loaded->states.n;
	t->writer.records = t->records.p;
	t->writer.n_records = t->records.n;
	t->writer.done = on_writer_done;
	l->takeover = t;
	set_state(l, LEADERSHIP_LOADING);
	writer_take_over(l->app->writer, &t->writer);
}

static void on_differs(void *ctx, const struct finding *x)
{
	struct leadership *l = ctx;
	struct cluster *c = cluster_find(l->app->clusters.p, l->app->clusters.n, x->subject.cluster);

	if (c)
		cluster_judge_reported(c, x);
}

static void lead(struct leadership *l, const struct takeover *t)
{
	clusters_find_unwatched(l->app);
	accepting_begin(l->app);
	leader_open(l->leader, t->loaded);
	report_leads(l, adoption_count(t->adoption), t->records.n, false);
	writer_wake(l->app->writer);
	l->app->wake(l->app);
}

/* Put into force what users have made at other hosts. */
static int take_made(struct leadership *l, const struct leader_loaded *loaded, struct err *err)
{
	struct app *app = l->app;
	int r;

	/* etcd does not have the items of users: this host publishes its own acceptances and rules */
	if (!loaded->made_known)
		return 0;
	r = accepting_replace(app, loaded->made.p, loaded->made.n, err);
	if (r == 0 && app->inspecting)
		r = app->inspecting->replace(app, loaded->made.p, loaded->made.n, err);
	return r;
}

/* Make the findings that another host reported the findings of this one. From here on they are compared with the
 * state that @t contains. */
static int adopt(struct leadership *l, struct takeover *t)
{
	int r = t->result;

	if (r == 0 && !t->writer.publishes_made)
		r = take_made(l, t->loaded, &t->err); /* now, while nothing is reported */
	if (r < 0)
		return r;
	set_state(l, LEADERSHIP_ADOPTING);
	r = adoption_begin(t->adoption, &t->err);
	if (r == 0)
		lead(l, t);
	return r;
}

/* Finish the takeover when the writer has finished its part. */
static void finish_takeover(struct leadership *l)
{
	struct takeover *t = l->takeover;
	enum leadership_state next = LEADERSHIP_SILENT;
	struct leader_status s;

	l->takeover_error.code = 0;
	leader_status(l->leader, &s);
	if (t->loaded && s.state == ELECTION_LEADS && s.term == t->loaded->term) {
		if (adopt(l, t) == 0)
			return;
		l->again = TAKE(t->loaded);
		l->takeover_error = t->err;
		next = LEADERSHIP_RETRYING;
	}
	takeover_free(TAKE(l->takeover));
	set_state(l, next);
}

bool leadership_go_on(struct app *app, uint64_t until_ns)
{
	struct leadership *l = app->leadership;

	if (!l || (l->state != LEADERSHIP_ADOPTING && l->state != LEADERSHIP_FINISHING))
		return false;
	while (adoption_go_on(l->takeover->adoption, on_differs, l)) {
		if (uv_hrtime() >= until_ns)
			return true;
	}
	takeover_free(TAKE(l->takeover));
	set_state(l, l->state == LEADERSHIP_ADOPTING ? LEADERSHIP_REPORTING : LEADERSHIP_SILENT);
	return false;
}

static void update_free(struct made_update *u)
{
	if (!u)
		return;
	leader_loaded_free(u->loaded);
	free(u);
}

/* Store the update, on the writer's thread. A failure is repaired when this host takes over. */
static void keep_update(struct writer_task *task, struct database *d)
{
	struct made_update *u = (struct made_update *)task;
	struct leadership *l;
	struct err err;
	int r = database_begin(d, &err);

	if (r == 0)
		(void)!database_end(d, made_replace(d, u->loaded->made.p, u->loaded->made.n, &err), &err);
	l = u->l;
	atomic_store(&u->over, true); /* from here on the loop owns it */
	wake(l);
}

/* Take over the acceptances and rules of the host that leads, when they differ from those of this host, which
 * follows. */
static void begin_update(struct leadership *l, struct leader_loaded *loaded)
{
	struct made_update *u = l->state == LEADERSHIP_SILENT ? calloc(1, sizeof(*u)) : NULL;
	struct err err;

	if (!u || take_made(l, loaded, &err) < 0) { /* what could not be loaded is loaded when this host takes over */
		free(u);
		leader_loaded_free(loaded);
		return;
	}
	update_free(l->update);
	u->l = l;
	u->loaded = loaded;
	u->task.run = keep_update;
	l->update = u;
	writer_run(l->app->writer, &u->task);
}

static void on_news(uv_async_t *async)
{
	struct leadership *l = async->data;
	struct leader_loaded *loaded;
	struct leader_status s;

	if ((l->state == LEADERSHIP_DROPPING || l->state == LEADERSHIP_LOADING) && atomic_load(&l->takeover->over))
		finish_takeover(l);
	leader_status(l->leader, &s);
	if (s.state == ELECTION_FOLLOWS && l->state == LEADERSHIP_REPORTING)
		begin_drop(l);
	else if (s.state == ELECTION_FOLLOWS && l->state == LEADERSHIP_ADOPTING)
		set_state(l, LEADERSHIP_FINISHING);
	report_state(l, &s);
	if (!uses_agreed_key(l)) /* a later tick looks again */
		return;
	if (l->takeover || (l->update && !atomic_load(&l->update->over)))
		return;
	loaded = leader_take_loaded(l->leader);
	if (!loaded)
		return;
	if (loaded->follows) {
		begin_update(l, loaded);
		return;
	}
	if (!loaded->resumes) {
		if (loaded->publishes)
			report_publishes(l);
		begin_takeover(l, loaded);
		return;
	}
	leader_loaded_free(loaded);
	report_leads(l, 0, 0, true);
	writer_wake(l->app->writer);
}

void leadership_tick(struct app *app)
{
	struct leadership *l = app->leadership;
	struct leader_status s;

	if (!l)
		return;
	leadership_status(app, &s);
	report_failure(l, &s);
	if (l->state == LEADERSHIP_RETRYING)
		begin_takeover(l, TAKE(l->again)); /* if the term has changed, the takeover has no effect */
	on_news(&l->news);                         /* in case a try has failed */
}

/* ---- life ---- */

static int read_key(const struct leadership *l, unsigned char ret[FINDINGS_KEY_SIZE], struct err *err)
{
	CLEANUP(freep) char *path = str_dup(l->cfg->leader.hash_key_file);
	CLEANUP(freep) char *bytes = NULL;
	size_t n;
	int r = path ? file_read(path, FINDINGS_KEY_SIZE, &bytes, &n, err) : err_nomem(err);

	if (r == -E2BIG || (r == 0 && n != FINDINGS_KEY_SIZE))
		return err_set(err, EINVAL, "hash_key_file '%s' of leader_election has not %d bytes", path,
			       FINDINGS_KEY_SIZE);
	if (r < 0)
		return err_wrap(err, "hash_key_file of leader_election");
	memcpy(ret, bytes, FINDINGS_KEY_SIZE);
	return 0;
}

int leadership_open(struct app *app, struct err *err)
{
	CLEANUP(freep) char *own_step = NULL;
	struct leader_options o = { .shard = app->options.shard, .changed = wake };
	unsigned char key[FINDINGS_KEY_SIZE];
	struct leadership *l;
	int r;

	if (!app->cfg->leader.n_endpoints)
		return 0;
	l = app->leadership = calloc(1, sizeof(*l));
	if (!l)
		return err_nomem(err);
	l->app = app;
	o.ctx = l;
	l->cfg = cfg_ref(app->cfg);
	(void)pthread_mutex_init(&l->lock, NULL); /* a mutex of the default kind does not fail */
	leave_effects(app, true);
	o.shares_key = !l->cfg->leader.hash_key_file.n;
	r = o.shares_key ? 0 : read_key(l, key, err);
	if (r < 0)
		return r;
	if (l->cfg->state_dir.n && asprintf(&own_step, "%.*s/leader", STR_ARG(l->cfg->state_dir)) < 0)
		own_step = NULL;
	o.own_step_path = own_step;
	o.from = &l->cfg->leader;
	r = HAS_LEADER ? leader_over_etcd(&o, &l->leader, err) : 0; /* otherwise the configuration is refused */
	if (r == 0 && !o.shares_key)
		give_key(l, key);
	return r;
}

int leadership_start(struct app *app, struct err *err)
{
	struct leadership *l = app->leadership;
	int r = l ? uv_async_init(&app->loop, &l->news, on_news) : 0;

	if (r < 0)
		return err_set(err, -r, "%s", uv_strerror(r));
	if (!l)
		return 0;
	l->news.data = l;
	l->on_loop = true;
	return leader_start(l->leader, err);
}

void leadership_leave_loop(struct app *app)
{
	struct leadership *l = app->leadership;

	if (!l)
		return;
	(void)pthread_mutex_lock(&l->lock);
	if (l->on_loop)
		uv_close((uv_handle_t *)&l->news, NULL);
	l->on_loop = false;
	(void)pthread_mutex_unlock(&l->lock);
}

void leadership_close(struct app *app)
{
	struct leadership *l = TAKE(app->leadership);

	if (!l)
		return;
	leader_stop(l->leader);
	takeover_free(l->takeover);
	leader_loaded_free(l->again);
	update_free(l->update);
	(void)pthread_mutex_destroy(&l->lock);
	cfg_unref(l->cfg);
	free(l);
}
