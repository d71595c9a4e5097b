/* A cluster without memory: whatever could not be remembered or judged while an allocation failed is made up for by the
 * next list, and nothing of the state is damaged. Metrics of it likewise. */
#include "oom.h"

#include "daemon/serve/metrics.h"
#include "daemon/watch/cluster/cluster_internal.h"
#include "support/direct_sink.h"
#include "support/fake_client.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#define DATA TEST_DATA "/watch"

static const char *const texts[][2] = {
	{ "ConfigMap", "{apiVersion: v1, kind: ConfigMap, metadata: {name: settings, namespace: d}, data: {mode: "
		       "broken, replicas: '3'}}" },
	{ "RoleBinding",
	  "{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: free, namespace: d}, "
	  "subjects: [{kind: ServiceAccount, name: robot, namespace: d}]}" },
	{ "Deployment",
	  "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: d}, spec: {replicas: 2}}" },
	{ "Widget", "{apiVersion: e.x/v1, kind: Widget, metadata: {name: forbidden}}" },
};

#define OPEN_FINDINGS 4 /* drift of settings and web, the broken rule, the component none */

static struct limits limits = LIMITS_DEFAULT;
static struct key_table *keys;
static struct sink *sink;
static struct cfg *cfg;
static struct doc *docs[ARRAY_LEN(texts)];

static void list_all(struct cluster *c)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *w = fake_client->watches.p[i];

		for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
			if (strcmp(texts[k][0], w->spec.kind) == 0)
				fake_event(w, KC_LISTED, docs[k]);
		}
		fake_synced(w);
	}
	while (cluster_work(c, UINT64_MAX))
		;
	cluster_tick(c);
}

static size_t count(const struct findings *f)
{
	size_t at = 0, n = 0;

	while (findings_each(f, &at))
		n++;
	return n;
}

static int start(struct findings *f, struct cluster **ret, struct err *err)
{
	struct cluster_context context = fake_context(sink, f, keys, &limits);

	return cluster_new(&context, cfg, &cfg->clusters[0], ret, err);
}

static int run_cluster(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = NULL;
	struct cluster *c = NULL;
	int r = findings_new(sink, &f, err);
	size_t n;

	if (r < 0)
		return OOM_WRONG;
	oom_arm();
	r = start(f, &c, err);
	if (r == 0 && c->connection.begun)
		list_all(c);
	oom_disarm();
	if (r < 0)
		return c ? OOM_WRONG : r;
	if (!c->connection.begun) {
		c->connection.again_ns = 0; /* time has passed */
		cluster_tick(c);
		if (!c->connection.begun)
			return OOM_WRONG;
	}
	list_all(c);
	n = count(f);
	cluster_close(c, NULL, NULL);
	fake_run();
	return n == OPEN_FINDINGS ? 0 : OOM_WRONG;
}

static int run_metrics(struct err *err)
{
	CLEANUP(findings_freep) struct findings *f = NULL;
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);
	struct writer_status status = { 0 };
	struct metrics_view read_set = { .cfg = cfg, .n_clusters = 1, .writer = &status };
	struct cluster *c = NULL;
	int r = findings_new(sink, &f, err);

	if (r < 0 || start(f, &c, err) < 0)
		return OOM_WRONG;
	list_all(c);
	read_set.clusters = &c;
	read_set.findings = f;
	oom_arm();
	metrics_render(&read_set, true, &out);
	r = buf_error(&out, "the metrics", err);
	oom_disarm();
	cluster_close(c, NULL, NULL);
	fake_run();
	return r < 0 || str_has_suffix(buf_str(&out), STR("# EOF\n")) ? r : OOM_WRONG;
}

static int prepare(void)
{
	static const char *const files[] = { DATA "/a.yaml" };
	struct problems problems = { 0 };
	struct yaml_options o = { .limits = &limits };
	struct err err;

	keys = key_table_new();
	o.keys = keys;
	if (!keys || !(sink = sink_new_direct(CFG_OUTPUT_JSON)) ||
	    cfg_load(files, 1, &limits, keys, &cfg, &problems, &err) < 0)
		return -1;
	for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
		if (yaml_decode(str_from(texts[k][1]), &o, &docs[k], &err) < 0)
			return -1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	static const struct oom_case cases[] = {
		{ "cluster", run_cluster, true },
		{ "metrics", run_metrics, true },
	};
	int out = dup(STDOUT_FILENO), nowhere = open("/dev/null", O_WRONLY), r;

	if (nowhere < 0 || prepare() < 0)
		return 1;
	dup2(nowhere, STDOUT_FILENO); /* the records */
	r = oom_main(argc, argv, cases, ARRAY_LEN(cases));
	fflush(stdout);
	dup2(out, STDOUT_FILENO);
	close(out);
	close(nowhere);
	for (size_t k = 0; k < ARRAY_LEN(texts); k++)
		doc_unref(docs[k]);
	cfg_unref(cfg);
	sink_free(sink);
	key_table_free(keys);
	return r;
}
