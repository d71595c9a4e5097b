/* Finds the tokens of an expression. */
#include "cel/cel_lex.h"

#include "base/ascii.h"
#include "base/number.h"
#include "base/utf8.h"

static int peek(const struct cel_lexer *l, size_t ahead)
{
	size_t i = l->at + ahead;

	return i < l->source.n ? (unsigned char)l->source.p[i] : -1;
}

static bool is_ident(int c)
{
	return c == '_' || ascii_is_digit(c) || ascii_is_letter(c);
}

/* Skip WHITESPACE (tab, space, CR, LF, FF) and COMMENT ("//" to the end of the line). */
static void skip_space(struct cel_lexer *l)
{
	for (;;) {
		int c = peek(l, 0);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f') {
			l->at++;
		} else if (c == '/' && peek(l, 1) == '/') {
			while (peek(l, 0) >= 0 && peek(l, 0) != '\n')
				l->at++;
		} else {
			return;
		}
	}
}

/* The length of the escape sequence @from bytes ahead, or of the text up to the character at which it becomes
 * invalid: *ok says which. */
static size_t escape_length(const struct cel_lexer *l, size_t from, bool *ok)
{
	int c = peek(l, from + 1);
	size_t digits = c == 'x' || c == 'X' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
	bool octal = c >= '0' && c <= '3';

	*ok = c > 0 && strchr("abfnrtv\"'\\?`", c);
	if (*ok)
		return 2;
	if (octal)
		digits = 2;
	for (size_t i = 0; i < digits; i++) {
		int d = peek(l, from + 2 + i);

		if (octal ? d < '0' || d > '7' : !ascii_is_hex(d))
			return 2 + i;
	}
	*ok = digits > 0;
	return *ok ? 2 + digits : 1;
}

/* The length of the string literal that starts @from bytes ahead (at a quote), or of the text up to the character at
 * which it becomes invalid, or up to the end of the text: *ok says which. */
static size_t string_length(const struct cel_lexer *l, size_t from, bool raw, bool *ok)
{
	int quote = peek(l, from);
	bool triple = peek(l, from + 1) == quote && peek(l, from + 2) == quote;
	size_t i = from + (triple ? 3 : 1), n;

	*ok = false;
	for (;; i += n) {
		int c = peek(l, i);

		n = 1;
		if (c < 0 || (!triple && (c == '\n' || c == '\r')))
			return i;
		if (c == '\\' && !raw) {
			n = escape_length(l, i, ok);
			if (!*ok)
				return i + n;
			*ok = false;
		} else if (c == quote && (!triple || (peek(l, i + 1) == quote && peek(l, i + 2) == quote))) {
			*ok = true;
			return i + (triple ? 3 : 1);
		}
	}
}

static struct cel_token token(struct cel_lexer *l, enum cel_token_kind kind, size_t n)
{
	struct cel_token t = { .kind = (uint8_t)kind, .at = l->at, .text = str_sub(l->source, l->at, l->at + n) };

	l->at += (uint32_t)t.text.n;
	return t;
}

/* Make a TOK_BAD of @n bytes that could begin a token, and the character behind these. */
static struct cel_token no_token(struct cel_lexer *l, size_t n)
{
	size_t more = 0;

	if (peek(l, n) >= 0)
		(void)utf8_decode(str_sub(l->source, l->at + n, l->source.n), &more);
	return token(l, TOK_BAD, n + more);
}

/* ("r" | "R" | "b" | "B" in any order, at most one each) quote …; one that does not end begins with a shorter token,
 * where there is one: its prefix as a name, or the empty string of its first two quotes. */
static bool lex_string(struct cel_lexer *l, struct cel_token *ret)
{
	bool raw = false, bytes = false, ok;
	size_t i = 0, n;

	for (; i < 2; i++) {
		int c = peek(l, i) | 0x20;

		if (c == 'r' && !raw)
			raw = true;
		else if (c == 'b' && !bytes)
			bytes = true;
		else
			break;
	}
	if (peek(l, i) != '"' && peek(l, i) != '\'')
		return false;
	n = string_length(l, i, raw, &ok);
	if (!ok && peek(l, i + 1) == peek(l, i) && peek(l, i + 2) == peek(l, i)) {
		n = i + 2;
		ok = true;
	}
	if (ok)
		*ret = token(l, bytes ? TOK_BYTES : TOK_STRING, n);
	else if (i == 0)
		*ret = no_token(l, n);
	return ok || i == 0;
}

