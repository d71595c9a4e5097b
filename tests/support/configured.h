/* A configuration and what clusters on the fake client share, for tests that take the records themselves. */
#ifndef TESTS_CONFIGURED_H
#define TESTS_CONFIGURED_H

#include "config/cfg.h"
#include "daemon/findings/sink.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct configured {
	struct limits limits;
	struct key_table *keys;
	struct sink *sink;
	struct cfg *cfg;
};

/* Load the configuration @file; records go to @taker, which outlives *c. For a setup of cmocka: -1 with the reason
 * printed. */
static inline int configured_begin(struct configured *c, const char *file, const struct sink_taker *taker)
{
	struct problems problems = { 0 };
	struct err err;

	c->limits = limits_of_a_loop();
	c->keys = key_table_new();
	c->sink = sink_new(taker);
	if (cfg_load(&file, 1, &c->limits, c->keys, &c->cfg, &problems, &err) < 0) {
		print_error("%s\n", problems_text(&problems));
		return -1;
	}
	problems_done(&problems);
	return c->sink ? 0 : -1;
}

static inline void configured_end(struct configured *c)
{
	sink_free(c->sink);
	cfg_unref(c->cfg);
	key_table_free(c->keys);
}

#endif
