/* Prints nodes, and their places for messages. */
#include "template/tmpl_node.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "go/quote.h"

static void print_joined(const struct tident_list *l, const char *before_each, size_t from, struct buf *out)
{
	for (size_t i = from; i < l->n; i++) {
		buf_add_cstr(out, before_each);
		buf_add_str(out, l->items[i]);
	}
}

static void print_variable(const struct tnode *n, struct buf *out)
{
	buf_add_str(out, n->ident.items[0]);
	print_joined(&n->ident, ".", 1, out);
}

/* Print a pipeline among the words of a command, or before fields, in parentheses; other nodes as they are. */
static void print_operand(const struct tnode *n, struct buf *out)
{
	if (n->type == NODE_PIPE)
		buf_add_byte(out, '(');
	tnode_print(n, out);
	if (n->type == NODE_PIPE)
		buf_add_byte(out, ')');
}

static void print_pipe(const struct tnode *n, struct buf *out)
{
	for (size_t i = 0; i < n->pipe.decl.n; i++) {
		if (i > 0)
			buf_add_cstr(out, ", ");
		print_variable(n->pipe.decl.items[i], out);
	}
	if (n->pipe.decl.n > 0)
		buf_add_cstr(out, n->pipe.is_assign ? " = " : " := ");
	for (size_t i = 0; i < n->pipe.cmds.n; i++) {
		if (i > 0)
			buf_add_cstr(out, " | ");
		tnode_print(n->pipe.cmds.items[i], out);
	}
}

static void print_branch(const struct tnode *n, const char *keyword, struct buf *out)
{
	buf_add_cstr(out, "{{");
	buf_add_cstr(out, keyword);
	buf_add_byte(out, ' ');
	print_pipe(n->branch.pipe, out);
	buf_add_cstr(out, "}}");
	tnode_print(n->branch.list, out);
	if (n->branch.else_list) {
		buf_add_cstr(out, "{{else}}");
		tnode_print(n->branch.else_list, out);
	}
	buf_add_cstr(out, "{{end}}");
}

static void print_template(const struct tnode *n, struct buf *out)
{
	buf_add_cstr(out, "{{template ");
	go_quote(out, n->text);
	if (n->branch.pipe) {
		buf_add_byte(out, ' ');
		print_pipe(n->branch.pipe, out);
	}
	buf_add_cstr(out, "}}");
}

static void print_nodes(const struct tnode *n, struct buf *out)
{
	for (size_t i = 0; i < n->list.n; i++) {
		if (i > 0 && n->type == NODE_COMMAND)
			buf_add_byte(out, ' ');
		if (n->type == NODE_COMMAND)
			print_operand(n->list.items[i], out);
		else
			tnode_print(n->list.items[i], out);
	}
}

void tnode_print(const struct tnode *n, struct buf *out)
{
	switch (n->type) {
	case NODE_TEXT:
	case NODE_NUMBER:
	case NODE_STRING:
	case NODE_IDENTIFIER:
		buf_add_str(out, n->text);
		return;
	case NODE_ACTION:
		buf_add_cstr(out, "{{");
		print_pipe(n->branch.pipe, out);
		buf_add_cstr(out, "}}");
		return;
	case NODE_BOOL:
		buf_add_cstr(out, n->is_true ? "true" : "false");
		return;
	case NODE_CHAIN:
		print_operand(n->chain.node, out);
		print_joined(&n->chain.field, ".", 0, out);
		return;
	case NODE_DOT:
		buf_add_byte(out, '.');
		return;
	case NODE_ELSE:
		buf_add_cstr(out, "{{else}}");
		return;
	case NODE_END:
		buf_add_cstr(out, "{{end}}");
		return;
	case NODE_BREAK:
		buf_add_cstr(out, "{{break}}");
		return;
	case NODE_CONTINUE:
		buf_add_cstr(out, "{{continue}}");
		return;
	case NODE_FIELD:
		print_joined(&n->ident, ".", 0, out);
		return;
	case NODE_NIL:
		buf_add_cstr(out, "nil");
		return;
	case NODE_LIST:
	case NODE_COMMAND:
		print_nodes(n, out);
		return;
	case NODE_IF:
		print_branch(n, "if", out);
		return;
	case NODE_RANGE:
		print_branch(n, "range", out);
		return;
	case NODE_WITH:
		print_branch(n, "with", out);
		return;
	case NODE_PIPE:
		print_pipe(n, out);
		return;
	case NODE_TEMPLATE:
		print_template(n, out);
		return;
	case NODE_VARIABLE:
		print_variable(n, out);
		return;
	}
}

void tnode_location(const struct tnode *n, struct buf *out)
{
	str before = str_sub(n->tree->text, 0, n->pos);
	size_t line = 1, column = n->pos;

	for (size_t i = 0; i < before.n; i++) {
		if (before.p[i] == '\n') {
			line++;
			column = n->pos - i - 1;
		}
	}
	buf_add_str(out, n->tree->parse_name);
	buf_printf(out, ":%zu:%zu", line, column);
}

static bool is_white(str s)
{
	size_t at = 0, len;

	while (at < s.n) {
		if (!unicode_is_space(utf8_decode(str_sub(s, at, s.n), &len)))
			return false;
		at += len;
	}
	return true;
}

bool tnode_is_empty(const struct tnode *n)
{
	if (!n)
		return true;
	if (n->type == NODE_TEXT)
		return is_white(n->text);
	if (n->type != NODE_LIST)
		return false;
	for (size_t i = 0; i < n->list.n; i++) {
		if (!tnode_is_empty(n->list.items[i]))
			return false;
	}
	return true;
}
