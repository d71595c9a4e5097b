/* Parses the syntax of Go's regexp/syntax with the Perl flags, with its errors.
 *
 * Like the original this is one pass over the text with a stack of what has been read; parentheses open a frame. */
#include "text/re2_parse_internal.h"

#include "base/utf8.h"

#include <errno.h>

int re2p_error(struct re2_parser *p, const char *what, str where)
{
	if (p->message)
		buf_printf(p->message, "error parsing regexp: %s: `", what);
	if (p->message) {
		buf_add_str(p->message, where);
		buf_add_byte(p->message, '`');
	}
	return err_set(p->err, EBADMSG, "error parsing regexp: %s: `%.*s`", what, STR_ARG(where));
}

int re2p_nomem(struct re2_parser *p)
{
	return arena_error(&p->re->arena, p->err);
}

int re2p_next_rune(struct re2_parser *p, str *s, uint32_t *c)
{
	size_t n;

	*c = utf8_decode(*s, &n);
	if (*c == UTF8_REPLACEMENT && n < 3)
		return re2p_error(p, "invalid UTF-8", *s);
	*s = re2p_tail(*s, n);
	return 0;
}

int re2p_check_utf8(struct re2_parser *p, str s)
{
	size_t ok = utf8_valid_prefix(s);

	return ok == s.n ? 0 : re2p_error(p, "invalid UTF-8", re2p_tail(s, ok));
}

/* \Q…\E: the text between stands for itself. */
static int parse_quoted(struct re2_parser *p)
{
	str lit = re2p_tail(p->rest, 2);
	ptrdiff_t end = str_find(lit, STR("\\E"));
	int r = 0;

	p->rest = end < 0 ? (str){ lit.p + lit.n, 0 } : re2p_tail(lit, (size_t)end + 2);
	if (end >= 0)
		lit = str_sub(lit, 0, (size_t)end);
	while (r == 0 && lit.n > 0) {
		uint32_t c;

		r = re2p_next_rune(p, &lit, &c);
		if (r == 0)
			r = re2p_push_literal(p, c);
	}
	return r;
}

static int parse_backslash(struct re2_parser *p)
{
	int op = -1;

	switch (p->rest.n >= 2 ? p->rest.p[1] : '\0') {
	case 'A':
		op = RE2_BEGIN_TEXT;
		break;
	case 'b':
		op = RE2_WORD;
		break;
	case 'B':
		op = RE2_NOT_WORD;
		break;
	case 'z':
		op = RE2_END_TEXT;
		break;
	case 'C':
		return re2p_error(p, "invalid escape sequence", str_sub(p->rest, 0, 2));
	case 'Q':
		return parse_quoted(p);
	default:
		return re2p_escape(p);
	}
	p->rest = re2p_tail(p->rest, 2);
	return re2p_push_op(p, (enum re2_op)op);
}

/* ---- (? ---- */

static bool valid_name(str name)
{
	for (size_t i = 0; i < name.n; i++) {
		if (name.p[i] != '_' && !re2p_is_alnum((unsigned char)name.p[i]))
			return false;
	}
	return name.n > 0;
}

static int parse_named_group(struct re2_parser *p, size_t skip)
{
	str s = p->rest, name;
	ptrdiff_t end = str_find_byte(s, '>');
	int r;

	if (end < 0) {
		r = re2p_check_utf8(p, s);
		return r < 0 ? r : re2p_error(p, "invalid named capture", s);
	}
	name = str_sub(s, skip, (size_t)end);
	r = re2p_check_utf8(p, name);
	if (r < 0)
		return r;
	if (!valid_name(name))
		return re2p_error(p, "invalid named capture", str_sub(s, 0, (size_t)end + 1));
	p->rest = re2p_tail(s, (size_t)end + 1);
	return re2p_open_group(p, true, name);
}

static unsigned flag_of(uint32_t c)
{
	switch (c) {
	case 'i':
		return RE2_FLAG_FOLD;
	case 'm':
		return RE2_FLAG_MULTI_LINE;
	case 's':
		return RE2_FLAG_DOT_NL;
	case 'U':
		return RE2_FLAG_UNGREEDY;
	default:
		return 0;
	}
}

