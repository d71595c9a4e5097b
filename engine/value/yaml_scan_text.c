/* Scans the tokens that carry text: scalars, directives, anchors and tags. */
#include "base/ascii.h"
#include "base/bytes16.h"
#include "base/utf8.h"
#include "value/yaml_scan.h"

#include <errno.h>

/* ---- folding ---- */

/* Append a line break: "\n", except that the two Unicode separators are kept. */
static void add_break(struct buf *out, const char *p)
{
	if (*p == '\xE2')
		buf_add(out, p, 3);
	else
		buf_add_byte(out, '\n');
}

/* Append the line breaks in [from, to), between which there are only blanks; returns how many. */
static size_t add_breaks(struct buf *out, const char *from, const char *to)
{
	size_t n = 0;

	while (from < to) {
		size_t width = yaml_break_width(from);

		if (width) {
			add_break(out, from);
			n++;
		}
		from += width ? width : 1;
	}
	return n;
}

/* Append the white space [from, to) of a flow scalar, folded: one break is a space, and further ones stay. Behind an
 * escaped break (@escaped) nothing folds. */
static void fold_space(struct buf *out, const char *from, const char *to, bool escaped)
{
	while (!escaped && from < to && !yaml_break_width(from))
		from++;
	if (!escaped && from < to) {
		size_t width = yaml_break_width(from);
		bool separator = *from == '\xE2';

		if (separator)
			add_break(out, from);
		if (add_breaks(out, from + width, to) == 0 && !separator)
			buf_add_byte(out, ' ');
		return;
	}
	add_breaks(out, from, to);
}

/* The text of a scalar: a slice of the input as long as nothing in it has to change, else the scratch buffer. */
struct pieces {
	struct yaml_scanner *s;
	const char *from; /* start of the piece that is not yet in the scratch buffer */
	bool built;
};

static void begin(struct pieces *p, struct yaml_scanner *s)
{
	*p = (struct pieces){ .s = s, .from = s->at };
}

/* Move the piece that ends at @to into the buffer. */
static struct buf *build(struct pieces *p, const char *to)
{
	if (!p->built)
		buf_clear(p->s->scratch);
	p->built = true;
	if (to > p->from)
		buf_add(p->s->scratch, p->from, (size_t)(to - p->from));
	return p->s->scratch;
}

static int finish(struct pieces *p, const char *to, struct yaml_token *t)
{
	struct yaml_scanner *s = p->s;

	t->type = YAML_TOKEN_SCALAR;
	t->text = (str){ p->from, (size_t)(to - p->from) };
	if (!p->built)
		return 0;
	build(p, to);
	if (buf_error(s->scratch, "a YAML scalar", s->err) < 0)
		return -s->err->code;
	t->text = arena_str(s->arena, buf_str(s->scratch));
	return t->text.p ? 0 : arena_error(s->arena, s->err);
}

/* ---- plain scalars ---- */

/* Step over ASCII characters that mean nothing in block style. The padding of the text allows each read. */
static const char *skip_letters(const char *p)
{
	for (;; p += 16) {
		bytes16 c = bytes16_load(p);
		size_t n = bytes16_first((bytes16)((bytes16)(c - 0x21) > 0x5D) | (bytes16)(c == ':'));

		if (n < 16)
			return p + n;
	}
}

/* The first character at or behind @p that may end a plain scalar. */
static const char *plain_run(const char *p, bool in_flow)
{
	const uint8_t stop = YAML_C_BLANK | YAML_C_BREAK | YAML_C_END | YAML_C_COLON | (in_flow ? YAML_C_FLOW : 0);

	for (;; p++) {
		uint8_t c;

		if (!in_flow)
			p = skip_letters(p);
		while (!((c = yaml_class_at(p)) & stop))
			p++;
		if (c & YAML_C_COLON) {
			if (yaml_is_blankz(p + 1))
				return p;
		} else if (!(c & YAML_C_BREAK) || yaml_break_width(p)) {
			return p;
		}
	}
}

