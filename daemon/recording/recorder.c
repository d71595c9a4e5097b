/* Writes the lines of a recording, as a source between a watcher and the real source. */
#include "daemon/recording/recorder.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/watch/source/kube_source.h"
#include "kubeclient/kc_key_store.h"
#include "value/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ALIVE_NS (10 * UINT64_C(1000000000)) /* at least one line in this time */

struct recorder {
	struct recorder_options o;
	struct source_maker maker;
	struct digester digester;
	struct buf line;
	struct err error;
	bool ended;
	uint64_t lines, written_ns, next_id;
	VEC(struct tee *) tees;
};

/* The source of one cluster. */
struct tee {
	struct watch_source source;
	struct watch_source_table does; /* the functions of the inner source, except those of watches */
	struct watch_source *inner;     /* the real source; NULL: it is being opened */
	struct recorder *recorder;
	size_t cluster;
	int was_up, was_discovered; /* the states that were written last; -1: none */
	void (*notice)(void *ctx, const struct kc_notice *n);
	void (*discovered)(void *ctx);
	void *ctx; /* for @notice and @discovered */
	VEC(struct tee_watch *) watches;
	void (*closed)(void *ctx);
	void *closed_ctx;
};

struct tee_watch {
	struct tee *tee;
	struct source_watch *inner;
	uint64_t id;
	bool definitions;
	/* the keys of the objects, so that a deletion is noticed although the objects are not stored */
	struct kc_key_store known;
	uint64_t caught_up_ns; /* the counter of the watch, as it was written last */
	struct kc_handler handler;
	void *ctx;
};

/* ---- lines ---- */

static void begin_line(struct recorder *r, const char *event)
{
	buf_clear(&r->line);
	buf_printf(&r->line, "{\"e\":\"%s\",\"t\":%" PRIu64 ",\"w\":%" PRId64, event, clock_ns(), clock_usec());
}

static void add_text(struct recorder *r, const char *name, str s)
{
	buf_printf(&r->line, ",\"%s\":", name);
	json_encode_string(s, JSON_PLAIN, &r->line);
}

static void add_number(struct recorder *r, const char *name, uint64_t n)
{
	buf_printf(&r->line, ",\"%s\":%" PRIu64, name, n);
}

static void add_bool(struct recorder *r, const char *name, bool b)
{
	buf_printf(&r->line, ",\"%s\":%s", name, b ? "true" : "false");
}

static void end_line(struct recorder *r)
{
	int status;

	buf_add_cstr(&r->line, "}\n");
	if (r->error.code || r->ended)
		return;
	if (buf_error(&r->line, "a line of the recording", &r->error) < 0)
		return;
	status = file_write_all(r->o.fd, buf_str(&r->line));
	if (status < 0)
		(void)err_set(&r->error, -status, "the recording: %s", strerror(-status));
	r->written_ns = clock_ns();
	r->lines++;
}

static void begin_cluster_line(struct tee *t, const char *event)
{
	begin_line(t->recorder, event);
	add_number(t->recorder, "c", t->cluster);
}

static void begin_watch_line(struct tee_watch *w, const char *event)
{
	begin_cluster_line(w->tee, event);
	add_number(w->tee->recorder, "id", w->id);
}

static const struct kc_watch_counters *counters_of(const struct tee_watch *w)
{
	return w->tee->inner->does->watch_counters(w->tee->inner, w->inner);
}

/* An event that was missed while the watch failed differs from others. */
static void add_caught_up(struct tee_watch *w)
{
	uint64_t now = w->inner ? counters_of(w)->caught_up_ns : 0;

	if (now != w->caught_up_ns)
		add_number(w->tee->recorder, "caught_up", now);
	w->caught_up_ns = now;
}

static void write_header(struct recorder *r)
{
	begin_line(r, "header");
	add_number(r, "format", RECORDING_FORMAT);
	add_text(r, "driftd", str_from(r->o.version));
	add_bool(r, "raw", r->o.raw);
	buf_add_cstr(&r->line, ",\"clusters\":[");
	for (size_t i = 0; i < r->o.cfg->n_clusters; i++) {
		const struct cfg_cluster *c = &r->o.cfg->clusters[i];

		if (i)
			buf_add_byte(&r->line, ',');
		json_encode_string(!r->o.only || r->o.only == c ? c->name : STR(""), JSON_PLAIN, &r->line);
	}
	buf_add_byte(&r->line, ']');
	end_line(r);
}

/* ---- objects ---- */

