/* A call as requests of libcurl: what is copied and refused, the options of a try, and what its end means. */
#include "daemon/inspection/calls_internal.h"

#include "go/url.h"
#include "kubeclient/kc_loop.h"
#include "mask/foreign.h"

#include <errno.h>
#include <stdio.h>

#define SHOWN_MAX 512

/* ---- copying ---- */

/* What would make another message of the request, or one for another host than that of the URL. */
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

/* No byte of it ends the line, or the text. */
static bool is_line(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\r' || s.p[i] == '\n' || s.p[i] == '\0')
			return false;
	}
	return true;
}

/* libcurl takes a value of blanks alone for the wish to leave the header out; a semicolon sends it. */
static int add_header(struct call *x, str name, str value, struct err *err)
{
	str text = str_trim(value);
	str line = text.n ? arena_printf(&x->arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(text))
			  : arena_printf(&x->arena, "%.*s;", STR_ARG(name));
	struct curl_slist *longer = line.p ? curl_slist_append(x->headers, line.p) : NULL;

	if (!longer)
		return err_nomem(err);
	x->headers = longer;
	return 0;
}

static int copy_headers(struct call *x, val headers, struct err *err)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && val_is_map(headers) && i < headers.n; i++) {
		str name = key_str(headers.members[i].key), value = foreign_data(foreign_of(headers.members[i].value));

		if (name.n == 0 || !is_line(name) || !is_line(value) || str_find_byte(name, ':') >= 0)
			x->refused = "a header that cannot be sent";
		else if (is_reserved(name))
			x->refused = "a header that is not for rules to set";
		else
			r = add_header(x, name, value, err);
	}
	return r;
}

/* For messages. */
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

/* That of the URL's scheme, "" when there is none. */
static str proxy_of(val proxies, str scheme)
{
	return val_is_map(proxies) ? foreign_data(foreign_of(val_get(proxies, scheme))) : STR("");
}

static int copy_proxy(struct call *x, str proxy, struct err *err)
{
	ptrdiff_t colon = str_find(proxy, STR("://"));

	if (!is_line(proxy) || (colon >= 0 && !str_eq_nocase(str_sub(proxy, 0, (size_t)colon), STR("http")) &&
				!str_eq_nocase(str_sub(proxy, 0, (size_t)colon), STR("https"))))
		x->refused = "its proxy is none for HTTP";
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

/* Whatever the number is. */
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
	curl_easy_cleanup(x->easy);
	curl_slist_free_all(x->headers);
	arena_done(&x->arena);
	free(x);
}

/* ---- a try ---- */

static long status_of(const struct call *x)
{
	long status = 0;

	(void)curl_easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status); /* it stays 0 when it fails */
	return status;
}

/* A line of the head; the empty one ends it, unless it was that of an interim answer. */
static size_t on_header(char *p, size_t size, size_t count, void *ctx)
{
	struct call *x = ctx;
	size_t n = size * count;

	if (n > x->head_left)
		return 0;
	x->head_left -= n;
	if ((n == 2 && p[0] == '\r') || (n == 1 && p[0] == '\n'))
		x->answered = status_of(x) >= 200;
	return n;
}

static size_t on_write(char *p, size_t size, size_t count, void *ctx)
{
	struct call *x = ctx;
	size_t n = size * count;

	(void)p;
	if (n > x->body_left)
		return 0;
	x->body_left -= n;
	return n;
}

/* What was allowed is what is asked for: neither the path nor the host is read in another way. */
static bool set_target(struct call *x)
{
	CURL *e = x->easy;

	return !curl_easy_setopt(e, CURLOPT_URL, x->url) && !curl_easy_setopt(e, CURLOPT_PATH_AS_IS, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_PROTOCOLS_STR, "http,https") &&
	       !curl_easy_setopt(e, CURLOPT_FOLLOWLOCATION, 0L) &&
	       !curl_easy_setopt(e, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED) &&
	       !curl_easy_setopt(e, CURLOPT_PROXY, x->proxy) && !curl_easy_setopt(e, CURLOPT_NOPROXY, "");
}

