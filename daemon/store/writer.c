/* The queue, and the thread at its end. */
#include "daemon/store/writer.h"

#include "base/assert.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"
#include "daemon/findings/notice.h"
#include "daemon/findings/output.h"
#include "daemon/store/database.h"
#include "daemon/store/flood.h"
#include "daemon/store/journal_lookup.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>
#include <uv.h>

/* What waits to be written, in memory. A drift's record is some 2 KB, at most 1 MB. */
#define WAITING_MAX 10000
#define WAITING_BYTES_MAX ((size_t)64 << 20)
#define ITEM_BYTES_MAX ((size_t)8 << 20)
#define COMMIT_MAX 1000 /* items of one transaction */
#define SEND_MAX 100    /* records between two looks at the queue */
#define SHORT_MS 100    /* until what failed or is pending is tried again */
#define LONG_MS 1000
#define CERTAIN_MS (WRITER_DOUBT_USEC / 1000 + LONG_MS) /* after which what was sent is in the journal */
#define RELEASE_MS 100                                  /* between two lots of what was deferred */
#define RELEASE_MAX (DEFERRED_PER_SECOND * RELEASE_MS / 1000)
#define PRUNE_MS (3600 * UINT64_C(1000))

/* One telling, or when a cluster was seen. */
struct item {
	STAILQ_ENTRY(item) link;
	char finding[FINDING_ID_SIZE]; /* "": it is about none */
	bool over;
	bool sent;     /* told before it could be committed */
	bool resent;   /* perhaps told before */
	bool deferred; /* it waits in the outbox */
	bool untold;   /* nothing is said of it */
	int64_t hold_usec, due_usec;
	int64_t seen_usec; /* of the cluster @key; 0: it is a telling */
	int64_t seq;       /* in the outbox; 0: it is not there */
	uint64_t received_ns;
	size_t bytes;
	struct buf key; /* of the finding */
	struct buf json, record;
	struct buf merged; /* with what was deferred before; empty: nothing was */
};

STAILQ_HEAD(items, item);

/* What an earlier life, or a journal that was away, may have left unwritten. */
enum recovery { RECOVERED, SEND_BARRIER, READ_BARRIER_BACK };

struct writer {
	pthread_t thread;
	bool started;
	pthread_mutex_t lock; /* of what follows */
	pthread_cond_t wake, end;
	struct items queue;
	bool stopping, ended;
	enum cfg_output next_output;
	struct writer_status status;
	_Atomic size_t n_waiting, bytes_waiting; /* in the queue and behind it */

	/* of the thread alone */
	struct writer_options o;
	struct database *database;
	struct output *output;
	enum cfg_output form;
	struct items uncommitted, unsent;
	VEC(int64_t) sent, written; /* rows of the outbox that were sent, or need not be, since the last commit */
	bool doubts;                /* there are rows that were sent not long ago */
	uint64_t doubted_ms;        /* when the last of them was */
	uint64_t commit_again_ms, send_again_ms, prune_ms, release_ms;
	struct flood flood;
	size_t deferred;   /* rows of the outbox that are due */
	size_t held;       /* and that are not */
	bool ending;       /* what is deferred waits for the next life */
	uint64_t released; /* of this storm */
	bool storm_told;
	enum recovery recovery;
	int64_t inherited; /* the last row of an earlier life; 0: it is seen to */
	char barrier[RECORD_ID_SIZE];
	uint64_t barrier_ms;
	struct writer_status counts; /* added to the shared status now and then */
};

static uint64_t now_ms(void)
{
	return uv_hrtime() / 1000000;
}

/* ---- the loop's side ---- */

static void item_free(struct item *i)
{
	if (!i)
		return;
	buf_done(&i->key);
	buf_done(&i->json);
	buf_done(&i->record);
	buf_done(&i->merged);
	free(i);
}

static struct item *new_item(void)
{
	struct item *i = calloc(1, sizeof(*i));

	if (i)
		i->key = i->json = i->record = i->merged = BUF_INIT(ITEM_BYTES_MAX);
	return i;
}

