/* driftd rbac: prints the roles that watching a cluster of the configuration needs. */
#include "base/nearest.h"
#include "daemon/app/configuration.h"
#include "daemon/commands/commands.h"
#include "daemon/rbac/roles.h"
#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_kinds.h"

#include <errno.h>
#include <stdio.h>

#define DISCOVERY_MS 30000
#define OUTPUT_MAX ((size_t)16 << 20)

struct rbac_options {
	const char *config_path, *cluster, *kubeconfig, *context;
	bool connect, in_cluster;
	struct role_options roles;
};

/* Take an option that only a connection needs: it implies --connect. */
static int take_connecting(const struct given *g, void *to)
{
	((struct rbac_options *)g->command)->connect = true;
	return option_text(g, to);
}

#define AT(member) offsetof(struct rbac_options, member)

static const struct command_option option_table[] = {
	CONFIG_OPTION(AT(config_path), ""),
	{ "cluster", 0, "NAME", option_text, AT(cluster),
	  .help = "cluster of the configuration (default: the only one)" },
	{ "per-namespace", 0, NULL, option_truth, AT(roles.per_namespace),
	  .help = "a Role in each namespace that these fix, instead of one\n"
		  "ClusterRole for all" },
	{ "account", 0, "NAME", option_text, AT(roles.name),
	  .help = "name of the service account and its roles (default driftd)" },
	{ "namespace", 'n', "NAME", option_text, AT(roles.namespace),
	  .help = "namespace of the service account (default driftd)" },
	{ "in-cluster", 0, NULL, option_truth, AT(in_cluster),
	  .help = "for a driftd in a pod of the cluster, which has the token of its account" },
	{ "connect", 0, NULL, option_truth, AT(connect),
	  .help = "ask the server what it calls its resources, with the cluster's kubeconfig;\n"
		  "else plurals are guessed" },
	{ "kubeconfig", 0, "FILE", take_connecting, AT(kubeconfig), .help = "ask with this kubeconfig" },
	{ "context", 0, "NAME", take_connecting, AT(context), .help = "and this context of it" },
	OPTION_HELP,
};

static const struct command_line line = {
	.program = "driftd rbac",
	.synopsis =
		"Usage: driftd rbac [-c FILE] [options]\n"
		"Print a service account and the smallest roles that let driftd watch what references, rules and the "
		"setting watch are about.\n\n",
	.notes = "\nExit status: 0 done, 1 an error, 78 mistakes in the configuration, 2 wrong usage.\n",
	OPTIONS(option_table),
	.column = 25,
};

/* ---- the server's names ---- */

struct asked {
	uv_loop_t loop;
	struct kubeconfig *kubeconfig;
	struct kc_client *client;
};

static const struct kc_resource *find(void *ctx, str api_version, str kind)
{
	const struct asked *a = ctx;

	return kc_resources_find(a->client->discovery.known, api_version, kind);
}

static int connect_client(struct asked *a, const struct rbac_options *o, const struct cfg_cluster *c, struct err *err)
{
	CLEANUP(freep) char *path = c->kubeconfig.n && !o->kubeconfig ? str_dup(c->kubeconfig) : NULL;
	CLEANUP(freep) char *context = c->context.n && !o->kubeconfig ? str_dup(c->context) : NULL;
	const struct limits limits = LIMITS_DEFAULT;
	struct kubeconfig_source source;
	struct kube_target target;
	struct kc_options options = { .target = &target, .limits = &limits };
	int r;

	kubeconfig_source_env(o->kubeconfig ? o->kubeconfig : path, &source);
	r = kubeconfig_load(&source, &a->kubeconfig, err);
	if (r == 0)
		r = kubeconfig_target(a->kubeconfig, o->context ? o->context : context, &target, err);
	if (r == 0)
		r = kc_client_new(&a->loop, &options, &a->client, err);
	return r == 0 ? kc_discover(a->client, DISCOVERY_MS, err) : r;
}

static void disconnect(struct asked *a)
{
	if (a->client)
		kc_client_close(a->client, NULL, NULL);
	(void)uv_run(&a->loop, UV_RUN_DEFAULT);
	(void)uv_loop_close(&a->loop);
	kubeconfig_unref(a->kubeconfig);
}

