/* Fills in errors and wraps their messages. */
#include "base/err.h"

#include "base/assert.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Define the functions themselves, not the macros that the analyzer sees. */
#undef err_set
#undef err_vset
#undef err_wrap
#undef err_nomem

/* Cut a text without leaving half of a UTF-8 sequence: journald and JSON readers would refuse the whole field. */
static void cut_at_character(char *msg, size_t size)
{
	size_t n = size - 1;

	while (n > 0 && ((unsigned char)msg[n - 1] & 0xC0) == 0x80)
		n--;
	if (n > 0 && (unsigned char)msg[n - 1] >= 0xC0)
		n--;
	msg[n] = '\0';
}

int err_vset(struct err *e, int code, const char *fmt, va_list ap)
{
	int n;

	ASSERT(code > 0);
	e->code = code;
	n = vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
	if (n >= (int)sizeof(e->msg))
		cut_at_character(e->msg, sizeof(e->msg));
	return -code;
}

int err_set(struct err *e, int code, const char *fmt, ...)
{
	va_list ap;
	int r;

	va_start(ap, fmt);
	r = err_vset(e, code, fmt, ap);
	va_end(ap);
	return r;
}

int err_wrap(struct err *e, const char *fmt, ...)
{
	char inner[sizeof(e->msg)];
	va_list ap;
	size_t n;

	memcpy(inner, e->msg, sizeof(inner));
	va_start(ap, fmt);
	err_vset(e, e->code, fmt, ap);
	va_end(ap);
	n = strlen(e->msg);
	if (snprintf(e->msg + n, sizeof(e->msg) - n, ": %s", inner) >= (int)(sizeof(e->msg) - n))
		cut_at_character(e->msg, sizeof(e->msg));
	return -e->code;
}

int err_nomem(struct err *e)
{
	return err_set(e, ENOMEM, "out of memory");
}
