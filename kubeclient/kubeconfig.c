/* Finds kubeconfig files, merges them, and resolves a context. */
#include "kubeclient/kubeconfig.h"

#include "base/assert.h"
#include "base/file.h"
#include "base/nearest.h"
#include "kubeclient/kubeconfig_internal.h"

#include <errno.h>

#define ACCOUNT_DIR "/var/run/secrets/kubernetes.io/serviceaccount"

struct kubeconfig *kubeconfig_new(void)
{
	struct kubeconfig *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	k->refs = 1;
	arena_init(&k->arena, 0, KUBECONFIG_ARENA_MAX);
	return k;
}

struct kubeconfig *kubeconfig_ref(struct kubeconfig *k)
{
	if (k)
		k->refs++;
	return k;
}

void kubeconfig_unref(struct kubeconfig *k)
{
	if (!k)
		return;
	ASSERT(k->refs > 0);
	if (--k->refs > 0)
		return;
	strmap_done(&k->clusters);
	strmap_done(&k->users);
	strmap_done(&k->contexts);
	vec_done(&k->context_names);
	arena_done(&k->arena);
	free(k);
}

static bool is_set(const char *text)
{
	return text && *text;
}

void kubeconfig_source_env(const char *path, struct kubeconfig_source *ret)
{
	*ret = (struct kubeconfig_source){
		.path = path,
		.list = getenv("KUBECONFIG"),
		.home = getenv("HOME"),
		.service_host = getenv("KUBERNETES_SERVICE_HOST"),
		.service_port = getenv("KUBERNETES_SERVICE_PORT"),
	};
}

static int add_file(struct kubeconfig *k, const char *path, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n = 0;
	int r = file_read(path, KUBECONFIG_BYTES_MAX, &text, &n, err);

	if (r == 0)
		r = kubeconfig_add_text(k, (str){ text, n }, path, err);
	return r < 0 ? err_wrap(err, "kubeconfig") : 0;
}

/* Add a file of the list if it exists. */
static int add_optional(struct kubeconfig *k, const struct kubeconfig_source *src, const char *path, struct err *err)
{
	int r = add_file(k, path, err);

	if (r != -ENOENT)
		return r;
	if (src->warn)
		src->warn(src->warn_ctx, err->msg);
	return 0;
}

int kubeconfig_source_paths(const struct kubeconfig_source *src, struct arena *a, const char *const **ret, size_t *n,
			    struct err *err)
{
	str rest = str_from(is_set(src->list) ? src->list : ""), part;
	size_t most = strlen(rest.p) + 1, count = 0;
	const char **paths = arena_array(a, most, sizeof(*paths));

	if (!paths)
		return err_nomem(err);
	if (src->path)
		paths[count++] = arena_str(a, str_from(src->path)).p;
	else if (is_set(src->list))
		while (str_next_part(&rest, ':', &part)) {
			if (part.n)
				paths[count++] = arena_str(a, part).p;
		}
	else if (is_set(src->home))
		paths[count++] = arena_printf(a, "%s/.kube/config", src->home).p;
	for (size_t i = 0; i < count; i++)
		if (!paths[i])
			return err_nomem(err);
	*ret = paths;
	*n = count;
	return 0;
}

/* Add the files. The explicit file must exist; the one below the home folder need not. */
static int add_files(struct kubeconfig *k, const struct kubeconfig_source *src, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct kubeconfig_source reported = *src;
	const char *const *paths = NULL;
	size_t n = 0;
	int r = kubeconfig_source_paths(src, &a, &paths, &n, err);

	if (!is_set(src->list))
		reported.warn = NULL;
	for (size_t i = 0; r == 0 && i < n; i++)
		r = src->path ? add_file(k, paths[i], err) : add_optional(k, &reported, paths[i], err);
	return r;
}

static bool put_named(struct kubeconfig *k, struct strmap *map, const char *name, struct kube_named value)
{
	struct kube_named *n = arena_alloc(&k->arena, sizeof(*n));

	if (!n)
		return false;
	*n = value;
	return strmap_put(map, str_from(name), n, NULL);
}

