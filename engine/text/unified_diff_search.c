/* Finds the common lines of two texts: lines that cannot be common are excluded, then Myers' two-sided search runs
 * on the rest. The order of every choice is that of GNU diff, because each of several equally short answers is
 * printed differently. */
#include "text/unified_diff_internal.h"

#include "base/vec.h"

#include <errno.h>

#define COST_LIMIT_LEAST 4096
#define COST_LIMIT_SPENT 64 /* the limit when the budget of steps is used up */

enum { KEEP, DEFINITE, PROVISIONAL };

/* Lines of a side that take part in the search. */
struct kept {
	uint32_t *line;
	size_t *index; /* the index of each line in the side */
	size_t n;
};

struct section {
	ptrdiff_t x0, x1, y0, y1;
	bool minimal; /* search without the cost limit */
};

struct search {
	struct diff_pair *d;
	struct kept kept[2];
	ptrdiff_t *forward, *backward; /* furthest x on each diagonal, indexed by x - y */
	ptrdiff_t cost_limit;
	uint64_t steps_left;
	VEC(struct section) todo;
};

struct split {
	ptrdiff_t x, y;
	bool low_minimal, high_minimal;
};

/* ---- lines set aside ---- */

static void cancel(char *marks, size_t from, size_t to)
{
	for (size_t i = from; i < to; i++) {
		if (marks[i] == PROVISIONAL)
			marks[i] = KEEP;
	}
}

/* Cancel stretches of @least or more provisional marks in a row: these are too many lines to exclude. */
static void cancel_stretches(char *marks, size_t n, size_t least)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = i + 1;
		if (marks[i] != PROVISIONAL)
			continue;
		while (end < n && marks[end] == PROVISIONAL)
			end++;
		if (end - i >= least)
			cancel(marks, i, end);
	}
}

/* Cancel provisional marks near an end of the run: up to three definite ones in a row, or a definite one eight or
 * more lines in. @at: the end, @step: 1 or -1. */
static void cancel_near_end(char *at, ptrdiff_t n, ptrdiff_t step)
{
	int in_a_row = 0;

	for (ptrdiff_t i = 0; i < n; i++, at += step) {
		if (i >= 8 && *at == DEFINITE)
			return;
		in_a_row = *at == DEFINITE ? in_a_row + 1 : 0;
		if (*at == PROVISIONAL)
			*at = KEEP;
		if (in_a_row == 3)
			return;
	}
}

/* Resolve a run of marks that begins and ends with definite ones. */
static void resolve_run(char *marks, size_t n, size_t provisional)
{
	size_t least = 1;

	if (provisional * 4 > n) {
		cancel(marks, 0, n);
		return;
	}
	for (size_t rest = n / 16; rest > 0; rest /= 4)
		least *= 2;
	cancel_stretches(marks, n, least + 1);
	cancel_near_end(marks, (ptrdiff_t)n, 1);
	cancel_near_end(marks + n - 1, (ptrdiff_t)n, -1);
}

static void resolve_provisional(char *marks, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		size_t end = i, provisional = 0;

		if (marks[i] == PROVISIONAL)
			marks[i] = KEEP;
		if (marks[i] != DEFINITE)
			continue;
		for (; end < n && marks[end] != KEEP; end++)
			provisional += marks[end] == PROVISIONAL;
		for (; marks[end - 1] == PROVISIONAL; provisional--)
			marks[--end] = KEEP;
		if (provisional > 0)
			resolve_run(marks + i, end - i, provisional);
		i = end - 1;
	}
}

/* Mark lines [first, end) of @s to be excluded: those without equals among @counts of the other text definitely,
 * those with very many provisionally. */
static void mark_useless(const struct diff_side *s, size_t first, size_t end, const uint32_t *counts, char *marks)
{
	size_t n = end - first, many = 5;

	for (size_t rest = n / 256; rest > 0; rest /= 4)
		many *= 2;
	for (size_t i = 0; i < n; i++) {
		uint32_t equal = counts[s->line[first + i]];

		marks[i] = equal == 0 ? DEFINITE : equal > many ? PROVISIONAL : KEEP;
	}
	resolve_provisional(marks, n);
}

static uint32_t *count_classes(const struct diff_side *s, size_t first, size_t end, uint32_t classes)
{
	uint32_t *counts = calloc((size_t)classes + 1, sizeof(*counts));

	for (size_t i = first; counts && i < end; i++)
		counts[s->line[i]]++;
	return counts;
}

