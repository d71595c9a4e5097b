#include "kubeclient/kc_reflector.h"

#include <errno.h>
#include <stdio.h>

/* A server that does not know streaming lists answers with a plain watch: silence for this long means there will be no
 * end mark. */
#define INITIAL_SILENCE_MS 10000
/* Past its timeoutSeconds a watch gets this long to end by itself. */
#define DEADLINE_GRACE_MS 30000
/* A watch that ends at once without an event is a failure, or it would be asked for in a tight loop. */
#define SHORT_WATCH_MS 1000
/* The same version unreadable this often: a new list is the only way around. */
#define BAD_LINES_MAX 3
/* "Too large resource version": the server lost writes (a restored backup) and will not catch up. */
#define TOO_NEW_MAX 5

static void begin_list(struct kc_watch *w, enum kc_list_reason reason);
static void list_request(struct kc_watch *w);
static void begin_watch(struct kc_watch *w);
static void resume(struct kc_watch *w);

static uint64_t now_ms(const struct kc_watch *w)
{
	return uv_now(w->client->loop);
}

static void set_state(struct kc_watch *w, enum kc_state state, const struct err *why)
{
	int code = why ? why->code : 0;

	if (w->state == state && w->state_code == code)
		return;
	w->state = state;
	w->state_code = code;
	if (!w->removed && w->handler.state)
		w->handler.state(w->ctx, state, why);
}

static void on_uv_timer(uv_timer_t *t)
{
	struct kc_watch *w = t->data;

	if (!w->removed)
		w->on_timer(w);
}

static void arm(struct kc_watch *w, uint64_t ms, void (*fn)(struct kc_watch *w))
{
	if (w->removed)
		return;
	w->on_timer = fn;
	uv_timer_start(&w->timer, on_uv_timer, ms, 0);
}

static void drop_request(struct kc_watch *w)
{
	kc_req_cancel(w->req);
	w->req = NULL;
	buf_done(&w->body);
	w->body = BUF_INIT(w->client->tuning.response_bytes);
	kc_frame_reset(&w->frame);
}

static void forget_version(struct kc_watch *w)
{
	free(w->version);
	w->version = NULL;
}

static void forget_continue(struct kc_watch *w)
{
	free(w->continue_token);
	w->continue_token = NULL;
}

/* Every failure comes here: report it, wait, resume. */
static void retry(struct kc_watch *w, const struct err *why, uint64_t min_ms)
{
	struct err copy = *why;
	uint64_t wait = kc_backoff_next(&w->backoff, now_ms(w), kc_random());

	w->phase = KC_PHASE_IDLE;
	forget_continue(w);
	if (w->once) {
		w->once(w, &copy);
		return;
	}
	arm(w, wait > min_ms ? wait : min_ms, resume);
	if (copy.code == ENOENT) {
		kc_client_rediscover(w->client);
		set_state(w, KC_MISSING, &copy);
	} else if (copy.code == EACCES || copy.code == ENOKEY) {
		set_state(w, KC_FORBIDDEN, &copy);
	} else {
		set_state(w, KC_BACKOFF, &copy);
	}
}

void kc_watch_hurry(struct kc_watch *w)
{
	if (!w->removed && w->state == KC_BACKOFF && uv_is_active((uv_handle_t *)&w->timer))
		arm(w, kc_random() % w->client->tuning.backoff_first_ms, w->on_timer);
}

static void relist(struct kc_watch *w, enum kc_list_reason reason)
{
	forget_version(w);
	begin_list(w, reason);
}

/* ---- requests ---- */

static void add_selectors(const struct kc_watch *w, struct buf *path)
{
	kc_url_query(path, "labelSelector", str_from(w->label_selector));
	kc_url_query(path, "fieldSelector", str_from(w->field_selector));
}

static void add_number(struct buf *path, const char *name, uint64_t n)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)n);
	kc_url_query(path, name, str_from(text));
}

/* All watches of a client must not end in the same moment. */
static void add_timeout(struct kc_watch *w, struct buf *path)
{
	const struct kc_tuning *t = &w->client->tuning;
	uint64_t seconds = t->watch_min_s + kc_random() % (t->watch_max_s - t->watch_min_s + 1);

	add_number(path, "timeoutSeconds", seconds);
	w->deadline_ms = now_ms(w) + seconds * 1000 + DEADLINE_GRACE_MS;
}

static const struct kc_req_ops watch_ops, page_ops;