static struct cel_token lex_number(struct cel_lexer *l)
{
	size_t n = 0, e;
	bool is_double = false;

	if (peek(l, 0) == '0' && peek(l, 1) == 'x' && ascii_is_hex(peek(l, 2))) {
		for (n = 3; ascii_is_hex(peek(l, n)); n++)
			;
		if ((peek(l, n) | 0x20) == 'u')
			return token(l, TOK_UINT, n + 1);
		return token(l, TOK_INT, n);
	}
	while (ascii_is_digit(peek(l, n)))
		n++;
	if (peek(l, n) == '.' && ascii_is_digit(peek(l, n + 1))) {
		is_double = true;
		for (n++; ascii_is_digit(peek(l, n)); n++)
			;
	}
	e = n;
	if (peek(l, e) == 'e' || peek(l, e) == 'E') {
		e++;
		if (peek(l, e) == '+' || peek(l, e) == '-')
			e++;
		if (ascii_is_digit(peek(l, e))) {
			is_double = true;
			for (n = e; ascii_is_digit(peek(l, n)); n++)
				;
		}
	}
	if (!is_double && (peek(l, n) | 0x20) == 'u')
		return token(l, TOK_UINT, n + 1);
	return token(l, is_double ? TOK_DOUBLE : TOK_INT, n);
}

static struct cel_token lex_word(struct cel_lexer *l)
{
	static const struct {
		str word;
		uint8_t kind;
	} words[] = {
		{ { "true", 4 }, TOK_TRUE },
		{ { "false", 5 }, TOK_FALSE },
		{ { "null", 4 }, TOK_NULL },
		{ { "in", 2 }, TOK_IN },
	};
	struct cel_token t;
	size_t n = 1;

	while (is_ident(peek(l, n)))
		n++;
	t = token(l, TOK_IDENT, n);
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(t.text, words[i].word))
			t.kind = words[i].kind;
	}
	return t;
}

bool cel_is_reserved(str name)
{
	static const char *const words[] = { "as",        "break",  "const",  "continue", "else", "for",
					     "function",  "if",     "import", "let",      "loop", "package",
					     "namespace", "return", "var",    "void",     "while" };

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (str_eq(name, str_from(words[i])))
			return true;
	}
	return false;
}

/* ESC_IDENTIFIER: '`' (LETTER | DIGIT | '_' | '.' | '-' | '/' | ' ')+ '`' */
static struct cel_token lex_escaped(struct cel_lexer *l)
{
	size_t n = 1;

	while (is_ident(peek(l, n)) || peek(l, n) == '.' || peek(l, n) == '-' || peek(l, n) == '/' || peek(l, n) == ' ')
		n++;
	if (n == 1 || peek(l, n) != '`')
		return no_token(l, n);
	return token(l, TOK_ESCAPED_IDENT, n + 1);
}

static struct cel_token lex_operator(struct cel_lexer *l)
{
	static const struct {
		char text[3];
		uint8_t kind;
	} operators[] = {
		{ "==", TOK_EQ },      { "!=", TOK_NE },      { "<=", TOK_LE },      { ">=", TOK_GE },
		{ "&&", TOK_AND },     { "||", TOK_OR },      { "<", TOK_LT },       { ">", TOK_GT },
		{ "[", TOK_LBRACKET }, { "]", TOK_RBRACKET }, { "{", TOK_LBRACE },   { "}", TOK_RBRACE },
		{ "(", TOK_LPAREN },   { ")", TOK_RPAREN },   { ".", TOK_DOT },      { ",", TOK_COMMA },
		{ "-", TOK_MINUS },    { "!", TOK_NOT },      { "?", TOK_QUESTION }, { ":", TOK_COLON },
		{ "+", TOK_PLUS },     { "*", TOK_STAR },     { "/", TOK_SLASH },    { "%", TOK_PERCENT },
	};
	str rest = str_sub(l->source, l->at, l->source.n);

