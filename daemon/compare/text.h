/* What kubectl does to the text of a file before it decodes it. */
#ifndef DAEMON_COMPARE_TEXT_H
#define DAEMON_COMPARE_TEXT_H

#include "base/buf.h"

/* Whether @text begins with a byte order mark or is not valid UTF-8. */
bool text_needs_utf8(str text);
/* Append @text as UTF-8: a byte order mark selects UTF-16 and is dropped, and invalid bytes become U+FFFD. */
void text_to_utf8(str text, struct buf *out);

/* Append JSON text, in which each escaped surrogate without its other half becomes U+FFFD, as Go reads it. False
 * when there is none, or without memory. */
bool text_repair_escapes(str text, struct buf *out);

/* Whether @text is a page for people, which a server sends instead of a file to somebody who has to sign in, or who
 * follows a wrong link. */
bool text_is_page(str text);

#endif
