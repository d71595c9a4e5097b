/* Applies flags to a kubeconfig, in kubectl's order. */
#include "daemon/live/target.h"

#include "base/number.h"
#include "go/duration.h"

#include <errno.h>
#include <stdio.h>

/* A list without an answer for this long has stalled. */
#define TIMEOUT_MS 600000
#define TIMEOUT_MOST_MS 1000000000000000u

/* ---- the time limit ---- */

bool live_timeout_parse(const char *text, uint64_t *ret_ms)
{
	int64_t n;
	uint64_t ms;

	if (int64_parse(str_from(text), &n)) {
		if (n < 0 || __builtin_mul_overflow((uint64_t)n, 1000, &ms))
			return false;
	} else if (go_duration_parse(str_from(text), &n, NULL) && n >= 0) {
		ms = n > 0 && n < 1000000 ? 1 : (uint64_t)n / 1000000;
	} else {
		return false;
	}
	if (ms > TIMEOUT_MOST_MS)
		return false;
	*ret_ms = ms;
	return true;
}

/* Whether a flag was given. Scripts pass an empty value for none. */
static bool given(const char *value)
{
	return value && *value;
}

/* ---- the kubeconfig's part ---- */

/* The first context whose cluster, or whose user, has this name. */
static bool find_named(struct kubeconfig *k, const char *cluster, const char *user, struct kube_target *ret)
{
	for (size_t i = 0; i < kubeconfig_n_contexts(k); i++) {
		struct err ignored;

		if (kubeconfig_target(k, kubeconfig_context_name(k, i), ret, &ignored) == 0 &&
		    (!cluster || strcmp(ret->cluster->name, cluster) == 0) &&
		    (!user || strcmp(ret->user->name, user) == 0))
			return true;
	}
	return false;
}

static int replace_named(struct live_target *t, const struct live_flags *f, struct err *err)
{
	struct kube_target found;

	if (given(f->cluster)) {
		if (!find_named(t->config, f->cluster, NULL, &found))
			return err_set(err, ENOENT, "cluster \"%.100s\" does not exist, or no context names it",
				       f->cluster);
		t->cluster = *found.cluster;
	}
	if (given(f->user)) {
		if (!find_named(t->config, NULL, f->user, &found))
			return err_set(err, ENOENT, "user \"%.100s\" does not exist, or no context names it", f->user);
		t->user = *found.user;
	}
	return 0;
}

static int load(struct live_target *t, const struct live_flags *f, const struct kubeconfig_source *source,
		struct err *err)
{
	int r = kubeconfig_load(source, &t->config, err);

	/* An address on the command line suffices. */
	if (r == -ENOENT && given(f->server) && !source->path)
		return 0;
	if (r < 0)
		return r;
	if (given(f->context) || kubeconfig_current_context(t->config) || !(given(f->server) || given(f->cluster))) {
		r = kubeconfig_target(t->config, given(f->context) ? f->context : NULL, &t->target, err);
		if (r < 0)
			return r;
		t->cluster = *t->target.cluster;
		t->user = *t->target.user;
	}
	return replace_named(t, f, err);
}

/* ---- the flags' part ---- */

/* Set the server. As in kubectl, an address without a scheme gets TLS if a flag or the kubeconfig names
 * certificates. */
static int set_server(struct live_target *t, const struct live_flags *f, struct err *err)
{
	bool tls = t->cluster.insecure || t->cluster.ca_file || t->cluster.ca_data.p || t->user.cert_file ||
		   t->user.cert_data.p;

	if (!given(f->server))
		return 0;
	t->cluster.server = f->server;
	if (strstr(f->server, "://"))
		return 0;
	if (asprintf(&t->server, "%s://%s", tls ? "https" : "http", f->server) < 0) {
		t->server = NULL;
		return err_nomem(err);
	}
	t->cluster.server = t->server;
	return 0;
}

static int set_cluster(struct live_target *t, const struct live_flags *f, struct err *err)
{
	struct kube_cluster *c = &t->cluster;

	if (given(f->tls_server_name))
		c->tls_server_name = f->tls_server_name;
	if (f->insecure || given(f->certificate_authority)) {
		c->ca_file = given(f->certificate_authority) ? f->certificate_authority : NULL;
		c->ca_data = (str){ NULL, 0 };
	}
	c->insecure = c->insecure || f->insecure;
	c->disable_compression = c->disable_compression || f->disable_compression;
	if (c->insecure && c->ca_file)
		return err_set(err, EINVAL,
			       "specifying a root certificates file with the insecure flag is not allowed");
	return set_server(t, f, err);
}

static int set_impersonation(struct live_target *t, const struct live_flags *f, struct err *err)
{
	struct kube_user *u = &t->user;
	size_t n = f->as_groups.v.n;

	if (given(f->as))
		u->as = f->as;
	if (given(f->as_uid))
		u->as_uid = f->as_uid;
	if (n) {
		t->groups = calloc(n + 1, sizeof(*t->groups));
		if (!t->groups)
			return err_nomem(err);
		for (size_t i = 0; i < n; i++)
			t->groups[i] = f->as_groups.v.p[i];
		u->as_groups = t->groups;
	}
	if (!u->as && (u->as_uid || u->as_groups))
		return err_set(err, EINVAL, "requesting uid or groups without impersonating a user: --as is missing");
	return 0;
}

static int set_user(struct live_target *t, const struct live_flags *f, struct err *err)
{
	struct kube_user *u = &t->user;

	if (given(f->token)) {
		u->token = f->token;
		u->token_file = u->username = u->password = NULL;
		u->exec = NULL;
	}
	if (given(f->client_certificate)) {
		u->cert_file = f->client_certificate;
		u->cert_data = (str){ NULL, 0 };
	}
	if (given(f->client_key)) {
		u->key_file = f->client_key;
		u->key_data = (str){ NULL, 0 };
	}
	if ((u->cert_file || u->cert_data.p) != (u->key_file || u->key_data.p))
		return err_set(err, EINVAL, "only one of client certificate and client key is given");
	return set_impersonation(t, f, err);
}

static int set_timeout(struct live_target *t, const struct live_flags *f, struct err *err)
{
	t->timeout_ms = TIMEOUT_MS;
	if (!given(f->request_timeout) || live_timeout_parse(f->request_timeout, &t->timeout_ms))
		return 0;
	return err_set(err, EINVAL,
		       "Invalid timeout value. Timeout must be a single integer in seconds, or an integer followed by "
		       "a corresponding time unit (e.g. 1s | 2m | 3h)");
}

int live_target_init(struct live_target *t, const struct live_flags *f, const struct kubeconfig_source *source,
		     struct err *err)
{
	int r;

	*t = (struct live_target){ .cluster = { .name = "", .where = "" }, .user = { .name = "", .where = "" } };
	r = load(t, f, source, err);
	if (r == 0)
		r = set_user(t, f, err);
	if (r == 0)
		r = set_cluster(t, f, err);
	if (r == 0)
		r = set_timeout(t, f, err);
	if (r < 0)
		return r;
	t->target.config = t->config;
	t->target.cluster = &t->cluster;
	t->target.user = &t->user;
	if (!t->target.namespace)
		t->target.namespace = "default";
	return 0;
}

void live_target_done(struct live_target *t)
{
	kubeconfig_unref(t->config);
	free(t->server);
	free(t->groups);
	*t = (struct live_target){ 0 };
}
