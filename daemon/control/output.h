/* What all commands that ask the daemon print alike. */
#ifndef DAEMON_CONTROL_OUTPUT_H
#define DAEMON_CONTROL_OUTPUT_H

#include "base/buf.h"
#include "value/doc.h"

#define CONTROL_OUTPUT_MAX ((size_t)2 << 30)

/* How a command prints. */
enum control_form { FORM_TABLE, FORM_WIDE, FORM_NAME, FORM_JSON, FORM_YAML };

/* False: @text names none. */
bool control_form_parse(const char *text, enum control_form *ret);
/* The same where there are only documents: FORM_JSON, FORM_YAML. */
bool control_form_parse_doc(const char *text, enum control_form *ret);

/* The document as it is: FORM_JSON or FORM_YAML. Fails: ENOMEM, EIO. */
CHECKED int control_print_doc(const struct doc *d, enum control_form form, struct err *err);
/* Fails: EIO. */
CHECKED int control_print(const struct buf *out, struct err *err);

/* The text that a document's map has as @name; empty: none. */
str control_text(val map, const char *name);

/* Seconds from the RFC 3339 time @since to @now (Unix time); 0 when it is none, or later. */
int64_t control_age(str since, int64_t now);

#endif
