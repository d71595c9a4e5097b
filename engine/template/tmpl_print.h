/* Go's fmt package over template values: Sprint, Sprintf, Sprintln, and the strconv functions beneath. See also fn.h.
 */
#ifndef TEMPLATE_TMPL_PRINT_H
#define TEMPLATE_TMPL_PRINT_H

#include "template/fn/fn.h"

/* fmt.Sprint and Sprintln of several operands. */
void tmpl_sprint_all(struct tmem *m, const tval *args, size_t n, struct buf *out);
void tmpl_sprintln(struct tmem *m, const tval *args, size_t n, struct buf *out);

/* strconv.QuoteToASCII; one character in single quotes (@ascii: QuoteRuneToASCII). */
void tmpl_quote_ascii(struct buf *out, str s);
void tmpl_quote_char(struct buf *out, uint32_t c, bool ascii);
bool tmpl_can_backquote(str s);

#endif
