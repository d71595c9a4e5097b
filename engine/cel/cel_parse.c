/* The parser: makes a tree of tokens, by the grammar. */
#include "cel/cel_parse.h"

#include "base/number.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "cel/cel_lex.h"
#include "cel/cel_syntax.h"

#include <errno.h>
#include <stdarg.h>

enum rule { RULE_EXPR, RULE_RELATION, RULE_CALC, RULE_MEMBER, RULES };

struct cel_parser {
	struct cel_builder b;
	struct cel_lexer lexer;
	struct cel_token token;    /* the token that is examined */
	struct cel_token previous; /* the token before it */
	uint32_t depth[RULES];
	bool failed; /* the parser gives up: further mistakes would only repeat the first */
	bool syntax; /* the text is no expression: another reading finds the mistakes in it (cel_syntax.h) */
};

typedef VEC(struct cel_ast *) ast_vec;
typedef VEC(bool) bool_vec;
typedef VEC(struct cel_field) field_vec;

static struct cel_ast *parse_expr(struct cel_parser *p);

/* ---- nodes ---- */

static void *out_of_memory(struct cel_builder *b)
{
	b->issues->no_memory = true;
	return NULL;
}

struct cel_ast *cel_ast_new(struct cel_builder *b, enum cel_ast_kind kind, uint32_t at)
{
	struct cel_ast *n = arena_zalloc(b->arena, sizeof(*n));

	if (!n)
		return out_of_memory(b);
	n->kind = (uint8_t)kind;
	n->at = at;
	n->variable = n->local = -1;
	return n;
}

struct cel_ast *cel_ast_ident(struct cel_builder *b, uint32_t at, str name)
{
	struct cel_ast *n = cel_ast_new(b, AST_IDENT, at);

	if (n)
		n->name = name;
	return n;
}

struct cel_ast *cel_ast_literal(struct cel_builder *b, uint32_t at, cv value)
{
	struct cel_ast *n = cel_ast_new(b, AST_LITERAL, at);

	if (n)
		n->value = value;
	return n;
}

static struct cel_ast *with_args(struct cel_builder *b, struct cel_ast *n, struct cel_ast *const *args, uint32_t count)
{
	if (!n)
		return NULL;
	n->args = arena_array(b->arena, count, sizeof(struct cel_ast *));
	if (!n->args)
		return out_of_memory(b);
	for (uint32_t i = 0; i < count; i++) {
		if (!args[i])
			return NULL;
		n->args[i] = args[i];
	}
	n->n_args = count;
	return n;
}

struct cel_ast *cel_ast_call(struct cel_builder *b, uint32_t at, const char *name, uint32_t n, ...)
{
	struct cel_ast *call = cel_ast_new(b, AST_CALL, at), *args[4];
	va_list ap;

	va_start(ap, n);
	for (uint32_t i = 0; i < n && i < ARRAY_LEN(args); i++)
		args[i] = va_arg(ap, struct cel_ast *);
	va_end(ap);
	if (call)
		call->name = str_from(name);
	return with_args(b, call, args, n);
}

struct cel_ast *cel_ast_member(struct cel_builder *b, uint32_t at, const char *name, struct cel_ast *target)
{
	struct cel_ast *call = cel_ast_call(b, at, name, 0);

	if (!call || !target)
		return NULL;
	call->target = target;
	return call;
}

/* ---- tokens and errors ---- */

static struct cel_ast *syntax_error(struct cel_parser *p)
{
	p->syntax |= !p->failed;
	p->failed = true;
	return NULL;
}

static void advance(struct cel_parser *p)
{
	p->previous = p->token;
	p->token = cel_lex(&p->lexer);
	if (p->token.kind == TOK_BAD)
		(void)syntax_error(p);
}

static struct cel_ast *report(struct cel_parser *p, uint32_t at, const char *text)
{
	cel_issue_add(p->b.issues, at, "%s", text);
	return NULL;
}

static bool take(struct cel_parser *p, enum cel_token_kind kind)
{
	if (p->token.kind != kind)
		return false;
	advance(p);
	return true;
}

static bool expect(struct cel_parser *p, enum cel_token_kind kind)
{
	if (take(p, kind))
		return true;
	(void)syntax_error(p);
	return false;
}

