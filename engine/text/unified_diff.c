/* Numbers the lines of two texts, and makes their unified diff. */
#include "text/unified_diff_internal.h"

#include "base/hash.h"

#include <errno.h>

struct line_table {
	struct line_slot {
		str line;
		uint64_t hash;
		uint32_t number; /* from 1; 0: free */
	} * slots;
	size_t mask;
	uint32_t n;
};

static size_t count_lines(str text)
{
	size_t n = 0;

	for (const char *at = text.p, *end = text.p + text.n; at < end; n++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));

		at = newline ? newline + 1 : end;
	}
	return n;
}

static uint32_t line_number(struct line_table *t, str line, uint64_t seed)
{
	uint64_t hash = hash_str(line, seed);
	size_t at = hash & t->mask;

	for (; t->slots[at].number; at = (at + 1) & t->mask) {
		if (t->slots[at].hash == hash && str_eq(t->slots[at].line, line))
			return t->slots[at].number - 1;
	}
	t->slots[at] = (struct line_slot){ line, hash, ++t->n };
	return t->n - 1;
}

static bool side_init(struct diff_side *s, str text)
{
	*s = (struct diff_side){ .text = text, .n = count_lines(text) };
	s->start = calloc(s->n + 1, sizeof(*s->start));
	s->line = calloc(s->n + 1, sizeof(*s->line));
	s->changed_ = calloc(s->n + 2, 1);
	s->changed = s->changed_ ? s->changed_ + 1 : NULL;
	return s->start && s->line && s->changed_;
}

static void number_lines(struct diff_side *s, struct line_table *t, uint64_t seed)
{
	size_t at = 0;

	for (size_t i = 0; i < s->n; i++) {
		const char *newline = memchr(s->text.p + at, '\n', s->text.n - at);
		size_t end = newline ? (size_t)(newline - s->text.p) + 1 : s->text.n;

		s->start[i] = at;
		s->line[i] = line_number(t, str_sub(s->text, at, end), seed);
		at = end;
	}
	s->start[s->n] = s->text.n;
}

static int pair_init(struct diff_pair *d, str a, str b, struct err *err)
{
	struct line_table table = { 0 };
	uint64_t seed = hash_seed();
	size_t slots = 64;

	*d = (struct diff_pair){ 0 };
	if (!side_init(&d->side[0], a) || !side_init(&d->side[1], b))
		return err_nomem(err);
	while (slots < 2 * (d->side[0].n + d->side[1].n))
		slots *= 2;
	table.mask = slots - 1;
	table.slots = calloc(slots, sizeof(*table.slots));
	if (!table.slots)
		return err_nomem(err);
	number_lines(&d->side[0], &table, seed);
	number_lines(&d->side[1], &table, seed);
	d->classes = table.n;
	free(table.slots);
	return 0;
}

static void pair_done(struct diff_pair *d)
{
	for (int i = 0; i < 2; i++) {
		free(d->side[i].start);
		free(d->side[i].line);
		free(d->side[i].changed_);
	}
}

/* Exclude common lines at both ends from the search, except those next to the difference, over which it may slide. */
static void cut_ends(struct diff_pair *d)
{
	const struct diff_side *a = &d->side[0], *b = &d->side[1];
	size_t least = a->n < b->n ? a->n : b->n, n = 0;

	while (n < least && a->line[n] == b->line[n])
		n++;
	d->prefix = n > DIFF_CONTEXT ? n - DIFF_CONTEXT : 0;
	n = 0;
	while (n < least - d->prefix && a->line[a->n - 1 - n] == b->line[b->n - 1 - n])
		n++;
	d->suffix = n > DIFF_CONTEXT ? n - DIFF_CONTEXT : 0;
}

int unified_diff(str a, str b, const struct limits *lim, struct buf *out, struct err *err)
{
	struct diff_pair d;
	int r;

	if (str_eq(a, b))
		return 0;
	if (a.n > lim->diff_bytes || b.n > lim->diff_bytes || a.n >= UINT32_MAX || b.n >= UINT32_MAX)
		return err_set(err, E2BIG, "diff: a text is longer than %zu bytes", lim->diff_bytes);
	a.p = a.p ? a.p : "";
	b.p = b.p ? b.p : "";
	r = pair_init(&d, a, b, err);
	if (r == 0) {
		d.steps = lim->diff_steps < UNIFIED_DIFF_STEPS ? lim->diff_steps : UNIFIED_DIFF_STEPS;
		cut_ends(&d);
		r = diff_mark_changes(&d, err);
	}
	if (r == 0) {
		diff_shift_marks(&d);
		diff_print(&d, out);
		r = buf_error(out, "diff", err);
	}
	pair_done(&d);
	return r;
}
