/* Calls a function as text/template does by Go's reflection: arity, argument conversion, result. */
#include "template/tmpl_exec.h"

#include "template/tmpl_call.h"
#include "template/tmpl_secret.h"

#include <errno.h>

#define ARGS_ON_STACK 8

static bool can_be_nil(const struct ttype *t)
{
	return t == &tt_value || t->kind == TK_INTERFACE || t->kind == TK_MAP || t->kind == TK_PTR ||
	       t->kind == TK_SLICE;
}

/* The nil of a type, if it has one. */
static tval nil_of(const struct ttype *t)
{
	return t == &tt_value || t == &tt_any ? tval_nil() : tval_nil_of(t);
}

static bool validate(struct exec *s, tval v, const struct ttype *type, tval *ret)
{
	*ret = v;
	if (!type || type == &tt_value)
		return true;
	if (!v.type && !v.iface) {
		if (!can_be_nil(type))
			return exec_fail(s, EINVAL, "invalid value; expected %s", 1, EXEC_TEXT(type->name));
		*ret = nil_of(type);
		return true;
	}
	if (type == &tt_any || v.type == type) {
		ret->iface = false;
		return true;
	}
	return exec_fail(s, EINVAL, "wrong type for value; expected %s; got %s", 2, EXEC_TEXT(type->name),
			 EXEC_TEXT(v.type ? v.type->name : "interface {}"));
}

/* Convert a constant to the type of the parameter, if it can have that. */
static bool typed_constant(struct exec *s, const struct ttype *type, const struct tnode *n, tval *ret)
{
	const struct tnumber *num = n->type == NODE_NUMBER ? n->number : NULL;

	*ret = (tval){ .type = type };
	switch (type->kind) {
	case TK_BOOL:
		ret->b = n->type == NODE_BOOL && n->is_true;
		return n->type == NODE_BOOL || exec_fail_node(s, "expected bool; found %s", n, NULL);
	case TK_STRING:
		if (n->type == NODE_STRING)
			ret->s = n->string;
		return n->type == NODE_STRING || exec_fail_node(s, "expected string; found %s", n, NULL);
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		if (!num || !num->is_int)
			return exec_fail_node(s, "expected integer; found %s", n, NULL);
		ret->i = type->kind == TK_INT32 ? (int32_t)num->i : num->i;
		return true;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		if (!num || !num->is_uint)
			return exec_fail_node(s, "expected unsigned integer; found %s", n, NULL);
		ret->u = type->kind == TK_UINT32 ? (uint32_t)num->u : type->kind == TK_UINT8 ? (uint8_t)num->u : num->u;
		return true;
	case TK_FLOAT64:
		if (!num || !num->is_float)
			return exec_fail_node(s, "expected float; found %s", n, NULL);
		ret->d = num->f;
		return true;
	case TK_COMPLEX128:
		if (!num || !num->is_complex)
			return exec_fail_node(s, "expected complex; found %s", n, NULL);
		memcpy(ret->c, num->c, sizeof(ret->c));
		return true;
	default:
		return exec_fail_node(s, "can't handle %s for arg of type %s", n, type->name);
	}
}

bool eval_arg(struct exec *s, tval dot, const struct ttype *type, const struct tnode *n, tval *ret)
{
	tval v;

	s->node = n;
	if (!exec_step(s))
		return false;
	switch (n->type) {
	case NODE_DOT:
		return validate(s, dot, type, ret);
	case NODE_NIL:
		if (!type || !can_be_nil(type))
			return exec_fail(s, EINVAL, "cannot assign nil to %s", 1,
					 EXEC_TEXT(type ? type->name : "<nil>"));
		*ret = nil_of(type);
		return true;
	case NODE_FIELD:
		return eval_field_node(s, dot, n, NULL, NULL, &v) && validate(s, v, type, ret);
	case NODE_VARIABLE:
		return eval_variable_node(s, dot, n, NULL, NULL, &v) && validate(s, v, type, ret);
	case NODE_PIPE:
		return eval_pipeline(s, dot, n, &v) && validate(s, v, type, ret);
	case NODE_IDENTIFIER:
		return eval_function(s, dot, n, n, NULL, NULL, &v) && validate(s, v, type, ret);
	case NODE_CHAIN:
		return eval_chain_node(s, dot, n, NULL, NULL, &v) && validate(s, v, type, ret);
	default:
		if (!type || type == &tt_any || type == &tt_value)
			return eval_constant(s, n, ret);
		return typed_constant(s, type, n, ret);
	}
}

