/* Makes the states and transitions of the automaton. */
#include "text/re2_dfa.h"

#include "base/hash.h"
#include "base/utf8.h"

#include <errno.h>

enum before { BEFORE_OTHER, BEFORE_BEGIN, BEFORE_NEWLINE, BEFORE_WORD };

/* The state from which on every text matches, and the one from which on none does. */
static const struct re2_dfa_state matched, dead;

#define ASKS(d, op) ((d)->asks >> (op)&1)

/* ---- what stands beside a position ---- */

static bool is_word(uint32_t c)
{
	return c - '0' < 10 || (c | 0x20) - 'a' < 26 || c == '_';
}

/* What precedes a position behind @c; only what the program asks for, so that there are few states. */
static uint8_t before_next(const struct re2_dfa *d, uint32_t c)
{
	if (c == '\n' && ASKS(d, RE2_BEGIN_LINE))
		return BEFORE_NEWLINE;
	if (is_word(c) && (ASKS(d, RE2_WORD) || ASKS(d, RE2_NOT_WORD)))
		return BEFORE_WORD;
	return BEFORE_OTHER;
}

/* Whether the assertion holds between @before and the class @next. */
static bool holds(const struct re2_dfa *d, uint32_t assertion, uint8_t before, uint32_t next)
{
	bool end = next == d->n_classes, word;

	switch ((enum re2_op)assertion) {
	case RE2_BEGIN_LINE:
		return before == BEFORE_BEGIN || before == BEFORE_NEWLINE;
	case RE2_END_LINE:
		return end || d->representative[next] == '\n';
	case RE2_BEGIN_TEXT:
		return before == BEFORE_BEGIN;
	case RE2_END_TEXT:
		return end;
	default:
		word = (before == BEFORE_WORD) != (!end && is_word(d->representative[next]));
		return word == (assertion == RE2_WORD);
	}
}

/* ---- sets of instructions ---- */

struct position {
	bool known; /* assertions can be decided */
	uint8_t before;
	uint32_t next;
};

/* Put into @set what can be reached from @pc without reading; assertions too unless the position is known. True: the
 * end of the pattern can be reached. Each instruction is visited once in a round. */
static bool reach(struct re2_dfa *d, uint32_t *set, uint32_t pc, const struct position *at)
{
	uint32_t n = 0;

	d->stack[n++] = pc;
	while (n > 0) {
		const struct re2_inst *i;

		pc = d->stack[--n];
		if (d->seen[pc] == d->round)
			continue;
		d->seen[pc] = d->round;
		i = &d->p->inst.p[pc];
		switch ((enum re2_inst_op)i->op) {
		case INST_FAIL:
			break;
		case INST_ALT:
			d->stack[n++] = i->arg;
			d->stack[n++] = i->out;
			break;
		case INST_NOP:
		case INST_CAPTURE:
			d->stack[n++] = i->out;
			break;
		case INST_MATCH:
			return true;
		case INST_ASSERT:
			if (!at->known)
				set[pc] = d->round;
			else if (holds(d, i->arg, at->before, at->next))
				d->stack[n++] = i->out;
			break;
		default:
			set[pc] = d->round;
		}
	}
	return false;
}

/* ---- states ---- */

static const struct re2_dfa_state *find_state(const struct re2_dfa *d, uint32_t hash, uint8_t before, uint32_t n)
{
	for (const struct re2_dfa_state *s = d->states; s; s = s->older) {
		bool same = s->hash == hash && s->before == before && s->n == n;

		for (uint32_t i = 0; same && i < n; i++)
			same = d->next[s->inst[i]] == d->round;
		if (same)
			return s;
	}
	return NULL;
}

static struct re2_dfa_state *add_state(struct re2_dfa *d, uint32_t hash, uint8_t before, uint32_t n)
{
	struct re2_dfa_state *s = arena_zalloc(&d->arena, sizeof(*s) + (d->n_classes + 1) * sizeof(re2_dfa_edge));
	uint32_t *inst = s ? arena_array(&d->arena, n, sizeof(*inst)) : NULL, k = 0;

	if (!inst)
		return NULL;
	*s = (struct re2_dfa_state){ .older = d->states, .hash = hash, .before = before, .n = n, .inst = inst };
	for (uint32_t pc = 0; pc < d->p->inst.n && k < n; pc++) {
		if (d->next[pc] != d->round)
			continue;
		s->asserts |= d->p->inst.p[pc].op == INST_ASSERT;
		inst[k++] = pc;
	}
	d->states = s;
	return s;
}

/* The state for the set d->next. 0, -EAGAIN, -ENOMEM. */
static int state_of_next(struct re2_dfa *d, uint8_t before, const struct re2_dfa_state **ret)
{
	uint32_t n = 0, hash = before;

	for (uint32_t pc = 0; pc < d->p->inst.n; pc++) {
		if (d->next[pc] == d->round) {
			hash = (uint32_t)hash_mix(hash, pc);
			n++;
		}
	}
	if (n == 0 && d->p->anchored) {
		*ret = &dead;
		return 0;
	}
	*ret = find_state(d, hash, before, n);
	if (!*ret)
		*ret = add_state(d, hash, before, n);
	if (*ret)
		return 0;
	if (!d->arena.full)
		return -ENOMEM;
	d->full = true;
	return -EAGAIN;
}

/* The set of @s, with its assertions decided for the class that follows. True: the text matches here. */
static bool decide(struct re2_dfa *d, const struct re2_dfa_state *s, uint32_t class)
{
	struct position at = { .known = true, .before = s->before, .next = class };

	d->round++;
	for (uint32_t i = 0; i < s->n; i++) {
		if (reach(d, d->now, s->inst[i], &at))
			return true;
	}
	return false;
}