/* @i, which has all its texts now; NULL when they do not fit into the memory. */
static struct item *whole_item(struct item *i)
{
	i->bytes = sizeof(*i) + i->json.n + i->record.n;
	if (!i->key.error && !i->json.error && !i->record.error)
		return i;
	item_free(i);
	return NULL;
}

static struct item *make_item(const struct telling *t)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->received_ns = t->received_ns;
	i->over = t->over;
	i->hold_usec = t->hold_ns / 1000;
	if (t->finding) {
		memcpy(i->finding, t->finding->id, sizeof(i->finding));
		buf_add_str(&i->key, t->finding->key);
		if (!t->over)
			finding_to_json(t->finding, &i->json);
	}
	if (t->record)
		record_encode(t->record, &i->record);
	return whole_item(i);
}

static void enqueue(struct writer *w, struct item *i)
{
	w->n_waiting++;
	w->bytes_waiting += i->bytes;
	(void)pthread_mutex_lock(&w->lock);
	if (STAILQ_EMPTY(&w->queue))
		(void)pthread_cond_signal(&w->wake);
	STAILQ_INSERT_TAIL(&w->queue, i, link);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_take(void *ctx, const struct telling *t)
{
	struct writer *w = ctx;
	struct item *i = make_item(t);

	if (!i) { /* what cannot even be copied is not told; it is seen as a failure to write */
		(void)pthread_mutex_lock(&w->lock);
		w->status.write_failures++;
		(void)pthread_mutex_unlock(&w->lock);
		return;
	}
	enqueue(w, i);
}

void writer_seen(struct writer *w, str cluster, int64_t usec)
{
	struct item *i = new_item();

	if (!i)
		return;
	i->seen_usec = usec;
	buf_add_str(&i->key, cluster);
	i = whole_item(i);
	if (i)
		enqueue(w, i);
}

bool writer_is_full(const struct writer *w)
{
	return w->n_waiting >= WAITING_MAX || w->bytes_waiting >= WAITING_BYTES_MAX;
}

void writer_set_output(struct writer *w, enum cfg_output output)
{
	(void)pthread_mutex_lock(&w->lock);
	w->next_output = output;
	(void)pthread_cond_signal(&w->wake);
	(void)pthread_mutex_unlock(&w->lock);
}

void writer_status(struct writer *w, struct writer_status *ret)
{
	(void)pthread_mutex_lock(&w->lock);
	*ret = w->status;
	(void)pthread_mutex_unlock(&w->lock);
	ret->waiting = w->n_waiting;
}

static struct item *item_of_row(const struct outbox_row *row)
{
	struct item *i = new_item();

	if (!i)
		return NULL;
	i->seq = row->seq;
	buf_add_str(&i->record, row->record);
	return whole_item(i);
}

/* ---- committing ---- */

static void item_written(struct writer *w, struct item *i)
{
	w->n_waiting--;
	w->bytes_waiting -= i->bytes;
	item_free(i);
}

/* The first one, taken out; NULL: there is none. */
static struct item *take_first(struct items *items)
{
	struct item *i = STAILQ_FIRST(items);

	if (i)
		STAILQ_REMOVE_HEAD(items, link);
	return i;
}

static void item_waits(struct writer *w, struct items *items, struct item *i)
{
	w->n_waiting++;
	w->bytes_waiting += i->bytes;
	STAILQ_INSERT_TAIL(items, i, link);
}

static void free_items(struct writer *w, struct items *items)
{
	struct item *i;

	while ((i = take_first(items)))
		item_written(w, i);
}

/* What waits of one place: of a finding, and of those before it that had the same key. */
struct deferred_of {
	const struct item *item;
	size_t n;
	VEC(int64_t) seqs; /* of the item's own finding */
	bool begins;       /* its begin is one of them: nobody has heard of it */
	int64_t due_usec;  /* the latest of all */
	struct buf last;
};

static int see_deferred(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct deferred_of *d = ctx;
	struct record r;
	int status = record_decode(row->record, &r, err);
	bool own = status == 0 && str_eq(record_get(&r, "DRIFTD_DRIFT_ID"), str_from(d->item->finding));

	d->n++;
	d->due_usec = row->due_usec > d->due_usec ? row->due_usec : d->due_usec;
	if (own) {
		d->begins |= str_eq(record_get(&r, "DRIFTD_EVENT"), STR("begin"));
		buf_clear(&d->last);
		buf_add_str(&d->last, row->record);
		if (!vec_push(&d->seqs, row->seq))
			status = err_nomem(err);
	}
	record_done(&r);
	if (status == -EBADMSG) /* of another version of driftd: not this finding's */
		return 0;
	return status < 0 ? status : buf_error(&d->last, "a record", err);
}

static int remove_own(struct writer *w, const struct deferred_of *d, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < d->seqs.n; i++)
		r = database_remove_from_outbox(w->database, d->seqs.p[i], err);
	return r;
}

