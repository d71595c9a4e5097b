/* Names of files, and documents in files. */
#ifndef KUBEGEN_KG_FILE_H
#define KUBEGEN_KG_FILE_H

#include "kubegen/kg_eval.h"
#include "value/doc.h"

/* @dir and @name in one, without ".", needless ".." and doubled slashes, as Go's path.Join; an absolute @name stays as
 * it is. In @a; {NULL, 0} without memory. */
str kg_path_join(struct arena *a, str dir, str name);
str kg_path_dir(str path);  /* what is before the last slash, "." when there is none */
str kg_path_base(str path); /* what is behind it */
/* The extension with its dot, from the last dot of the base name; empty when there is none. */
str kg_path_extension(str path);

/* How a file is read, by its extension. False: unknown. */
bool kg_path_is_yaml(str path, bool *yaml);

/* The one document of @text. All that an evaluation reads has the ceilings of one document together. Fails: EBADMSG
 * with the reason (several documents, none, a repeated key, syntax); E2BIG; ENOMEM. */
CHECKED int kg_document_decode(struct kg_eval *e, str text, bool yaml, struct doc **ret, struct err *err);

#endif
