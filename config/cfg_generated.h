/* A reference whose files are generated instead of read: a bundle of kubegen stands in place of its metadata.yaml. */
#ifndef CONFIG_CFG_GENERATED_H
#define CONFIG_CFG_GENERATED_H

#include "reference/ref.h"

struct cfg_generated {
	struct ref_source files; /* for reference_load(); without read(): the file was no bundle */
	str metadata;            /* the name of the generated metadata.yaml */
	void (*free)(void *ctx); /* frees files.ctx */
	uint64_t content;        /* hash of all files read (hash_seed) */
};

/* Generate the bundle @path, all instances of it, if it is one, as its Kind says; what cannot be read or parsed is
 * none. *ret is for cfg_generated_done() in any case. Fails: ENOTSUP (the build left kubegen out); as
 * cfg_bundle_reference(). */
CHECKED int cfg_generate(const char *path, const struct limits *limits, struct key_table *keys,
			 struct cfg_generated *ret, struct err *err);
void cfg_generated_done(struct cfg_generated *g);

/* Generates the bundle at @path. cfg_bundle_ref.c defines it, in builds that have kubegen. */
CHECKED int cfg_bundle_generate(const char *path, const struct limits *limits, struct key_table *keys,
				struct cfg_generated *ret, struct err *err);

/* Checks that all modules of the bundle @text, which is the file @path, are below the folder @root: a bundle that was
 * fetched may read nothing else. A text that is no bundle passes. cfg_bundle_ref.c defines it. Fails: EXDEV with the
 * place; ENOMEM. */
CHECKED int cfg_bundle_stays_below(str text, const char *path, const char *root, const struct limits *limits,
				   struct err *err);

#endif
