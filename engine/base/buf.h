/* A growable byte buffer with a ceiling and a sticky error.
 *
 * Appends after a failure do nothing, so that a writer can append freely and check once, at the end, with
 * buf_error(). The content is always followed by a NUL that does not count. There is one allocation; buf_done()
 * releases it. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include "base/assert.h"
#include "base/err.h"
#include "base/str.h"

struct buf {
	char *p;
	size_t n;
	size_t cap;
	size_t max; /* the ceiling in bytes; beyond it the error is -E2BIG */
	int error;  /* 0, -ENOMEM or -E2BIG */
};

#define BUF_INIT(limit) ((struct buf){ .max = (limit) })

void buf_done(struct buf *b);
void buf_clear(struct buf *b);              /* empties it, keeps the memory, forgets the error */
void buf_truncate(struct buf *b, size_t n); /* cuts the content back to @n bytes; does nothing when it is shorter */

void buf_add(struct buf *b, const void *p, size_t n);
void buf_add_str(struct buf *b, str s);
void buf_add_cstr(struct buf *b, const char *s);
void buf_fill(struct buf *b, char c, size_t n);
void buf_add_utf8(struct buf *b, uint32_t c); /* appends @c as utf8_encode() writes it */
void buf_printf(struct buf *b, const char *fmt, ...) PRINTF(2, 3);

/* Room for @n more bytes at the returned place, or NULL (with the sticky error). Add the bytes with buf_commit, at
 * most @n. */
char *buf_reserve(struct buf *b, size_t n);
static inline void buf_commit(struct buf *b, size_t n)
{
	ASSERT(n < b->cap - b->n);
	b->n += n;
	b->p[b->n] = '\0';
}

static inline void buf_add_byte(struct buf *b, char c)
{
	if ((!b->error && b->n + 1 < b->cap && b->n < b->max) || buf_reserve(b, 1)) {
		b->p[b->n++] = c;
		b->p[b->n] = '\0';
	}
}

static inline str buf_str(const struct buf *b)
{
	return (str){ b->p ? b->p : "", b->n };
}

/* 0, or the sticky error, with @what in the message. */
CHECKED int buf_error(const struct buf *b, const char *what, struct err *err);

/* The content as a NUL-terminated string for free(), which leaves the buffer empty. NULL after an error. */
char *buf_steal(struct buf *b);

#endif
