/* Answers the requests that wait for a reload. */
#include "daemon/app/reload_waiters.h"

#include "daemon/api/api.h"

#include <stdlib.h>

struct reload_waiter {
	struct reload_waiters *all; /* NULL: the request is answered */
	struct http_ticket *ticket; /* NULL: the request is not pending */
	bool read;                  /* a reload has read the files since the request */
	bool refused;
	char *mistakes; /* the mistakes of the refused configuration; NULL: unknown */
	TAILQ_ENTRY(reload_waiter) next;
};

struct reload_waiter *reload_waiter_new(struct reload_waiters *all)
{
	struct reload_waiter *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->all = all;
	TAILQ_INSERT_TAIL(all, a, next);
	return a;
}

static void leave(struct reload_waiter *a)
{
	if (a->all)
		TAILQ_REMOVE(a->all, a, next);
	a->all = NULL;
}

/* Free a waiter, whether its request still waits or not. */
static void reload_waiter_free(void *state)
{
	struct reload_waiter *a = state;

	leave(a);
	free(a->mistakes);
	free(a);
}

bool reload_waiter_waits(struct reload_waiter *a, const struct http_request *q)
{
	if (!a->all)
		return false;
	a->ticket = http_later(q, a, reload_waiter_free);
	return true;
}

void reload_waiter_answer(struct reload_waiter *a, struct http_response *r)
{
	if (a->refused)
		api_refuse(r, a->mistakes ? a->mistakes : "out of memory");
	else
		api_reload(r, true);
	reload_waiter_free(a);
}

void reload_waiters_read(struct reload_waiters *all)
{
	struct reload_waiter *a;

	TAILQ_FOREACH(a, all, next)
	a->read = true;
}

static void answer(struct reload_waiters *all, bool refused, const char *mistakes)
{
	struct reload_waiters answered = TAILQ_HEAD_INITIALIZER(answered);
	struct reload_waiter *a;

	/* Move the waiters that get an answer to a list of their own, because a client that is answered may ask for
	 * another reload and wait again. Requests that came after the files were read are at the end of the list. */
	while ((a = TAILQ_FIRST(all)) != NULL && a->read) {
		leave(a);
		a->all = &answered;
		TAILQ_INSERT_TAIL(&answered, a, next);
		a->refused = refused;
		a->mistakes = mistakes ? str_dup(str_from(mistakes)) : NULL;
	}
	while ((a = TAILQ_FIRST(&answered)) != NULL) {
		leave(a);
		if (a->ticket)
			http_go_on_now(a->ticket);
	}
}

void reload_waiters_answer_done(struct reload_waiters *all)
{
	answer(all, false, NULL);
}

void reload_waiters_answer_refused(struct reload_waiters *all, const char *mistakes)
{
	answer(all, true, mistakes);
}
