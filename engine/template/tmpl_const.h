/* The constants of a template: Go's number and string literals. */
#ifndef TEMPLATE_TMPL_CONST_H
#define TEMPLATE_TMPL_CONST_H

#include "template/tmpl_lex.h"
#include "template/tmpl_node.h"

/* The number that @text, a token of @type, spells. Fails: EBADMSG (*out gets the text of the error), ENOMEM. */
CHECKED int tmpl_number(str text, enum tok_type type, struct tnumber *ret, struct buf *out);

/* strconv.Unquote of a quoted or raw string into @a. False: invalid syntax, or (ret->p NULL) no memory. */
bool tmpl_unquote(struct arena *a, str quoted, str *ret);

/* Go's conversions on amd64, also out of range. */
int64_t tmpl_f2i(double d);
uint64_t tmpl_f2u(double d);

#endif
