/* Units of sources: taken in turn by threads, and reported in order by whichever thread ends the oldest one.
 *
 *     waiting --claim()--> judged --finish()--> finished --report_unit()--> gone
 *
 * A source of many objects, a list say, is a crowd: threads that find nothing else to do judge along. */
#include "daemon/compare/pipeline.h"

#include "base/key.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#define UNIT_SOURCES_MAX 16 /* few enough to share the work, enough to rarely contend for the lock */
#define UNITS_PER_THREAD 4  /* units that are being judged, or wait for older ones */
#define CHUNK 16            /* objects of a crowd that a thread takes at once */
#define PROGRESS_FIRST_MS 1000
#define PROGRESS_EVERY_MS 200

struct unit {
	size_t from, to; /* the range of sources */
	struct compare_input part;
	VEC(struct compare_result) results; /* one for each object */
	bool finished;
	int error;
	struct err err;
};

/* Objects that any thread may judge. */
struct crowd {
	const val *objects;
	struct compare_result *results;
	size_t n, next, done;
	int error;
	struct err err;
	struct crowd *older;
};

struct pipeline {
	const struct compare_sources *sources;
	struct compare_input *in;
	struct compare_run *run; /* NULL: nothing is judged */
	unsigned n_threads;
	size_t unit_sources, n_units;
	pthread_mutex_t lock; /* protects all fields below */
	pthread_cond_t changed;
	struct unit *ring;
	size_t n_ring;
	size_t claimed, reported; /* numbers of units */
	bool reporting;           /* a thread reports, without the lock */
	bool stop;
	struct crowd *crowds;
	int error;
	struct err err;
	pthread_mutex_t network;     /* held while one source is read with the network handle of the input */
	uint64_t start_ms, shown_ms; /* times of the progress; 0: it is not shown */
};

/* What one thread needs to judge. */
struct judging_thread {
	struct pipeline *p;
	struct key_table *keys;
	struct compare_worker *worker;
	pthread_t id;
};

/* ---- judging ---- */

static int judge_range(struct judging_thread *h, const val *objects, struct compare_result *results, size_t n,
		       struct err *err)
{
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++)
		r = compare_worker_judge(h->worker, objects[i], &results[i], err);
	return r;
}

/* Judge a chunk of @c. The lock is released meanwhile. */
static void judge_chunk(struct judging_thread *h, struct crowd *c)
{
	struct pipeline *p = h->p;
	size_t from = c->next, n = c->n - from < CHUNK ? c->n - from : CHUNK;
	struct err err;
	int r;

	c->next += n;
	pthread_mutex_unlock(&p->lock);
	r = judge_range(h, c->objects + from, c->results + from, n, &err);
	pthread_mutex_lock(&p->lock);
	if (r < 0 && c->error == 0) {
		c->error = r;
		c->err = err;
	}
	c->done += n;
	if (c->done == c->n)
		pthread_cond_broadcast(&p->changed);
}

static struct crowd *open_crowd(const struct pipeline *p)
{
	struct crowd *c = p->crowds;

	while (c && c->next == c->n)
		c = c->older;
	return c;
}

static void remove_crowd(struct pipeline *p, struct crowd *c)
{
	struct crowd **at = &p->crowds;

	while (*at != c)
		at = &(*at)->older;
	*at = c->older;
}

static int judge_crowd(struct judging_thread *h, const val *objects, struct compare_result *results, size_t n,
		       struct err *err)
{
	struct pipeline *p = h->p;
	struct crowd c = { .objects = objects, .results = results, .n = n };

	pthread_mutex_lock(&p->lock);
	c.older = p->crowds;
	p->crowds = &c;
	pthread_cond_broadcast(&p->changed);
	while (c.next < c.n)
		judge_chunk(h, &c);
	while (c.done < c.n)
		pthread_cond_wait(&p->changed, &p->lock);
	remove_crowd(p, &c);
	pthread_mutex_unlock(&p->lock);
	if (c.error < 0)
		*err = c.err;
	return c.error;
}

/* Judge the objects of @u that have no result yet. */
static int judge_new(struct judging_thread *h, struct unit *u)
{
	size_t from = u->results.n, n = u->part.objects.n - from;
	const val *objects = u->part.objects.p + from;

	for (size_t i = 0; i < n; i++) {
		if (!vec_push(&u->results, (struct compare_result){ 0 }))
			return err_nomem(&u->err);
	}
	if (h->p->n_threads > 1 && n > CHUNK)
		return judge_crowd(h, objects, u->results.p + from, n, &u->err);
	return judge_range(h, objects, u->results.p + from, n, &u->err);
}

