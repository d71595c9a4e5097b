/* Sends watch requests, takes their answers line by line, and reports how they end. */
#include "kubeclient/kc_stream.h"

#include "base/assert.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

/* How long a watch may last beyond its timeoutSeconds, so that it can end by itself. */
#define DEADLINE_GRACE_MS 30000
/* A watch that ends at once without an event is a failure, or it would be asked for in a tight loop. */
#define SHORT_WATCH_MS 1000

static uint64_t now_ms(const struct kc_stream *s)
{
	return uv_now(s->http->loop.uv);
}

static bool has_events(const struct kc_stream *s)
{
	return s->report->counters.events != s->events_at_start;
}

static bool has_bookmarks(const struct kc_stream *s)
{
	return s->report->counters.bookmarks != s->bookmarks_at_start;
}

bool kc_stream_delivered(const struct kc_stream *s)
{
	return has_events(s) || has_bookmarks(s);
}

bool kc_stream_lacks_bookmark(const struct kc_stream *s, uint64_t now_ns)
{
	return s->between_marks_ns && now_ns - s->marked_ns > s->between_marks_ns + s->between_marks_ns / 20;
}

static void mark_start(struct kc_stream *s, uint64_t now_ns)
{
	s->bookmarks_at_start = s->report->counters.bookmarks;
	s->marked_ns = now_ns;
	s->between_marks_ns = 0;
}

static void mark(struct kc_stream *s, uint64_t now_ns)
{
	s->between_marks_ns = now_ns - s->marked_ns;
	s->marked_ns = now_ns;
}

static void end(struct kc_stream *s, enum kc_stream_end why, const struct kc_result *result)
{
	kc_stream_stop(s);
	s->ops->ended(s->ctx, why, result);
}

/* ---- lines ---- */

/* Whether @text is the beginning of something else than a stream, such as an error page of a proxy. */
static bool is_no_stream(const struct kc_stream *s, str text)
{
	text = str_trim(text);
	return !s->begun && text.n && text.p[0] != '{';
}

static void refuse_no_stream(struct kc_stream *s, str text, const struct kc_result *result)
{
	struct kc_result refused = *result;

	kc_result_no_json(result, foreign_bytes(text), false, &refused.err);
	(void)err_wrap(&refused.err, "watch of %.100s", s->report->what->shown);
	s->report->counters.bad_data++; /* no notice, because the error becomes the reason of a state */
	end(s, KC_STREAM_REFUSED, &refused);
}

/* Handle a bad line. Return true to go on: the rest of a list is still good. A watch has to end, because the version
 * after a lost event is no place to resume from. */
static bool bad_line(struct kc_stream *s, str line, struct err *err)
{
	struct kc_report *r = s->report;

	if (r->stopped)
		return false;
	if (is_no_stream(s, line)) {
		refuse_no_stream(s, line, &(struct kc_result){ .status = 200 });
		return false;
	}
	(void)err_wrap(err, "watch of %.100s", r->what->shown);
	kc_report_bad_data(r, err);
	if (r->stopped)
		return false;
	if (!s->initial) {
		end(s, KC_STREAM_BAD, &(struct kc_result){ .err = *err });
		return false;
	}
	r->incomplete = true;
	return true;
}

/* Handle a line that is too long. If its beginning names the object, that one is known; otherwise nothing is. Return
 * true to go on. */
static bool handle_cut(struct kc_stream *s, str line, uint64_t received_ns)
{
	struct kc_report *r = s->report;
	unsigned n_stops = s->n_stops;
	char message[128];

	r->counters.oversized++;
	if (!kc_report_cut_line(r, line, s->initial, received_ns) && !r->stopped) {
		r->incomplete |= s->initial;
		(void)snprintf(message, sizeof(message), "a watch event above the limit of %zu bytes was skipped",
			       s->frame.max);
		kc_report_notice(r, KC_NOTICE_OVERSIZED, message);
	}
	return s->n_stops == n_stops;
}

