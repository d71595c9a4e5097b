/* The grammar of templates: recursive descent over the lexer's tokens. */
#include "template/tmpl_parse.h"

#include "go/quote.h"
#include "template/tmpl_const.h"
#include "template/tmpl_functions.h"
#include "text/re2.h"

#include <errno.h>

static struct tnode *pipeline(struct parser *p, const char *context, enum tok_type end);
static struct tnode *item_list(struct parser *p, struct tnode **ret_end);
static struct tnode *text_or_action(struct parser *p);

static bool unquote(struct parser *p, str quoted, str *ret)
{
	int r = go_unquote(quoted, &p->src->set->arena, ret);

	if (r == -ENOMEM)
		(void)parser_nomem(p);
	else if (r < 0)
		(void)parser_fail(p, EBADMSG, "%s", 1, PARSER_TEXT("invalid syntax"));
	return r == 0;
}

static struct tnode *use_variable(struct parser *p, struct token t)
{
	for (size_t i = 0; i < p->n_vars; i++) {
		if (str_eq(p->vars[i], t.val))
			return parser_new_ident(p, NODE_VARIABLE, t.pos, &t.val, 1);
	}
	return parser_fail(p, EBADMSG, "undefined variable %q", 1, tval_string(t.val));
}

static struct tnode *identifier(struct parser *p, struct token t)
{
	const struct tmpl_fn *fn = tmpl_fn_find(p->src->functions, t.val);
	struct tnode *n;

	if (!fn)
		return parser_fail(p, EBADMSG, "function %q not defined", 1, tval_string(t.val));
	n = parser_new_node(p, NODE_IDENTIFIER, t.pos);
	if (n) {
		n->text = t.val;
		n->function.fn = fn;
	}
	return n;
}

static struct tnode *number(struct parser *p, struct token t)
{
	struct tnode *n = parser_new_node(p, NODE_NUMBER, t.pos);
	CLEANUP(buf_done) struct buf why = BUF_INIT(SIZE_MAX / 2);
	int r;

	if (!n)
		return NULL;
	n->text = t.val;
	n->number = arena_zalloc(&p->src->set->arena, sizeof(*n->number));
	if (!n->number)
		return parser_nomem(p);
	r = tmpl_number(t.val, t.type, n->number, &why);
	if (r == -ENOMEM)
		return parser_nomem(p);
	if (r < 0)
		return parser_fail(p, EBADMSG, "%s", 1, tval_string(buf_str(&why)));
	return n;
}

static struct tnode *string(struct parser *p, struct token t)
{
	struct tnode *n = parser_new_node(p, NODE_STRING, t.pos);

	if (!n || !unquote(p, t.val, &n->string))
		return NULL;
	n->text = t.val;
	return n;
}

/* literal | function | "." | .Field | $ | "(" pipeline ")"; NULL without failure: the next token is no term. */
static struct tnode *term(struct parser *p)
{
	struct token t = parser_next_non_space(p);
	struct tnode *n;
	str name;

	switch (t.type) {
	case TOK_IDENTIFIER:
		return identifier(p, t);
	case TOK_DOT:
		return parser_new_node(p, NODE_DOT, t.pos);
	case TOK_NIL:
		return parser_new_node(p, NODE_NIL, t.pos);
	case TOK_VARIABLE:
		return use_variable(p, t);
	case TOK_FIELD:
		name = str_sub(t.val, 1, t.val.n);
		return parser_new_ident(p, NODE_FIELD, t.pos, &name, 1);
	case TOK_BOOL:
		n = parser_new_node(p, NODE_BOOL, t.pos);
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
		parser_backup(p);
		return NULL;
	}
}

static struct tnode *chain(struct parser *p, struct tnode *node, size_t pos, const str *fields, size_t n)
{
	struct tnode *c;

	switch (node->type) {
	case NODE_FIELD:
	case NODE_VARIABLE:
		return parser_new_ident(p, node->type, pos, fields, n);
	case NODE_BOOL:
	case NODE_STRING:
	case NODE_NUMBER:
	case NODE_NIL:
	case NODE_DOT:
		return parser_fail_node(p, "unexpected . after term %q", node);
	default:
		break;
	}
	c = parser_new_ident(p, NODE_CHAIN, pos, fields + 1, n - 1);
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

	if (!node || parser_peek(p).type != TOK_FIELD)
		return node;
	pos = parser_peek(p).pos;
	while (parser_peek(p).type == TOK_FIELD) {
		struct token t = parser_next(p);

		if (n >= cap) {
			str *more = realloc(fields, (cap = n * 2 + 4) * sizeof(str));

			if (!more)
				return parser_nomem(p);
			fields = more;
		}
		fields[n++] = str_sub(t.val, 1, t.val.n);
	}
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): the loop ran at least once */
	fields[0] = node->type == NODE_FIELD || node->type == NODE_VARIABLE ? node->ident.items[0] : STR("");
	return chain(p, node, pos, fields, n);
}

