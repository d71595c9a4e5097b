#include "template/tmpl.h"

#include "template/fn.h"
#include "template/tmpl_const.h"
#include "template/tmpl_lex.h"
#include "template/tmpl_node.h"

#include <errno.h>
#include <stdarg.h>

/* What all trees of one source share. */
struct source_parse {
	struct tmpl *set;
	struct tmpl_lexer lex;
	str name;
	str text;
	struct strmap trees; /* of this source: name -> struct ttree */
	uint32_t depth;
	uint32_t max_depth;
	struct buf *error_text;
	struct err *err;
	int failed; /* 0, or the negative code of the first error */
};

/* The state of one tree: text/template keeps look-ahead, variables and line of the action for each. */
struct parser {
	struct source_parse *src;
	struct ttree *tree;
	struct token token[3]; /* look-ahead */
	int peeked;
	size_t action_line; /* 0: outside an action */
	int range_depth;
	str *vars;
	size_t n_vars, cap_vars;
};

/* A growing array in the arena, for the children of a node. */
struct nodes {
	struct tnode **items;
	size_t n, cap;
};

/* ---- errors: every one ends the parse; functions return NULL from then on ---- */

static void *nomem(struct parser *p)
{
	if (!p->src->failed)
		p->src->failed = err_nomem(p->src->err);
	return NULL;
}

#define TEXT(cstr) tval_string(str_from(cstr))

/* "template: NAME:LINE: " and @format with @n arguments (tval each); the line is that of the tree's latest token. As in
 * text/template the name is part of the format: one with a % in it takes arguments. */
static void *fail(struct parser *p, int code, const char *format, size_t n, ...)
{
	struct source_parse *s = p->src;
	CLEANUP(buf_done) struct buf all = BUF_INIT(SIZE_MAX / 2);
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);
	tval args[4];
	va_list ap;

	if (s->failed)
		return NULL;
	va_start(ap, n);
	for (size_t i = 0; i < n; i++)
		args[i] = va_arg(ap, tval);
	va_end(ap);
	buf_add_cstr(&all, "template: ");
	buf_add_str(&all, s->name);
	buf_printf(&all, ":%zu: %s", p->token[0].line, format);
	tmpl_sprintf(NULL, buf_str(&all), args, n, &text);
	if (all.error || text.error)
		return nomem(p);
	if (s->error_text)
		buf_add_str(s->error_text, buf_str(&text));
	s->failed = err_set(s->err, code, "%.*s", STR_ARG(buf_str(&text)));
	return NULL;
}

static void *fail_node(struct parser *p, const char *format, const struct tnode *n)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);

	tnode_print(n, &text);
	return fail(p, EBADMSG, format, 1, tval_string(buf_str(&text)));
}

static bool ends_with_action(str s)
{
	return str_has_suffix(s, STR(" action"));
}

static void *unexpected(struct parser *p, struct token t, const char *context)
{
	CLEANUP(buf_done) struct buf token = BUF_INIT(SIZE_MAX / 2);
	CLEANUP(buf_done) struct buf extra = BUF_INIT(SIZE_MAX / 2);

	tmpl_token_print(&t, &token);
	if (t.type != TOK_ERROR)
		return fail(p, EBADMSG, "unexpected %s in %s", 2, tval_string(buf_str(&token)), TEXT(context));
	if (p->action_line != 0 && p->action_line != t.line) {
		buf_add_cstr(&extra, ends_with_action(t.val) ? " started at " : " in action started at ");
		buf_add_str(&extra, p->src->name);
		buf_printf(&extra, ":%zu", p->action_line);
	}
	return fail(p, EBADMSG, "%s%s", 2, tval_string(buf_str(&token)), tval_string(buf_str(&extra)));
}

static bool enter(struct parser *p)
{
	if (++p->src->depth <= p->src->max_depth)
		return true;
	(void)fail(p, E2BIG, "exceeded maximum nesting (%d)", 1, tval_int(p->src->max_depth));
	return false;
}

