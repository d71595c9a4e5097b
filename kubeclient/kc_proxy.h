/* Through which proxy a server is reached: the one of the kubeconfig, without exceptions, or that of the environment,
 * by the rules of Go's clients. libcurl's own reading of the environment is not used: it knows other variables, goes
 * through the proxy to the local host, and asks it about the name to verify instead of the server's.
 * https://pkg.go.dev/golang.org/x/net/http/httpproxy */
#ifndef KUBECLIENT_KC_PROXY_H
#define KUBECLIENT_KC_PROXY_H

#include "base/err.h"

/* Each may be NULL. */
struct kc_proxy_env {
	const char *http;  /* for http:// servers: $HTTP_PROXY or $http_proxy */
	const char *https; /* for https:// servers: $HTTPS_PROXY or $https_proxy */
	const char *none;  /* $NO_PROXY or $no_proxy */
};

struct kc_proxy {
	char *url;   /* for CURLOPT_PROXY, with the password; "": none */
	char *shown; /* for people, without it: "http://proxy.example:3128"; NULL: none */
};

/* Read the process's environment. The result points into it. */
void kc_proxy_env_read(struct kc_proxy_env *ret);

/* The proxy to @server, an http:// or https:// URL with a port. @configured: proxy-url of the kubeconfig, or NULL.
 * Messages never hold the proxy's URL. Fails: EINVAL, ENOMEM. */
CHECKED int kc_proxy_init(struct kc_proxy *p, const char *server, const char *configured,
			  const struct kc_proxy_env *env, struct err *err);
void kc_proxy_done(struct kc_proxy *p);

#endif