/* Compile a constant regular expression, once for each text. A bad one is an error of the call, if it is ever
 * executed. */
static bool compile_pattern(struct parser *p, struct tnode *name, str text)
{
	struct tmpl *set = p->src->set;
	struct re2 *re = strmap_get(&set->patterns, text);
	struct err err;
	int r;

	if (!re) {
		r = re2_compile(text, p->src->limits, &re, NULL, &err);
		if (r == -EBADMSG || r == -E2BIG)
			return true;
		if (r < 0 || !strmap_put(&set->patterns, text, re, NULL)) {
			re2_free(re);
			(void)parser_nomem(p);
			return false;
		}
	}
	name->function.pattern = re;
	return true;
}

static bool finish_command(struct parser *p, struct tnode *cmd, const struct nodes *words)
{
	struct tnode *first = words->items[0], *second = words->n > 1 ? words->items[1] : NULL;
	const struct tmpl_functions *f = p->src->functions;

	cmd->list = (struct tnode_list){ words->items, words->n };
	if (first->type != NODE_IDENTIFIER || !second || second->type != NODE_STRING || !f || !f->takes_pattern ||
	    !f->takes_pattern(first->function.fn))
		return true;
	return compile_pattern(p, first, second->string);
}

/* operand (space operand)*     up to and including a "|", or up to the end of the pipeline */
static struct tnode *command(struct parser *p)
{
	struct tnode *cmd = parser_new_node(p, NODE_COMMAND, parser_peek_non_space(p).pos);
	struct nodes args = { 0 };
	bool more = cmd != NULL;

	while (more) {
		struct tnode *n;
		struct token t;

		(void)parser_peek_non_space(p);
		n = operand(p);
		if (p->src->failed || (n && !parser_add_node(p, &args, n)))
			return NULL;
		t = parser_next(p);
		more = t.type == TOK_SPACE;
		if (t.type == TOK_RIGHT_DELIM || t.type == TOK_RIGHT_PAREN)
			parser_backup(p);
		else if (t.type != TOK_SPACE && t.type != TOK_PIPE)
			return parser_unexpected(p, t, "operand");
	}
	if (!cmd)
		return NULL;
	if (args.n == 0)
		return parser_fail(p, EBADMSG, "empty command", 0);
	return finish_command(p, cmd, &args) ? cmd : NULL;
}

static bool declare(struct parser *p, struct nodes *decl, struct token v)
{
	struct tnode *n = parser_new_ident(p, NODE_VARIABLE, v.pos, &v.val, 1);

	return n && parser_add_node(p, decl, n) && parser_push_var(p, v.val);
}

/* $x :=   $x =   $i, $x :=     Whether another declaration follows is in *again. */
static bool declaration(struct parser *p, const char *context, struct nodes *decl, bool *is_assign, bool *again)
{
	struct token v = parser_peek_non_space(p), after, t;

	*again = false;
	if (v.type != TOK_VARIABLE)
		return true;
	(void)parser_next(p);
	/* Space is a token: "$x foo" needs three tokens of look-ahead to see that $x is an argument. */
	after = parser_peek(p);
	t = parser_peek_non_space(p);
	if (t.type == TOK_ASSIGN || t.type == TOK_DECLARE) {
		*is_assign = t.type == TOK_ASSIGN;
		(void)parser_next_non_space(p);
		return declare(p, decl, v);
	}
	if (t.type == TOK_CHAR && str_eq(t.val, STR(","))) {
		enum tok_type type;

		(void)parser_next_non_space(p);
		if (!declare(p, decl, v))
			return false;
		if (strcmp(context, "range") == 0 && decl->n < 2) {
			type = parser_peek_non_space(p).type;
			*again = type == TOK_VARIABLE || type == TOK_RIGHT_DELIM || type == TOK_RIGHT_PAREN;
			if (!*again)
				(void)parser_fail(p, EBADMSG, "range can only initialize variables", 0);
			return *again;
		}
		(void)parser_fail(p, EBADMSG, "too many declarations in %s", 1, PARSER_TEXT(context));
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
		return parser_fail(p, EBADMSG, "missing value for %s", 1, PARSER_TEXT(context));
	for (size_t i = 1; i < pipe->pipe.cmds.n; i++) {
		if (is_constant(pipe->pipe.cmds.items[i]->list.items[0]->type))
			return parser_fail(p, EBADMSG, "non executable command in pipeline stage %d", 1,
					   tval_int((int64_t)i + 1));
	}
	return pipe;
}

static bool commands(struct parser *p, struct nodes *cmds, const char *context, enum tok_type end)
{
	for (;;) {
		struct token t = parser_next_non_space(p);
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
			parser_backup(p);
			cmd = command(p);
			if (!cmd || !parser_add_node(p, cmds, cmd))
				return false;
			break;
		default:
			(void)parser_unexpected(p, t, context);
			return false;
		}
	}
}

