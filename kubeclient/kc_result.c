/* Derives a code and a message from a status and a body: Kubernetes' Status objects, and HTTP's codes. */
#include "kubeclient/kc_result.h"

#include "mask/foreign.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

/* Longest text of a server that is quoted in a message. */
#define QUOTE_MAX 300
/* How much is quoted of an answer that is something else than expected. */
#define BEGINNING_MAX 40

static int status_errno(int status)
{
	switch (status) {
	case 400:
	case 422:
		return EINVAL;
	case 401:
		return ENOKEY;
	case 403:
		return EACCES;
	case 404:
		return ENOENT;
	case 410:
		return ESTALE;
	case 429:
		return EAGAIN;
	default:
		return status >= 500 ? EREMOTEIO : EPROTO;
	}
}

static const char *status_words(int status)
{
	static const struct {
		int status;
		const char *words;
	} rows[] = {
		{ 200, "OK" },
		{ 301, "Moved Permanently" },
		{ 302, "Found" },
		{ 303, "See Other" },
		{ 307, "Temporary Redirect" },
		{ 308, "Permanent Redirect" },
		{ 400, "Bad Request" },
		{ 401, "Unauthorized" },
		{ 403, "Forbidden" },
		{ 404, "Not Found" },
		{ 410, "Gone" },
		{ 422, "Unprocessable Entity" },
		{ 429, "Too Many Requests" },
		{ 500, "Internal Server Error" },
		{ 502, "Bad Gateway" },
		{ 503, "Service Unavailable" },
		{ 504, "Gateway Timeout" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].status == status)
			return rows[i].words;
	return "";
}

static bool has_cause(val details, str reason)
{
	val causes = VAL_GET(details, "causes");

	for (uint32_t i = 0; i < val_count(causes); i++)
		if (foreign_is(foreign_of(VAL_GET(val_at(causes, i), "reason")), reason))
			return true;
	return false;
}

static enum kc_reason reason_of(struct foreign reason)
{
	if (foreign_is(reason, STR("Expired")) || foreign_is(reason, STR("Gone")))
		return KC_REASON_GONE;
	return foreign_is(reason, STR("Forbidden")) ? KC_REASON_FORBIDDEN : KC_REASON_OTHER;
}

/* Whether @body is a Status; its message goes to @out. */
static bool read_status(struct kc_result *result, struct foreign body, struct buf *out)
{
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	val details, wait;

	if (json_decode(foreign_data(body), JSON_DEFAULTS, &d, &ignored) < 0 ||
	    !foreign_is(foreign_of(VAL_GET(d->root, "kind")), STR("Status")))
		return false;
	details = VAL_GET(d->root, "details");
	wait = VAL_GET(details, "retryAfterSeconds");
	result->reason = reason_of(foreign_of(VAL_GET(d->root, "reason")));
	result->too_new = has_cause(details, STR("ResourceVersionTooLarge"));
	if (wait.kind == VAL_INT && wait.i > 0 && wait.i < 3600 && result->retry_after_ms == 0)
		result->retry_after_ms = (uint64_t)wait.i * 1000;
	foreign_quote(foreign_of(VAL_GET(d->root, "message")), QUOTE_MAX, out);
	return true;
}

/* ---- headers ---- */

static bool is_host(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    !memchr(".-_[]:", c, 6))
			return false;
	}
	return s.n > 0;
}

/* Take the host and port after the user and the password. A text that only looks like a host may be a part of those. */
static bool read_host(str authority, str *ret)
{
	ptrdiff_t at = str_rfind(authority, STR("@")), colon;
	str port;

	*ret = str_sub(authority, (size_t)(at + 1), authority.n);
	colon = str_rfind(*ret, STR(":"));
	port = colon < 0 || ret->p[ret->n - 1] == ']' ? STR("") : str_sub(*ret, (size_t)colon + 1, ret->n);
	for (size_t i = 0; i < port.n; i++)
		if (port.p[i] < '0' || port.p[i] > '9')
			return false;
	return is_host(*ret);
}

