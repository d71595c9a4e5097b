/* A feed of events in place of kubeclient's client: the program that includes this defines the client's functions
 * itself, so that the linker takes none of the real ones. A test finds the watch of a kind and says what the server
 * would. One client at a time. */
#ifndef TESTS_FAKE_CLIENT_H
#define TESTS_FAKE_CLIENT_H

#include "base/vec.h"
#include "kubeclient/kc_client.h"
#include "kubeclient/kc_kinds.h"
#include "value/identity.h"
#include "value/yaml.h"

#include <stdio.h>

struct kc_watch {
	char *api_version, *kind, resource[128];
	struct kc_handler handler;
	void *ctx;
	struct kc_watch_counters counters;
};

struct kc_client {
	VEC(struct kc_watch *) watches;
	struct kc_counters counters;
	void (*discovered)(void *ctx);
	void *discovered_ctx;
	VEC(const struct kc_resource *) offers; /* what discovery has; of the test */
	const char *doubt;                      /* why all of its kinds are not known; NULL: they are */
	bool down;
	size_t rediscoveries, retries;
};

/* The client that was made last and not closed; NULL: there is none. */
static struct kc_client *fake_client;

/* For the context of a cluster, which ends on its loop: run it after cluster_close. */
static inline uv_loop_t *fake_loop(void)
{
	return uv_default_loop();
}

static inline void fake_run(void)
{
	(void)uv_run(fake_loop(), UV_RUN_DEFAULT);
}

int kc_client_new(uv_loop_t *loop, const struct kc_options *o, struct kc_client **ret, struct err *err)
{
	struct kc_client *c = calloc(1, sizeof(*c));

	(void)loop;
	if (!c)
		return err_nomem(err);
	c->discovered = o->discovered;
	c->discovered_ctx = o->discovered_ctx;
	*ret = fake_client = c;
	return 0;
}

static void fake_watch_free(struct kc_watch *w)
{
	free(w->api_version);
	free(w->kind);
	free(w);
}

void kc_client_close(struct kc_client *c, void (*closed)(void *ctx), void *ctx)
{
	for (size_t i = 0; i < c->watches.n; i++)
		fake_watch_free(c->watches.p[i]);
	vec_done(&c->watches);
	vec_done(&c->offers);
	if (fake_client == c)
		fake_client = NULL;
	free(c);
	if (closed)
		closed(ctx);
}

int kc_watch_add(struct kc_client *c, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		 struct kc_watch **ret, struct err *err)
{
	struct kc_watch *w = calloc(1, sizeof(*w));

	if (w) {
		w->api_version = strdup(spec->api_version);
		w->kind = strdup(spec->kind);
	}
	if (!w || !w->api_version || !w->kind || !vec_push(&c->watches, w)) {
		if (w)
			fake_watch_free(w);
		return err_nomem(err);
	}
	w->handler = *h;
	w->ctx = ctx;
	(void)snprintf(w->resource, sizeof(w->resource), "%ss", spec->kind);
	*ret = w;
	return 0;
}

void kc_watch_remove(struct kc_watch *w)
{
	size_t n = 0;

	for (size_t i = 0; i < fake_client->watches.n; i++) {
		if (fake_client->watches.p[i] != w)
			fake_client->watches.p[n++] = fake_client->watches.p[i];
	}
	fake_client->watches.n = n;
	fake_watch_free(w);
}

const struct kc_resource *kc_listable(const struct kc_client *c, size_t *at)
{
	return *at < c->offers.n ? c->offers.p[(*at)++] : NULL;
}

const char *kc_doubt(const struct kc_client *c, size_t *at, str *api_version)
{
	*api_version = STR("doubtful.io/v1");
	return (*at)++ == 0 ? c->doubt : NULL;
}

const char *kc_watch_resource(const struct kc_watch *w)
{
	return w->resource;
}

const struct kc_watch_counters *kc_watch_counters(const struct kc_watch *w)
{
	return &w->counters;
}

const struct kc_counters *kc_client_counters(const struct kc_client *c)
{
	return &c->counters;
}

bool kc_client_up(const struct kc_client *c)
{
	return !c->down;
}

bool kc_client_discovered(const struct kc_client *c)
{
	return !c->down;
}

const char *kc_client_server(const struct kc_client *c)
{
	(void)c;
	return "http://fake";
}

void kc_client_retry(struct kc_client *c)
{
	c->retries++;
}

void kc_client_reread(struct kc_client *c)
{
	(void)c;
}

void kc_client_rediscover(struct kc_client *c)
{
	c->rediscoveries++;
}

/* ---- what a test says ---- */

/* The watch of a kind; NULL: the client was not asked for it. */
static inline struct kc_watch *fake_watch(const char *kind)
{
	for (size_t i = 0; fake_client && i < fake_client->watches.n; i++) {
		if (strcmp(fake_client->watches.p[i]->kind, kind) == 0)
			return fake_client->watches.p[i];
	}
	return NULL;
}

/* An object with a version of its own, as the server would send it; of a deletion only the identity counts. */
static inline void fake_event(struct kc_watch *w, enum kc_event event, struct doc *doc)
{
	static uint64_t clock = 1;
	struct identity id = identity_of(doc->root);
	char space[512];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	struct kc_object o = {
		.event = event,
		.namespace = id.namespace,
		.name = id.name,
		.uid = val_str(val_dig(doc->root, "metadata", "uid", NULL)),
		.resource_version = STR("1"),
		.doc = event == KC_DELETED ? NULL : doc,
		.managed_fields = STR(""),
		.received_ns = clock++,
	};

	identity_local_key(id.namespace, id.name, &key);
	o.key = buf_str(&key);
	w->handler.object(w->ctx, &o);
}

static inline void fake_synced(struct kc_watch *w)
{
	w->handler.synced(w->ctx, KC_LIST_START, 0);
	w->handler.state(w->ctx, KC_WATCHING, NULL);
}

static inline void fake_state(struct kc_watch *w, enum kc_state state)
{
	struct err why;

	(void)!err_set(&why, EIO, "as the test wants it");
	w->handler.state(w->ctx, state, &why);
}

#endif
