/* Reads the definitions of custom resources. */
#ifndef TOPOLOGY_CRD_H
#define TOPOLOGY_CRD_H

#include "value/val.h"

/* What definitions are to the API server. */
#define CRD_API_VERSION STR("apiextensions.k8s.io/v1")
#define CRD_KIND STR("CustomResourceDefinition")

/* Whether @object is a definition. */
bool crd_is(val object);
/* The openAPIV3Schema of the served version of @crd that is @api_version and @kind; VAL_ABSENT: it is for another kind,
 * or has none. */
val crd_schema(val crd, str api_version, str kind);
/* Whether the definition is of @api_version and @kind, whatever it says of the version. */
bool crd_is_for(val crd, str api_version, str kind);

/* Whether objects of @api_version can only come from a CustomResourceDefinition. */
bool crd_may_define(str api_version);

#endif