static void send_get(struct kc_watch *w, enum kc_verb verb, struct buf *path, const struct kc_req_ops *ops)
{
	struct kc_get get = { .verb = verb, .path = path->p, .fresh = w->fresh };
	struct err err;
	int r = buf_error(path, "URL", &err);

	drop_request(w);
	w->fresh = false;
	w->started_ms = now_ms(w);
	w->counters.last_heard_ns = uv_hrtime();
	w->events_at_start = w->counters.events;
	if (r == 0)
		r = kc_http_get(&w->client->http, &get, ops, w, &w->req, &err);
	if (r < 0)
		retry(w, &err, 0);
}

static void check_initial(struct kc_watch *w);
static void check_watch(struct kc_watch *w);

static void list_request(struct kc_watch *w)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);
	const struct kc_tuning *t = &w->client->tuning;

	kc_url_collection(&path, &w->resource, w->namespace);
	if (w->resource.can_watch && !t->no_watch_list && !w->client->no_watch_list && !w->no_watch_list && !w->once) {
		kc_url_query(&path, "watch", STR("1"));
		kc_url_query(&path, "sendInitialEvents", STR("true"));
		kc_url_query(&path, "resourceVersionMatch", STR("NotOlderThan"));
		kc_url_query(&path, "allowWatchBookmarks", STR("true"));
		add_timeout(w, &path);
		add_selectors(w, &path);
		w->phase = KC_PHASE_INITIAL;
		arm(w, INITIAL_SILENCE_MS, check_initial);
		send_get(w, KC_WATCH, &path, &watch_ops);
		return;
	}
	if (w->page)
		add_number(&path, "limit", w->page);
	kc_url_query(&path, "continue", str_from(w->continue_token));
	add_selectors(w, &path);
	w->phase = KC_PHASE_PAGES;
	uv_timer_stop(&w->timer);
	send_get(w, KC_LIST, &path, &page_ops);
}

static void begin_list(struct kc_watch *w, enum kc_list_reason reason)
{
	w->list_reason = reason;
	w->store.round++;
	w->incomplete = false;
	w->page = w->client->tuning.page;
	w->expired_pages = 0;
	forget_continue(w);
	set_state(w, KC_LISTING, NULL);
	if (!w->removed)
		list_request(w);
}

static void begin_watch(struct kc_watch *w)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);
	const struct kc_tuning *t = &w->client->tuning;

	kc_url_collection(&path, &w->resource, w->namespace);
	kc_url_query(&path, "watch", STR("1"));
	kc_url_query(&path, "allowWatchBookmarks", STR("true"));
	kc_url_query(&path, "resourceVersion", str_from(w->version));
	add_timeout(w, &path);
	add_selectors(w, &path);
	w->phase = KC_PHASE_WATCH;
	arm(w, t->idle_ms, check_watch);
	send_get(w, KC_WATCH, &path, &watch_ops);
}

static void resume(struct kc_watch *w)
{
	if (kc_watch_unknown(w))
		kc_watch_discovered(w);
	else if (w->version)
		begin_watch(w);
	else
		begin_list(w, w->list_reason);
}

/* ---- silence ---- */

static void restart(struct kc_watch *w, enum kc_restart_reason reason)
{
	w->counters.restarts[reason]++;
	w->fresh = reason == KC_RESTART_IDLE;
	begin_watch(w);
}

static uint64_t silent_ms(const struct kc_watch *w)
{
	return (uv_hrtime() - w->counters.last_heard_ns) / 1000000;
}

static void check_initial(struct kc_watch *w)
{
	uint64_t silent = silent_ms(w);

	if (silent < INITIAL_SILENCE_MS) {
		arm(w, INITIAL_SILENCE_MS - silent + 1, check_initial);
		return;
	}
	w->no_watch_list = true;
	w->store.round++;
	w->incomplete = false;
	list_request(w);
}

static void check_watch(struct kc_watch *w)
{
	uint64_t silent = silent_ms(w), idle = w->client->tuning.idle_ms;

	if (silent >= idle)
		restart(w, KC_RESTART_IDLE);
	else if (now_ms(w) >= w->deadline_ms)
		restart(w, KC_RESTART_TIMEOUT);
	else
		arm(w, idle - silent + 1, check_watch);
}

/* ---- the end of a list ---- */

static void finish_list(struct kc_watch *w)
{
	struct err err = { 0 };
	int r = 0;

	if (!w->incomplete)
		r = kc_report_absent(w, false, &err);
	if (w->removed)
		return;
	if (r < 0) {
		forget_version(w);
		drop_request(w);
		retry(w, &err, 0);
		return;
	}
	w->synced = true;
	w->counters.relists[w->list_reason]++;
	w->counters.last_sync_ns = uv_hrtime();
	w->bad_lines = w->too_new = 0;
	if (w->handler.synced)
		w->handler.synced(w->ctx, w->list_reason, w->store.known.n);
}