/* Step over blanks and breaks; *broken says whether there was a break. @indent: below this column a tab behind a break
 * is an error (0: never). */
static int skip_space(struct yaml_scanner *s, size_t indent, bool *broken)
{
	for (;;) {
		size_t width;

		if (yaml_is_blank(s->at)) {
			if (*broken && *s->at == '\t' && indent && yaml_column(s) < indent)
				return yaml_scan_error(s, "found a tab character that violates indentation");
			s->at++;
			continue;
		}
		width = yaml_break_width(s->at);
		if (!width)
			return 0;
		*broken = true;
		yaml_next_line(s, width);
	}
}

/* Whether only a line that is less indented than @indent follows the break at @stop: then it is stepped over, and
 * the scalar is complete. */
static bool ends_with_line(struct yaml_scanner *s, const char *stop, size_t indent)
{
	const char *p = stop + 1;

	if (s->flow_level > 0 || s->in.problem || *stop != '\n')
		return false;
	for (size_t n = 16; n == 16; p += n)
		n = bytes16_first((bytes16)(bytes16_load(p) != ' '));
	if ((size_t)(p - stop) - 1 >= indent || (yaml_class_at(p) & (YAML_C_BLANK | YAML_C_BREAK)))
		return false;
	s->at = stop;
	yaml_next_line(s, 1);
	s->at = p;
	s->key_allowed = true;
	return true;
}

int yaml_scan_plain(struct yaml_scanner *s, struct yaml_token *t)
{
	size_t indent = (size_t)(s->indent + 1);
	const char *end = s->at, *space = s->at; /* end of the text so far, start of the white space behind it */
	bool broken = false;
	struct pieces text;

	t->line = s->line;
	t->plain = true;
	begin(&text, s);
	for (;;) {
		const char *stop;
		int r = yaml_need(s, 4);

		if (r < 0)
			return r;
		if ((s->at == s->line_start && yaml_is_document_mark(s->at)) || *s->at == '#')
			break;
		stop = plain_run(s->at, s->flow_level > 0);
		if (stop > s->at && broken) {
			fold_space(build(&text, end), space, s->at, false);
			text.from = s->at;
			broken = false;
		}
		if (stop > s->at)
			end = stop;
		if (ends_with_line(s, stop, indent))
			break;
		s->at = stop;
		r = yaml_need(s, 2);
		if (r < 0)
			return r;
		if (!yaml_is_blank(s->at) && !yaml_is_break(s->at))
			break;
		space = s->at;
		r = skip_space(s, indent, &broken);
		if (r < 0)
			return r;
		if (s->flow_level == 0 && yaml_column(s) < indent)
			break;
	}
	if (broken)
		s->key_allowed = true;
	return finish(&text, end, t);
}

/* ---- quoted scalars ---- */

/* The meaning of a single character behind "\"; NULL when it has none. */
static const char *short_escape(char c, size_t *n)
{
	*n = 1;
	switch (c) {
	case '0':
		return "\0";
	case 'a':
		return "\a";
	case 'b':
		return "\b";
	case 't':
	case '\t':
		return "\t";
	case 'n':
		return "\n";
	case 'v':
		return "\v";
	case 'f':
		return "\f";
	case 'r':
		return "\r";
	case 'e':
		return "\x1B";
	case ' ':
		return " ";
	case '"':
		return "\"";
	case '\'':
		return "'";
	case '\\':
		return "\\";
	case 'N':
		*n = 2;
		return "\xC2\x85";
	case '_':
		*n = 2;
		return "\xC2\xA0";
	case 'L':
		*n = 3;
		return "\xE2\x80\xA8";
	case 'P':
		*n = 3;
		return "\xE2\x80\xA9";
	default:
		return NULL;
	}
}