/* declarations? command ("|" command)* */
static struct tnode *pipeline(struct parser *p, const char *context, enum tok_type end)
{
	struct tnode *pipe = parser_new_node(p, NODE_PIPE, parser_peek_non_space(p).pos);
	struct nodes decl = { 0 }, cmds = { 0 };
	bool again = true;

	if (!pipe || !parser_enter(p))
		return NULL;
	while (again) {
		if (!declaration(p, context, &decl, &pipe->pipe.is_assign, &again))
			return NULL;
	}
	if (!commands(p, &cmds, context, end))
		return NULL;
	parser_leave(p);
	pipe->pipe.decl = (struct tnode_list){ decl.items, decl.n };
	pipe->pipe.cmds = (struct tnode_list){ cmds.items, cmds.n };
	return check_pipeline(p, pipe, context);
}

static struct tnode *branch(struct parser *p, enum tnode_type type, const char *context);

/* Read the rest behind {{else}}: a list up to {{end}} or, for "else if" and "else with", a list of that one branch,
 * whose {{end}} ends this branch too. */
static struct tnode *else_list(struct parser *p, enum tnode_type type, const char *context, size_t pos)
{
	enum tok_type keyword = type == NODE_IF ? TOK_IF : TOK_WITH;
	struct tnode *list, *n, *end;

	if ((type == NODE_IF || type == NODE_WITH) && parser_peek(p).type == keyword) {
		struct nodes nodes = { 0 };

		(void)parser_next(p);
		list = parser_new_node(p, NODE_LIST, pos);
		n = list ? branch(p, type, context) : NULL;
		if (!n || !parser_add_node(p, &nodes, n))
			return NULL;
		list->list = (struct tnode_list){ nodes.items, nodes.n };
		return list;
	}
	list = item_list(p, &end);
	if (!list)
		return NULL;
	return end->type == NODE_END ? list : parser_fail_node(p, "expected end; found %s", end);
}

/* {{if pipeline}} list ({{else}} list)? {{end}}, and likewise with and range. The keyword has been read. */
static struct tnode *branch(struct parser *p, enum tnode_type type, const char *context)
{
	size_t mark = p->n_vars;
	struct tnode *pipe, *n, *end;

	if (!parser_enter(p))
		return NULL;
	pipe = pipeline(p, context, TOK_RIGHT_DELIM);
	n = pipe ? parser_new_node(p, type, pipe->pos) : NULL;
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
	parser_leave(p);
	return n;
}

static struct tnode *jump(struct parser *p, struct token keyword, enum tnode_type type)
{
	bool is_break = type == NODE_BREAK;
	struct token t = parser_next_non_space(p);

	if (t.type != TOK_RIGHT_DELIM)
		return parser_unexpected(p, t, is_break ? "{{break}}" : "{{continue}}");
	if (p->range_depth == 0)
		return parser_fail(p, EBADMSG,
				   is_break ? "{{break}} outside {{range}}" : "{{continue}} outside {{range}}", 0);
	return parser_new_node(p, type, keyword.pos);
}

static struct tnode *else_control(struct parser *p)
{
	struct token t = parser_peek_non_space(p);

	if (t.type == TOK_IF || t.type == TOK_WITH)
		return parser_new_node(p, NODE_ELSE, t.pos);
	if (!parser_expect(p, TOK_RIGHT_DELIM, "else", &t))
		return NULL;
	return parser_new_node(p, NODE_ELSE, t.pos);
}

static bool template_name(struct parser *p, struct token t, const char *context, str *ret)
{
	if (t.type == TOK_STRING || t.type == TOK_RAW_STRING)
		return unquote(p, t.val, ret);
	(void)parser_unexpected(p, t, context);
	return false;
}

/* {{template "name" pipeline?}} */
static struct tnode *template_control(struct parser *p)
{
	struct token t = parser_next_non_space(p);
	struct tnode *n;
	str name;

	if (!template_name(p, t, "template clause", &name))
		return NULL;
	n = parser_new_node(p, NODE_TEMPLATE, t.pos);
	if (!n)
		return NULL;
	n->text = name;
	if (parser_next_non_space(p).type == TOK_RIGHT_DELIM)
		return n;
	parser_backup(p);
	n->branch.pipe = pipeline(p, "template clause", TOK_RIGHT_DELIM);
	return n->branch.pipe ? n : NULL;
}

/* {{block "name" pipeline}} list {{end}}: a definition and its call. */
static struct tnode *block_control(struct parser *p)
{
	static const char context[] = "block clause";
	struct token t = parser_next_non_space(p);
	struct tnode *n, *end = NULL;
	struct parser sub;
	str name;

