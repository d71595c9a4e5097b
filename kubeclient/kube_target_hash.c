/* Hashes all properties of a target that a client depends on. */
#include "kubeclient/kubeconfig.h"

#include "base/hash.h"

struct hasher {
	uint64_t hash;
	uint64_t seed;
};

static void add(struct hasher *h, str s)
{
	h->hash = hash_mix(h->hash, s.p ? hash_str(s, h->seed) : 0);
}

static void add_cstr(struct hasher *h, const char *s)
{
	add(h, str_from(s));
}

static void add_list(struct hasher *h, const char *const *list)
{
	for (size_t i = 0; list && list[i]; i++)
		add_cstr(h, list[i]);
	add_cstr(h, NULL);
}

static void add_pairs(struct hasher *h, const struct kube_pair *pairs, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		add_cstr(h, pairs[i].key);
		add_cstr(h, pairs[i].value);
	}
	add_cstr(h, NULL);
}

static void add_cluster(struct hasher *h, const struct kube_cluster *c)
{
	add_cstr(h, c->server);
	add_cstr(h, c->tls_server_name);
	add_cstr(h, c->ca_file);
	add(h, c->ca_data);
	add_cstr(h, c->proxy_url);
	add_cstr(h, c->exec_config);
	h->hash = hash_mix(h->hash, (uint64_t)c->insecure << 1 | c->disable_compression);
}

static void add_exec(struct hasher *h, const struct kube_exec *e)
{
	add_cstr(h, e->api_version);
	add_cstr(h, e->command);
	add_list(h, e->args);
	add_pairs(h, e->env, e->n_env);
	h->hash = hash_mix(h->hash, e->provide_cluster_info);
}

static void add_user(struct hasher *h, const struct kube_user *u)
{
	add_cstr(h, u->cert_file);
	add_cstr(h, u->key_file);
	add(h, u->cert_data);
	add(h, u->key_data);
	add_cstr(h, u->token_file);
	add_cstr(h, u->token);
	add_cstr(h, u->username);
	add_cstr(h, u->password);
	add_cstr(h, u->as);
	add_cstr(h, u->as_uid);
	add_list(h, u->as_groups);
	add_pairs(h, u->as_extra, u->n_as_extra);
	if (u->exec)
		add_exec(h, u->exec);
}

uint64_t kube_target_hash(const struct kube_target *t, uint64_t seed)
{
	struct hasher h = { seed, seed };

	add_cstr(&h, t->namespace);
	add_cluster(&h, t->cluster);
	add_user(&h, t->user);
	return h.hash;
}
