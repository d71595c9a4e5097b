/* What a cluster writes into its objects by itself, and a reference made of them must not ask for. */
#ifndef DAEMON_COMPARE_GENERATE_OMIT_H
#define DAEMON_COMPARE_GENERATE_OMIT_H

#include "base/buf.h"
#include "value/val.h"

/* @object without what the cluster wrote, nor the annotations and labels that @config lists under "omitAnnotations" and
 * "omitLabels". A map that becomes empty goes as well. Lives in @a; VAL_ABSENT without memory. */
val generate_clean(struct arena *a, val object, val config);

/* Append the items of a list of fields to omit that names the same, as YAML. */
void generate_omitted(struct buf *out, val config);

#endif