static bool keep_useful(struct search *s, int side, const uint32_t *other_counts)
{
	struct diff_side *from = &s->d->side[side];
	struct kept *to = &s->kept[side];
	size_t first = s->d->prefix, end = from->n - s->d->suffix;
	char *marks = calloc(end - first + 1, 1);

	to->line = calloc(end - first + 1, sizeof(*to->line));
	to->index = calloc(end - first + 1, sizeof(*to->index));
	if (!marks || !to->line || !to->index) {
		free(marks);
		return false;
	}
	mark_useless(from, first, end, other_counts, marks);
	for (size_t i = first; i < end; i++) {
		if (marks[i - first] != KEEP) {
			from->changed[i] = 1;
			continue;
		}
		to->line[to->n] = from->line[i];
		to->index[to->n++] = i;
	}
	free(marks);
	return true;
}

/* ---- Myers' search ---- */

static bool same(const struct search *s, ptrdiff_t x, ptrdiff_t y)
{
	return s->kept[0].line[x] == s->kept[1].line[y];
}

/* The diagonals that a search has reached. */
struct band {
	ptrdiff_t low, high;
};

static void widen(struct band *b, ptrdiff_t *furthest, ptrdiff_t least, ptrdiff_t most, ptrdiff_t outside)
{
	if (b->low > least)
		furthest[--b->low - 1] = outside;
	else
		b->low++;
	if (b->high < most)
		furthest[++b->high + 1] = outside;
	else
		b->high--;
}

/* Do one more step forward on every diagonal of @f, from high to low. True when it met the backward search. */
static bool step_forward(struct search *s, const struct section *in, const struct band *f, const struct band *b,
			 bool may_meet, struct split *ret)
{
	for (ptrdiff_t d = f->high; d >= f->low; d -= 2) {
		ptrdiff_t below = s->forward[d - 1], above = s->forward[d + 1];
		ptrdiff_t start = below < above ? above : below + 1, x = start;

		while (x < in->x1 && x - d < in->y1 && same(s, x, x - d))
			x++;
		s->steps_left -= s->steps_left > (uint64_t)(x - start) ? (uint64_t)(x - start) + 1 : s->steps_left;
		s->forward[d] = x;
		if (may_meet && b->low <= d && d <= b->high && s->backward[d] <= x) {
			*ret = (struct split){ x, x - d, true, true };
			return true;
		}
	}
	return false;
}

static bool step_backward(struct search *s, const struct section *in, const struct band *f, const struct band *b,
			  bool may_meet, struct split *ret)
{
	for (ptrdiff_t d = b->high; d >= b->low; d -= 2) {
		ptrdiff_t below = s->backward[d - 1], above = s->backward[d + 1];
		ptrdiff_t start = below < above ? below : above - 1, x = start;

		while (x > in->x0 && x - d > in->y0 && same(s, x - 1, x - 1 - d))
			x--;
		s->steps_left -= s->steps_left > (uint64_t)(start - x) ? (uint64_t)(start - x) + 1 : s->steps_left;
		s->backward[d] = x;
		if (may_meet && f->low <= d && d <= f->high && x <= s->forward[d]) {
			*ret = (struct split){ x, x - d, true, true };
			return true;
		}
	}
	return false;
}

/* Give up a search that has cost too much: split where either side got furthest. */
static void give_up(const struct search *s, const struct section *in, const struct band *f, const struct band *b,
		    struct split *ret)
{
	ptrdiff_t best_f = -1, best_fx = 0, best_b = PTRDIFF_MAX, best_bx = 0;

	for (ptrdiff_t d = f->high; d >= f->low; d -= 2) {
		ptrdiff_t x = s->forward[d] < in->x1 ? s->forward[d] : in->x1;

		if (x - d > in->y1)
			x = in->y1 + d;
		if (best_f < x + x - d) {
			best_f = x + x - d;
			best_fx = x;
		}
	}
	for (ptrdiff_t d = b->high; d >= b->low; d -= 2) {
		ptrdiff_t x = s->backward[d] > in->x0 ? s->backward[d] : in->x0;

		if (x - d < in->y0)
			x = in->y0 + d;
		if (x + x - d < best_b) {
			best_b = x + x - d;
			best_bx = x;
		}
	}
	if (in->x1 + in->y1 - best_b < best_f - (in->x0 + in->y0))
		*ret = (struct split){ best_fx, best_f - best_fx, true, false };
	else
		*ret = (struct split){ best_bx, best_b - best_bx, false, true };
}