static size_t count_params(const struct tmpl_fn *fn)
{
	size_t n = 0;

	while (n < TMPL_FN_PARAMS && fn->params[n])
		n++;
	return n;
}

/* ---- the language's own functions ---- */

/* This is never called through the table: the executor stops at the argument that decides. */
static int run_and(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)c;
	*ret = n > 0 ? args[n - 1] : tval_nil();
	return 0;
}

static int run_or(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	return run_and(c, args, n, ret);
}

/* args[0] is the text of the callee. No value can be a function here, so that this can only fail. */
static int run_call(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	str s;
	int r;

	(void)n;
	(void)ret;
	if (!args[1].type)
		return tmpl_fail(c, "call of nil");
	buf_add_cstr(&text, "non-function ");
	buf_add_str(&text, args[0].s);
	buf_add_cstr(&text, " of type ");
	buf_add_cstr(&text, args[1].type->name);
	r = tmpl_buf_str(c, &text, &s);
	return r < 0 ? r : tmpl_fail_str(c, s);
}

/* clang-format off */
#define ONE_AND_MORE { &tt_value, &tt_value }, true, &tt_value
/* clang-format on */
static const struct tmpl_fn rows[] = {
	{ "and", run_and, ONE_AND_MORE, "the first empty argument, or the last one" },
	{ "call", run_call, ONE_AND_MORE, "call a function value" },
	{ "or", run_or, ONE_AND_MORE, "the first non-empty argument, or the last one" },
};
TMPL_FN_FAMILY(tmpl_language_functions, rows);

/* Run `and` or `or`, which evaluate no argument behind the one that decides. */
static bool short_circuit(struct exec *s, tval dot, bool is_or, const struct tnode_list *args, const tval *final,
			  tval *ret)
{
	for (size_t i = 1; args && i < args->n; i++) {
		if (!eval_arg(s, dot, &tt_value, args->items[i], ret))
			return false;
		if (tval_truth(&s->mem, *ret) == is_or)
			return true;
	}
	return final ? validate(s, *final, &tt_value, ret) : true;
}

/* Go's name for the argument of `call`: its text, or that of the value that came through the pipeline. */
static bool callee_name(struct exec *s, const struct tnode_list *args, const tval *final, tval *ret)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(s->limits->template_output_bytes);
	str name;

	if (args && args->n > 1)
		tnode_print(args->items[1], &text);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without arguments there is a final one */
	else if (final->type == &tt_string)
		buf_add_str(&text, final->s);
	else
		buf_printf(&text, "<%s Value>", final->type ? final->type->name : "invalid");
	name = arena_str(&s->mem.arena, buf_str(&text));
	*ret = tval_string(name);
	return (!text.error && name.p) || exec_nomem(s);
}

static const char error_calling[] = "error calling %s: %s";

static bool call_failed(struct exec *s, const struct tmpl_call *c, const struct tnode *node, int r)
{
	tval name = EXEC_TEXT(c->fn->name);
	struct err limit;

	s->node = node;
	if (c->error.p)
		return exec_fail(s, c->no_match ? TMPL_NO_MATCH : EINVAL, error_calling, 2, name,
				 tval_string(c->error));
	limit = *s->err;
	return exec_fail(s, -r, error_calling, 2, name, EXEC_TEXT(limit.msg));
}

/* Whatever a function does, it may read its texts to the end, so each call costs a step for so many bytes. */
#define BYTES_A_STEP 32

