/* Escapes text, so that a template does not take parts of it for actions. */
#ifndef TEXT_TEMPLATE_ESCAPE_H
#define TEXT_TEMPLATE_ESCAPE_H

#include "base/buf.h"

/* Append a Go template whose output is @text: each "{{" in it is written by an action. */
void template_escape(str text, struct buf *out);

#endif
