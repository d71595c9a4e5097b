/* A source of events without a server: what its owner puts into the feed, behind the functions of a source. */
#include "daemon/watch/source/feed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct feed *feed_of(const struct watch_source *s)
{
	return (struct feed *)(uintptr_t)s;
}

static struct feed_watch *feed_watch_of(const struct source_watch *w)
{
	return (struct feed_watch *)(uintptr_t)w;
}

/* ---- watches ---- */

static bool copy_text(const char **ret, const char *text)
{
	*ret = strdup(text ? text : "");
	return *ret;
}

static bool copy_spec(struct kc_watch_spec *to, const struct kc_watch_spec *from)
{
	return copy_text(&to->api_version, from->api_version) && copy_text(&to->kind, from->kind) &&
	       copy_text(&to->namespace, from->namespace) && copy_text(&to->name, from->name) &&
	       copy_text(&to->label_selector, from->label_selector) &&
	       copy_text(&to->field_selector, from->field_selector);
}

static void watch_free(struct feed_watch *w)
{
	free((void *)(uintptr_t)w->spec.api_version);
	free((void *)(uintptr_t)w->spec.kind);
	free((void *)(uintptr_t)w->spec.namespace);
	free((void *)(uintptr_t)w->spec.name);
	free((void *)(uintptr_t)w->spec.label_selector);
	free((void *)(uintptr_t)w->spec.field_selector);
	free(w);
}

static int watch_add(struct watch_source *s, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		     struct source_watch **ret, struct err *err)
{
	struct feed *f = feed_of(s);
	struct feed_watch *w = calloc(1, sizeof(*w));

	if (!w || !copy_spec(&w->spec, spec) || !vec_push(&f->watches, w)) {
		if (w)
			watch_free(w);
		return err_nomem(err);
	}
	w->handler = *h;
	w->ctx = ctx;
	(void)snprintf(w->resource, sizeof(w->resource), "%ss", spec->kind);
	*ret = (struct source_watch *)w;
	if (f->on_add)
		f->on_add(f->owner, w);
	return 0;
}

static void watch_remove(struct watch_source *s, struct source_watch *watch)
{
	struct feed *f = feed_of(s);
	struct feed_watch *w = feed_watch_of(watch);

	if (!w)
		return;
	vec_remove(&f->watches, w);
	if (f->on_remove)
		f->on_remove(f->owner, w);
	watch_free(w);
}

static const char *watch_resource(const struct watch_source *s, const struct source_watch *w)
{
	(void)s;
	return feed_watch_of(w)->resource;
}

static const struct kc_watch_counters *watch_counters(const struct watch_source *s, const struct source_watch *w)
{
	(void)s;
	return &feed_watch_of(w)->counters;
}

/* ---- the server ---- */

static const struct kc_counters *counters(const struct watch_source *s)
{
	return &feed_of(s)->counters;
}

static bool up(const struct watch_source *s)
{
	return !feed_of(s)->down;
}

static bool discovered(const struct watch_source *s)
{
	return !feed_of(s)->undiscovered;
}

static const char *server(const struct watch_source *s)
{
	return feed_of(s)->server;
}

static const struct kc_resource *listable(const struct watch_source *s, size_t *at)
{
	const struct feed *f = feed_of(s);

	return *at < f->offers.n ? f->offers.p[(*at)++] : NULL;
}

static const char *why_unknown(const struct watch_source *s, size_t *at, str *api_version)
{
	const struct feed *f = feed_of(s);
	const struct feed_unknown *d;

	if (*at >= f->unknown_versions.n)
		return NULL;
	d = &f->unknown_versions.p[(*at)++];
	*api_version = str_from(d->api_version);
	return d->why;
}

static void retry(struct watch_source *s)
{
	feed_of(s)->retries++;
}

static void reread(struct watch_source *s)
{
	(void)s;
}

static void rediscover(struct watch_source *s)
{
	feed_of(s)->rediscoveries++;
}

static void close_source(struct watch_source *s, void (*closed)(void *ctx), void *ctx)
{
	struct feed *f = feed_of(s);

	if (f->on_close)
		f->on_close(f->owner);
	for (size_t i = 0; i < f->watches.n; i++)
		watch_free(f->watches.p[i]);
	vec_done(&f->watches);
	vec_done(&f->offers);
	vec_done(&f->unknown_versions);
	free(f);
	if (closed)
		closed(ctx);
}

static const struct watch_source_table table = {
	.watch_add = watch_add,
	.watch_remove = watch_remove,
	.watch_resource = watch_resource,
	.watch_counters = watch_counters,
	.counters = counters,
	.up = up,
	.discovered = discovered,
	.server = server,
	.listable = listable,
	.why_unknown = why_unknown,
	.retry = retry,
	.reread = reread,
	.rediscover = rediscover,
	.close = close_source,
};

struct feed *feed_new(const struct source_options *o)
{
	struct feed *f = calloc(1, sizeof(*f));

	if (!f)
		return NULL;
	f->source = (struct watch_source){ .does = &table };
	f->server = "a feed";
	f->discovered = o->discovered;
	f->notice = o->notice;
	f->ctx = o->ctx;
	return f;
}