/* Find where a shortest path through the section crosses its middle. */
static void find_split(struct search *s, const struct section *in, struct split *ret)
{
	ptrdiff_t least = in->x0 - in->y1, most = in->x1 - in->y0;
	struct band f = { in->x0 - in->y0, in->x0 - in->y0 }, b = { in->x1 - in->y1, in->x1 - in->y1 };
	bool odd = ((f.low - b.low) & 1) != 0;

	s->forward[f.low] = in->x0;
	s->backward[b.low] = in->x1;
	for (ptrdiff_t cost = 1;; cost++) {
		widen(&f, s->forward, least, most, -1);
		if (step_forward(s, in, &f, &b, odd, ret))
			return;
		widen(&b, s->backward, least, most, PTRDIFF_MAX);
		if (step_backward(s, in, &f, &b, !odd, ret))
			return;
		if ((cost >= s->cost_limit && !in->minimal) || (s->steps_left == 0 && cost >= COST_LIMIT_SPENT)) {
			give_up(s, in, &f, &b, ret);
			return;
		}
	}
}

static void mark(struct search *s, int side, ptrdiff_t from, ptrdiff_t to)
{
	for (ptrdiff_t i = from; i < to; i++)
		s->d->side[side].changed[s->kept[side].index[i]] = 1;
}

static int search_sections(struct search *s, struct err *err)
{
	while (s->todo.n > 0) {
		struct section in = s->todo.p[--s->todo.n];
		struct split at;

		while (in.x0 < in.x1 && in.y0 < in.y1 && same(s, in.x0, in.y0)) {
			in.x0++;
			in.y0++;
		}
		while (in.x0 < in.x1 && in.y0 < in.y1 && same(s, in.x1 - 1, in.y1 - 1)) {
			in.x1--;
			in.y1--;
		}
		if (in.x0 == in.x1 || in.y0 == in.y1) {
			mark(s, 0, in.x0, in.x1);
			mark(s, 1, in.y0, in.y1);
			continue;
		}
		find_split(s, &in, &at);
		if (!vec_push(&s->todo, (struct section){ at.x, in.x1, at.y, in.y1, at.high_minimal }) ||
		    !vec_push(&s->todo, (struct section){ in.x0, at.x, in.y0, at.y, at.low_minimal }))
			return err_nomem(err);
	}
	return 0;
}

static int run(struct search *s, struct err *err)
{
	ptrdiff_t nx = (ptrdiff_t)s->kept[0].n, ny = (ptrdiff_t)s->kept[1].n;
	size_t diagonals = (size_t)(nx + ny) + 3;
	ptrdiff_t *all = calloc(2 * diagonals, sizeof(*all));
	int r;

	if (!all)
		return err_nomem(err);
	s->forward = all + ny + 1;
	s->backward = all + diagonals + ny + 1;
	s->cost_limit = 1;
	for (size_t rest = diagonals; rest > 0; rest /= 4)
		s->cost_limit *= 2;
	if (s->cost_limit < COST_LIMIT_LEAST)
		s->cost_limit = COST_LIMIT_LEAST;
	s->steps_left = s->d->steps;
	if (!vec_push(&s->todo, (struct section){ 0, nx, 0, ny, false }))
		r = err_nomem(err);
	else
		r = search_sections(s, err);
	vec_done(&s->todo);
	free(all);
	return r;
}

int diff_mark_changes(struct diff_pair *d, struct err *err)
{
	struct search s = { .d = d };
	CLEANUP(freep) uint32_t *counts_a = count_classes(&d->side[0], d->prefix, d->side[0].n - d->suffix, d->classes);
	CLEANUP(freep) uint32_t *counts_b = count_classes(&d->side[1], d->prefix, d->side[1].n - d->suffix, d->classes);
	int r;

	if (!counts_a || !counts_b || !keep_useful(&s, 0, counts_b) || !keep_useful(&s, 1, counts_a))
		r = err_nomem(err);
	else
		r = run(&s, err);
	for (int i = 0; i < 2; i++) {
		free(s.kept[i].line);
		free(s.kept[i].index);
	}
	return r;
}
