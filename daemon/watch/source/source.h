/* The interface of what the events of a cluster come from: an API server (kube_source.h), or an owner that says what a
 * server would say (feed.h).
 *
 * The functions mean for one cluster what the functions of the same name in kubeclient/kc_client.h mean. */
#ifndef DAEMON_WATCH_SOURCE_H
#define DAEMON_WATCH_SOURCE_H

#include "config/cfg.h"
#include "kubeclient/kc_client.h"
#include "kubeclient/kc_resource.h"

struct source_watch; /* whatever the source has for one watch */
struct watch_source;

struct watch_source_table {
	int (*watch_add)(struct watch_source *s, const struct kc_watch_spec *spec, const struct kc_handler *h,
			 void *ctx, struct source_watch **ret, struct err *err);
	void (*watch_remove)(struct watch_source *s, struct source_watch *w);
	const char *(*watch_resource)(const struct watch_source *s, const struct source_watch *w);
	const struct kc_watch_counters *(*watch_counters)(const struct watch_source *s, const struct source_watch *w);
	const struct kc_counters *(*counters)(const struct watch_source *s);
	bool (*up)(const struct watch_source *s);
	bool (*discovered)(const struct watch_source *s);
	const char *(*server)(const struct watch_source *s);
	const struct kc_resource *(*listable)(const struct watch_source *s, size_t *at);
	const char *(*why_unknown)(const struct watch_source *s, size_t *at, str *api_version);
	void (*retry)(struct watch_source *s);
	void (*reread)(struct watch_source *s);
	void (*rediscover)(struct watch_source *s);
	/* Test each watch on a new connection, because the process did not run for a while, so that nothing known of
	 * a watch is evidence any more. Each watch reports KC_WATCHING once it works, or its failure. NULL: the
	 * source has no connections. */
	void (*test)(struct watch_source *s);
	void (*close)(struct watch_source *s, void (*closed)(void *ctx), void *ctx);
};

/* The first member of every source. */
struct watch_source {
	const struct watch_source_table *does;
	/* the client of the API server that the events come from; NULL: they come from no server */
	struct kc_client *client;
	uint64_t hash; /* hash of the configuration, the place and the credentials; 0: there is none */
};

/* Borrowed during the call of open, except for the loop, the pace, the keys and the contexts, which outlive the
 * source. */
struct source_options {
	uv_loop_t *loop;
	const struct cfg_cluster *config;
	uint64_t config_hash;
	const struct limits *limits;
	struct key_table *keys;
	const struct kc_tuning *tuning; /* NULL: the default */
	/* shared by all clients of the loop; NULL: nobody else has a client there */
	struct kc_pace *pace;
	/* called for warnings about the kubeconfig; NULL: nobody wants them */
	void (*warn)(void *ctx, const char *message);
	void (*notice)(void *ctx, const struct kc_notice *n);
	void (*discovered)(void *ctx); /* NULL: nobody needs to know which kinds there are */
	void *ctx;                     /* the context of the three functions above */
};

/* Makes the source of a cluster. The maker outlives the source. */
struct source_maker {
	/* No callback except warn is called before open returns. Fails: what making a client fails with; it is tried
	 * again later. */
	int (*open)(void *ctx, const struct source_options *o, struct watch_source **ret, struct err *err);
	void *ctx;
};

#endif