static bool enter(struct cel_parser *p, enum rule rule)
{
	if (++p->depth[rule] <= CEL_RECURSION_MAX)
		return true;
	if (!p->failed)
		cel_issue_add(p->b.issues, p->token.at, "max recursion depth exceeded: %d", CEL_RECURSION_MAX);
	p->failed = true;
	return false;
}

/* ---- literals ---- */

static bool parse_magnitude(str s, uint64_t *ret)
{
	unsigned base = 10;
	uint64_t v = 0;

	if (s.n > 2 && s.p[1] == 'x') {
		base = 16;
		s = str_sub(s, 2, s.n);
	}
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];
		unsigned d = c <= '9' ? c - 48u : (c | 0x20u) - 'a' + 10u;

		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*ret = v;
	return true;
}

static struct cel_ast *parse_int(struct cel_parser *p, bool negative, uint32_t at)
{
	uint64_t magnitude;
	bool fits = parse_magnitude(p->token.text, &magnitude) && magnitude <= (uint64_t)INT64_MAX + negative;

	if (!fits) {
		advance(p);
		return report(p, at, "invalid int literal");
	}
	advance(p);
	return cel_ast_literal(&p->b, at, cv_int(negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude));
}

static struct cel_ast *parse_number(struct cel_parser *p, bool negative, uint32_t at)
{
	struct cel_token t = p->token;
	uint64_t u;
	double d;

	if (t.kind == TOK_INT)
		return parse_int(p, negative, at);
	advance(p);
	if (t.kind == TOK_UINT) {
		if (!parse_magnitude(str_sub(t.text, 0, t.text.n - 1), &u))
			return report(p, at, "invalid uint literal");
		return cel_ast_literal(&p->b, at, cv_uint(u));
	}
	if (!double_parse(t.text, &d))
		return out_of_memory(&p->b);
	if (d > 1.7976931348623157e308)
		return report(p, at, "invalid double literal");
	return cel_ast_literal(&p->b, at, cv_double(negative ? -d : d));
}

static struct cel_ast *parse_text(struct cel_parser *p)
{
	struct cel_token t = p->token;
	const char *problem;
	str text;

	advance(p);
	problem = cel_unquote(&t, p->b.arena, &text);
	if (problem)
		return report(p, t.at, problem);
	if (!text.p)
		return out_of_memory(&p->b);
	return cel_ast_literal(&p->b, t.at, t.kind == TOK_BYTES ? cv_bytes(text) : cv_string(text));
}

/* ---- primary ---- */

/* exprList = expr {"," expr}, up to @close. Elements may be marked "?" when @optional. */
static bool parse_list(struct cel_parser *p, enum cel_token_kind close, bool trailing, ast_vec *args,
		       bool_vec *optional)
{
	if (trailing && take(p, TOK_COMMA)) /* a comma alone is allowed */
		return expect(p, close);
	while (p->token.kind != close) {
		bool mark = optional && take(p, TOK_QUESTION);
		struct cel_ast *arg = parse_expr(p);

		if (p->failed)
			return false;
		if ((optional && !vec_push(optional, mark)) || !vec_push(args, arg)) {
			p->b.issues->no_memory = true;
			p->failed = true;
			return false;
		}
		if (!take(p, TOK_COMMA))
			break;
		if (!trailing && p->token.kind == close) {
			(void)syntax_error(p);
			return false;
		}
	}
	return expect(p, close);
}

static bool copy_marks(struct cel_parser *p, struct cel_ast *n, const bool_vec *marks)
{
	bool any = false;

	for (size_t i = 0; i < marks->n; i++)
		any |= marks->p[i];
	if (!any)
		return true;
	n->optional = arena_alloc(p->b.arena, marks->n * sizeof(bool));
	if (!n->optional)
		return out_of_memory(&p->b) != NULL;
	memcpy(n->optional, marks->p, marks->n * sizeof(bool));
	return true;
}

/* "[" [exprList] [","] "]" */
static struct cel_ast *parse_list_literal(struct cel_parser *p)
{
	struct cel_ast *n = cel_ast_new(&p->b, AST_LIST, p->token.at);
	ast_vec args = { 0 };
	bool_vec marks = { 0 };