/* ---- pages ---- */

static int page_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_watch *w = ctx;

	buf_add(&w->body, p, n);
	return buf_error(&w->body, "page of a list", err);
}

static void page_failed(struct kc_watch *w, const struct kc_result *result)
{
	if (result->err.code == ESTALE && w->continue_token) {
		/* The list took longer than the server keeps history: from the start, the second time in one piece. */
		forget_continue(w);
		w->store.round++;
		w->incomplete = false;
		if (++w->expired_pages > 1)
			w->page = 0;
		list_request(w);
		return;
	}
	if (result->err.code == E2BIG && w->page > 1) {
		w->page /= 2;
		list_request(w);
		return;
	}
	retry(w, &result->err, result->retry_after_ms);
}

static void page_done(void *ctx, const struct kc_result *result)
{
	struct kc_watch *w = ctx;
	struct err err = { 0 };
	char *version = NULL, *next = NULL;
	int r;

	w->req = NULL;
	w->counters.last_heard_ns = uv_hrtime();
	if (result->err.code) {
		page_failed(w, result);
		return;
	}
	r = kc_report_page(w, buf_str(&w->body), w->counters.last_heard_ns, &version, &next, &err);
	if (w->removed) {
		free(version);
		free(next);
		return;
	}
	drop_request(w);
	if (r < 0) {
		int wrapped UNUSED = err_wrap(&err, "list of %.100s", w->shown);

		w->counters.bad_data++;
		kc_watch_notice(w, KC_NOTICE_BAD_DATA, err.msg);
		if (!w->removed)
			retry(w, &err, 0);
		return;
	}
	forget_continue(w);
	if (next) {
		free(version);
		w->continue_token = next;
		list_request(w);
		return;
	}
	forget_version(w);
	w->version = version;
	finish_list(w);
	if (w->removed || !w->version)
		return;
	if (w->once) {
		w->once(w, &(struct err){ 0 });
		return;
	}
	begin_watch(w);
}

static const struct kc_req_ops page_ops = { .write = page_write, .done = page_done };

/* ---- watches ---- */

static int watch_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_watch *w = ctx;

	return kc_frame_add(&w->frame, p, n, err);
}

/* What the server says instead of, or within, a watch. */
static void watch_refused(struct kc_watch *w, const struct kc_result *result)
{
	bool initial = w->phase == KC_PHASE_INITIAL;
	int code = result->err.code;

	if (initial && (code == EINVAL || code == EPROTO) && result->status) {
		w->no_watch_list = true; /* quietly: it is an offer of newer servers */
		w->client->no_watch_list |= code == EINVAL;
		w->store.round++;
		w->incomplete = false;
		list_request(w);
		return;
	}
	if (!initial && (code == ESTALE || (result->too_new && ++w->too_new >= TOO_NEW_MAX))) {
		w->too_new = 0;
		relist(w, KC_LIST_EXPIRED);
		return;
	}
	if (!initial && code == EINVAL && result->status)
		forget_version(w); /* the version is what the request was refused for, as far as we can know */
	if (!initial)
		w->counters.restarts[KC_RESTART_ERROR]++;
	retry(w, &result->err, result->retry_after_ms);
}

static void bad_line(struct kc_watch *w, struct err *err)
{
	bool initial = w->phase == KC_PHASE_INITIAL;
	int r UNUSED = err_wrap(err, "watch of %.100s", w->shown);

	w->counters.bad_data++;
	kc_watch_notice(w, KC_NOTICE_BAD_DATA, err->msg);
	if (w->removed)
		return;
	if (initial) {
		w->incomplete = true; /* the rest of the list is still good */
		return;
	}
	drop_request(w);
	w->counters.restarts[KC_RESTART_BAD_DATA]++;
	if (++w->bad_lines >= BAD_LINES_MAX) {
		w->bad_lines = 0;
		forget_version(w);
		w->list_reason = KC_LIST_BAD_DATA;
	}
	retry(w, err, 0);
}

static void note_oversized(struct kc_watch *w)
{
	char message[128];

	if (w->frame.oversized == w->oversized_seen)
		return;
	w->counters.oversized += w->frame.oversized - w->oversized_seen;
	w->oversized_seen = w->frame.oversized;
	if (w->phase == KC_PHASE_INITIAL)
		w->incomplete = true;
	snprintf(message, sizeof(message), "a watch event above the limit of %zu bytes was skipped", w->frame.max);
	kc_watch_notice(w, KC_NOTICE_OVERSIZED, message);
}

