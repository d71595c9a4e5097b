/* Sends requests to one Alertmanager, one after the other. */
#include "daemon/alertmanager/alert_poster.h"

#include "base/assert.h"
#include "daemon/alertmanager/alert.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/notice.h"
#include "value/json_out.h"

#include <errno.h>
#include <stdio.h>

#define AGAIN_MS 50000 /* all alerts are posted again within a minute, including the time that posting takes */
#define REPORT_AFTER_MS 60000
#define WAIT_FIRST_MS 1000
#define WAIT_MAX_MS 10000
#define RECONNECTED_MS 10000
#define REFUSED_MS 15000
#define POST_MS 30000
#define SLOW_MS 2000 /* a post that takes longer is slow */
#define SLICE_NS UINT64_C(1000000)
#define SLICE_STEPS 64 /* steps of a walk between two checks of the time */
#define BODY_MAX ((size_t)32 << 20)
#define BODY_ENOUGH ((size_t)512 << 10) /* a body of this size is posted */
#define GOT_MAX ((size_t)4 << 20)
#define CLOCK_USEC INT64_C(1200000) /* tolerance for the Date, which has whole seconds */
#define SET_USEC (2 * INT64_C(1000000))
#define SET_MS 30000 /* the least time between two detected clock changes: a clock that jumps often costs no more */
#define MARGIN_USEC INT64_C(1000000)
/* the year 2100: later dates are ignored, so that times derived from them stay in the range of Go */
#define DATE_MAX INT64_C(4102444800)
#define ASK_AGAIN_MS                                                                                                   \
	300000       /* ends alerts that a driftd posted too late because it was stopped in the middle of a post */
#define ASK_MS 60000 /* for a whole answer, which a server could prolong for ever */
#define IGNORED_MAX ((size_t)256 << 10) /* bytes of the answer to a post */

static const char *const state_names[] = { "off", "asking", "resting", "posting", "waiting" };
_Static_assert(ARRAY_LEN(state_names) == POSTER_WAITING + 1, "a name for each state");

static void set_state(struct alert_poster *p, enum poster_state to)
{
	static const unsigned follow[] = {
		[POSTER_OFF] = 1u << POSTER_ASKING,
		[POSTER_ASKING] = 1u << POSTER_RESTING | 1u << POSTER_WAITING,
		[POSTER_RESTING] = 1u << POSTER_POSTING | 1u << POSTER_ASKING,
		[POSTER_POSTING] = 1u << POSTER_RESTING | 1u << POSTER_WAITING,
		[POSTER_WAITING] = 1u << POSTER_ASKING,
	};

	ASSERT(to == POSTER_OFF || follow[p->state] & 1u << to);
	p->state = to;
}

static uint64_t now_ms(const struct alert_poster *p)
{
	return uv_now(p->with->loop->uv);
}

/* ---- its clock ---- */

static int64_t its_usec(const struct alert_poster *p)
{
	return p->clock_usec ? p->clock_usec + (clock_boot_usec() - p->clock_at) : clock_usec();
}

static void take_date(struct alert_poster *p)
{
	int64_t seconds = *p->date ? curl_getdate(p->date, NULL) : -1, said, off;
	bool known = p->clock_usec != 0;

	if (seconds <= 0 || seconds > DATE_MAX)
		return;
	said = seconds * 1000000;
	off = said - its_usec(p);
	if (known && off < CLOCK_USEC && off > -CLOCK_USEC)
		return;
	p->clock_usec = said;
	p->clock_at = clock_boot_usec();
	if (!known || (off <= SET_USEC && off >= -SET_USEC) || now_ms(p) < p->set_until_ms)
		return;
	p->set_until_ms = now_ms(p) + SET_MS;
	alert_poster_hurry(p); /* somebody set the clock: alerts may have ended there */
}

/* The time at which the finding began, by the Alertmanager's clock where that differs from the local one. */
static int64_t began_usec(const struct known_alert *x, int64_t now)
{
	int64_t off = now - clock_usec();

	if (off < SET_USEC && off > -SET_USEC)
		return x->first_seen_usec;
	return now - (clock_boot_usec() - x->open_from_usec);
}

/* ---- a request ---- */

static void on_head(void *ctx, str line, long status)
{
	struct alert_poster *p = ctx;
	str value;

	(void)status;
	if (!str_eq_nocase(str_sub(line, 0, 5), STR("date:")))
		return;
	value = str_trim(str_sub(line, 5, line.n));
	(void)snprintf(p->date, sizeof(p->date), "%.*s", STR_ARG(value));
}

