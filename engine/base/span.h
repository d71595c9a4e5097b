/* Spans: pieces of a text that are marked for a later reader of it. */
#ifndef BASE_SPAN_H
#define BASE_SPAN_H

#include "base/assert.h"
#include "base/defs.h"
#include "base/str.h"

#define SPANS_MAX 512

/* The bytes from @from up to, but without, @to. */
struct span {
	size_t from, to;
};

/* A list of spans in order, none of which overlap; a zeroed one is empty. */
struct spans {
	size_t n;
	struct span at[SPANS_MAX];
};

/* Add a span. False: there is no room for it. */
static inline bool spans_add(struct spans *s, size_t from, size_t to)
{
	ASSERT(from <= to && (s->n == 0 || s->at[s->n - 1].to <= from));
	if (s->n == SPANS_MAX)
		return false;
	s->at[s->n++] = (struct span){ from, to };
	return true;
}

/* The part of @text between span number @i and the one before it; for s->n, the part behind all spans. */
static inline str spans_gap(const struct spans *s, str text, size_t i)
{
	ASSERT(i <= s->n);
	return str_sub(text, i ? s->at[i - 1].to : 0, i < s->n ? s->at[i].from : text.n);
}

/* Adapt the spans to the removal of @n bytes at @at: a span that had some of these bytes is removed. */
static inline void spans_cut(struct spans *s, size_t at, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct span x = s->at[i];

		if (x.to <= at)
			s->at[kept++] = x;
		else if (x.from >= at + n)
			s->at[kept++] = (struct span){ x.from - n, x.to - n };
	}
	s->n = kept;
}

#endif