	for (size_t i = 0; i < ARRAY_LEN(operators); i++) {
		if (str_has_prefix(rest, str_from(operators[i].text)))
			return token(l, operators[i].kind, strlen(operators[i].text));
	}
	return no_token(l, rest.p[0] && strchr("=&|", rest.p[0]) ? 1 : 0);
}

struct cel_token cel_lex(struct cel_lexer *l)
{
	struct cel_token t;
	int c;

	skip_space(l);
	c = peek(l, 0);
	if (c < 0)
		return token(l, TOK_END, 0);
	if (lex_string(l, &t))
		return t;
	if (ascii_is_digit(c) || (c == '.' && ascii_is_digit(peek(l, 1))))
		return lex_number(l);
	if (is_ident(c))
		return lex_word(l);
	return c == '`' ? lex_escaped(l) : lex_operator(l);
}

/* ---- the content of strings ---- */

static size_t put_code(char *out, int64_t code, bool as_byte)
{
	if (!as_byte)
		return utf8_encode((uint32_t)code, out);
	out[0] = (char)code;
	return 1;
}

/* Decode one escape sequence behind the backslash: *used bytes of @s become *made bytes in @out. Returns NULL, or
 * the mistake. */
static const char *unescape(str s, bool bytes, char *out, size_t *used, size_t *made)
{
	static const char from[] = "abfnrtv\\'\"`?", to[] = "\a\b\f\n\r\t\v\\'\"`?";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	const char *simple = s.n && s.p[0] ? strchr(from, s.p[0]) : NULL;
	size_t digits = 0, skip = 1;
	int base = 16;
	int64_t code;

	*used = *made = 1;
	if (simple) {
		out[0] = to[simple - from];
		return NULL;
	}
	if (s.n == 0)
		return "unable to unescape string, found '\\' as last character";
	switch (s.p[0]) {
	case 'x':
	case 'X':
		digits = 2;
		break;
	case 'u':
		digits = 4;
		break;
	case 'U':
		digits = 8;
		break;
	case '0':
	case '1':
	case '2':
	case '3':
		digits = 3;
		skip = 0;
		base = 8;
		break;
	default:
		return "unable to unescape string";
	}
	if (bytes && (s.p[0] == 'u' || s.p[0] == 'U'))
		return "unable to unescape string";
	code = digits_parse(str_sub(s, skip, s.n), digits, base);
	if (code < 0 || (digits >= 4 && (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))))
		return "unable to unescape string";
	*used = skip + digits;
	*made = put_code(out, code, bytes);
	return NULL;
}

const char *cel_unquote(const struct cel_token *t, struct arena *a, str *ret)
{
	bool raw = false, bytes = t->kind == TOK_BYTES;
	str s = t->text;
	size_t quotes, n = 0;
	char *out;

	while (s.p[0] != '"' && s.p[0] != '\'') {
		raw |= (s.p[0] | 0x20) == 'r';
		s = str_sub(s, 1, s.n);
	}
	quotes = s.n >= 6 && s.p[1] == s.p[0] && s.p[2] == s.p[0] ? 3 : 1;
	s = str_sub(s, quotes, s.n - quotes);
	out = arena_alloc(a, s.n + UTF8_MAX_BYTES + 1);
	*ret = (str){ NULL, 0 };
	if (!out)
		return NULL;
	for (size_t i = 0; i < s.n;) {
		size_t used, made;
		const char *problem;

		if (s.p[i] == '\r') { /* line ends are normalised */
			out[n++] = '\n';
			i += i + 1 < s.n && s.p[i + 1] == '\n' ? 2 : 1;
			continue;
		}
		if (raw || s.p[i] != '\\') {
			out[n++] = s.p[i++];
			continue;
		}
		problem = unescape(str_sub(s, i + 1, s.n), bytes, out + n, &used, &made);
		if (problem)
			return problem;
		i += 1 + used;
		n += made;
	}
	*ret = (str){ out, n };
	return NULL;
}
