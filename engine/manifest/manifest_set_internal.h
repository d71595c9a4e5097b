/* Declarations that the files which read manifests share. */
#ifndef MANIFEST_MANIFEST_SET_INTERNAL_H
#define MANIFEST_MANIFEST_SET_INTERNAL_H

#include "manifest/manifest_set.h"

/* Report values that a server refuses: labels, annotations and data that are not text. */
void manifest_check_texts(struct manifest_set *s, const struct manifest *m);
/* Report lists in which a key is repeated. Fails: ENOMEM. */
CHECKED int manifest_check_keys(struct manifest_set *s, const struct manifest *m, val schema, struct err *err);

/* Add a mistake at @below in @m. */
void manifest_mistake(struct manifest_set *s, const struct manifest *m, struct path below, const char *fmt, ...)
	PRINTF(4, 5);

/* Find out whether @text is a template of manifests, after YAML failed to read it at line @line (0: unknown).
 * Returns the message about that, and *at is where it shows; NULL: it does not look like a template. */
const char *manifest_template_kind(str text, size_t line, size_t *at);

#endif
