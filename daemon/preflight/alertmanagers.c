/* Asks each Alertmanager whether it is ready. */
#include "daemon/preflight/alertmanagers.h"

#include "base/assert.h"
#include "daemon/alertmanager/alert_auth.h"
#include "kubeclient/kc_url.h"

#include <errno.h>

#define PATIENCE_MS 10000
#define ANSWER_MAX ((size_t)1 << 20)

struct questions;

struct question {
	struct questions *of;
	str url;
	struct kc_server server;
	struct kc_transfer transfer;
	struct curl_slist *headers, *connect_to;
	size_t bytes;
};

struct questions {
	const struct cfg_alertmanager *from;
	struct checks *out;
	struct kc_loop loop;
	struct alert_auth auth;
	struct question all[CFG_ALERTMANAGERS_MAX];
	size_t n_open;
};

static void report(const struct question *q, enum check_result result, const char *why)
{
	checks_add(q->of->out, STR(""), result, STR("alertmanager"), "%.*s: %s", STR_ARG(q->url), why);
}

/* Ignore the body of the answer. */
static bool on_body(void *ctx, char *bytes, size_t n)
{
	struct question *q = ctx;

	(void)bytes;
	q->bytes += n;
	kc_loop_useful(&q->of->loop);
	return q->bytes <= ANSWER_MAX;
}

static void judge(const struct question *q, CURLcode code)
{
	long status = kc_transfer_status(&q->transfer);
	char why[KC_WHY_MAX];

	if (code != CURLE_OK) {
		(void)kc_transfer_why(&q->transfer, code, why);
		report(q, CHECK_FAILED, why);
	} else if (status == 200) {
		report(q, CHECK_OK, "it answers");
	} else {
		(void)snprintf(why, sizeof(why), "it answers %ld%s", status,
			       status == 401 || status == 403 ? ": the credentials are not those that it wants" : "");
		report(q, CHECK_FAILED, why);
	}
}

static void end_question(struct question *q)
{
	kc_transfer_end(&q->transfer);
	curl_slist_free_all(TAKE(q->headers));
	curl_slist_free_all(TAKE(q->connect_to));
	kc_server_done(&q->server);
}

static void ignore(void *ctx)
{
	(void)ctx;
}

static void on_done(void *ctx, CURL *easy, CURLcode code)
{
	struct questions *all = ctx;
	struct question *q = NULL;

	(void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &q); /* the pointer was set when the request was made */
	judge(q, code);
	end_question(q);
	ASSERT(all->n_open > 0);
	if (--all->n_open == 0)
		kc_loop_close(&all->loop, ignore);
}

static int connect_to(struct question *q, struct err *err)
{
	CLEANUP(freep) char *url = str_dup(q->url);
	CLEANUP(freep) char *name = q->of->from->server_name.n ? str_dup(q->of->from->server_name) : NULL;
	int r = url && (name || !q->of->from->server_name.n) ? kc_server_init(&q->server, url, name, err)
							     : err_nomem(err);

	if (r < 0 || !q->server.connect_to)
		return r;
	q->connect_to = curl_slist_append(NULL, q->server.connect_to);
	return q->connect_to ? 0 : err_nomem(err);
}

static int add_headers(struct question *q, struct err *err)
{
	int r = q->server.host ? kc_header_add(&q->headers, STR("Host"), str_from(q->server.host)) : 0;

	return r < 0 ? err_nomem(err) : alert_auth_add(&q->of->auth, &q->headers, err);
}

static int ask(struct question *q, struct err *err)
{
	static const struct kc_transfer_ops ops = { .body = on_body };
	CLEANUP(buf_done) struct buf url = BUF_INIT(KC_URL_MAX);
	int r = connect_to(q, err);

	if (r == 0)
		r = add_headers(q, err);
	if (r < 0)
		return r;
	buf_printf(&url, "%s/api/v2/status", q->server.base);
	r = buf_error(&url, "the URL", err);
	return r < 0 ? r
		     : kc_transfer_begin(&q->transfer,
					 &(struct kc_transfer_options){ .url = url.p,
									.headers = q->headers,
									.plain = !q->server.tls,
									.connect_to = q->connect_to,
									.trust = alert_auth_trust(&q->of->auth),
									.timeout_ms = PATIENCE_MS,
									.ops = &ops,
									.ctx = q },
					 &q->of->loop, err);
}

static void ask_all(struct questions *all)
{
	struct err err;

	for (size_t i = 0; i < all->from->n_urls && i < CFG_ALERTMANAGERS_MAX; i++) {
		struct question *q = &all->all[i];

		*q = (struct question){ .of = all, .url = all->from->urls[i] };
		if (ask(q, &err) == 0) {
			all->n_open++;
			continue;
		}
		report(q, CHECK_FAILED, err.msg);
		end_question(q);
	}
}

int alertmanagers_check(uv_loop_t *loop, const struct cfg_alertmanager *from, struct checks *out, struct err *err)
{
	struct questions *all = from->n_urls ? calloc(1, sizeof(*all)) : NULL;
	int r;

	if (!from->n_urls)
		return 0;
	if (!all)
		return err_nomem(err);
	all->from = from;
	all->out = out;
	alert_auth_init(&all->auth, from);
	r = kc_loop_init(&all->loop, loop, NULL, ignore, on_done, all, err);
	if (r == 0) {
		struct err why;

		if (alert_auth_read(&all->auth, &why) < 0)
			checks_add(out, STR(""), CHECK_FAILED, STR("alertmanager"), "%s", why.msg);
		else
			ask_all(all);
		if (!all->n_open)
			kc_loop_close(&all->loop, ignore);
		(void)uv_run(loop, UV_RUN_DEFAULT);
	}
	alert_auth_done(&all->auth);
	free(all);
	return r;
}
