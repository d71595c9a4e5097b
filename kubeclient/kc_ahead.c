/* Batches lines, and processes the batches in threads. */
#include "kubeclient/kc_ahead.h"

#include "base/assert.h"

#include <stdlib.h>

/* The buffers for texts, shared by all batches of a list: new memory costs more than copying into it. */
struct kc_texts {
	unsigned refs; /* one for the list, and one for each of its batches */
	unsigned n;
	struct buf p[KC_AHEAD_BATCHES];
};

struct kc_batch {
	TAILQ_ENTRY(kc_batch) link;
	struct kc_ahead *ahead; /* NULL: the batch was taken or dropped */
	const struct kc_prepare *prepare;
	const struct kc_report *report;
	bool objects;
	void *thread_ctx;
	struct kc_texts *texts;
	struct buf text;                 /* the text of the lines */
	size_t from[KC_AHEAD_LINES + 1]; /* the offset of each line in the text, and of the end */
	struct kc_batch_line lines[KC_AHEAD_LINES];
	size_t n, next;
	uv_work_t work;
	uv_sem_t done;  /* posted by the thread */
	bool under_way; /* libuv uses the batch, up to its last callback; */
	bool looked_at; /* the loop has seen that it is processed */
	bool freed;     /* the owner has freed it */
};

void kc_ahead_init(struct kc_ahead *a, uv_loop_t *loop, const struct kc_report *report)
{
	*a = (struct kc_ahead){ .loop = loop, .report = report };
	TAILQ_INIT(&a->batches);
}

/* ---- texts ---- */

static bool need_texts(struct kc_ahead *a)
{
	if (!a->texts && (a->texts = calloc(1, sizeof(*a->texts))))
		a->texts->refs = 1;
	return a->texts;
}

static struct buf take_text(struct kc_texts *t)
{
	t->refs++;
	return t->n ? t->p[--t->n] : BUF_INIT(KC_AHEAD_BYTES + KC_AHEAD_LINE_MAX);
}

static void leave_texts(struct kc_texts *t)
{
	ASSERT(!t || t->refs > 0);
	if (!t || --t->refs)
		return;
	while (t->n)
		buf_done(&t->p[--t->n]);
	free(t);
}

static void give_text(struct kc_texts *t, struct buf *text)
{
	if (text->error || t->n == ARRAY_LEN(t->p)) {
		buf_done(text);
	} else {
		buf_clear(text);
		t->p[t->n++] = *text;
	}
	leave_texts(t);
}

/* ---- the life of a batch ---- */

static struct kc_batch *batch_new(struct kc_ahead *a)
{
	CLEANUP(freep) struct kc_batch *b = calloc(1, sizeof(*b));

	if (!b || !need_texts(a) || uv_sem_init(&b->done, 0) < 0)
		return NULL;
	b->ahead = a;
	b->report = a->report;
	b->objects = a->objects;
	b->prepare = a->report->handler.prepare;
	b->texts = a->texts;
	b->text = take_text(b->texts);
	b->work.data = b;
	return TAKE(b);
}

static void free_at_last(struct kc_batch *b)
{
	if (b->under_way || !b->freed)
		return;
	uv_sem_destroy(&b->done);
	free(b);
}

void kc_batch_free(struct kc_batch *b)
{
	if (!b)
		return;
	ASSERT(!b->ahead);
	for (size_t i = 0; i < b->n; i++) {
		if (b->lines[i].look.prepared)
			b->prepare->forget(b->lines[i].look.prepared);
	}
	b->prepare->end(b->thread_ctx);
	give_text(b->texts, &b->text);
	b->freed = true;
	free_at_last(b);
}

static void leave(struct kc_batch *b)
{
	struct kc_ahead *a = b->ahead;

	ASSERT(a->n > 0);
	TAILQ_REMOVE(&a->batches, b, link);
	a->n--;
	if (a->open == b)
		a->open = NULL;
	b->ahead = NULL;
}

/* ---- threads ---- */

static void look_until(struct kc_batch *b, uint64_t until_ns)
{
	for (size_t i = 0; i < b->n && uv_hrtime() < until_ns; i++) {
		if (b->objects)
			b->lines[i].look.prepared = b->prepare->look(b->thread_ctx, b->lines[i].text);
		else
			kc_report_look(b->report, b->thread_ctx, b->lines[i].text, &b->lines[i].look);
		b->lines[i].looked_at = true;
	}
}

/* Process a batch in a thread. The function stops after KC_AHEAD_NS, because the owner of the batch may have to wait
 * for it; the loop processes the rest in its own slices of time. */
static void look(uv_work_t *work)
{
	struct kc_batch *b = work->data;

	look_until(b, uv_hrtime() + KC_AHEAD_NS);
	uv_sem_post(&b->done);
}

