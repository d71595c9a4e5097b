/* Python's regular expressions on PCRE2. */
#include "text/py_regex.h"

#include "base/ascii.h"
#include "base/buf.h"
#include "base/utf8.h"

#include <errno.h>

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#define FIRST_LIMIT 64 /* the first match limit; PCRE2 counts again for each place where a match may start */
#define LIMIT_GROWTH 16
#define LIMIT_MOST (100u * 1000 * 1000)
#define HEAP_KIB (64u * 1024)

struct py_regex {
	pcre2_code *code;
};

/* ---- from Python's syntax to PCRE2's ---- */

struct translation {
	str in;
	size_t at;
	struct buf *out;
	bool ascii, verbose;
	bool started;     /* something other than flags and comments was read */
	const char *flaw; /* the mistake in the pattern */
};

static bool refuse(struct translation *t, const char *flaw)
{
	t->flaw = flaw;
	return false;
}

static char peek(const struct translation *t, size_t ahead)
{
	return t->at + ahead < t->in.n ? t->in.p[t->at + ahead] : '\0';
}

static void copy(struct translation *t, size_t n)
{
	buf_add_str(t->out, str_sub(t->in, t->at, t->at + n));
	t->at += n;
}

/* Translate \xhh, \uhhhh or \Uhhhhhhhh. */
static bool translate_code(struct translation *t, size_t digits)
{
	for (size_t i = 0; i < digits; i++) {
		if (!ascii_is_hex(peek(t, 2 + i)))
			return refuse(t, "incomplete escape");
	}
	buf_add_cstr(t->out, "\\x{");
	t->at += 2;
	copy(t, digits);
	buf_add_byte(t->out, '}');
	return true;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Translate a number: \ooo is a character; any other number that begins with 1 to 9 is a group, which PCRE2 must not
 * take for a character. */
static bool translate_number(struct translation *t)
{
	size_t digits = ascii_is_digit(peek(t, 2)) ? 2 : 1;
	bool octal = is_octal(peek(t, 1)) && is_octal(peek(t, 2)) && is_octal(peek(t, 3));

	if (octal && peek(t, 1) > '3')
		return refuse(t, "octal escape value outside of range 0-0o377");
	buf_add_cstr(t->out, octal ? "\\o{" : "\\g{");
	t->at++;
	copy(t, octal ? 3 : digits);
	buf_add_byte(t->out, '}');
	return true;
}

/* Translate an escape, at its backslash. @letters: those that have the same meaning in both. */
static bool translate_escape(struct translation *t, const char *letters)
{
	char c = peek(t, 1);

	if (t->at + 1 == t->in.n)
		return refuse(t, "bad escape (end of pattern)");
	if (c == 'x' || c == 'u' || c == 'U')
		return translate_code(t, c == 'x' ? 2 : c == 'u' ? 4 : 8);
	if (c >= '1' && c <= '9' && letters[0] == 'A')
		return translate_number(t);
	if (c == 'v' || (c == 'Z' && letters[0] == 'A')) {
		buf_add_cstr(t->out, c == 'v' ? "\\x0b" : "\\z");
		t->at += 2;
		return true;
	}
	if (ascii_is_letter(c) && !strchr(letters, c))
		return refuse(t, "bad escape");
	copy(t, c == '\0' ? 1 : 2);
	return true;
}

static bool translate_class(struct translation *t)
{
	copy(t, peek(t, 1) == '^' ? 2 : 1);
	for (bool first = true; t->at < t->in.n; first = false) {
		char c = peek(t, 0);

		if (c == ']' && !first) {
			copy(t, 1);
			return true;
		}
		if (c == '\\') {
			if (!translate_escape(t, "dDsSwWafnrtb"))
				return false;
			continue;
		}
		if (c == '[' || c == ']') /* "[:alpha:]" is no class of Python */
			buf_add_byte(t->out, '\\');
		copy(t, 1);
	}
	return refuse(t, "unterminated character set");
}

/* (?aiLmsux-imsx) or (?aiLmsux-imsx:...) */
static bool translate_flags(struct translation *t)
{
	size_t before = t->out->n;

	t->at += 2;
	buf_add_cstr(t->out, "(?");
	for (; ascii_is_letter(peek(t, 0)) || peek(t, 0) == '-'; t->at++) {
		char c = peek(t, 0);

		if (!strchr("aimsux-", c))
			return refuse(t, "unknown flag");
		t->ascii |= c == 'a';
		t->verbose |= c == 'x';
		if (c != 'a' && c != 'u')
			buf_add_byte(t->out, c);
	}
	if (peek(t, 0) != ')' && peek(t, 0) != ':')
		return refuse(t, "missing -, : or )");
	if (peek(t, 0) == ')' && t->started)
		return refuse(t, "global flags not at the start of the expression");
	t->started |= peek(t, 0) == ':';
	if (peek(t, 0) == ')' && t->out->n == before + 2) {
		buf_truncate(t->out, before);
		t->at++;
		return true;
	}
	copy(t, 1);
	return true;
}

/* Translate (?(1)yes|no) or (?(name)yes|no). PCRE2 knows other conditions, and takes some names for them. */
static bool translate_conditional(struct translation *t)
{
	size_t end = t->at + 3;
	bool number = ascii_is_digit(peek(t, 3));

	while (end < t->in.n && t->in.p[end] != ')')
		end++;
	buf_add_cstr(t->out, number ? "(?(" : "(?(<");
	t->at += 3;
	while (t->at < end) {
		if (!ascii_is_digit(peek(t, 0)) && (number || (!ascii_is_letter(peek(t, 0)) && peek(t, 0) != '_')))
			return refuse(t, "bad character in group name");
		copy(t, 1);
	}
	if (!number)
		buf_add_byte(t->out, '>');
	return true;
}

static bool translate_group(struct translation *t)
{
	char c = peek(t, 2), d = peek(t, 3);

	if (peek(t, 1) == '*')
		return refuse(t, "nothing to repeat");
	if (peek(t, 1) != '?') {
		copy(t, 1);
		return true;
	}
	if (c == '(')
		return translate_conditional(t);
	if ((ascii_is_letter(c) && c != 'P') || c == '-')
		return translate_flags(t);
	if (c == '#') {
		while (t->at < t->in.n && peek(t, 0) != ')')
			t->at++;
		if (t->at == t->in.n)
			return refuse(t, "missing ), unterminated comment");
		t->at++;
		return true;
	}
	if ((c == 'P' && (d == '<' || d == '=')) || (c == '<' && (d == '=' || d == '!'))) {
		copy(t, 4);
		return true;
	}
	if (c == ':' || c == '=' || c == '!' || c == '>') {
		copy(t, 3);
		return true;
	}
	return refuse(t, "unknown extension");
}

/* Translate {n}, {n,}, {,m} or {n,m}; any other brace matches itself. */
static void translate_brace(struct translation *t)
{
	size_t n = 1, digits;

	while (ascii_is_digit(peek(t, n)))
		n++;
	digits = n - 1;
	if (peek(t, n) == ',') {
		n++;
		while (ascii_is_digit(peek(t, n)))
			n++;
	} else if (digits == 0) {
		n = 0;
	}
	if (n == 0 || peek(t, n) != '}') {
		buf_add_byte(t->out, '\\');
		copy(t, 1);
		return;
	}
	copy(t, 1);
	if (digits == 0)
		buf_add_byte(t->out, '0');
	copy(t, n);
}

static bool is_flags_or_comment(const struct translation *t)
{
	return peek(t, 0) == '(' && peek(t, 1) == '?' &&
	       (peek(t, 2) == '#' || (ascii_is_letter(peek(t, 2)) && peek(t, 2) != 'P'));
}

static bool translate_one(struct translation *t)
{
	switch (peek(t, 0)) {
	case '\\':
		return translate_escape(t, "AbBdDsSwWafnrt");
	case '[':
		return translate_class(t);
	case '(':
		return translate_group(t);
	case '{':
		translate_brace(t);
		return true;
	case '#':
		while (t->verbose && t->at < t->in.n && peek(t, 0) != '\n')
			t->at++;
		if (t->at < t->in.n)
			copy(t, 1);
		return true;
	default:
		copy(t, 1);
		return true;
	}
}

static bool translate(struct translation *t)
{
	while (t->at < t->in.n) {
		if (!is_flags_or_comment(t) && !(t->verbose && strchr(" \t\n#", peek(t, 0))))
			t->started = true;
		if (!translate_one(t))
			return false;
	}
	return true;
}

/* ---- compiling and searching ---- */

static int compile(const struct translation *t, struct py_regex *re, struct err *err)
{
	const uint32_t options = PCRE2_UTF | PCRE2_NEVER_BACKSLASH_C | (t->ascii ? 0 : PCRE2_UCP);
	pcre2_compile_context *c = pcre2_compile_context_create(NULL);
	PCRE2_UCHAR text[256];
	size_t offset;
	int code;

	if (!c)
		return err_nomem(err);
	pcre2_set_newline(c, PCRE2_NEWLINE_LF);
	re->code = pcre2_compile((PCRE2_SPTR)t->out->p, t->out->n, options, &code, &offset, c);
	pcre2_compile_context_free(c);
	if (re->code)
		return 0;
	if (code == PCRE2_ERROR_NOMEMORY || pcre2_get_error_message(code, text, sizeof(text)) < 0)
		return err_nomem(err);
	return err_set(err, EBADMSG, "%s", (const char *)text);
}

int py_regex_compile(str pattern, struct py_regex **ret, struct err *err)
{
	CLEANUP(py_regex_freep) struct py_regex *re = calloc(1, sizeof(*re));
	CLEANUP(buf_done) struct buf text = BUF_INIT(8u * PY_REGEX_MAX);
	struct translation t = { .in = pattern, .out = &text };
	int r;

	if (!re)
		return err_nomem(err);
	if (pattern.n > PY_REGEX_MAX)
		return err_set(err, E2BIG, "longer than %u bytes", PY_REGEX_MAX);
	if (!utf8_valid(pattern))
		return err_set(err, EBADMSG, "not UTF-8");
	buf_add_str(&text, STR("")); /* an empty pattern must have an address, too */
	if (!translate(&t))
		return err_set(err, EBADMSG, "%s at position %zu", t.flaw, t.at);
	r = buf_error(&text, "regular expression", err);
	if (r == 0)
		r = compile(&t, re, err);
	if (r < 0)
		return r;
	*ret = TAKE(re);
	return 0;
}

void py_regex_free(struct py_regex *re)
{
	if (re)
		pcre2_code_free(re->code);
	free(re);
}

void py_regex_scratch_done(struct py_regex_scratch *s)
{
	pcre2_match_data_free(s->data);
	pcre2_match_context_free(s->context);
	*s = (struct py_regex_scratch){ 0 };
}

static int make_scratch(struct py_regex_scratch *s, struct err *err)
{
	if (!s->data)
		s->data = pcre2_match_data_create(1, NULL);
	if (!s->context) {
		s->context = pcre2_match_context_create(NULL);
		if (s->context)
			pcre2_set_heap_limit(s->context, HEAP_KIB);
	}
	return s->data && s->context ? 0 : err_nomem(err);
}

static bool spend(uint64_t *steps, uint64_t n)
{
	if (*steps < n) {
		*steps = 0;
		return false;
	}
	*steps -= n;
	return true;
}

static int too_much(struct err *err)
{
	return err_set(err, E2BIG, "the regular expression takes too many steps");
}

/* Search with a limit that begins low, so that searches which stay below it cost little; before each higher limit
 * its steps are charged. *ret gets PCRE2's answer. */
static int search(const struct py_regex *re, struct py_regex_scratch *s, str text, uint32_t options, uint64_t *steps,
		  int *ret, struct err *err)
{
	if (!spend(steps, 1 + (uint64_t)text.n))
		return too_much(err);
	*ret = PCRE2_ERROR_MATCHLIMIT;
	for (uint32_t limit = FIRST_LIMIT; *ret == PCRE2_ERROR_MATCHLIMIT; limit *= LIMIT_GROWTH) {
		if (limit > LIMIT_MOST ||
		    (limit > FIRST_LIMIT && !spend(steps, (uint64_t)limit / LIMIT_GROWTH * ((uint64_t)text.n + 1))))
			return too_much(err);
		pcre2_set_match_limit(s->context, limit);
		*ret = pcre2_match(re->code, (PCRE2_SPTR)text.p, text.n, 0, options, s->data, s->context);
	}
	return 0;
}

int py_regex_match(const struct py_regex *re, struct py_regex_scratch *s, str text, bool full, uint64_t *steps,
		   struct err *err)
{
	int r = make_scratch(s, err), code = 0;

	if (!text.p)
		text = STR("");
	if (r == 0)
		r = search(re, s, text, full ? PCRE2_ANCHORED | PCRE2_ENDANCHORED : 0, steps, &code, err);
	if (r < 0)
		return r;
	if (code >= 0 || code == PCRE2_ERROR_NOMATCH)
		return code >= 0;
	if (code == PCRE2_ERROR_HEAPLIMIT || code == PCRE2_ERROR_DEPTHLIMIT)
		return too_much(err);
	return code == PCRE2_ERROR_NOMEMORY ? err_nomem(err) : err_set(err, EBADMSG, "text that is not UTF-8");
}
