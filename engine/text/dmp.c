/* The search of diff-match-patch: common ends, one text inside the other, a long common middle, else Myers'
 * bisection. */
#include "text/dmp_internal.h"

#include "base/utf8.h"

#include <errno.h>
#include <wchar.h>

size_t dmp_common_prefix(struct runes a, struct runes b)
{
	size_t n = 0, most = a.n < b.n ? a.n : b.n;

	while (n < most && a.p[n] == b.p[n])
		n++;
	return n;
}

size_t dmp_common_suffix(struct runes a, struct runes b)
{
	size_t n = 0, most = a.n < b.n ? a.n : b.n;

	while (n < most && a.p[a.n - 1 - n] == b.p[b.n - 1 - n])
		n++;
	return n;
}

struct runes dmp_sub(struct runes r, size_t from, size_t to)
{
	return (struct runes){ r.p + from, to - from };
}

struct runes dmp_join(struct dmp *d, struct runes a, struct runes b)
{
	uint32_t *p;

	if (a.n == 0)
		return b;
	if (b.n == 0)
		return a;
	if (a.p + a.n == b.p)
		return (struct runes){ a.p, a.n + b.n };
	p = arena_array(d->arena, a.n + b.n, sizeof(*p));
	if (!p) {
		d->failed = true;
		return a;
	}
	memcpy(p, a.p, a.n * sizeof(*p));
	memcpy(p + a.n, b.p, b.n * sizeof(*p));
	return (struct runes){ p, a.n + b.n };
}

void dmp_push(struct dmp *d, struct dmp_list *l, enum dmp_op op, struct runes text)
{
	if (!vec_push(&l->v, (struct dmp_diff){ op, text.p, text.n }))
		d->failed = true;
}

void dmp_splice(struct dmp *d, struct dmp_list *l, size_t at, size_t remove, const struct dmp_diff *with, size_t n)
{
	size_t tail = l->v.n - at - remove;

	for (size_t i = remove; i < n; i++)
		dmp_push(d, l, DMP_EQUAL, (struct runes){ NULL, 0 });
	if (d->failed)
		return;
	if (n != remove)
		memmove(l->v.p + at + n, l->v.p + at + remove, tail * sizeof(*l->v.p));
	if (n)
		memcpy(l->v.p + at, with, n * sizeof(*with));
	l->v.n = at + n + tail;
}

static void spend(struct dmp *d, size_t steps)
{
	d->steps_left -= d->steps_left > steps ? steps : d->steps_left;
}

/* ---- finding one text in another (Knuth, Morris, Pratt) ---- */

struct pattern {
	struct runes text;
	size_t *border; /* the border of each prefix; NULL when there was no memory */
};

static struct pattern pattern_new(struct runes text)
{
	struct pattern p = { text, calloc(text.n + 1, sizeof(size_t)) };
	size_t k = 0;

	for (size_t i = 1; p.border && i < text.n; i++) {
		while (k > 0 && text.p[i] != text.p[k])
			k = p.border[k];
		if (text.p[i] == text.p[k])
			k++;
		p.border[i + 1] = k;
	}
	return p;
}

/* The offset of the first occurrence at @from or later; -1: there is none. */
static ptrdiff_t find(const struct pattern *p, struct runes in, size_t from)
{
	size_t k = 0;

	if (p->text.n == 0)
		return from <= in.n ? (ptrdiff_t)from : -1;
	for (size_t i = from; i < in.n; i++) {
		while (k > 0 && in.p[i] != p->text.p[k])
			k = p->border[k];
		if (in.p[i] == p->text.p[k])
			k++;
		if (k == p->text.n)
			return (ptrdiff_t)(i + 1 - k);
	}
	return -1;
}

_Static_assert(sizeof(wchar_t) == sizeof(uint32_t), "wmemchr finds runes");

/* As find from the beginning, without a pattern, which is faster for a text that begins like little else; -2: @text
 * is not like that. */
static ptrdiff_t find_first(struct runes text, struct runes in)
{
	size_t left = 4 * in.n; /* the number of runes that may be compared */

	for (size_t at = 0; text.n && at + text.n <= in.n; at++) {
		const wchar_t *from = (const wchar_t *)in.p + at;
		const wchar_t *hit = wmemchr(from, (wchar_t)text.p[0], in.n - text.n - at + 1);
		size_t same = 1;

		if (!hit)
			return -1;
		at += (size_t)(hit - from);
		while (same < text.n && in.p[at + same] == text.p[same])
			same++;
		if (same == text.n)
			return (ptrdiff_t)at;
		if (same >= left)
			return -2;
		left -= same;
	}
	return text.n ? -1 : -2;
}

