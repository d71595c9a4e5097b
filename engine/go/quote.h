/* Quotes text as Go quotes it, and reads it back: strconv.Quote and its relatives. */
#ifndef GO_QUOTE_H
#define GO_QUOTE_H

#include "base/arena.h"
#include "base/buf.h"

/* Append strconv.Quote: in double quotes, with escapes for characters that cannot be printed; bytes that are no
 * UTF-8 as \x. */
void go_quote(struct buf *out, str s);
/* Append strconv.QuoteToASCII: characters that are not ASCII are escaped too. */
void go_quote_ascii(struct buf *out, str s);
/* Append strconv.QuoteRune: one character in single quotes; U+FFFD when @c is none. @ascii: QuoteRuneToASCII. */
void go_quote_rune(struct buf *out, uint32_t c, bool ascii);
/* strconv.CanBackquote: whether @s can be written between backquotes without escapes. */
bool go_can_backquote(str s);

/* strconv.Unquote of a text in double quotes or backquotes into @a. Fails: EINVAL, ENOMEM. */
CHECKED int go_unquote(str quoted, struct arena *a, str *ret);
/* strconv.UnquoteChar: split the next character of a text quoted with @quote off *rest. *raw: it is a byte, not a
 * character. False: the syntax is invalid, or the character is @quote itself. */
bool go_unquote_char(str *rest, char quote, uint32_t *ret, bool *raw);

#endif
