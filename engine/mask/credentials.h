/* The credentials of this process: tokens, passwords, keys. They are added as soon as they are read, so that the last
 * exit of each output can look for them: a server, a proxy or a plugin may repeat what it was sent, in any spelling
 * (mask/needles.h).
 *
 * The set belongs to the process, not to a client, because a token of one cluster must not appear in the message of
 * another. It contains what was used lately, even if it has been replaced since, up to CREDENTIALS_MAX texts. Any
 * thread may call these functions. */
#ifndef MASK_CREDENTIALS_H
#define MASK_CREDENTIALS_H

#include "base/buf.h"

#define CREDENTIALS_MAX 1024

/* Add a credential, or note that it is used again. In PEM each line is a credential. Texts of less than NEEDLE_LEAST
 * bytes are not added. If there is no memory for it, no text is shown any more (credentials_hide). */
void credentials_add(str text);
/* Add the user and the password of @url, decoded, if it has any. */
void credentials_add_url(str url);

/* Append @url with "***" in the place of its user and password, if it has any, of whatever length. */
void credentials_show_url(str url, struct buf *out);

/* Whether @text contains a credential. */
bool credentials_in(str text);
/* Append @text with "***" in the place of each credential; @names, which may contain one, stay as they are
 * (needles_replace). */
void credentials_hide(str text, const str *names, size_t n, struct buf *out);

/* Return @text if it contains no credential. Otherwise return it without credentials, from @space, which must be
 * empty before. Check the error of @space, with which the result is empty. */
str credentials_shown(str text, struct buf *space);

/* Remove all credentials, for tests. */
void credentials_forget(void);

#endif