/* ---- half match ---- */

/* A common middle and the texts around it. */
struct half {
	bool found;
	struct runes long_a, long_b, short_a, short_b, middle;
};

/* The longest common text through the quarter of @l that begins at @at, if it is at least half of @l. */
static struct half half_match_at(struct dmp *d, struct runes l, struct runes s, size_t at)
{
	struct half best = { 0 };
	struct runes text = dmp_sub(l, at, at + l.n / 4);
	ptrdiff_t j = find_first(text, s);
	struct pattern seed;

	if (j == -1)
		return best;
	seed = pattern_new(text);
	d->failed = d->failed || !seed.border;
	if (j < 0 || !seed.border)
		j = seed.border ? find(&seed, s, 0) : -1;
	for (; j >= 0 && d->steps_left > 0; j = find(&seed, s, (size_t)j + 1)) {
		size_t prefix = dmp_common_prefix(dmp_sub(l, at, l.n), dmp_sub(s, (size_t)j, s.n));
		size_t suffix = dmp_common_suffix(dmp_sub(l, 0, at), dmp_sub(s, 0, (size_t)j));

		spend(d, prefix + suffix);
		if (best.middle.n >= prefix + suffix)
			continue;
		best.middle = dmp_sub(s, (size_t)j - suffix, (size_t)j + prefix);
		best.long_a = dmp_sub(l, 0, at - suffix);
		best.long_b = dmp_sub(l, at + prefix, l.n);
		best.short_a = dmp_sub(s, 0, (size_t)j - suffix);
		best.short_b = dmp_sub(s, (size_t)j + prefix, s.n);
	}
	free(seed.border);
	best.found = best.middle.n * 2 >= l.n;
	return best;
}

static struct half half_match(struct dmp *d, struct runes l, struct runes s)
{
	struct half second, third;

	if (l.n < 4 || s.n * 2 < l.n)
		return (struct half){ 0 };
	second = half_match_at(d, l, s, (l.n + 3) / 4);
	third = half_match_at(d, l, s, (l.n + 1) / 2);
	if (!third.found || (second.found && second.middle.n > third.middle.n))
		return second;
	return third;
}

/* ---- bisection ---- */

/* The furthest points of the search from one end, on each diagonal; and which diagonals are still inside. */
struct front {
	ptrdiff_t *v; /* index 0 is the middle */
	ptrdiff_t k_start, k_end;
};

struct bisection {
	struct runes a, b;
	ptrdiff_t most; /* the most steps, and the most diagonals to each side */
	ptrdiff_t delta;
	struct front forward, backward;
	ptrdiff_t x, y; /* where the two met */
};

static bool same(const struct bisection *m, ptrdiff_t x, ptrdiff_t y, bool backward)
{
	if (backward)
		return m->a.p[(ptrdiff_t)m->a.n - x - 1] == m->b.p[(ptrdiff_t)m->b.n - y - 1];
	return m->a.p[x] == m->b.p[y];
}

/* Whether the path at @x on diagonal @k overlaps the one from the other end. */
static bool meets(struct bisection *m, ptrdiff_t x, ptrdiff_t k, bool backward)
{
	const struct front *other = backward ? &m->forward : &m->backward;
	ptrdiff_t k_other = m->delta - k, length = (ptrdiff_t)m->a.n, x_other;

	if (k_other < -m->most || k_other >= m->most || other->v[k_other] == -1)
		return false;
	x_other = other->v[k_other];
	if (x + x_other < length)
		return false;
	m->x = backward ? x_other : x;
	m->y = backward ? x_other - k_other : x - k;
	return true;
}

/* Do one step of one end on all of its diagonals. True when it met the other end. */
static bool step(struct dmp *d, struct bisection *m, ptrdiff_t cost, bool backward, bool may_meet)
{
	struct front *f = backward ? &m->backward : &m->forward;
	ptrdiff_t nx = (ptrdiff_t)m->a.n, ny = (ptrdiff_t)m->b.n;

	for (ptrdiff_t k = -cost + f->k_start; k <= cost - f->k_end; k += 2) {
		ptrdiff_t x, y, start;

		if (k == -cost || (k != cost && f->v[k - 1] < f->v[k + 1]))
			x = f->v[k + 1];
		else
			x = f->v[k - 1] + 1;
		start = x;
		y = x - k;
		while (x < nx && y < ny && same(m, x, y, backward)) {
			x++;
			y++;
		}
		spend(d, (size_t)(x - start) + 1);
		f->v[k] = x;
		if (x > nx)
			f->k_end += 2;
		else if (y > ny)
			f->k_start += 2;
		else if (may_meet && meets(m, x, k, backward))
			return true;
	}
	return false;
}