static bool spend_on_args(struct exec *s, const struct tnode *node, const tval *args, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (tval_is_string(args[i]))
			s->steps += args[i].s.n / BYTES_A_STEP;
	}
	if (s->steps <= s->limits->template_steps)
		return true;
	s->node = node;
	return exec_out_of_steps(s);
}

static bool run(struct exec *s, const struct tmpl_fn *fn, const struct tnode *node, const struct re2 *pattern,
		const tval *args, size_t n, tval *ret)
{
	struct tmpl_call c = {
		.mem = &s->mem,
		.env = s->env,
		.limits = s->limits,
		.fn = fn,
		.steps = &s->steps,
		.pattern = pattern,
		.err = s->err,
	};
	int r;

	if (!spend_on_args(s, node, args, n))
		return false;
	r = fn->run(&c, args, n, ret);
	if (s->mem.exhausted) {
		s->node = node;
		return exec_out_of_steps(s);
	}
	if (r < 0)
		return call_failed(s, &c, node, r);
	if (fn->result == &tt_any)
		ret->iface = true;
	else if (fn->result != &tt_value)
		ret->iface = false;
	if (s->env->secrets)
		*ret = tmpl_secret_result(&s->mem, fn, args, n, *ret, s->env->secrets);
	return true;
}

static bool check_arity(struct exec *s, const struct tmpl_fn *fn, size_t n_params, size_t n_words, size_t n_args)
{
	if (fn->variadic && n_args < n_params - 1)
		return exec_fail(s, EINVAL, "wrong number of args for %s: want at least %d got %d", 3,
				 EXEC_TEXT(fn->name), tval_int((int64_t)n_params - 1), tval_int((int64_t)n_words));
	if (!fn->variadic && n_args != n_params)
		return exec_fail(s, EINVAL, "wrong number of args for %s: want %d got %d", 3, EXEC_TEXT(fn->name),
				 tval_int((int64_t)n_params), tval_int((int64_t)n_args));
	return true;
}

static const struct ttype *param_type(const struct tmpl_fn *fn, size_t n_params, size_t i)
{
	return fn->params[i < n_params ? i : n_params - 1];
}

/* The compiled first argument, which the function's own node keeps, if it was compiled with the same limits. */
static const struct re2 *pattern_of(const struct exec *s, const struct tnode_list *args)
{
	const struct tnode *first = args ? args->items[0] : NULL;

	if (!first || first->type != NODE_IDENTIFIER || s->limits->regex_match_limit != s->set->regex_match_limit)
		return NULL;
	return first->function.pattern;
}

bool eval_call(struct exec *s, tval dot, const struct tmpl_fn *fn, const struct tnode *node,
	       const struct tnode_list *args, const tval *final, const tval *receiver, tval *ret)
{
	size_t n_params = count_params(fn), n_words = args ? args->n - 1 : 0, n_args = n_words + (final != NULL), n = 0;
	tval few[ARGS_ON_STACK], *argv = few;

	if (!check_arity(s, fn, n_params, n_words, n_args))
		return false;
	if (fn->result->kind == TK_INVALID)
		return exec_fail(s, EINVAL, fn->result->name, 1, EXEC_TEXT(fn->name));
	if (!receiver && (fn->run == run_and || fn->run == run_or))
		return short_circuit(s, dot, fn->run == run_or, args, final, ret);
	if (n_args + 1 > ARGS_ON_STACK) {
		argv = arena_array(&s->mem.arena, n_args + 1, sizeof(*argv));
		if (!argv)
			return exec_nomem(s);
	}
	if (receiver)
		argv[n++] = *receiver;
	if (fn->run == run_call && !callee_name(s, args, final, &argv[n++]))
		return false;
	for (size_t i = 0; i < n_words; i++) {
		if (!eval_arg(s, dot, param_type(fn, n_params, i), args->items[i + 1], &argv[n++]))
			return false;
	}
	if (final && !validate(s, *final, param_type(fn, n_params, n_words), &argv[n++]))
		return false;
	return run(s, fn, node, pattern_of(s, args), argv, n, ret);
}
