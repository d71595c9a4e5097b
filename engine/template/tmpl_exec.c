/* Executes a template: the walk over its tree. */
#include "template/tmpl_exec.h"

#include "base/assert.h"
#include "go/quote.h"
#include "template/tmpl.h"
#include "template/tmpl_print.h"
#include "template/tmpl_secret.h"

#include <errno.h>
#include <stdarg.h>

/* How deeply walks and pipelines may be nested, over all templates: the stack of a thread surely suffices for that. */
#define NESTING_MAX 3000

enum flow {
	FLOW_NEXT,
	FLOW_BREAK,
	FLOW_CONTINUE,
	FLOW_FAIL,
};

/* ---- errors ---- */

bool exec_nomem(struct exec *s)
{
	if (s->code)
		return false;
	if (tmem_full(&s->mem))
		return exec_fail(s, E2BIG, "needs more than %d bytes of memory", 1,
				 tval_uint64(s->limits->arena_bytes));
	s->code = err_nomem(s->err);
	return false;
}

static void add_doubled(struct buf *out, str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '%')
			buf_add_byte(out, '%');
		buf_add_byte(out, s.p[i]);
	}
}

bool exec_fail(struct exec *s, int code, const char *format, size_t n, ...)
{
	CLEANUP(buf_done) struct buf all = BUF_INIT(SIZE_MAX / 2);
	CLEANUP(buf_done) struct buf part = BUF_INIT(SIZE_MAX / 2);
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);
	tval args[4];
	va_list ap;

	if (s->code)
		return false;
	s->mem.walked = 0; /* the text is printed even when the values were used up */
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		args[i] = va_arg(ap, tval);
	va_end(ap);
	buf_add_cstr(&all, "template: ");
	tnode_location(s->node, &all);
	buf_add_cstr(&all, ": executing ");
	go_quote(&part, s->tree->name);
	add_doubled(&all, buf_str(&part));
	buf_truncate(&part, 0); /* empties the buffer, but keeps its error */
	buf_add_cstr(&all, " at <");
	tnode_print(s->node, &part);
	add_doubled(&all, buf_str(&part));
	buf_add_cstr(&all, ">: ");
	buf_add_cstr(&all, format);
	tmpl_sprintf(&s->mem, buf_str(&all), args, n, &text);
	if (all.error || part.error || text.error)
		return exec_nomem(s);
	if (s->env->error_text)
		buf_add_str(s->env->error_text, buf_str(&text));
	s->code = err_set(s->err, code, "%.*s", STR_ARG(buf_str(&text)));
	return false;
}

bool exec_fail_node(struct exec *s, const char *format, const struct tnode *node, const char *more)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);

	if (node)
		tnode_print(node, &text);
	if (text.error)
		return exec_nomem(s);
	return exec_fail(s, EINVAL, format, more ? 2 : 1, tval_string(buf_str(&text)), EXEC_TEXT(more ? more : ""));
}

bool exec_step(struct exec *s)
{
	return s->steps++ < s->limits->template_steps || exec_out_of_steps(s);
}

bool exec_out_of_steps(struct exec *s)
{
	return exec_fail(s, E2BIG, "exceeded maximum number of steps (%d)", 1, tval_uint64(s->limits->template_steps));
}

static bool enter(struct exec *s)
{
	if (++s->nesting <= NESTING_MAX)
		return exec_step(s);
	return exec_fail(s, E2BIG, "exceeded maximum nesting (%d)", 1, tval_int(NESTING_MAX));
}

static void leave(struct exec *s)
{
	ASSERT(s->nesting > 0);
	s->nesting--;
}

/* ---- variables ---- */

static bool push_var(struct exec *s, str name, tval v)
{
	if (s->n_vars == s->cap_vars) {
		size_t cap = s->cap_vars ? s->cap_vars * 2 : 8;
		struct variable *vars = realloc(s->vars, cap * sizeof(*vars));

		if (!vars)
			return exec_nomem(s);
		s->vars = vars;
		s->cap_vars = cap;
	}
	ASSERT(s->n_vars < s->cap_vars);
	s->vars[s->n_vars++] = (struct variable){ name, v };
	return true;
}

static struct variable *find_var(struct exec *s, str name)
{
	for (size_t i = s->n_vars; i > s->first_var; i--) {
		if (str_eq(s->vars[i - 1].name, name))
			return &s->vars[i - 1];
	}
	(void)exec_fail(s, EINVAL, "undefined variable: %s", 1, tval_string(name));
	return NULL;
}

static bool set_var(struct exec *s, str name, tval v)
{
	struct variable *var = find_var(s, name);

	if (var)
		var->value = v;
	return var != NULL;
}

