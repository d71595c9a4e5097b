/* The lexer: turns the text of a template into tokens. */
#include "template/tmpl_lex.h"

#include "base/ascii.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "go/quote.h"

#include <stdarg.h>
#include <stdio.h>

#define NO_CHAR 0xFFFFFFFFu /* the result of next() at the end */

/* Each state function reads on, and returns whether a token is complete in l->token. */
enum step {
	STEP_AGAIN,
	STEP_TOKEN,
};

static const struct keyword {
	const char *word;
	enum tok_type type;
} keywords[] = {
	{ "block", TOK_BLOCK },
	{ "break", TOK_BREAK },
	{ "continue", TOK_CONTINUE },
	{ "define", TOK_DEFINE },
	{ "else", TOK_ELSE },
	{ "end", TOK_END },
	{ "if", TOK_IF },
	{ "nil", TOK_NIL },
	{ "range", TOK_RANGE },
	{ "template", TOK_TEMPLATE },
	{ "with", TOK_WITH },
};

static const str left_delim = { "{{", 2 }, right_delim = { "}}", 2 };

void tmpl_lex_init(struct tmpl_lexer *l, str input)
{
	memset(l, 0, sizeof(*l));
	l->input = input;
	l->line = 1;
	l->start_line = 1;
}

static str rest_at(const struct tmpl_lexer *l, size_t pos)
{
	return str_sub(l->input, pos, l->input.n);
}

static uint32_t next(struct tmpl_lexer *l)
{
	size_t len;
	uint32_t c;

	if (l->pos >= l->input.n) {
		l->at_eof = true;
		return NO_CHAR;
	}
	c = utf8_decode(rest_at(l, l->pos), &len);
	l->pos += len;
	if (c == '\n')
		l->line++;
	return c;
}

/* The length of the character that ends at l->pos: 1 for an invalid byte. */
static size_t last_char_length(const struct tmpl_lexer *l)
{
	for (size_t n = 4; n > 1; n--) {
		size_t len;

		if (n > l->pos)
			continue;
		(void)utf8_decode(str_sub(l->input, l->pos - n, l->pos), &len);
		if (len == n)
			return n;
	}
	return 1;
}

static void backup(struct tmpl_lexer *l)
{
	if (l->at_eof || l->pos == 0)
		return;
	l->pos -= last_char_length(l);
	if (l->input.p[l->pos] == '\n')
		l->line--;
}

static uint32_t peek(struct tmpl_lexer *l)
{
	uint32_t c = next(l);

	backup(l);
	return c;
}

static size_t newlines(str s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '\n';
	return n;
}

static void set_token(struct tmpl_lexer *l, enum tok_type type)
{
	l->token = (struct token){ type, l->start, l->start_line, str_sub(l->input, l->start, l->pos) };
	l->start = l->pos;
	l->start_line = l->line;
}

static enum step emit(struct tmpl_lexer *l, enum tok_type type)
{
	set_token(l, type);
	return STEP_TOKEN;
}

static void ignore(struct tmpl_lexer *l)
{
	l->line += newlines(str_sub(l->input, l->start, l->pos));
	l->start = l->pos;
	l->start_line = l->line;
}

static bool is_one_of(uint32_t c, const char *set)
{
	return c != NO_CHAR && c != 0 && c < 0x80 && strchr(set, (int)c);
}

static bool accept(struct tmpl_lexer *l, const char *set)
{
	if (is_one_of(next(l), set))
		return true;
	backup(l);
	return false;
}

static void accept_run(struct tmpl_lexer *l, const char *set)
{
	while (is_one_of(next(l), set)) {
	}
	backup(l);
}

static enum step fail(struct tmpl_lexer *l, const char *fmt, ...) PRINTF(2, 3);

static enum step fail(struct tmpl_lexer *l, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(l->message, sizeof(l->message), fmt, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= sizeof(l->message))
		n = (int)strlen(l->message);
	l->token = (struct token){ TOK_ERROR, l->start, l->start_line, { l->message, (size_t)n } };
	l->stopped = true;
	return STEP_TOKEN;
}

