/* The errors, tokens and nodes that the grammar of templates uses. */
#include "template/tmpl_parse.h"

#include "base/assert.h"
#include "template/tmpl_print.h"

#include <errno.h>
#include <stdarg.h>

/* ---- errors ---- */

void *parser_nomem(struct parser *p)
{
	if (!p->src->failed)
		p->src->failed = err_nomem(p->src->err);
	return NULL;
}

void *parser_fail(struct parser *p, int code, const char *format, size_t n, ...)
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
		return parser_nomem(p);
	if (s->error_text)
		buf_add_str(s->error_text, buf_str(&text));
	s->failed = err_set(s->err, code, "%.*s", STR_ARG(buf_str(&text)));
	return NULL;
}

void *parser_fail_node(struct parser *p, const char *format, const struct tnode *n)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SIZE_MAX / 2);

	tnode_print(n, &text);
	return parser_fail(p, EBADMSG, format, 1, tval_string(buf_str(&text)));
}

static bool ends_with_action(str s)
{
	return str_has_suffix(s, STR(" action"));
}

void *parser_unexpected(struct parser *p, struct token t, const char *context)
{
	CLEANUP(buf_done) struct buf token = BUF_INIT(SIZE_MAX / 2);
	CLEANUP(buf_done) struct buf extra = BUF_INIT(SIZE_MAX / 2);

	tmpl_token_print(&t, &token);
	if (t.type != TOK_ERROR)
		return parser_fail(p, EBADMSG, "unexpected %s in %s", 2, tval_string(buf_str(&token)),
				   PARSER_TEXT(context));
	if (p->action_line != 0 && p->action_line != t.line) {
		buf_add_cstr(&extra, ends_with_action(t.val) ? " started at " : " in action started at ");
		buf_add_str(&extra, p->src->name);
		buf_printf(&extra, ":%zu", p->action_line);
	}
	return parser_fail(p, EBADMSG, "%s%s", 2, tval_string(buf_str(&token)), tval_string(buf_str(&extra)));
}

bool parser_enter(struct parser *p)
{
	if (++p->src->depth <= p->src->limits->template_nesting)
		return true;
	(void)parser_fail(p, E2BIG, "exceeded maximum nesting (%d)", 1, tval_int(p->src->limits->template_nesting));
	return false;
}

void parser_leave(struct parser *p)
{
	ASSERT(p->src->depth > 0);
	p->src->depth--;
}

/* ---- tokens ---- */

struct token parser_next(struct parser *p)
{
	if (p->peeked > 0)
		p->peeked--;
	else
		p->token[0] = tmpl_lex_next(&p->src->lex);
	return p->token[p->peeked];
}

void parser_backup(struct parser *p)
{
	p->peeked++;
}

struct token parser_peek(struct parser *p)
{
	if (p->peeked > 0)
		return p->token[p->peeked - 1];
	p->peeked = 1;
	p->token[0] = tmpl_lex_next(&p->src->lex);
	return p->token[0];
}

struct token parser_next_non_space(struct parser *p)
{
	struct token t;

	do
		t = parser_next(p);
	while (t.type == TOK_SPACE);
	return t;
}

struct token parser_peek_non_space(struct parser *p)
{
	struct token t = parser_next_non_space(p);

	parser_backup(p);
	return t;
}

bool parser_expect(struct parser *p, enum tok_type type, const char *context, struct token *ret)
{
	*ret = parser_next_non_space(p);
	if (ret->type == type)
		return true;
	(void)parser_unexpected(p, *ret, context);
	return false;
}

/* ---- nodes ---- */

struct tnode *parser_new_node(struct parser *p, enum tnode_type type, size_t pos)
{
	struct tnode *n = arena_zalloc(&p->src->set->arena, sizeof(*n));

	if (!n)
		return parser_nomem(p);
	n->type = type;
	n->pos = pos;
	n->tree = p->tree;
	return n;
}

bool parser_add_node(struct parser *p, struct nodes *l, struct tnode *n)
{
	if (l->n == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 4;
		struct tnode **items = arena_array(&p->src->set->arena, cap, sizeof(struct tnode *));

		if (!items) {
			(void)parser_nomem(p);
			return false;
		}
		if (l->n)
			memcpy(items, l->items, l->n * sizeof(struct tnode *));
		l->items = items;
		l->cap = cap;
	}
	ASSERT(l->n < l->cap);
	l->items[l->n++] = n;
	return true;
}

bool parser_push_var(struct parser *p, str name)
{
	if (p->n_vars == p->cap_vars) {
		size_t cap = p->cap_vars ? p->cap_vars * 2 : 8;
		str *vars = realloc(p->vars, cap * sizeof(str));

		if (!vars) {
			(void)parser_nomem(p);
			return false;
		}
		p->vars = vars;
		p->cap_vars = cap;
	}
	ASSERT(p->n_vars < p->cap_vars);
	p->vars[p->n_vars++] = name;
	return true;
}

struct tnode *parser_new_ident(struct parser *p, enum tnode_type type, size_t pos, const str *parts, size_t n)
{
	struct tnode *node = parser_new_node(p, type, pos);
	str *items = node ? arena_array(&p->src->set->arena, n, sizeof(str)) : NULL;

	if (!items)
		return parser_nomem(p);
	memcpy(items, parts, n * sizeof(str));
	node->ident = (struct tident_list){ items, n };
	return node;
}

bool parser_start_tree(struct parser *p, struct source_parse *src)
{
	*p = (struct parser){ .src = src };
	p->tree = arena_zalloc(&src->set->arena, sizeof(*p->tree));
	if (!p->tree) {
		(void)parser_nomem(p);
		return false;
	}
	p->tree->parse_name = src->name;
	p->tree->text = src->text;
	return parser_push_var(p, STR("$"));
}

void parser_end_tree(struct parser *p)
{
	free(p->vars);
}

void parser_add_tree(struct parser *p)
{
	const struct ttree *old = strmap_get(&p->src->trees, p->tree->name);

	if (old && !tnode_is_empty(old->root)) {
		if (!tnode_is_empty(p->tree->root))
			(void)parser_fail(p, EBADMSG, "template: multiple definition of template %q", 1,
					  tval_string(p->tree->name));
		return;
	}
	if (!strmap_put(&p->src->trees, p->tree->name, p->tree, NULL))
		(void)parser_nomem(p);
}
