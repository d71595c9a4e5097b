/* From a status and a body to a code and a message: Kubernetes' Status objects, HTTP's codes. */
#include "kubeclient/kc_result.h"

#include "base/utf8.h"
#include "value/json.h"

#include <errno.h>
#include <stdio.h>

/* Longest text of a server that is quoted in a message. */
#define QUOTE_MAX 300

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
	switch (status) {
	case 400:
		return "Bad Request";
	case 401:
		return "Unauthorized";
	case 403:
		return "Forbidden";
	case 404:
		return "Not Found";
	case 410:
		return "Gone";
	case 422:
		return "Unprocessable Entity";
	case 429:
		return "Too Many Requests";
	case 500:
		return "Internal Server Error";
	case 502:
		return "Bad Gateway";
	case 503:
		return "Service Unavailable";
	case 504:
		return "Gateway Timeout";
	default:
		return "";
	}
}

static bool has_cause(val details, str reason)
{
	val causes = VAL_GET(details, "causes");

	for (uint32_t i = 0; i < val_count(causes); i++)
		if (str_eq(val_str(VAL_GET(val_at(causes, i), "reason")), reason))
			return true;
	return false;
}

/* Text of a server as one line of a message: cut, control and invalid bytes replaced. */
static void quote(str text, struct buf *out)
{
	size_t used;

	text = str_trim(text);
	for (size_t at = 0; at < text.n && at < QUOTE_MAX; at += used) {
		uint32_t c = utf8_decode(str_sub(text, at, text.n), &used);

		if (c == UTF8_REPLACEMENT || c < 0x20 || c == 0x7F)
			buf_add_byte(out, ' ');
		else
			buf_add(out, text.p + at, used);
	}
	if (text.n > QUOTE_MAX)
		buf_add_cstr(out, "...");
}

/* True when @body is a Status; its message goes to @out. */
static bool read_status(struct kc_result *result, str body, struct buf *out)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options options = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *d = NULL;
	struct err ignored;
	val details, wait;
	str reason;

	if (json_decode(body, &options, &d, &ignored) < 0 || !str_eq(val_str(VAL_GET(d->root, "kind")), STR("Status")))
		return false;
	reason = val_str(VAL_GET(d->root, "reason"));
	details = VAL_GET(d->root, "details");
	wait = VAL_GET(details, "retryAfterSeconds");
	(void)snprintf(result->reason, sizeof(result->reason), "%.*s", STR_ARG(reason));
	result->too_new = has_cause(details, STR("ResourceVersionTooLarge"));
	if (wait.kind == VAL_INT && wait.i > 0 && wait.i < 3600 && result->retry_after_ms == 0)
		result->retry_after_ms = (uint64_t)wait.i * 1000;
	quote(val_str(VAL_GET(d->root, "message")), out);
	return true;
}

void kc_result_status(struct kc_result *result, const char *what, str body)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(4096);
	int code = status_errno(result->status);

	if (!read_status(result, body, &text))
		quote(body, &text);
	if (code != ESTALE && (strcmp(result->reason, "Expired") == 0 || strcmp(result->reason, "Gone") == 0))
		code = ESTALE;
	(void)err_set(&result->err, code, "%.120s: %d %s%s%s", what, result->status, status_words(result->status),
		      text.n ? ": " : "", text.n ? text.p : "");
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