	if (!template_name(p, t, context, &name))
		return NULL;
	n = parser_new_node(p, NODE_TEMPLATE, t.pos);
	if (!n || !parser_enter(p))
		return NULL;
	n->text = name;
	n->branch.pipe = pipeline(p, context, TOK_RIGHT_DELIM);
	if (!n->branch.pipe)
		return NULL;
	if (parser_start_tree(&sub, p->src)) {
		sub.tree->name = name;
		sub.tree->root = item_list(&sub, &end);
		if (sub.tree->root && end->type != NODE_END)
			(void)parser_fail_node(p, "unexpected %s in block clause", end);
		else if (sub.tree->root)
			parser_add_tree(&sub);
	}
	parser_end_tree(&sub);
	parser_leave(p);
	return p->src->failed ? NULL : n;
}

/* Read an action, behind its left delimiter. */
static struct tnode *action(struct parser *p)
{
	struct token t = parser_next_non_space(p);
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
		return parser_expect(p, TOK_RIGHT_DELIM, "end", &t) ? parser_new_node(p, NODE_END, t.pos) : NULL;
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
	parser_backup(p);
	n = parser_new_node(p, NODE_ACTION, parser_peek(p).pos);
	if (!n)
		return NULL;
	n->branch.pipe = pipeline(p, "command", TOK_RIGHT_DELIM);
	return n->branch.pipe ? n : NULL;
}

/* text | action */
static struct tnode *text_or_action(struct parser *p)
{
	struct token t = parser_next_non_space(p);
	struct tnode *n;

	if (t.type == TOK_TEXT) {
		n = parser_new_node(p, NODE_TEXT, t.pos);
		if (n)
			n->text = t.val;
		return n;
	}
	if (t.type != TOK_LEFT_DELIM)
		return parser_unexpected(p, t, "input");
	p->action_line = t.line;
	n = action(p);
	p->action_line = 0;
	return n;
}

/* text_or_action* up to {{end}} or {{else}}, which comes back in *ret_end */
static struct tnode *item_list(struct parser *p, struct tnode **ret_end)
{
	struct tnode *list = parser_new_node(p, NODE_LIST, parser_peek_non_space(p).pos);
	struct nodes nodes = { 0 };

	while (list && parser_peek_non_space(p).type != TOK_EOF) {
		struct tnode *n = text_or_action(p);

		if (!n)
			return NULL;
		if (n->type == NODE_END || n->type == NODE_ELSE) {
			list->list = (struct tnode_list){ nodes.items, nodes.n };
			*ret_end = n;
			return list;
		}
		if (!parser_add_node(p, &nodes, n))
			return NULL;
	}
	return list ? parser_fail(p, EBADMSG, "unexpected EOF", 0) : NULL;
}

/* {{define "name"}} list {{end}}; the keyword has been read. */
static void definition(struct source_parse *src)
{
	struct parser p;
	struct tnode *end = NULL;
	struct token t;

	if (parser_start_tree(&p, src)) {
		t = parser_next_non_space(&p);
		if (template_name(&p, t, "define clause", &p.tree->name) &&
		    parser_expect(&p, TOK_RIGHT_DELIM, "define clause", &t)) {
			p.tree->root = item_list(&p, &end);
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): item_list sets it with a root */
			if (p.tree->root && end->type != NODE_END)
				(void)parser_fail_node(&p, "unexpected %s in define clause", end);
			else if (p.tree->root)
				parser_add_tree(&p);
		}
	}
	parser_end_tree(&p);
}

static void top_level(struct parser *p)
{
	struct nodes nodes = { 0 };

	p->tree->root = parser_new_node(p, NODE_LIST, parser_peek(p).pos);
	while (!p->src->failed && parser_peek(p).type != TOK_EOF) {
		struct tnode *n;

		if (parser_peek(p).type == TOK_LEFT_DELIM) {
			struct token delim = parser_next(p);

			if (parser_next_non_space(p).type == TOK_DEFINE) {
				definition(p->src);
				continue;
			}
			p->token[1] = delim;
			p->peeked = 2;
		}
		n = text_or_action(p);
		if (n && (n->type == NODE_END || n->type == NODE_ELSE))
			(void)parser_fail_node(p, "unexpected %s", n);
		else if (n)
			(void)parser_add_node(p, &nodes, n);
	}
	if (p->src->failed)
		return;
	p->tree->root->list = (struct tnode_list){ nodes.items, nodes.n };
	parser_add_tree(p);
}

void tmpl_parse_source(struct source_parse *s)
{
	struct parser p;

	if (parser_start_tree(&p, s)) {
		p.tree->name = s->name;
		top_level(&p);
	}
	parser_end_tree(&p);
}
