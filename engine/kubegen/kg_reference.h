/* Makes a reference of kube-compare out of a bundle: spec/kubegen.md, section 8, "As a reference". The bundle is the
 * part, each instance a component, each generated object a template without actions, all of them required. */
#ifndef KUBEGEN_KG_REFERENCE_H
#define KUBEGEN_KG_REFERENCE_H

#include "kubegen/kg_bundle.h"

#define KG_REFERENCE_METADATA "metadata.yaml"

struct kg_reference_file {
	str path; /* KG_REFERENCE_METADATA, or "INSTANCE/MANIFEST#KIND-NAME" */
	str text;
};

struct kg_reference {
	struct arena arena;
	VEC(struct kg_reference_file) files; /* the templates in order, then the metadata */
	struct strmap index;                 /* path -> its number in files, from 1 */
};

/* Make the files of the reference for @b; @modules holds what each of its instances generated. Call
 * kg_reference_done() for *ret in any case. Fails: EINVAL when two instances or objects have the same name, or a
 * name that is no valid file name; ENOMEM; E2BIG. */
CHECKED int kg_reference_make(const struct kg_bundle *b, struct kg_module *const *modules, struct kg_reference *ret,
			      struct err *err);
void kg_reference_done(struct kg_reference *r);

/* Find a file by its path. NULL: there is no such file. */
const struct kg_reference_file *kg_reference_find(const struct kg_reference *r, str path);

#endif
