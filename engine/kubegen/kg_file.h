/* Names of files, and the documents in files. */
#ifndef KUBEGEN_KG_FILE_H
#define KUBEGEN_KG_FILE_H

#include "kubegen/kg_eval.h"
#include "value/doc.h"

/* Join @dir and @name, without ".", needless ".." and doubled slashes, as Go's path.Join; an absolute @name stays as
 * it is. In @a; {NULL, 0} without memory. */
str kg_path_join(struct arena *a, str dir, str name);
str kg_path_dir(str path);  /* the part before the last slash, "." when there is none */
str kg_path_base(str path); /* the part behind the last slash */
/* The extension with its dot, from the last dot of the base name; empty when there is none. */
str kg_path_extension(str path);

/* How to read a file, by its extension. False: unknown. */
bool kg_path_is_yaml(str path, bool *yaml);

/* Decode the only document of @text. The limits of one document apply to all documents of an evaluation together.
 * Fails: EBADMSG with the reason (several documents, none, a repeated key, syntax); E2BIG; ENOMEM. */
CHECKED int kg_document_decode(struct kg_eval *e, str text, bool yaml, struct doc **ret, struct err *err);

#endif