/* Read the escape at s->at, which is a "\" that is not followed by a line break. */
static int scan_escape(struct yaml_scanner *s, struct buf *out)
{
	char kind = s->at[1];
	size_t digits = kind == 'x' ? 2 : kind == 'u' ? 4 : kind == 'U' ? 8 : 0, n;
	const char *plain = short_escape(kind, &n);
	uint32_t c = 0;

	if (plain) {
		buf_add(out, plain, n);
		s->at += 2;
		return 0;
	}
	if (!digits)
		return yaml_scan_error(s, "found unknown escape character");
	s->at += 2;
	if (yaml_need(s, (ptrdiff_t)digits) < 0)
		return -s->err->code;
	for (size_t i = 0; i < digits; i++) {
		int value = ascii_hex_value(s->at[i]);

		if (value < 0)
			return yaml_scan_error(s, "did not find expected hexdecimal number");
		c = c << 4 | (uint32_t)value;
	}
	if ((c >= 0xD800 && c <= 0xDFFF) || c > 0x10FFFF)
		return yaml_scan_error(s, "found invalid Unicode character escape code");
	buf_add_utf8(out, c);
	s->at += digits;
	return 0;
}

/* Read the characters up to white space, the closing quote or the end. *escaped: stopped behind a "\" at the end of
 * a line. */
static int scan_quoted_run(struct yaml_scanner *s, bool single, struct pieces *text, bool *escaped)
{
	for (;;) {
		char c = *s->at;
		uint8_t class = yaml_class_at(s->at);

		if (c == '\'' && single) {
			if (s->at[1] != '\'')
				return yaml_need(s, 2);
			build(text, s->at + 1);
			s->at += 2;
			text->from = s->at;
		} else if (c == '"' && !single) {
			return yaml_need(s, 2);
		} else if (c == '\\' && !single) {
			int r = yaml_need(s, 3);

			if (r < 0)
				return r;
			build(text, s->at);
			if (yaml_is_break(s->at + 1)) {
				s->at++;
				yaml_next_line(s, yaml_break_width(s->at));
				text->from = s->at;
				*escaped = true;
				return 0;
			}
			r = scan_escape(s, s->scratch);
			if (r < 0)
				return r;
			text->from = s->at;
		} else if ((class & (YAML_C_BLANK | YAML_C_END)) ||
			   ((class & YAML_C_BREAK) && yaml_break_width(s->at))) {
			return 0;
		} else {
			s->at++;
		}
	}
}

int yaml_scan_quoted(struct yaml_scanner *s, bool single, struct yaml_token *t)
{
	const char quote = *s->at;
	struct pieces text;

	t->line = s->line;
	s->at++;
	begin(&text, s);
	for (;;) {
		bool escaped = false, broken;
		const char *space;
		int r = yaml_need(s, 4);

		if (r < 0)
			return r;
		if (s->at == s->line_start && yaml_is_document_mark(s->at))
			return yaml_scan_error(s, "found unexpected document indicator");
		if (*s->at == '\0')
			return yaml_scan_error(s, "found unexpected end of stream");
		r = scan_quoted_run(s, single, &text, &escaped);
		if (r < 0)
			return r;
		if (*s->at == quote)
			break;
		space = s->at;
		broken = escaped;
		r = skip_space(s, 0, &broken);
		if (r < 0)
			return r;
		if (broken) {
			fold_space(build(&text, escaped ? text.from : space), space, s->at, escaped);
			text.from = s->at;
		}
	}
	s->at++;
	return finish(&text, s->at - 1, t);
}

/* ---- block scalars ---- */

struct block_header {
	int chomp;     /* -1: "-", 0, +1: "+" */
	size_t indent; /* 0: the first line decides */
};

