/* kubeconfig files: which API server, trusted how, as whom.
 *
 * Rules of kubectl: an explicit file is read alone and must exist; otherwise the files of $KUBECONFIG are merged (the
 * first file to name a cluster, user or context wins it whole, so does the first current-context; a missing file is
 * skipped and reported), or ~/.kube/config is read; with none of them, the service account of a pod. Paths inside a
 * file count from its folder. Messages name file:line:column and never hold a secret.
 * https://kubernetes.io/docs/concepts/configuration/organize-cluster-access-kubeconfig/ */
#ifndef KUBECLIENT_KUBECONFIG_H
#define KUBECLIENT_KUBECONFIG_H

#include "base/arena.h"
#include "base/err.h"
#include "base/limits.h"
#include "base/str.h"

/* One kubeconfig file. */
#define KUBECONFIG_BYTES_MAX ((size_t)4 << 20)

struct kubeconfig;

/* Strings are NUL-terminated and live as long as the kubeconfig; NULL: not set. Data is decoded from base64. */
struct kube_cluster {
	const char *name;
	const char *where; /* "file:line:column" */
	const char *server;
	const char *tls_server_name;
	const char *ca_file;
	str ca_data; /* PEM; p NULL: not set */
	const char *proxy_url;
	bool insecure; /* insecure-skip-tls-verify */
	bool disable_compression;
	const char *exec_config; /* JSON for credential plugins: the extension client.authentication.k8s.io/exec */
};

struct kube_pair {
	const char *key;
	const char *value;
};

struct kube_exec {
	const char *api_version; /* client.authentication.k8s.io/v1 or v1beta1, checked */
	const char *command;     /* absolute, or a bare name to look up in PATH */
	const char *const *args; /* NULL-terminated */
	const struct kube_pair *env;
	size_t n_env;
	const char *install_hint;
	const char *interactive; /* interactiveMode; "Always" is refused by kubeconfig_target */
	bool provide_cluster_info;
};

struct kube_user {
	const char *name;
	const char *where;
	const char *cert_file, *key_file;
	str cert_data, key_data; /* PEM */
	const char *token_file;  /* wins over token */
	const char *token;
	const char *username, *password;
	const char *as, *as_uid;
	const char *const *as_groups;     /* NULL-terminated; NULL: none */
	const struct kube_pair *as_extra; /* one entry per value */
	size_t n_as_extra;
	const struct kube_exec *exec; /* NULL: none */
	const char *auth_provider;    /* name of the legacy plugin; refused by kubeconfig_target */
};

/* What a client needs: a context resolved. Points into its kubeconfig; hold a reference while it is in use. */
struct kube_target {
	struct kubeconfig *config;
	const char *context; /* the context's name, "in-cluster" for a service account */
	const struct kube_cluster *cluster;
	const struct kube_user *user;
	const char *namespace; /* the namespace of the context; "default" when it names none */
};

/* Where to look. Fill it from the environment with kubeconfig_source_env, or by hand in tests. */
struct kubeconfig_source {
	const char *path;         /* --kubeconfig; NULL: none */
	const char *list;         /* $KUBECONFIG; NULL or empty: none */
	const char *home;         /* folder of .kube/config; NULL: none */
	const char *service_host; /* $KUBERNETES_SERVICE_HOST; NULL: not in a pod */
	const char *service_port; /* $KUBERNETES_SERVICE_PORT */
	const char *account_dir;  /* NULL: /var/run/secrets/kubernetes.io/serviceaccount */
	/* Called for what is worth a warning and no failure, such as a missing file of the list. May be NULL. */
	void (*warn)(void *ctx, const char *message);
	void *warn_ctx;
};

void kubeconfig_source_env(const char *path, struct kubeconfig_source *ret);

/* Load by the rules above; one reference in *ret.
 * Fails: ENOENT (an explicit file, or nothing found at all), EBADMSG (not YAML), EINVAL (a field), E2BIG, ENOMEM. */
CHECKED int kubeconfig_load(const struct kubeconfig_source *src, struct kubeconfig **ret, struct err *err);

/* The files that kubeconfig_load would read, including those that do not exist, in @a: for callers that wait for
 * changes. Fails: ENOMEM. */
CHECKED int kubeconfig_source_paths(const struct kubeconfig_source *src, struct arena *a, const char *const **ret,
				    size_t *n, struct err *err);

struct kubeconfig *kubeconfig_ref(struct kubeconfig *k);
void kubeconfig_unref(struct kubeconfig *k);
DEFINE_CLEANUP(struct kubeconfig *, kubeconfig_unref)

/* Resolve @context (NULL: the current one, or the pod's account) and check what belongs together.
 * Fails: ENOENT (no such context, cluster or user), EINVAL. The target borrows; take kubeconfig_ref to keep it. */
CHECKED int kubeconfig_target(struct kubeconfig *k, const char *context, struct kube_target *ret, struct err *err);

/* A number that differs when a client for @t would be another one. The content of its token and certificate files
 * does not count, since clients read them again by themselves. */
uint64_t kube_target_hash(const struct kube_target *t, uint64_t seed);

const char *kubeconfig_current_context(const struct kubeconfig *k); /* NULL: none */
size_t kubeconfig_n_contexts(const struct kubeconfig *k);
const char *kubeconfig_context_name(const struct kubeconfig *k, size_t i);

#endif
