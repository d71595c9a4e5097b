/* Converts the shorthand objects of a manifest to native objects: spec/kubegen.md, section 6. */
#ifndef KUBEGEN_KG_OBJECTS_H
#define KUBEGEN_KG_OBJECTS_H

#include "kubegen/kg_shape.h"

/* One list of shorthand objects that a manifest may have. */
struct kg_kind {
	const char *list; /* the key of the kind in the manifest */
	const char *kind;
	const struct kg_shape *shape;
	/* Makes the native object of @from, which fits the shape, and is in @manifest. VAL_ABSENT after a mistake. */
	val (*make)(struct kg_make *m, const struct kg_kind *kind, val from, val manifest);
};

extern const struct kg_kind kg_deployment, kg_replica_set, kg_daemon_set, kg_stateful_set, kg_config_map, kg_secret,
	kg_service;

/* ---- pods (kg_pod.c), containers (kg_container.c), probes (kg_probe.c) ---- */

extern const struct kg_shape kg_pod_shape;

/* The spec of the pod whose fields are in @from. @claims: a list of native claims that make volumes too, or absent. */
val kg_pod_spec(struct kg_make *m, val from, val claims);

/* A container of a pod that has volumes of these names (a set of texts). */
val kg_container(struct kg_make *m, val from, const struct strmap *volumes);
/* The name of a port of @container: its own or, when it is the only port, the container's. May be empty. */
str kg_port_name(val container, val port);

val kg_probe(struct kg_make *m, val from, val container);
val kg_lifecycle(struct kg_make *m, val from, val container);

/* ---- complete objects (kg_resource.c) ---- */

struct kg_items;

/* Append the objects of the file that an entry of Resources names; lists are flattened. */
void kg_resource(struct kg_make *m, val entry, struct kg_items *to);

#endif
