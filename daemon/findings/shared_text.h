/* Texts that many findings share: the name of a template, of a resource, the hash of a reference. Each is stored once,
 * as long as it is used. */
#ifndef DAEMON_FINDINGS_SHARED_TEXT_H
#define DAEMON_FINDINGS_SHARED_TEXT_H

#include "base/str.h"

struct shared_texts;

/* NULL without memory. */
struct shared_texts *shared_texts_new(void);
/* Give up @s, which is freed with the last of its texts. NULL is fine. */
void shared_texts_close(struct shared_texts *s);

/* A copy of @text, NUL-terminated, to be given back by shared_text_drop; {NULL, 0} without memory. An empty text is
 * not stored. */
str shared_text_take(struct shared_texts *s, str text);
/* Give back a text of any set of shared texts. An empty text is fine. */
void shared_text_drop(str text);

#endif
