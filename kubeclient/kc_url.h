/* Paths and queries of the Kubernetes API. */
#ifndef KUBECLIENT_KC_URL_H
#define KUBECLIENT_KC_URL_H

#include "base/buf.h"
#include "kubeclient/kc_resource.h"

#define KC_URL_MAX 16384

/* Append the path of a collection: /api/v1/namespaces/x/pods, /apis/apps/v1/deployments. An empty or NULL @namespace,
 * or a resource without namespaces, gives the collection of the whole cluster. */
void kc_url_collection(struct buf *b, const struct kc_resource *r, const char *namespace);

/* Append one query parameter with '?' or '&'. A NULL or empty value is left out. */
void kc_url_query(struct buf *b, const char *name, str value);
void kc_url_number(struct buf *b, const char *name, uint64_t n);

/* Where requests of a cluster go, from the server field of its kubeconfig. */
struct kc_server {
	char *base; /* what paths are appended to, without a final '/'; its host is @tls_name when that is given */
	char *connect_to; /* for CURLOPT_CONNECT_TO; NULL: not needed */
	char *host;       /* for the Host header; NULL: not needed */
	char *shown;      /* the URL for people */
	bool tls;
};

/* Fails: EINVAL, ENOMEM. */
CHECKED int kc_server_init(struct kc_server *s, const char *server, const char *tls_name, struct err *err);
void kc_server_done(struct kc_server *s);

#endif