/* Add the service account that Kubernetes mounts into every pod. */
static int add_account(struct kubeconfig *k, const struct kubeconfig_source *src, struct err *err)
{
	static const char name[] = "in-cluster";
	CLEANUP(freep) char *namespace = NULL;
	const char *dir = src->account_dir ? src->account_dir : ACCOUNT_DIR;
	const char *form = strchr(src->service_host, ':') ? "https://[%s]:%s" : "https://%s:%s";
	const char *server = arena_printf(&k->arena, form, src->service_host, src->service_port).p;
	const char *token = arena_printf(&k->arena, "%s/token", dir).p;
	const char *ca = arena_printf(&k->arena, "%s/ca.crt", dir).p;
	const char *ns_file = arena_printf(&k->arena, "%s/namespace", dir).p;
	struct kube_context context = { .name = name, .where = dir, .cluster = name, .user = name };
	struct err ignored;
	size_t n = 0;

	if (!server || !token || !ca || !ns_file)
		return err_nomem(err);
	if (file_read(ns_file, 4096, &namespace, &n, &ignored) == 0)
		context.namespace = arena_str(&k->arena, str_trim((str){ namespace, n })).p;
	if (!put_named(k, &k->clusters, name,
		       (struct kube_named){
			       .cluster = { .name = name, .where = dir, .server = server, .ca_file = ca } }) ||
	    !put_named(k, &k->users, name,
		       (struct kube_named){ .user = { .name = name, .where = dir, .token_file = token } }) ||
	    !put_named(k, &k->contexts, name, (struct kube_named){ .context = context }) ||
	    !vec_push(&k->context_names, name))
		return err_nomem(err);
	k->current = name;
	return 0;
}

int kubeconfig_load(const struct kubeconfig_source *src, struct kubeconfig **ret, struct err *err)
{
	CLEANUP(kubeconfig_unrefp) struct kubeconfig *k = kubeconfig_new();
	int r;

	if (!k)
		return err_nomem(err);
	r = add_files(k, src, err);
	if (r < 0)
		return r;
	if (!src->path && k->n_files == 0) {
		if (!is_set(src->service_host) || !is_set(src->service_port))
			return err_set(err, ENOENT,
				       "no kubeconfig: neither --kubeconfig, $KUBECONFIG nor ~/.kube/config names a "
				       "file that exists, and this is not a pod");
		if ((r = add_account(k, src, err)) < 0)
			return r;
	}
	*ret = TAKE(k);
	return 0;
}

static int check_cluster(const struct kube_cluster *c, struct err *err)
{
	if (!c->server)
		return err_set(err, EINVAL, "%s: cluster '%s' has no server", c->where, c->name);
	if (strncmp(c->server, "https://", 8) != 0 && strncmp(c->server, "http://", 7) != 0)
		return err_set(err, EINVAL, "%s: cluster '%s': server must begin with https:// or http://", c->where,
			       c->name);
	if (c->ca_file && c->ca_data.p)
		return err_set(err, EINVAL,
			       "%s: cluster '%s' has both certificate-authority and certificate-authority-data",
			       c->where, c->name);
	if (c->insecure && (c->ca_file || c->ca_data.p))
		return err_set(err, EINVAL,
			       "%s: cluster '%s' has a certificate authority and insecure-skip-tls-verify, which "
			       "exclude each other",
			       c->where, c->name);
	return 0;
}

static int check_exec(const struct kube_user *u, struct err *err)
{
	const struct kube_exec *x = u->exec;

	if (!x->command)
		return err_set(err, EINVAL, "%s: user '%s': exec has no command", u->where, u->name);
	if (!x->api_version || (strcmp(x->api_version, "client.authentication.k8s.io/v1") != 0 &&
				strcmp(x->api_version, "client.authentication.k8s.io/v1beta1") != 0))
		return err_set(err, EINVAL,
			       "%s: user '%s': exec apiVersion must be client.authentication.k8s.io/v1 or v1beta1",
			       u->where, u->name);
	if (x->interactive && strcmp(x->interactive, "Always") == 0)
		return err_set(
			err, EINVAL,
			"%s: user '%s': exec wants a terminal (interactiveMode: Always), which a daemon does not have",
			u->where, u->name);
	return 0;
}

