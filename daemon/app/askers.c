/* Who is told what, and the two answers. */
#include "daemon/app/askers.h"

#include "daemon/api/api.h"

#include <stdlib.h>

struct asker {
	struct askers *all;         /* NULL: it is told */
	struct http_ticket *ticket; /* NULL: its request is not put off */
	bool read;                  /* a reload has read the files since */
	bool refused;
	char *mistakes; /* of what was refused; NULL: they are not known */
	TAILQ_ENTRY(asker) next;
};

struct asker *asker_new(struct askers *all)
{
	struct asker *a = calloc(1, sizeof(*a));

	if (!a)
		return NULL;
	a->all = all;
	TAILQ_INSERT_TAIL(all, a, next);
	return a;
}

static void leave(struct asker *a)
{
	if (a->all)
		TAILQ_REMOVE(a->all, a, next);
	a->all = NULL;
}

/* Also when nobody waits for it any more. */
static void asker_free(void *state)
{
	struct asker *a = state;

	leave(a);
	free(a->mistakes);
	free(a);
}

bool asker_waits(struct asker *a, const struct http_request *q)
{
	if (!a->all)
		return false;
	a->ticket = http_later(q, a, asker_free);
	return true;
}

void asker_answer(struct asker *a, struct http_response *r)
{
	if (a->refused)
		api_refuse(r, a->mistakes ? a->mistakes : "out of memory");
	else
		api_reload(r, true);
	asker_free(a);
}

void askers_read(struct askers *all)
{
	struct asker *a;

	TAILQ_FOREACH(a, all, next)
	a->read = true;
}

static void tell(struct askers *all, bool refused, const char *mistakes)
{
	struct askers told = TAILQ_HEAD_INITIALIZER(told);
	struct asker *a;

	/* Who is answered may begin another reload, and wait for that: these are set apart first. What was asked for
	 * since the files were read is behind them. */
	while ((a = TAILQ_FIRST(all)) != NULL && a->read) {
		leave(a);
		a->all = &told;
		TAILQ_INSERT_TAIL(&told, a, next);
		a->refused = refused;
		a->mistakes = mistakes ? str_dup(str_from(mistakes)) : NULL;
	}
	while ((a = TAILQ_FIRST(&told)) != NULL) {
		leave(a);
		if (a->ticket)
			http_go_on(a->ticket);
	}
}

void askers_tell_done(struct askers *all)
{
	tell(all, false, NULL);
}

void askers_tell_refused(struct askers *all, const char *mistakes)
{
	tell(all, true, mistakes);
}
