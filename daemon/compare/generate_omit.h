/* What a cluster writes into its objects by itself, and a reference made of them must not ask for. */
#ifndef DAEMON_COMPARE_GENERATE_OMIT_H
#define DAEMON_COMPARE_GENERATE_OMIT_H

#include "base/buf.h"
#include "value/val.h"

/* @object without what the cluster wrote, and without the annotations and labels that @config lists under
 * "omitAnnotations" and "omitLabels". A map that becomes empty is removed as well. The result lives in @a;
 * VAL_ABSENT without memory. */
val generate_clean(struct arena *a, val object, val config);

/* Append the list items for "fieldsToOmit" that name the same fields, as YAML. */
void generate_omitted(struct buf *out, val config);

#endif