/* Receive a body. That of the answer to a post is ignored, but limited. */
static bool on_body(void *ctx, char *bytes, size_t n)
{
	struct alert_poster *p = ctx;

	if (p->state == POSTER_ASKING && !p->got.error)
		buf_add(&p->got, bytes, n);
	else
		p->ignored += n;
	kc_loop_useful(p->with->loop);
	p->full |= p->got.error != 0 || p->ignored > IGNORED_MAX;
	return !p->full;
}

static void end_request(struct alert_poster *p)
{
	kc_transfer_end(&p->transfer);
	curl_slist_free_all(TAKE(p->headers));
	buf_clear(&p->got);
	alert_answer_done(&p->answer);
}

static int add_headers(struct alert_poster *p, struct err *err)
{
	int r = kc_header_add(&p->headers, STR("Accept"), STR("application/json"));

	if (r == 0 && p->state == POSTER_POSTING)
		r = kc_header_add(&p->headers, STR("Content-Type"), STR("application/json"));
	if (r == 0 && p->server.host)
		r = kc_header_add(&p->headers, STR("Host"), str_from(p->server.host));
	return r < 0 ? err_nomem(err) : alert_auth_add(p->with->auth, &p->headers, err);
}

static int begin_request(struct alert_poster *p, const char *query, str body, struct err *err)
{
	static const struct kc_transfer_ops ops = { on_head, on_body };
	CLEANUP(buf_done) struct buf url = BUF_INIT(KC_URL_MAX);
	bool asks = p->state == POSTER_ASKING;
	int r = alert_auth_read(p->with->auth, err);

	if (r == 0)
		r = add_headers(p, err);
	buf_printf(&url, "%s/api/v2/alerts%s", p->server.base, query);
	if (r == 0)
		r = buf_error(&url, "the URL", err);
	if (r < 0)
		return r;
	p->date[0] = '\0';
	p->full = false;
	p->ignored = 0;
	return kc_transfer_begin(&p->transfer,
				 &(struct kc_transfer_options){
					 .url = url.p,
					 .body = body,
					 .headers = p->headers,
					 .plain = !p->server.tls, /* the configuration may say http:// */
					 .connect_to = p->connect_to,
					 .trust = alert_auth_trust(p->with->auth),
					 /* the last connection may lead to an Alertmanager that is gone */
					 .fresh = asks,
					 .time = asks ? KC_TIME_MOVING : KC_TIME_WHOLE,
					 .timeout_ms = POST_MS,
					 .ops = &ops,
					 .ctx = p,
				 },
				 p->with->loop, err);
}

/* ---- how it goes ---- */

static void succeed(struct alert_poster *p)
{
	p->up = true;
	p->why[0] = '\0';
	p->last_success_usec = clock_usec();
	p->failing_ms = 0;
	kc_backoff_clear(&p->backoff);
	if (p->reported)
		record_lifecycle(p->with->sink, MESSAGE_NOTICE, SEVERITY_INFO,
				 "alerts: the Alertmanager %.*s can be posted to again; %zu are due", STR_ARG(p->url),
				 alert_book_undelivered(p->with->book, p->i));
	p->reported = false;
}

static void report_failing(struct alert_poster *p)
{
	if (p->reported || !p->failing_ms || now_ms(p) - p->failing_ms < REPORT_AFTER_MS)
		return;
	p->reported = true;
	record_lifecycle(
		p->with->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
		"alerts: the Alertmanager %.*s cannot be posted to for %llu s: %s; it is tried again and again, "
		"and gets all that is open then",
		STR_ARG(p->url), (unsigned long long)((now_ms(p) - p->failing_ms) / 1000), p->why);
}

static void count_failure(struct alert_poster *p, enum alert_failure f)
{
	p->failures[f]++;
	p->up = false;
	if (!p->failing_ms)
		p->failing_ms = now_ms(p);
}

/* Wait after a failure: what the Alertmanager has is unknown now. */
static void wait_a_while(struct alert_poster *p)
{
	p->wait_until_ms = now_ms(p) + kc_backoff_next(&p->backoff, now_ms(p), kc_random());
	alert_book_lost(p->with->book, p->i);
	set_state(p, POSTER_WAITING);
}

