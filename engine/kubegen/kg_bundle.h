/* Bundles, which list the modules to instantiate, with their parameters. spec/kubegen.md, section 7. */
#ifndef KUBEGEN_KG_BUNDLE_H
#define KUBEGEN_KG_BUNDLE_H

#include "kubegen/kg_module.h"

struct kg_bundle_module {
	struct kg_instance instance; /* a path in the instance is relative to the same folder as the bundle's path */
	str output_dir;              /* the folder as written, else the instance's name */
};

struct kg_bundle {
	struct kg_eval eval; /* holds the copy of the document */
	struct doc *doc;
	str name; /* the name as written, else the base name of the file, without extension */
	str namespace, description;
	struct kg_bundle_module *modules;
	size_t n_modules;
};

/* Read the bundle @text, which is the file @path. Fails: EINVAL and EBADMSG with file, line, column and path; E2BIG;
 * ENOMEM. */
CHECKED int kg_bundle_parse(str text, str path, const struct limits *limits, struct key_table *keys,
			    struct kg_bundle **ret, struct err *err);
void kg_bundle_free(struct kg_bundle *b);
DEFINE_CLEANUP(struct kg_bundle *, kg_bundle_free)

#endif
