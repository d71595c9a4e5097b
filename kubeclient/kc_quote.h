/* What may be quoted of a text that another program wrote for people, and that could hold a credential. */
#ifndef KUBECLIENT_KC_QUOTE_H
#define KUBECLIENT_KC_QUOTE_H

#include "base/buf.h"

/* Append the first @max bytes of @text as one line of printable text: control characters, also those of terminals, and
 * invalid bytes become spaces. What a header of ours would have held, the word behind "Bearer" or "Basic", becomes
 * "***". */
void kc_quote_line(str text, size_t max, struct buf *out);

/* Overwrite with "*" what @line, a header of ours, says for whom we speak, wherever @text repeats it. */
void kc_quote_hide(str line, struct buf *text);

#endif
