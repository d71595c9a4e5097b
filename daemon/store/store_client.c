/* Passes questions to the thread as tasks; the answers come back over a list that wakes the loop. */
#include "daemon/store/store_client.h"

#include "base/assert.h"
#include "daemon/store/made.h"

#include <errno.h>
#include <pthread.h>
#include <sys/queue.h>

#define QUESTIONS_MAX 64
#define PATIENCE_NS (3 * UINT64_C(1000000000))

/*   store_client_ask --> asked ---- thread ----> answered --> done, freed
 *                  |                        ^
 *                  '-- store_client_forget, or PATIENCE_NS passed: done is not called (again) --'
 */
struct store_request {
	/* the first member, as the task is in it: a pointer to the task is one to the request */
	struct made_order made;
	TAILQ_ENTRY(store_request) all;
	STAILQ_ENTRY(store_request) answer;
	struct store_client *store_client;
	char id[FINDING_ID_SIZE];
	store_client_history_fn *done; /* NULL: nobody waits for the answer */
	void *ctx;
	uint64_t asked_ns;
	/* A request may be an order instead of a question: */
	store_client_kept_fn *kept; /* NULL: the request is a question, or done */
	struct arena texts;         /* memory of @made's texts */
	/* the history belongs to the thread until the request is answered */
	struct finding_history *history;
	struct err err;
};

struct store_client {
	struct writer *writer;
	uv_async_t wake;
	TAILQ_HEAD(, store_request) questions;
	size_t n_questions;
	pthread_mutex_t lock; /* protects the members that follow */
	STAILQ_HEAD(, store_request) answered;
	bool closed;
};

static void question_free(struct store_request *q)
{
	TAILQ_REMOVE(&q->store_client->questions, q, all);
	ASSERT(q->store_client->n_questions > 0);
	q->store_client->n_questions--;
	finding_history_free(q->history);
	arena_done(&q->texts);
	free(q);
}

/* ---- the thread's side ---- */

static void complete(struct store_request *q)
{
	struct store_client *d = q->store_client;

	(void)pthread_mutex_lock(&d->lock);
	STAILQ_INSERT_TAIL(&d->answered, q, answer);
	if (!d->closed)
		(void)uv_async_send(&d->wake);
	(void)pthread_mutex_unlock(&d->lock);
}

static void answer(struct writer_task *task, struct database *database)
{
	struct store_request *q = (struct store_request *)task;

	/* a failure leaves the history empty */
	(void)!database_finding_history(database, q->id, &q->history, &q->err);
	complete(q);
}

static void on_made(struct made_order *o, int r, const struct err *err)
{
	struct store_request *q = (struct store_request *)o;

	q->err = *err;
	if (r == 0)
		q->err.code = 0;
	complete(q);
}

/* ---- the loop's side ---- */

static struct store_request *take_answered(struct store_client *d)
{
	struct store_request *q;

	(void)pthread_mutex_lock(&d->lock);
	q = STAILQ_FIRST(&d->answered);
	if (q)
		STAILQ_REMOVE_HEAD(&d->answered, answer);
	(void)pthread_mutex_unlock(&d->lock);
	return q;
}

static void on_wake(uv_async_t *wake)
{
	struct store_client *d = wake->data;
	struct store_request *q;

	while ((q = take_answered(d))) {
		if (q->done)
			q->done(q->ctx, TAKE(q->history), &q->err);
		if (q->kept)
			q->kept(q->ctx, q->err.code ? &q->err : NULL);
		question_free(q);
	}
}

int store_client_new(uv_loop_t *loop, struct writer *writer, struct store_client **ret, struct err *err)
{
	struct store_client *d = calloc(1, sizeof(*d));
	int r = d ? uv_async_init(loop, &d->wake, on_wake) : -ENOMEM;

	if (r < 0) {
		free(d);
		return err_set(err, -r, "%s", uv_strerror(r));
	}
	d->writer = writer;
	d->wake.data = d;
	TAILQ_INIT(&d->questions);
	STAILQ_INIT(&d->answered);
	(void)pthread_mutex_init(&d->lock, NULL); /* a mutex of the default kind does not fail */
	*ret = d;
	return 0;
}

void store_client_close(struct store_client *d)
{
	struct store_request *q;
	struct err ends;

	if (!d)
		return;
	(void)pthread_mutex_lock(&d->lock);
	ASSERT(!d->closed);
	d->closed = true;
	(void)pthread_mutex_unlock(&d->lock);
	(void)err_set(&ends, ECANCELED, "driftd ends");
	TAILQ_FOREACH(q, &d->questions, all)
	{
		store_client_forget(q);
		if (q->kept)
			q->kept(q->ctx, &ends);
		q->kept = NULL;
	}
	uv_close((uv_handle_t *)&d->wake, NULL);
}

