/* An instance of a module, as a bundle or the command line describes it. */
#ifndef KUBEGEN_KG_INSTANCE_H
#define KUBEGEN_KG_INSTANCE_H

#include "kubegen/kg_place.h"

/* A parameter that the user sets. */
struct kg_given {
	str name;
	val value;
	bool text; /* the value is a text, which is read by the declared type: a String as it is, all others as JSON */
	const struct kg_place *at;
};

struct kg_instance {
	str name;
	str source_dir;            /* the folder as written */
	str path;                  /* the folder, cleaned, for messages and for manifestPath */
	str namespace;             /* may be empty */
	const struct kg_place *at; /* the place in a bundle that names the folder, or NULL */
	const struct kg_given *given;
	size_t n_given;
};

#endif