/* ---- evaluation ---- */

static bool has_args(const struct tnode_list *args, const tval *final)
{
	return (args && args->n > 1) || final;
}

static bool not_a_function(struct exec *s, const struct tnode_list *args, const tval *final)
{
	if (!has_args(args, final))
		return true;
	return exec_fail_node(s, "can't give argument to non-function %s", args ? args->items[0] : NULL, NULL);
}

/* Go's default type for an untyped number: the syntax decides between complex, float and int. */
static bool ideal_constant(struct exec *s, const struct tnode *n, tval *ret)
{
	const struct tnumber *num = n->number;
	str t = n->text;
	bool hex = t.n > 2 && t.p[0] == '0' && (t.p[1] == 'x' || t.p[1] == 'X') && str_find_byte(t, 'p') < 0 &&
		   str_find_byte(t, 'P') < 0;
	bool looks_float = false;

	for (size_t i = 0; i < t.n; i++)
		looks_float |= t.p[i] && strchr(".eEpP", t.p[i]);
	s->node = n;
	if (num->is_complex)
		*ret = (tval){ .type = &tt_complex128, .c = { num->c[0], num->c[1] } };
	else if (num->is_float && !hex && t.p[0] != '\'' && looks_float)
		*ret = tval_float(num->f);
	else if (num->is_int)
		*ret = tval_int(num->i);
	else
		return exec_fail(s, EINVAL, "%s overflows int", 1, tval_string(t));
	return true;
}

bool eval_constant(struct exec *s, const struct tnode *n, tval *ret)
{
	s->node = n;
	switch (n->type) {
	case NODE_BOOL:
		*ret = tval_bool(n->is_true);
		return true;
	case NODE_NUMBER:
		return ideal_constant(s, n, ret);
	case NODE_STRING:
		*ret = tval_string(n->string);
		return true;
	default:
		return exec_fail(s, EINVAL, "can't evaluate command", 0);
	}
}

static const struct tmpl_fn *find_method(const struct ttype *type, str name)
{
	for (size_t i = 0; i < type->n_methods; i++) {
		if (str_eq(str_from(type->methods[i].name), name))
			return &type->methods[i];
	}
	return NULL;
}

static const struct tfield *find_field(const struct ttype *type, str name)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		if (str_eq(str_from(type->fields[i].name), name))
			return &type->fields[i];
	}
	return NULL;
}

static const char no_field[] = "can't evaluate field %s in type %s";

static bool eval_struct_field(struct exec *s, str name, tval receiver, bool args, const char *type_name, tval *ret)
{
	const struct tfield *f = find_field(receiver.type, name);

	if (!f)
		return exec_fail(s, EINVAL, no_field, 2, tval_string(name), EXEC_TEXT(type_name));
	if (!f->exported)
		return exec_fail(s, EINVAL, "%s is an unexported field of struct type %s", 2, tval_string(name),
				 EXEC_TEXT(type_name));
	if (args)
		return exec_fail(s, EINVAL, "%s has arguments but cannot be invoked as function", 1, tval_string(name));
	*ret = tval_inherit(f->get(&s->mem, receiver), receiver);
	return true;
}

/* Evaluate .Field of @receiver: a method, a field of a struct or an element of a map. */
static bool eval_field(struct exec *s, tval dot, str name, const struct tnode *node, const struct tnode_list *args,
		       const tval *final, tval receiver, tval *ret)
{
	const char *type_name = receiver.iface ? "interface {}" : tval_type_name(receiver);
	const struct tmpl_fn *method;

	if (!receiver.type && !receiver.iface) {
		*ret = tval_nil();
		return true;
	}
	if (!receiver.type)
		return exec_fail(s, EINVAL, "nil pointer evaluating %s.%s", 2, EXEC_TEXT(type_name), tval_string(name));
	method = find_method(receiver.type, name);
	if (method) {
		tval plain = tval_plain(receiver);

		return eval_call(s, dot, method, node, args, final, &plain, ret);
	}
	switch (receiver.type->kind) {
	case TK_STRUCT:
	case TK_PTR:
		return eval_struct_field(s, name, receiver, has_args(args, final), type_name, ret);
	case TK_MAP:
		if (has_args(args, final))
			return exec_fail(s, EINVAL, "%s is not a method but has arguments", 1, tval_string(name));
		if (!tmap_get(&s->mem, receiver, name, ret))
			*ret = tval_nil();
		return true;
	default:
		return exec_fail(s, EINVAL, no_field, 2, tval_string(name), EXEC_TEXT(type_name));
	}
}

