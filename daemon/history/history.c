/* One question at a time, in a thread of libuv's pool.
 *
 *   history_ask --> waiting --> running (the thread) --> done is called --> freed
 *                      |            |
 *                      '------------'--- history_forget: done is not called; the thread stops soon
 */
#include "daemon/history/history.h"

#include "base/assert.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/queue.h>

#define WAITING_MAX 16

struct history_ticket {
	TAILQ_ENTRY(history_ticket) link;
	struct history *history;
	struct history_question question;
	struct arena texts; /* the texts of the question */
	char *dir;
	history_done_fn *done; /* NULL: nobody waits for the answer */
	void *ctx;
	uv_work_t work;
	_Atomic bool stop;
	/* used by the thread until it is done */
	struct history_answer *answer;
	struct err err;
};

struct history {
	uv_loop_t *loop;
	char *dir;
	TAILQ_HEAD(, history_ticket) waiting; /* questions; the first one runs */
	size_t n_waiting;
	bool closed;
};

struct history *history_new(uv_loop_t *loop)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->loop = loop;
	TAILQ_INIT(&h->waiting);
	return h;
}

int history_set_folder(struct history *h, str dir, struct err *err)
{
	char *copy = str_dup(dir);

	if (!copy)
		return err_nomem(err);
	free(h->dir);
	h->dir = copy;
	return 0;
}

static void ticket_free(struct history_ticket *t)
{
	TAILQ_REMOVE(&t->history->waiting, t, link);
	ASSERT(t->history->n_waiting > 0);
	t->history->n_waiting--;
	history_answer_free(t->answer);
	arena_done(&t->texts);
	free(t->dir);
	free(t);
}

static void on_thread(uv_work_t *work)
{
	struct history_ticket *t = work->data;

	/* on failure there is no answer, and @err says why */
	(void)!history_read(t->dir, &t->question, &t->stop, &t->answer, &t->err);
}

static void go_on(struct history *h);

static void on_over(uv_work_t *work, int status)
{
	struct history_ticket *t = work->data;
	struct history *h = t->history;

	(void)status; /* never cancelled: libuv only cancels work that has not begun */
	if (t->done)
		t->done(t->ctx, TAKE(t->answer), &t->err);
	ticket_free(t);
	go_on(h);
}

/* Begin the next question. */
static void go_on(struct history *h)
{
	struct history_ticket *t = TAILQ_FIRST(&h->waiting);

	if (!t || t->work.data)
		return;
	t->work.data = t;
	if (uv_queue_work(h->loop, &t->work, on_thread, on_over) < 0)
		ASSERT(false); /* uv_queue_work cannot fail when both callbacks are given */
}

void history_close(struct history *h)
{
	struct history_ticket *t, *next;

	if (!h)
		return;
	ASSERT(!h->closed);
	h->closed = true;
	for (t = TAILQ_FIRST(&h->waiting); t; t = next) {
		next = TAILQ_NEXT(t, link);
		history_forget(t);
	}
}

void history_free(struct history *h)
{
	if (!h)
		return;
	ASSERT(TAILQ_EMPTY(&h->waiting));
	free(h->dir);
	free(h);
}

int history_ask(struct history *h, const struct history_question *q, history_done_fn *done, void *ctx,
		struct history_ticket **ret, struct err *err)
{
	struct history_ticket *t;

	if (h->closed || h->n_waiting >= WAITING_MAX)
		return err_set(err, EBUSY, "too many questions about the history wait");
	t = calloc(1, sizeof(*t));
	if (!t)
		return err_nomem(err);
	t->history = h;
	t->texts = (struct arena)ARENA_INIT(0);
	t->question = *q;
	t->done = done;
	t->ctx = ctx;
	TAILQ_INSERT_TAIL(&h->waiting, t, link);
	h->n_waiting++;
	t->dir = str_dup(str_from(h->dir ? h->dir : ""));
	if (!t->dir || !finding_filter_copy(&q->filter, &t->texts, &t->question.filter)) {
		ticket_free(t);
		return err_nomem(err);
	}
	*ret = t;
	go_on(h);
	return 0;
}

void history_forget(struct history_ticket *t)
{
	t->done = NULL;
	atomic_store(&t->stop, true);
	if (!t->work.data)
		ticket_free(t);
}