/* Add a value as a member, masked unless the recording is raw. */
static int add_value(struct recorder *r, const char *name, val v, bool managed, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT((size_t)512 << 20);
	const struct mask_fields *fields = &r->o.cfg->mask;
	int status = 0;

	if (!r->o.raw && managed)
		status = digest_managed(&r->digester, fields, v, &a, &v, err);
	else if (!r->o.raw)
		status = digest_object(&r->digester, fields, v, &a, &v, err);
	buf_printf(&r->line, ",\"%s\":", name);
	if (status == 0)
		status = json_encode(v, JSON_PLAIN, NULL, &r->line, err);
	return status == 0 ? buf_error(&r->line, "a line of the recording", err) : status;
}

static int add_managed(struct recorder *r, str text, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	int status = text.n ? json_decode(text, JSON_DEFAULTS, &d, err) : 0;

	return d ? add_value(r, "managedFields", d->root, true, err) : status;
}

/* Add what identifies an object that is not written whole. */
static int add_identity(struct recorder *r, const struct kc_object *o, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT((size_t)1 << 20);
	struct member meta[] = { { key_make(NULL, &a, STR("name")), val_string(o->name) },
				 { key_make(NULL, &a, STR("namespace")), val_string(o->namespace) },
				 { key_make(NULL, &a, STR("uid")), val_string(o->uid) } };
	struct member root = { key_make(NULL, &a, STR("metadata")), { 0 } };

	if (!meta[0].key || !meta[1].key || !meta[2].key || !root.key)
		return err_nomem(err);
	root.value = val_map(&a, meta, ARRAY_LEN(meta));
	return add_value(r, "object", val_map(&a, &root, 1), false, err);
}

static void begin_object(struct tee_watch *w, const struct kc_object *o)
{
	static const char *const events[] = { "listed", "added", "modified", "deleted" };
	struct recorder *r = w->tee->recorder;
	uint64_t now = clock_ns();

	_Static_assert(ARRAY_LEN(events) == KC_DELETED + 1, "ORDER enum kc_event");
	begin_watch_line(w, "object");
	ASSERT(o->event < ARRAY_LEN(events));
	add_text(r, "event", str_from(events[o->event]));
	add_bool(r, "unchanged", o->unchanged);
	add_number(r, "age", o->received_ns < now ? now - o->received_ns : 0);
	add_caught_up(w);
}

static void write_object(struct tee_watch *w, const struct kc_object *o)
{
	struct recorder *r = w->tee->recorder;
	uint64_t caught_up_ns = w->caught_up_ns;
	bool whole = o->doc && o->event != KC_DELETED;
	struct err err;
	int status;

	begin_object(w, o);
	if (o->unreadable)
		add_text(r, "unreadable", str_from(o->unreadable));
	status = whole ? add_value(r, "object", o->doc->root, false, &err) : add_identity(r, o, &err);
	if (status == 0 && whole)
		status = add_managed(r, o->managed_fields, &err);
	if (status < 0) { /* the recording must still say that the object exists */
		w->caught_up_ns = caught_up_ns;
		begin_object(w, o);
		add_text(r, "unreadable", STR("it could not be recorded"));
		status = add_identity(r, o, &err);
	}
	if (status < 0)
		r->error = err;
	end_line(r);
}

/* ---- the server ---- */

/* Note the state of the connection, which the client does not report. */
static void note_connection(struct tee *t)
{
	struct watch_source *s = t->inner;
	int up, discovered;

	if (!s)
		return;
	up = s->does->up(s);
	discovered = s->does->discovered(s);
	if (up == t->was_up && discovered == t->was_discovered)
		return;
	t->was_up = up;
	t->was_discovered = discovered;
	begin_cluster_line(t, "connection");
	add_bool(t->recorder, "up", up);
	add_bool(t->recorder, "discovered", discovered);
	add_text(t->recorder, "server", str_from(s->does->server(s)));
	end_line(t->recorder);
}

static void add_resource(struct recorder *r, const struct kc_resource *k)
{
	buf_add_byte(&r->line, '{');
	buf_add_cstr(&r->line, "\"group\":");
	json_encode_string(str_from(k->group), JSON_PLAIN, &r->line);
	add_text(r, "version", str_from(k->version));
	add_text(r, "kind", str_from(k->kind));
	add_text(r, "plural", str_from(k->plural));
	add_bool(r, "namespaced", k->namespaced);
	add_bool(r, "watch", k->can_watch);
	add_number(r, "rank", k->rank);
	buf_add_byte(&r->line, '}');
}