	advance(p);
	if (parse_list(p, TOK_RBRACKET, true, &args, &marks) && n && copy_marks(p, n, &marks))
		n = with_args(&p->b, n, args.p, (uint32_t)args.n);
	else
		n = NULL;
	vec_done(&args);
	vec_done(&marks);
	return n;
}

/* ["?"] expr ":" expr, for a map; ["?"] ident ":" expr, for a message */
static bool parse_field(struct cel_parser *p, bool message, ast_vec *args, bool_vec *marks, field_vec *fields)
{
	bool mark = take(p, TOK_QUESTION);
	struct cel_ast *key = NULL, *value;

	if (message) {
		str name = p->token.text;

		if (p->token.kind == TOK_ESCAPED_IDENT)
			name = str_sub(name, 1, name.n - 1);
		if (p->token.kind != TOK_ESCAPED_IDENT && p->token.kind != TOK_IDENT)
			return syntax_error(p) != NULL;
		advance(p);
		if (!vec_push(fields, ((struct cel_field){ name, p->token.at })))
			return out_of_memory(&p->b) != NULL;
	} else {
		key = parse_expr(p);
		if (p->failed || !vec_push(args, key))
			return false;
	}
	if (!expect(p, TOK_COLON))
		return false;
	value = parse_expr(p);
	return !p->failed && vec_push(args, value) && vec_push(marks, mark);
}

/* "{" [entry {"," entry}] [","] "}" behind @n, the node to fill */
static struct cel_ast *parse_fields(struct cel_parser *p, struct cel_ast *n)
{
	bool message = n && n->kind == AST_STRUCT, ok = n != NULL;
	ast_vec args = { 0 };
	bool_vec marks = { 0 };
	field_vec fields = { 0 };

	advance(p);
	if (!take(p, TOK_COMMA)) { /* a comma alone is allowed */
		while (ok && p->token.kind != TOK_RBRACE) {
			ok = parse_field(p, message, &args, &marks, &fields);
			if (!ok || !take(p, TOK_COMMA))
				break;
		}
	}
	ok = ok && expect(p, TOK_RBRACE) && copy_marks(p, n, &marks);
	if (ok && message && fields.n) {
		n->fields = arena_array(p->b.arena, fields.n, sizeof(*n->fields));
		ok = n->fields != NULL;
		if (ok)
			memcpy(n->fields, fields.p, fields.n * sizeof(*n->fields));
	}
	n = ok ? with_args(&p->b, n, args.p, (uint32_t)args.n) : NULL;
	if (!ok && !p->failed && !p->b.issues->n)
		p->b.issues->no_memory = true;
	vec_done(&args);
	vec_done(&marks);
	vec_done(&fields);
	return n;
}

/* "(" [exprList] ")" behind a function name; expands macros */
static struct cel_ast *parse_call(struct cel_parser *p, str name, struct cel_ast *target)
{
	uint32_t at = p->token.at;
	struct cel_ast *n = NULL;
	ast_vec args = { 0 };

	advance(p);
	if (parse_list(p, TOK_RPAREN, false, &args, NULL)) {
		bool whole = true;

		for (size_t i = 0; i < args.n; i++)
			whole &= args.p[i] != NULL;
		if (whole && !cel_macro_expand(&p->b, at, name, target, args.p, (uint32_t)args.n, &n)) {
			n = with_args(&p->b, cel_ast_new(&p->b, AST_CALL, at), args.p, (uint32_t)args.n);
			if (n) {
				n->name = name;
				n->target = target;
			}
		}
	}
	vec_done(&args);
	return n;
}

/* Parse a reserved word, which cannot be a name: to the expression around it, it is a value like any other. */
static struct cel_ast *parse_reserved(struct cel_parser *p, uint32_t at, str name)
{
	cel_issue_add(p->b.issues, at, "reserved identifier: %.*s", STR_ARG(name));
	if (p->token.kind == TOK_LPAREN)
		(void)parse_call(p, name, NULL);
	return p->failed ? NULL : cel_ast_literal(&p->b, at, cv_null());
}

/* ["."] IDENT ["(" [exprList] ")"] */
static struct cel_ast *parse_name(struct cel_parser *p)
{
	uint32_t at = p->token.at;
	bool absolute = take(p, TOK_DOT);
	str name = p->token.text;

