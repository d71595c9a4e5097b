/* The rounds of a watch.
 *
 *        +-----------+            once: no such kind             +--------+
 *   +--> |  UNKNOWN  | ----------------------------------------> |  DONE  |
 *   |    +-----------+                                           +--------+
 *   |          | kind found                                           ^
 *   |          v                                                      | once: listed, or failed
 *   |    +-- a list --------------------------------------------------|------+
 *   |    |  +-----------+     not offered, or no end mark       +-----------+ |
 *   |    |  |  INITIAL  | ------------------------------------> |   PAGES   | |
 *   |    |  +-----------+                                       +-----------+ |
 *   |    +--------------------------------------------------------------------+
 *   |       |  end mark,   ^  version              | failure       ^  time is up,
 *   |       v  last page   |  expired              v               |  no version
 *   |    +------------------+   failure, unreadable line   +-----------+
 *   |    |                  | ---------------------------> |           |
 *   |    |      WATCH       |                              |   WAIT    |
 *   |    |                  | <--------------------------- |           |
 *   |    +------------------+    time is up, a version     +-----------+
 *   |             |     ^                                        |
 *   |             +-----+  closed, overdue; silent: tested       |
 *   |                                                            v
 *   +------------------------------------------------------------+  404, and discovery lacks the kind
 *
 * An arrow to "a list" goes to INITIAL where the server streams lists and to PAGES where not; one from it leaves
 * either. From everywhere an arrow that is not drawn leads to REMOVED, the end.
 *
 * A round is one stay in INITIAL, PAGES or WATCH. go_on begins each of them; whether it lists or watches depends on one
 * thing only: is there a version to watch from? One that has stalled, where watches come to nothing, is forgotten.
 *
 * WATCH claims nothing by itself: what proves that the watch works, and when it is tested, is kc_evidence.h's. */
#include "kubeclient/kc_reflector.h"

#include "base/assert.h"
#include "base/number.h"

#include <errno.h>

/* How often a line may be unreadable without progress before the reflector lists again, because a new list is the only
 * way around it. */
#define BAD_LINES_MAX 3
/* How many resumed watches in a row may bring nothing (no event, no bookmark, no newer version) before the reflector
 * lists again: the server may have no way on from that version. */
#define FRUITLESS_MAX 3
/* "Too large resource version": the server lost writes (a restored backup) and will not catch up. */
#define TOO_NEW_MAX 5

/* An answer that goes on this long without an error counts as a success. */
#define HEARD_MS 500
/* After a 404 discovery is asked which kinds exist; several within this time ask once. */
#define REDISCOVER_MS 1000

/* ---- phases ---- */

#define TO(phase) (1u << KC_PHASE_##phase)

/* The arrows of the drawing above: the phases that may follow each phase. */
static const unsigned arrows[] = {
	[KC_PHASE_UNKNOWN] = TO(INITIAL) | TO(PAGES) | TO(DONE) | TO(REMOVED),
	[KC_PHASE_INITIAL] = TO(PAGES) | TO(WATCH) | TO(WAIT) | TO(REMOVED),
	[KC_PHASE_PAGES] = TO(WATCH) | TO(WAIT) | TO(DONE) | TO(REMOVED),
	[KC_PHASE_WATCH] = TO(WATCH) | TO(INITIAL) | TO(PAGES) | TO(WAIT) | TO(REMOVED),
	[KC_PHASE_WAIT] = TO(INITIAL) | TO(PAGES) | TO(WATCH) | TO(UNKNOWN) | TO(REMOVED),
	[KC_PHASE_DONE] = TO(REMOVED),
	[KC_PHASE_REMOVED] = 0,
};
_Static_assert(ARRAY_LEN(arrows) == KC_PHASES, "a row for each phase: ORDER enum kc_phase");

bool kc_phase_follows(enum kc_phase from, enum kc_phase to)
{
	ASSERT(from < ARRAY_LEN(arrows));
	return arrows[from] & 1u << to;
}

/* Change the phase; nothing else changes it. The activity of the old phase ends here, except for the stream of
 * INITIAL, which belongs to WATCH from its end mark on. */