static void on_discovered(void *ctx)
{
	struct tee *t = ctx;
	struct recorder *r = t->recorder;
	const struct kc_resource *k;
	const char *why;
	str api_version;
	size_t at = 0;

	note_connection(t);
	begin_cluster_line(t, "discovery");
	buf_add_cstr(&r->line, ",\"kinds\":[");
	for (bool first = true; (k = t->inner->does->listable(t->inner, &at)); first = false) {
		if (!first)
			buf_add_byte(&r->line, ',');
		add_resource(r, k);
	}
	buf_add_cstr(&r->line, "],\"doubts\":[");
	at = 0;
	for (bool first = true; (why = t->inner->does->why_unknown(t->inner, &at, &api_version)); first = false) {
		buf_add_cstr(&r->line, first ? "{\"apiVersion\":" : ",{\"apiVersion\":");
		json_encode_string(api_version, JSON_PLAIN, &r->line);
		add_text(r, "why", str_from(why));
		buf_add_byte(&r->line, '}');
	}
	buf_add_byte(&r->line, ']');
	end_line(r);
	if (t->discovered)
		t->discovered(t->ctx);
}

static void on_notice(void *ctx, const struct kc_notice *n)
{
	struct tee *t = ctx;

	begin_cluster_line(t, "notice");
	add_number(t->recorder, "kind", n->kind);
	if (n->resource)
		add_text(t->recorder, "resource", str_from(n->resource));
	add_text(t->recorder, "message", str_from(n->message));
	end_line(t->recorder);
	t->notice(t->ctx, n);
}

/* ---- a watch ---- */

static void on_object(void *ctx, const struct kc_object *o)
{
	struct tee_watch *w = ctx;

	if (!kc_key_store_take_in(&w->known, o))
		(void)err_nomem(&w->tee->recorder->error);
	write_object(w, o);
	if (w->definitions)
		w->tee->inner->does->rediscover(w->tee->inner);
}

static bool on_find(void *ctx, str key, struct kc_known *ret)
{
	const struct tee_watch *w = ctx;

	return kc_key_store_find(&w->known, key, ret);
}

static int on_absent(void *ctx, uint32_t list, struct kc_knowns *ret, struct err *err)
{
	const struct tee_watch *w = ctx;

	return kc_key_store_absent(&w->known, list, ret, err);
}

static void on_synced(void *ctx, enum kc_list_reason reason)
{
	struct tee_watch *w = ctx;

	begin_watch_line(w, "synced");
	add_number(w->tee->recorder, "reason", reason);
	end_line(w->tee->recorder);
	w->handler.synced(w->ctx, reason);
}

static void on_state(void *ctx, enum kc_state state, const struct err *why)
{
	struct tee_watch *w = ctx;
	const struct watch_source *s = w->tee->inner;
	struct recorder *r = w->tee->recorder;
	const struct kc_watch_counters *c = counters_of(w);

	if (state == KC_ABSENT)
		kc_key_store_done(&w->known);
	note_connection(w->tee);
	begin_watch_line(w, "state");
	add_text(r, "state", str_from(kc_state_name(state)));
	add_text(r, "resource", str_from(s->does->watch_resource(s, w->inner)));
	add_number(r, "failures", c->failures);
	add_number(r, "heard", c->last_heard_ns);
	add_number(r, "proved", c->proved_ns);
	add_caught_up(w);
	if (why) {
		add_number(r, "code", (uint64_t)why->code);
		add_text(r, "why", str_from(why->msg));
	}
	end_line(r);
	w->handler.state(w->ctx, state, why);
}

static void on_access(void *ctx, unsigned denied)
{
	struct tee_watch *w = ctx;

	begin_watch_line(w, "access");
	add_number(w->tee->recorder, "denied", denied);
	end_line(w->tee->recorder);
	w->handler.access(w->ctx, denied);
}

static const struct kc_handler handler = {
	.object = on_object,
	.find = on_find,
	.absent = on_absent,
	.synced = on_synced,
	.state = on_state,
	.access = on_access,
};

static struct tee *tee_of(const struct watch_source *s)
{
	return (struct tee *)(uintptr_t)s;
}

static struct tee_watch *tee_watch_of(const struct source_watch *w)
{
	return (struct tee_watch *)(uintptr_t)w;
}

static int watch_add(struct watch_source *s, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		     struct source_watch **ret, struct err *err)
{
	struct tee *t = tee_of(s);
	struct recorder *r = t->recorder;
	CLEANUP(freep) struct tee_watch *w = calloc(1, sizeof(*w));
	int status;

	if (!w)
		return err_nomem(err);
	*w = (struct tee_watch){ .tee = t,
				 .id = r->next_id++,
				 .known = KC_KEY_STORE,
				 .definitions = strcmp(spec->kind, "CustomResourceDefinition") == 0,
				 .handler = *h,
				 .ctx = ctx };
	status = t->inner->does->watch_add(t->inner, spec, &handler, w, &w->inner, err);
	if (status < 0)
		return status;
	if (!vec_push(&t->watches, w)) {
		t->inner->does->watch_remove(t->inner, w->inner);
		return err_nomem(err);
	}
	begin_watch_line(w, "watch");
	add_text(r, "apiVersion", str_from(spec->api_version));
	add_text(r, "kind", str_from(spec->kind));
	add_text(r, "namespace", str_from(spec->namespace));
	add_text(r, "name", str_from(spec->name));
	end_line(r);
	*ret = (struct source_watch *)TAKE(w);
	return 0;
}