	if (!expect(p, TOK_IDENT))
		return NULL;
	if (cel_is_reserved(name))
		return parse_reserved(p, at, name);
	if (absolute) {
		name = arena_printf(p->b.arena, ".%.*s", STR_ARG(name));
		if (!name.p)
			return out_of_memory(&p->b);
	}
	if (p->token.kind == TOK_LPAREN)
		return parse_call(p, name, NULL);
	return cel_ast_ident(&p->b, at, name);
}

static struct cel_ast *parse_primary(struct cel_parser *p)
{
	struct cel_token t = p->token;
	struct cel_ast *n;

	switch (t.kind) {
	case TOK_IDENT:
	case TOK_DOT:
		return parse_name(p);
	case TOK_LPAREN:
		advance(p);
		n = parse_expr(p);
		return !p->failed && expect(p, TOK_RPAREN) ? n : NULL;
	case TOK_LBRACKET:
		return parse_list_literal(p);
	case TOK_LBRACE:
		return parse_fields(p, cel_ast_new(&p->b, AST_MAP, t.at));
	case TOK_INT:
	case TOK_UINT:
	case TOK_DOUBLE:
		return parse_number(p, false, t.at);
	case TOK_STRING:
	case TOK_BYTES:
		return parse_text(p);
	case TOK_TRUE:
	case TOK_FALSE:
		advance(p);
		return cel_ast_literal(&p->b, t.at, cv_bool(t.kind == TOK_TRUE));
	case TOK_NULL:
		advance(p);
		return cel_ast_literal(&p->b, t.at, cv_null());
	default:
		return syntax_error(p);
	}
}

/* ---- member = primary | member "." IDENT ["(" args ")"] | member "[" expr "]" | member "{" fields "}" ---- */

static struct cel_ast *parse_select(struct cel_parser *p, struct cel_ast *target)
{
	uint32_t at = p->token.at;
	bool optional, escaped;
	struct cel_ast *n;
	str name;

	advance(p);
	optional = take(p, TOK_QUESTION);
	name = p->token.text;
	escaped = p->token.kind == TOK_ESCAPED_IDENT;
	if (escaped) {
		name = str_sub(name, 1, name.n - 1);
		advance(p);
	} else if (!expect(p, TOK_IDENT)) {
		return NULL;
	}
	if (!target) { /* reported; the text behind it is read all the same */
		if (p->token.kind == TOK_LPAREN && !escaped && !optional)
			(void)parse_call(p, STR(""), NULL);
		return NULL;
	}
	if (optional)
		return cel_ast_call(&p->b, at, "_?._", 2, target, cel_ast_literal(&p->b, at, cv_string(name)));
	if (p->token.kind == TOK_LPAREN && !escaped)
		return parse_call(p, name, target);
	n = cel_ast_new(&p->b, AST_SELECT, at);
	if (n) {
		n->name = name;
		n->target = target;
	}
	return n;
}

static struct cel_ast *parse_index(struct cel_parser *p, struct cel_ast *target)
{
	uint32_t at = p->token.at;
	bool optional;
	struct cel_ast *index;

	advance(p);
	optional = take(p, TOK_QUESTION);
	index = parse_expr(p);
	if (p->failed || !expect(p, TOK_RBRACKET) || !target || !index)
		return NULL;
	return cel_ast_call(&p->b, at, optional ? "_[?_]" : "_[_]", 2, target, index);
}

/* a.b.c as a name; {NULL, 0} when @n is something else */
static str dotted_name(struct cel_parser *p, const struct cel_ast *n)
{
	str left;

	if (n->kind == AST_IDENT)
		return n->name;
	if (n->kind != AST_SELECT || n->test)
		return (str){ NULL, 0 };
	left = dotted_name(p, n->target);
	return left.p ? arena_printf(p->b.arena, "%.*s.%.*s", STR_ARG(left), STR_ARG(n->name)) : left;
}

/* Parse a message literal. @plain: @target has no parentheses or the like around a part of it. */
static struct cel_ast *parse_message(struct cel_parser *p, struct cel_ast *target, bool plain)
{
	struct cel_ast *n;
	str name;