static void leave(struct parser *p)
{
	p->src->depth--;
}

/* ---- tokens ---- */

static struct token next(struct parser *p)
{
	if (p->peeked > 0)
		p->peeked--;
	else
		p->token[0] = tmpl_lex_next(&p->src->lex);
	return p->token[p->peeked];
}

static void backup(struct parser *p)
{
	p->peeked++;
}

static struct token peek(struct parser *p)
{
	if (p->peeked > 0)
		return p->token[p->peeked - 1];
	p->peeked = 1;
	p->token[0] = tmpl_lex_next(&p->src->lex);
	return p->token[0];
}

static struct token next_non_space(struct parser *p)
{
	struct token t;

	do
		t = next(p);
	while (t.type == TOK_SPACE);
	return t;
}

static struct token peek_non_space(struct parser *p)
{
	struct token t = next_non_space(p);

	backup(p);
	return t;
}

static bool expect(struct parser *p, enum tok_type type, const char *context, struct token *ret)
{
	*ret = next_non_space(p);
	if (ret->type == type)
		return true;
	(void)unexpected(p, *ret, context);
	return false;
}

/* ---- nodes ---- */

static struct tnode *new_node(struct parser *p, enum tnode_type type, size_t pos)
{
	struct tnode *n = arena_zalloc(&p->src->set->arena, sizeof(*n));

	if (!n)
		return nomem(p);
	n->type = type;
	n->pos = pos;
	n->tree = p->tree;
	return n;
}

static bool add_node(struct parser *p, struct nodes *l, struct tnode *n)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;
		struct tnode **items = arena_array(&p->src->set->arena, cap, sizeof(struct tnode *));

		if (!items) {
			(void)nomem(p);
			return false;
		}
		if (l->n)
			memcpy(items, l->items, l->n * sizeof(struct tnode *));
		l->items = items;
		l->cap = cap;
	}
	l->items[l->n++] = n;
	return true;
}

static bool push_var(struct parser *p, str name)
{
	if (p->n_vars == p->cap_vars) {
		size_t cap = p->cap_vars ? p->cap_vars * 2 : 8;
		str *vars = realloc(p->vars, cap * sizeof(str));

		if (!vars) {
			(void)nomem(p);
			return false;
		}
		p->vars = vars;
		p->cap_vars = cap;
	}
	p->vars[p->n_vars++] = name;
	return true;
}

static struct tnode *new_ident(struct parser *p, enum tnode_type type, size_t pos, const str *parts, size_t n)
{
	struct tnode *node = new_node(p, type, pos);
	str *items = node ? arena_array(&p->src->set->arena, n, sizeof(str)) : NULL;

	if (!items)
		return nomem(p);
	memcpy(items, parts, n * sizeof(str));
	node->ident = (struct tident_list){ items, n };
	return node;
}

/* {{define}} and {{block}} begin a tree of their own, with its own look-ahead and variables, on the same lexer. */
static bool start_tree(struct parser *p, struct source_parse *src)
{
	*p = (struct parser){ .src = src };
	p->tree = arena_zalloc(&src->set->arena, sizeof(*p->tree));
	if (!p->tree) {
		(void)nomem(p);
		return false;
	}
	p->tree->parse_name = src->name;
	p->tree->text = src->text;
	return push_var(p, STR("$"));
}

static void end_tree(struct parser *p)
{
	free(p->vars);
}

/* Within one source, a template that says something can be defined once. */
static void add_tree(struct parser *p)
{
	const struct ttree *old = strmap_get(&p->src->trees, p->tree->name);

	if (old && !tnode_is_empty(old->root)) {
		if (!tnode_is_empty(p->tree->root))
			(void)fail(p, EBADMSG, "template: multiple definition of template %q", 1,
				   tval_string(p->tree->name));
		return;
	}
	if (!strmap_put(&p->src->trees, p->tree->name, p->tree, NULL))
		(void)nomem(p);
}