static bool eval_field_chain(struct exec *s, tval dot, tval receiver, const struct tnode *node, const str *ident,
			     size_t n, const struct tnode_list *args, const tval *final, tval *ret)
{
	for (size_t i = 0; i < n; i++) {
		bool last = i == n - 1;

		if (!eval_field(s, dot, ident[i], node, last ? args : NULL, last ? final : NULL, receiver, ret))
			return false;
		receiver = *ret;
	}
	return true;
}

bool eval_field_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args, const tval *final,
		     tval *ret)
{
	s->node = n;
	return eval_field_chain(s, dot, dot, n, n->ident.items, n->ident.n, args, final, ret);
}

bool eval_variable_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args,
			const tval *final, tval *ret)
{
	struct variable *var;

	s->node = n;
	var = find_var(s, n->ident.items[0]);
	if (!var)
		return false;
	if (n->ident.n == 1) {
		*ret = var->value;
		return not_a_function(s, args, final);
	}
	return eval_field_chain(s, dot, var->value, n, n->ident.items + 1, n->ident.n - 1, args, final, ret);
}

bool eval_chain_node(struct exec *s, tval dot, const struct tnode *n, const struct tnode_list *args, const tval *final,
		     tval *ret)
{
	tval receiver;

	s->node = n;
	if (!eval_arg(s, dot, NULL, n->chain.node, &receiver))
		return false;
	return eval_field_chain(s, dot, receiver, n, n->chain.field.items, n->chain.field.n, args, final, ret);
}

bool eval_function(struct exec *s, tval dot, const struct tnode *n, const struct tnode *cmd,
		   const struct tnode_list *args, const tval *final, tval *ret)
{
	s->node = n;
	return eval_call(s, dot, n->function.fn, cmd, args, final, NULL, ret);
}

static bool eval_command(struct exec *s, tval dot, const struct tnode *cmd, const tval *final, tval *ret)
{
	const struct tnode *first = cmd->list.items[0];

	switch (first->type) {
	case NODE_FIELD:
		return eval_field_node(s, dot, first, &cmd->list, final, ret);
	case NODE_CHAIN:
		return eval_chain_node(s, dot, first, &cmd->list, final, ret);
	case NODE_IDENTIFIER:
		return eval_function(s, dot, first, cmd, &cmd->list, final, ret);
	case NODE_PIPE:
		/* The error is reported at the node that was evaluated before: text/template does not mark the
		 * parenthesis. */
		return not_a_function(s, &cmd->list, final) && eval_pipeline(s, dot, first, ret);
	case NODE_VARIABLE:
		return eval_variable_node(s, dot, first, &cmd->list, final, ret);
	default:
		break;
	}
	s->node = first;
	if (!not_a_function(s, &cmd->list, final))
		return false;
	if (first->type == NODE_DOT) {
		*ret = dot;
		return true;
	}
	if (first->type == NODE_NIL)
		return exec_fail(s, EINVAL, "nil is not a command", 0);
	return eval_constant(s, first, ret);
}

bool eval_pipeline(struct exec *s, tval dot, const struct tnode *pipe, tval *ret)
{
	tval value = tval_nil(), next;

	s->node = pipe;
	if (!enter(s))
		return false;
	for (size_t i = 0; i < pipe->pipe.cmds.n; i++) {
		if (!eval_command(s, dot, pipe->pipe.cmds.items[i], i > 0 ? &value : NULL, &next))
			return false;
		value = tval_plain(next);
	}
	for (size_t i = 0; i < pipe->pipe.decl.n; i++) {
		str name = pipe->pipe.decl.items[i]->ident.items[0];

		if (pipe->pipe.is_assign ? !set_var(s, name, value) : !push_var(s, name, value))
			return false;
	}
	leave(s);
	*ret = value;
	return true;
}

/* ---- the walk ---- */

static enum flow walk(struct exec *s, tval dot, const struct tnode *n);

static enum flow check_output(struct exec *s)
{
	if (s->out->error == -ENOMEM) {
		(void)exec_nomem(s);
		return FLOW_FAIL;
	}
	if (!s->out->error)
		return FLOW_NEXT;
	if (s->mem.exhausted) {
		(void)exec_out_of_steps(s);
		return FLOW_FAIL;
	}
	(void)exec_fail(s, E2BIG, "output is larger than %d bytes, or nests too deeply", 1,
			tval_uint64(s->limits->template_output_bytes));
	return FLOW_FAIL;
}

static enum flow print_action(struct exec *s, tval dot, const struct tnode *n)
{
	size_t from = s->out->n;
	tval v;

