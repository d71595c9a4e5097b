/* Replays a recorded watch to its owner. */
#include "daemon/recording/stream.h"

#include "value/identity.h"
#include "value/json.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* How long a watch that resumed caught up, for a driftd whose recordings do not say when it had. */
#define CATCH_UP_NS (2 * UINT64_C(1000000000))

struct stream_object {
	struct doc *doc;
	/* @managed may be NULL; @unreadable says why the object could not be read, or is NULL */
	char *managed, *unreadable;
};

static void free_object(struct stream_object *o)
{
	if (!o)
		return;
	doc_unref(o->doc);
	free(o->managed);
	free(o->unreadable);
	free(o);
}

static void forget_objects(struct stream *s)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&s->objects, &at)))
		free_object(e->value);
	strmap_done(&s->objects);
	s->objects = (struct strmap){ 0 };
}

void stream_free(struct stream *s)
{
	if (!s)
		return;
	forget_objects(s);
	free(s->api_version);
	free(s->kind);
	free(s->namespace);
	free(s->name);
	free(s);
}

struct stream *stream_new(const struct recording_line *l)
{
	struct stream *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->id = line_number(l, STR("id"));
	s->api_version = str_dup(val_str(VAL_GET(l->root, "apiVersion")));
	s->kind = str_dup(val_str(VAL_GET(l->root, "kind")));
	s->namespace = str_dup(val_str(VAL_GET(l->root, "namespace")));
	s->name = str_dup(val_str(VAL_GET(l->root, "name")));
	if (s->api_version && s->kind && s->namespace && s->name)
		return s;
	stream_free(s);
	return NULL;
}

static bool within(const char *all, const char *part)
{
	return !all[0] || strcmp(all, part) == 0;
}

bool stream_covers(const struct stream *s, const struct feed_watch *w)
{
	return strcmp(s->api_version, w->spec.api_version) == 0 && strcmp(s->kind, w->spec.kind) == 0 &&
	       within(s->namespace, w->spec.namespace) && within(s->name, w->spec.name);
}

/* ---- to one watch ---- */

static void deliver_object(const struct feed_watch *w, const struct kc_object *o)
{
	if ((!w->spec.namespace[0] || str_eq(o->namespace, str_from(w->spec.namespace))) &&
	    (!w->spec.name[0] || str_eq(o->name, str_from(w->spec.name))))
		w->handler.object(w->ctx, o);
}

static void deliver_state(const struct stream *s, struct feed_watch *w)
{
	memcpy(w->resource, s->resource, sizeof(w->resource));
	w->counters = s->counters;
	w->handler.state(w->ctx, s->state, s->why.code ? &s->why : NULL);
}

static void name_object(struct kc_object *o, val root)
{
	val meta = VAL_GET(root, "metadata");

	o->namespace = val_str(VAL_GET(meta, "namespace"));
	o->name = val_str(VAL_GET(meta, "name"));
	o->uid = val_str(VAL_GET(meta, "uid"));
	o->resource_version = val_str(VAL_GET(meta, "resourceVersion"));
}

void stream_follow(struct stream *s, struct feed_watch *w)
{
	const struct strmap_entry *e;
	size_t at = 0;

	w->owner = s;
	if (s->has_state)
		deliver_state(s, w);
	while ((e = strmap_each(&s->objects, &at))) {
		const struct stream_object *known = e->value;
		struct kc_object o = { .event = KC_LISTED,
				       .key = { e->key, e->n },
				       .doc = known->doc,
				       .unreadable = known->unreadable,
				       .managed_fields = str_from(known->managed ? known->managed : "") };

		name_object(&o, known->doc->root);
		deliver_object(w, &o);
	}
	if (s->listed)
		w->handler.synced(w->ctx, KC_LIST_START);
	if (s->listed && s->state == KC_WATCHING)
		deliver_state(s, w);
}

/* ---- to all that follow ---- */

#define EACH_FOLLOWER(f, s, w)                                                                                         \
	for (size_t i_ = 0; i_ < (f)->watches.n; i_++)                                                                 \
		if (((w) = (f)->watches.p[i_])->owner == (s))

static int keep(struct stream *s, const struct kc_object *o, struct err *err)
{
	struct stream_object *known;
	void *old;

	if (o->event == KC_DELETED) {
		free_object(strmap_remove(&s->objects, o->key));
		return 0;
	}
	known = calloc(1, sizeof(*known));
	if (!known)
		return err_nomem(err);
	known->doc = doc_ref(o->doc);
	known->managed = o->managed_fields.n ? str_dup(o->managed_fields) : NULL;
	known->unreadable = o->unreadable ? strdup(o->unreadable) : NULL;
	if ((o->managed_fields.n && !known->managed) || (o->unreadable && !known->unreadable) ||
	    !strmap_put(&s->objects, o->key, known, &old)) {
		free_object(known);
		return err_nomem(err);
	}
	free_object(old);
	return 0;
}

