/* What came of a request: the answer of the server, or why there is none. */
#ifndef KUBECLIENT_KC_RESULT_H
#define KUBECLIENT_KC_RESULT_H

#include "base/err.h"
#include "base/str.h"

struct kc_result {
	int status;              /* HTTP; 0: none came */
	uint64_t retry_after_ms; /* 0: not given */
	char reason[40];         /* of a Kubernetes Status, such as "Expired"; or "" */
	bool too_new;            /* the version asked for is not there yet (ResourceVersionTooLarge) */
	/* Code 0: a 2xx response came in full. ENOKEY 401, EACCES 403, ENOENT 404, ESTALE 410, EINVAL 400 and 422,
	 * EAGAIN 429, EREMOTEIO 5xx, EPROTO any other; ECONNREFUSED, EHOSTUNREACH (DNS), ETIMEDOUT, EKEYREJECTED (TLS),
	 * ECONNRESET, EIO. */
	struct err err;
};

/* Fill reason, retry, too_new and err from @body, that of an answer with result->status; @what names the request in the
 * message. A body that is no Status is quoted, cut and in one line. */
void kc_result_status(struct kc_result *result, const char *what, str body);

/* The label of the failure counter: the HTTP status, or a word for what broke. */
void kc_result_code(const struct kc_result *result, char ret[12]);

#endif