/* ---- the command ---- */

static void print_advice(const struct rbac_options *o, const struct cfg_cluster *c)
{
	const char *account = o->roles.name, *namespace = o->roles.namespace;

	printf("# What driftd needs to watch cluster '%.*s', and no more. ", STR_ARG(c->name));
	if (o->in_cluster)
		printf("A pod in namespace %s has it with\n"
		       "#   serviceAccountName: %s\n"
		       "# and Kubernetes renews its token. ",
		       namespace, account);
	else
		printf("Apply it with kubectl, then\n"
		       "#   kubectl create token %s --namespace %s --duration 24h\n"
		       "# gives a token for tokenFile in driftd's kubeconfig; renew it before it ends. ",
		       account, namespace);
	printf("Discovery, and asking what one may,\n"
	       "# are open to every account by the ClusterRoles system:discovery and system:basic-user.\n");
}

static int print_roles(const struct rbac_options *o, const struct cfg *cfg, const struct cfg_cluster *c,
		       struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(OUTPUT_MAX);
	struct watch_plan plan;
	int r = watch_plan_make(cfg, c, &plan, err);

	if (r == 0)
		r = roles_print(&plan, &o->roles, &out, err);
	watch_plan_done(&plan);
	if (r < 0)
		return r;
	print_advice(o, c);
	if (fwrite(out.p, 1, out.n, stdout) != out.n || fflush(stdout) != 0)
		return err_set(err, EIO, "standard output: %s", strerror(errno));
	return 0;
}

static int ask_and_print(const struct rbac_options *o, const struct cfg *cfg, const struct cfg_cluster *c,
			 struct err *err)
{
	struct rbac_options connected = *o;
	struct asked asked = { 0 };
	int r;

	if (!o->connect)
		return print_roles(o, cfg, c, err);
	if (uv_loop_init(&asked.loop) < 0)
		return err_nomem(err);
	connected.roles.find = find;
	connected.roles.ctx = &asked;
	r = connect_client(&asked, o, c, err);
	if (r == 0)
		r = print_roles(&connected, cfg, c, err);
	disconnect(&asked);
	return r;
}

static const struct cfg_cluster *choose(const struct cfg *cfg, const char *name, struct err *err)
{
	struct nearest nearest = { 0 };
	const struct cfg_cluster *named = name ? cfg_find_cluster(cfg, str_from(name)) : NULL;

	if (named)
		return named;
	if (!name && cfg->n_clusters == 1)
		return &cfg->clusters[0];
	for (size_t i = 0; name && i < cfg->n_clusters; i++)
		nearest_offer(&nearest, str_from(name), cfg->clusters[i].name);
	if (name)
		(void)err_set(err, EINVAL, "the configuration has no cluster '%s'%s", name, nearest_hint(&nearest));
	else
		(void)err_set(err, EINVAL, "the configuration has %zu clusters: choose one with --cluster",
			      cfg->n_clusters);
	return NULL;
}

static int run(struct rbac_options *o)
{
	struct limits limits = LIMITS_DEFAULT;
	CLEANUP(key_table_freep) struct key_table *keys = key_table_new();
	CLEANUP(cfg_unrefp) struct cfg *cfg = NULL;
	const struct cfg_cluster *c;
	struct err err;
	int status;

	if (!keys)
		return 1;
	status = configuration_need(o->config_path, &limits, keys, &cfg);
	if (status)
		return status;
	c = choose(cfg, o->cluster, &err);
	if (c && ask_and_print(o, cfg, c, &err) == 0)
		return 0;
	fprintf(stderr, "driftd rbac: %s\n", err.msg);
	return c ? 1 : EXIT_USAGE;
}

int cmd_rbac(int argc, char **argv)
{
	struct rbac_options o = { .config_path = CONFIG_PATH_DEFAULT,
				  .roles = { .name = "driftd", .namespace = "driftd" } };
	struct arguments none;
	int status = command_line_read(&line, argc, argv, &o, &none);

	return status == COMMAND_GOES_ON ? run(&o) : status;
}