/* Handle a line. Return true to go on with the next one. @look NULL: no thread has processed the line. */
static bool handle_line(struct kc_stream *s, str line, const struct kc_look *look, uint64_t received_ns)
{
	unsigned n_stops = s->n_stops;
	uint64_t bookmarks = s->report->counters.bookmarks;
	struct kc_result status = { 0 };
	struct err err = { 0 };

	switch (kc_report_line(s->report, line, s->initial, look, received_ns, &status, &err)) {
	case KC_LINE_GOOD:
		s->begun = true;
		if (s->report->counters.bookmarks != bookmarks)
			mark(s, received_ns);
		s->ops->progress(s->ctx);
		break;
	case KC_LINE_LISTED:
		s->begun = true;
		s->initial = false;
		mark_start(s, received_ns);
		kc_ahead_rest(&s->ahead);
		s->ops->listed(s->ctx);
		break;
	case KC_LINE_ERROR:
		end(s, KC_STREAM_REFUSED, &status);
		return false;
	case KC_LINE_BAD:
		return bad_line(s, line, &err);
	}
	return s->n_stops == n_stops;
}

/* End a stream whose server treats a streaming list as a plain watch of objects that change all the time. Bookmarks
 * show such a server early: the first bookmark of a streaming list is its end. */
static void check_initial(struct kc_stream *s)
{
	const struct kc_tuning *t = s->http->tuning;
	bool plain = has_bookmarks(s);
	struct kc_result none = { .status = 200 };

	if (!s->initial || now_ms(s) - s->started_ms < (plain ? t->initial_silence_ms : t->initial_ms))
		return;
	(void)err_set(&none.err, EPROTO, "watch of %.100s: no end of the initial events", s->report->what->shown);
	end(s, KC_STREAM_REFUSED, &none);
}

/* ---- what threads process ---- */

static bool handle_batch(struct kc_stream *s, struct kc_batch *taken)
{
	CLEANUP(kc_batch_freep) struct kc_batch *b = taken;
	const struct kc_batch_line *line;

	while ((line = kc_batch_next(b))) {
		if (!handle_line(s, line->text, line->looked_at ? &line->look : NULL, line->received_ns))
			return false;
	}
	return true;
}

/* Report the batches that were processed; with @wait all of them. Return true to go on. */
static bool handle_ahead(struct kc_stream *s, bool wait)
{
	struct kc_batch *b;

	while ((b = kc_ahead_take(&s->ahead, wait))) {
		if (!handle_batch(s, b))
			return false;
	}
	return true;
}

static void on_looked_at(void *ctx)
{
	struct kc_stream *s = ctx;

	if (handle_ahead(s, false) && s->req)
		check_initial(s);
}

/* ---- the request ---- */

static int on_write(void *ctx, const char *p, size_t n, struct err *err)
{
	struct kc_stream *s = ctx;

	return kc_frame_add(&s->frame, p, n, err);
}

static void on_ready(void *ctx)
{
	struct kc_stream *s = ctx;
	uint64_t received_ns = uv_hrtime();
	str line;

	s->report->counters.last_heard_ns = received_ns;
	s->answered = true;
	s->ops->heard(s->ctx);
	while (s->req && kc_frame_next(&s->frame, &line)) {
		bool is_cut = s->frame.is_cut;

		if (s->initial && !is_cut && kc_ahead_full(&s->ahead) &&
		    !handle_batch(s, kc_ahead_take(&s->ahead, true)))
			return;
		if (s->initial && !is_cut && kc_ahead_add(&s->ahead, line, received_ns))
			continue;
		/* a line that no thread processes is reported after those that threads process */
		if (!handle_ahead(s, true) ||
		    !(is_cut ? handle_cut(s, line, received_ns) : handle_line(s, line, NULL, received_ns)))
			return;
	}
	kc_ahead_go(&s->ahead);
	if (handle_ahead(s, false) && s->req)
		check_initial(s);
}

