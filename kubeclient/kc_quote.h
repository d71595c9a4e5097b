/* What may be quoted of a text that another program wrote for people, and that could hold a credential. */
#ifndef KUBECLIENT_KC_QUOTE_H
#define KUBECLIENT_KC_QUOTE_H

#include "base/buf.h"

/* Whether @line looks as if it held a token, a part of a PEM text, or the like: it has "-----", the beginning of a JSON
 * Web Token, or a word of 20 or more characters (letters, digits, '_', '-', '+', '=') with a letter and a digit in it.
 * Names of hosts and paths of files are several words. */
bool kc_quote_is_secret(str line);

/* Append the first @max bytes of @text as one line of printable text: control characters, also those of terminals, and
 * invalid bytes become spaces. */
void kc_quote_line(str text, size_t max, struct buf *out);

/* Append the last line of @text that is not empty, cut at 200 bytes, as one line of printable text; or, when it looks
 * like a secret or @is_known says that it holds a known one, a remark instead of it. Nothing for an empty text. */
void kc_quote_last_line(str text, bool (*is_known)(const void *ctx, str line), const void *ctx, struct buf *out);

#endif
