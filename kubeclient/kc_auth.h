/* As whom a client speaks: token, certificate, basic authentication, credential plugin, impersonation; and whom it
 * trusts.
 *
 * Files are read again when they are due; one that became unreadable is reported and its old content stays in use. A
 * plugin runs on the loop; until it has answered kc_auth_ready is false and requests wait. */
#ifndef KUBECLIENT_KC_AUTH_H
#define KUBECLIENT_KC_AUTH_H

#include "kubeclient/kc_event.h"
#include "kubeclient/kc_exec.h"
#include "kubeclient/kc_tuning.h"

#include <curl/curl.h>

struct kc_auth {
	const struct kube_target *target;
	const struct kc_tuning *tuning;
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *message);
	void (*changed)(void *ctx); /* a plugin has answered: requests may go on */
	void *ctx;
	char *token;
	char *ca, *cert, *key; /* PEM; NULL: none */
	uint64_t token_due_ms, certificates_due_ms, exec_due_ms;
	uint64_t renewed_ms;   /* when a new token or certificate was taken, or a plugin was asked in vain; 0: never */
	struct err exec_error; /* code 0: the last run was good */
	struct kc_exec exec;
};

/* @target and @tuning outlive it. Reads the files once. Fails: codes of open(2), EINVAL, ENOMEM. */
CHECKED int kc_auth_init(struct kc_auth *a, uv_loop_t *loop, const struct kube_target *target,
			 const struct kc_tuning *tuning, struct err *err);
void kc_auth_done(struct kc_auth *a);

/* Re-read what is due, start the plugin when it is. True when requests may be sent now. */
bool kc_auth_ready(struct kc_auth *a, uint64_t now_ms);

/* The server answered 401. True when it makes sense to try the same request again (once ready). */
bool kc_auth_refused(struct kc_auth *a, uint64_t now_ms);

/* Credentials and trust of one request: options into @easy, headers appended to *headers.
 * Fails: the error of the plugin, EINVAL, ENOMEM. */
CHECKED int kc_auth_apply(struct kc_auth *a, CURL *easy, struct curl_slist **headers, struct err *err);

#endif
