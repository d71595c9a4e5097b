/* Text that must not be taken for a template's actions. */
#ifndef TEXT_TEMPLATE_ESCAPE_H
#define TEXT_TEMPLATE_ESCAPE_H

#include "base/buf.h"

/* Append a Go template that gives @text: its "{{" are written by an action each. */
void template_escape(str text, struct buf *out);

#endif
