/* Reads bundles and modules of kubegen from disk. A module reads only files below its folder. */
#ifndef CONFIG_CFG_BUNDLE_H
#define CONFIG_CFG_BUNDLE_H

#include "kubegen/kg_bundle.h"

struct cfg_bundle {
	struct kg_bundle *bundle;
	struct kg_module **modules; /* one for each instance of the bundle; NULL: it was not asked for */
	uint64_t content;           /* hash of all files read (hash_seed) */
};

/* Read the bundle @path and generate its instances, or only those whose names are among @names. Fails: EINVAL and
 * others with file, line, column and path; E2BIG; ENOMEM. *ret is for cfg_bundle_done() in any case. */
CHECKED int cfg_bundle_load(const char *path, const char *const *names, size_t n_names, const struct limits *limits,
			    struct key_table *keys, struct cfg_bundle *ret, struct err *err);
void cfg_bundle_done(struct cfg_bundle *b);

/* Generate one instance from its folder; @content (hash_seed) gets the files that were read. Fails as above. */
CHECKED int cfg_module_load(const struct kg_instance *instance, const struct limits *limits, struct key_table *keys,
			    uint64_t *content, struct kg_module **ret, struct err *err);

#endif