static void enter(struct kc_watch *w, enum kc_phase to)
{
	enum kc_phase from = w->phase;

	ASSERT(kc_phase_follows(from, to));
	if (from != KC_PHASE_INITIAL || to != KC_PHASE_WATCH)
		kc_stream_stop(&w->stream);
	kc_list_stop(&w->list);
	(void)uv_timer_stop(&w->timer); /* always 0 */
	w->phase = to;
	if (w->all->moved)
		w->all->moved(w->all->ctx, from, to);
}

static bool is_removed(const struct kc_watch *w)
{
	return w->phase == KC_PHASE_REMOVED;
}

/* Report a state to the handler. States are coarser than phases, and later: WATCHING comes once the server has
 * answered. */
static void set_state(struct kc_watch *w, enum kc_state state, const struct err *why)
{
	int code = why ? why->code : 0;

	if (w->state == state && w->state_code == code)
		return;
	w->state = state;
	w->state_code = code;
	if (!is_removed(w) && w->report.handler.state)
		w->report.handler.state(w->report.ctx, state, why);
}

static void on_timer(uv_timer_t *t);

static void arm(struct kc_watch *w, uint64_t ms)
{
	ASSERT(!is_removed(w));
	(void)uv_timer_start(&w->timer, on_timer, ms, 0); /* fails only without a callback, and when closing */
}

/* ---- rounds ---- */

static void finish_once(struct kc_watch *w, const struct err *err)
{
	enter(w, KC_PHASE_DONE);
	w->once(w, err);
}

/* Handle any failure: wait, as long as the server asks if it does, then begin again. */
static void fail(struct kc_watch *w, const struct err *why, uint64_t asked_ms)
{
	if (w->once) {
		finish_once(w, why);
		return;
	}
	kc_evidence_end(&w->evidence);
	kc_probe_stop(&w->probe);
	w->report.counters.failures++;
	w->version_suspect = true;
	kc_report_lost(&w->report);
	enter(w, KC_PHASE_WAIT);
	arm(w, asked_ms ? kc_backoff_asked(asked_ms, kc_random())
			: kc_backoff_next(&w->backoff, uv_now(w->all->loop), kc_random()));
	/* A load balancer and a server that is starting answer with 404 too: discovery finds out whether the kind
	 * exists. */
	w->refused_404 = why->code == ENOENT;
	if (w->refused_404)
		w->all->rediscover(w->all->ctx, REDISCOVER_MS);
	set_state(w, why->code == EACCES || why->code == ENOKEY ? KC_FORBIDDEN : KC_BACKOFF, why);
}

static bool streams_lists(const struct kc_watch *w)
{
	return w->what.resource.can_watch && !w->all->tuning->no_watch_list && !w->all->no_watch_list &&
	       /* a stalled list makes watches suspect */
	       !w->no_watch_list && !w->once && w->list_reason != KC_LIST_STALLED;
}

static void arm_watch(struct kc_watch *w)
{
	uint64_t wait = kc_evidence_wait_ms(&w->evidence, w->all->tuning, uv_hrtime()), now = uv_now(w->all->loop);

	if (w->probe_again_ms && w->probe_again_ms < now + wait)
		wait = w->probe_again_ms > now ? w->probe_again_ms - now : 1;
	arm(w, wait);
}

/* Begin a watch. @listed: from the version of a list that was just answered. A test needs a new connection, because
 * knowledge of the old one does not apply to it. */
static int begin_watch(struct kc_watch *w, bool listed, bool test, struct err *err)
{
	kc_evidence_begin(&w->evidence, w->all->tuning, listed, test, uv_hrtime());
	w->resumed = !listed;
	w->probe_again_ms = 0;
	w->version_suspect |= w->evidence.until_ns && !listed;
	enter(w, KC_PHASE_WATCH);
	arm_watch(w);
	return kc_stream_begin(&w->stream, false, w->evidence.until_ns && !listed, err);
}

