/* Counters for GET /_apisim/stats. */
#ifndef APISIM_STATS_H
#define APISIM_STATS_H

#include "base/vec.h"

#include <jansson.h>
#include <stdint.h>

struct stats_row {
	char verb[24];
	char resource[192]; /* empty for requests that are for no resource */
	uint64_t n;
};

struct stats {
	VEC(struct stats_row) rows;
	uint64_t events_sent; /* watch events, bookmarks not counted */
	uint64_t bookmarks_sent;
	uint64_t watch_bytes;
	uint64_t list_bytes; /* before compression */
	uint64_t watches_started;
};

void stats_done(struct stats *s);
void stats_count(struct stats *s, const char *verb, const char *resource);
json_t *stats_json(const struct stats *s, size_t open_watches, uint64_t rv);

#endif