static void release_batch(struct alert_poster *p, bool taken)
{
	for (size_t i = 0; i < p->n_batch; i++)
		alert_book_release(p->with->book, p->batch[i].x, p->i, taken, p->batch[i].wanted, p->batch[i].facts);
	p->n_batch = 0;
}

/* Handle a request that could not be begun. */
static void fail_to_begin(struct alert_poster *p, const struct err *err)
{
	end_request(p);
	release_batch(p, false);
	(void)snprintf(p->why, sizeof(p->why), "%s", err->msg);
	count_failure(p, ALERT_AUTH);
	wait_a_while(p);
}

static enum alert_failure failure_of(int code)
{
	switch (code) {
	case -EKEYREJECTED:
		return ALERT_TLS;
	case -EIO:
		return ALERT_SERVER;
	default:
		return ALERT_UNREACHABLE;
	}
}

static enum alert_failure failure_of_status(long status)
{
	if (status == 401 || status == 403 || status == 407)
		return ALERT_AUTH;
	return status >= 400 && status < 500 ? ALERT_REFUSED : ALERT_SERVER;
}

/* Judge the end of a request. False: it failed, and *ret says how. */
static bool judge(struct alert_poster *p, CURLcode code, enum alert_failure *ret)
{
	long status = kc_transfer_status(&p->transfer);

	if (code != CURLE_OK) {
		*ret = failure_of(kc_transfer_why(&p->transfer, code, p->why));
		return false;
	}
	take_date(p);
	if (status >= 200 && status < 300)
		return true;
	(void)snprintf(p->why, sizeof(p->why), "it answers %ld", status);
	*ret = failure_of_status(status);
	return false;
}

/* ---- asking ---- */

static bool on_each(void *ctx, uint64_t print, str labels)
{
	struct alert_poster *p = ctx;

	return alert_book_found(p->with->book, p->i, print, labels);
}

static void ask(struct alert_poster *p)
{
	static const char query[] =
		"?active=true&silenced=true&inhibited=true&unprocessed=true&filter=drift_id%3D~%22.%2B%22";
	struct err err;

	set_state(p, POSTER_ASKING);
	p->ask_until_ms = now_ms(p) + ASK_MS;
	p->ask_again_ms = now_ms(p) + ASK_AGAIN_MS;
	p->answer = (struct alert_answer){ .each = on_each, .ctx = p, .origin = p->with->origin };
	alert_answer_init(&p->answer);
	if (begin_request(p, query, (str){ 0 }, &err) < 0)
		fail_to_begin(p, &err);
}

/* Rest after asking. All wanted alerts are due to be posted next. */
static void rest_after_asking(struct alert_poster *p)
{
	end_request(p);
	p->again_ms = now_ms(p);
	set_state(p, POSTER_RESTING);
	alert_poster_tick(p);
}

/* Continue without knowing what the Alertmanager has: alerts that have ended here end there by themselves. */
static void do_without(struct alert_poster *p, const char *why)
{
	(void)snprintf(p->why, sizeof(p->why), "what it has cannot be read: %s", why);
	count_failure(p, ALERT_ANSWER);
	rest_after_asking(p);
}

/* Read what has arrived of an answer. */
static int read_some(struct alert_poster *p, struct err *err)
{
	int r = 0;

	if (p->got.n && kc_transfer_status(&p->transfer) == 200)
		r = alert_answer_feed(&p->answer, buf_str(&p->got), err);
	buf_clear(&p->got);
	return r;
}

static void give_up_asking(struct alert_poster *p, const char *why)
{
	kc_loop_remove(p->with->loop, p->transfer.easy);
	do_without(p, why);
}

void alert_poster_turn(struct alert_poster *p)
{
	struct err err;

	if (p->state == POSTER_ASKING && read_some(p, &err) < 0)
		give_up_asking(p, err.msg);
}

static void asked(struct alert_poster *p, CURLcode code)
{
	enum alert_failure f;
	struct err err;

	if (!judge(p, code, &f)) {
		if (f == ALERT_AUTH || f == ALERT_REFUSED) { /* posting may work nevertheless */
			char why[64];

			(void)snprintf(why, sizeof(why), "it answers %ld", kc_transfer_status(&p->transfer));
			do_without(p, why);
			return;
		}
		end_request(p);
		count_failure(p, f);
		wait_a_while(p);
	} else if (read_some(p, &err) < 0 || alert_answer_end(&p->answer, &err) < 0) {
		do_without(p, err.msg);
	} else {
		succeed(p);
		rest_after_asking(p);
	}
}

