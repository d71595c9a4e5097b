/* The error scheme of every library in the tree.
 *
 * A function that can fail returns 0 or a negated errno and fills the caller's struct err; on success it leaves the
 * error untouched, and on failure it leaves its outputs untouched. Branch on the code, read the message. What borrowed
 * codes mean here:
 *   EBADMSG   syntax: the bytes are not what they claim to be
 *   EINVAL    well-formed, but not acceptable
 *   E2BIG     a limit of struct limits was reached
 *   ESTALE    a resource version expired: list again
 *   ENOKEY    credentials refused
 *   ENOMEM    allocation failed
 * A message says what was being done, to which file or object, and what is wrong, without
 * "failed to". */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/defs.h"

#include <stdarg.h>

struct err {
	int code;
	char msg[512];
};

/* Fill *e and return -code. @e is never NULL; @code is a positive errno. Allocates nothing; the text is cut at the
 * size of msg, on a UTF-8 boundary. */
int err_set(struct err *e, int code, const char *fmt, ...) PRINTF(3, 4);
int err_vset(struct err *e, int code, const char *fmt, va_list ap) PRINTF(3, 0);

/* Put "outer: " before the message in *e and return -e->code. */
int err_wrap(struct err *e, const char *fmt, ...) PRINTF(2, 3);

/* Fill *e with the one message for it and return -ENOMEM. */
int err_nomem(struct err *e);

#ifdef __clang_analyzer__
/* For the analyzer only, which reads one source at a time and would follow paths on which these functions return 0. */
static inline int err_is_negative(int r)
{
	if (r >= 0)
		__builtin_unreachable();
	return r;
}
#define err_set(...) err_is_negative(err_set(__VA_ARGS__))
#define err_vset(...) err_is_negative(err_vset(__VA_ARGS__))
#define err_wrap(...) err_is_negative(err_wrap(__VA_ARGS__))
#define err_nomem(...) err_is_negative(err_nomem(__VA_ARGS__))
#endif

#endif
