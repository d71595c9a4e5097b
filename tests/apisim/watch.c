/* Feeding open watches. */
#include "watch.h"

#include "list.h"
#include "piece.h"
#include "route.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#define DEFAULT_TIMEOUT_MS ((uint64_t)1800 * 1000)
#define LOOK_EVERY_MS 250

enum ending { OPEN, CLOSING /* orderly */, BROKEN /* the connection is cut */ };

struct watch {
	struct sim *sim;
	struct MHD_Connection *conn;
	struct resource *res; /* a reference */
	char *path;
	char ns[256];
	char alt_head[336]; /* as in list.c */
	char gv[320];
	struct selector selector;
	rev_list initial; /* objects to send first */
	size_t initial_at;
	bool initial_mark;    /* say when the initial objects are through */
	uint64_t next;        /* number of the next event in the window */
	uint64_t floor_rv;    /* only events above it */
	VEC(char *) injected; /* lines to send as they are */
	size_t injected_at;
	bool truncate_next;
	bool bookmarks, bookmark_due;
	uint64_t bookmark_at_ms, deadline_ms, stalled_until_ms, look_at_ms;
	enum ending ending;
	bool reset; /* the broken end is a reset */
	bool suspended;
	struct piece piece;
};

const struct resource *watch_resource(const struct watch *w)
{
	return w->res;
}

const char *watch_namespace(const struct watch *w)
{
	return w->ns;
}

const char *watch_path(const struct watch *w)
{
	return w->path;
}

static void watch_free(void *cls)
{
	struct watch *w = cls;

	for (size_t i = 0; i < w->sim->watches.n; i++)
		if (w->sim->watches.p[i] == w)
			w->sim->watches.p[i--] = w->sim->watches.p[--w->sim->watches.n];
	for (size_t i = w->injected_at; i < w->injected.n; i++)
		free(w->injected.p[i]);
	vec_done(&w->injected);
	piece_done(&w->piece);
	rev_list_done(&w->initial);
	selector_done(&w->selector);
	resource_unref(w->res);
	free(w->path);
	free(w);
}

static void wake(struct watch *w)
{
	if (!w->suspended)
		return;
	w->suspended = false;
	MHD_resume_connection(w->conn);
}

void watches_wake(struct sim *sim, const struct resource *res)
{
	for (size_t i = 0; i < sim->watches.n; i++)
		if (!res || sim->watches.p[i]->res == res)
			wake(sim->watches.p[i]);
}

void watches_end(struct sim *sim)
{
	for (size_t i = 0; i < sim->watches.n; i++) {
		sim->watches.p[i]->ending = CLOSING;
		sim->watches.p[i]->stalled_until_ms = 0;
	}
	watches_wake(sim, NULL);
}

/* --- what comes next --- */

static bool matches(const struct watch *w, const struct rev *rev)
{
	return rev && (!*w->ns || str_eq(rev->ns, str_from(w->ns))) && selector_matches(&w->selector, rev);
}

/* @rev is taken. */
static void set_event(struct watch *w, enum event_type type, struct rev *rev)
{
	static const str heads[] = {
		[EVENT_ADDED] = STR("{\"type\":\"ADDED\",\"object\":"),
		[EVENT_MODIFIED] = STR("{\"type\":\"MODIFIED\",\"object\":"),
		[EVENT_DELETED] = STR("{\"type\":\"DELETED\",\"object\":"),
	};

	piece_add(&w->piece, heads[type]);
	piece_add(&w->piece, str_from(w->alt_head));
	piece_add(&w->piece, *w->alt_head ? str_sub(rev->text, rev->version_end, rev->text.n) : rev->text);
	piece_add(&w->piece, STR("}\n"));
	w->piece.hold = rev;
	w->sim->stats.events_sent++;
}

/* An object that leaves the selection is DELETED for this watcher: its last selected state at the event's version. */
static struct rev *leaving(const struct watch *w, const struct event *e)
{
	json_auto_t *obj = rev_parse(e->prev);
	struct rev *rev = obj ? rev_new(w->res, obj, e->rv) : NULL;

	return rev ? rev : rev_ref(e->prev);
}

/* True when the event is for this watcher; its piece is then set. */
static bool take_event(struct watch *w, const struct event *e)
{
	bool now = e->type != EVENT_DELETED && matches(w, e->cur), before = matches(w, e->prev);

	if (e->rv <= w->floor_rv || (!now && !before))
		return false;
	if (now)
		set_event(w, before ? EVENT_MODIFIED : EVENT_ADDED, rev_ref(e->cur));
	else
		set_event(w, EVENT_DELETED, e->type == EVENT_DELETED ? rev_ref(e->cur) : leaving(w, e));
	return true;
}