/* ---- grammar ---- */

static struct tnode *pipeline(struct parser *p, const char *context, enum tok_type end);
static struct tnode *item_list(struct parser *p, struct tnode **ret_end);
static struct tnode *text_or_action(struct parser *p);

static bool unquote(struct parser *p, str quoted, str *ret)
{
	if (tmpl_unquote(&p->src->set->arena, quoted, ret))
		return true;
	if (ret->p)
		(void)fail(p, EBADMSG, "%s", 1, TEXT("invalid syntax"));
	else
		(void)nomem(p);
	return false;
}

static struct tnode *use_variable(struct parser *p, struct token t)
{
	for (size_t i = 0; i < p->n_vars; i++) {
		if (str_eq(p->vars[i], t.val))
			return new_ident(p, NODE_VARIABLE, t.pos, &t.val, 1);
	}
	return fail(p, EBADMSG, "undefined variable %q", 1, tval_string(t.val));
}

static struct tnode *identifier(struct parser *p, struct token t)
{
	const struct tmpl_fn *fn = tmpl_fn_find(t.val);
	struct tnode *n;

	if (!fn)
		return fail(p, EBADMSG, "function %q not defined", 1, tval_string(t.val));
	n = new_node(p, NODE_IDENTIFIER, t.pos);
	if (n) {
		n->text = t.val;
		n->fn = fn;
	}
	return n;
}

static struct tnode *number(struct parser *p, struct token t)
{
	struct tnode *n = new_node(p, NODE_NUMBER, t.pos);
	CLEANUP(buf_done) struct buf why = BUF_INIT(SIZE_MAX / 2);
	int r;

	if (!n)
		return NULL;
	n->text = t.val;
	n->number = arena_zalloc(&p->src->set->arena, sizeof(*n->number));
	if (!n->number)
		return nomem(p);
	r = tmpl_number(t.val, t.type, n->number, &why);
	if (r == -ENOMEM)
		return nomem(p);
	if (r < 0)
		return fail(p, EBADMSG, "%s", 1, tval_string(buf_str(&why)));
	return n;
}

static struct tnode *string(struct parser *p, struct token t)
{
	struct tnode *n = new_node(p, NODE_STRING, t.pos);

	if (!n || !unquote(p, t.val, &n->string))
		return NULL;
	n->text = t.val;
	return n;
}

/* literal | function | "." | .Field | $ | "(" pipeline ")"; NULL without failure: the next token is no term. */
static struct tnode *term(struct parser *p)
{
	struct token t = next_non_space(p);
	struct tnode *n;
	str name;

	switch (t.type) {
	case TOK_IDENTIFIER:
		return identifier(p, t);
	case TOK_DOT:
		return new_node(p, NODE_DOT, t.pos);
	case TOK_NIL:
		return new_node(p, NODE_NIL, t.pos);
	case TOK_VARIABLE:
		return use_variable(p, t);
	case TOK_FIELD:
		name = str_sub(t.val, 1, t.val.n);
		return new_ident(p, NODE_FIELD, t.pos, &name, 1);
	case TOK_BOOL:
		n = new_node(p, NODE_BOOL, t.pos);
		if (n)
			n->is_true = str_eq(t.val, STR("true"));
		return n;
	case TOK_CHAR_CONSTANT:
	case TOK_COMPLEX:
	case TOK_NUMBER:
		return number(p, t);
	case TOK_LEFT_PAREN:
		return pipeline(p, "parenthesized pipeline", TOK_RIGHT_PAREN);
	case TOK_STRING:
	case TOK_RAW_STRING:
		return string(p, t);
	default:
		backup(p);
		return NULL;
	}
}

static struct tnode *chain(struct parser *p, struct tnode *node, size_t pos, const str *fields, size_t n)
{
	struct tnode *c;