/* ("+" | "-")? digit? or digit? ("+" | "-")?, then blanks, a comment and the end of the line. */
static int scan_block_header(struct yaml_scanner *s, struct block_header *h)
{
	bool digit_seen = false;

	for (int i = 0; i < 2; i++) {
		char c = *s->at;

		if (h->chomp == 0 && (c == '+' || c == '-')) {
			h->chomp = c == '+' ? 1 : -1;
		} else if (!digit_seen && ascii_is_digit(c)) {
			if (c == '0')
				return yaml_scan_error(s, "found an indentation indicator equal to 0");
			digit_seen = true;
			h->indent = (size_t)(c - '0') + (s->indent > 0 ? (size_t)s->indent : 0);
		} else {
			break;
		}
		s->at++;
	}
	while (yaml_is_blank(s->at))
		s->at++;
	if (*s->at == '#') {
		while (!yaml_is_breakz(s->at))
			s->at++;
	}
	if (*s->at == '\0' && s->in.problem)
		return yaml_reader_problem(s);
	if (!yaml_is_breakz(s->at))
		return yaml_scan_error(s, "did not find expected comment or line break");
	if (*s->at)
		yaml_next_line(s, yaml_break_width(s->at));
	return 0;
}

/* Step over indentation and empty lines; find out the indentation when it is not known yet. */
static int skip_block_breaks(struct yaml_scanner *s, size_t *indent)
{
	size_t widest = 0;

	for (;;) {
		size_t column = yaml_column(s), width;

		while ((*indent == 0 || column < *indent) && *s->at == ' ') {
			s->at++;
			column++;
		}
		if (column > widest)
			widest = column;
		if ((*indent == 0 || column < *indent) && *s->at == '\t')
			return yaml_scan_error(s, "found a tab character where an indentation space is expected");
		width = yaml_break_width(s->at);
		if (!width)
			break;
		yaml_next_line(s, width);
	}
	if (*s->at == '\0' && s->in.problem)
		return yaml_reader_problem(s);
	if (*indent == 0) {
		*indent = widest;
		if ((ptrdiff_t)*indent < s->indent + 1)
			*indent = (size_t)(s->indent + 1);
		if (*indent < 1)
			*indent = 1;
	}
	return 0;
}

/* The end of the line in which the scanner is. */
static const char *line_end(const struct yaml_scanner *s)
{
	const char *p = s->at;

	if (s->in.ascii) {
		const char *end = memchr(p, '\n', (size_t)(s->end - p));
		const char *other = memchr(p, '\r', (size_t)((end ? end : s->end) - p));

		return other ? other : end ? end : s->end;
	}
	while (!(yaml_class_at(p) & (YAML_C_BREAK | YAML_C_END)) || !yaml_is_breakz(p))
		p++;
	return p;
}

int yaml_scan_block(struct yaml_scanner *s, bool literal, struct yaml_token *t)
{
	struct block_header h = { 0 };
	const char *last_break = NULL,
		   *space; /* the break behind the last line; start of the empty lines behind that */
	bool was_blank = false;
	struct buf *out = s->scratch;
	int r;

	t->type = YAML_TOKEN_SCALAR;
	t->line = s->line;
	s->at++;
	buf_clear(out);
	r = scan_block_header(s, &h);
	space = s->at;
	if (r == 0)
		r = skip_block_breaks(s, &h.indent);
	while (r == 0 && *s->at && yaml_column(s) == h.indent) {
		bool blank = yaml_is_blank(s->at);
		const char *end;

		if (!literal && !was_blank && !blank && last_break && *last_break != '\xE2') {
			if (add_breaks(out, space, s->at) == 0)
				buf_add_byte(out, ' ');
		} else {
			if (last_break)
				add_break(out, last_break);
			add_breaks(out, space, s->at);
		}
		was_blank = blank;
		end = line_end(s);
		buf_add(out, s->at, (size_t)(end - s->at));
		s->at = end;
		last_break = *end ? end : NULL;
		if (*end)
			yaml_next_line(s, yaml_break_width(end));
		space = s->at;
		r = skip_block_breaks(s, &h.indent);
	}
	if (r < 0)
		return r;
	if (h.chomp != -1 && last_break)
		add_break(out, last_break);
	if (h.chomp == 1)
		add_breaks(out, space, s->at);
	if (buf_error(out, "a YAML scalar", s->err) < 0)
		return -s->err->code;
	t->text = arena_str(s->arena, buf_str(out));
	return t->text.p ? 0 : arena_error(s->arena, s->err);
}