static bool bisect(struct dmp *d, struct bisection *m)
{
	bool odd = m->delta % 2 != 0;

	for (ptrdiff_t cost = 0; cost < m->most && d->steps_left > 0; cost++) {
		if (step(d, m, cost, false, odd) || step(d, m, cost, true, !odd))
			return true;
	}
	return false;
}

static void diff_main(struct dmp *d, struct runes a, struct runes b, struct dmp_list *out);

static void diff_bisect(struct dmp *d, struct runes a, struct runes b, struct dmp_list *out)
{
	struct bisection m = { .a = a, .b = b, .most = (ptrdiff_t)(a.n + b.n + 1) / 2 };
	size_t diagonals = 2 * (size_t)m.most;
	ptrdiff_t *v = calloc(2 * diagonals, sizeof(*v));
	bool met;

	if (!v) {
		d->failed = true;
		return;
	}
	for (size_t i = 0; i < 2 * diagonals; i++)
		v[i] = -1;
	m.delta = (ptrdiff_t)a.n - (ptrdiff_t)b.n;
	m.forward.v = v + m.most;
	m.backward.v = v + diagonals + m.most;
	m.forward.v[1] = m.backward.v[1] = 0;
	met = bisect(d, &m);
	free(v);
	if (!met) {
		dmp_push(d, out, DMP_DELETE, a);
		dmp_push(d, out, DMP_INSERT, b);
		return;
	}
	diff_main(d, dmp_sub(a, 0, (size_t)m.x), dmp_sub(b, 0, (size_t)m.y), out);
	diff_main(d, dmp_sub(a, (size_t)m.x, a.n), dmp_sub(b, (size_t)m.y, b.n), out);
}

/* ---- the whole ---- */

/* Add the diff when @l contains @s: the text around it was inserted or deleted. */
static bool diff_inside(struct dmp *d, struct runes l, struct runes s, enum dmp_op op, struct dmp_list *out)
{
	ptrdiff_t at = find_first(s, l);
	struct pattern p;

	if (at == -2) {
		p = pattern_new(s);
		at = p.border ? find(&p, l, 0) : -1;
		d->failed = d->failed || !p.border;
		free(p.border);
	}
	if (at < 0)
		return false;
	dmp_push(d, out, op, dmp_sub(l, 0, (size_t)at));
	dmp_push(d, out, DMP_EQUAL, s);
	dmp_push(d, out, op, dmp_sub(l, (size_t)at + s.n, l.n));
	return true;
}

/* Add the diff of two texts that have no common prefix and no common suffix. */
static void diff_compute(struct dmp *d, struct runes a, struct runes b, struct dmp_list *out)
{
	bool a_longer = a.n > b.n;
	struct runes l = a_longer ? a : b, s = a_longer ? b : a;
	struct half h;

	if (a.n == 0) {
		dmp_push(d, out, DMP_INSERT, b);
		return;
	}
	if (b.n == 0) {
		dmp_push(d, out, DMP_DELETE, a);
		return;
	}
	if (diff_inside(d, l, s, a_longer ? DMP_DELETE : DMP_INSERT, out))
		return;
	if (s.n == 1) {
		dmp_push(d, out, DMP_DELETE, a);
		dmp_push(d, out, DMP_INSERT, b);
		return;
	}
	h = half_match(d, l, s);
	if (!h.found) {
		diff_bisect(d, a, b, out);
		return;
	}
	diff_main(d, a_longer ? h.long_a : h.short_a, a_longer ? h.short_a : h.long_a, out);
	dmp_push(d, out, DMP_EQUAL, h.middle);
	diff_main(d, a_longer ? h.long_b : h.short_b, a_longer ? h.short_b : h.long_b, out);
}

/* Split the problem, which each time is halved: at the middle of a shortest path, or around a common half. */
static void diff_main(struct dmp *d, struct runes a, struct runes b, struct dmp_list *out)
{
	struct dmp_list own = { 0 };
	size_t prefix = dmp_common_prefix(a, b), suffix;
	struct runes head = dmp_sub(a, 0, prefix), tail;

	if (d->failed)
		return;
	if (prefix == a.n && prefix == b.n) {
		if (prefix > 0)
			dmp_push(d, out, DMP_EQUAL, a);
		return;
	}
	a = dmp_sub(a, prefix, a.n);
	b = dmp_sub(b, prefix, b.n);
	suffix = dmp_common_suffix(a, b);
	tail = dmp_sub(a, a.n - suffix, a.n);
	a.n -= suffix;
	b.n -= suffix;
	if (head.n > 0)
		dmp_push(d, &own, DMP_EQUAL, head);
	diff_compute(d, a, b, &own);
	if (tail.n > 0)
		dmp_push(d, &own, DMP_EQUAL, tail);
	dmp_cleanup_merge(d, &own);
	for (size_t i = 0; i < own.v.n; i++)
		dmp_push(d, out, own.v.p[i].op, (struct runes){ own.v.p[i].runes, own.v.p[i].n });
	vec_done(&own.v);
}

