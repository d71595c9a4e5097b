/* An instance of a module: what a bundle, or the command line, says of it. */
#ifndef KUBEGEN_KG_INSTANCE_H
#define KUBEGEN_KG_INSTANCE_H

#include "kubegen/kg_place.h"

/* A parameter that the user sets. */
struct kg_given {
	str name;
	val value;
	bool text; /* value is a text, to be read by the declared type: a String as it is, all others as JSON */
	const struct kg_place *at;
};

struct kg_instance {
	str name;
	str source_dir;            /* as written */
	str path;                  /* the folder, cleaned: for messages and for manifestPath */
	str namespace;             /* may be empty */
	const struct kg_place *at; /* where a bundle names the folder, or NULL */
	const struct kg_given *given;
	size_t n_given;
};

#endif