	switch (node->type) {
	case NODE_FIELD:
	case NODE_VARIABLE:
		return new_ident(p, node->type, pos, fields, n);
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_NUMBER:
	case NODE_NIL:
	case NODE_DOT:
		return fail_node(p, "unexpected . after term %q", node);
	default:
		break;
	}
	c = new_ident(p, NODE_CHAIN, pos, fields + 1, n - 1);
	if (c) {
		struct tident_list field = c->ident;

		c->chain.node = node;
		c->chain.field = field;
	}
	return c;
}

/* term .Field*     fields[0] is the name of a field or variable that the chain extends. */
static struct tnode *operand(struct parser *p)
{
	struct tnode *node = term(p);
	CLEANUP(freep) str *fields = NULL;
	size_t n = 1, cap = 0, pos;

	if (!node || peek(p).type != TOK_FIELD)
		return node;
	pos = peek(p).pos;
	while (peek(p).type == TOK_FIELD) {
		struct token t = next(p);

		if (n >= cap) {
			str *more = realloc(fields, (cap = n * 2 + 4) * sizeof(str));

			if (!more)
				return nomem(p);
			fields = more;
		}
		fields[n++] = str_sub(t.val, 1, t.val.n);
	}
	fields[0] = node->type == NODE_FIELD || node->type == NODE_VARIABLE ? node->ident.items[0] : STR("");
	return chain(p, node, pos, fields, n);
}

/* operand (space operand)*     up to and including a "|", or up to the end of the pipeline */
static struct tnode *command(struct parser *p)
{
	struct tnode *cmd = new_node(p, NODE_COMMAND, peek_non_space(p).pos);
	struct nodes args = { 0 };
	bool more = cmd != NULL;

	while (more) {
		struct tnode *n;
		struct token t;

		(void)peek_non_space(p);
		n = operand(p);
		if (p->src->failed || (n && !add_node(p, &args, n)))
			return NULL;
		t = next(p);
		more = t.type == TOK_SPACE;
		if (t.type == TOK_RIGHT_DELIM || t.type == TOK_RIGHT_PAREN)
			backup(p);
		else if (t.type != TOK_SPACE && t.type != TOK_PIPE)
			return unexpected(p, t, "operand");
	}
	if (!cmd)
		return NULL;
	if (args.n == 0)
		return fail(p, EBADMSG, "empty command", 0);
	cmd->list = (struct tnode_list){ args.items, args.n };
	return cmd;
}

static bool declare(struct parser *p, struct nodes *decl, struct token v)
{
	struct tnode *n = new_ident(p, NODE_VARIABLE, v.pos, &v.val, 1);

	return n && add_node(p, decl, n) && push_var(p, v.val);
}

/* $x :=   $x =   $i, $x :=     Whether another declaration follows is in *again. */
static bool declaration(struct parser *p, const char *context, struct nodes *decl, bool *is_assign, bool *again)
{
	struct token v = peek_non_space(p), after, t;

	*again = false;
	if (v.type != TOK_VARIABLE)
		return true;
	(void)next(p);
	/* Space is a token: "$x foo" needs three tokens of look-ahead to see that $x is an argument. */
	after = peek(p);
	t = peek_non_space(p);
	if (t.type == TOK_ASSIGN || t.type == TOK_DECLARE) {
		*is_assign = t.type == TOK_ASSIGN;
		(void)next_non_space(p);
		return declare(p, decl, v);
	}
	if (t.type == TOK_CHAR && str_eq(t.val, STR(","))) {
		enum tok_type type;

		(void)next_non_space(p);
		if (!declare(p, decl, v))
			return false;
		if (strcmp(context, "range") == 0 && decl->n < 2) {
			type = peek_non_space(p).type;
			*again = type == TOK_VARIABLE || type == TOK_RIGHT_DELIM || type == TOK_RIGHT_PAREN;
			if (!*again)
				(void)fail(p, EBADMSG, "range can only initialize variables", 0);
			return *again;
		}
		(void)fail(p, EBADMSG, "too many declarations in %s", 1, TEXT(context));
		return false;
	}
	if (after.type == TOK_SPACE) {
		p->token[1] = after;
		p->token[2] = v;
		p->peeked = 3;
	} else {
		p->token[1] = v;
		p->peeked = 2;
	}
	return true;
}