static void note_caught_up(struct stream *s, const struct recording_line *l)
{
	uint64_t now = line_number(l, STR("caught_up"));

	if (now)
		s->counters.caught_up_ns = now;
	else if (s->works_ns && l->ns - s->works_ns > CATCH_UP_NS)
		s->counters.caught_up_ns = l->ns;
}

static bool parse_event(str s, enum kc_event *ret)
{
	static const char *const names[] = { "listed", "added", "modified", "deleted" };

	_Static_assert(ARRAY_LEN(names) == KC_DELETED + 1, "ORDER enum kc_event");
	*ret = (enum kc_event)str_index(s, names, ARRAY_LEN(names));
	return *ret < ARRAY_LEN(names);
}

static int decode_object(const struct recording_line *l, struct key_table *keys, struct doc **ret, struct err *err)
{
	struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits, .keys = keys };

	limits.object_bytes *= 2; /* digests may be longer than the values that they replace */
	if (!l->object.n)
		return err_set(err, EBADMSG, "an object line without object");
	return json_decode(l->object, &o, ret, err);
}

int stream_object(struct stream *s, struct feed *f, const struct recording_line *l, struct key_table *keys,
		  struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	CLEANUP(freep) char *unreadable = NULL;
	CLEANUP(buf_done) struct buf key = BUF_INIT(IDENTITY_BYTES_MAX);
	uint64_t age = line_number(l, STR("age"));
	struct kc_object o = { .unchanged = line_bool(l, STR("unchanged")),
			       .managed_fields = l->managed.p ? l->managed : STR(""),
			       .received_ns = age < l->ns ? l->ns - age : l->ns };
	val why = VAL_GET(l->root, "unreadable");
	struct feed_watch *w;
	int r = decode_object(l, keys, &doc, err);

	if (r < 0)
		return r;
	name_object(&o, doc->root);
	identity_local_key(o.namespace, o.name, &key);
	if (!parse_event(val_str(VAL_GET(l->root, "event")), &o.event) || !o.name.n || key.error)
		return err_set(err, EBADMSG, "an object line without event or name");
	o.key = buf_str(&key);
	o.doc = o.event == KC_DELETED ? NULL : doc;
	if (val_is_string(why)) {
		unreadable = str_dup(val_str(why));
		if (!unreadable)
			return err_nomem(err);
		o.unreadable = unreadable;
	}
	r = keep(s, &o, err);
	if (r < 0)
		return r;
	s->counters.events++;
	note_caught_up(s, l);
	EACH_FOLLOWER(f, s, w)
	{
		w->counters.caught_up_ns = s->counters.caught_up_ns;
		deliver_object(w, &o);
	}
	return 0;
}

static bool parse_state(str s, enum kc_state *ret)
{
	for (int i = 0; i <= KC_FORBIDDEN; i++) {
		if (str_eq(s, str_from(kc_state_name((enum kc_state)i)))) {
			*ret = (enum kc_state)i;
			return true;
		}
	}
	return false;
}

int stream_state(struct stream *s, struct feed *f, const struct recording_line *l, struct err *err)
{
	str resource = val_str(VAL_GET(l->root, "resource")), why = val_str(VAL_GET(l->root, "why"));
	int code = (int)(line_number(l, STR("code")) & INT32_MAX);
	bool old = !val_exists(VAL_GET(l->root, "proved"));
	struct feed_watch *w;

	if (!parse_state(val_str(VAL_GET(l->root, "state")), &s->state))
		return err_set(err, EBADMSG, "a state line without state");
	if ((why.n && !code) || (!why.n && (s->state == KC_BACKOFF || s->state == KC_FORBIDDEN)))
		return err_set(err, EBADMSG, "a state line that does not say what failed");
	s->has_state = true;
	(void)snprintf(s->resource, sizeof(s->resource), "%.*s", STR_ARG(resource));
	s->why.code = 0;
	if (why.n)
		(void)err_set(&s->why, code, "%.*s", STR_ARG(why));
	s->counters.failures = line_number(l, STR("failures"));
	s->counters.last_heard_ns = line_number(l, STR("heard"));
	s->counters.proved_ns = line_number(l, STR("proved"));
	note_caught_up(s, l);
	s->works_ns = old && s->state == KC_WATCHING ? l->ns : 0;
	if (s->state == KC_ABSENT) {
		forget_objects(s);
		s->listed = false;
	}
	EACH_FOLLOWER(f, s, w)
	deliver_state(s, w);
	return 0;
}

void stream_synced(struct stream *s, struct feed *f, const struct recording_line *l)
{
	uint64_t reason = line_number(l, STR("reason"));
	struct feed_watch *w;

	s->listed = true;
	EACH_FOLLOWER(f, s, w)
	w->handler.synced(w->ctx, reason < KC_LIST_REASONS ? (enum kc_list_reason)reason : KC_LIST_START);
}

void stream_access(struct stream *s, struct feed *f, const struct recording_line *l)
{
	uint64_t denied = line_number(l, STR("denied"));
	struct feed_watch *w;

	EACH_FOLLOWER(f, s, w)
	w->handler.access(w->ctx, (unsigned)(denied & (1u << KC_LIST | 1u << KC_WATCH)));
}