/* Begin a list. @fresh: on a new connection. */
static void begin_list(struct kc_watch *w, bool fresh)
{
	struct err err;
	int r;

	w->heard = false;
	set_state(w, KC_LISTING, NULL);
	if (is_removed(w))
		return;
	kc_evidence_end(&w->evidence);
	if (streams_lists(w)) {
		enter(w, KC_PHASE_INITIAL);
		arm(w, w->all->tuning->initial_silence_ms);
		r = kc_stream_begin(&w->stream, true, fresh, &err);
	} else {
		enter(w, KC_PHASE_PAGES);
		r = kc_list_begin(&w->list, w->all->tuning->page, fresh, &err);
	}
	if (r < 0)
		fail(w, &err, 0);
}

static void list_again(struct kc_watch *w, enum kc_list_reason reason)
{
	kc_report_forget_version(&w->report);
	w->list_reason = reason;
	begin_list(w, reason == KC_LIST_STALLED);
}

/* Whether the watch delivers nothing of what exists: only a list then shows what it missed. */
static bool has_stalled(const struct kc_watch *w)
{
	uint64_t listed = w->report.counters.last_sync_ns, idle_ns = w->all->tuning->idle_ms * 1000000;

	return w->fruitless >= FRUITLESS_MAX || (w->evidence.mute && uv_hrtime() - listed >= idle_ns);
}

/* Begin a round: a list, or a watch from the known version. @test: on a new connection in any case. */
static void go_on(struct kc_watch *w, bool test)
{
	struct err err;

	w->heard = false;
	if (!w->report.version)
		begin_list(w, test);
	else if (has_stalled(w))
		list_again(w, KC_LIST_STALLED);
	else if (begin_watch(w, false, test, &err) < 0)
		fail(w, &err, 0);
}

static void watch_listed(struct kc_watch *w)
{
	struct err err;

	w->heard = false;
	if (begin_watch(w, true, false, &err) < 0)
		fail(w, &err, 0);
}

/* Count whether the watch of this round, which is over, has delivered anything. */
static void count_fruit(struct kc_watch *w)
{
	if (kc_stream_delivered(&w->stream))
		w->fruitless = 0;
	else if (w->resumed && w->stream.answered)
		w->fruitless++;
}

static void resume(struct kc_watch *w, enum kc_restart_reason reason)
{
	w->report.counters.restarts[reason]++;
	go_on(w, reason == KC_RESTART_IDLE);
}

static void list_without_stream(struct kc_watch *w)
{
	w->no_watch_list = true;
	begin_list(w, false);
}

/* ---- what the account may do ---- */

/* Send the next access review. They are sent one after the other: nobody waits for them, and a server that does not
 * answer is asked once. */
static void next_review(struct kc_watches *all)
{
	struct kc_watch *w;

	for (w = TAILQ_FIRST(&all->list); w && !all->reviewing && !all->no_reviews; w = TAILQ_NEXT(w, link)) {
		all->reviewing = w->review_due && w->what.resource.kind && kc_access_ask(&w->access);
		w->review_due = false;
	}
}

static void stop_review(struct kc_watch *w)
{
	w->review_due = false;
	if (!w->access.call.req)
		return;
	kc_access_stop(&w->access);
	w->all->reviewing = false;
	next_review(w->all);
}

static void on_reviewed(void *ctx, unsigned denied, bool offered)
{
	struct kc_watch *w = ctx;

	w->all->reviewing = false;
	w->all->no_reviews |= !offered;
	w->denied = denied;
	if (denied)
		w->all->rediscover(w->all->ctx, w->all->tuning->rediscover_ms);
	next_review(w->all);
	if (w->report.handler.access)
		w->report.handler.access(w->report.ctx, denied);
}

/* Ask for a review when the kind is found, and again with discovery while access is denied. */
static void review(struct kc_watch *w)
{
	if (w->once || w->all->tuning->no_reviews || is_removed(w) || !w->what.resource.kind)
		return;
	if (w->reviewed && !w->denied && w->state != KC_FORBIDDEN)
		return;
	w->reviewed = w->review_due = true;
	next_review(w->all);
}

static void age_from(struct kc_watch *w, uint64_t ns)
{
	w->report.counters.stale_ns = ns + kc_evidence_stale_ms(w->all->tuning) * 1000000;
}

static void note_proof(struct kc_watch *w)
{
	w->report.counters.proved_ns = w->evidence.proved_ns;
	age_from(w, w->evidence.proved_ns);
}

/* ---- the end of a list ---- */

