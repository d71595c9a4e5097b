/* The breadth-first machine (Pike's): all threads advance through the text together, in order of preference, and two
 * threads at one instruction are one. Time is linear in text times program. */
#include "text/re2_internal.h"

#include "base/utf8.h"

#include <errno.h>

struct thread {
	uint32_t pc;
	ptrdiff_t *caps;
};

/* Threads at one offset, most preferred first; @seen says which instructions were reached at this offset. */
struct list {
	VEC(struct thread) threads;
	uint32_t *seen;
	uint32_t generation;
};

/* The work that is left while the empty transitions from one instruction are followed. */
struct pending {
	uint32_t pc;
	int32_t slot; /* -1: visit pc; else restore caps[slot] */
	ptrdiff_t old;
};

struct vm {
	const struct re2_prog *p;
	str text;
	uint32_t n_caps;
	struct list now, next;
	VEC(struct pending) stack;
	VEC(ptrdiff_t *) unused; /* capture arrays of threads that ended */
	struct arena arena;
	ptrdiff_t *scratch;
	ptrdiff_t *best;
	bool matched;
	uint64_t steps;
	struct err *err;
};

static ptrdiff_t *caps_new(struct vm *vm)
{
	if (vm->unused.n > 0)
		return vm->unused.p[--vm->unused.n];
	return arena_array(&vm->arena, vm->n_caps, sizeof(ptrdiff_t));
}

static bool is_word(str text, size_t at)
{
	unsigned char c;

	if (at >= text.n)
		return false;
	c = (unsigned char)text.p[at];
	return (unsigned)(c - '0') < 10 || (unsigned)((c | 0x20) - 'a') < 26 || c == '_';
}

static bool holds(enum re2_op assertion, str text, size_t pos)
{
	bool word;

	switch (assertion) {
	case RE2_BEGIN_LINE:
		return pos == 0 || text.p[pos - 1] == '\n';
	case RE2_END_LINE:
		return pos == text.n || text.p[pos] == '\n';
	case RE2_BEGIN_TEXT:
		return pos == 0;
	case RE2_END_TEXT:
		return pos == text.n;
	default:
		word = (pos > 0 && is_word(text, pos - 1)) != is_word(text, pos);
		return word == (assertion == RE2_WORD);
	}
}

static bool visit_later(struct vm *vm, uint32_t pc)
{
	return vec_push(&vm->stack, (struct pending){ .pc = pc, .slot = -1 });
}

static bool add_thread(struct vm *vm, struct list *list, uint32_t pc)
{
	ptrdiff_t *caps = caps_new(vm);

	if (!caps)
		return false;
	memcpy(caps, vm->scratch, vm->n_caps * sizeof(*caps));
	return vec_push(&list->threads, (struct thread){ pc, caps });
}

static bool visit(struct vm *vm, struct list *list, uint32_t pc, size_t pos)
{
	const struct re2_inst *i = &vm->p->inst.p[pc];
	struct pending restore;

	vm->steps--;
	if (list->seen[pc] == list->generation)
		return true;
	list->seen[pc] = list->generation;
	switch ((enum re2_inst_op)i->op) {
	case INST_FAIL:
		return true;
	case INST_NOP:
		return visit_later(vm, i->out);
	case INST_ALT:
		return visit_later(vm, i->arg) && visit_later(vm, i->out);
	case INST_CAPTURE:
		restore = (struct pending){ .slot = (int32_t)i->arg, .old = vm->scratch[i->arg] };
		if (!vec_push(&vm->stack, restore))
			return false;
		vm->scratch[i->arg] = (ptrdiff_t)pos;
		return visit_later(vm, i->out);
	case INST_ASSERT:
		return !holds((enum re2_op)i->arg, vm->text, pos) || visit_later(vm, i->out);
	default:
		return add_thread(vm, list, pc);
	}
}