/* Fail with a text such as "what U+0024 '$'": %#U of fmt. */
static enum step fail_char(struct tmpl_lexer *l, const char *what, uint32_t c)
{
	char utf8[UTF8_MAX_BYTES + 1] = { 0 };

	if (c == NO_CHAR)
		c = UTF8_REPLACEMENT;
	if (!unicode_is_print(c))
		return fail(l, "%s U+%04X", what, c);
	(void)utf8_encode(c, utf8);
	return fail(l, "%s U+%04X '%s'", what, c, utf8);
}

static enum step fail_number(struct tmpl_lexer *l)
{
	CLEANUP(buf_done) struct buf quoted = BUF_INIT(4096);

	go_quote(&quoted, str_sub(l->input, l->start, l->pos));
	return fail(l, "bad number syntax: %s", quoted.p ? quoted.p : "");
}

static bool is_space(uint32_t c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_alphanumeric(uint32_t c)
{
	return c != NO_CHAR && (c == '_' || unicode_is_letter(c) || unicode_is_digit(c));
}

static bool has_left_trim(str s)
{
	return s.n >= 2 && s.p[0] == '-' && is_space((unsigned char)s.p[1]);
}

static bool has_right_trim(str s)
{
	return s.n >= 2 && is_space((unsigned char)s.p[0]) && s.p[1] == '-';
}

#define TRIM_LENGTH 2 /* the bytes of the marker and the space beside it */

static bool at_right_delim(const struct tmpl_lexer *l, size_t pos, bool *trim)
{
	*trim = has_right_trim(rest_at(l, pos)) && str_has_prefix(rest_at(l, pos + TRIM_LENGTH), right_delim);
	return *trim || str_has_prefix(rest_at(l, pos), right_delim);
}

static size_t spaces_before(str s)
{
	size_t n = s.n;

	while (n > 0 && is_space((unsigned char)s.p[n - 1]))
		n--;
	return s.n - n;
}

static size_t spaces_after(str s)
{
	size_t n = 0;

	while (n < s.n && is_space((unsigned char)s.p[n]))
		n++;
	return n;
}

/* Reads a comment; the input is at its marker. */
static enum step lex_comment(struct tmpl_lexer *l)
{
	ptrdiff_t i;
	bool trim;

	l->pos += 2;
	i = str_find(rest_at(l, l->pos), STR("*/"));
	if (i < 0)
		return fail(l, "unclosed comment");
	l->pos += (size_t)i + 2;
	if (!at_right_delim(l, l->pos, &trim))
		return fail(l, "comment ends before closing delimiter");
	if (trim)
		l->pos += TRIM_LENGTH;
	l->pos += right_delim.n;
	if (trim)
		l->pos += spaces_after(rest_at(l, l->pos));
	ignore(l);
	return STEP_AGAIN;
}

static enum step lex_left_delim(struct tmpl_lexer *l)
{
	size_t after_marker;

	l->pos += left_delim.n;
	after_marker = has_left_trim(rest_at(l, l->pos)) ? TRIM_LENGTH : 0;
	if (str_has_prefix(rest_at(l, l->pos + after_marker), STR("/*"))) {
		l->pos += after_marker;
		ignore(l);
		return lex_comment(l);
	}
	set_token(l, TOK_LEFT_DELIM);
	l->inside = true;
	l->pos += after_marker;
	ignore(l);
	l->paren_depth = 0;
	return STEP_TOKEN;
}

static enum step lex_text(struct tmpl_lexer *l)
{
	ptrdiff_t x = str_find(rest_at(l, l->pos), left_delim);
	size_t trim = 0;

	if (x == 0)
		return lex_left_delim(l);
	if (x < 0) {
		l->pos = l->input.n;
		if (l->pos == l->start)
			return emit(l, TOK_EOF);
		l->line += newlines(str_sub(l->input, l->start, l->pos));
		return emit(l, TOK_TEXT);
	}
	l->pos += (size_t)x;
	if (has_left_trim(rest_at(l, l->pos + left_delim.n)))
		trim = spaces_before(str_sub(l->input, l->start, l->pos));
	l->pos -= trim;
	l->line += newlines(str_sub(l->input, l->start, l->pos));
	set_token(l, TOK_TEXT);
	l->pos += trim;
	ignore(l);
	return l->token.val.n > 0 ? STEP_TOKEN : STEP_AGAIN;
}

static enum step lex_right_delim(struct tmpl_lexer *l)
{
	bool trim;

	(void)at_right_delim(l, l->pos, &trim);
	if (trim) {
		l->pos += TRIM_LENGTH;
		ignore(l);
	}
	l->pos += right_delim.n;
	set_token(l, TOK_RIGHT_DELIM);
	if (trim) {
		l->pos += spaces_after(rest_at(l, l->pos));
		ignore(l);
	}
	l->inside = false;
	return STEP_TOKEN;
}

/* Reads spaces; there is at least one. The last one may belong to a trim marker. */
static enum step lex_space(struct tmpl_lexer *l)
{
	size_t n = 0;
	bool trim;

	while (is_space(peek(l))) {
		(void)next(l);
		n++;
	}
	if (at_right_delim(l, l->pos - 1, &trim) && trim) {
		backup(l);
		if (n == 1)
			return lex_right_delim(l);
	}
	return emit(l, TOK_SPACE);
}

static bool at_terminator(struct tmpl_lexer *l)
{
	uint32_t c = peek(l);

	if (c == NO_CHAR || is_space(c) || is_one_of(c, ".,|:)("))
		return true;
	return str_has_prefix(rest_at(l, l->pos), right_delim);
}

static enum step lex_identifier(struct tmpl_lexer *l)
{
	uint32_t c;
	str word;

	do
		c = next(l);
	while (is_alphanumeric(c));
	backup(l);
	word = str_sub(l->input, l->start, l->pos);
	if (!at_terminator(l))
		return fail_char(l, "bad character", c);
	for (size_t i = 0; i < ARRAY_LEN(keywords); i++) {
		if (str_eq(word, str_from(keywords[i].word)))
			return emit(l, keywords[i].type);
	}
	if (str_eq(word, STR("true")) || str_eq(word, STR("false")))
		return emit(l, TOK_BOOL);
	return emit(l, TOK_IDENTIFIER);
}

/* Read a field or variable, behind its dot or dollar sign. */
static enum step lex_field_or_variable(struct tmpl_lexer *l, enum tok_type type)
{
	uint32_t c;

	if (at_terminator(l))
		return emit(l, type == TOK_VARIABLE ? TOK_VARIABLE : TOK_DOT);
	do
		c = next(l);
	while (is_alphanumeric(c));
	backup(l);
	if (!at_terminator(l))
		return fail_char(l, "bad character", c);
	return emit(l, type);
}

/* Read a character constant or an interpreted string, behind its opening quote. The parser handles escapes. */
static enum step lex_quoted(struct tmpl_lexer *l, char quote, enum tok_type type, const char *error)
{
	for (;;) {
		uint32_t c = next(l);

		if (c == '\\')
			c = next(l);
		else if (c == (uint32_t)quote)
			return emit(l, type);
		if (c == NO_CHAR || c == '\n')
			return fail(l, "%s", error);
	}
}

static enum step lex_raw_quote(struct tmpl_lexer *l)
{
	for (;;) {
		uint32_t c = next(l);

		if (c == NO_CHAR)
			return fail(l, "unterminated raw quoted string");
		if (c == '`')
			return emit(l, TOK_RAW_STRING);
	}
}

/* Read a number, and more than that ("089", "0x0.2"): the parser's conversion finds the mistake. */
static bool scan_number(struct tmpl_lexer *l)
{
	const char *digits = "0123456789_";
	bool decimal = true, hex = false;

	(void)accept(l, "+-");
	if (accept(l, "0")) {
		if (accept(l, "xX")) {
			digits = "0123456789abcdefABCDEF_";
			hex = true;
		} else if (accept(l, "oO")) {
			digits = "01234567_";
		} else if (accept(l, "bB")) {
			digits = "01_";
		}
		decimal = strlen(digits) == 11;
	}
	accept_run(l, digits);
	if (accept(l, "."))
		accept_run(l, digits);
	if ((decimal && accept(l, "eE")) || (hex && accept(l, "pP"))) {
		(void)accept(l, "+-");
		accept_run(l, "0123456789_");
	}
	(void)accept(l, "i");
	if (is_alphanumeric(peek(l))) {
		(void)next(l);
		return false;
	}
	return true;
}

static enum step lex_number(struct tmpl_lexer *l)
{
	uint32_t sign;

	if (!scan_number(l))
		return fail_number(l);
	sign = peek(l);
	if (sign != '+' && sign != '-')
		return emit(l, TOK_NUMBER);
	if (!scan_number(l) || l->input.p[l->pos - 1] != 'i')
		return fail_number(l);
	return emit(l, TOK_COMPLEX);
}

static enum step lex_paren(struct tmpl_lexer *l, bool left)
{
	if (left) {
		l->paren_depth++;
		return emit(l, TOK_LEFT_PAREN);
	}
	l->paren_depth--;
	if (l->paren_depth < 0)
		return fail(l, "unexpected right paren");
	return emit(l, TOK_RIGHT_PAREN);
}

static enum step lex_dot(struct tmpl_lexer *l)
{
	if (l->pos < l->input.n && !ascii_is_digit(l->input.p[l->pos]))
		return lex_field_or_variable(l, TOK_FIELD);
	backup(l);
	return lex_number(l);
}

static enum step lex_inside_action(struct tmpl_lexer *l)
{
	uint32_t c;
	bool trim;

	if (at_right_delim(l, l->pos, &trim))
		return l->paren_depth == 0 ? lex_right_delim(l) : fail(l, "unclosed left paren");
	c = next(l);
	switch (c) {
	case NO_CHAR:
		return fail(l, "unclosed action");
	case '=':
		return emit(l, TOK_ASSIGN);
	case ':':
		return next(l) == '=' ? emit(l, TOK_DECLARE) : fail(l, "expected :=");
	case '|':
		return emit(l, TOK_PIPE);
	case '"':
		return lex_quoted(l, '"', TOK_STRING, "unterminated quoted string");
	case '`':
		return lex_raw_quote(l);
	case '$':
		return lex_field_or_variable(l, TOK_VARIABLE);
	case '\'':
		return lex_quoted(l, '\'', TOK_CHAR_CONSTANT, "unterminated character constant");
	case '.':
		return lex_dot(l);
	case '(':
	case ')':
		return lex_paren(l, c == '(');
	default:
		break;
	}
	if (is_space(c) || is_alphanumeric(c) || c == '+' || c == '-') {
		backup(l);
		if (is_space(c))
			return lex_space(l);
		return c == '+' || c == '-' || (c >= '0' && c <= '9') ? lex_number(l) : lex_identifier(l);
	}
	if (c < 0x7f && c >= ' ')
		return emit(l, TOK_CHAR);
	return fail_char(l, "unrecognized character in action:", c);
}

struct token tmpl_lex_next(struct tmpl_lexer *l)
{
	enum step step = STEP_AGAIN;

	if (l->stopped)
		return (struct token){ TOK_EOF, 0, l->start_line, STR("EOF") };
	while (step == STEP_AGAIN)
		step = l->inside ? lex_inside_action(l) : lex_text(l);
	return l->token;
}

/* The first @n characters of @s. */
static str first_chars(str s, size_t n)
{
	size_t at = 0, len;

	for (; n > 0 && at < s.n; n--) {
		(void)utf8_decode(str_sub(s, at, s.n), &len);
		at += len;
	}
	return str_sub(s, 0, at);
}

void tmpl_token_print(const struct token *t, struct buf *out)
{
	if (t->type == TOK_EOF) {
		buf_add_cstr(out, "EOF");
	} else if (t->type == TOK_ERROR) {
		buf_add_str(out, t->val);
	} else if (t->type > TOK_KEYWORD) {
		buf_add_byte(out, '<');
		buf_add_str(out, t->val);
		buf_add_byte(out, '>');
	} else if (t->val.n > 10) {
		go_quote(out, first_chars(t->val, 10));
		buf_add_cstr(out, "...");
	} else {
		go_quote(out, t->val);
	}
}
