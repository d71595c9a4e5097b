/* What was loaded of revisions of published references, apart from the configurations that it is for: loading is a
 * function of the entry and of the revision's id, so what is known of both counts again, and can be found out in a
 * thread before a configuration is read. */
#ifndef CONFIG_CFG_LOADED_H
#define CONFIG_CFG_LOADED_H

#include "base/vec.h"
#include "config/cfg.h"

/* A loaded revision, or its mistakes. */
struct cfg_loaded;

/* Read the revision @id from @sources_dir, check it against its id, and load it as the entry @r says. Safe in any
 * thread, as long as @r does not change; @keys, which may be NULL, belongs to one thread at a time and outlives the
 * result. NULL without memory. */
struct cfg_loaded *cfg_loaded_new(str sources_dir, const struct cfg_reference *r, str id, const struct limits *limits,
				  struct key_table *keys);
void cfg_loaded_free(struct cfg_loaded *x);
DEFINE_CLEANUP(struct cfg_loaded *, cfg_loaded_free)

/* The files of a configuration, read and parsed ahead. Those with another text by then are parsed again. */
struct cfg_parsed;

/* Parse the files that make up the configuration at @path. Safe in any thread. NULL without memory. */
struct cfg_parsed *cfg_parsed_new(const char *path, const struct limits *limits);

/* Loaded revisions, which a configuration need not load again. */
struct cfg_cache {
	VEC(struct cfg_loaded *) list;
	struct cfg_parsed *parsed; /* what the next configuration takes over; NULL: nothing */
};

/* Add @x, which the cache owns then. False without memory: the caller keeps it. */
bool cfg_cache_take(struct cfg_cache *c, struct cfg_loaded *x);
/* Forget the revisions that @cfg, which may be NULL, does not use. They are loaded again when they are needed. */
void cfg_cache_keep(struct cfg_cache *c, const struct cfg *cfg);
void cfg_cache_done(struct cfg_cache *c);

/* As cfg_load_checked, but with the revisions in @cache, to which newly loaded ones are added; it may be NULL. */
CHECKED int cfg_load_cached(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
			    cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg_cache *cache,
			    struct cfg **ret, struct problems *problems, struct err *err);

#endif
