/* Turns a call into requests of libcurl: what is copied and refused, the options of a try, and the meaning of its
 * end. */
#include "daemon/inspection/calls_internal.h"

#include "base/assert.h"
#include "go/url.h"
#include "kubeclient/kc_loop.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

#define SHOWN_MAX 512

/* ---- copying ---- */

/* Whether the header @name is not allowed, because it could change the framing of the request or its host. */
static bool is_reserved(str name)
{
	static const char *const names[] = { "Connection", "Content-Length",    "Expect", "Host", "Keep-Alive", "TE",
					     "Trailer",    "Transfer-Encoding", "Upgrade" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq_nocase(name, str_from(names[i])))
			return true;
	}
	return str_eq_nocase(str_sub(name, 0, 6), STR("Proxy-"));
}

/* Whether the text contains no byte that ends the line, or the text. */
static bool is_line(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\r' || s.p[i] == '\n' || s.p[i] == '\0')
			return false;
	}
	return true;
}

static int copy_headers(struct call *x, val headers, struct err *err)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && val_is_map(headers) && i < headers.n; i++) {
		str name = key_str(headers.members[i].key), value = foreign_data(foreign_of(headers.members[i].value));

		if (is_reserved(name))
			x->refused = "a header that is not for rules to set";
		else
			r = name.n == 0 || str_find_byte(name, ':') >= 0
				    ? -EINVAL
				    : kc_header_add(&x->headers, name, str_trim(value));
		if (r == -EINVAL) {
			x->refused = "a header that cannot be sent";
			r = 0;
		}
	}
	return r < 0 ? err_nomem(err) : 0;
}

/* Make the form of the URL that messages show. */
static int show_url(struct call *x, struct go_url u, struct err *err)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(CALL_BYTES_MAX * 4), shown = BUF_INIT(SHOWN_MAX * 4);
	int r;

	u.has_user = u.has_password = u.force_query = false;
	u.query = u.fragment = STR("");
	go_url_string(&u, &text);
	r = buf_error(&text, "the URL", err);
	if (r < 0)
		return r;
	foreign_quote(foreign_bytes(buf_str(&text)), SHOWN_MAX, &shown);
	r = buf_error(&shown, "the URL", err);
	if (r < 0)
		return r;
	x->shown = arena_str(&x->arena, buf_str(&shown));
	return x->shown.p ? 0 : err_nomem(err);
}

static bool is_http(str scheme)
{
	return str_eq(scheme, STR("http")) || str_eq(scheme, STR("https"));
}

/* The proxy for the URL's scheme; "" when there is none. */
static str proxy_of(val proxies, str scheme)
{
	return val_is_map(proxies) ? foreign_data(foreign_of(val_get(proxies, scheme))) : STR("");
}

static int copy_proxy(struct call *x, str proxy, struct err *err)
{
	ptrdiff_t colon = str_find(proxy, STR("://"));

	if (!is_line(proxy) || (colon >= 0 && !str_eq_nocase(str_sub(proxy, 0, (size_t)colon), STR("http")) &&
				!str_eq_nocase(str_sub(proxy, 0, (size_t)colon), STR("https"))))
		x->refused = "its proxy does not speak HTTP";
	x->proxy = arena_str(&x->arena, proxy).p;
	return x->proxy ? 0 : err_nomem(err);
}

static int copy_url(struct call *x, str url, bool secret, val proxies, struct err *err)
{
	struct go_url u;
	int r = go_url_parse(url, &x->arena, &u, NULL);

	if (r == -ENOMEM)
		return err_nomem(err);
	x->url = arena_str(&x->arena, url).p;
	x->shown = STR("(a URL that holds what may not be shown)");
	if (!x->url)
		return err_nomem(err);
	if (r < 0 || !is_line(url) || !is_http(u.scheme) || u.host.n == 0) {
		x->refused = "no URL of HTTP";
		x->shown = STR("what is no URL");
		return 0;
	}
	r = secret ? 0 : show_url(x, u, err);
	return r == 0 ? copy_proxy(x, proxy_of(proxies, u.scheme), err) : r;
}

static size_t bytes_of(val texts)
{
	size_t n = 0;

	for (uint32_t i = 0; val_is_map(texts) && i < texts.n; i++)
		n += key_str(texts.members[i].key).n + foreign_data(foreign_of(texts.members[i].value)).n;
	return n;
}

static int copy_origin(struct call *x, const struct call_origin *origin, struct err *err)
{
	x->origin = *origin;
	x->origin.cluster = arena_str(&x->arena, origin->cluster);
	x->origin.rule = arena_str(&x->arena, origin->rule);
	return x->origin.cluster.p && x->origin.rule.p ? 0 : err_nomem(err);
}