static bool is_constant(enum tnode_type t)
{
	return t == NODE_BOOL || t == NODE_DOT || t == NODE_NIL || t == NODE_NUMBER || t == NODE_STRING;
}

static struct tnode *check_pipeline(struct parser *p, struct tnode *pipe, const char *context)
{
	if (pipe->pipe.cmds.n == 0)
		return fail(p, EBADMSG, "missing value for %s", 1, TEXT(context));
	for (size_t i = 1; i < pipe->pipe.cmds.n; i++) {
		if (is_constant(pipe->pipe.cmds.items[i]->list.items[0]->type))
			return fail(p, EBADMSG, "non executable command in pipeline stage %d", 1,
				    tval_int((int64_t)i + 1));
	}
	return pipe;
}

static bool commands(struct parser *p, struct nodes *cmds, const char *context, enum tok_type end)
{
	for (;;) {
		struct token t = next_non_space(p);
		struct tnode *cmd;

		if (t.type == end)
			return true;
		switch (t.type) {
		case TOK_BOOL:
		case TOK_CHAR_CONSTANT:
		case TOK_COMPLEX:
		case TOK_DOT:
		case TOK_FIELD:
		case TOK_IDENTIFIER:
		case TOK_NUMBER:
		case TOK_NIL:
		case TOK_RAW_STRING:
		case TOK_STRING:
		case TOK_VARIABLE:
		case TOK_LEFT_PAREN:
			backup(p);
			cmd = command(p);
			if (!cmd || !add_node(p, cmds, cmd))
				return false;
			break;
		default:
			(void)unexpected(p, t, context);
			return false;
		}
	}
}

/* declarations? command ("|" command)* */
static struct tnode *pipeline(struct parser *p, const char *context, enum tok_type end)
{
	struct tnode *pipe = new_node(p, NODE_PIPE, peek_non_space(p).pos);
	struct nodes decl = { 0 }, cmds = { 0 };
	bool again = true;

	if (!pipe || !enter(p))
		return NULL;
	while (again) {
		if (!declaration(p, context, &decl, &pipe->pipe.is_assign, &again))
			return NULL;
	}
	if (!commands(p, &cmds, context, end))
		return NULL;
	leave(p);
	pipe->pipe.decl = (struct tnode_list){ decl.items, decl.n };
	pipe->pipe.cmds = (struct tnode_list){ cmds.items, cmds.n };
	return check_pipeline(p, pipe, context);
}

static struct tnode *branch(struct parser *p, enum tnode_type type, const char *context);

/* What follows {{else}}: a list up to {{end}}, or for "else if" and "else with" a list of that one branch, whose
 * {{end}} ends this one too. */
static struct tnode *else_list(struct parser *p, enum tnode_type type, const char *context, size_t pos)
{
	enum tok_type keyword = type == NODE_IF ? TOK_IF : TOK_WITH;
	struct tnode *list, *n, *end;

	if ((type == NODE_IF || type == NODE_WITH) && peek(p).type == keyword) {
		struct nodes nodes = { 0 };

		(void)next(p);
		list = new_node(p, NODE_LIST, pos);
		n = list ? branch(p, type, context) : NULL;
		if (!n || !add_node(p, &nodes, n))
			return NULL;
		list->list = (struct tnode_list){ nodes.items, nodes.n };
		return list;
	}
	list = item_list(p, &end);
	if (!list)
		return NULL;
	return end->type == NODE_END ? list : fail_node(p, "expected end; found %s", end);
}

