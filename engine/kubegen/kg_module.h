/* Instances of modules: turns the manifests in a module's folder into Kubernetes objects. spec/kubegen.md, sections
 * 5 and 6. */
#ifndef KUBEGEN_KG_MODULE_H
#define KUBEGEN_KG_MODULE_H

#include "base/vec.h"
#include "kubegen/kg_eval.h"
#include "kubegen/kg_instance.h"

/* The objects that one manifest generates. */
struct kg_manifest {
	str base; /* the name of the manifest without extension */
	str path; /* the path of the file that was read */
	val list; /* a v1 List; VAL_ABSENT: there are no objects */
};

struct kg_module {
	struct kg_eval eval;
	VEC(struct doc *) docs;
	struct kg_manifest *manifests; /* sorted by name */
	size_t n_manifests;
};

/* Generate the objects of @instance from the files in @folder. The result contains values of @instance. Fails:
 * EINVAL with file, line, column, path and what was expected; E2BIG: a limit; ENOMEM. */
CHECKED int kg_module_generate(const struct kg_instance *instance, const struct kg_folder *folder,
			       const struct limits *limits, struct key_table *keys, struct kg_module **ret,
			       struct err *err);
void kg_module_free(struct kg_module *m);
DEFINE_CLEANUP(struct kg_module *, kg_module_free)

#endif
