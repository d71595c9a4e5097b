/* A bundle of kubegen in the place of a reference's metadata.yaml. */
#ifndef CONFIG_CFG_BUNDLE_REF_H
#define CONFIG_CFG_BUNDLE_REF_H

#include "kubegen/kg_reference.h"
#include "reference/ref.h"

/* Whether the file @path is a bundle, as its Kind says; what cannot be read or parsed is none. Fails: ENOMEM. */
CHECKED int cfg_bundle_detect(const char *path, const struct limits *limits, bool *ret, struct err *err);

/* Generate the bundle @path, all instances of it, as a reference. @content gets the hash of all files read
 * (hash_seed). *ret is for kg_reference_done() in any case. Fails as cfg_bundle_load() and kg_reference_make(). */
CHECKED int cfg_bundle_reference(const char *path, const struct limits *limits, struct key_table *keys,
				 struct kg_reference *ret, uint64_t *content, struct err *err);

/* The files of @r, for reference_load(): its metadata is KG_REFERENCE_METADATA. */
struct ref_source cfg_bundle_source(struct kg_reference *r);

#endif