/* The stream goes on as a watch. */
static void initial_done(struct kc_watch *w)
{
	if (w->phase != KC_PHASE_INITIAL)
		return;
	w->phase = KC_PHASE_WATCH;
	arm(w, w->client->tuning.idle_ms, check_watch);
	finish_list(w);
	if (!w->removed && w->req)
		set_state(w, KC_WATCHING, NULL);
}

/* True to go on with the next line. */
static bool handle_line(struct kc_watch *w, str line, uint64_t received_ns)
{
	struct kc_result status = { 0 };
	struct kc_req *req = w->req;
	struct err err = { 0 };

	switch (kc_report_line(w, line, received_ns, &status, &err)) {
	case KC_LINE_EVENT:
	case KC_LINE_BOOKMARK:
		w->bad_lines = w->too_new = 0;
		break;
	case KC_LINE_SYNCED:
		initial_done(w);
		break;
	case KC_LINE_ERROR:
		drop_request(w);
		watch_refused(w, &status);
		return false;
	case KC_LINE_BAD:
		if (!w->removed)
			bad_line(w, &err);
		break;
	}
	return !w->removed && w->req == req;
}

static void watch_ready(void *ctx)
{
	struct kc_watch *w = ctx;
	uint64_t received_ns = uv_hrtime();
	str line;

	w->counters.last_heard_ns = received_ns;
	if (w->phase == KC_PHASE_WATCH)
		set_state(w, KC_WATCHING, NULL);
	while (!w->removed && w->req && kc_frame_next(&w->frame, &line)) {
		note_oversized(w);
		if (w->removed || !handle_line(w, line, received_ns))
			return;
	}
	if (!w->removed)
		note_oversized(w);
}

static void watch_done(void *ctx, const struct kc_result *result)
{
	struct kc_watch *w = ctx;
	bool initial = w->phase == KC_PHASE_INITIAL;
	struct kc_result early = *result;
	int r UNUSED;

	w->req = NULL;
	if (result->err.code) {
		watch_refused(w, result);
		return;
	}
	if (!initial && (now_ms(w) - w->started_ms >= SHORT_WATCH_MS || w->counters.events != w->events_at_start)) {
		restart(w, KC_RESTART_TIMEOUT);
		return;
	}
	early.status = 0;
	r = err_set(&early.err, ECONNRESET, "watch of %s: ended at once%s", w->shown,
		    initial ? ", before the end of the initial events" : "");
	watch_refused(w, &early);
}

static const struct kc_req_ops watch_ops = { .write = watch_write, .ready = watch_ready, .done = watch_done };

/* ---- discovery ---- */

static void free_resource(struct kc_resource *r)
{
	free((char *)r->group);
	free((char *)r->version);
	free((char *)r->kind);
	free((char *)r->plural);
	*r = (struct kc_resource){ 0 };
}

static bool take_resource(struct kc_watch *w, const struct kc_resource *from)
{
	struct kc_resource r = *from;
	char *shown = NULL;

	r.group = strdup(from->group);
	r.version = strdup(from->version);
	r.kind = strdup(from->kind);
	r.plural = strdup(from->plural);
	if (asprintf(&shown, "%s%s%s", from->plural, *from->group ? "." : "", from->group) < 0)
		shown = NULL;
	if (!r.group || !r.version || !r.kind || !r.plural || !shown) {
		free_resource(&r);
		free(shown);
		return false;
	}
	free_resource(&w->resource);
	free(w->shown);
	w->resource = r;
	w->shown = shown;
	return true;
}

/* The kind is gone from the server, and with it its objects. */
static void vanished(struct kc_watch *w)
{
	struct err err;

	drop_request(w);
	uv_timer_stop(&w->timer);
	w->phase = KC_PHASE_IDLE;
	free_resource(&w->resource);
	forget_version(w);
	w->list_reason = KC_LIST_START;
	if (kc_report_absent(w, true, &err) < 0)
		return;
	int r UNUSED = err_set(&err, ENOENT, "the server does not know kind %s of %s", w->kind, w->api_version);
	set_state(w, KC_MISSING, &err);
}

void kc_watch_discovered(struct kc_watch *w)
{
	struct kc_discovery *d = &w->client->discovery;
	const struct kc_resource *r = kc_resources_find(d->known, str_from(w->api_version), str_from(w->kind));
	struct err err;

	if (w->removed || !d->known)
		return;
	if (r && kc_watch_unknown(w)) {
		if (take_resource(w, r))
			resume(w);
		return;
	}
	if (r || (!kc_watch_unknown(w) && (d->partial || w->state != KC_MISSING)))
		return;
	if (!kc_watch_unknown(w)) {
		vanished(w);
		return;
	}
	int code UNUSED = err_set(&err, ENOENT, "the server does not know kind %s of %s", w->kind, w->api_version);
	if (w->once)
		w->once(w, &err);
	else
		set_state(w, KC_MISSING, &err);
}