/* {{if pipeline}} list ({{else}} list)? {{end}}, the same for with and range. The keyword has been read. */
static struct tnode *branch(struct parser *p, enum tnode_type type, const char *context)
{
	size_t mark = p->n_vars;
	struct tnode *pipe, *n, *end;

	if (!enter(p))
		return NULL;
	pipe = pipeline(p, context, TOK_RIGHT_DELIM);
	n = pipe ? new_node(p, type, pipe->pos) : NULL;
	if (!n)
		return NULL;
	n->branch.pipe = pipe;
	p->range_depth += type == NODE_RANGE;
	n->branch.list = item_list(p, &end);
	p->range_depth -= type == NODE_RANGE;
	if (!n->branch.list)
		return NULL;
	if (end->type == NODE_ELSE) {
		n->branch.else_list = else_list(p, type, context, end->pos);
		if (!n->branch.else_list)
			return NULL;
	}
	p->n_vars = mark;
	leave(p);
	return n;
}

static struct tnode *jump(struct parser *p, struct token keyword, enum tnode_type type)
{
	bool is_break = type == NODE_BREAK;
	struct token t = next_non_space(p);

	if (t.type != TOK_RIGHT_DELIM)
		return unexpected(p, t, is_break ? "{{break}}" : "{{continue}}");
	if (p->range_depth == 0)
		return fail(p, EBADMSG, is_break ? "{{break}} outside {{range}}" : "{{continue}} outside {{range}}", 0);
	return new_node(p, type, keyword.pos);
}

static struct tnode *else_control(struct parser *p)
{
	struct token t = peek_non_space(p);

	if (t.type == TOK_IF || t.type == TOK_WITH)
		return new_node(p, NODE_ELSE, t.pos);
	if (!expect(p, TOK_RIGHT_DELIM, "else", &t))
		return NULL;
	return new_node(p, NODE_ELSE, t.pos);
}

static bool template_name(struct parser *p, struct token t, const char *context, str *ret)
{
	if (t.type == TOK_STRING || t.type == TOK_RAW_STRING)
		return unquote(p, t.val, ret);
	(void)unexpected(p, t, context);
	return false;
}

/* {{template "name" pipeline?}} */
static struct tnode *template_control(struct parser *p)
{
	struct token t = next_non_space(p);
	struct tnode *n;
	str name;

	if (!template_name(p, t, "template clause", &name))
		return NULL;
	n = new_node(p, NODE_TEMPLATE, t.pos);
	if (!n)
		return NULL;
	n->text = name;
	if (next_non_space(p).type == TOK_RIGHT_DELIM)
		return n;
	backup(p);
	n->branch.pipe = pipeline(p, "template clause", TOK_RIGHT_DELIM);
	return n->branch.pipe ? n : NULL;
}

/* {{block "name" pipeline}} list {{end}}: a definition and its call. */
static struct tnode *block_control(struct parser *p)
{
	static const char context[] = "block clause";
	struct token t = next_non_space(p);
	struct tnode *n, *end = NULL;
	struct parser sub;
	str name;

	if (!template_name(p, t, context, &name))
		return NULL;
	n = new_node(p, NODE_TEMPLATE, t.pos);
	if (!n || !enter(p))
		return NULL;
	n->text = name;
	n->branch.pipe = pipeline(p, context, TOK_RIGHT_DELIM);
	if (!n->branch.pipe)
		return NULL;
	if (start_tree(&sub, p->src)) {
		sub.tree->name = name;
		sub.tree->root = item_list(&sub, &end);
		if (sub.tree->root && end->type != NODE_END)
			(void)fail_node(p, "unexpected %s in block clause", end);
		else if (sub.tree->root)
			add_tree(&sub);
	}
	end_tree(&sub);
	leave(p);
	return p->src->failed ? NULL : n;
}