	if (!plain)
		return syntax_error(p);
	if (!target)
		return NULL;
	name = dotted_name(p, target);
	if (!name.p)
		return syntax_error(p);
	n = cel_ast_new(&p->b, AST_STRUCT, p->token.at);
	if (n)
		n->name = name;
	return parse_fields(p, n);
}

/* Parse a member. @negative_number: it begins with a number whose sign has been read. */
static struct cel_ast *parse_member(struct cel_parser *p, bool negative_number)
{
	uint32_t depth = p->depth[RULE_MEMBER], at = p->previous.at;
	struct cel_ast *n = NULL;
	bool plain;

	if (enter(p, RULE_MEMBER))
		n = negative_number ? parse_number(p, true, at) : parse_primary(p);
	plain = p->previous.kind == TOK_IDENT;
	while (!p->failed &&
	       (p->token.kind == TOK_DOT || p->token.kind == TOK_LBRACKET || p->token.kind == TOK_LBRACE)) {
		if (!enter(p, RULE_MEMBER))
			break;
		if (p->token.kind == TOK_DOT)
			n = parse_select(p, n);
		else if (p->token.kind == TOK_LBRACKET)
			n = parse_index(p, n);
		else
			n = parse_message(p, n, plain);
		plain &= p->previous.kind == TOK_IDENT;
	}
	p->depth[RULE_MEMBER] = depth;
	return p->failed ? NULL : n;
}

/* ---- operators ---- */

/* unary = member | "!" {"!"} member | "-" {"-"} member; "-" before a number belongs to the number */
static struct cel_ast *parse_unary(struct cel_parser *p)
{
	uint32_t at = p->token.at, count = 0;
	enum cel_token_kind op = p->token.kind;
	bool negative;
	struct cel_ast *n;

	if (op != TOK_NOT && op != TOK_MINUS)
		return parse_member(p, false);
	while (p->token.kind == op) {
		advance(p);
		count++;
	}
	/* The last sign before a number is part of it: -1.foo() is (-1).foo(). */
	negative = op == TOK_MINUS && (p->token.kind == TOK_INT || p->token.kind == TOK_DOUBLE);
	n = parse_member(p, negative);
	count -= negative;
	if (p->failed || !n)
		return NULL;
	if (count % 2 == 0)
		return n;
	return cel_ast_call(&p->b, at, op == TOK_NOT ? "!_" : "-_", 1, n);
}

struct operator
{
	uint8_t token;
	const char *name;
};

static const struct operator products[] = {
	{ TOK_STAR, "_*_" }, { TOK_SLASH, "_/_" }, { TOK_PERCENT, "_%_" }, { 0, NULL }
};
static const struct operator sums[] = { { TOK_PLUS, "_+_" }, { TOK_MINUS, "_-_" }, { 0, NULL } };
static const struct operator relations[] = { { TOK_LT, "_<_" }, { TOK_LE, "_<=_" }, { TOK_GE, "_>=_" },
					     { TOK_GT, "_>_" }, { TOK_EQ, "_==_" }, { TOK_NE, "_!=_" },
					     { TOK_IN, "@in" }, { 0, NULL } };

static const char *operator_name(const struct operator* list, uint8_t token)
{
	for (; list->name; list++) {
		if (list->token == token)
			return list->name;
	}
	return NULL;
}

/* operand {op operand}, left-associative; each operator is one level of the rule's recursion */
static struct cel_ast *parse_chain(struct cel_parser *p, const struct operator* ops, enum rule rule,
				   struct cel_ast *(*operand)(struct cel_parser *))
{
	uint32_t depth = p->depth[rule];
	/* Sums and products are one rule: a plain operand is one level of it, not two. */
	struct cel_ast *n = ops == sums || enter(p, rule) ? operand(p) : NULL;
	const char *name;

	while (!p->failed && (name = operator_name(ops, p->token.kind))) {
		uint32_t at = p->token.at;
		struct cel_ast *right;

		if (!enter(p, rule))
			break;
		advance(p);
		right = operand(p);
		n = n && right ? cel_ast_call(&p->b, at, name, 2, n, right) : NULL;
	}
	p->depth[rule] = depth;
	return p->failed ? NULL : n;
}

