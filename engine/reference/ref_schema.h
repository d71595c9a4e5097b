/* The schema of metadata.yaml, versions 1 and 2. */
#ifndef REFERENCE_REF_SCHEMA_H
#define REFERENCE_REF_SCHEMA_H

#include "reference/go_decode.h"

extern const struct go_type ref_schema_v1;
extern const struct go_type ref_schema_v2;

/* The names of the groups of a version 2 component, in the order of enum ref_group from REF_ALL_OF on. */
#define REF_V2_GROUPS 6
extern const char *const ref_v2_groups[REF_V2_GROUPS];

#endif