	if (!eval_pipeline(s, dot, n->branch.pipe, &v))
		return FLOW_FAIL;
	if (n->branch.pipe->pipe.decl.n > 0)
		return FLOW_NEXT;
	s->node = n;
	if (v.type)
		tmpl_sprint(&s->mem, v, s->out);
	else
		buf_add_cstr(s->out, "<no value>");
	if (s->env->printed)
		(void)spans_add(s->env->printed, from, s->out->n);
	if (s->env->secrets)
		tmpl_secret_printed(s->env->secrets, v, str_sub(buf_str(s->out), from, s->out->n));
	return check_output(s);
}

static enum flow walk_if_or_with(struct exec *s, tval dot, const struct tnode *n)
{
	size_t mark = s->n_vars;
	enum flow flow = FLOW_NEXT;
	tval v;

	if (!eval_pipeline(s, dot, n->branch.pipe, &v))
		return FLOW_FAIL;
	if (tval_truth(&s->mem, v))
		flow = walk(s, n->type == NODE_WITH ? v : dot, n->branch.list);
	else if (n->branch.else_list)
		flow = walk(s, dot, n->branch.else_list);
	s->n_vars = mark;
	return flow;
}

/* Run one turn of a loop; FLOW_BREAK ends the loop. @index NULL: there is none (a range over an integer). */
static enum flow one_iteration(struct exec *s, const struct tnode *n, const tval *index, tval elem)
{
	const struct tnode_list *decl = &n->branch.pipe->pipe.decl;
	bool assign = n->branch.pipe->pipe.is_assign;
	tval first = index ? *index : tval_nil();
	size_t mark = s->n_vars;
	enum flow flow;

	if (decl->n > 0 && assign) {
		if (!set_var(s, decl->items[0]->ident.items[0], decl->n > 1 ? first : elem))
			return FLOW_FAIL;
		if (decl->n > 1 && !set_var(s, decl->items[1]->ident.items[0], elem))
			return FLOW_FAIL;
	} else if (decl->n > 0) {
		s->vars[s->n_vars - 1].value = elem;
		if (decl->n > 1)
			s->vars[s->n_vars - 2].value = first;
	}
	flow = walk(s, elem, n->branch.list);
	s->n_vars = mark;
	return flow == FLOW_CONTINUE ? FLOW_NEXT : flow;
}

static enum flow range_list(struct exec *s, const struct tnode *n, tval list)
{
	enum flow flow = FLOW_NEXT;

	for (size_t i = 0; i < tval_len(&s->mem, list) && flow == FLOW_NEXT; i++) {
		tval index = tval_int((int64_t)i);

		flow = one_iteration(s, n, &index, tval_at(list, i));
	}
	return flow;
}

static enum flow range_map(struct exec *s, const struct tnode *n, tval map)
{
	enum flow flow = FLOW_NEXT;
	size_t count;
	const struct tentry *entries = tmap_entries(&s->mem, map, &count);

	if (count == SIZE_MAX) {
		(void)exec_nomem(s);
		return FLOW_FAIL;
	}
	for (size_t i = 0; i < count && flow == FLOW_NEXT; i++) {
		tval key = tval_inherit(tval_string(entries[i].key), map);

		flow = one_iteration(s, n, &key, entries[i].value);
	}
	return flow;
}

static enum flow range_integer(struct exec *s, const struct tnode *n, tval end)
{
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the caller has looked at the kind */
	bool is_int = tkind_is_int(end.type->kind);
	enum flow flow = FLOW_NEXT;
	uint64_t count = is_int ? (uint64_t)end.i : end.u;

	for (uint64_t i = 0; i < count && flow == FLOW_NEXT; i++) {
		tval elem = { .type = end.type };

		if (is_int)
			elem.i = (int64_t)i;
		else
			elem.u = i;
		flow = one_iteration(s, n, NULL, elem);
	}
	return flow;
}

static enum flow fail_range(struct exec *s, const char *format, tval v)
{
	(void)exec_fail(s, EINVAL, format, 1, v);
	return FLOW_FAIL;
}

static enum flow range_over(struct exec *s, const struct tnode *n, tval v, bool *empty)
{
	enum tkind kind = tval_kind(v);

	if (kind == TK_SLICE || kind == TK_MAP) {
		*empty = tval_len(&s->mem, v) == 0;
		return kind == TK_MAP ? range_map(s, n, v) : range_list(s, n, v);
	}
	if (tkind_is_int(kind) || tkind_is_uint(kind)) {
		if (n->branch.pipe->pipe.decl.n > 1)
			return fail_range(s, "can't use %v to iterate over more than one variable", v);
		*empty = tkind_is_int(kind) ? v.i <= 0 : v.u == 0;
		return *empty ? FLOW_NEXT : range_integer(s, n, v);
	}
	*empty = kind == TK_INVALID;
	return *empty ? FLOW_NEXT : fail_range(s, "range can't iterate over %v", v);
}