/* ---- posting ---- */

static void add_alert(struct alert_poster *p, struct known_alert *x, const struct finding *finding)
{
	int64_t now = its_usec(p);
	size_t before = p->body.n;

	json_open(&p->body, NULL, '{');
	json_key(&p->body, "labels");
	buf_add_str(&p->body, known_alert_labels(x));
	if (finding)
		alert_add_annotations(p->with->from, finding, p->with->origin, &p->body);
	alert_add_times(began_usec(x, now), finding ? now + ALERT_LASTS_USEC : now - MARGIN_USEC, &p->body);
	buf_add_byte(&p->body, '}');
	if (p->body.error) {
		buf_truncate(&p->body, before);
		return;
	}
	ASSERT(p->n_batch < ARRAY_LEN(p->batch));
	p->batch[p->n_batch++] = (struct posted_alert){ alert_book_hold(x, p->i), finding != NULL, x->facts };
}

/* Add the alert to the batch if it has to be posted. One whose finding has ended by now is left to the next pass
 * over the findings. */
static void consider(struct alert_poster *p, struct known_alert *x)
{
	const struct finding *finding = NULL;

	if (!(p->all && x->wanted) && !alert_book_is_news(x, p->i))
		return;
	if (x->wanted)
		finding = alert_book_finding(p->with->book, x);
	if (finding || !x->wanted)
		add_alert(p, x, finding);
}

static bool is_full(const struct alert_poster *p)
{
	return p->n_batch == p->n_batch_max || p->body.n >= BODY_ENOUGH * (p->n_batch_max / ALERTS_PER_POST);
}

static void post(struct alert_poster *p)
{
	struct err err;
	int r;

	buf_add_byte(&p->body, ']');
	r = buf_error(&p->body, "alerts", &err);
	p->posts++;
	p->post_ms = now_ms(p);
	if (r == 0)
		r = begin_request(p, "", buf_str(&p->body), &err);
	if (r < 0)
		fail_to_begin(p, &err);
}

/* Whether this host may still post. After a long sleep it may not be the leader any more, and its alerts may be out
 * of date. */
static bool may_post(const struct alert_poster *p)
{
	return !p->with->may_post || p->with->may_post(p->with->ctx);
}

static void leave_walk(struct alert_poster *p)
{
	release_batch(p, false);
	p->again_ms = now_ms(p);
	set_state(p, POSTER_RESTING);
}

static void on_build(void *ctx)
{
	struct alert_poster *p = ctx;
	uint64_t until = uv_hrtime() + SLICE_NS;
	struct known_alert *x = NULL;

	do {
		for (unsigned n = 0; n < SLICE_STEPS && !is_full(p) && (x = alert_book_step(p->with->book, p->i)); n++)
			consider(p, x);
	} while (x && !is_full(p) && uv_hrtime() < until);
	if (!may_post(p))
		leave_walk(p);
	else if (is_full(p) || (!x && p->n_batch))
		post(p);
	else if (x)
		kc_loop_later(p->with->loop, &p->build);
	else
		set_state(p, POSTER_RESTING);
}

static void begin_batch(struct alert_poster *p)
{
	buf_clear(&p->body);
	buf_add_byte(&p->body, '[');
	kc_loop_later(p->with->loop, &p->build);
}

static void begin_walk(struct alert_poster *p)
{
	p->all = now_ms(p) >= p->again_ms;
	if (p->all) {
		p->all_ms = now_ms(p);
		p->again_ms = p->all_ms + AGAIN_MS;
	}
	set_state(p, POSTER_POSTING);
	alert_book_walk(p->with->book, p->i);
	begin_batch(p);
}

/* Post all again soon when the Alertmanager was reached by a new connection instead of the one that was there: it may
 * have been restarted, and then it has nothing but what was just posted. A proxy may end connections as well, so this
 * is not done all the time. */
static void look_for_another(struct alert_poster *p)
{
	if (!p->all && now_ms(p) - p->all_ms >= RECONNECTED_MS)
		p->again_ms = now_ms(p);
}

/* Size the next batches. A slow Alertmanager gets larger ones, because all open alerts have to be there before the
 * first of them ends by itself. A proxy may refuse what is long: then they get small again. */
static void size_batches(struct alert_poster *p, bool taken)
{
	if (!taken)
		p->n_batch_max = ALERTS_PER_POST;
	else if (now_ms(p) - p->post_ms >= SLOW_MS && p->n_batch_max < ALERTS_PER_POST_MAX)
		p->n_batch_max *= 2;
}