/* The left delimiter has been read. */
static struct tnode *action(struct parser *p)
{
	struct token t = next_non_space(p);
	struct tnode *n;

	switch (t.type) {
	case TOK_BLOCK:
		return block_control(p);
	case TOK_BREAK:
		return jump(p, t, NODE_BREAK);
	case TOK_CONTINUE:
		return jump(p, t, NODE_CONTINUE);
	case TOK_ELSE:
		return else_control(p);
	case TOK_END:
		return expect(p, TOK_RIGHT_DELIM, "end", &t) ? new_node(p, NODE_END, t.pos) : NULL;
	case TOK_IF:
		return branch(p, NODE_IF, "if");
	case TOK_RANGE:
		return branch(p, NODE_RANGE, "range");
	case TOK_TEMPLATE:
		return template_control(p);
	case TOK_WITH:
		return branch(p, NODE_WITH, "with");
	default:
		break;
	}
	backup(p);
	n = new_node(p, NODE_ACTION, peek(p).pos);
	if (!n)
		return NULL;
	n->branch.pipe = pipeline(p, "command", TOK_RIGHT_DELIM);
	return n->branch.pipe ? n : NULL;
}

/* text | action */
static struct tnode *text_or_action(struct parser *p)
{
	struct token t = next_non_space(p);
	struct tnode *n;

	if (t.type == TOK_TEXT) {
		n = new_node(p, NODE_TEXT, t.pos);
		if (n)
			n->text = t.val;
		return n;
	}
	if (t.type != TOK_LEFT_DELIM)
		return unexpected(p, t, "input");
	p->action_line = t.line;
	n = action(p);
	p->action_line = 0;
	return n;
}

/* text_or_action* up to {{end}} or {{else}}, which comes back in *ret_end */
static struct tnode *item_list(struct parser *p, struct tnode **ret_end)
{
	struct tnode *list = new_node(p, NODE_LIST, peek_non_space(p).pos);
	struct nodes nodes = { 0 };

	while (list && peek_non_space(p).type != TOK_EOF) {
		struct tnode *n = text_or_action(p);

		if (!n)
			return NULL;
		if (n->type == NODE_END || n->type == NODE_ELSE) {
			list->list = (struct tnode_list){ nodes.items, nodes.n };
			*ret_end = n;
			return list;
		}
		if (!add_node(p, &nodes, n))
			return NULL;
	}
	return list ? fail(p, EBADMSG, "unexpected EOF", 0) : NULL;
}

/* {{define "name"}} list {{end}}; the keyword has been read. */
static void definition(struct source_parse *src)
{
	struct parser p;
	struct tnode *end = NULL;
	struct token t;

	if (start_tree(&p, src)) {
		t = next_non_space(&p);
		if (template_name(&p, t, "define clause", &p.tree->name) &&
		    expect(&p, TOK_RIGHT_DELIM, "define clause", &t)) {
			p.tree->root = item_list(&p, &end);
			if (p.tree->root && end->type != NODE_END)
				(void)fail_node(&p, "unexpected %s in define clause", end);
			else if (p.tree->root)
				add_tree(&p);
		}
	}
	end_tree(&p);
}

static void top_level(struct parser *p)
{
	struct nodes nodes = { 0 };

	p->tree->root = new_node(p, NODE_LIST, peek(p).pos);
	while (!p->src->failed && peek(p).type != TOK_EOF) {
		struct tnode *n;

		if (peek(p).type == TOK_LEFT_DELIM) {
			struct token delim = next(p);

			if (next_non_space(p).type == TOK_DEFINE) {
				definition(p->src);
				continue;
			}
			p->token[1] = delim;
			p->peeked = 2;
		}
		n = text_or_action(p);
		if (n && (n->type == NODE_END || n->type == NODE_ELSE))
			(void)fail_node(p, "unexpected %s", n);
		else if (n)
			(void)add_node(p, &nodes, n);
	}
	if (p->src->failed)
		return;
	p->tree->root->list = (struct tnode_list){ nodes.items, nodes.n };
	add_tree(p);
}