/* Finish a list. Return false when the watch is removed or has failed. */
static bool finish_list(struct kc_watch *w)
{
	struct kc_report *rep = &w->report;
	enum kc_list_reason reason = w->list_reason;
	struct err err;
	int r = rep->incomplete ? 0 : kc_report_absent(rep, &err);

	if (is_removed(w))
		return false;
	if (r < 0) {
		kc_report_forget_version(rep);
		fail(w, &err, 0);
		return false;
	}
	w->refused_404 = w->version_suspect = false;
	rep->counters.failures = 0;
	rep->counters.relists[reason]++;
	rep->counters.last_sync_ns = uv_hrtime();
	kc_report_listed(rep);
	if (!rep->counters.stale_ns) /* the first list becomes stale, until a watch is proved */
		age_from(w, rep->counters.last_sync_ns);
	w->bad_lines = w->too_new = w->fruitless = 0;
	/* A list that shows changes which the watch did not deliver proves that the watch was not merely quiet. */
	w->evidence.mute = reason == KC_LIST_STALLED && rep->changed;
	if (reason == KC_LIST_STALLED)
		w->list_reason = KC_LIST_EXPIRED; /* the default reason for the next list */
	if (rep->handler.synced)
		rep->handler.synced(rep->ctx, reason);
	return !is_removed(w);
}

static void on_list_done(void *ctx, const struct kc_result *result)
{
	struct kc_watch *w = ctx;

	if (result->err.code)
		fail(w, &result->err, result->retry_after_ms);
	else if (!finish_list(w))
		return;
	else if (w->once)
		finish_once(w, &result->err);
	else
		watch_listed(w);
}

/* ---- streams ---- */

/* Tell all watches that the server's data was replaced. What one watch found out holds for all, though not each has
 * seen its last version. */
static void data_replaced(struct kc_watches *all)
{
	struct kc_watch *w, *next;

	for (w = TAILQ_FIRST(&all->list); w; w = next) {
		next = TAILQ_NEXT(w, link);
		if (!w->report.version || w->once)
			continue;
		if (w->phase == KC_PHASE_WATCH)
			list_again(w, KC_LIST_EXPIRED);
		else
			kc_report_forget_version(&w->report);
	}
}

/* ---- evidence ---- */

static void ask_probe(struct kc_watch *w)
{
	w->probe_again_ms = 0;
	if (!int64_parse(str_from(w->report.version), &w->probed_from))
		w->probed_from = 0;
	kc_probe_ask(&w->probe);
}

/* Report a watch that was answered, but has not delivered anything yet. */
static void report_answered(struct kc_watch *w)
{
	struct err why;

	if (!w->evidence.mute) {
		set_state(w, KC_WATCHING, NULL);
		return;
	}
	kc_report_lost(&w->report);
	(void)err_set(&why, ENODATA, "watch of %.100s: it did not deliver what a list then showed", w->what.shown);
	set_state(w, KC_BACKOFF, &why);
}

/* Whether a read has to show how far the watch has to go. The owner reckons from the report that the watch goes on, so
 * that a read before that is no use. */
static bool has_to_catch_up(const struct kc_watch *w)
{
	return w->state == KC_WATCHING && kc_report_is_lost(&w->report);
}

/* Note that the watch of this round goes on after its answer. */
static void working(struct kc_watch *w)
{
	bool news = w->state != KC_WATCHING, proved;

	w->refused_404 = w->heard = false;
	w->evidence.answered = true;
	w->report.counters.failures = 0;
	report_answered(w);
	if (is_removed(w))
		return;
	if (news) {
		review(w);                /* access that was denied may be granted */
		kc_probe_stop(&w->probe); /* the server may have answered it before */
	}
	proved = kc_evidence_answers(&w->evidence, uv_hrtime());
	if (proved)
		note_proof(w);
	if (has_to_catch_up(w) || (w->version_suspect && !proved))
		ask_probe(w);
	w->version_suspect = false;
}

/* Handle the answer of the probe. A server that was restored from a backup sends nothing on a watch from a version
 * that it has not reached; the probe shows that its version is the lower one. */