/* (?flags) (?flags:re) (?P<name>re) (?<name>re) */
static int parse_perl_group(struct re2_parser *p)
{
	str s = p->rest, t = re2p_tail(s, 2);
	unsigned flags = p->flags;
	bool negative = false, saw_flag = false;

	if (s.n > 4 && s.p[2] == 'P' && s.p[3] == '<')
		return parse_named_group(p, 4);
	if (s.n > 3 && s.p[2] == '<')
		return parse_named_group(p, 3);
	while (t.n > 0) {
		uint32_t c;
		int r = re2p_next_rune(p, &t, &c);

		if (r < 0)
			return r;
		if (flag_of(c)) {
			flags = negative ? flags & ~flag_of(c) : flags | flag_of(c);
			saw_flag = true;
		} else if (c == '-' && !negative) {
			negative = true;
			saw_flag = false;
		} else if ((c == ':' || c == ')') && (!negative || saw_flag)) {
			p->rest = t;
			if (c == ':')
				r = re2p_open_group(p, false, STR(""));
			p->flags = flags;
			return r;
		} else {
			break;
		}
	}
	return re2p_error(p, "invalid or unsupported Perl syntax", re2p_between(s, t));
}

/* ---- the whole ---- */

/* Read one element at p->rest. *repeated: it was a repetition operator. */
static int parse_element(struct re2_parser *p, str last_repeat, bool *repeated)
{
	char c = p->rest.p[0];
	uint32_t rune;
	int op, r;

	switch (c) {
	case '(':
		if (p->rest.n >= 2 && p->rest.p[1] == '?')
			return parse_perl_group(p);
		p->rest = re2p_tail(p->rest, 1);
		return re2p_open_group(p, true, STR(""));
	case '|':
		p->rest = re2p_tail(p->rest, 1);
		return re2p_next_branch(p);
	case ')':
		p->rest = re2p_tail(p->rest, 1);
		return re2p_close_group(p);
	case '^':
		op = p->flags & RE2_FLAG_MULTI_LINE ? RE2_BEGIN_LINE : RE2_BEGIN_TEXT;
		break;
	case '$':
		op = p->flags & RE2_FLAG_MULTI_LINE ? RE2_END_LINE : RE2_END_TEXT;
		break;
	case '.':
		op = p->flags & RE2_FLAG_DOT_NL ? RE2_ANY : RE2_ANY_NOT_NL;
		break;
	case '[':
		return re2p_class(p);
	case '*':
	case '+':
	case '?':
		*repeated = true;
		return re2p_repeat(p, last_repeat);
	case '{':
		return re2p_braces(p, last_repeat, repeated);
	case '\\':
		return parse_backslash(p);
	default:
		r = re2p_next_rune(p, &p->rest, &rune);
		return r < 0 ? r : re2p_push_literal(p, rune);
	}
	p->rest = re2p_tail(p->rest, 1);
	return re2p_push_op(p, (enum re2_op)op);
}

static int parse_all(struct re2_parser *p)
{
	str last_repeat = { NULL, 0 };
	struct re2_node *root = NULL;
	int r = re2p_open_group(p, false, STR(""));

	while (r == 0 && p->rest.n > 0) {
		str before = p->rest;
		bool repeated = false;

		r = parse_element(p, last_repeat, &repeated);
		last_repeat = repeated ? before : (str){ NULL, 0 };
	}
	if (r == 0)
		r = re2p_end_alternation(p, &root);
	if (r < 0)
		return r;
	if (p->frames.n != 1)
		return re2p_error(p, "missing closing )", p->re->pattern);
	p->re->root = root;
	p->re->names = arena_array(&p->re->arena, p->names.n, sizeof(str));
	if (!p->re->names)
		return re2p_nomem(p);
	if (p->names.n)
		memcpy(p->re->names, p->names.p, p->names.n * sizeof(str));
	return 0;
}

int re2_parse(struct re2 *re, struct buf *message, struct err *err)
{
	struct re2_parser p = { .re = re, .rest = re->pattern, .message = message, .err = err };
	int r = parse_all(&p);

	vec_done(&p.frames);
	vec_done(&p.items);
	vec_done(&p.alts);
	vec_done(&p.names);
	return r;
}
