/* Writes the text of a generated manifest: spec/kubegen.md, section 8. */
#ifndef KUBEGEN_KG_OUTPUT_H
#define KUBEGEN_KG_OUTPUT_H

#include "base/buf.h"
#include "kubegen/kg_module.h"

enum kg_format { KG_YAML, KG_JSON };

/* The name of a format, "yaml" or "json", which is also the extension of its files. */
const char *kg_format_name(enum kg_format f);

/* Append the list of @m, which has objects: YAML with a header that names its source, or JSON. Fails: ENOMEM; E2BIG;
 * EINVAL for a value that cannot be written. */
CHECKED int kg_write(const struct kg_instance *instance, const struct kg_manifest *m, enum kg_format format,
		     struct buf *out, struct err *err);

#endif