static bool decode(str s, struct arena *a, struct runes *ret)
{
	uint32_t *p = arena_array(a, s.n + 1, sizeof(*p));
	size_t n = 0, width;

	for (size_t at = 0; p && at < s.n; at += width) {
		width = 1;
		p[n++] = (unsigned char)s.p[at] < 0x80 ? (unsigned char)s.p[at]
						       : utf8_decode(str_sub(s, at, s.n), &width);
	}
	*ret = (struct runes){ p, n };
	return p != NULL;
}

static int too_long(const struct limits *lim, struct err *err)
{
	return err_set(err, E2BIG, "differences: a text is longer than %zu bytes", lim->diff_bytes);
}

int dmp_diff(str a, str b, const struct limits *lim, struct dmp_diffs *ret, struct err *err)
{
	struct dmp d = { .arena = &ret->arena,
			 .steps_left = lim->diff_steps < DMP_STEPS ? lim->diff_steps : DMP_STEPS };
	struct dmp_list list = { 0 };
	struct runes ra, rb;
	int r;

	if (a.n > lim->diff_bytes || b.n > lim->diff_bytes)
		return too_long(lim, err);
	*ret = (struct dmp_diffs){ 0 };
	arena_init(&ret->arena, 0, lim->arena_bytes);
	if (decode(a, &ret->arena, &ra) && decode(b, &ret->arena, &rb))
		diff_main(&d, ra, rb, &list);
	else
		d.failed = true;
	ret->p = list.v.p;
	ret->n = list.v.n;
	ret->cap = list.v.cap;
	if (!d.failed)
		return 0;
	r = arena_error(&ret->arena, err);
	dmp_diffs_done(ret);
	return r;
}

void dmp_diffs_done(struct dmp_diffs *d)
{
	free(d->p);
	arena_done(&d->arena);
	*d = (struct dmp_diffs){ 0 };
}

void dmp_text(const struct dmp_diff *d, struct buf *out)
{
	for (size_t i = 0; i < d->n; i++) {
		char *to = buf_reserve(out, UTF8_MAX_BYTES);

		if (!to)
			return;
		buf_commit(out, utf8_encode(d->runes[i], to));
	}
}

static size_t utf8_width(uint32_t c)
{
	return c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
}

/* Remove whole lines that both texts have from both ends. No character goes over the end of a line. The search
 * begins at the ends: first the whole common beginning, and then as much of the common end as is left of the shorter
 * text. */
static void trim_lines(str *a, str *b)
{
	size_t most = a->n < b->n ? a->n : b->n, prefix = 0, suffix = 0, lines = 0, last = 0;

	while (prefix < most && a->p[prefix] == b->p[prefix]) {
		if (a->p[prefix++] == '\n')
			lines = prefix;
	}
	while (suffix < most - prefix && a->p[a->n - 1 - suffix] == b->p[b->n - 1 - suffix]) {
		if (a->p[a->n - 1 - suffix] == '\n')
			last = suffix;
		suffix++;
	}
	*a = str_sub(*a, lines, a->n - last);
	*b = str_sub(*b, lines, b->n - last);
}

int dmp_score(str a, str b, const struct limits *lim, size_t *ret, struct err *err)
{
	struct dmp_diffs diffs;
	size_t score = 0;
	int r;

	if (str_eq(a, b)) {
		*ret = 0;
		return 0;
	}
	if (a.n > lim->diff_bytes || b.n > lim->diff_bytes)
		return too_long(lim, err);
	trim_lines(&a, &b);
	r = dmp_diff(a, b, lim, &diffs, err);
	if (r < 0)
		return r;
	for (size_t i = 0; i < diffs.n; i++) {
		for (size_t k = 0; diffs.p[i].op != DMP_EQUAL && k < diffs.p[i].n; k++)
			score += utf8_width(diffs.p[i].runes[k]);
	}
	dmp_diffs_done(&diffs);
	*ret = score;
	return 0;
}