/* ---- units ---- */

static int read_remote(struct pipeline *p, struct unit *u, size_t i)
{
	int r;

	pthread_mutex_lock(&p->network);
	u->part.net = p->in->net;
	r = compare_sources_read(p->sources, i, &u->part, &u->err);
	p->in->net = TAKE(u->part.net);
	pthread_mutex_unlock(&p->network);
	return r;
}

static int read_source(struct pipeline *p, struct unit *u, size_t i)
{
	if (compare_sources_remote(p->sources, i))
		return read_remote(p, u, i);
	return compare_sources_read(p->sources, i, &u->part, &u->err);
}

static void do_unit(struct judging_thread *h, struct unit *u)
{
	struct pipeline *p = h->p;

	compare_input_part(p->in, h->keys, &u->part);
	for (size_t i = u->from; i < u->to && u->error == 0; i++) {
		u->error = read_source(p, u, i);
		if (p->run && u->error == 0) {
			u->error = judge_new(h, u);
			compare_input_drop(&u->part);
		}
	}
}

static void unit_done(struct unit *u)
{
	for (size_t i = 0; i < u->results.n; i++)
		compare_result_done(&u->results.p[i]);
	vec_done(&u->results);
	compare_input_done(&u->part);
}

/* Claim the next unit; NULL: there is none, or enough units are claimed for now. */
static struct unit *claim(struct pipeline *p)
{
	struct unit *u;

	if (p->claimed == p->n_units || p->claimed - p->reported == p->n_ring)
		return NULL;
	u = &p->ring[p->claimed % p->n_ring];
	*u = (struct unit){ .from = p->claimed * p->unit_sources };
	u->to = u->from + p->unit_sources < p->sources->names.v.n ? u->from + p->unit_sources : p->sources->names.v.n;
	p->claimed++;
	return u;
}

/* ---- in order ---- */

static int report_objects(struct pipeline *p, struct unit *u)
{
	for (size_t i = 0; i < u->part.objects.n; i++) {
		int r = compare_input_take(p->in, &u->part, i, &u->err);

		if (r > 0 && p->run)
			r = compare_run_take(p->run, &u->results.p[i], &u->err);
		if (r < 0)
			return r;
	}
	return p->run ? 0 : compare_input_keep(p->in, &u->part, &u->err);
}

static void hide_progress(struct pipeline *p)
{
	if (p->shown_ms)
		fputs("\r\033[K", stderr);
	p->shown_ms = 0;
}

/* Show the progress to a person who waits: nothing in the first second, and nothing stays on the screen. */
static void show_progress(struct pipeline *p, const struct unit *u)
{
	uint64_t now = compare_now_ms();

	if (now - p->start_ms < PROGRESS_FIRST_MS || now - p->shown_ms < PROGRESS_EVERY_MS)
		return;
	fprintf(stderr, "\rcompared %zu objects, of %zu of %zu files", p->in->objects.n, u->to, p->sources->names.v.n);
	fflush(stderr);
	p->shown_ms = now;
}

static int report_unit(struct pipeline *p, struct unit *u)
{
	struct err failed = u->err;
	int r;

	if (u->part.warnings.v.n)
		hide_progress(p);
	r = compare_input_report(p->in, &u->part, &u->err);
	if (u->error < 0)
		u->err = failed;
	if (r == 0)
		r = u->error < 0 ? u->error : report_objects(p, u);
	if (p->run && p->run->progress)
		show_progress(p, u);
	return r;
}

/* Report @u, which is the oldest unit. */
static void report_oldest(struct pipeline *p, struct unit *u)
{
	int r;

	pthread_mutex_unlock(&p->lock);
	r = report_unit(p, u);
	if (r < 0)
		p->err = u->err;
	unit_done(u);
	pthread_mutex_lock(&p->lock);
	p->reported++;
	p->error = r;
	p->stop = r < 0;
	pthread_cond_broadcast(&p->changed);
}

/* Note that @u is finished. One thread reports the results in order; the others leave theirs to it and continue. */
static void finish(struct pipeline *p, struct unit *u)
{
	u->finished = true;
	if (p->reporting)
		return;
	p->reporting = true;
	while (!p->stop && p->reported < p->claimed && p->ring[p->reported % p->n_ring].finished)
		report_oldest(p, &p->ring[p->reported % p->n_ring]);
	p->reporting = false;
}

