/* Running an exec credential plugin (client.authentication.k8s.io v1 and v1beta1).   KEP-541
 *
 * The plugin leads a session of its own: what it started ends with it, at the time limit, and when its owner closes. It
 * gets our environment without what the service manager means for us, and none of our descriptors. What it says of
 * itself is never read: it may quote what it works with. */
#ifndef KUBECLIENT_KC_EXEC_H
#define KUBECLIENT_KC_EXEC_H

#include "base/buf.h"
#include "kubeclient/kubeconfig.h"
#include "mask/foreign.h"

#include <uv.h>

#define KC_EXEC_OUTPUT_MAX ((size_t)1 << 20)

struct kc_credential {
	char *token;      /* each from malloc, or NULL */
	char *cert, *key; /* PEM, both or none */
	int64_t expires;  /* Unix seconds; 0: until refused */
};
void kc_credential_done(struct kc_credential *c);

/* Embedded in its owner and never moved. One run at a time. */
struct kc_exec {
	uv_loop_t *loop;
	const struct kube_exec *config;
	const struct kube_cluster *cluster;
	uint64_t limit_ms;
	uv_process_t process;
	uv_pipe_t out;
	uv_timer_t timer;
	struct buf output;
	unsigned n_open;
	bool running, timed_out, exited;
	int64_t status;
	int signal;
	int spawn_error; /* the error of uv_spawn; 0: the program was started */
	/* The run's end, from the loop; @c is valid during the call, NULL on failure. */
	void (*done)(void *ctx, struct kc_credential *c, const struct err *err);
	void (*closed)(void *ctx); /* set by kc_exec_close */
	void *ctx;
};

/* Start the plugin; @done is called later. Fails: EALREADY, and what uv_spawn gives, with the install hint. */
CHECKED int kc_exec_start(struct kc_exec *x, struct err *err);

/* Kill the plugin and what it started, if it runs. @closed is called when nothing is open any more, at once if nothing
 * is. */
void kc_exec_close(struct kc_exec *x, void (*closed)(void *ctx));

/* Read an ExecCredential. Exported for tests. Fails: EBADMSG, EINVAL. */
CHECKED int kc_exec_parse(struct foreign text, const char *api_version, struct kc_credential *ret, struct err *err);

#endif
