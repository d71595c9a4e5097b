/* Counting requests. */
#include "stats.h"

#include <stdio.h>
#include <string.h>

#define STATS_ROWS 4096 /* verbs times resources; a client that invents more is not counted */

void stats_done(struct stats *s)
{
	vec_done(&s->rows);
	*s = (struct stats){ 0 };
}

void stats_count(struct stats *s, const char *verb, const char *resource)
{
	struct stats_row row = { .n = 1 };

	for (size_t i = 0; i < s->rows.n; i++) {
		if (strcmp(s->rows.p[i].verb, verb) == 0 && strcmp(s->rows.p[i].resource, resource) == 0) {
			s->rows.p[i].n++;
			return;
		}
	}
	(void)snprintf(row.verb, sizeof(row.verb), "%s", verb);
	(void)snprintf(row.resource, sizeof(row.resource), "%s", resource);
	if (s->rows.n < STATS_ROWS)
		(void)vec_push(&s->rows, row);
}

json_t *stats_json(const struct stats *s, size_t open_watches, uint64_t rv)
{
	json_t *requests = json_array();

	for (size_t i = 0; i < s->rows.n; i++) {
		const struct stats_row *row = &s->rows.p[i];

		json_array_append_new(requests, json_pack("{s:s, s:s, s:I}", "verb", row->verb, "resource",
							  row->resource, "count", (json_int_t)row->n));
	}
	return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "requests", requests, "openWatches",
			 (json_int_t)open_watches, "watchesStarted", (json_int_t)s->watches_started, "eventsSent",
			 (json_int_t)s->events_sent, "bookmarksSent", (json_int_t)s->bookmarks_sent, "watchBytes",
			 (json_int_t)s->watch_bytes, "listBytes", (json_int_t)s->list_bytes, "resourceVersion",
			 (json_int_t)rv);
}
