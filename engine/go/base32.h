/* Base32 as Go's encoding/base32 reads and writes it, in the standard encoding with padding. */
#ifndef GO_BASE32_H
#define GO_BASE32_H

#include "base/arena.h"
#include "base/buf.h"

/* Append @s. */
void go_base32_encode(struct buf *out, str s);

/* DecodeString: *ret is in @a. Line ends are skipped. Fails: EBADMSG, with the offset of Go's CorruptInputError
 * (line ends not counted) in *bad; ENOMEM. */
CHECKED int go_base32_decode(str s, struct arena *a, str *ret, size_t *bad);

#endif