void store_client_free(struct store_client *d)
{
	struct store_request *q;

	if (!d)
		return;
	ASSERT(d->closed);
	while ((q = TAILQ_FIRST(&d->questions)))
		question_free(q); /* NOLINT(clang-analyzer-unix.Malloc): which takes it out of the list */
	(void)pthread_mutex_destroy(&d->lock);
	free(d);
}

static int question_new(struct store_client *d, const char *id, void *ctx, struct store_request **ret, struct err *err)
{
	struct store_request *q;

	ASSERT(strlen(id) < sizeof(q->id));
	if (d->n_questions == QUESTIONS_MAX)
		return err_set(err, EBUSY, "too many questions wait for the state database");
	q = calloc(1, sizeof(*q));
	if (!q)
		return err_nomem(err);
	q->store_client = d;
	memcpy(q->id, id, strlen(id) + 1);
	q->ctx = ctx;
	q->asked_ns = uv_hrtime();
	TAILQ_INSERT_TAIL(&d->questions, q, all);
	d->n_questions++;
	*ret = q;
	return 0;
}

int store_client_ask(struct store_client *d, const char *id, store_client_history_fn *done, void *ctx,
		     struct store_request **ret, struct err *err)
{
	struct store_request *q;
	int r = question_new(d, id, ctx, &q, err);

	if (r < 0)
		return r;
	q->made.task.run = answer;
	q->done = done;
	writer_run(d->writer, &q->made.task);
	*ret = q;
	return 0;
}

/* Copy a text; {NULL, 0} stays so. False without memory. */
static bool copy(struct store_request *q, str text, str *ret)
{
	*ret = text.p ? arena_str(&q->texts, text) : text;
	return !text.p || ret->p;
}

/* Pass an order with the kind and the texts of @as, which are copied. */
static int give_order(struct store_client *d, const struct made_order *as, store_client_kept_fn *done, void *ctx,
		      struct err *err)
{
	struct store_request *q;
	int r = question_new(d, "", ctx, &q, err);

	if (r < 0)
		return r;
	if (!copy(q, as->id, &q->made.id) || !copy(q, as->json, &q->made.json) ||
	    !copy(q, as->created_at, &q->made.created_at) || !copy(q, as->updated_at, &q->made.updated_at)) {
		question_free(q);
		return err_nomem(err);
	}
	q->made.kind = as->kind;
	q->made.done = on_made;
	q->kept = done;
	writer_keep(d->writer, &q->made);
	return 0;
}

int store_client_keep_acceptance(struct store_client *d, const char *id, str json, store_client_kept_fn *done,
				 void *ctx, struct err *err)
{
	const struct made_order as = { .kind = MADE_ACCEPTANCE, .id = str_from(id), .json = json };

	return give_order(d, &as, done, ctx, err);
}

int store_client_put_rule(struct store_client *d, const struct kept_rule *rule, store_client_kept_fn *done, void *ctx,
			  struct err *err)
{
	const struct made_order as = { .kind = MADE_RULE,
				       .id = rule->uuid,
				       .json = rule->json,
				       .created_at = rule->created_at,
				       .updated_at = rule->updated_at };

	return give_order(d, &as, done, ctx, err);
}

int store_client_remove_rule(struct store_client *d, str uuid, store_client_kept_fn *done, void *ctx, struct err *err)
{
	return give_order(d, &(struct made_order){ .kind = MADE_RULE, .id = uuid }, done, ctx, err);
}

int store_client_clear_rules(struct store_client *d, store_client_kept_fn *done, void *ctx, struct err *err)
{
	return give_order(d, &(struct made_order){ .kind = MADE_RULE }, done, ctx, err);
}

void store_client_forget(struct store_request *q)
{
	q->done = NULL;
}

void store_client_tick(struct store_client *d)
{
	uint64_t now = uv_hrtime();
	struct store_request *q;
	struct err late;

	(void)err_set(&late, ETIMEDOUT, "the state database does not answer");
	TAILQ_FOREACH(q, &d->questions, all)
	{
		store_client_history_fn *done = q->done;

		if (!done || now - q->asked_ns < PATIENCE_NS)
			continue;
		store_client_forget(q);
		done(q->ctx, NULL, &late);
	}
}
