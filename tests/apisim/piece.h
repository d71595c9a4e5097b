/* A run of bytes to send, made of slices of shared text: what lists and watches hand to libmicrohttpd. */
#ifndef APISIM_PIECE_H
#define APISIM_PIECE_H

#include "store.h"

#define PIECE_SLICES 4

struct piece {
	str slices[PIECE_SLICES]; /* into hold, own, or text that outlives the piece */
	unsigned n, at;
	size_t off;       /* sent of slices[at] */
	struct rev *hold; /* owned reference or NULL */
	char *own;        /* owned text or NULL */
};

static inline void piece_done(struct piece *p)
{
	rev_unref(p->hold);
	free(p->own);
	*p = (struct piece){ 0 };
}

static inline void piece_add(struct piece *p, str s)
{
	if (s.n)
		p->slices[p->n++] = s;
}

/* Copies up to @max bytes to @to; the piece is done once everything was copied. */
static inline size_t piece_take(struct piece *p, char *to, size_t max)
{
	size_t n = 0;

	while (p->at < p->n && n < max) {
		str rest = str_sub(p->slices[p->at], p->off, p->slices[p->at].n);
		size_t part = rest.n < max - n ? rest.n : max - n;

		memcpy(to + n, rest.p, part);
		n += part;
		p->off += part;
		if (part == rest.n) {
			p->at++;
			p->off = 0;
		}
	}
	if (p->at == p->n)
		piece_done(p);
	return n;
}

static inline bool piece_pending(const struct piece *p)
{
	return p->at < p->n;
}

#endif