/* One record for the whole life of a finding of which nobody has heard, in its turn. */
static int merge(struct writer *w, struct item *i, struct record *end, const struct deferred_of *before,
		 struct err *err)
{
	struct record begin;
	int r = record_decode(buf_str(&before->last), &begin, err);

	if (r == 0) {
		record_merge(end, &begin);
		buf_clear(&i->merged);
		record_encode(end, &i->merged);
		r = buf_error(&i->merged, "a record", err);
	}
	record_done(&begin);
	if (r == 0)
		r = remove_own(w, before, err);
	w->counts.merged += r == 0 ? before->seqs.n : 0;
	return r;
}

/* What ended before it had lasted long enough to be told is not. */
static int end_unheard(struct writer *w, struct item *i, struct record *end, const struct deferred_of *before,
		       int64_t now, struct err *err)
{
	i->untold = before->due_usec > now;
	return i->untold ? remove_own(w, before, err) : merge(w, i, end, before, err);
}

/* Whether the record must wait: for its turn, behind an earlier one of its place, or until the finding has lasted. */
static int defer(struct writer *w, struct item *i, struct record *r, int64_t now, struct err *err)
{
	struct deferred_of before = { .item = i, .last = BUF_INIT(ITEM_BYTES_MAX) };
	int status = 0;

	if (w->deferred || w->held)
		status = database_deferred_of(w->database, buf_str(&i->key), see_deferred, &before, err);
	buf_clear(&i->merged); /* of an earlier try */
	i->untold = false;
	i->due_usec = i->hold_usec ? now + i->hold_usec : 0;
	i->due_usec = i->due_usec > before.due_usec ? i->due_usec : before.due_usec;
	i->deferred = before.n > 0 || i->due_usec > now || !flood_allows(&w->flood, r, now_ms());
	w->held += i->due_usec > now;
	w->deferred += i->deferred && i->due_usec <= now;
	if (status == 0 && i->over && before.begins)
		status = end_unheard(w, i, r, &before, now, err);
	buf_done(&before.last);
	vec_done(&before.seqs);
	return status;
}

static int commit_record(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct record r;
	int status = record_decode(buf_str(&i->record), &r, err);

	if (status == 0)
		status = database_add_history(w->database, &r, now, err);
	if (status == 0 && !i->sent)
		status = defer(w, i, &r, now, err);
	record_done(&r);
	return status;
}

static int commit_item(struct writer *w, struct item *i, int64_t now, struct err *err)
{
	struct outbox_new row = { .about = buf_str(&i->key) };
	int status = 0;

	if (i->seen_usec)
		return database_put_seen(w->database, row.about, i->seen_usec, err);
	if (*i->finding)
		status = i->over ? database_remove_finding(w->database, i->finding, err)
				 : database_put_finding(w->database, i->finding, buf_str(&i->json), err);
	if (status == 0 && *i->finding && i->record.n)
		status = commit_record(w, i, now, err);
	row.record = buf_str(i->merged.n ? &i->merged : &i->record);
	row.deferred = i->deferred;
	row.due_usec = i->due_usec;
	if (status == 0 && i->record.n && !i->sent && !i->untold)
		status = database_add_to_outbox(w->database, &row, &i->seq, err);
	return status;
}

