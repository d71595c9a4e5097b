/* Handing records on. */
#include "daemon/findings/sink.h"

#include "daemon/findings/output.h"
#include "daemon/findings/record_hide.h"

struct sink {
	struct sink_taker taker;
	struct output *output; /* without a taker */
};

struct sink *sink_new(const struct sink_taker *taker)
{
	struct sink *s = calloc(1, sizeof(*s));

	if (s)
		s->taker = *taker;
	return s;
}

struct sink *sink_new_direct(enum cfg_output form)
{
	struct sink *s = calloc(1, sizeof(*s));

	if (s)
		s->output = output_new(form);
	if (s && s->output)
		return s;
	free(s);
	return NULL;
}

void sink_set_form(struct sink *s, enum cfg_output form)
{
	output_set(s->output, form);
}

void sink_free(struct sink *s)
{
	if (!s)
		return;
	output_free(s->output);
	free(s);
}

/* What is kept is what may be shown. */
static void hand_on(struct sink *s, const struct telling *t)
{
	struct telling shown = *t;
	struct record space;

	if (!t->record) {
		s->taker.take(s->taker.ctx, t);
		return;
	}
	shown.record = record_hide(t->record, &space);
	s->taker.take(s->taker.ctx, &shown);
	record_done(&space);
}

void sink_tell(struct sink *s, const struct telling *t)
{
	if (s->taker.take)
		hand_on(s, t);
	else if (t->record)
		(void)!output_write(s->output, t->record); /* which hides as well */
}

void sink_write(struct sink *s, const struct record *r)
{
	sink_tell(s, &(struct telling){ .record = r });
}
