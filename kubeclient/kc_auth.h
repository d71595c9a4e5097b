/* As whom a client speaks: token, certificate, basic authentication, credential plugin, impersonation; and whom it
 * trusts.
 *
 * Files are read again when they change, and from time to time where that cannot be seen; one that cannot be used is
 * reported once and its old content stays in use. A plugin runs on the loop, again before its answer expires; while
 * there is no answer to use kc_auth_ready is false and requests wait. Over plain HTTP no credential is sent, read or
 * asked for, as kubectl has it, only impersonation. */
#ifndef KUBECLIENT_KC_AUTH_H
#define KUBECLIENT_KC_AUTH_H

#include "kubeclient/kc_event.h"
#include "kubeclient/kc_exec.h"
#include "kubeclient/kc_files.h"
#include "kubeclient/kc_transfer.h"
#include "kubeclient/kc_tuning.h"

#include <curl/curl.h>

struct kc_auth {
	const struct kube_target *target;
	const struct kc_tuning *tuning;
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *message);
	void (*changed)(void *ctx); /* the credentials have changed, or a plugin has answered: requests may be sent */
	void *ctx;
	bool plain; /* the server is asked without TLS */
	bool plain_reported;
	char *token;
	char *ca, *cert, *key; /* PEM; NULL: none */
	uint64_t generation;   /* number of changes of the credentials and of answers of a plugin */
	uint64_t token_due_ms, certificates_due_ms, exec_due_ms;
	uint64_t exec_valid_ms; /* until when the plugin's answer may be used; 0: there is none */
	/* until when the plugin says that its answer is valid, Unix seconds; 0: it does not say */
	int64_t exec_expires;
	uint64_t exec_refused_ms; /* when a refusal last made the plugin run; 0: never */
	struct err exec_error;    /* code 0: the last run was good */
	struct err token_reported, ca_reported, pair_reported,
		exec_reported; /* the problem that was reported; code 0: none */
	struct kc_exec exec;
	struct kc_files files;
	unsigned n_open; /* plugin and files, when it closes */
	void (*closed)(void *ctx);
};

/* @target and @tuning outlive it; notice, changed, ctx and plain are set. Reads the files once. Fails: codes of
 * open(2), EINVAL, ENOMEM. */
CHECKED int kc_auth_init(struct kc_auth *a, uv_loop_t *loop, const struct kube_target *target,
			 const struct kc_tuning *tuning, struct err *err);
/* Watch the files. From now on the credentials end with kc_auth_close, before with kc_auth_done. */
void kc_auth_start(struct kc_auth *a);
/* @closed is called with ctx when no handle of the loop is open any more; kc_auth_done comes after it. */
void kc_auth_close(struct kc_auth *a, void (*closed)(void *ctx));
void kc_auth_done(struct kc_auth *a);

/* Read files and start the plugin when that is due. True: requests may be sent now. */
bool kc_auth_ready(struct kc_auth *a, uint64_t now_ms);

/* Read the files again now. */
void kc_auth_reread(struct kc_auth *a);

/* The server answered 401 to a request that was sent with @generation. True if it may be tried again once
 * kc_auth_ready: the files have changed since, or the plugin is asked again. */
bool kc_auth_refused(struct kc_auth *a, uint64_t generation, uint64_t now_ms);

/* Credentials and trust of one request: @trust gets texts of @a, valid until @a reads its files again; headers are
 * appended to *headers. Fails: the error of the plugin, EINVAL, ENOMEM. */
CHECKED int kc_auth_apply(struct kc_auth *a, struct kc_trust *trust, struct curl_slist **headers, struct err *err);

#endif