static void tee_watch_free(struct tee_watch *w)
{
	kc_key_store_done(&w->known);
	free(w);
}

static void watch_remove(struct watch_source *s, struct source_watch *watch)
{
	struct tee *t = tee_of(s);
	struct tee_watch *w = tee_watch_of(watch);

	if (!w)
		return;
	vec_remove(&t->watches, w);
	begin_watch_line(w, "unwatch");
	end_line(t->recorder);
	t->inner->does->watch_remove(t->inner, w->inner);
	tee_watch_free(w);
}

static const char *watch_resource(const struct watch_source *s, const struct source_watch *w)
{
	return tee_of(s)->inner->does->watch_resource(tee_of(s)->inner, tee_watch_of(w)->inner);
}

static const struct kc_watch_counters *watch_counters(const struct watch_source *s, const struct source_watch *w)
{
	return tee_of(s)->inner->does->watch_counters(tee_of(s)->inner, tee_watch_of(w)->inner);
}

/* ---- life ---- */

static void forget_tee(struct tee *t)
{
	vec_remove(&t->recorder->tees, t);
}

static void on_closed(void *ctx)
{
	struct tee *t = ctx;
	void (*closed)(void *) = t->closed;
	void *closed_ctx = t->closed_ctx;

	for (size_t i = 0; i < t->watches.n; i++)
		tee_watch_free(t->watches.p[i]);
	vec_done(&t->watches);
	free(t);
	if (closed)
		closed(closed_ctx);
}

static void close_source(struct watch_source *s, void (*closed)(void *ctx), void *ctx)
{
	struct tee *t = tee_of(s);

	forget_tee(t);
	t->closed = closed;
	t->closed_ctx = ctx;
	t->inner->does->close(t->inner, on_closed, t);
}

static int open_source(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err)
{
	struct recorder *r = ctx;
	CLEANUP(freep) struct tee *t = calloc(1, sizeof(*t));
	struct source_options inner = *o;
	int status;

	if (!t || !vec_push(&r->tees, t))
		return err_nomem(err);
	*t = (struct tee){ .recorder = r,
			   .cluster = (size_t)(o->config - r->o.cfg->clusters),
			   .was_up = -1,
			   .was_discovered = -1,
			   .notice = o->notice,
			   .discovered = o->discovered,
			   .ctx = o->ctx };
	inner.notice = on_notice;
	inner.discovered = on_discovered;
	inner.warn = NULL;
	inner.ctx = t;
	status = kube_source.open(kube_source.ctx, &inner, &t->inner, err);
	if (status < 0) {
		forget_tee(t);
		return status;
	}
	t->source = *t->inner;
	t->source.does = &t->does;
	t->does = *t->inner->does;
	t->does.watch_add = watch_add;
	t->does.watch_remove = watch_remove;
	t->does.watch_resource = watch_resource;
	t->does.watch_counters = watch_counters;
	t->does.close = close_source;
	*ret = &TAKE(t)->source;
	return 0;
}

int recorder_new(const struct recorder_options *o, struct recorder **ret, struct err *err)
{
	CLEANUP(freep) struct recorder *r = calloc(1, sizeof(*r));
	int status = r ? digester_init(&r->digester, err) : err_nomem(err);

	if (status < 0)
		return status;
	r->o = *o;
	r->line = BUF_INIT(RECORDING_LINE_MAX);
	r->maker = (struct source_maker){ .open = open_source, .ctx = r };
	write_header(r);
	if (r->error.code) {
		*err = r->error;
		buf_done(&r->line);
		return -err->code;
	}
	*ret = TAKE(r);
	return 0;
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	ASSERT(r->tees.n == 0);
	vec_done(&r->tees);
	explicit_bzero(&r->digester, sizeof(r->digester));
	buf_done(&r->line);
	free(r);
}

const struct source_maker *recorder_source(struct recorder *r)
{
	return &r->maker;
}

void recorder_tick(struct recorder *r)
{
	for (size_t i = 0; i < r->tees.n; i++)
		note_connection(r->tees.p[i]);
	if (clock_ns() - r->written_ns >= ALIVE_NS) {
		begin_line(r, "alive");
		end_line(r);
	}
}

void recorder_end(struct recorder *r)
{
	begin_line(r, "end");
	end_line(r);
	r->ended = true;
}

const struct err *recorder_error(const struct recorder *r)
{
	return r->error.code ? &r->error : NULL;
}

uint64_t recorder_lines(const struct recorder *r)
{
	return r->lines;
}
