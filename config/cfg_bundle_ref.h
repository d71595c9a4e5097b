/* A bundle of kubegen that stands in place of a reference's metadata.yaml. */
#ifndef CONFIG_CFG_BUNDLE_REF_H
#define CONFIG_CFG_BUNDLE_REF_H

#include "kubegen/kg_reference.h"

/* Generate the bundle @path, all instances of it, as a reference. @content gets the hash of all files read
 * (hash_seed). *ret is for kg_reference_done() in any case. Fails as cfg_bundle_load() and kg_reference_make(). */
CHECKED int cfg_bundle_reference(const char *path, const struct limits *limits, struct key_table *keys,
				 struct kg_reference *ret, uint64_t *content, struct err *err);

#endif