/* ---- threads ---- */

static void *work(void *arg)
{
	struct judging_thread *h = arg;
	struct pipeline *p = h->p;

	pthread_mutex_lock(&p->lock);
	while (!p->stop && p->reported < p->n_units) {
		struct crowd *c = open_crowd(p);
		struct unit *u = c ? NULL : claim(p);

		if (c) {
			judge_chunk(h, c);
		} else if (u) {
			pthread_mutex_unlock(&p->lock);
			do_unit(h, u);
			pthread_mutex_lock(&p->lock);
			finish(p, u);
		} else {
			pthread_cond_wait(&p->changed, &p->lock);
		}
	}
	pthread_mutex_unlock(&p->lock);
	return NULL;
}

static int thread_init(struct judging_thread *h, struct pipeline *p, struct key_table *keys, struct err *err)
{
	h->p = p;
	h->keys = keys;
	if (!keys)
		return err_nomem(err);
	h->worker = p->run ? compare_worker_new(p->run, keys) : NULL;
	return p->run && !h->worker ? err_nomem(err) : 0;
}

/* A new table of keys, which the input owns: keys live as long as the objects, which may be kept. */
static struct key_table *new_keys(struct compare_input *in)
{
	struct key_table *keys = key_table_new();

	if (keys && vec_push(&in->tables, keys))
		return keys;
	key_table_free(keys);
	return NULL;
}

/* Start the threads. The first one is this thread, which uses the input's own table of keys. */
static int start(struct pipeline *p, struct judging_thread *threads, unsigned *started, struct err *err)
{
	int r = thread_init(&threads[0], p, p->in->keys, err);

	for (unsigned i = 1; i < p->n_threads && r == 0; i++) {
		r = thread_init(&threads[i], p, new_keys(p->in), err);
		if (r == 0 && pthread_create(&threads[i].id, NULL, work, &threads[i]) != 0)
			break; /* fewer threads suffice */
		*started += r == 0;
	}
	return r;
}

static int run_hands(struct pipeline *p, struct err *err)
{
	CLEANUP(freep) struct judging_thread *threads = calloc(p->n_threads, sizeof(*threads));
	unsigned started = 0;
	int r;

	if (!threads)
		return err_nomem(err);
	r = start(p, threads, &started, err);
	if (r == 0) {
		work(&threads[0]);
	} else {
		pthread_mutex_lock(&p->lock);
		p->stop = true;
		pthread_cond_broadcast(&p->changed);
		pthread_mutex_unlock(&p->lock);
	}
	for (unsigned i = 0; i < started; i++)
		pthread_join(threads[i + 1].id, NULL);
	for (unsigned i = 0; i < p->n_threads; i++)
		compare_worker_free(threads[i].worker);
	if (r == 0 && p->error < 0)
		*err = p->err;
	return r < 0 ? r : p->error;
}

static void plan_units(struct pipeline *p)
{
	size_t n = p->sources->names.v.n, each = n / (p->n_threads * UNITS_PER_THREAD);

	p->unit_sources = each < 1 ? 1 : each > UNIT_SOURCES_MAX ? UNIT_SOURCES_MAX : each;
	p->n_units = (n + p->unit_sources - 1) / p->unit_sources;
}

int compare_pipeline(const struct compare_sources *sources, struct compare_input *in, struct compare_run *run,
		     unsigned threads, struct err *err)
{
	struct pipeline p = { .sources = sources,
			      .in = in,
			      .run = run,
			      .n_threads = compare_run_threads(threads),
			      .lock = PTHREAD_MUTEX_INITIALIZER,
			      .changed = PTHREAD_COND_INITIALIZER,
			      .network = PTHREAD_MUTEX_INITIALIZER,
			      .start_ms = compare_now_ms() };
	int r;

	plan_units(&p);
	p.n_ring = p.n_threads * UNITS_PER_THREAD;
	p.ring = calloc(p.n_ring, sizeof(*p.ring));
	if (!p.ring)
		return err_nomem(err);
	r = run ? compare_run_expect(run, sources->names.v.n, err) : 0; /* most files hold one object */
	if (r == 0)
		r = run_hands(&p, err);
	hide_progress(&p);
	for (; p.reported < p.claimed; p.reported++)
		unit_done(&p.ring[p.reported % p.n_ring]);
	free(p.ring);
	pthread_mutex_destroy(&p.lock);
	pthread_mutex_destroy(&p.network);
	pthread_cond_destroy(&p.changed);
	return r;
}
