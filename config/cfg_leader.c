/* Reads the settings of leader election: where several hosts agree which of them reports. */
#include "config/cfg_internal.h"

#include "rules/rule_set.h"

#define LEASE_DEFAULT_NS (15 * INT64_C(1000000000))
#define LEASE_MIN_NS (3 * INT64_C(1000000000))
#define LEASE_MAX_NS (300 * INT64_C(1000000000))
#define PREFIX_BYTES_MAX 200

static bool is_url(str s)
{
	return str_has_prefix(s, STR("http://")) || str_has_prefix(s, STR("https://"));
}

static void set_endpoints(struct settings *s, void *target, const struct node *n)
{
	struct text_list list = setting_texts(s, n);
	struct cfg_leader *leader = target;

	for (size_t i = 0; i < node_count(n); i++) {
		const struct node *item = node_item(n, i);

		if (item->kind != NODE_SCALAR)
			continue;
		/* the URL may hold a password: the message does not repeat it */
		if (str_find_byte(item->text, '@') >= 0)
			node_problem(item, s->problems, "a URL with a user: user and password_file are for that");
		else if (!is_url(item->text))
			node_problem(item, s->problems, "'%.*s' is no URL such as https://etcd-1:2379",
				     STR_ARG(item->text));
	}
	leader->endpoints = list.p;
	leader->n_endpoints = list.n;
}

static void set_prefix(struct settings *s, void *target, const struct node *n)
{
	str *prefix = target;

	if (!setting_expect(s, n, NODE_SCALAR, "a text"))
		return;
	*prefix = n->text;
	while (prefix->n && prefix->p[prefix->n - 1] == '/')
		prefix->n--;
	if (!prefix->n || prefix->n > PREFIX_BYTES_MAX)
		node_problem(n, s->problems, "'%.*s' is not a prefix of at most %d bytes, such as /driftd",
			     STR_ARG(n->text), PREFIX_BYTES_MAX);
}

static void set_lease(struct settings *s, void *target, const struct node *n)
{
	int64_t ns = 0;

	if (!setting_expect(s, n, NODE_SCALAR, "a duration such as 15s"))
		return;
	if (!rule_hold_parse(n->text, &ns) || ns < LEASE_MIN_NS || ns > LEASE_MAX_NS || ns % INT64_C(1000000000))
		node_problem(n, s->problems, "'%.*s' is not a duration from 3s to 5m, such as 15s", STR_ARG(n->text));
	else
		*(int64_t *)target = ns;
}

static const struct setting leader_settings[] = {
	{ "endpoints", set_endpoints, 0, NULL, "URLs of the members of etcd; required" },
	{ "prefix", set_prefix, offsetof(struct cfg_leader, prefix), CFG_LEADER_PREFIX_DEFAULT,
	  "of the keys in etcd: the same on hosts that share clusters, and of nobody else" },
	{ "name", setting_text, offsetof(struct cfg_leader, name), "the host's", "what others call this host" },
	{ "lease", set_lease, offsetof(struct cfg_leader, lease_ns), "15s",
	  "time without a sign of the leader after which another host takes over" },
	{ "hash_key_file", cfg_set_path, offsetof(struct cfg_leader, hash_key_file), NULL,
	  "32 bytes that all these hosts have, such as a copy of one's hash.key; without it they share one in etcd" },
	{ "ca_file", cfg_set_path, offsetof(struct cfg_leader, ca_file), "the system's",
	  "certificates that vouch for etcd" },
	{ "cert_file", cfg_set_path, offsetof(struct cfg_leader, cert_file), NULL, "client certificate for etcd" },
	{ "key_file", cfg_set_path, offsetof(struct cfg_leader, key_file), NULL, "its key" },
	{ "user", setting_text, offsetof(struct cfg_leader, user), NULL, "for etcd, where it asks for one" },
	{ "password_file", cfg_set_path, offsetof(struct cfg_leader, password_file), NULL,
	  "with the password of user" },
};

void cfg_set_leader(struct settings *s, void *target, const struct node *n)
{
	struct cfg_leader *leader = target;
	struct cfg_loader *l = s->ctx;

	*leader = (struct cfg_leader){ .prefix = STR(CFG_LEADER_PREFIX_DEFAULT), .lease_ns = LEASE_DEFAULT_NS };
	l->leader = n;
	settings_read(s, n, leader_settings, ARRAY_LEN(leader_settings), target);
}

/* Whether any endpoint is without TLS, which a password needs. */
static bool any_plain(const struct cfg_leader *x)
{
	for (size_t i = 0; i < x->n_endpoints; i++) {
		if (!str_has_prefix(x->endpoints[i], STR("https://")))
			return true;
	}
	return false;
}

void cfg_check_leader(struct cfg_loader *l)
{
	const struct cfg_leader *x = &l->cfg->leader;
	struct problems *problems = l->settings.problems;

	if (!l->leader)
		return;
	if (!x->n_endpoints)
		node_problem(l->leader, problems, "leader_election without endpoints: URLs of etcd");
	if (!x->hash_key_file.n && any_plain(x))
		node_problem(
			l->leader, problems,
			"leader_election without hash_key_file needs endpoints of https://: the hosts share a key");
	if (!x->cert_file.n != !x->key_file.n)
		node_problem(l->leader, problems, "leader_election: cert_file and key_file belong together");
	if (x->user.n && any_plain(x))
		node_problem(l->leader, problems, "leader_election: user needs endpoints of https://");
	if (!x->user.n != !x->password_file.n)
		node_problem(l->leader, problems, "leader_election: user and password_file belong together");
}

void cfg_print_leader_settings(struct buf *out)
{
	settings_print(out, "leader_election:", leader_settings, ARRAY_LEN(leader_settings));
}
