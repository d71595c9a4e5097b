/* Explains why a configuration watches nothing, and what it could contain. */
#include "config/cfg_internal.h"

#include <ctype.h>
#include <dirent.h>

#define SUFFIX ".kubeconfig"
#define SHOWN_MAX 8 /* kubeconfigs */

const char *cfg_nothing(const struct cfg *c)
{
	if (c->n_clusters == 0)
		return "no cluster is configured: nothing is watched";
	if (c->n_references == 0 && c->n_rule_files == 0 && c->n_watch == 0 && !c->inspection.discovered_scope.p)
		return "no reference, no rules and no kinds to watch are configured: nothing is watched";
	return NULL;
}

/* Whether a name needs no quotes in YAML, even after a bracket. */
static bool is_plain(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		unsigned char c = (unsigned char)name.p[i];

		if (!isascii(c) || (!isalnum(c) && (i == 0 || !strchr("-._", c))))
			return false;
	}
	return name.n > 0;
}

static str cluster_name_of(const char *file)
{
	str name = str_from(file);

	return str_has_suffix(name, STR(SUFFIX)) ? (str){ name.p, name.n - (sizeof(SUFFIX) - 1) } : (str){ 0 };
}

static int is_kubeconfig(const struct dirent *e)
{
	return is_plain(cluster_name_of(e->d_name));
}

/* List the kubeconfigs in the folder of the configuration. A folder that cannot be read counts as empty. */
static int list_kubeconfigs(const struct cfg *c, struct dirent ***ret)
{
	size_t folder = (size_t)(str_rfind(c->path, STR("/")) + 1);
	char *dir = folder ? strndup(c->path.p, folder) : strdup(".");
	int n = dir ? scandir(dir, ret, is_kubeconfig, alphasort) : -1;

	free(dir);
	return n > 0 ? n : 0;
}

static void add_clusters(struct dirent *const *files, int n, struct buf *out)
{
	buf_add_cstr(out, "clusters:\n");
	for (int i = 0; i < n && i < SHOWN_MAX; i++)
		buf_printf(out, "  - {name: %.*s, kubeconfig: %s}\n", STR_ARG(cluster_name_of(files[i]->d_name)),
			   files[i]->d_name);
	if (n == 0)
		buf_add_cstr(out, "  - {name: prod, kubeconfig: prod" SUFFIX "}\n");
}

void cfg_add_beginning(const struct cfg *c, struct buf *out)
{
	struct dirent **files = NULL;
	int n = 0;

	if (!cfg_nothing(c))
		return;
	if (!c->n_clusters)
		n = list_kubeconfigs(c, &files);
	buf_printf(out,
		   "to begin with, in %.*s%s, for what Helm has deployed and kubectl has applied "
		   "(driftd.yaml(5) and the guide five-lines.md say more):\n",
		   STR_ARG(c->path), c->n_clusters || n ? "" : ", with the kubeconfig of a cluster beside it");
	if (!c->n_clusters)
		add_clusters(files, n, out);
	buf_add_cstr(out, "references:\n"
			  "  - " CFG_HELM_ENTRY "\n"
			  "  - " CFG_APPLIED_ENTRY "\n");
	for (int i = 0; i < n; i++)
		free(files[i]);
	free(files);
}
