/* Slides runs of changed lines to where GNU diff shows them, and prints the hunks. */
#include "text/unified_diff_internal.h"

/* A run of marks [start, end) of one side that slides, and the line of the other side that its end faces. */
struct run {
	const uint32_t *line;
	char *changed;
	const char *other;
	ptrdiff_t n;
	ptrdiff_t start, end;
	ptrdiff_t facing;
	ptrdiff_t meets; /* an end at which the run faces one of the other side; n: there is none */
};

static void slide_up(struct run *r)
{
	r->changed[--r->start] = 1;
	r->changed[--r->end] = 0;
	while (r->changed[r->start - 1])
		r->start--;
	do
		r->facing--;
	while (r->other[r->facing]);
}

static void slide_down(struct run *r)
{
	r->changed[r->start++] = 0;
	r->changed[r->end++] = 1;
	while (r->changed[r->end])
		r->end++;
	while (r->other[++r->facing])
		r->meets = r->end;
}

/* Slide a run up as far as possible, then down as far as possible, again while that merged it with a neighbour; then
 * back up to where it last faced a change of the other side. */
static void shift_run(struct run *r)
{
	ptrdiff_t length;

	do {
		length = r->end - r->start;
		while (r->start > 0 && r->line[r->start - 1] == r->line[r->end - 1])
			slide_up(r);
		r->meets = r->other[r->facing - 1] ? r->end : r->n;
		while (r->end < r->n && r->line[r->start] == r->line[r->end])
			slide_down(r);
	} while (r->end - r->start != length);
	while (r->meets < r->end) {
		r->changed[--r->start] = 1;
		r->changed[--r->end] = 0;
		do
			r->facing--;
		while (r->other[r->facing]);
	}
}

static void shift_side(struct diff_pair *d, int side)
{
	struct diff_side *s = &d->side[side];
	struct run r = {
		.line = s->line + d->prefix,
		.changed = s->changed + d->prefix,
		.other = d->side[1 - side].changed + d->prefix,
		.n = (ptrdiff_t)(s->n - d->suffix - d->prefix),
	};

	for (ptrdiff_t i = 0;; i = r.end) {
		for (; i < r.n && !r.changed[i]; i++) {
			while (r.other[r.facing++])
				;
		}
		if (i >= r.n)
			return;
		r.start = r.end = i;
		while (r.changed[r.end])
			r.end++;
		while (r.other[r.facing])
			r.facing++;
		shift_run(&r);
	}
}

void diff_shift_marks(struct diff_pair *d)
{
	shift_side(d, 0);
	shift_side(d, 1);
}

/* ---- hunks ---- */

/* Lines [from, to) of each side. */
struct part {
	size_t from[2];
	size_t to[2];
};

/* Find the next runs of changes at or behind at[0] and at[1], which face each other. */
static bool next_change(const struct diff_pair *d, const size_t at[2], struct part *ret)
{
	size_t a = at[0], b = at[1];

	while (a < d->side[0].n && b < d->side[1].n && !d->side[0].changed[a] && !d->side[1].changed[b]) {
		a++;
		b++;
	}
	*ret = (struct part){ { a, b }, { a, b } };
	while (ret->to[0] < d->side[0].n && d->side[0].changed[ret->to[0]])
		ret->to[0]++;
	while (ret->to[1] < d->side[1].n && d->side[1].changed[ret->to[1]])
		ret->to[1]++;
	return ret->to[0] > a || ret->to[1] > b;
}

static void print_line(const struct diff_side *s, size_t i, char mark, struct buf *out)
{
	str line = str_sub(s->text, s->start[i], s->start[i + 1]);

	buf_add_byte(out, mark);
	buf_add_str(out, line);
	if (line.n == 0 || line.p[line.n - 1] != '\n')
		buf_add_cstr(out, "\n\\ No newline at end of file\n");
}

static void print_range(char sign, size_t from, size_t to, struct buf *out)
{
	if (to == from)
		buf_printf(out, "%c%zu,0", sign, from);
	else if (to == from + 1)
		buf_printf(out, "%c%zu", sign, to);
	else
		buf_printf(out, "%c%zu,%zu", sign, from + 1, to - from);
}

static void print_header(const struct part *hunk, struct buf *out)
{
	buf_add_cstr(out, "@@ ");
	print_range('-', hunk->from[0], hunk->to[0], out);
	buf_add_byte(out, ' ');
	print_range('+', hunk->from[1], hunk->to[1], out);
	buf_add_cstr(out, " @@\n");
}

static void print_hunk(const struct diff_pair *d, const struct part *hunk, struct buf *out)
{
	size_t a = hunk->from[0], b = hunk->from[1];

	print_header(hunk, out);
	while (a < hunk->to[0] || b < hunk->to[1]) {
		if (a < hunk->to[0] && d->side[0].changed[a])
			print_line(&d->side[0], a++, '-', out);
		else if (b < hunk->to[1] && d->side[1].changed[b])
			print_line(&d->side[1], b++, '+', out);
		else {
			print_line(&d->side[0], a++, ' ', out);
			b++;
		}
	}
}

void diff_print(const struct diff_pair *d, struct buf *out)
{
	size_t at[2] = { 0, 0 };
	struct part hunk, next;

	if (!next_change(d, at, &hunk))
		return;
	for (bool more = true; more;) {
		size_t before = hunk.from[0] < DIFF_CONTEXT ? hunk.from[0] : DIFF_CONTEXT, after;

		hunk.from[0] -= before;
		hunk.from[1] -= before;
		while ((more = next_change(d, hunk.to, &next)) && next.from[0] - hunk.to[0] <= (size_t)2 * DIFF_CONTEXT)
			memcpy(hunk.to, next.to, sizeof(hunk.to));
		after = d->side[0].n - hunk.to[0] < DIFF_CONTEXT ? d->side[0].n - hunk.to[0] : DIFF_CONTEXT;
		hunk.to[0] += after;
		hunk.to[1] += after;
		print_hunk(d, &hunk, out);
		hunk = next;
	}
}