static int commit_marks(struct writer *w, int64_t now, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < w->sent.n; i++)
		r = database_mark_sent(w->database, w->sent.p[i], now, err);
	for (size_t i = 0; r == 0 && i < w->written.n; i++)
		r = database_remove_from_outbox(w->database, w->written.p[i], err);
	if (r == 0 && w->doubts)
		r = database_forget_sent(w->database, now - WRITER_DOUBT_USEC, err);
	return r;
}

/* One transaction: what the loop told, and what became of what was sent. @n: the items in it. */
static int transaction(struct writer *w, size_t *n, struct err *err)
{
	int64_t now = clock_usec();
	struct item *i;
	int r = database_begin(w->database, err);

	*n = 0;
	if (r < 0)
		return r;
	r = commit_marks(w, now, err);
	STAILQ_FOREACH(i, &w->uncommitted, link)
	{
		if (r < 0 || *n == COMMIT_MAX)
			break;
		r = commit_item(w, i, now, err);
		++*n;
	}
	return database_end(w->database, r, err);
}

static void move_committed(struct writer *w, size_t n)
{
	while (n-- > 0) {
		struct item *i = take_first(&w->uncommitted);

		if (i->sent || i->deferred || i->untold || !i->record.n)
			item_written(w, i);
		else
			STAILQ_INSERT_TAIL(&w->unsent, i, link);
	}
	if (w->sent.n) {
		w->doubts = true;
		w->doubted_ms = now_ms();
	}
	w->sent.n = w->written.n = 0;
}

static void count_deferred(struct writer *w)
{
	int64_t now = clock_usec(), due, held;
	struct err err;

	due = database_count_deferred(w->database, false, now, &err);
	held = database_count_deferred(w->database, true, now, &err);
	if (due >= 0 && held >= 0) {
		w->deferred = (size_t)due;
		w->held = (size_t)held;
	}
}

/* Whether there is more to commit at once. */
static bool commit(struct writer *w)
{
	bool certain = w->doubts && now_ms() - w->doubted_ms > CERTAIN_MS;
	struct err err;
	size_t n;

	if (now_ms() < w->commit_again_ms || (STAILQ_EMPTY(&w->uncommitted) && !w->sent.n && !w->written.n && !certain))
		return false;
	if (transaction(w, &n, &err) < 0) {
		count_deferred(w);
		w->counts.commit_error = err;
		w->counts.commit_failures++;
		w->commit_again_ms = now_ms() + LONG_MS;
		return false;
	}
	w->counts.commit_error.code = 0;
	w->doubts &= !certain;
	move_committed(w, n);
	return !STAILQ_EMPTY(&w->uncommitted);
}

static void prune(struct writer *w)
{
	struct err err;

	if (now_ms() < w->prune_ms)
		return;
	w->prune_ms = now_ms() + PRUNE_MS;
	(void)!database_prune(w->database, clock_usec() - w->o.history_usec, w->o.history_bytes, &err);
}

/* ---- sending ---- */

static void note_output(struct writer *w, int r)
{
	if (r == 0) {
		w->counts.output_error.code = 0;
		w->send_again_ms = 0;
		return;
	}
	(void)err_set(&w->counts.output_error, -r, "%s: %s",
		      output_is_the_journal(w->output) ? "the journal" : "standard output",
		      r == -EAGAIN ? "it does not read" : strerror(-r));
	w->counts.write_failures++;
	w->send_again_ms = now_ms() + SHORT_MS;
	/* What the journal was given lately it may not have stored. */
	if (r != -EAGAIN && r != -ENOMEM && output_is_the_journal(w->output) && w->recovery == RECOVERED && w->doubts)
		w->recovery = SEND_BARRIER;
}

static bool send_item(struct writer *w, struct item *i, bool durable)
{
	struct record record;
	struct err err;
	int r = record_decode(buf_str(&i->record), &record, &err), priority = record.priority;

	if (r == 0 && i->resent)
		record_add(&record, "DRIFTD_RESENT", STR("1"));
	if (r == 0 && !durable)
		record_add(&record, "DRIFTD_NOT_DURABLE", STR("1"));
	if (r == 0)
		r = output_write(w->output, &record);
	record_done(&record);
	if (r == -EBADMSG || r == -E2BIG) { /* it never can be: an older life stored it */
		w->counts.write_failures++;
		return true;
	}
	note_output(w, r);
	if (r < 0)
		return false;
	w->counts.records[priority & 7]++;
	w->counts.resent += i->resent;
	w->counts.not_durable += !durable;
	if (i->received_ns)
		histogram_observe(&w->counts.latency, uv_hrtime() - i->received_ns);
	return true;
}