static void on_probed(void *ctx, str version)
{
	struct kc_watch *w = ctx;
	int64_t now;

	if (w->phase != KC_PHASE_WATCH)
		return;
	if (int64_parse(version, &now) && now < w->probed_from) {
		data_replaced(w->all);
		return;
	}
	if (w->state == KC_WATCHING)
		kc_report_read(&w->report, version);
	w->evidence.read = true;
	if (!kc_evidence_answers(&w->evidence, uv_hrtime()))
		return;
	note_proof(w);
	arm_watch(w);
}

/* Handle a failed probe. It is repeated: soon within a test, and otherwise as long as the watch may lack something
 * after a failure, as often as a silent watch is tested. */
static void on_probe_failed(void *ctx, const struct kc_result *result)
{
	struct kc_watch *w = ctx;
	const struct kc_tuning *t = w->all->tuning;
	uint64_t wait = w->evidence.until_ns ? t->backoff_first_ms : t->idle_ms;

	if (w->phase != KC_PHASE_WATCH)
		return;
	w->version_suspect = true;
	w->evidence.problem = result->err;
	if (!w->evidence.until_ns && !has_to_catch_up(w))
		return;
	w->probe_again_ms = uv_now(w->all->loop) + (result->retry_after_ms > wait ? result->retry_after_ms : wait);
	arm_watch(w);
}

/* Handle an answer that has begun. It may begin well and go on with an error, so the first line decides, or that
 * none comes. */
static void on_heard(void *ctx)
{
	struct kc_watch *w = ctx;

	if (w->phase != KC_PHASE_WATCH || w->heard || w->evidence.answered)
		return;
	w->heard = true;
	arm(w, HEARD_MS);
}

static void on_progress(void *ctx)
{
	struct kc_watch *w = ctx;

	w->bad_lines = w->too_new = 0;
	/* A list that delivers and breaks is no success: it would be repeated without end. */
	if (w->phase != KC_PHASE_WATCH)
		return;
	kc_backoff_clear(&w->backoff);
	kc_evidence_event(&w->evidence, w->report.moves != w->moves, w->report.counters.last_heard_ns);
	w->moves = w->report.moves;
	note_proof(w);
	if (!w->evidence.answered || w->state != KC_WATCHING)
		working(w);
}

/* Go on with the watch: the end mark of a list is also its first bookmark. */
static void on_listed(void *ctx)
{
	struct kc_watch *w = ctx;

	enter(w, KC_PHASE_WATCH);
	w->resumed = false;
	w->probe_again_ms = 0;
	kc_evidence_event(&w->evidence, true, uv_hrtime());
	w->moves = w->report.moves;
	note_proof(w);
	arm_watch(w);
	if (finish_list(w))
		working(w);
}

static void initial_refused(struct kc_watch *w, const struct kc_result *result)
{
	int code = result->err.code;

	if (!result->status || (code != EINVAL && code != EPROTO)) {
		fail(w, &result->err, result->retry_after_ms);
		return;
	}
	w->all->no_watch_list |= code == EINVAL; /* without a notice: only newer servers offer streaming lists */
	list_without_stream(w);
}

/* Handle a refused watch, be it by the answer or by an event within the watch. */
static void watch_refused(struct kc_watch *w, const struct kc_result *result)
{
	int code = result->err.code;

	if (code == ESTALE || (result->too_new && ++w->too_new >= TOO_NEW_MAX)) {
		w->too_new = 0;
		list_again(w, KC_LIST_EXPIRED);
		return;
	}
	if (code == EINVAL && result->status) /* presumably the server refuses the version */
		kc_report_forget_version(&w->report);
	w->report.counters.restarts[KC_RESTART_ERROR]++;
	fail(w, &result->err, result->retry_after_ms);
}

static void watch_unreadable(struct kc_watch *w, const struct err *err)
{
	w->report.counters.restarts[KC_RESTART_BAD_DATA]++;
	if (++w->bad_lines >= BAD_LINES_MAX) {
		w->bad_lines = 0;
		kc_report_forget_version(&w->report);
		w->list_reason = KC_LIST_BAD_DATA;
	}
	fail(w, err, 0);
}

