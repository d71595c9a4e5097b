/* Connects one book and one client with several Alertmanagers. */
#include "daemon/alertmanager/alerts.h"

#include "base/assert.h"
#include "daemon/alertmanager/alert_poster.h"
#include "daemon/findings/clock.h"

#define SLICE_NS UINT64_C(1000000)
#define SET_USEC (2 * INT64_C(1000000)) /* a clock that differs from the steady one by more was set */
#define EXPIRE_MS 60000

struct alerts {
	struct arena arena; /* memory for @from */
	struct cfg_alertmanager from;
	struct findings *findings;
	struct shard shard;
	char origin[FINDING_ID_SIZE];
	struct alert_book book;
	struct alert_auth auth;
	struct alert_common common;
	struct kc_loop loop;
	struct kc_job look;
	struct alert_poster posters[CFG_ALERTMANAGERS_MAX];
	struct alertmanager_status views[CFG_ALERTMANAGERS_MAX];
	size_t n;
	bool reports;
	int64_t ahead_usec; /* time of day minus steady clock, for noticing that somebody set the former */
	uint64_t expired_ms;
	void (*closed)(void *ctx);
	void *ctx;
};

/* ---- settings ---- */

#define TEXTS 8

static void texts_of(struct cfg_alertmanager *x, str *ret[TEXTS])
{
	str *const texts[TEXTS] = { &x->ca_file,  &x->cert_file,     &x->key_file,          &x->server_name,
				    &x->username, &x->password_file, &x->bearer_token_file, &x->page_url };

	memcpy(ret, texts, sizeof(texts));
}

static bool copy(struct alerts *a, str *s)
{
	*s = arena_str(&a->arena, s->n ? *s : STR(""));
	return s->p != NULL;
}

static int copy_settings(struct alerts *a, const struct cfg_alertmanager *from, struct err *err)
{
	str *urls = arena_array(&a->arena, from->n_urls + 1, sizeof(*urls));
	struct cfg_label *labels = arena_array(&a->arena, from->n_labels + 1, sizeof(*labels));
	str *texts[TEXTS];
	bool ok = urls && labels;

	a->from = *from;
	texts_of(&a->from, texts);
	for (size_t i = 0; ok && i < TEXTS; i++)
		ok = copy(a, texts[i]);
	for (size_t i = 0; ok && i < from->n_urls; i++) {
		urls[i] = from->urls[i];
		ok = copy(a, &urls[i]);
	}
	for (size_t i = 0; ok && i < from->n_labels; i++) {
		labels[i] = from->labels[i];
		ok = copy(a, &labels[i].name) && copy(a, &labels[i].value);
	}
	a->from.urls = urls;
	a->from.labels = labels;
	return ok ? 0 : err_nomem(err);
}

static bool same_texts(struct cfg_alertmanager x, struct cfg_alertmanager y)
{
	str *of_x[TEXTS], *of_y[TEXTS];

	texts_of(&x, of_x);
	texts_of(&y, of_y);
	for (size_t i = 0; i < TEXTS; i++) {
		if (!str_eq(*of_x[i], *of_y[i]))
			return false;
	}
	return x.min_severity == y.min_severity && x.values == y.values;
}

bool alerts_are_of(const struct alerts *a, const struct cfg_alertmanager *from)
{
	bool same = same_texts(a->from, *from) && a->from.n_urls == from->n_urls && a->from.n_labels == from->n_labels;

	for (size_t i = 0; same && i < from->n_urls; i++)
		same = str_eq(a->from.urls[i], from->urls[i]);
	for (size_t i = 0; same && i < from->n_labels; i++)
		same = str_eq(a->from.labels[i].name, from->labels[i].name) &&
		       str_eq(a->from.labels[i].value, from->labels[i].value);
	return same;
}

/* ---- the loop ---- */

static void on_turn(void *ctx)
{
	struct alerts *a = ctx;

	for (size_t i = 0; i < a->n; i++)
		alert_poster_turn(&a->posters[i]);
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct alert_poster *p = NULL;

	(void)ctx;
	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &p); /* always set, so that this cannot fail */
	alert_poster_answered(p, code);
}

static void on_look(void *ctx)
{
	struct alerts *a = ctx;

	if (alert_book_look(&a->book, uv_hrtime() + SLICE_NS))
		kc_loop_later(&a->loop, &a->look);
}

/* ---- once a second ---- */