static bool set_connection(struct call *x, uint64_t timeout_ms)
{
	CURL *e = x->easy;

	return !curl_easy_setopt(e, CURLOPT_NOSIGNAL, 1L) && !curl_easy_setopt(e, CURLOPT_QUICK_EXIT, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2) &&
	       !curl_easy_setopt(e, CURLOPT_SSL_VERIFYPEER, 1L) && !curl_easy_setopt(e, CURLOPT_SSL_VERIFYHOST, 2L) &&
	       !curl_easy_setopt(e, CURLOPT_PROXY_SSL_VERIFYPEER, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_PROXY_SSL_VERIFYHOST, 2L) &&
	       !curl_easy_setopt(e, CURLOPT_TIMEOUT_MS, (long)timeout_ms) &&
	       !curl_easy_setopt(e, CURLOPT_CONNECTTIMEOUT_MS, (long)timeout_ms);
}

static bool set_message(struct call *x)
{
	CURL *e = x->easy;

	return !curl_easy_setopt(e, CURLOPT_HTTPGET, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) &&
	       !curl_easy_setopt(e, CURLOPT_USERAGENT, "driftd/" DRIFTD_VERSION) &&
	       !curl_easy_setopt(e, CURLOPT_HTTPHEADER, x->headers) &&
	       !curl_easy_setopt(e, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE) &&
	       !curl_easy_setopt(e, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L) &&
	       !curl_easy_setopt(e, CURLOPT_HEADERFUNCTION, on_header) && !curl_easy_setopt(e, CURLOPT_HEADERDATA, x) &&
	       !curl_easy_setopt(e, CURLOPT_WRITEFUNCTION, on_write) && !curl_easy_setopt(e, CURLOPT_WRITEDATA, x) &&
	       !curl_easy_setopt(e, CURLOPT_ERRORBUFFER, x->curl_error) && !curl_easy_setopt(e, CURLOPT_PRIVATE, x);
}

int call_try_begin(struct call *x, uint64_t timeout_ms, const struct calls_options *o, struct err *err)
{
	x->answered = false;
	x->head_left = o->head_bytes_max;
	x->body_left = o->body_bytes_max;
	x->curl_error[0] = '\0';
	x->easy = curl_easy_init();
	if (!x->easy || !set_target(x) || !set_connection(x, timeout_ms) || !set_message(x))
		return err_nomem(err);
	return 0;
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

/* Whether it would end the same way once more. */
static bool is_final(CURLcode code)
{
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

/* What libcurl says of a proxy may hold its password. */
static void describe_proxied(const struct call *x, CURLcode code, char why[CALL_WHY_MAX])
{
	long status = 0;

	(void)curl_easy_getinfo(x->easy, CURLINFO_HTTP_CONNECTCODE, &status); /* it stays 0 when it fails */
	if (status >= 300)
		(void)snprintf(why, CALL_WHY_MAX, "the proxy answers %ld", status);
	else
		(void)snprintf(why, CALL_WHY_MAX, "through a proxy: %s", curl_easy_strerror(code));
}

static enum call_end judge_code(const struct call *x, CURLcode code, char why[CALL_WHY_MAX])
{
	if (code == CURLE_WRITE_ERROR)
		(void)snprintf(why, CALL_WHY_MAX, "the head of the answer is too long");
	else if (code == CURLE_OUT_OF_MEMORY) /* what libcurl 7.88 says of both */
		(void)snprintf(why, CALL_WHY_MAX, "no memory, or a line of the answer's head is too long");
	else if (code == CURLE_OK)
		(void)snprintf(why, CALL_WHY_MAX, "no answer");
	else if (*x->proxy)
		describe_proxied(x, code, why);
	else /* what may repeat what the server sent, as the names of its certificate */
		foreign_print(foreign_bytes(str_from(*x->curl_error ? x->curl_error : curl_easy_strerror(code))), why,
			      CALL_WHY_MAX);
	return is_final(code) ? CALL_FAILED : CALL_AGAIN;
}

enum call_end call_try_end(struct call *x, CURLcode code, char why[CALL_WHY_MAX])
{
	enum call_end end = x->answered ? judge_status(status_of(x), why) : judge_code(x, code, why);

	curl_easy_cleanup(TAKE(x->easy));
	return end;
}