/* ---- anchors, aliases, tags ---- */

static str scan_word(struct yaml_scanner *s)
{
	const char *from = s->at;

	while (yaml_class_at(s->at) & YAML_C_WORD)
		s->at++;
	return (str){ from, (size_t)(s->at - from) };
}

int yaml_scan_anchor(struct yaml_scanner *s, struct yaml_token *t)
{
	t->type = *s->at == '*' ? YAML_TOKEN_ALIAS : YAML_TOKEN_ANCHOR;
	t->line = s->line;
	s->at++;
	t->text = scan_word(s);
	if (yaml_need(s, 1) < 0)
		return -s->err->code;
	if (t->text.n == 0 || (!yaml_is_blankz(s->at) && !strchr("?:,]}%@`", *s->at)))
		return yaml_scan_error(s, "did not find expected alphabetic or numeric character");
	return 0;
}

/* Read one UTF-8 character that is written as %XX for each byte. */
static int scan_uri_escape(struct yaml_scanner *s, struct buf *out)
{
	size_t left = 0;
	bool first = true;

	do {
		int high = *s->at == '%' ? ascii_hex_value(s->at[1]) : -1,
		    low = high < 0 ? -1 : ascii_hex_value(s->at[2]);
		unsigned octet = (unsigned)(high * 16 + low);

		if (yaml_need(s, 3) < 0)
			return -s->err->code;
		if (low < 0)
			return yaml_scan_error(s, "did not find URI escaped octet");
		if (first) {
			left = octet < 0x80             ? 1
			       : (octet & 0xE0) == 0xC0 ? 2
			       : (octet & 0xF0) == 0xE0 ? 3
			       : (octet & 0xF8) == 0xF0 ? 4
							: 0;
			if (!left)
				return yaml_scan_error(s, "found an incorrect leading UTF-8 octet");
			first = false;
		} else if ((octet & 0xC0) != 0x80) {
			return yaml_scan_error(s, "found an incorrect trailing UTF-8 octet");
		}
		buf_add_byte(out, (char)octet);
		s->at += 3;
	} while (--left);
	return 0;
}

/* Read URI characters, and put them behind those of @head (without its "!"). */
static int scan_uri(struct yaml_scanner *s, str head, str *ret)
{
	struct buf *out = s->scratch;
	const char *from = s->at;

	buf_clear(out);
	buf_add_str(out, str_sub(head, 1, head.n));
	while (yaml_class_at(s->at) & YAML_C_URI) {
		if (*s->at == '%') {
			int r = scan_uri_escape(s, out);

			if (r < 0)
				return r;
		} else {
			buf_add_byte(out, *s->at++);
		}
	}
	if (yaml_need(s, 1) < 0)
		return -s->err->code;
	if (head.n == 0 && s->at == from)
		return yaml_scan_error(s, "did not find expected tag URI");
	if (buf_error(out, "a YAML tag", s->err) < 0)
		return -s->err->code;
	*ret = arena_str(s->arena, buf_str(out));
	return ret->p ? 0 : arena_error(s->arena, s->err);
}

/* Read "!", "!word" or "!word!"; a directive may have no "!word". */
static int scan_tag_handle(struct yaml_scanner *s, bool directive, str *ret)
{
	const char *from = s->at;

	if (*s->at != '!')
		return yaml_scan_error(s, "did not find expected '!'");
	s->at++;
	scan_word(s);
	if (*s->at == '!')
		s->at++;
	else if (directive && s->at - from != 1)
		return yaml_scan_error(s, "did not find expected '!'");
	*ret = (str){ from, (size_t)(s->at - from) };
	return 0;
}