/* Handle the end of a batch on the loop, when the thread has finished or the batch was cancelled. */
static void on_looked(uv_work_t *work, int status)
{
	struct kc_batch *b = work->data;
	struct kc_ahead *a = b->ahead;

	(void)status;
	b->under_way = false;
	free_at_last(b);
	if (a && a->ready)
		a->ready(a->ctx);
}

/* Whether a thread has processed the batch. */
static bool is_looked_at(struct kc_batch *b)
{
	if (!b->looked_at)
		b->looked_at = uv_sem_trywait(&b->done) == 0;
	return b->looked_at;
}

/* Take the batch back from the threads. Return true when no thread has begun with it, and none will. */
static bool call_off(struct kc_batch *b)
{
	ASSERT(!b->looked_at);
	return uv_cancel((uv_req_t *)&b->work) == 0;
}

static void look_here(struct kc_batch *b)
{
	look_until(b, uv_hrtime() + KC_AHEAD_HERE_NS);
	b->looked_at = true;
}

/* Process the next batch that no thread has begun with. */
static void look_at_another(struct kc_ahead *a)
{
	struct kc_batch *b;

	TAILQ_FOREACH(b, &a->batches, link)
	{
		if (b != a->open && !is_looked_at(b) && call_off(b)) {
			look_here(b);
			return;
		}
	}
}

/* Wait until the batch is processed. Threads may have other things to do, or not be awake yet: meanwhile the loop
 * does their work. */
static void wait_for(struct kc_batch *b)
{
	if (is_looked_at(b))
		return;
	if (call_off(b)) {
		look_here(b);
		return;
	}
	look_at_another(b->ahead);
	if (!is_looked_at(b))
		uv_sem_wait(&b->done);
	b->looked_at = true;
}

/* ---- lines ---- */

/* The batch to add a line to; NULL: nobody processes lines, or there is no memory. */
static struct kc_batch *open_batch(struct kc_ahead *a)
{
	struct kc_batch *b;
	void *thread_ctx;

	ASSERT(a->n < KC_AHEAD_BATCHES);
	if (!a->report->handler.prepare || !(thread_ctx = a->report->handler.prepare->begin(a->report->ctx)))
		return NULL;
	b = batch_new(a);
	if (!b) {
		a->report->handler.prepare->end(thread_ctx);
		return NULL;
	}
	b->thread_ctx = thread_ctx;
	TAILQ_INSERT_TAIL(&a->batches, b, link);
	a->n++;
	return b;
}

/* Whether a batch takes the line. One that is no object waits for the lines before it, if there are any. */
static bool is_wanted(const struct kc_ahead *a, str line)
{
	return line.n <= KC_AHEAD_LINE_MAX && (a->objects || a->n || str_has_prefix(line, STR("{\"type\":\"ADDED\"")));
}

bool kc_ahead_add(struct kc_ahead *a, str line, uint64_t received_ns)
{
	struct kc_batch *b = a->open;

	ASSERT(!kc_ahead_full(a));
	if (!is_wanted(a, line) || (!b && !(b = open_batch(a))))
		return false;
	a->open = b;
	buf_add_str(&b->text, line);
	if (b->text.error)
		return false;
	b->lines[b->n].received_ns = received_ns;
	b->from[++b->n] = b->text.n;
	if (b->n == KC_AHEAD_LINES || b->text.n >= KC_AHEAD_BYTES)
		kc_ahead_go(a);
	return true;
}

void kc_ahead_go(struct kc_ahead *a)
{
	struct kc_batch *b = TAKE(a->open);

	if (!b)
		return;
	for (size_t i = 0; i < b->n; i++)
		b->lines[i].text = str_sub(buf_str(&b->text), b->from[i], b->from[i + 1]);
	b->under_way = true;
	(void)uv_queue_work(a->loop, &b->work, look, on_looked); /* fails only without a callback */
}

struct kc_batch *kc_ahead_take(struct kc_ahead *a, bool wait)
{
	struct kc_batch *b;

	if (wait)
		kc_ahead_go(a);
	b = TAILQ_FIRST(&a->batches);
	if (!b || b == a->open)
		return NULL;
	if (wait)
		wait_for(b);
	if (!is_looked_at(b))
		return NULL;
	leave(b);
	return b;
}

void kc_ahead_rest(struct kc_ahead *a)
{
	leave_texts(TAKE(a->texts));
}

void kc_ahead_drop(struct kc_ahead *a)
{
	struct kc_batch *b;

	while ((b = TAILQ_FIRST(&a->batches))) {
		if (b != a->open && !is_looked_at(b) && !call_off(b))
			uv_sem_wait(&b->done);
		leave(b);
		kc_batch_free(b);
	}
	kc_ahead_rest(a);
}

const struct kc_batch_line *kc_batch_next(struct kc_batch *b)
{
	return b->next < b->n ? &b->lines[b->next++] : NULL;
}
