/* What this process proves with that it is itself: tokens, passwords, keys. They are known here from the moment they
 * are read, so that the last exit of each output can look for them: a server, a proxy or a plugin may repeat what it
 * was sent, in any spelling (mask/needles.h).
 *
 * They are the process's and not a client's: a token of one cluster must not leave in the message of another. What was
 * used lately is known, also what has been replaced by now, up to CREDENTIALS_MAX texts. Any thread may call. */
#ifndef MASK_CREDENTIALS_H
#define MASK_CREDENTIALS_H

#include "base/buf.h"

#define CREDENTIALS_MAX 1024

/* @text is one, or is used again. Of PEM each line is one. Those of less than NEEDLE_LEAST bytes are not looked for.
 * Without memory it is not known, and nothing that is said after that is shown (credentials_hide). */
void credentials_add(str text);
/* The user and the password of @url, decoded, if it has any. */
void credentials_add_url(str url);

/* Append @url with "***" for its user and password, if it has any: of whatever length. */
void credentials_show_url(str url, struct buf *out);

/* Whether @text holds one. */
bool credentials_in(str text);
/* Append @text with "***" for each; @names, which may hold one, stay as they are (needles_replace). */
void credentials_hide(str text, const str *names, size_t n, struct buf *out);

/* @text where it holds none; else what hides them, in @space, which is empty before and is to be asked for its error
 * (then the result is empty). */
str credentials_shown(str text, struct buf *space);

/* None is known: for tests. */
void credentials_forget(void);

#endif