static void stop_reporting(struct alerts *a)
{
	kc_loop_never(&a->loop, &a->look);
	for (size_t i = 0; i < a->n; i++)
		alert_poster_stop(&a->posters[i]);
	alert_book_forget(&a->book);
	a->reports = false;
}

void alerts_hurry(struct alerts *a)
{
	for (size_t i = 0; i < a->n; i++)
		alert_poster_hurry(&a->posters[i]);
}

static void look_at_clock(struct alerts *a)
{
	int64_t ahead = clock_usec() - clock_boot_usec(), by = ahead - a->ahead_usec;

	if (by > SET_USEC || by < -SET_USEC)
		alerts_hurry(a);
	a->ahead_usec = ahead;
}

/* Drop alerts that the Alertmanagers have ended by themselves. */
static void expire(struct alerts *a)
{
	uint64_t now = uv_now(a->loop.uv);

	if (now - a->expired_ms < EXPIRE_MS)
		return;
	a->expired_ms = now;
	alert_book_expire(&a->book);
}

/* Make the origin, which says who posted an alert: the same whenever a driftd with this key runs, but different for
 * each of several processes. */
static bool name_origin(struct alerts *a)
{
	char space[SHARD_TEXT_SIZE], text[64];

	(void)snprintf(text, sizeof(text), "who posts alerts\x1f%s", shard_text(a->shard, space));
	return findings_cause_id(a->findings, str_from(text), a->origin);
}

void alerts_tick(struct alerts *a, bool reports)
{
	look_at_clock(a);
	if (!reports) {
		if (a->reports)
			stop_reporting(a);
		return;
	}
	if (!a->reports && !name_origin(a)) /* hosts may have agreed on another key meanwhile */
		return;
	a->reports = true;
	if (alert_book_is_stale(&a->book))
		kc_loop_later(&a->loop, &a->look);
	for (size_t i = 0; i < a->n; i++)
		alert_poster_tick(&a->posters[i]);
	expire(a);
}

const struct alertmanager_status *alerts_views(struct alerts *a, size_t *n)
{
	for (size_t i = 0; i < a->n; i++)
		a->views[i] = alert_poster_status(&a->posters[i]);
	*n = a->n;
	return a->views;
}

/* ---- life ---- */

static void alerts_free(struct alerts *a)
{
	for (size_t i = 0; i < a->n; i++)
		alert_poster_done(&a->posters[i]);
	alert_book_done(&a->book);
	alert_auth_done(&a->auth);
	arena_done(&a->arena);
	free(a);
}
DEFINE_CLEANUP(struct alerts *, alerts_free)

static int init_posters(struct alerts *a, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < a->from.n_urls && i < CFG_ALERTMANAGERS_MAX; i++) {
		r = alert_poster_init(&a->posters[i], &a->common, (unsigned)i, a->from.urls[i], err);
		a->n += r == 0;
	}
	return r;
}

int alerts_new(const struct alerts_options *o, struct alerts **ret, struct err *err)
{
	CLEANUP(alerts_freep) struct alerts *a = calloc(1, sizeof(*a));
	int r;

	if (!a)
		return err_nomem(err);
	arena_init(&a->arena, 0, 0);
	alert_book_init(&a->book, &a->from, o->findings);
	alert_auth_init(&a->auth, &a->from);
	a->look = (struct kc_job){ .run = on_look, .ctx = a };
	a->common = (struct alert_common){ &a->from, &a->book,  &a->loop,    &a->auth,
					   o->sink,  a->origin, o->may_post, o->ctx };
	a->ahead_usec = clock_usec() - clock_boot_usec();
	a->expired_ms = uv_now(o->loop);
	r = copy_settings(a, o->from, err);
	a->findings = o->findings;
	a->shard = o->shard;
	if (r == 0 && !name_origin(a))
		r = err_nomem(err);
	if (r == 0)
		r = init_posters(a, err);
	if (r == 0)
		r = kc_loop_init(&a->loop, o->loop, o->pace, on_turn, on_done, a, err);
	if (r == 0)
		*ret = TAKE(a);
	return r;
}

static void on_closed(void *ctx)
{
	struct alerts *a = ctx;
	void (*closed)(void *ctx) = a->closed;
	void *closed_ctx = a->ctx;

	alerts_free(a);
	if (closed)
		closed(closed_ctx);
}

void alerts_close(struct alerts *a, void (*closed)(void *ctx), void *ctx)
{
	ASSERT(!a->closed);
	a->closed = closed;
	a->ctx = ctx;
	stop_reporting(a);
	kc_loop_close(&a->loop, on_closed);
}