static void on_stream_ended(void *ctx, enum kc_stream_end why, const struct kc_result *result)
{
	struct kc_watch *w = ctx;

	if (w->phase == KC_PHASE_WATCH)
		count_fruit(w);
	switch (why) {
	case KC_STREAM_CLOSED:
		resume(w, KC_RESTART_TIMEOUT);
		break;
	case KC_STREAM_REFUSED:
		if (w->phase == KC_PHASE_INITIAL)
			initial_refused(w, result);
		else
			watch_refused(w, result);
		break;
	case KC_STREAM_BAD:
		watch_unreadable(w, &result->err);
		break;
	}
}

static const struct kc_stream_ops stream_ops = {
	.heard = on_heard,
	.progress = on_progress,
	.listed = on_listed,
	.ended = on_stream_ended,
};

/* ---- time ---- */

/* End an INITIAL that is a plain watch: a server that does not know streaming lists answers with one. */
static void check_initial(struct kc_watch *w)
{
	uint64_t silent = (uv_hrtime() - w->report.counters.last_heard_ns) / 1000000;
	uint64_t limit = w->all->tuning->initial_silence_ms;

	if (silent < limit)
		arm(w, limit - silent + 1);
	else
		list_without_stream(w);
}

/* Test a watch that nothing has proved for long. If bookmarks came and stopped, it may be dead, whatever its server
 * answers; if they come and only repeat the version, the connection is good. */
static void test_silent(struct kc_watch *w)
{
	uint64_t now = uv_hrtime();

	if (kc_stream_lacks_bookmark(&w->stream, now)) {
		count_fruit(w);
		list_again(w, KC_LIST_STALLED);
	} else if (w->evidence.repeated) {
		kc_evidence_test_read(&w->evidence, w->all->tuning, now);
		ask_probe(w);
		arm_watch(w);
	} else {
		count_fruit(w);
		resume(w, KC_RESTART_IDLE);
	}
}

static void check_watch(struct kc_watch *w)
{
	const struct kc_tuning *t = w->all->tuning;
	uint64_t now = uv_hrtime(), loop_now = uv_now(w->all->loop);
	struct err why;

	if (w->heard)
		working(w);
	if (is_removed(w))
		return;
	if (kc_evidence_failed(&w->evidence, t, w->what.shown, now, &why)) {
		count_fruit(w);
		w->report.counters.restarts[KC_RESTART_ERROR]++;
		fail(w, &why, 0);
	} else if (!w->evidence.until_ns && kc_evidence_due(&w->evidence, t, now)) {
		test_silent(w);
	} else if (loop_now >= w->stream.deadline_ms) {
		resume(w, KC_RESTART_TIMEOUT);
	} else {
		if (w->probe_again_ms && loop_now >= w->probe_again_ms)
			ask_probe(w);
		arm_watch(w);
	}
}

static void on_timer(uv_timer_t *t)
{
	struct kc_watch *w = t->data;

	switch (w->phase) {
	case KC_PHASE_UNKNOWN: /* the loop runs for the first time */
		if (!w->patient)
			kc_watch_discovered(w);
		w->patient = false;
		break;
	case KC_PHASE_INITIAL:
		check_initial(w);
		break;
	case KC_PHASE_WATCH:
		check_watch(w);
		break;
	case KC_PHASE_WAIT:
		go_on(w, false);
		break;
	default:
		ASSERT(!"a phase with a timer");
	}
}

void kc_watch_hurry(struct kc_watch *w)
{
	if (w->phase != KC_PHASE_WAIT)
		return;
	kc_backoff_clear(&w->backoff);
	arm(w, kc_random() % w->all->tuning->backoff_first_ms);
}

/* Test the watch: earlier evidence does not count, but the watch is not called stale before the time of a test is
 * over. */
void kc_watch_test(struct kc_watch *w)
{
	uint64_t idle_ns = w->all->tuning->idle_ms * 1000000, now = uv_hrtime();

	kc_report_lost(&w->report);
	kc_probe_stop(&w->probe); /* the server may have answered it before */
	kc_watch_hurry(w);
	if (w->evidence.proved_ns) {
		w->evidence.proved_ns = now > idle_ns ? now - idle_ns : 1;
		note_proof(w);
	} else if (w->report.counters.stale_ns) {
		age_from(w, now > idle_ns ? now - idle_ns : 1);
	}
	if (w->phase == KC_PHASE_WATCH)
		resume(w, KC_RESTART_IDLE);
}