/* Convert seconds to milliseconds, within a valid range for any number. */
static uint64_t milliseconds(double seconds)
{
	if (!(seconds > 0.001))
		return 1;
	return (uint64_t)((seconds < INSP_TIMEOUT_MAX ? seconds : INSP_TIMEOUT_MAX) * 1000);
}

int call_new(const struct insp_call *call, const struct call_origin *origin, struct call **ret, struct err *err)
{
	CLEANUP(call_freep) struct call *x = NULL;
	int r;

	if (call->url.n + bytes_of(call->headers) + bytes_of(call->proxies) > CALL_BYTES_MAX)
		return err_set(err, E2BIG, "URL, headers and proxies are longer than %zu bytes", CALL_BYTES_MAX);
	x = calloc(1, sizeof(*x));
	if (!x)
		return err_nomem(err);
	arena_init(&x->arena, 0, 0);
	x->timeout_ms = milliseconds(call->timeout);
	x->retries = call->retries;
	x->backoff_factor = call->backoff_factor;
	x->proxy = "";
	r = copy_origin(x, origin, err);
	if (r == 0)
		r = copy_url(x, call->url, call->secret, call->proxies, err);
	if (r == 0)
		r = copy_headers(x, call->headers, err);
	if (r < 0)
		return r;
	*ret = TAKE(x);
	return 0;
}

void call_free(struct call *x)
{
	if (!x)
		return;
	kc_transfer_end(&x->transfer);
	curl_slist_free_all(x->headers);
	arena_done(&x->arena);
	free(x);
}

/* ---- a try ---- */

static void on_head(void *ctx, str line, long status)
{
	struct call *x = ctx;

	(void)line;
	x->answered |= status >= 200;
}

static bool on_body(void *ctx, char *p, size_t n)
{
	struct call *x = ctx;

	(void)p;
	if (n > x->body_left)
		return false;
	x->body_left -= n;
	return true;
}

/* Begin a try. The URL is sent exactly as it was checked: neither the path nor the host is read in another way. */
int call_try_begin(struct call *x, uint64_t timeout_ms, const struct calls_options *o, struct kc_loop *loop,
		   struct err *err)
{
	static const struct kc_transfer_ops ops = { on_head, on_body };

	ASSERT(!x->transfer.easy);
	x->answered = false;
	x->body_left = o->body_bytes_max;
	return kc_transfer_begin(&x->transfer,
				 &(struct kc_transfer_options){
					 .url = x->url,
					 .headers = x->headers,
					 .plain = true, /* the rule may say http://, if allow_api_call allows it */
					 /* the version that the first interpreter of these rules speaks */
					 .http1 = true,
					 .proxy = x->proxy, /* the proxy from the rule */
					 .timeout_ms = timeout_ms,
					 .head_bytes_max = o->head_bytes_max,
					 .ops = &ops,
					 .ctx = x,
				 },
				 loop, err);
}

/* ---- what came of it ---- */

static enum call_end judge_status(long status, char why[CALL_WHY_MAX])
{
	(void)snprintf(why, CALL_WHY_MAX, "the server answers %ld", status);
	switch (status) {
	case 429:
	case 500:
	case 502:
	case 503:
	case 504:
		return CALL_AGAIN;
	default:
		return status < 400 ? CALL_SUCCEEDED : CALL_FAILED;
	}
}

/* Whether another try would end the same way. */
static bool is_final(CURLcode code)
{
	if (code == KC_CURLE_TOO_LARGE)
		return true;
	switch (code) {
	case CURLE_UNSUPPORTED_PROTOCOL:
	case CURLE_URL_MALFORMAT:
	case CURLE_LOGIN_DENIED:
	case CURLE_OUT_OF_MEMORY:
	case CURLE_WRITE_ERROR: /* the head is too long */
		return true;
	default:
		return false;
	}
}

static enum call_end judge_code(const struct call *x, CURLcode code, char why[CALL_WHY_MAX])
{
	bool ours = code == CURLE_WRITE_ERROR || code == CURLE_OUT_OF_MEMORY || code == KC_CURLE_TOO_LARGE ||
		    kc_transfer_refusal(&x->transfer);

	if (code == CURLE_OK)
		(void)snprintf(why, CALL_WHY_MAX, "no answer");
	else if (*x->proxy && !ours) /* libcurl's message may contain the password of the proxy */
		(void)snprintf(why, CALL_WHY_MAX, "through a proxy: %s", curl_easy_strerror(code));
	else
		(void)kc_transfer_why(&x->transfer, code, why);
	return is_final(code) ? CALL_FAILED : CALL_AGAIN;
}

enum call_end call_try_end(struct call *x, CURLcode code, char why[CALL_WHY_MAX])
{
	enum call_end end =
		x->answered ? judge_status(kc_transfer_status(&x->transfer), why) : judge_code(x, code, why);

	kc_transfer_end(&x->transfer);
	return end;
}