static bool send_unsent(struct writer *w)
{
	for (size_t n = 0; n < SEND_MAX; n++) {
		struct item *i = STAILQ_FIRST(&w->unsent);

		if (!i)
			return true;
		/* Room for the mark first: what was sent is never sent twice for a lack of memory. */
		if (!vec_push(&w->sent, i->seq)) {
			note_output(w, -ENOMEM);
			return false;
		}
		if (!send_item(w, i, true)) {
			w->sent.n--;
			return false;
		}
		item_written(w, take_first(&w->unsent));
	}
	return false;
}

static int count_one(void *ctx, const struct outbox_row *row, struct err *err)
{
	(void)row;
	(void)err;
	++*(size_t *)ctx;
	return 0;
}

/* What is held, and what comes behind something that waits in the outbox or here, is told in its turn only. */
static bool waits_its_turn(struct writer *w, const struct item *i, struct strmap *waiting)
{
	str key = buf_str(&i->key);
	size_t before = 0;
	struct err err;
	bool waits = i->hold_usec || strmap_has(waiting, key);

	if (!*i->finding)
		return false;
	if (!waits && (w->deferred || w->held))
		waits = database_deferred_of(w->database, key, count_one, &before, &err) < 0 || before > 0;
	if (waits)
		(void)!strmap_put(waiting, key, NULL, NULL);
	return waits;
}

/* What cannot be committed is told all the same. */
static void send_uncommitted(struct writer *w)
{
	CLEANUP(strmap_done) struct strmap waiting = { 0 };
	struct item *i;

	STAILQ_FOREACH(i, &w->uncommitted, link)
	{
		if (i->sent || !i->record.n || waits_its_turn(w, i, &waiting))
			continue;
		if (!send_item(w, i, false))
			return;
		i->sent = true;
	}
}

/* ---- what was deferred ---- */

static void tell_storm(struct writer *w, const char *text, uint64_t n)
{
	struct telling t;
	struct record r;

	record_init(&r, MESSAGE_STORM, SEVERITY_ERROR);
	r.text = arena_printf(&r.arena, text, (unsigned long long)n);
	record_add(&r, "DRIFTD_EVENT", STR("storm"));
	record_addf(&r, "DRIFTD_DEFERRED_COUNT", "%llu", (unsigned long long)n);
	t = (struct telling){ .record = &r };
	writer_take(w, &t);
	record_done(&r);
}

static int release_one(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct items *released = ctx;
	struct item *i = item_of_row(row);

	if (!i)
		return err_nomem(err);
	STAILQ_INSERT_TAIL(released, i, link);
	return 0;
}

static int release(struct writer *w, struct items *released, struct err *err)
{
	struct item *i;
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	r = database_deferred(w->database, clock_usec(), RELEASE_MAX, release_one, released, err);
	STAILQ_FOREACH(i, released, link)
	{
		if (r == 0)
			r = database_release(w->database, i->seq, err);
	}
	return database_end(w->database, r, err);
}

/* A few of those that wait, at a steady rate; committed as such before they are sent. */
static void release_some(struct writer *w)
{
	struct items released = STAILQ_HEAD_INITIALIZER(released);
	struct item *i;
	struct err err;
	bool ok;

	if (w->ending || w->counts.commit_error.code || w->recovery != RECOVERED || now_ms() < w->release_ms ||
	    !STAILQ_EMPTY(&w->unsent))
		return;
	if (w->held && !w->deferred) { /* perhaps something is due by now */
		w->release_ms = now_ms() + LONG_MS;
		count_deferred(w);
	}
	if (!w->deferred)
		return;
	w->release_ms = now_ms() + RELEASE_MS;
	ok = release(w, &released, &err) == 0;
	while ((i = take_first(&released))) {
		if (!ok) {
			item_free(i);
			continue;
		}
		item_waits(w, &w->unsent, i);
		w->released++;
	}
	if (!ok)
		return;
	count_deferred(w);
	if (w->deferred == 0 && w->storm_told) {
		tell_storm(w, "storm over: %llu records were deferred, all are written", w->released);
		w->released = 0;
		w->storm_told = false;
	}
}

