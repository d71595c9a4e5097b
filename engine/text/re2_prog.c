/* Makes the program of the breadth-first machine. Each node is compiled for what follows it, so code is made back to
 * front.
 *
 * The shape of loops decides which of several matches wins when the body can be empty; it is that of Go's compiler:
 * x* with a nullable x is (x+)?, and x{2,5} is xx(x(x(x)?)?)?. */
#include "text/re2_internal.h"

#include <errno.h>

#define INSTS_MAX (2 * RE2_MAX_SIZE)

struct compiler {
	struct re2_prog *p;
	bool failed; /* there was no memory, or the program is too large: sticky */
};

static uint32_t inst(struct compiler *c, enum re2_inst_op op, uint32_t out, uint32_t arg)
{
	struct re2_inst i = { .op = op, .out = out, .arg = arg };

	if (c->failed || c->p->inst.n >= INSTS_MAX || !vec_push(&c->p->inst, i)) {
		c->failed = true;
		return 0;
	}
	return (uint32_t)(c->p->inst.n - 1);
}

static uint32_t set_inst(struct compiler *c, struct re2_set set, uint32_t next)
{
	if (!vec_push(&c->p->sets, set))
		c->failed = true;
	return inst(c, INST_SET, next, (uint32_t)(c->p->sets.n - 1));
}

static uint32_t rune_inst(struct compiler *c, uint32_t rune, bool fold, uint32_t next)
{
	struct re2_range *ranges;
	uint32_t n = 1;

	if (!fold || unicode_simple_fold(rune) == rune)
		return inst(c, INST_RUNE, next, rune);
	for (uint32_t f = unicode_simple_fold(rune); f != rune; f = unicode_simple_fold(f))
		n++;
	ranges = arena_array(&c->p->arena, n, sizeof(*ranges));
	if (!ranges) {
		c->failed = true;
		return 0;
	}
	/* @rune is the smallest of its orbit, and the orbit ascends. */
	for (uint32_t i = 0; i < n; i++, rune = unicode_simple_fold(rune))
		ranges[i] = (struct re2_range){ rune, rune };
	return set_inst(c, (struct re2_set){ ranges, n }, next);
}

static uint32_t choice(struct compiler *c, bool lazy, uint32_t body, uint32_t next)
{
	return lazy ? inst(c, INST_ALT, next, body) : inst(c, INST_ALT, body, next);
}

static uint32_t compile(struct compiler *c, const struct re2_node *n, uint32_t next);

/* Compile x+, or x* when the loop is entered at its choice (@star). */
static uint32_t compile_loop(struct compiler *c, const struct re2_node *x, bool lazy, bool star, uint32_t next)
{
	uint32_t loop = inst(c, INST_ALT, 0, 0), body = compile(c, x, loop);

	if (c->failed)
		return 0;
	c->p->inst.p[loop].out = lazy ? next : body;
	c->p->inst.p[loop].arg = lazy ? body : next;
	return star ? loop : body;
}

static uint32_t compile_repeat(struct compiler *c, const struct re2_node *n, uint32_t next)
{
	const struct re2_node *x = n->sub[0];
	uint32_t at = next;

	if (n->max < 0) {
		at = compile_loop(c, x, n->lazy, n->min == 0 && !x->nullable, next);
		if (n->min == 0 && x->nullable)
			at = choice(c, n->lazy, at, next);
		for (int32_t i = 1; i < n->min && !c->failed; i++)
			at = compile(c, x, at);
		return at;
	}
	for (int32_t i = n->min; i < n->max && !c->failed; i++)
		at = choice(c, n->lazy, compile(c, x, at), next);
	for (int32_t i = 0; i < n->min && !c->failed; i++)
		at = compile(c, x, at);
	return at;
}

/* Compile a node. The recursion is bounded by the height of the tree, RE2_MAX_HEIGHT. */
static uint32_t compile(struct compiler *c, const struct re2_node *n, uint32_t next)
{
	uint32_t at = next;

	switch (n->op) {
	case RE2_EMPTY:
		return next;
	case RE2_LITERAL:
		for (uint32_t i = n->n; i-- > 0;)
			at = rune_inst(c, n->runes[i], n->fold, at);
		return at;
	case RE2_CLASS:
		return set_inst(c, n->set, next);
	case RE2_ANY:
		return inst(c, INST_ANY, next, 0);
	case RE2_ANY_NOT_NL:
		return inst(c, INST_ANY_NOT_NL, next, 0);
	case RE2_CAPTURE:
		at = inst(c, INST_CAPTURE, next, 2 * n->cap + 1);
		at = compile(c, n->sub[0], at);
		return inst(c, INST_CAPTURE, at, 2 * n->cap);
	case RE2_REPEAT:
		return compile_repeat(c, n, next);
	case RE2_CONCAT:
		for (uint32_t i = n->n; i-- > 0 && !c->failed;)
			at = compile(c, n->sub[i], at);
		return at;
	case RE2_ALTERNATE:
		at = compile(c, n->sub[n->n - 1], next);
		for (uint32_t i = n->n - 1; i-- > 0 && !c->failed;)
			at = inst(c, INST_ALT, compile(c, n->sub[i], next), at);
		return at;
	default:
		return inst(c, INST_ASSERT, next, n->op);
	}
}

static bool begins_at_start(const struct re2_node *n)
{
	while (n->op == RE2_CONCAT || n->op == RE2_CAPTURE)
		n = n->sub[0];
	return n->op == RE2_BEGIN_TEXT;
}

void re2_prog_free(struct re2_prog *p)
{
	if (!p)
		return;
	vec_done(&p->inst);
	vec_done(&p->sets);
	arena_done(&p->arena);
	free(p);
}

int re2_prog_new(const struct re2 *re, struct re2_prog **ret, struct err *err)
{
	struct compiler c = { .p = calloc(1, sizeof(*c.p)) };

	if (!c.p)
		return err_nomem(err);
	arena_init(&c.p->arena, 0, re->arena.max);
	c.p->anchored = begins_at_start(re->root);
	c.p->start = compile(&c, re->root, inst(&c, INST_MATCH, 0, 0));
	if (c.failed) {
		int r = arena_error(&c.p->arena, err);

		re2_prog_free(c.p);
		return r;
	}
	*ret = c.p;
	return 0;
}