void kc_watch_undiscovered(struct kc_watch *w, const struct err *err)
{
	if (!w->removed && w->once && kc_watch_unknown(w))
		w->once(w, err);
}

/* ---- life ---- */

static void watch_free(struct kc_watch *w)
{
	kc_store_done(&w->store);
	kc_frame_done(&w->frame);
	buf_done(&w->body);
	free_resource(&w->resource);
	free(w->api_version);
	free(w->kind);
	free(w->namespace);
	free(w->label_selector);
	free(w->field_selector);
	free(w->shown);
	free(w->version);
	free(w->continue_token);
	free(w);
}

static bool copy_text(char **ret, const char *text)
{
	if (!text || !*text)
		return true;
	*ret = strdup(text);
	return *ret != NULL;
}

static bool copy_spec(struct kc_watch *w, const struct kc_watch_spec *spec)
{
	struct kc_group_version gv = kc_group_version(str_from(spec->api_version));
	bool has_field = spec->field_selector && *spec->field_selector;

	if (asprintf(&w->shown, "%s%s%.*s", spec->kind, gv.group.n ? "." : "", STR_ARG(gv.group)) < 0) {
		w->shown = NULL;
		return false;
	}
	if (spec->name && *spec->name) {
		if (asprintf(&w->field_selector, "metadata.name=%s%s%s", spec->name, has_field ? "," : "",
			     has_field ? spec->field_selector : "") < 0) {
			w->field_selector = NULL;
			return false;
		}
	} else if (!copy_text(&w->field_selector, spec->field_selector)) {
		return false;
	}
	return copy_text(&w->api_version, spec->api_version) && copy_text(&w->kind, spec->kind) &&
	       copy_text(&w->namespace, spec->namespace) && copy_text(&w->label_selector, spec->label_selector);
}

static void on_first_turn(struct kc_watch *w)
{
	if (!w->patient)
		kc_watch_discovered(w);
	w->patient = false;
}

int kc_watch_new(struct kc_client *c, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		 struct kc_watch **ret, struct err *err)
{
	const struct kc_tuning *t = &c->tuning;
	struct kc_watch *w;

	if (!spec->api_version || !*spec->api_version || !spec->kind || !*spec->kind)
		return err_set(err, EINVAL, "watch: apiVersion and kind are required");
	w = calloc(1, sizeof(*w));
	if (!w)
		return err_nomem(err);
	w->client = c;
	w->handler = *h;
	w->ctx = ctx;
	w->state = KC_WAITING;
	w->body = BUF_INIT(t->response_bytes);
	w->backoff = (struct kc_backoff){ .first_ms = t->backoff_first_ms,
					  .max_ms = t->backoff_max_ms,
					  .reset_ms = t->backoff_reset_ms };
	kc_store_init(&w->store);
	kc_frame_init(&w->frame, c->limits.object_bytes);
	if (!copy_spec(w, spec)) {
		watch_free(w);
		return err_nomem(err);
	}
	uv_timer_init(c->loop, &w->timer);
	w->timer.data = w;
	c->n_open++;
	TAILQ_INSERT_TAIL(&c->watches, w, link);
	arm(w, 0, on_first_turn);
	*ret = w;
	return 0;
}

static void on_timer_closed(uv_handle_t *h)
{
	struct kc_watch *w = h->data;
	struct kc_client *c = w->client;

	watch_free(w);
	kc_client_release(c);
}

void kc_watch_remove(struct kc_watch *w)
{
	if (!w || w->removed)
		return;
	w->removed = true;
	kc_req_cancel(w->req);
	w->req = NULL;
	TAILQ_REMOVE(&w->client->watches, w, link);
	uv_close((uv_handle_t *)&w->timer, on_timer_closed);
}

enum kc_state kc_watch_state(const struct kc_watch *w)
{
	return w->state;
}

bool kc_watch_synced(const struct kc_watch *w)
{
	return w->synced;
}

size_t kc_watch_count(const struct kc_watch *w)
{
	return w->store.known.n;
}

const char *kc_watch_resource(const struct kc_watch *w)
{
	return w->shown;
}

const struct kc_watch_counters *kc_watch_counters(const struct kc_watch *w)
{
	return &w->counters;
}