/* ---- discovery ---- */

static void why_absent(const struct kc_watch *w, struct err *ret)
{
	(void)err_set(ret, ENOENT, "the server does not know kind %s of %s", w->what.kind, w->what.api_version);
}

/* Report once that discovery lacks the kind, as waiting with a reason: an owner that waits for all kinds does not
 * wait for this one, because it probably does not exist. */
static void lacking(struct kc_watch *w)
{
	struct err err;

	if (w->phase != KC_PHASE_UNKNOWN || w->state != KC_WAITING)
		return;
	why_absent(w, &err);
	set_state(w, KC_WAITING, &err);
}

/* A kind is absent only when discovery lacks it twice in a row, some time apart, and the kinds of its group and version
 * are fully known: servers behind one address do not learn of a new kind in the same moment, and one that starts knows
 * few. */
static bool is_absent(struct kc_watch *w)
{
	uint64_t now = uv_now(w->all->loop);

	if (w->once)
		return true;
	if (!w->absent_ms) {
		w->absent_ms = now ? now : 1;
		lacking(w);
		return false;
	}
	return now - w->absent_ms >= w->all->tuning->confirm_absent_ms;
}

/* Handle a kind that is absent. The knowledge about its objects ends with it. */
static void absent(struct kc_watch *w)
{
	struct err err;

	if (w->phase != KC_PHASE_UNKNOWN) {
		enter(w, KC_PHASE_UNKNOWN);
		stop_review(w);
		kc_probe_stop(&w->probe);
		kc_collection_lost(&w->what);
		w->evidence = (struct kc_evidence){ 0 };
		/* an absent kind has nothing to prove */
		w->report.counters.proved_ns = w->report.counters.stale_ns = 0;
		kc_report_forget_kind(&w->report);
		w->list_reason = KC_LIST_START;
		w->refused_404 = w->reviewed = false;
		w->denied = 0;
	}
	why_absent(w, &err);
	if (w->once)
		finish_once(w, &err);
	else
		set_state(w, KC_ABSENT, &err);
}

/* Report that discovery cannot find out whether the kind exists. */
static void presence_unknown(struct kc_watch *w, const char *why_unknown)
{
	struct err err;

	w->absent_ms = 0;
	if (w->phase != KC_PHASE_UNKNOWN)
		return;
	(void)err_set(&err, EREMOTEIO, "whether the server has kind %s of %s is not known: %s", w->what.kind,
		      w->what.api_version, why_unknown);
	if (w->once)
		finish_once(w, &err);
	else
		set_state(w, KC_BACKOFF, &err);
}

/* Handle a kind that was found. Without memory the next discovery finds it again. */
static void found(struct kc_watch *w, const struct kc_resource *r)
{
	struct err ignored;

	w->absent_ms = 0;
	if (w->phase == KC_PHASE_UNKNOWN && kc_collection_found(&w->what, r, &ignored) == 0)
		go_on(w, false);
	review(w);
}

void kc_watch_discovered(struct kc_watch *w)
{
	const struct kc_resources *known = w->all->discovery->known;
	str api_version = str_from(w->what.api_version);
	const struct kc_resource *r;
	const char *why_unknown;

	if (!known || is_removed(w))
		return;
	r = kc_resources_find(known, api_version, str_from(w->what.kind));
	why_unknown = r ? NULL : kc_resources_why_unknown(known, api_version);
	w->unknown_versions = why_unknown ? w->unknown_versions + 1 : 0;
	if (r)
		found(w, r);
	else if (why_unknown)
		presence_unknown(w, why_unknown);
	else if (w->phase != KC_PHASE_UNKNOWN && !w->refused_404)
		w->absent_ms = 0; /* a list without the kind proves nothing while the server still answers for it */
	else if (is_absent(w) && (w->phase == KC_PHASE_UNKNOWN || w->phase == KC_PHASE_WAIT))
		absent(w); /* in another phase a request is under way: its answer counts more */
}

