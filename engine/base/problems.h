/* A list of mistakes, so that a reader of configuration can report all of them and not only the first. */
#ifndef BASE_PROBLEMS_H
#define BASE_PROBLEMS_H

#include "base/err.h"
#include "base/vec.h"

#define PROBLEMS_MAX 1000 /* further mistakes are only counted */

struct problems {
	VEC(char *) list;
	size_t dropped; /* mistakes that are not kept: too many, or no memory for them */
};

void problems_done(struct problems *p);
void problems_add(struct problems *p, const char *fmt, ...) PRINTF(2, 3);

static inline bool problems_any(const struct problems *p)
{
	return p->list.n > 0 || p->dropped > 0;
}

/* Whether the next mistake would only be counted, so that there is no need to prepare its text. */
static inline bool problems_full(const struct problems *p)
{
	return p->list.n >= PROBLEMS_MAX;
}

/* All mistakes in one text, a line each, without a newline at the end. NULL without memory; free() it. */
char *problems_text(const struct problems *p);

#endif
