/* Appends to a buffer up to its ceiling. */
#include "base/buf.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#define FIRST_SIZE 256

void buf_done(struct buf *b)
{
	free(b->p);
	*b = BUF_INIT(b->max);
}

void buf_clear(struct buf *b)
{
	b->n = 0;
	b->error = 0;
	if (b->p)
		b->p[0] = '\0';
}

void buf_truncate(struct buf *b, size_t n)
{
	if (n >= b->n)
		return;
	b->n = n;
	b->p[n] = '\0';
}

static bool grow(struct buf *b, size_t need)
{
	size_t cap = b->cap ? b->cap : FIRST_SIZE;
	char *p;

	while (cap < need)
		cap = cap > SIZE_MAX / 2 ? need : cap * 2;
	p = realloc(b->p, cap);
	if (!p) {
		b->error = -ENOMEM;
		return false;
	}
	b->p = p;
	b->cap = cap;
	return true;
}

char *buf_reserve(struct buf *b, size_t n)
{
	if (b->error)
		return NULL;
	if (n > b->max || b->n > b->max - n) {
		b->error = -E2BIG;
		return NULL;
	}
	if (b->n + n + 1 > b->cap && !grow(b, b->n + n + 1))
		return NULL;
	return b->p + b->n;
}

void buf_add(struct buf *b, const void *p, size_t n)
{
	char *to = buf_reserve(b, n);

	if (!to)
		return;
	if (n)
		memcpy(to, p, n);
	buf_commit(b, n);
}

void buf_add_str(struct buf *b, str s)
{
	buf_add(b, s.p, s.n);
}

void buf_add_cstr(struct buf *b, const char *s)
{
	buf_add(b, s, strlen(s));
}

void buf_add_utf8(struct buf *b, uint32_t c)
{
	char text[UTF8_MAX_BYTES];

	buf_add(b, text, utf8_encode(c, text));
}

void buf_fill(struct buf *b, char c, size_t n)
{
	char *to = buf_reserve(b, n);

	if (!to)
		return;
	memset(to, c, n);
	buf_commit(b, n);
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char *to;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	to = buf_reserve(b, (size_t)n);
	if (!to)
		return;
	va_start(ap, fmt);
	(void)vsnprintf(to, (size_t)n + 1, fmt, ap);
	va_end(ap);
	buf_commit(b, (size_t)n);
}

int buf_error(const struct buf *b, const char *what, struct err *err)
{
	if (b->error == -E2BIG)
		return err_set(err, E2BIG, "%s is larger than %zu bytes", what, b->max);
	if (b->error)
		return err_nomem(err);
	return 0;
}

char *buf_steal(struct buf *b)
{
	char *p;

	if (b->error || !buf_reserve(b, 0))
		return NULL;
	b->p[b->n] = '\0';
	p = b->p;
	*b = BUF_INIT(b->max);
	return p;
}
