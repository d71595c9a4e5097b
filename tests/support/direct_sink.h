/* A sink that keeps nothing and writes at once, in the caller's thread. */
#ifndef TESTS_DIRECT_SINK_H
#define TESTS_DIRECT_SINK_H

#include "daemon/findings/output.h"
#include "daemon/findings/sink.h"

/* As long as the program, which has one such sink at a time. */
static struct output *direct_output;

static inline void direct_take(void *ctx, const struct emission *t)
{
	(void)ctx;
	if (t->record)
		(void)!output_write(direct_output, t->record);
}

/* NULL without memory. */
static inline struct sink *sink_new_direct(enum cfg_output form)
{
	if (!direct_output)
		direct_output = output_new(form);
	if (!direct_output)
		return NULL;
	output_set(direct_output, form);
	return sink_new(&(struct sink_taker){ .take = direct_take });
}

#endif
