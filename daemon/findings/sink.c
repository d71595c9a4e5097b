/* Passes emissions and records on to the taker. */
#include "daemon/findings/sink.h"

#include "daemon/findings/record_hide.h"

struct sink {
	struct sink_taker taker;
};

struct sink *sink_new(const struct sink_taker *taker)
{
	struct sink *s = calloc(1, sizeof(*s));

	if (s)
		s->taker = *taker;
	return s;
}

void sink_free(struct sink *s)
{
	free(s);
}

/* Hide credentials first, so that only what may be shown is kept. */
void sink_emit(struct sink *s, const struct emission *t)
{
	struct emission shown = *t;
	struct record space;

	if (!t->record) {
		s->taker.take(s->taker.ctx, t);
		return;
	}
	shown.record = record_hide(t->record, &space);
	s->taker.take(s->taker.ctx, &shown);
	record_done(&space);
}

void sink_write(struct sink *s, const struct record *r)
{
	sink_emit(s, &(struct emission){ .record = r });
}