static void posted(struct alert_poster *p, CURLcode code)
{
	enum alert_failure f;
	bool taken = judge(p, code, &f), goes_on = taken || f == ALERT_REFUSED;

	if (taken && p->transfer.connects)
		look_for_another(p);
	size_batches(p, taken);
	end_request(p);
	release_batch(p, taken);
	if (taken)
		succeed(p);
	else
		count_failure(p, f);
	if (!goes_on) {
		wait_a_while(p);
		return;
	}
	if (!taken) /* some alerts were refused, the others accepted; the refused ones are not retried each second */
		p->wait_until_ms = now_ms(p) + REFUSED_MS;
	begin_batch(p);
}

void alert_poster_answered(struct alert_poster *p, CURLcode code)
{
	if (p->state == POSTER_ASKING)
		asked(p, code);
	else
		posted(p, code);
}

/* ---- life ---- */

static bool has_more_to_do(const struct alert_poster *p)
{
	return now_ms(p) >= p->again_ms ||
	       (now_ms(p) >= p->wait_until_ms && alert_book_undelivered(p->with->book, p->i) > 0);
}

static bool is_time_to_ask(const struct alert_poster *p)
{
	return (p->state == POSTER_OFF && p->with->book->whole) ||
	       (p->state == POSTER_WAITING && now_ms(p) >= p->wait_until_ms) ||
	       (p->state == POSTER_RESTING && now_ms(p) >= p->ask_again_ms);
}

void alert_poster_tick(struct alert_poster *p)
{
	report_failing(p);
	if (p->state == POSTER_ASKING && now_ms(p) >= p->ask_until_ms)
		give_up_asking(p, "the answer goes on for a minute");
	else if (!may_post(p))
		return;
	else if (is_time_to_ask(p))
		ask(p);
	else if (p->state == POSTER_RESTING && has_more_to_do(p))
		begin_walk(p);
}

void alert_poster_hurry(struct alert_poster *p)
{
	p->again_ms = 0;
	p->wait_until_ms = 0;
}

int alert_poster_init(struct alert_poster *p, const struct alert_common *with, unsigned i, str url, struct err *err)
{
	CLEANUP(freep) char *copy = str_dup(url);
	CLEANUP(freep) char *name = with->from->server_name.n ? str_dup(with->from->server_name) : NULL;
	int r = copy && (name || !with->from->server_name.n) ? 0 : err_nomem(err);

	*p = (struct alert_poster){ .with = with, .i = i, .url = url };
	p->n_batch_max = ALERTS_PER_POST;
	p->body = BUF_INIT(BODY_MAX);
	p->got = BUF_INIT(GOT_MAX);
	p->build = (struct kc_job){ .run = on_build, .ctx = p };
	p->backoff = (struct kc_backoff){ .first_ms = WAIT_FIRST_MS, .max_ms = WAIT_MAX_MS, .reset_ms = 60000 };
	if (r == 0)
		r = kc_server_init(&p->server, copy, name, err);
	if (r == 0 && p->server.connect_to) {
		p->connect_to = curl_slist_append(NULL, p->server.connect_to);
		r = p->connect_to ? 0 : err_nomem(err);
	}
	if (r < 0)
		alert_poster_done(p);
	return r;
}

void alert_poster_stop(struct alert_poster *p)
{
	if (p->transfer.easy)
		kc_loop_remove(p->with->loop, p->transfer.easy);
	kc_loop_never(p->with->loop, &p->build);
	end_request(p);
	release_batch(p, false);
	p->again_ms = 0;
	set_state(p, POSTER_OFF);
}

void alert_poster_done(struct alert_poster *p)
{
	kc_server_done(&p->server);
	curl_slist_free_all(TAKE(p->connect_to));
	buf_done(&p->body);
	buf_done(&p->got);
}

struct alertmanager_status alert_poster_status(const struct alert_poster *p)
{
	struct alertmanager_status v = {
		.url = p->url,
		.state = state_names[p->state],
		.reports = p->state != POSTER_OFF,
		.up = p->up,
		.alerts = p->with->book->n_has[p->i],
		.undelivered = alert_book_undelivered(p->with->book, p->i),
		.posts = p->posts,
		.last_success_usec = p->last_success_usec,
		.why = p->up ? "" : p->why,
	};

	memcpy(v.failures, p->failures, sizeof(v.failures));
	return v;
}