static int scan_tag_name(struct yaml_scanner *s, struct yaml_token *t)
{
	str handle = { NULL, 0 };
	int r;

	if (s->at[1] == '<') {
		s->at += 2;
		r = scan_uri(s, (str){ "", 0 }, &t->suffix);
		if (r < 0)
			return r;
		if (*s->at != '>')
			return yaml_scan_error(s, "did not find the expected '>'");
		s->at++;
		return 0;
	}
	r = scan_tag_handle(s, false, &handle);
	if (r < 0)
		return r;
	if (handle.n > 1 && handle.p[handle.n - 1] == '!') {
		t->text = handle;
		return scan_uri(s, (str){ "", 0 }, &t->suffix);
	}
	r = scan_uri(s, handle, &t->suffix);
	if (r < 0)
		return r;
	if (t->suffix.n)
		t->text = STR("!");
	else
		t->suffix = STR("!");
	return 0;
}

int yaml_scan_tag(struct yaml_scanner *s, struct yaml_token *t)
{
	int r;

	t->type = YAML_TOKEN_TAG;
	t->line = s->line;
	t->text = t->suffix = (str){ "", 0 };
	r = scan_tag_name(s, t);
	if (r == 0)
		r = yaml_need(s, 1);
	if (r < 0)
		return r;
	return yaml_is_blankz(s->at) ? 0 : yaml_scan_error(s, "did not find expected whitespace or line break");
}

/* ---- directives ---- */

static void skip_blanks(struct yaml_scanner *s)
{
	while (yaml_is_blank(s->at))
		s->at++;
}

static int scan_version_number(struct yaml_scanner *s, size_t *ret)
{
	size_t n = 0;

	*ret = 0;
	for (; ascii_is_digit(*s->at); s->at++) {
		if (++n > 2)
			return yaml_scan_error(s, "found extremely long version number");
		*ret = *ret * 10 + (size_t)(*s->at - '0');
	}
	return n ? 0 : yaml_scan_error(s, "did not find expected version number");
}

static int scan_version(struct yaml_scanner *s, struct yaml_token *t)
{
	size_t major, minor;
	int r;

	t->type = YAML_TOKEN_VERSION;
	r = scan_version_number(s, &major);
	if (r < 0)
		return r;
	if (*s->at != '.')
		return yaml_scan_error(s, "did not find expected digit or '.' character");
	s->at++;
	r = scan_version_number(s, &minor);
	if (r == 0)
		t->text.n = 100 * major + minor;
	return r;
}

static int scan_tag_directive(struct yaml_scanner *s, struct yaml_token *t)
{
	int r;

	t->type = YAML_TOKEN_TAG_DIRECTIVE;
	r = scan_tag_handle(s, true, &t->text);
	if (r < 0)
		return r;
	if (!yaml_is_blank(s->at))
		return yaml_scan_error(s, "did not find expected whitespace");
	skip_blanks(s);
	r = scan_uri(s, (str){ "", 0 }, &t->suffix);
	if (r < 0)
		return r;
	return yaml_is_blankz(s->at) ? 0 : yaml_scan_error(s, "did not find expected whitespace or line break");
}

int yaml_scan_directive(struct yaml_scanner *s, struct yaml_token *t)
{
	str name;
	int r;

	t->line = s->line;
	s->at++;
	name = scan_word(s);
	if (name.n == 0)
		return yaml_scan_error(s, "could not find expected directive name");
	if (!yaml_is_blankz(s->at))
		return yaml_scan_error(s, "found unexpected non-alphabetical character");
	skip_blanks(s);
	if (str_eq(name, STR("YAML")))
		r = scan_version(s, t);
	else if (str_eq(name, STR("TAG")))
		r = scan_tag_directive(s, t);
	else
		r = yaml_scan_error(s, "found unknown directive name");
	if (r < 0)
		return r;
	skip_blanks(s);
	if (*s->at == '#')
		s->at = line_end(s);
	r = yaml_need(s, 1);
	if (r < 0)
		return r;
	if (!yaml_is_breakz(s->at))
		return yaml_scan_error(s, "did not find expected comment or line break");
	if (*s->at)
		yaml_next_line(s, yaml_break_width(s->at));
	return 0;
}
