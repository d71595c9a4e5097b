/* Base64 as Go's encoding/base64 reads and writes it. */
#ifndef GO_BASE64_H
#define GO_BASE64_H

#include "base/arena.h"
#include "base/buf.h"

/* An encoding: its 64 digits, and whether "=" fills up the last group. */
struct go_base64 {
	const char *digits;
	bool padded;
};
extern const struct go_base64 go_base64_std; /* base64.StdEncoding */
extern const struct go_base64 go_base64_raw; /* base64.RawStdEncoding: without padding */

/* The most characters that @n bytes take. */
#define GO_BASE64_LEN(n) (((n) + 2) / 3 * 4)

/* Write @n bytes at @p to @out, which has room for GO_BASE64_LEN(n); returns how many characters it wrote. */
size_t go_base64_write(const struct go_base64 *e, const void *p, size_t n, char *out);
/* Append @s in the standard encoding. */
void go_base64_encode(struct buf *out, str s);

/* DecodeString: *ret is in @a, with a NUL behind it (not counted). Line ends are skipped; the unused bits of the last
 * digit are ignored. Fails: EBADMSG, with the offset of Go's CorruptInputError in *bad, which may be NULL; ENOMEM. *ret
 * is then untouched. */
CHECKED int go_base64_decode(const struct go_base64 *e, str s, struct arena *a, str *ret, size_t *bad);

#endif