static void set_bookmark(struct watch *w, bool initial_end)
{
	struct buf b = BUF_INIT(4096);

	buf_printf(&b,
		   "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"%s\",\"apiVersion\":\"%s\",\"metadata\":"
		   "{\"resourceVersion\":\"%" PRIu64 "\",\"creationTimestamp\":null%s}}}\n",
		   w->res->kind, w->gv, w->sim->rv,
		   initial_end ? ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}" : "");
	w->piece.own = buf_steal(&b);
	if (!w->piece.own) {
		w->ending = BROKEN;
		return;
	}
	piece_add(&w->piece, str_from(w->piece.own));
	w->sim->stats.bookmarks_sent++;
}

static bool next_event(struct watch *w)
{
	struct table *t = &w->res->table;

	if (w->next < t->oldest) {
		w->ending = CLOSING;
		return false;
	}
	while (w->next < t->newest)
		if (take_event(w, table_event(t, w->next++)))
			return true;
	return false;
}

static bool next_injected(struct watch *w)
{
	if (w->injected_at == w->injected.n) {
		w->injected.n = w->injected_at = 0;
		return false;
	}
	w->piece.own = w->injected.p[w->injected_at++];
	piece_add(&w->piece, str_from(w->piece.own));
	return true;
}

/* Half of a line, then nothing. */
static void cut_line(struct watch *w)
{
	set_bookmark(w, false);
	if (w->piece.n)
		w->piece.slices[0].n /= 2;
	w->truncate_next = false;
	w->ending = BROKEN;
}

/* Sets w->piece to what is sent next; false when there is nothing (see w->ending). */
static bool next_piece(struct watch *w)
{
	uint64_t now;

	if (w->ending != OPEN)
		return false;
	now = now_ms();
	if (now < w->stalled_until_ms)
		return false;
	if (next_injected(w))
		return true;
	if (w->truncate_next) {
		cut_line(w);
		return true;
	}
	if (w->initial_at < w->initial.n) {
		set_event(w, EVENT_ADDED, w->initial.p[w->initial_at]);
		w->initial.p[w->initial_at++] = NULL;
		return true;
	}
	if (next_event(w))
		return true;
	if (w->ending != OPEN)
		return false;
	if (w->initial_mark || w->bookmark_due || (now >= w->deadline_ms && w->bookmarks)) {
		bool mark = w->initial_mark;

		set_bookmark(w, mark);
		w->initial_mark = w->bookmark_due = false;
		w->bookmark_at_ms = now + w->sim->opt.bookmark_ms;
		if (!mark && now >= w->deadline_ms)
			w->ending = CLOSING;
		return w->piece.n > 0;
	}
	if (now >= w->deadline_ms || w->res->gone)
		w->ending = CLOSING;
	return false;
}

static ssize_t watch_fill(void *cls, uint64_t pos, char *to, size_t max)
{
	struct watch *w = cls;
	size_t n = 0;

	(void)pos;
	while (n < max && (piece_pending(&w->piece) || next_piece(w)))
		n += piece_take(&w->piece, to + n, max - n);
	w->sim->stats.watch_bytes += n;
	if (n)
		return (ssize_t)n;
	if (w->ending == BROKEN) {
		if (!w->reset)
			body_cut(w->conn);
		return (ssize_t)MHD_CONTENT_READER_END_WITH_ERROR;
	}
	if (w->ending == CLOSING || w->sim->stopping)
		return (ssize_t)MHD_CONTENT_READER_END_OF_STREAM;
	w->suspended = true;
	MHD_suspend_connection(w->conn);
	return 0;
}

/* --- timers and actions --- */