/* Add what can be reached from @pc at @pos without reading, with the captures in vm->scratch. */
static int add(struct vm *vm, struct list *list, uint32_t pc, size_t pos)
{
	bool ok;

	vm->stack.n = 0;
	ok = visit_later(vm, pc);
	while (ok && vm->stack.n > 0) {
		struct pending top = vm->stack.p[--vm->stack.n];

		if (vm->steps == 0)
			return err_set(vm->err, E2BIG, "regular expression: search takes too many steps");
		if (top.slot >= 0)
			vm->scratch[top.slot] = top.old;
		else
			ok = visit(vm, list, top.pc, pos);
	}
	return ok ? 0 : err_nomem(vm->err);
}

static int end_thread(struct vm *vm, ptrdiff_t *caps)
{
	return vec_push(&vm->unused, caps) ? 0 : err_nomem(vm->err);
}

/* Move every thread over the code point @c of @width bytes at @pos (width 0: the end). A thread that has matched
 * ends those behind it, because they are less preferred. */
static int step(struct vm *vm, uint32_t c, size_t width, size_t pos)
{
	bool cut = false;
	int r = 0;

	for (size_t k = 0; k < vm->now.threads.n && r == 0; k++) {
		struct thread t = vm->now.threads.p[k];
		const struct re2_inst *i = &vm->p->inst.p[t.pc];

		if (!cut && i->op == INST_MATCH) {
			memcpy(vm->best, t.caps, vm->n_caps * sizeof(*t.caps));
			vm->best[1] = (ptrdiff_t)pos;
			vm->matched = cut = true;
		} else if (!cut && width > 0 && re2_accepts(vm->p, i, c)) {
			memcpy(vm->scratch, t.caps, vm->n_caps * sizeof(*t.caps));
			r = add(vm, &vm->next, i->out, pos + width);
		}
		if (r == 0)
			r = end_thread(vm, t.caps);
	}
	vm->now.threads.n = 0;
	return r;
}

static int search(struct vm *vm, size_t from)
{
	size_t pos = from;

	for (;;) {
		struct list swap;
		size_t width;
		uint32_t c = utf8_decode(str_sub(vm->text, pos, vm->text.n), &width);
		int r;

		if (vm->now.threads.n == 0 && (vm->matched || (vm->p->anchored && pos > 0)))
			return 0;
		if (!vm->matched && !(vm->p->anchored && pos > 0)) {
			for (uint32_t i = 0; i < vm->n_caps; i++)
				vm->scratch[i] = -1;
			vm->scratch[0] = (ptrdiff_t)pos;
			r = add(vm, &vm->now, vm->p->start, pos);
			if (r < 0)
				return r;
		}
		vm->next.generation++;
		r = step(vm, c, width, pos);
		if (r < 0 || width == 0)
			return r;
		pos += width;
		swap = vm->now;
		vm->now = vm->next;
		vm->next = swap;
	}
}

static void vm_done(struct vm *vm)
{
	vec_done(&vm->now.threads);
	vec_done(&vm->next.threads);
	free(vm->now.seen);
	free(vm->next.seen);
	vec_done(&vm->stack);
	vec_done(&vm->unused);
	arena_done(&vm->arena);
}

int re2_vm_search(const struct re2_prog *p, struct re2_search *s, size_t from, struct err *err)
{
	struct vm vm = { .p = p, .text = s->text, .n_caps = 2 * s->n_spans, .err = err };
	int r;

	vm.steps = s->steps;
	arena_init(&vm.arena, 0, 0);
	vm.now.seen = calloc(p->inst.n, sizeof(uint32_t));
	vm.next.seen = calloc(p->inst.n, sizeof(uint32_t));
	vm.now.generation = 1;
	vm.next.generation = 1;
	vm.scratch = caps_new(&vm);
	vm.best = caps_new(&vm);
	if (!vm.now.seen || !vm.next.seen || !vm.scratch || !vm.best)
		r = err_nomem(err);
	else
		r = search(&vm, from);
	if (r == 0 && vm.matched) {
		for (uint32_t i = 0; i < s->n_spans; i++) {
			s->spans[i] = (struct re2_span){ vm.best[2 * i], vm.best[2 * i + 1] };
			if (s->spans[i].end < 0)
				s->spans[i].start = -1;
		}
		r = 1;
	}
	s->steps = vm.steps;
	vm_done(&vm);
	return r;
}
