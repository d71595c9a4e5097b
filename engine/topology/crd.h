/* Reads the definitions of custom resources. */
#ifndef TOPOLOGY_CRD_H
#define TOPOLOGY_CRD_H

#include "value/val.h"

/* The API version and the kind of definitions. */
#define CRD_API_VERSION STR("apiextensions.k8s.io/v1")
#define CRD_KIND STR("CustomResourceDefinition")

/* Whether @object is a CustomResourceDefinition. */
bool crd_is(val object);
/* The openAPIV3Schema in @crd of the served version @api_version of @kind; VAL_ABSENT: @crd is for another kind, or
 * has no schema. */
val crd_schema(val crd, str api_version, str kind);
/* Whether @crd is for the kind @kind of @api_version, whatever it says about the version. */
bool crd_is_for(val crd, str api_version, str kind);

/* Whether objects of @api_version can only come from a CustomResourceDefinition. */
bool crd_may_define(str api_version);

#endif
