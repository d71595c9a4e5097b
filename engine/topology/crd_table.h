/* The definitions of custom resources, by the kinds that they define. */
#ifndef TOPOLOGY_CRD_TABLE_H
#define TOPOLOGY_CRD_TABLE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/strmap.h"
#include "value/val.h"

/* One version of a kind, as its definition describes it. */
struct crd_version {
	val crd;    /* the definition */
	val schema; /* openAPIV3Schema; VAL_ABSENT: the version has none, or is not served */
	bool served, namespaced;
};

struct crd_table {
	struct arena arena;
	struct strmap kinds; /* identity_kind_key -> struct crd_version */
};

void crd_table_init(struct crd_table *t);
void crd_table_done(struct crd_table *t);

/* Add what @object says, if it is a definition. The first of several definitions of a kind counts. @object must live
 * as long as @t. Fails: ENOMEM. */
CHECKED int crd_table_add(struct crd_table *t, val object, struct err *err);
/* Find a version of a kind. NULL: no definition of the kind is known. */
const struct crd_version *crd_table_get(const struct crd_table *t, str api_version, str kind);
/* The schema of a version of a kind. VAL_ABSENT: no definition of the kind is known, or it has no schema. */
val crd_table_schema(const struct crd_table *t, str api_version, str kind);

#endif
