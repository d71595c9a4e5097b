/* A cluster whose server is a test: a feed (daemon/watch/source/feed.h) of which the test finds the watch of a kind and
 * says what the server would. The context of the cluster is that of fake_context(). */
#ifndef TESTS_FAKE_CLIENT_H
#define TESTS_FAKE_CLIENT_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/source/feed.h"
#include "value/identity.h"
#include "value/json.h"
#include "value/yaml.h"

/* The feed that was made last and not closed; NULL: there is none. */
static struct feed *fake_client;

/* For the context of a cluster, which ends on its loop: run it after cluster_close. */
static inline uv_loop_t *fake_loop(void)
{
	return uv_default_loop();
}

static inline void fake_run(void)
{
	(void)uv_run(fake_loop(), UV_RUN_DEFAULT);
}

static inline void fake_closed(void *feed)
{
	if (fake_client == feed)
		fake_client = NULL;
}

static inline int fake_open(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err)
{
	struct feed *f = feed_new(o);

	(void)ctx;
	if (!f)
		return err_nomem(err);
	f->on_close = fake_closed;
	f->owner = f;
	*ret = &f->source;
	fake_client = f;
	return 0;
}

static const struct source_maker fake_source = { .open = fake_open };

/* All that waits is judged. */
static inline void fake_work(struct cluster *c)
{
	while (cluster_work(c, UINT64_MAX))
		;
}

static inline void fake_wake(void *ctx)
{
	(void)ctx;
}

/* What the context of a cluster on the fake client has at least. */
static inline struct cluster_context fake_context(struct sink *sink, struct findings *findings, struct key_table *keys,
						  const struct limits *limits)
{
	return (struct cluster_context){
		.loop = fake_loop(),
		.source = &fake_source,
		.sink = sink,
		.findings = findings,
		.keys = keys,
		.limits = limits,
		.wake = fake_wake,
	};
}

/* The watch of a kind; NULL: the client was not asked for it. */
static inline struct feed_watch *fake_watch(const char *kind)
{
	for (size_t i = 0; fake_client && i < fake_client->watches.n; i++) {
		if (strcmp(fake_client->watches.p[i]->spec.kind, kind) == 0)
			return fake_client->watches.p[i];
	}
	return NULL;
}

/* As the client has objects of a first list looked at in threads. Returns the hand that has looked; NULL: none. */
static inline void *fake_look(struct feed_watch *w, struct kc_object *o)
{
	const struct kc_prepare *prepare = w->handler.prepare;
	void *hand = prepare && o->event == KC_LISTED && o->text.n ? prepare->begin(w->ctx) : NULL;

	o->looked_at = hand;
	if (hand)
		o->prepared = prepare->look(hand, o->text);
	if (o->prepared)
		o->doc = NULL;
	return hand;
}

/* An object with a version of its own, as the server would send it: with its text, unless it has managedFields.
 * @managed_fields: JSON, of which the document holds nothing. @absent: it was not sent, but missing in a list. */
static inline void fake_report(struct feed_watch *w, enum kc_event event, struct doc *doc, str managed_fields,
			       bool absent)
{
	static uint64_t clock = 1;
	struct identity id = identity_of(doc->root);
	char space[512];
	struct buf key = { .p = space, .cap = sizeof(space), .max = sizeof(space) - 1 };
	CLEANUP(buf_done) struct buf text = BUF_INIT(64 << 20);
	str version = val_str(val_dig(doc->root, "metadata", "resourceVersion", NULL));
	struct err err;
	struct kc_object o = {
		.event = event,
		.namespace = id.namespace,
		.name = id.name,
		.uid = val_str(val_dig(doc->root, "metadata", "uid", NULL)),
		.resource_version = version.n ? version : STR("1"),
		.doc = absent ? NULL : doc,
		.managed_fields = managed_fields,
		.received_ns = clock++,
	};
	void *hand;

	identity_local_key(id.namespace, id.name, &key);
	o.key = buf_str(&key);
	if (!absent && !managed_fields.n && json_encode(doc->root, JSON_TYPED, NULL, &text, &err) == 0)
		o.text = buf_str(&text);
	hand = fake_look(w, &o);
	w->handler.object(w->ctx, &o);
	if (o.prepared)
		w->handler.prepare->forget(o.prepared);
	if (hand)
		w->handler.prepare->end(hand);
}

static inline void fake_event_managed(struct feed_watch *w, enum kc_event event, struct doc *doc, str managed_fields)
{
	fake_report(w, event, doc, managed_fields, false);
}

/* A list lacks it. */
static inline void fake_absence(struct feed_watch *w, struct doc *doc)
{
	fake_report(w, KC_DELETED, doc, STR(""), true);
}

static inline void fake_event(struct feed_watch *w, enum kc_event event, struct doc *doc)
{
	fake_event_managed(w, event, doc, STR(""));
}

static inline void fake_synced(struct feed_watch *w)
{
	w->handler.synced(w->ctx, KC_LIST_START);
	w->handler.state(w->ctx, KC_WATCHING, NULL);
}

static inline void fake_state(struct feed_watch *w, enum kc_state state)
{
	struct err why;

	(void)!err_set(&why, EIO, "as the test wants it");
	w->handler.state(w->ctx, state, &why);
}

#endif
