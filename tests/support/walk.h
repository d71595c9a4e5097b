/* Random walks through what may happen to a watched cluster: what is drawn, and how what two of them know is compared.
 */
#ifndef TESTS_WALK_H
#define TESTS_WALK_H

#include "base/vec.h"
#include "daemon/findings/findings.h"

#include <stdlib.h>

static inline uint64_t walk_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005u + 1442695040888963407u;
	return *seed >> 33;
}

/* Below @n; 0 of none. */
static inline size_t walk_one_of(uint64_t *seed, size_t n)
{
	return n ? (size_t)(walk_random(seed) % n) : 0;
}

/* The place of @name, which is one of the @n @names. */
static inline size_t walk_place(const char *const *names, size_t n, const char *name)
{
	size_t i = 0;

	while (i + 1 < n && strcmp(names[i], name) != 0)
		i++;
	return i;
}

/* For qsort() of texts. */
static inline int walk_by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All findings that are open, a line each, in an order that does not depend on how they came about. @skips: NULL, or
 * those of which nothing can be said. Without memory the program ends. */
static inline void walk_describe(struct findings *f, bool (*skips)(struct findings *f, const struct finding *x),
				 struct buf *out)
{
	VEC(char *) lines = { 0 };
	const struct finding *x;
	size_t at = 0;

	while ((x = findings_each(f, &at))) {
		struct buf line = BUF_INIT(1u << 20);

		if (skips && skips(f, x))
			continue;
		buf_printf(&line, "%d %d %.*s %.*s/%.*s %.*s %.*s/%.*s %s [%.*s] %.*s %.*s\n", x->kind, x->severity,
			   STR_ARG(x->subject.reference), STR_ARG(x->subject.part), STR_ARG(x->subject.component),
			   STR_ARG(x->subject.kind), STR_ARG(x->subject.namespace), STR_ARG(x->subject.name),
			   x->state_hash, STR_ARG(x->paths), STR_ARG(x->subject.rule), STR_ARG(x->subject.phase));
		buf_add_byte(&line, '\0');
		if (line.error || !vec_push(&lines, line.p))
			abort();
	}
	if (lines.n > 1)
		qsort(lines.p, lines.n, sizeof(*lines.p), walk_by_text);
	for (size_t i = 0; i < lines.n; i++) {
		buf_add_cstr(out, lines.p[i]);
		free(lines.p[i]);
	}
	vec_done(&lines);
}

#endif