static int check_user(const struct kube_user *u, struct err *err)
{
	if (u->auth_provider)
		return err_set(err, EINVAL,
			       "%s: user '%s': auth-provider '%.100s' was removed from Kubernetes in 1.26; use an exec "
			       "credential plugin instead",
			       u->where, u->name, u->auth_provider);
	if (u->cert_file && u->cert_data.p)
		return err_set(err, EINVAL, "%s: user '%s' has both client-certificate and client-certificate-data",
			       u->where, u->name);
	if (u->key_file && u->key_data.p)
		return err_set(err, EINVAL, "%s: user '%s' has both client-key and client-key-data", u->where, u->name);
	if ((u->cert_file || u->cert_data.p) != (u->key_file || u->key_data.p))
		return err_set(err, EINVAL, "%s: user '%s' has only one of client certificate and client key", u->where,
			       u->name);
	if ((u->token || u->token_file) && (u->username || u->password))
		return err_set(err, EINVAL, "%s: user '%s' has both a token and a username", u->where, u->name);
	if (!u->as && (u->as_uid || u->as_groups || u->n_as_extra))
		return err_set(err, EINVAL, "%s: user '%s' impersonates a uid, group or extra, but no user (as)",
			       u->where, u->name);
	return u->exec ? check_exec(u, err) : 0;
}

static int no_context(const struct kubeconfig *k, const char *name, struct err *err)
{
	struct nearest nearest = { 0 };

	for (size_t i = 0; i < k->context_names.n; i++)
		nearest_offer(&nearest, str_from(name), str_from(k->context_names.p[i]));
	return err_set(err, ENOENT, "kubeconfig: context '%.100s' does not exist%s", name, nearest_hint(&nearest));
}

int kubeconfig_target(struct kubeconfig *k, const char *context, struct kube_target *ret, struct err *err)
{
	static const struct kube_user anonymous = { .name = "anonymous", .where = "" };
	const char *name = context ? context : k->current;
	const struct kube_named *ctx, *cluster, *user;
	int r;

	if (!name && k->context_names.n == 0)
		return err_set(err, ENOENT, "kubeconfig: no context in it");
	if (!name)
		return err_set(err, ENOENT, "kubeconfig: no current-context and none asked for");
	ctx = strmap_get(&k->contexts, str_from(name));
	if (!ctx)
		return no_context(k, name, err);
	cluster = ctx->context.cluster ? strmap_get(&k->clusters, str_from(ctx->context.cluster)) : NULL;
	if (!cluster)
		return err_set(err, ENOENT, "%s: context '%.100s': cluster '%.100s' does not exist", ctx->context.where,
			       name, ctx->context.cluster ? ctx->context.cluster : "");
	user = ctx->context.user ? strmap_get(&k->users, str_from(ctx->context.user)) : NULL;
	if (!user && ctx->context.user)
		return err_set(err, ENOENT, "%s: context '%.100s': user '%.100s' does not exist", ctx->context.where,
			       name, ctx->context.user);
	if ((r = check_cluster(&cluster->cluster, err)) < 0 || (user && (r = check_user(&user->user, err)) < 0))
		return r;
	*ret = (struct kube_target){
		.config = k,
		.context = ctx->context.name,
		.cluster = &cluster->cluster,
		.user = user ? &user->user : &anonymous,
		.namespace = ctx->context.namespace ? ctx->context.namespace : "default",
	};
	return 0;
}

const char *kubeconfig_current_context(const struct kubeconfig *k)
{
	return k->current;
}

size_t kubeconfig_n_contexts(const struct kubeconfig *k)
{
	return k->context_names.n;
}

const char *kubeconfig_context_name(const struct kubeconfig *k, size_t i)
{
	return i < k->context_names.n ? k->context_names.p[i] : NULL;
}