static enum flow walk_range(struct exec *s, tval dot, const struct tnode *n)
{
	size_t mark = s->n_vars;
	enum flow flow;
	bool empty = false;
	tval v;

	if (!eval_pipeline(s, dot, n->branch.pipe, &v))
		return FLOW_FAIL;
	flow = range_over(s, n, v, &empty);
	if (flow == FLOW_BREAK)
		flow = FLOW_NEXT;
	if (empty && n->branch.else_list)
		flow = walk(s, dot, n->branch.else_list);
	s->n_vars = mark;
	return flow;
}

static enum flow call_template(struct exec *s, tval dot, const struct ttree *tree)
{
	size_t first = s->first_var, mark = s->n_vars;
	const struct ttree *caller = s->tree;
	const struct tnode *node = s->node;
	enum flow flow;

	s->tree = tree;
	s->first_var = s->n_vars;
	s->depth++;
	flow = push_var(s, STR("$"), dot) ? walk(s, dot, tree->root) : FLOW_FAIL;
	if (flow == FLOW_FAIL)
		return flow;
	s->depth--;
	s->n_vars = mark;
	s->first_var = first;
	s->tree = caller;
	s->node = node;
	return FLOW_NEXT;
}

static enum flow walk_template(struct exec *s, tval dot, const struct tnode *n)
{
	const struct ttree *tree = strmap_get(&s->set->trees, n->text);
	tval v = tval_nil();

	if (!tree) {
		(void)exec_fail(s, EINVAL, "template %q not defined", 1, tval_string(n->text));
		return FLOW_FAIL;
	}
	if (s->depth >= s->limits->template_depth) {
		(void)exec_fail(s, E2BIG, "exceeded maximum template depth (%v)", 1,
				tval_int(s->limits->template_depth));
		return FLOW_FAIL;
	}
	if (n->branch.pipe && !eval_pipeline(s, dot, n->branch.pipe, &v))
		return FLOW_FAIL;
	return call_template(s, v, tree);
}

static enum flow walk_list(struct exec *s, tval dot, const struct tnode *n)
{
	enum flow flow = FLOW_NEXT;

	if (!enter(s))
		return FLOW_FAIL;
	for (size_t i = 0; i < n->list.n && flow == FLOW_NEXT; i++)
		flow = walk(s, dot, n->list.items[i]);
	leave(s);
	return flow;
}

static enum flow walk(struct exec *s, tval dot, const struct tnode *n)
{
	s->node = n;
	switch (n->type) {
	case NODE_ACTION:
		return print_action(s, dot, n);
	case NODE_BREAK:
		return FLOW_BREAK;
	case NODE_CONTINUE:
		return FLOW_CONTINUE;
	case NODE_IF:
	case NODE_WITH:
		return walk_if_or_with(s, dot, n);
	case NODE_LIST:
		return walk_list(s, dot, n);
	case NODE_RANGE:
		return walk_range(s, dot, n);
	case NODE_TEMPLATE:
		return walk_template(s, dot, n);
	case NODE_TEXT:
		buf_add_str(s->out, n->text);
		return check_output(s);
	default:
		(void)exec_fail(s, EINVAL, "unknown node", 0);
		return FLOW_FAIL;
	}
}

int tmpl_execute(const struct tmpl *t, val dot, const struct tmpl_env *env, struct buf *out, struct err *err)
{
	struct exec s = {
		.set = t,
		.tree = t->main,
		.node = t->main->root,
		.env = env,
		.limits = env->limits,
		.out = out,
		.err = err,
	};
	size_t max = out->max, limit = env->limits->template_output_bytes;
	tval value;

	/* The ceiling of this output is added to what the buffer holds already. */
	if (max > out->n && max - out->n > limit)
		out->max = out->n + limit;
	tmem_init(&s.mem, env->limits);
	value = val_is_map(dot) ? tval_object(&s.mem, dot) : tval_of(&dot, false);
	if (val_is_map(dot) && !value.type)
		(void)exec_nomem(&s);
	else if (push_var(&s, STR("$"), value))
		(void)walk(&s, value, t->main->root);
	if (s.code && out->error == -E2BIG)
		out->error = 0; /* the part that fitted is the partial output */
	out->max = max;
	if (env->steps)
		*env->steps += s.steps + s.mem.walked;
	free(s.vars);
	tmem_done(&s.mem);
	return s.code;
}