static struct cel_ast *parse_product(struct cel_parser *p)
{
	return parse_chain(p, products, RULE_CALC, parse_unary);
}

static struct cel_ast *parse_sum(struct cel_parser *p)
{
	return parse_chain(p, sums, RULE_CALC, parse_product);
}

static struct cel_ast *parse_relation(struct cel_parser *p)
{
	return parse_chain(p, relations, RULE_RELATION, parse_sum);
}

struct terms {
	ast_vec terms;
	VEC(uint32_t) at;
};

/* Make a balanced tree over ops[lo..hi], so that the depth of a chain of && is its logarithm. */
static struct cel_ast *balance(struct cel_parser *p, const struct terms *t, const char *name, size_t lo, size_t hi)
{
	size_t mid = (lo + hi + 1) / 2;
	struct cel_ast *left = mid == lo ? t->terms.p[mid] : balance(p, t, name, lo, mid - 1);
	struct cel_ast *right = mid == hi ? t->terms.p[mid + 1] : balance(p, t, name, mid + 1, hi);

	return cel_ast_call(&p->b, t->at.p[mid], name, 2, left, right);
}

static struct cel_ast *parse_logic(struct cel_parser *p, enum cel_token_kind op, const char *name,
				   struct cel_ast *(*operand)(struct cel_parser *))
{
	struct cel_ast *n = operand(p);
	struct terms t = { 0 };

	if (p->failed || p->token.kind != op)
		return n;
	if (!vec_push(&t.terms, n))
		p->failed = true;
	while (!p->failed && p->token.kind == op) {
		if (!vec_push(&t.at, p->token.at)) {
			p->failed = true;
			break;
		}
		advance(p);
		n = operand(p);
		if (!p->failed && !vec_push(&t.terms, n))
			p->failed = true;
	}
	if (p->failed && !p->syntax && !p->b.issues->n)
		p->b.issues->no_memory = true;
	n = p->failed ? NULL : balance(p, &t, name, 0, t.at.n - 1);
	vec_done(&t.terms);
	vec_done(&t.at);
	return n;
}

static struct cel_ast *parse_and(struct cel_parser *p)
{
	return parse_logic(p, TOK_AND, "_&&_", parse_relation);
}

static struct cel_ast *parse_or(struct cel_parser *p)
{
	return parse_logic(p, TOK_OR, "_||_", parse_and);
}

/* expr = or ["?" or ":" expr] */
static struct cel_ast *parse_expr(struct cel_parser *p)
{
	struct cel_ast *n = NULL, *yes, *no;

	if (enter(p, RULE_EXPR))
		n = parse_or(p);
	if (!p->failed && p->token.kind == TOK_QUESTION) {
		uint32_t at = p->token.at;

		advance(p);
		yes = parse_or(p);
		no = !p->failed && expect(p, TOK_COLON) ? parse_expr(p) : NULL;
		n = n && yes && no ? cel_ast_call(&p->b, at, "_?_:_", 3, n, yes, no) : NULL;
	}
	p->depth[RULE_EXPR]--;
	return p->failed ? NULL : n;
}

struct cel_ast *cel_parse(str source, enum cel_dialect dialect, struct cel_issues *is)
{
	struct cel_parser p = { .b = { is->arena, is, dialect }, .lexer = { source, 0 } };
	struct cel_ast *n;

	is->source = source;
	if (source.n > UINT32_MAX / 2 || utf8_count(source) > CEL_SOURCE_MAX) {
		is->source = (str){ "", 0 };
		cel_issue_add(is, 0, "expression code point size exceeds limit: size: %zu, limit %d",
			      source.n > UINT32_MAX / 2 ? source.n : utf8_count(source), CEL_SOURCE_MAX);
		return NULL;
	}
	advance(&p);
	n = parse_expr(&p);
	if (!p.failed && p.token.kind != TOK_END)
		n = syntax_error(&p);
	if (p.syntax) {
		is->n = 0; /* the second reading finds it again */
		cel_syntax_report(is);
		if (is->n == 0) /* the second reading gave up before that place */
			cel_issue_add(is, p.previous.at, "Syntax error");
	}
	if (!n && !is->n)
		is->no_memory = true;
	return is->n || is->no_memory ? NULL : n;
}
