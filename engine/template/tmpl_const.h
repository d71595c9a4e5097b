/* Reads the number literals of a template. */
#ifndef TEMPLATE_TMPL_CONST_H
#define TEMPLATE_TMPL_CONST_H

#include "template/tmpl_lex.h"
#include "template/tmpl_node.h"

/* The number that @text, a token of @type, spells. Fails: EBADMSG (the text of the error is appended to *out),
 * ENOMEM. */
CHECKED int tmpl_number(str text, enum tok_type type, struct tnumber *ret, struct buf *out);

#endif