static void show_url(str url, struct buf *out)
{
	ptrdiff_t scheme = str_find(url, STR("://"));
	size_t from, path, end;
	str host;

	if (scheme < 0)
		return;
	from = (size_t)scheme + 3;
	end = from + strcspn(url.p + from, "?#");
	path = from + strcspn(url.p + from, "/?#");
	if (!read_host(str_sub(url, from, path), &host))
		return;
	foreign_quote(foreign_bytes(str_sub(url, 0, from)), from, out);
	buf_add_str(out, host);
	foreign_quote(foreign_bytes(str_sub(url, path, end)), 80, out);
}

void kc_result_headers(struct kc_result *result, const char *content_type, const char *redirect)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(4096);

	if (content_type)
		foreign_print(foreign_bytes((str){ content_type, strcspn(content_type, ";") }), result->type,
			      sizeof(result->type));
	if (redirect)
		show_url(str_from(redirect), &url);
	(void)snprintf(result->redirect, sizeof(result->redirect), "%s", url.n ? url.p : "");
}

/* ---- answers ---- */

static void refuse_redirect(struct kc_result *result, const char *what)
{
	const char *to = result->redirect;

	(void)err_set(&result->err, EPROTO, "%.120s: %d %s: redirects are not followed%s%s%s", what, result->status,
		      status_words(result->status), *to ? " (to " : "", to, *to ? ")" : "");
}

void kc_result_status(struct kc_result *result, const char *what, const char *advice, struct foreign body)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	int code = status_errno(result->status);
	bool reported = read_status(result, body, &text);

	if (!reported && result->status >= 300 && result->status < 400) {
		refuse_redirect(result, what);
		return;
	}
	if (!reported)
		foreign_quote(body, QUOTE_MAX, &text);
	if (code != ESTALE && result->reason == KC_REASON_GONE)
		code = ESTALE;
	if (result->status == 403 && result->reason != KC_REASON_FORBIDDEN)
		advice = "";
	(void)err_set(&result->err, code, "%.120s: %d %s%.160s%s%s", what, result->status, status_words(result->status),
		      advice, text.n ? ": " : "", text.n ? text.p : "");
}

/* Whether a text that begins as an object is incomplete: a string or a bracket is still open. */
static bool is_cut(str text)
{
	size_t open = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && (c == '{' || c == '['))
			open++;
		else if (!quoted && (c == '}' || c == ']') && open > 0)
			open--;
	}
	return quoted || open > 0;
}

void kc_result_no_json(const struct kc_result *result, struct foreign body, bool complete, struct err *err)
{
	const char *words = status_words(result->status), *type = result->type;
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	str rest = str_trim(foreign_data(body));

	if (rest.n == 0) {
		(void)err_set(err, EBADMSG, "%d %s, but the answer is empty", result->status, words);
	} else if (rest.p[0] != '{') {
		foreign_quote(body, BEGINNING_MAX, &text);
		(void)err_set(err, EBADMSG, "%d %s, but the answer is not JSON%s%s%s: it begins with \"%s\"",
			      result->status, words, *type ? " (" : "", type, *type ? ")" : "", text.n ? text.p : "");
	} else if (complete && is_cut(rest)) {
		(void)err_set(err, EBADMSG,
			      "%d %s, but the answer ends in the middle of a JSON document after %zu bytes",
			      result->status, words, foreign_size(body));
	}
}

void kc_result_code(const struct kc_result *result, char ret[12])
{
	const char *word = "other";

	if (result->status >= 300) {
		(void)snprintf(ret, 12, "%d", result->status % 1000);
		return;
	}
	switch (result->err.code) {
	case ECONNREFUSED:
		word = "refused";
		break;
	case EHOSTUNREACH:
		word = "dns";
		break;
	case ETIMEDOUT:
		word = "timeout";
		break;
	case EKEYREJECTED:
		word = "tls";
		break;
	case ECONNRESET:
		word = "broken";
		break;
	default:
		break;
	}
	(void)snprintf(ret, 12, "%s", word);
}