static void note_storm(struct writer *w)
{
	if (w->deferred <= RELEASE_MAX || w->storm_told) /* a few that were held and are due now are none */
		return;
	w->storm_told = true;
	tell_storm(w,
		   "storm: more changes than a journal can usefully hold; %llu records are deferred so far and follow "
		   "bit by bit",
		   w->deferred);
}

static void send_some(struct writer *w)
{
	if (w->recovery != RECOVERED || now_ms() < w->send_again_ms)
		return;
	if (send_unsent(w) && w->counts.commit_error.code)
		send_uncommitted(w);
}

/* ---- recovery ---- */

struct lookup {
	struct writer *w;
	struct items found;
	struct sd_journal *journal; /* which gave the barrier back; NULL: it cannot be read */
};

/* Whether it is in memory, to be sent, or deferred: it was never sent. */
static bool is_in_hand(const struct writer *w, const struct outbox_row *row)
{
	return row->deferred || (!row->sent && row->seq > w->inherited);
}

/* 1: yes, 0: no; negative: it cannot be said. */
static int is_in_journal(struct sd_journal *j, str record, struct err *err)
{
	struct record r;
	int status = record_decode(record, &r, err);

	if (status == 0)
		status = journal_has(j, r.id);
	record_done(&r);
	return status == -EBADMSG ? 1 : status; /* of another version: it never can be sent */
}

static int look_up(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct lookup *l = ctx;
	struct writer *w = l->w;
	int written = row->sent;
	struct item *i;

	if (is_in_hand(w, row))
		return 0;
	if (l->journal)
		written = is_in_journal(l->journal, row->record, err);
	if (written < 0)
		return err_set(err, -written, "look into the journal: %s", strerror(-written));
	if (written)
		return vec_push(&w->written, row->seq) ? 0 : err_nomem(err);
	i = item_of_row(row);
	if (!i)
		return err_nomem(err);
	i->resent = !l->journal;
	item_waits(w, &l->found, i);
	return 0;
}

static void tell_resent(struct writer *w, bool readable)
{
	struct record r;

	if (readable || STAILQ_EMPTY(&w->unsent) || !STAILQ_FIRST(&w->unsent)->resent)
		return;
	record_init(&r, MESSAGE_NOTICE, SEVERITY_WARNING);
	r.text = arena_printf(&r.arena,
			      "records that may have been written before are written again, with "
			      "DRIFTD_RESENT=1: %s",
			      output_is_the_journal(w->output) ? "the journal cannot be read"
							       : "this output cannot be read back");
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	(void)!output_write(w->output, &r);
	record_done(&r);
}

/* Of the rows that are left, those that the journal has are done, and the others are sent. Without memory, again
 * later. */
static bool recover(struct writer *w, struct sd_journal *journal)
{
	struct lookup l = { .w = w, .journal = journal };
	struct err err;

	STAILQ_INIT(&l.found);
	if (database_outbox(w->database, look_up, &l, &err) < 0) {
		free_items(w, &l.found);
		w->written.n = 0;
		return false;
	}
	w->inherited = 0;
	STAILQ_CONCAT(&l.found, &w->unsent);
	STAILQ_CONCAT(&w->unsent, &l.found);
	w->doubts = true;
	w->doubted_ms = now_ms();
	tell_resent(w, journal != NULL);
	return true;
}

static int write_barrier(struct writer *w)
{
	struct record r;
	int status;

	record_init(&r, MESSAGE_NOTICE, SEVERITY_INFO);
	memcpy(w->barrier, r.id, sizeof(w->barrier));
	r.text = STR("records that may not have been written are looked up in the journal");
	record_add(&r, "DRIFTD_EVENT", STR("notice"));
	status = output_write(w->output, &r);
	record_done(&r);
	return status;
}

