/* What the files that read manifests share. */
#ifndef MANIFEST_MANIFEST_SET_INTERNAL_H
#define MANIFEST_MANIFEST_SET_INTERNAL_H

#include "manifest/manifest_set.h"

/* Mistakes of values that a server refuses: labels, annotations and data that are no texts. */
void manifest_check_texts(struct manifest_set *s, const struct manifest *m);
/* Mistakes of lists in which a key stands twice. Fails: ENOMEM. */
CHECKED int manifest_check_keys(struct manifest_set *s, const struct manifest *m, val schema, struct err *err);

/* A mistake at @below in @m. */
void manifest_mistake(struct manifest_set *s, const struct manifest *m, struct path below, const char *fmt, ...)
	PRINTF(4, 5);

/* What @text is, which YAML does not read, because of line @line (0: nobody knows of which): a template of manifests.
 * NULL: it looks like none. *at is where that shows. */
const char *manifest_template_kind(str text, size_t line, size_t *at);

#endif