static void early_end(const struct kc_stream *s, str rest, struct err *err)
{
	const char *shown = s->report->what->shown;

	if (!s->initial)
		(void)err_set(err, ECONNRESET, "watch of %.100s: ended at once", shown);
	else if (rest.n)
		(void)err_set(err, ECONNRESET,
			      "watch of %.100s: ended in the middle of an initial event, after %zu bytes of it", shown,
			      rest.n);
	else
		(void)err_set(err, ECONNRESET, "watch of %.100s: ended before the end of the initial events", shown);
}

static void on_done(void *ctx, const struct kc_result *result)
{
	struct kc_stream *s = ctx;
	struct kc_result early = *result;
	str rest = kc_frame_rest(&s->frame);
	bool events;

	s->req = NULL;
	if (!handle_ahead(s, true))
		return;
	events = has_events(s);
	if (result->err.code) {
		end(s, KC_STREAM_REFUSED, result);
		return;
	}
	if (is_no_stream(s, rest)) {
		refuse_no_stream(s, rest, result);
		return;
	}
	if (!s->initial && (events || now_ms(s) - s->started_ms >= SHORT_WATCH_MS)) {
		end(s, KC_STREAM_CLOSED, result);
		return;
	}
	early.status = 0;
	early_end(s, rest, &early.err);
	end(s, KC_STREAM_REFUSED, &early);
}

static const struct kc_req_ops ops = { .write = on_write, .ready = on_ready, .done = on_done };

/* Add a random timeout: not all watches of a client may end in the same moment. */
static void add_timeout(struct kc_stream *s, struct buf *path)
{
	const struct kc_tuning *t = s->http->tuning;
	uint64_t seconds = t->watch_min_s + kc_random() % (t->watch_max_s - t->watch_min_s + 1);

	kc_url_number(path, "timeoutSeconds", seconds);
	s->deadline_ms = now_ms(s) + seconds * 1000 + DEADLINE_GRACE_MS;
}

static void add_query(struct kc_stream *s, struct buf *path)
{
	kc_url_query(path, "watch", STR("1"));
	if (s->initial) {
		kc_url_query(path, "sendInitialEvents", STR("true"));
		kc_url_query(path, "resourceVersionMatch", STR("NotOlderThan"));
	}
	kc_url_query(path, "allowWatchBookmarks", STR("true"));
	if (!s->initial)
		kc_url_query(path, "resourceVersion", str_from(s->report->version));
	add_timeout(s, path);
	kc_collection_selectors(s->report->what, path);
}

int kc_stream_begin(struct kc_stream *s, bool initial, bool fresh, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(KC_URL_MAX * 4);
	struct kc_ask get = { .verb = KC_WATCH, .fresh = fresh, .lists = initial };

	ASSERT(!s->req && !s->ahead.n && (initial || s->report->version));
	if (initial)
		kc_report_begin(s->report);
	s->initial = initial;
	s->answered = s->begun = false;
	kc_frame_reset(&s->frame);
	s->started_ms = now_ms(s);
	s->events_at_start = s->report->counters.events;
	s->report->counters.last_heard_ns = uv_hrtime();
	mark_start(s, s->report->counters.last_heard_ns);
	kc_collection_path(s->report->what, &path);
	add_query(s, &path);
	if (buf_error(&path, "URL", err) < 0)
		return -err->code;
	get.path = path.p;
	return kc_http_ask(s->http, &get, &ops, s, &s->req, err);
}

/* Stop the stream. The frame keeps its bytes, because a callback may be using a line of it. A batch that was taken
 * keeps its bytes too. */
void kc_stream_stop(struct kc_stream *s)
{
	s->n_stops++;
	kc_ahead_drop(&s->ahead);
	kc_req_cancel(TAKE(s->req));
}

void kc_stream_init(struct kc_stream *s)
{
	kc_frame_init(&s->frame, s->report->limits->object_bytes);
	kc_ahead_init(&s->ahead, s->http->loop.uv, s->report);
	s->ahead.ready = on_looked_at;
	s->ahead.ctx = s;
}

void kc_stream_done(struct kc_stream *s)
{
	kc_stream_stop(s);
	kc_frame_done(&s->frame);
}
