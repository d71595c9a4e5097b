/* Reads the configuration and the file of --web.config.file. */
#include "daemon/app/configuration.h"

#include "config/exit_status.h"
#include "config/web_config.h"
#include "daemon/serve/http_tls.h"
#include "daemon/watch/source/kube_source.h"

#include <stdio.h>
#include <sys/stat.h>

int configuration_read(const char *config_path, const struct limits *limits, struct key_table *keys,
		       cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg_cache *cache,
		       struct cfg **ret, struct problems *problems)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *files;
	struct err err;
	size_t n;
	int r;

	r = cfg_files(config_path, &a, &files, &n, &err);
	if (r == 0)
		r = cfg_load_cached(files, n, limits, keys, check, candidate, cache, ret, problems, &err);
	if (r < 0 && !problems_any(problems))
		problems_add(problems, "%s", err.msg);
	return r == 0 ? 0 : EXIT_CONFIG;
}

bool configuration_unchanged(const char *config_path, const struct limits *limits, const struct cfg *cfg)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *files;
	struct err err;
	size_t n;

	return cfg_files(config_path, &a, &files, &n, &err) == 0 && cfg_texts_unchanged(cfg, files, n, limits);
}

uint64_t configuration_bytes(const char *config_path)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	const char *const *files;
	uint64_t bytes = 0;
	struct err err;
	size_t n = 0;

	if (cfg_files(config_path, &a, &files, &n, &err) < 0)
		return 0;
	for (size_t i = 0; i < n; i++) {
		struct stat st;

		bytes += stat(files[i], &st) == 0 ? (uint64_t)st.st_size : 0;
	}
	return bytes;
}

void configuration_check_cluster(const struct cfg_cluster *c, struct problems *problems)
{
	struct err err;

	if (kube_source_check(c, &err) < 0)
		problems_add(problems, "%.*s: cluster '%.*s': %s", STR_ARG(c->where), STR_ARG(c->name), err.msg);
}

void configuration_print(const struct problems *problems)
{
	CLEANUP(freep) char *text = problems_text(problems);

	fprintf(stderr, "%s\n", text ? text : "out of memory");
}

int configuration_need(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret)
{
	struct problems problems = { 0 };
	int status = configuration_read(config_path, limits, keys, NULL, NULL, NULL, ret, &problems);

	if (status)
		configuration_print(&problems);
	problems_done(&problems);
	return status;
}

int configuration_load_web(const char *path, struct web_config **ret, struct problems *problems)
{
	CLEANUP(web_config_unrefp) struct web_config *w = NULL;
	struct err err;

	if (web_config_load(path, &w, problems, &err) < 0) {
		if (!problems_any(problems))
			problems_add(problems, "%s", err.msg);
		return EXIT_CONFIG;
	}
	if (http_tls_check(w, &err) < 0) {
		problems_add(problems, "%s: %s", path, err.msg);
		return EXIT_CONFIG;
	}
	*ret = TAKE(w);
	return 0;
}
