/* The attributes that the manifests of a module declare. */
#ifndef KUBEGEN_KG_DECLARE_H
#define KUBEGEN_KG_DECLARE_H

#include "kubegen/kg_eval.h"
#include "kubegen/kg_instance.h"

struct kg_declarations {
	struct kg_eval *e;
	const struct kg_instance *instance;
	struct strmap given; /* name -> struct kg_given */
	size_t n_used;       /* how many of them are used so far */
};

CHECKED int kg_declarations_init(struct kg_declarations *d, struct kg_eval *e, const struct kg_instance *instance);
void kg_declarations_done(struct kg_declarations *d);

/* Declare the attributes in Parameters and Internals of the manifest @root, whose place is @at, with the values that
 * the instance gives. */
CHECKED int kg_declare_manifest(struct kg_declarations *d, val root, const struct kg_place *at);
/* Check, after all manifests, that every parameter that the instance gives is one of the module. */
CHECKED int kg_declare_check(const struct kg_declarations *d);

#endif