static int next_state(struct re2_dfa *d, const struct re2_dfa_state *s, uint32_t class,
		      const struct re2_dfa_state **ret)
{
	static const struct position unknown;
	uint32_t c, now;
	bool end = class == d->n_classes, match = s->asserts && decide(d, s, class);

	if (match || end) {
		*ret = match ? &matched : &dead;
		return 0;
	}
	c = d->representative[class];
	now = d->round++;
	for (uint32_t pc = 0; pc < d->p->inst.n && !match && s->asserts; pc++) {
		if (d->now[pc] == now && re2_accepts(d->p, &d->p->inst.p[pc], c))
			match = reach(d, d->next, d->p->inst.p[pc].out, &unknown);
	}
	for (uint32_t i = 0; i < s->n && !match && !s->asserts; i++) {
		if (re2_accepts(d->p, &d->p->inst.p[s->inst[i]], c))
			match = reach(d, d->next, d->p->inst.p[s->inst[i]].out, &unknown);
	}
	if (!match && !d->p->anchored)
		match = reach(d, d->next, d->p->start, &unknown);
	if (match) {
		*ret = &matched;
		return 0;
	}
	return state_of_next(d, before_next(d, c), ret);
}

static int start_state(struct re2_dfa *d)
{
	static const struct position unknown;
	const uint32_t begin = 1u << RE2_BEGIN_TEXT | 1u << RE2_BEGIN_LINE;
	const struct re2_dfa_state *s = &matched;
	int r = 0;

	d->round++;
	if (!reach(d, d->next, d->p->start, &unknown))
		r = state_of_next(d, d->asks & begin ? BEFORE_BEGIN : BEFORE_OTHER, &s);
	d->start = s;
	return r;
}

/* Make the transition of @s for @class, unless another thread is making one. 0, -EAGAIN, -ENOMEM. */
static int make_edge(struct re2_dfa *d, const struct re2_dfa_state *s, uint32_t class, const struct re2_dfa_state **ret)
{
	re2_dfa_edge *edge = (re2_dfa_edge *)&s->next[class];
	int r;

	if (atomic_flag_test_and_set_explicit(&d->building, memory_order_acquire))
		return -EAGAIN;
	*ret = atomic_load_explicit(edge, memory_order_relaxed); /* another thread may have been faster */
	/* A full automaton stays as it is: trying for ever would use up the numbers of rounds. */
	r = *ret ? 0 : d->full ? -EAGAIN : next_state(d, s, class, ret);
	if (r == 0)
		atomic_store_explicit(edge, *ret, memory_order_release);
	atomic_flag_clear_explicit(&d->building, memory_order_release);
	return r;
}

/* ---- searching ---- */

static inline uint32_t class_at(const struct re2_dfa *d, str text, size_t at, size_t *width)
{
	unsigned char c;

	if (at >= text.n) {
		*width = 0;
		return d->n_classes;
	}
	c = (unsigned char)text.p[at];
	*width = 1;
	if (c < 0x80)
		return d->ascii[c];
	return re2_dfa_class(d, utf8_decode(str_sub(text, at, text.n), width));
}

int re2_dfa_matches(struct re2_dfa *d, str text, uint64_t steps)
{
	const struct re2_dfa_state *s = d->start, *next;
	size_t width;

	if (steps < text.n)
		return -EAGAIN;
	steps -= text.n;
	for (size_t at = 0; s != &matched && s != &dead; at += width, s = next) {
		uint32_t class = class_at(d, text, at, &width);
		int r;

		next = atomic_load_explicit(&s->next[class], memory_order_acquire);
		if (next)
			continue;
		if (steps < d->p->inst.n)
			return -EAGAIN;
		steps -= d->p->inst.n;
		r = make_edge(d, s, class, &next);
		if (r < 0)
			return r;
	}
	return s == &matched;
}

/* ---- making ---- */

void re2_dfa_free(struct re2_dfa *d)
{
	if (!d)
		return;
	arena_done(&d->arena);
	free(d);
}

static int init(struct re2_dfa *d)
{
	size_t n = d->p->inst.n;
	int r;

	for (size_t i = 0; i < n; i++) {
		if (d->p->inst.p[i].op == INST_ASSERT)
			d->asks |= 1u << d->p->inst.p[i].arg;
	}
	r = re2_dfa_classes(d);
	if (r < 0)
		return r;
	d->seen = arena_zalloc(&d->arena, n * sizeof(uint32_t));
	d->now = arena_zalloc(&d->arena, n * sizeof(uint32_t));
	d->next = arena_zalloc(&d->arena, n * sizeof(uint32_t));
	d->stack = arena_array(&d->arena, 2 * n + 2, sizeof(uint32_t));
	if (!d->seen || !d->now || !d->next || !d->stack)
		return d->arena.full ? -E2BIG : -ENOMEM;
	r = start_state(d);
	return r == -EAGAIN ? -E2BIG : r;
}

int re2_dfa_new(const struct re2_prog *p, struct re2_dfa **ret)
{
	struct re2_dfa *d;
	int r;

	if (p->inst.n > RE2_DFA_INST_MAX)
		return -E2BIG;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->p = p;
	atomic_flag_clear(&d->building);
	arena_init(&d->arena, 0, RE2_DFA_BYTES);
	r = init(d);
	if (r < 0) {
		re2_dfa_free(d);
		return r;
	}
	*ret = d;
	return 0;
}