/* libmicrohttpd does not look at suspended connections, so a client that left is found here. */
static bool peer_left(const struct watch *w)
{
	const union MHD_ConnectionInfo *info = MHD_get_connection_info(w->conn, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct pollfd fd = { .fd = info ? info->connect_fd : -1, .events = POLLRDHUP };

	return poll(&fd, 1, 0) > 0 && (fd.revents & (POLLRDHUP | POLLHUP | POLLERR));
}

static void watch_tick(struct watch *w, uint64_t now)
{
	if (w->suspended && now >= w->look_at_ms) {
		w->look_at_ms = now + LOOK_EVERY_MS;
		if (peer_left(w)) {
			w->ending = BROKEN;
			wake(w);
			return;
		}
	}
	if (now < w->stalled_until_ms)
		return;
	if (w->stalled_until_ms) {
		w->stalled_until_ms = 0;
		wake(w);
	}
	if (w->bookmarks && now >= w->bookmark_at_ms) {
		w->bookmark_due = true;
		w->bookmark_at_ms = now + w->sim->opt.bookmark_ms;
		wake(w);
	}
	if (now >= w->deadline_ms)
		wake(w);
}

void watches_tick(struct sim *sim, uint64_t now)
{
	for (size_t i = 0; i < sim->watches.n; i++)
		watch_tick(sim->watches.p[i], now);
}

static bool inject(struct watch *w, struct buf *line)
{
	char *text = buf_steal(line);

	if (text && vec_push(&w->injected, text))
		return true;
	free(text);
	return false;
}

static bool inject_huge(struct watch *w, size_t bytes)
{
	struct buf b = BUF_INIT(WATCH_HUGE_MAX + 4096);

	buf_printf(&b,
		   "{\"type\":\"MODIFIED\",\"object\":{\"apiVersion\":\"%s\",\"kind\":\"%s\",\"metadata\":{\"name\":"
		   "\"apisim-huge\",",
		   w->gv, w->res->kind);
	if (w->res->namespaced)
		buf_printf(&b, "\"namespace\":\"%s\",", *w->ns ? w->ns : "default");
	buf_printf(&b, "\"resourceVersion\":\"%" PRIu64 "\",\"annotations\":{\"apisim/padding\":\"", w->sim->rv);
	buf_fill(&b, 'x', bytes);
	buf_add_cstr(&b, "\"}}}}\n");
	return inject(w, &b);
}

static bool inject_expired(struct watch *w)
{
	struct buf b = BUF_INIT(4096);

	buf_printf(
		&b,
		"{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":"
		"\"Failure\",\"message\":\"too old resource version: 1 (%" PRIu64
		")\",\"reason\":\"Expired\",\"code\":410}}\n",
		w->sim->rv);
	return inject(w, &b);
}

static bool inject_line(struct watch *w, const char *text)
{
	struct buf b = BUF_INIT(WATCH_HUGE_MAX);

	buf_add_cstr(&b, text);
	buf_add_byte(&b, '\n');
	return inject(w, &b);
}

bool watch_act(struct watch *w, enum watch_action action, uint64_t amount, const char *text)
{
	bool ok = true;

	switch (action) {
	case WATCH_CLOSE:
		w->ending = CLOSING;
		w->stalled_until_ms = 0;
		break;
	case WATCH_TRUNCATE:
		w->truncate_next = true;
		break;
	case WATCH_GARBAGE:
		ok = inject_line(w, "{\"type\":\"MODIFIED\",\"object\":{\"kind\":<garbage>}");
		break;
	case WATCH_LINE:
		ok = inject_line(w, text);
		break;
	case WATCH_RESET:
		body_reset(w->conn);
		w->reset = true;
		w->ending = BROKEN;
		break;
	case WATCH_HUGE:
		ok = inject_huge(w, amount);
		break;
	case WATCH_ERROR:
		ok = inject_expired(w);
		break;
	case WATCH_STALL:
		w->stalled_until_ms = now_ms() + amount;
		return true;
	}
	wake(w);
	return ok;
}

/* --- the request --- */

struct start {
	uint64_t rv;     /* 0: none given */
	bool initial;    /* send the objects there are */
	bool watch_list; /* and say when they are through */
	bool no_mark;    /* or rather not, by a fault */
};

static bool has_fault(const struct request *req, enum fault_kind kind)
{
	return req->fault && req->fault->kind == kind;
}

static int read_start(const struct request *req, struct start *s, struct refusal *refusal)
{
	const char *initial = http_query(req, "sendInitialEvents"), *match = http_query(req, "resourceVersionMatch");
	const char *text = http_query(req, "resourceVersion");

	if (parse_version(text, &s->rv, refusal) < 0)
		return -1;
	if (has_fault(req, FAULT_PLAIN))
		return 0;
	s->no_mark = has_fault(req, FAULT_NO_MARK);
	if (initial && *initial && !req->sim->opt.watch_list)
		return refuse_invalid(
			refusal, req->res, NULL, "sendInitialEvents",
			"Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is "
			"enabled");
	if (initial && *initial && (!match || strcmp(match, "NotOlderThan") != 0))
		return refuse_invalid(
			refusal, req->res, NULL, "resourceVersionMatch",
			"Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
	if ((!initial || !*initial) && match && *match)
		return refuse_invalid(
			refusal, req->res, NULL, "resourceVersionMatch",
			"Forbidden: resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
			"provided");
	s->watch_list = http_query_true(req, "sendInitialEvents");
	s->initial = s->watch_list || (s->rv == 0 && (!initial || !*initial));
	if (s->watch_list && s->rv > req->sim->rv)
		return refuse_future(refusal, s->rv, req->sim->rv);
	return 0;
}

static struct watch *watch_new(struct request *req)
{
	struct watch *w = calloc(1, sizeof(*w));
	const char *seconds = http_query(req, "timeoutSeconds");
	uint64_t timeout_ms = DEFAULT_TIMEOUT_MS + random_u64() % DEFAULT_TIMEOUT_MS;
	uint64_t now = now_ms();

	if (!w)
		return NULL;
	if (seconds && strtoull(seconds, NULL, 10))
		timeout_ms = strtoull(seconds, NULL, 10) % UINT32_MAX * 1000;
	w->sim = req->sim;
	w->conn = req->conn;
	w->res = resource_ref(req->res);
	w->path = str_dup(str_from(req->path));
	(void)snprintf(w->ns, sizeof(w->ns), "%s", req->ns ? req->ns : "");
	group_version(req->res->group, req->version, w->gv, sizeof(w->gv));
	if (strcmp(w->gv, req->res->api_version) != 0)
		(void)snprintf(w->alt_head, sizeof(w->alt_head), "{\"apiVersion\":\"%s\"", w->gv);
	w->bookmarks = http_query_true(req, "allowWatchBookmarks");
	w->deadline_ms = now + timeout_ms;
	w->bookmark_at_ms = now + req->sim->opt.bookmark_ms;
	if (w->path)
		return w;
	watch_free(w);
	return NULL;
}

/* Where the stream begins. */
static int position(struct watch *w, const struct start *s, struct refusal *refusal)
{
	struct table *t = &w->res->table;
	struct list_query q = { .selector = &w->selector, .ns = str_from(w->ns), .rv = w->sim->rv };

	w->next = t->newest;
	if (s->initial) {
		w->initial_mark = s->watch_list && w->bookmarks && !s->no_mark;
		return list_collect(w->res, &q, &w->initial, NULL) < 0 ? refuse_nomem(refusal) : 0;
	}
	if (s->rv == 0)
		return 0;
	if (s->rv < t->window_rv)
		return refuse(refusal, 410, "Expired", "too old resource version: %" PRIu64 " (%" PRIu64 ")", s->rv,
			      t->window_rv);
	w->next = table_number_after(t, s->rv);
	w->floor_rv = s->rv;
	return 0;
}

/* The real server answers 200 and says it in the stream. */
static bool say_in_stream(struct watch *w, const struct refusal *refusal)
{
	json_auto_t *event = json_pack("{s:s, s:o}", "type", "ERROR", "object", refusal_json(refusal));
	char *text = event ? json_dumps(event, JSON_COMPACT) : NULL;
	struct buf b = BUF_INIT((size_t)1 << 20);

	if (!text)
		return false;
	buf_add_cstr(&b, text);
	buf_add_byte(&b, '\n');
	free(text);
	w->deadline_ms = 0;
	w->bookmarks = false;
	w->next = UINT64_MAX; /* no event follows */
	return inject(w, &b);
}

static enum MHD_Result send_watch(struct request *req, struct watch *w)
{
	struct MHD_Response *response;
	enum MHD_Result r;

	if (!vec_push(&req->sim->watches, w)) {
		watch_free(w);
		return MHD_NO;
	}
	response = body_response(req, MHD_SIZE_UNKNOWN, watch_fill, w, watch_free);
	if (!response) {
		watch_free(w);
		return MHD_NO;
	}
	MHD_add_response_header(response, "Content-Type", "application/json");
	MHD_add_response_header(response, "Cache-Control", "no-cache, private");
	req->sim->stats.watches_started++;
	r = MHD_queue_response(req->conn, 200, response);
	MHD_destroy_response(response);
	return r;
}

enum MHD_Result watch_serve(struct request *req)
{
	struct start start = { 0 };
	struct refusal refusal;
	struct watch *w;

	if (read_start(req, &start, &refusal) < 0)
		return http_refusal(req, &refusal);
	w = watch_new(req);
	if (!w)
		return MHD_NO;
	if (selector_parse(http_query(req, "labelSelector"), http_query(req, "fieldSelector"), &w->selector, &refusal) <
	    0) {
		watch_free(w);
		return http_refusal(req, &refusal);
	}
	if (position(w, &start, &refusal) == 0)
		return send_watch(req, w);
	if (refusal.code == 410 && !req->sim->expire_over_http && say_in_stream(w, &refusal))
		return send_watch(req, w);
	watch_free(w);
	return http_refusal(req, &refusal);
}