static void recover_without_journal(struct writer *w)
{
	if (recover(w, NULL))
		w->recovery = RECOVERED;
}

/* The journal, if the barrier can be read in it; to be closed. */
static struct sd_journal *read_barrier_back(const struct writer *w)
{
	struct sd_journal *j = journal_open();

	if (j && journal_has(j, w->barrier) > 0)
		return j;
	journal_close(j);
	return NULL;
}

/* A step of the recovery: a record that is written now is behind those that are looked for. Once it can be read, what
 * cannot be is not there. */
static void recover_from_journal(struct writer *w)
{
	struct sd_journal *j;
	int r;

	if (w->recovery == SEND_BARRIER) {
		r = write_barrier(w);
		note_output(w, r);
		if (r < 0)
			return;
		w->recovery = READ_BARRIER_BACK;
		w->barrier_ms = now_ms();
	}
	j = read_barrier_back(w);
	if (j && recover(w, j))
		w->recovery = RECOVERED;
	else if (!j && now_ms() - w->barrier_ms > WRITER_READ_BACK_MS)
		recover_without_journal(w);
	journal_close(j);
	if (w->recovery != RECOVERED)
		w->send_again_ms = now_ms() + SHORT_MS;
}

static void recover_some(struct writer *w)
{
	bool marks = w->sent.n || w->written.n; /* they come first, unless they cannot be committed */

	if (w->recovery == RECOVERED || now_ms() < w->send_again_ms || (marks && !w->counts.commit_error.code))
		return;
	if (output_is_the_journal(w->output))
		recover_from_journal(w);
	else
		recover_without_journal(w);
}

static int inherit(void *ctx, const struct outbox_row *row, struct err *err)
{
	struct writer *w = ctx;

	(void)err;
	if (!row->deferred) {
		w->inherited = row->seq;
		w->recovery = SEND_BARRIER;
	}
	return 0;
}

/* Before anything of this life is in the outbox. */
static bool begin_recovery(struct writer *w)
{
	struct err err;

	if (database_outbox(w->database, inherit, w, &err) < 0)
		return false;
	count_deferred(w);
	w->storm_told = w->deferred > FLOOD_BURST; /* of an earlier life */
	return true;
}

/* ---- the thread ---- */

static bool has_work(const struct writer *w)
{
	return !STAILQ_EMPTY(&w->uncommitted) || !STAILQ_EMPTY(&w->unsent) || w->sent.n || w->written.n;
}

static uint64_t wait_ms(const struct writer *w)
{
	if (w->recovery != RECOVERED || has_work(w))
		return w->counts.output_error.code || w->counts.commit_error.code || w->recovery != RECOVERED ? SHORT_MS
													      : 0;
	if (w->deferred)
		return RELEASE_MS;
	if (w->held)
		return LONG_MS;
	return w->doubts ? LONG_MS : PRUNE_MS;
}

static void share_status(struct writer *w)
{
	for (size_t i = 0; i < ARRAY_LEN(w->status.records); i++)
		w->status.records[i] = w->counts.records[i];
	w->status.write_failures += w->counts.write_failures; /* the loop's side counts too */
	w->counts.write_failures = 0;
	w->status.commit_failures = w->counts.commit_failures;
	w->status.not_durable = w->counts.not_durable;
	w->status.resent = w->counts.resent;
	w->status.commit_error = w->counts.commit_error;
	w->status.output_error = w->counts.output_error;
	w->status.merged = w->counts.merged;
	w->status.deferred = w->deferred;
	w->status.latency = w->counts.latency;
}

static struct timespec monotonic_in(uint64_t ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += (time_t)(ms / 1000);
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_nsec -= 1000000000;
		t.tv_sec++;
	}
	return t;
}

/* Wait for something to do; take what the loop has told. False: it is time to end. */
static bool take_queue(struct writer *w)
{
	uint64_t ms = wait_ms(w);
	struct timespec until = monotonic_in(ms);
	bool stopping;

	(void)pthread_mutex_lock(&w->lock);
	share_status(w);
	while (ms && STAILQ_EMPTY(&w->queue) && !w->stopping && w->next_output == w->form)
		if (pthread_cond_timedwait(&w->wake, &w->lock, &until) == ETIMEDOUT)
			break;
	STAILQ_CONCAT(&w->uncommitted, &w->queue);
	if (w->next_output != w->form)
		output_set(w->output, w->form = w->next_output);
	stopping = w->ending = w->stopping;
	(void)pthread_mutex_unlock(&w->lock);
	return !stopping || has_work(w) || w->recovery != RECOVERED;
}

