/* Text quoted as Go quotes it, and read back: strconv.Quote and its relatives. */
#ifndef GO_QUOTE_H
#define GO_QUOTE_H

#include "base/arena.h"
#include "base/buf.h"

/* strconv.Quote appended: in double quotes, with what cannot be printed escaped; bytes that are no UTF-8 as \x. */
void go_quote(struct buf *out, str s);
/* strconv.QuoteToASCII: whatever is not ASCII is escaped too. */
void go_quote_ascii(struct buf *out, str s);
/* strconv.QuoteRune: one character in single quotes; U+FFFD when @c is none. @ascii: QuoteRuneToASCII. */
void go_quote_rune(struct buf *out, uint32_t c, bool ascii);
/* strconv.CanBackquote: whether @s can stand between backquotes as it is. */
bool go_can_backquote(str s);

/* strconv.Unquote of a text in double quotes or backquotes into @a. Fails: EINVAL, ENOMEM. */
CHECKED int go_unquote(str quoted, struct arena *a, str *ret);
/* strconv.UnquoteChar: the next character of a text quoted with @quote, cut off *rest. *raw: a byte, no character.
 * False: invalid syntax, or @quote itself. */
bool go_unquote_char(str *rest, char quote, uint32_t *ret, bool *raw);

#endif
