/* A cluster on the fake client, with findings of its own and records on standard output, for the programs that watch
 * nothing else. What cannot be set up ends the program. */
#ifndef TESTS_WATCHED_H
#define TESTS_WATCHED_H

#include "daemon/watch/cluster/cluster.h"
#include "support/direct_sink.h"
#include "support/fake_client.h"
#include "value/json.h"

#include <stdlib.h>

struct watched {
	struct limits limits;
	struct key_table *keys;
	struct sink *sink; /* JSON lines */
	struct cfg *cfg;
	struct findings *findings;
	struct acceptances *acceptances; /* those of the configuration, until accepted_apply is called */
	struct cluster_context context;
	struct cluster *cluster;
};

static inline void watched_must(int r, const struct err *err)
{
	if (r == 0)
		return;
	fprintf(stderr, "%s\n", err->msg);
	abort();
}

/* The first cluster of the configuration @file. Its context has also what @more says of awake, inspection and shard. */
static inline void watched_start_with(struct watched *w, const char *file, const struct cluster_context *more)
{
	struct problems problems = { 0 };
	struct err err;

	*w = (struct watched){ .limits = limits_of_a_loop(), .keys = key_table_new() };
	watched_must(w->keys ? 0 : err_nomem(&err), &err);
	w->sink = sink_new_direct(CFG_OUTPUT_JSON);
	watched_must(w->sink ? 0 : err_nomem(&err), &err);
	watched_must(cfg_load(&file, 1, &w->limits, w->keys, &w->cfg, &problems, &err), &err);
	watched_must(findings_new(w->sink, &w->findings, &err), &err);
	watched_must(acceptances_new(&w->acceptances, &err), &err);
	watched_must(acceptances_configure(w->acceptances, w->cfg, &err), &err);
	w->context = fake_context(w->sink, w->findings, w->keys, &w->limits);
	w->context.acceptances = w->acceptances;
	w->context.awake = more->awake;
	w->context.inspection = more->inspection;
	w->context.inspected = more->inspected;
	w->context.shard = more->shard;
	watched_must(cluster_new(&w->context, w->cfg, &w->cfg->clusters[0], &w->cluster, &err), &err);
}

/* What is open stays so, and is to be seen again. */
static inline void watched_restart(struct watched *w)
{
	struct err err;

	cluster_close(w->cluster, NULL, NULL);
	fake_run();
	watched_must(cluster_new(&w->context, w->cfg, &w->cfg->clusters[0], &w->cluster, &err), &err);
}

static inline void watched_start(struct watched *w, const char *file)
{
	watched_start_with(w, file, &(struct cluster_context){ 0 });
}

static inline void watched_stop(struct watched *w)
{
	cluster_close(w->cluster, NULL, NULL);
	fake_run();
	acceptances_free(w->acceptances);
	findings_free(w->findings);
	sink_free(w->sink);
	cfg_unref(w->cfg);
	key_table_free(w->keys);
}

/* What the server says of the object @json. */
static inline void watched_event(struct watched *w, enum kc_event event, const char *json)
{
	struct json_options o = { .limits = &w->limits, .keys = w->keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(freep) char *kind = NULL;
	struct err err;

	watched_must(json_decode(str_from(json), &o, &doc, &err), &err);
	kind = str_dup(val_str(VAL_GET(doc->root, "kind")));
	watched_must(kind ? 0 : err_nomem(&err), &err);
	fake_event(fake_watch(kind), event, doc);
}

static inline void watched_work(struct watched *w)
{
	fake_work(w->cluster);
}

/* Everything is listed: what was not told of is not there. */
static inline void watched_settle(struct watched *w)
{
	for (size_t i = 0; i < fake_client->watches.n; i++)
		fake_synced(fake_client->watches.p[i]);
	cluster_tick(w->cluster);
	watched_work(w);
}

static inline size_t watched_count(const struct watched *w, enum finding_kind kind)
{
	const struct finding *x;
	size_t at = 0, n = 0;

	while ((x = findings_each(w->findings, &at)))
		n += x->kind == kind;
	return n;
}

/* ---- many objects ---- */

/* @n objects of the kind Widget that differ from tests/data/watch/any, listed and judged. */
static inline void watched_add_widgets(struct watched *w, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char json[256];

		(void)snprintf(json, sizeof(json),
			       "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w-%zu\","
			       "\"uid\":\"%zu\"},\"spec\":{\"size\":2}}",
			       i, i);
		watched_event(w, KC_LISTED, json);
	}
	watched_settle(w);
}

#endif
