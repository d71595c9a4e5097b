/* The result of a request: the server's answer, or why there is none. */
#ifndef KUBECLIENT_KC_RESULT_H
#define KUBECLIENT_KC_RESULT_H

#include "base/err.h"
#include "mask/foreign.h"

/* What the reason in a Kubernetes Status means here. */
enum kc_reason {
	KC_REASON_OTHER, /* none, too */
	KC_REASON_GONE,  /* "Expired" or "Gone": the version is too old */
	KC_REASON_FORBIDDEN,
};

struct kc_result {
	int status;              /* HTTP; 0: none came */
	uint64_t retry_after_ms; /* 0: not given */
	enum kc_reason reason;
	bool too_new;       /* the version asked for is not there yet (ResourceVersionTooLarge) */
	char type[64];      /* media type of the answer, printable; "": not known */
	char redirect[160]; /* where a 3xx answer points to, printable, without what may be secret; "": not known */
	/* Code 0: a 2xx response came in full. ENOKEY 401, EACCES 403, ENOENT 404, ESTALE 410, EINVAL 400 and 422,
	 * EAGAIN 429, EREMOTEIO 5xx, EPROTO any other; ECONNREFUSED, EHOSTUNREACH (DNS), ETIMEDOUT, EKEYREJECTED (TLS),
	 * ECONNRESET, EIO. */
	struct err err;
};

/* Keep what is of use of two headers, before kc_result_status: the media type without its parameters, and scheme, host
 * and path of the URL. Either may be NULL. */
void kc_result_headers(struct kc_result *result, const char *content_type, const char *redirect);

/* Fill reason, retry, too_new and err from @body, that of an answer with result->status; @what names the request in the
 * message. A body that is no Status is quoted, cut and in one line. @advice ("" or " (…)") stands ahead of what the
 * server says, but not of a 403 that is none of the API's. */
void kc_result_status(struct kc_result *result, const char *what, const char *advice, struct foreign body);

/* Say in *err what came in place of a JSON document, when @body (or the beginning of it) shows that; else leave it. A
 * body that is not @complete is not called half a document. */
void kc_result_no_json(const struct kc_result *result, struct foreign body, bool complete, struct err *err);

/* The label of the failure counter: the HTTP status, or a word for what broke. */
void kc_result_code(const struct kc_result *result, char ret[12]);

#endif