/* How soon discovery is repeated when it could not say whether the kind exists. Soon at first: a group that comes or
 * goes answers again in a moment, and the verdicts of the whole cluster wait for it. A group that keeps failing is
 * asked less and less often. */
static uint64_t look_again_ms(const struct kc_watch *w)
{
	uint64_t most = w->all->tuning->rediscover_ms, ms = w->all->tuning->confirm_absent_ms;

	for (unsigned i = 1; i < w->unknown_versions && ms < most; i++)
		ms *= 2;
	return ms < most ? ms : most;
}

uint64_t kc_watch_rediscover_ms(const struct kc_watch *w)
{
	if (w->absent_ms && w->state != KC_ABSENT)
		return w->all->tuning->confirm_absent_ms;
	if (w->phase == KC_PHASE_UNKNOWN && w->unknown_versions)
		return look_again_ms(w);
	if (w->phase == KC_PHASE_UNKNOWN || w->refused_404 || w->denied)
		return w->all->tuning->rediscover_ms;
	return UINT64_MAX;
}

void kc_watch_undiscovered(struct kc_watch *w, const struct err *err)
{
	if (w->once && w->phase == KC_PHASE_UNKNOWN)
		finish_once(w, err);
}

/* ---- life ---- */

static void watch_free(struct kc_watch *w)
{
	kc_list_stop(&w->list);
	kc_stream_done(&w->stream);
	kc_report_done(&w->report);
	kc_collection_done(&w->what);
	free(w);
}

static void init_parts(struct kc_watch *w, const struct kc_handler *h, void *ctx)
{
	const struct kc_watches *all = w->all;
	const struct kc_tuning *t = all->tuning;

	w->report = (struct kc_report){
		.what = &w->what,
		.limits = all->limits,
		.keys = all->keys,
		.handler = *h,
		.ctx = ctx,
		.notice = all->notice,
		.notice_ctx = all->ctx,
		.lists = &w->all->lists,
	};
	kc_report_init(&w->report);
	w->list = (struct kc_list){ .http = all->http, .report = &w->report, .done = on_list_done, .ctx = w };
	kc_list_init(&w->list);
	w->access = (struct kc_access){ .what = &w->what, .done = on_reviewed, .ctx = w };
	kc_access_init(&w->access, all->http);
	w->probe = (struct kc_probe){ .what = &w->what, .done = on_probed, .failed = on_probe_failed, .ctx = w };
	kc_probe_init(&w->probe, all->http);
	w->stream = (struct kc_stream){ .http = all->http, .report = &w->report, .ops = &stream_ops, .ctx = w };
	kc_stream_init(&w->stream);
	w->backoff = (struct kc_backoff){ .first_ms = t->backoff_first_ms,
					  .max_ms = t->backoff_max_ms,
					  .reset_ms = t->backoff_reset_ms };
}

int kc_watch_new(struct kc_watches *all, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
		 struct kc_watch **ret, struct err *err)
{
	struct kc_watch *w = calloc(1, sizeof(*w));
	int r;

	if (!w)
		return err_nomem(err);
	r = kc_collection_init(&w->what, spec, err);
	if (r < 0) {
		free(w);
		return r;
	}
	w->all = all;
	init_parts(w, h, ctx);
	(void)uv_timer_init(all->loop, &w->timer); /* always 0 */
	w->timer.data = w;
	TAILQ_INSERT_TAIL(&all->list, w, link);
	arm(w, 0);
	*ret = w;
	return 0;
}

static void on_timer_closed(uv_handle_t *h)
{
	struct kc_watch *w = h->data;
	struct kc_watches *all = w->all;

	watch_free(w);
	all->closed(all->ctx);
}

void kc_watch_remove(struct kc_watch *w)
{
	if (!w || is_removed(w))
		return;
	enter(w, KC_PHASE_REMOVED);
	stop_review(w);
	kc_probe_stop(&w->probe);
	w->report.stopped = true;
	TAILQ_REMOVE(&w->all->list, w, link);
	uv_close((uv_handle_t *)&w->timer, on_timer_closed);
}

const char *kc_watch_resource(const struct kc_watch *w)
{
	return w->what.shown;
}

const struct kc_watch_counters *kc_watch_counters(const struct kc_watch *w)
{
	return &w->report.counters;
}