/* Templates of a later source replace those of an earlier one, unless they are empty. */
static int merge_trees(struct tmpl *set, const struct source_parse *s, struct err *err)
{
	const struct strmap_entry *e;
	size_t at = 0;

	while ((e = strmap_each(&s->trees, &at))) {
		struct ttree *tree = e->value;

		if (strmap_has(&set->trees, tree->name) && tnode_is_empty(tree->root))
			continue;
		if (!strmap_put(&set->trees, tree->name, tree, NULL))
			return err_nomem(err);
		/* A define of the main template's name in another source makes another template of that name. */
		if (str_eq(tree->name, set->name) && str_eq(s->name, set->name))
			set->main = tree;
	}
	return 0;
}

static int parse_source(struct tmpl *set, const struct tmpl_source *source, const struct limits *limits,
			struct buf *error_text, struct err *err)
{
	struct source_parse s = {
		.set = set, .max_depth = limits->template_nesting, .error_text = error_text, .err = err
	};
	struct parser p;
	int r = 0;

	if (source->text.n > limits->file_bytes)
		return err_set(err, E2BIG, "template '%.*s' is larger than %zu bytes", STR_ARG(source->name),
			       limits->file_bytes);
	s.name = arena_str(&set->arena, source->name);
	s.text = arena_str(&set->arena, source->text);
	if (!s.name.p || !s.text.p)
		return err_nomem(err);
	tmpl_lex_init(&s.lex, s.text);
	if (start_tree(&p, &s)) {
		p.tree->name = s.name;
		top_level(&p);
	}
	end_tree(&p);
	r = s.failed ? s.failed : merge_trees(set, &s, err);
	strmap_done(&s.trees);
	return r;
}

int tmpl_parse(const struct tmpl_source *sources, size_t n, const struct limits *limits, struct tmpl **ret,
	       struct buf *error_text, struct err *err)
{
	CLEANUP(tmpl_freep) struct tmpl *set = calloc(1, sizeof(*set));
	int r;

	if (!set)
		return err_nomem(err);
	arena_init(&set->arena, 0, 0);
	if (n == 0)
		return err_set(err, EINVAL, "no template");
	set->name = arena_str(&set->arena, sources[0].name);
	if (!set->name.p)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++) {
		r = parse_source(set, &sources[i], limits, error_text, err);
		if (r < 0)
			return r;
	}
	*ret = TAKE(set);
	return 0;
}

void tmpl_free(struct tmpl *t)
{
	if (!t)
		return;
	strmap_done(&t->trees);
	arena_done(&t->arena);
	free(t);
}

str tmpl_name(const struct tmpl *t)
{
	return t->name;
}

void tmpl_print_tree(const struct tmpl *t, struct buf *out)
{
	tnode_print(t->main->root, out);
}

bool tmpl_print_named(const struct tmpl *t, str name, struct buf *out)
{
	const struct ttree *tree = strmap_get(&t->trees, name);

	if (tree)
		tnode_print(tree->root, out);
	return tree != NULL;
}

bool tmpl_name_at(const struct tmpl *t, size_t i, str *name)
{
	const struct strmap_entry *e, *best = NULL;
	str last = { NULL, 0 };

	/* Selection by rank: sets are small, and this is for display. */
	for (size_t rank = 0; rank <= i; rank++) {
		size_t at = 0;

		best = NULL;
		while ((e = strmap_each(&t->trees, &at))) {
			str key = { e->key, e->n };

			if (last.p && str_cmp(key, last) <= 0)
				continue;
			if (!best || str_cmp(key, (str){ best->key, best->n }) < 0)
				best = e;
		}
		if (!best)
			return false;
		last = (str){ best->key, best->n };
	}
	*name = last;
	return true;
}
