/* Computes the alphabet of a DFA: code points that no instruction of the program distinguishes are one class. */
#include "text/re2_dfa.h"

#include <errno.h>

#define PREDICATES_MAX 256 /* the most distinct sets and runes */
#define INTERVALS_MAX 8192
#define CODE_POINTS 0x110000u

struct classes {
	VEC(struct re2_set) predicates;
	VEC(uint32_t) starts; /* where intervals begin: ascending, the first at 0 */
	uint32_t *of;         /* the class of each interval */
	uint32_t n;
};

static bool same_set(struct re2_set a, struct re2_set b)
{
	return a.n == b.n && (a.ranges == b.ranges || memcmp(a.ranges, b.ranges, a.n * sizeof(*a.ranges)) == 0);
}

/* Add a set. 0, -E2BIG or -ENOMEM, as all functions below. */
static int add_predicate(struct classes *c, struct re2_set set)
{
	if (set.n == 0)
		return 0;
	for (size_t i = 0; i < c->predicates.n; i++) {
		if (same_set(c->predicates.p[i], set))
			return 0;
	}
	if (c->predicates.n == PREDICATES_MAX || c->starts.n + 2 * (size_t)set.n > INTERVALS_MAX)
		return -E2BIG;
	if (!vec_push(&c->predicates, set))
		return -ENOMEM;
	for (uint32_t i = 0; i < set.n; i++) {
		if (!vec_push(&c->starts, set.ranges[i].lo) || !vec_push(&c->starts, set.ranges[i].hi + 1))
			return -ENOMEM;
	}
	return 0;
}

static int add_rune(struct classes *c, struct arena *a, uint32_t rune)
{
	struct re2_range *range = arena_alloc(a, sizeof(*range));

	if (!range)
		return a->full ? -E2BIG : -ENOMEM;
	*range = (struct re2_range){ rune, rune };
	return add_predicate(c, (struct re2_set){ range, 1 });
}

static const struct re2_range newline[] = { { '\n', '\n' } };
static const struct re2_range word[] = { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } };

/* Collect everything by which the program distinguishes code points. */
static int collect(struct classes *c, const struct re2_prog *p, struct arena *a)
{
	int r = vec_push(&c->starts, 0) ? 0 : -ENOMEM;

	for (size_t i = 0; i < p->inst.n && r == 0; i++) {
		const struct re2_inst *in = &p->inst.p[i];

		switch ((enum re2_inst_op)in->op) {
		case INST_RUNE:
			r = add_rune(c, a, in->arg);
			break;
		case INST_SET:
			r = add_predicate(c, p->sets.p[in->arg]);
			break;
		case INST_ANY_NOT_NL:
			r = add_predicate(c, (struct re2_set){ newline, ARRAY_LEN(newline) });
			break;
		case INST_ASSERT:
			r = add_predicate(c, (struct re2_set){ newline, ARRAY_LEN(newline) });
			if (r == 0 && (in->arg == RE2_WORD || in->arg == RE2_NOT_WORD))
				r = add_predicate(c, (struct re2_set){ word, ARRAY_LEN(word) });
			break;
		default:
			break;
		}
	}
	return r;
}

static int by_number(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void sort_starts(struct classes *c)
{
	size_t n = 0;

	qsort(c->starts.p, c->starts.n, sizeof(uint32_t), by_number);
	for (size_t i = 0; i < c->starts.n; i++) {
		uint32_t start = c->starts.p[i];

		if (start < CODE_POINTS && (n == 0 || c->starts.p[n - 1] != start))
			c->starts.p[n++] = start;
	}
	c->starts.n = n;
}

/* Split each class into the part that is in @set and the rest. @map: room for twice the intervals; classes are
 * numbered in the order in which they begin. */
static void split(struct classes *c, struct re2_set set, uint32_t *map)
{
	uint32_t k = 0, n = 0;

	memset(map, 0, 2 * c->starts.n * sizeof(*map));
	for (size_t i = 0; i < c->starts.n; i++) {
		uint32_t *to;

		while (k < set.n && set.ranges[k].hi < c->starts.p[i])
			k++;
		to = &map[2 * c->of[i] + (k < set.n && set.ranges[k].lo <= c->starts.p[i])];
		if (!*to)
			*to = ++n;
		c->of[i] = *to - 1;
	}
	c->n = n;
}

/* Fill the alphabet of @d from the finished classes. */
static int give(struct classes *c, struct re2_dfa *d)
{
	uint32_t n = 0;

	d->n_classes = c->n;
	d->representative = arena_zalloc(&d->arena, c->n * sizeof(uint32_t));
	d->starts = arena_array(&d->arena, c->starts.n, sizeof(uint32_t));
	d->start_class = arena_alloc(&d->arena, c->starts.n);
	if (!d->representative || !d->starts || !d->start_class)
		return d->arena.full ? -E2BIG : -ENOMEM;
	for (size_t i = c->starts.n; i-- > 0;)
		d->representative[c->of[i]] = c->starts.p[i];
	for (size_t i = 0; i < c->starts.n; i++) {
		if (n > 0 && d->start_class[n - 1] == c->of[i])
			continue;
		d->starts[n] = c->starts.p[i];
		d->start_class[n++] = (uint8_t)c->of[i];
	}
	d->n_starts = n;
	for (uint32_t ch = 0; ch < ARRAY_LEN(d->ascii); ch++)
		d->ascii[ch] = re2_dfa_class(d, ch);
	return 0;
}

uint8_t re2_dfa_class(const struct re2_dfa *d, uint32_t c)
{
	uint32_t lo = 0, hi = d->n_starts;

	while (hi - lo > 1) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (d->starts[mid] <= c)
			lo = mid;
		else
			hi = mid;
	}
	return d->start_class[lo];
}

int re2_dfa_classes(struct re2_dfa *d)
{
	struct classes c = { 0 };
	uint32_t *map = NULL;
	int r = collect(&c, d->p, &d->arena);

	if (r == 0) {
		sort_starts(&c);
		c.of = calloc(c.starts.n, sizeof(uint32_t));
		map = calloc(2 * c.starts.n, sizeof(uint32_t));
		r = c.of && map ? 0 : -ENOMEM;
	}
	c.n = 1;
	for (size_t i = 0; i < c.predicates.n && r == 0; i++) {
		split(&c, c.predicates.p[i], map);
		if (c.n > RE2_DFA_CLASSES_MAX)
			r = -E2BIG;
	}
	if (r == 0)
		r = give(&c, d);
	vec_done(&c.predicates);
	vec_done(&c.starts);
	free(c.of);
	free(map);
	return r;
}
