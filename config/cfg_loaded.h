/* What was loaded of revisions of published references, apart from the configurations that it is for: loading is a
 * function of the entry and of the revision's id, so what is known of both counts again, and can be found out in a
 * thread before a configuration is read. */
#ifndef CONFIG_CFG_LOADED_H
#define CONFIG_CFG_LOADED_H

#include "base/vec.h"
#include "config/cfg.h"

/* One revision, or what is wrong with it. */
struct cfg_loaded;

/* Read the revision @id from @sources_dir, hold it against its id, and load it as the entry @r says. In any thread:
 * @r stays as it is meanwhile; @keys, which may be NULL, are of one thread at a time, and outlive what is loaded. NULL
 * without memory. */
struct cfg_loaded *cfg_loaded_new(str sources_dir, const struct cfg_reference *r, str id, const struct limits *limits,
				  struct key_table *keys);
void cfg_loaded_free(struct cfg_loaded *x);
DEFINE_CLEANUP(struct cfg_loaded *, cfg_loaded_free)

/* Revisions that are loaded already, so that a configuration need not load them again. */
struct cfg_cache {
	VEC(struct cfg_loaded *) list;
};

/* @x is the cache's from now on. False without memory: it stays the caller's. */
bool cfg_cache_take(struct cfg_cache *c, struct cfg_loaded *x);
/* Forget what @cfg, which may be NULL, does not have; what is forgotten is loaded again when it is needed. */
void cfg_cache_keep(struct cfg_cache *c, const struct cfg *cfg);
void cfg_cache_done(struct cfg_cache *c);

/* As cfg_load_checked, but with what is in @cache, to which goes what can be loaded; it may be NULL. */
CHECKED int cfg_load_cached(const char *const *files, size_t n, const struct limits *limits, struct key_table *keys,
			    cfg_cluster_check *check, const struct cfg_candidate *candidate, struct cfg_cache *cache,
			    struct cfg **ret, struct problems *problems, struct err *err);

#endif