/* At a clean end all is written: nothing need be looked up at the next start. */
static void forget_doubts(struct writer *w)
{
	struct err err;

	if (!w->counts.output_error.code && w->recovery == RECOVERED)
		(void)!database_forget_sent(w->database, INT64_MAX, &err);
}

static bool is_stopping(struct writer *w)
{
	bool stopping;

	(void)pthread_mutex_lock(&w->lock);
	stopping = w->stopping;
	(void)pthread_mutex_unlock(&w->lock);
	return stopping;
}

static void *run(void *ctx)
{
	struct writer *w = ctx;

	while (!begin_recovery(w) && !is_stopping(w))
		(void)usleep(SHORT_MS * 1000);
	while (take_queue(w)) {
		while (commit(w))
			;
		recover_some(w);
		note_storm(w);
		release_some(w);
		send_some(w);
		prune(w);
	}
	forget_doubts(w);
	(void)pthread_mutex_lock(&w->lock);
	share_status(w);
	w->ended = true;
	(void)pthread_cond_broadcast(&w->end);
	(void)pthread_mutex_unlock(&w->lock);
	return NULL;
}

/* ---- life ---- */

static void writer_free(struct writer *w)
{
	free_items(w, &w->queue);
	free_items(w, &w->uncommitted);
	free_items(w, &w->unsent);
	vec_done(&w->sent);
	vec_done(&w->written);
	flood_done(&w->flood);
	output_free(w->output);
	(void)pthread_cond_destroy(&w->wake);
	(void)pthread_cond_destroy(&w->end);
	(void)pthread_mutex_destroy(&w->lock);
	free(w);
}

static bool init_locks(struct writer *w)
{
	pthread_condattr_t monotonic;

	return pthread_condattr_init(&monotonic) == 0 && pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC) == 0 &&
	       pthread_cond_init(&w->wake, &monotonic) == 0 && pthread_cond_init(&w->end, &monotonic) == 0 &&
	       pthread_condattr_destroy(&monotonic) == 0 && pthread_mutex_init(&w->lock, NULL) == 0;
}

/* Signals are the loop's. */
static int start_thread(struct writer *w)
{
	sigset_t all, before;
	int r;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	r = pthread_create(&w->thread, NULL, run, w);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return r;
}

int writer_new(const struct writer_options *o, struct writer **ret, struct err *err)
{
	struct writer *w = calloc(1, sizeof(*w));

	if (!w)
		return err_nomem(err);
	w->o = *o;
	w->database = o->database;
	w->form = w->next_output = o->output;
	STAILQ_INIT(&w->queue);
	STAILQ_INIT(&w->uncommitted);
	STAILQ_INIT(&w->unsent);
	w->output = output_new(o->output);
	if (!init_locks(w) || !w->output) {
		writer_free(w);
		return err_nomem(err);
	}
	*ret = w;
	return 0;
}

int writer_start(struct writer *w, struct err *err)
{
	int r = start_thread(w);

	if (r != 0)
		return err_set(err, r, "start the writer of records: %s", strerror(r));
	w->started = true;
	return 0;
}

bool writer_stop(struct writer *w, unsigned ms)
{
	struct timespec until = monotonic_in(ms);
	bool ended = !w->started;

	(void)pthread_mutex_lock(&w->lock);
	w->stopping = true;
	(void)pthread_cond_signal(&w->wake);
	while (!ended && pthread_cond_timedwait(&w->end, &w->lock, &until) != ETIMEDOUT)
		ended = w->ended;
	(void)pthread_mutex_unlock(&w->lock);
	if (!ended)
		return false;
	if (w->started)
		(void)pthread_join(w->thread, NULL);
	database_close(w->database);
	writer_free(w);
	return true;
}
