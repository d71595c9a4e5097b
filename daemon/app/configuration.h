/* Reading the configuration, for the running daemon and for commands. */
#ifndef DAEMON_APP_CONFIGURATION_H
#define DAEMON_APP_CONFIGURATION_H

#include "config/cfg_loaded.h"

struct web_config;

/* Read the configuration at @config_path with its references and rules. All mistakes go to @problems, also those
 * that @check (NULL: none) finds in a cluster. @candidate, @cache: cfg_load_cached. Exit status: 0, or 78. */
int configuration_read(const char *config_path, const struct limits *limits, struct key_table *keys,
		       cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg_cache *cache,
		       struct cfg **ret, struct problems *problems);
/* As configuration_read, without a check; prints the mistakes. */
int configuration_need(const char *config_path, const struct limits *limits, struct key_table *keys, struct cfg **ret);
/* Read the file of --web.config.file; mistakes go to @problems. Exit status as above. */
int configuration_load_web(const char *path, struct web_config **ret, struct problems *problems);

/* The kubeconfig of @c: what cannot be used of it goes to @problems. */
void configuration_check_cluster(const struct cfg_cluster *c, struct problems *problems);

/* Print all mistakes on standard error, a line each. */
void configuration_print(const struct problems *problems);

/* How large the files of settings at @config_path are, as far as that can be found out. */
uint64_t configuration_bytes(const char *config_path);
/* Whether the files of settings at @config_path are still those that @cfg was read from. */
bool configuration_unchanged(const char *config_path, const struct limits *limits, const struct cfg *cfg);

#endif
