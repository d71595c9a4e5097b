/* Writes values as YAML text. The state of the emitter is go-yaml's: the column, and whether the line so far is only
 * white space or only indicators; every style follows from these. */
#include "base/ascii.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "go/strconv.h"
#include "value/json.h"
#include "value/yaml.h"
#include "value/yaml_keyorder.h"
#include "value/yaml_resolve.h"
#include "value/yaml_scan.h"

#include <errno.h>
#include <math.h>

#define WIDTH 80 /* a longer line of text is broken at a space */
#define INDENT 2
#define SIMPLE_KEY_LONGEST 128 /* the most bytes of a simple key; a longer one is written with "?" */
#define DEPTH_MOST 10000       /* the limit of the original's reader */
#define NO_VALUE STR("<no value>")
#define KEY_SURE 160 /* a key of so many bytes surely has less than 1024 characters as JSON */

struct emitter {
	struct buf *out;
	size_t column;   /* in characters */
	bool whitespace; /* the last character was white space */
	bool indention;  /* the line holds nothing but white space and "-", "?", ":" */
	ptrdiff_t indent;
	unsigned depth;
	bool verbatim; /* strings have passed through the reader already, or need not */
	bool exact;    /* strings are written so that they are read back unchanged */
	bool shown;    /* invisible characters are escaped */
	/* there is a string that the reader refuses or changes, so that the text written so far does not count */
	bool needs_reader;
	struct buf number;
	const struct member **order; /* the members of the open maps, sorted, innermost last */
	size_t n_order, order_cap;
	struct err *err;
};

enum place { PLACE_ROOT, PLACE_ITEM, PLACE_VALUE, PLACE_KEY, PLACE_SIMPLE_KEY };

enum style { STYLE_PLAIN, STYLE_SINGLE, STYLE_DOUBLE, STYLE_LITERAL };

static int emit(struct emitter *e, val v, enum place place);

/* ---- characters and indicators ---- */

static void put(struct emitter *e, char c)
{
	buf_add_byte(e->out, c);
	e->column++;
}

static void put_break(struct emitter *e)
{
	buf_add_byte(e->out, '\n');
	e->column = 0;
}

static void put_all(struct emitter *e, str s, bool ascii)
{
	buf_add_str(e->out, s);
	e->column += ascii ? s.n : utf8_count(s);
}

static void write_indent(struct emitter *e)
{
	size_t indent = e->indent < 0 ? 0 : (size_t)e->indent;

	if (!e->indention || e->column > indent || (e->column == indent && !e->whitespace))
		put_break(e);
	if (e->column < indent) {
		buf_fill(e->out, ' ', indent - e->column);
		e->column = indent;
	}
	e->whitespace = e->indention = true;
}

static void put_space_before(struct emitter *e)
{
	if (!e->whitespace)
		put(e, ' ');
}

/* "-", "?" and ":" at the start of a line leave it open for a collection to begin there. */
static void write_block_indicator(struct emitter *e, char c)
{
	put_space_before(e);
	put(e, c);
	e->whitespace = false;
}

static void end_scalar(struct emitter *e)
{
	e->whitespace = e->indention = false;
}

static void write_word(struct emitter *e, str s)
{
	put_space_before(e);
	put_all(e, s, true);
	end_scalar(e);
}

/* ---- what a text allows ---- */

struct analysis {
	bool ascii;
	bool multiline;
	bool newline; /* the text contains "\n" */
	bool plain_allowed, single_allowed, literal_allowed;
};

/* Whether the character at @p can be written as it is, inside quotes. Four-byte characters cannot, nor can a tab. */
static bool is_printable(const unsigned char *p)
{
	if (p[0] < 0x80)
		return p[0] == 0x0A || (p[0] >= 0x20 && p[0] <= 0x7E);
	if (p[0] == 0xC2)
		return p[1] >= 0xA0;
	if (p[0] == 0xED)
		return p[1] < 0xA0;
	if (p[0] == 0xEF)
		return !(p[1] == 0xBB && p[2] == 0xBF) && !(p[1] == 0xBF && (p[2] == 0xBE || p[2] == 0xBF));
	return p[0] > 0xC2 && p[0] < 0xEF;
}

static size_t char_width(unsigned char lead)
{
	return lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
}

static size_t break_at(str s, size_t i)
{
	unsigned char c = (unsigned char)s.p[i];

	if (c == '\n' || c == '\r')
		return 1;
	if (c == 0xC2 && (unsigned char)s.p[i + 1] == 0x85)
		return 2;
	return c == 0xE2 && (unsigned char)s.p[i + 1] == 0x80 && ((unsigned char)s.p[i + 2] | 1) == 0xA9 ? 3 : 0;
}

static bool is_space_at(str s, size_t i)
{
	return i < s.n && s.p[i] == ' ';
}

/* Whether @s begins with characters that mean something else there. */
static bool starts_with_indicator(str s)
{
	bool blank_follows = s.n == 1 || s.p[1] == ' ' || s.p[1] == '\t';

	if (s.n >= 3 && (memcmp(s.p, "---", 3) == 0 || memcmp(s.p, "...", 3) == 0))
		return true;
	if (yaml_class_at(s.p) & YAML_C_INDICATOR)
		return true;
	return (s.p[0] == '?' || s.p[0] == ':' || s.p[0] == '-') && blank_follows;
}

struct spacing {
	bool previous_space, previous_break, previous_blank;
	bool break_space, space_break, special, indicator;
};

/* Analyze one character that is no letter or digit; returns its width. */
static size_t analyze_char(str s, size_t i, struct spacing *sp, struct analysis *a)
{
	const unsigned char *p = (const unsigned char *)s.p + i;
	size_t width = char_width(*p), breaks = break_at(s, i);

	a->ascii = a->ascii && *p < 0x80;
	if (i > 0 && *p == ':' && (i + 1 == s.n || yaml_is_blank(s.p + i + 1)))
		sp->indicator = true;
	if (i > 0 && *p == '#' && sp->previous_blank)
		sp->indicator = true;
	if (!is_printable(p))
		sp->special = true;
	if (*p == ' ') {
		sp->break_space |= sp->previous_break;
	} else if (breaks) {
		a->multiline = true;
		a->newline |= *p == '\n';
		sp->space_break |= sp->previous_space;
	}
	sp->previous_space = *p == ' ';
	sp->previous_break = breaks != 0;
	sp->previous_blank = *p == ' ' || *p == '\t' || breaks || *p == '\0';
	return width;
}

static struct analysis analyze(str s)
{
	struct analysis a = { .ascii = true };
	struct spacing sp = { .previous_blank = true };
	bool edge_space, edge_break;

	if (s.n == 0)
		return (struct analysis){ .ascii = true, .plain_allowed = true, .single_allowed = true };
	sp.indicator = starts_with_indicator(s);
	for (size_t i = 0; i < s.n;) {
		uint8_t class = yaml_class_at(s.p + i);

		/* Marks other than ":" have a meaning only at the start, which has been checked. */
		if ((class & YAML_C_URI) && !(class & YAML_C_COLON)) {
			sp.previous_space = sp.previous_break = sp.previous_blank = false;
			i++;
		} else {
			i += analyze_char(s, i, &sp, &a);
		}
	}
	edge_space = s.p[0] == ' ' || s.p[s.n - 1] == ' ';
	edge_break = break_at(s, 0) || sp.previous_break;
	a.single_allowed = !sp.break_space && !sp.space_break && !sp.special;
	a.plain_allowed = a.single_allowed && !edge_space && !edge_break && !a.multiline && !sp.indicator;
	a.literal_allowed = s.p[s.n - 1] != ' ' && !sp.space_break && !sp.special;
	return a;
}

static enum style choose_style(str s, const struct analysis *a, bool simple_key)
{
	enum style style = a->newline ? STYLE_LITERAL : yaml_reads_as_text(s) ? STYLE_PLAIN : STYLE_DOUBLE;

	if (simple_key && a->multiline)
		style = STYLE_DOUBLE;
	if (style == STYLE_PLAIN && (!a->plain_allowed || (s.n == 0 && simple_key)))
		style = STYLE_SINGLE;
	if (style == STYLE_SINGLE && !a->single_allowed)
		style = STYLE_DOUBLE;
	if (style == STYLE_LITERAL && (!a->literal_allowed || simple_key))
		style = STYLE_DOUBLE;
	return style;
}

/* ---- styles ---- */

static void write_char(struct emitter *e, str s, size_t *i)
{
	size_t width = char_width((unsigned char)s.p[*i]);

	buf_add(e->out, s.p + *i, width);
	e->column++;
	*i += width;
}

/* ASCII that is written as it is in every style, wherever it stands in a line. */
static bool is_run_byte(char c)
{
	return c > ' ' && c < 0x7F && c != '\'' && c != '"' && c != '\\';
}

/* Write a character, and the following ones that need no examination: texts are long. */
static void write_run(struct emitter *e, str s, size_t *i)
{
	size_t from;

	write_char(e, s, i);
	from = *i;
	while (*i < s.n && is_run_byte(s.p[*i]))
		++*i;
	buf_add(e->out, s.p + from, *i - from);
	e->column += *i - from;
}

static void write_break(struct emitter *e, str s, size_t *i)
{
	if (s.p[*i] == '\n') {
		put_break(e);
		(*i)++;
		return;
	}
	write_char(e, s, i);
	e->column = 0;
}

/* Whether a long line may be broken here: at a single space after WIDTH. */
static bool breaks_line(const struct emitter *e, str s, size_t i, bool may_break, bool after_space)
{
	return may_break && !after_space && e->column > WIDTH && !is_space_at(s, i + 1);
}

static void write_plain(struct emitter *e, str s, bool ascii, bool may_break)
{
	bool spaces = false;

	put_space_before(e);
	if (!may_break || (ascii && e->column + s.n <= WIDTH)) {
		put_all(e, s, ascii);
		end_scalar(e);
		return;
	}
	for (size_t i = 0; i < s.n;) {
		bool space = s.p[i] == ' ';

		if (!space) {
			write_run(e, s, &i);
		} else if (breaks_line(e, s, i, may_break, spaces)) {
			write_indent(e);
			i++;
		} else {
			write_char(e, s, &i);
		}
		if (!space)
			e->indention = false;
		spaces = space;
	}
	end_scalar(e);
}

static void write_single(struct emitter *e, str s, bool may_break)
{
	bool spaces = false, breaks = false;

	put_space_before(e);
	put(e, '\'');
	e->whitespace = e->indention = false;
	for (size_t i = 0; i < s.n;) {
		if (s.p[i] == ' ') {
			if (i > 0 && i + 1 < s.n && breaks_line(e, s, i, may_break, spaces)) {
				write_indent(e);
				i++;
			} else {
				write_char(e, s, &i);
			}
			spaces = true;
		} else if (break_at(s, i)) {
			if (!breaks && s.p[i] == '\n')
				put_break(e);
			write_break(e, s, &i);
			e->indention = breaks = true;
		} else {
			if (breaks)
				write_indent(e);
			if (s.p[i] == '\'')
				put(e, '\'');
			write_run(e, s, &i);
			e->indention = spaces = breaks = false;
		}
	}
	put(e, '\'');
	end_scalar(e);
}

static void write_escape(struct emitter *e, uint32_t c)
{
	static const struct {
		uint32_t c;
		char name;
	} names[] = { { 0, '0' },     { 7, 'a' },    { 8, 'b' },    { 9, 't' },      { 0x0A, 'n' },
		      { 0x0B, 'v' },  { 0x0C, 'f' }, { 0x0D, 'r' }, { 0x1B, 'e' },   { '"', '"' },
		      { '\\', '\\' }, { 0x85, 'N' }, { 0xA0, '_' }, { 0x2028, 'L' }, { 0x2029, 'P' } };
	size_t before = e->out->n;

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (names[i].c == c) {
			put(e, '\\');
			put(e, names[i].name);
			return;
		}
	}
	buf_printf(e->out, c <= 0xFF ? "\\x%02X" : c <= 0xFFFF ? "\\u%04X" : "\\U%08X", c);
	e->column += e->out->n - before;
}

static bool must_escape(const struct emitter *e, str s, size_t i)
{
	char c = s.p[i];
	size_t len;

	if (c == '"' || c == '\\' || !is_printable((const unsigned char *)s.p + i) || break_at(s, i))
		return true;
	if (e->shown && (unsigned char)c >= 0x80 && !unicode_is_print(utf8_decode(str_sub(s, i, s.n), &len)))
		return true;
	return e->exact && c == '<' && str_has_prefix(str_sub(s, i, s.n), NO_VALUE);
}

static void write_double(struct emitter *e, str s, bool may_break)
{
	/* The original asks whether the text, not the character, begins with a byte order mark. */
	bool marked = str_has_prefix(s, STR("\xEF\xBB\xBF"));
	bool spaces = false;

	put_space_before(e);
	put(e, '"');
	e->whitespace = e->indention = false;
	for (size_t i = 0; i < s.n;) {
		char c = s.p[i];

		if (marked || must_escape(e, s, i)) {
			size_t len;

			write_escape(e, utf8_decode(str_sub(s, i, s.n), &len));
			i += len;
			spaces = false;
		} else if (c == ' ' && may_break && !spaces && e->column > WIDTH && i > 0 && i + 1 < s.n) {
			write_indent(e);
			if (is_space_at(s, i + 1))
				put(e, '\\');
			i++;
			spaces = true;
		} else {
			spaces = c == ' ';
			if (spaces || e->exact)
				write_char(e, s, &i);
			else
				write_run(e, s, &i);
		}
	}
	put(e, '"');
	end_scalar(e);
}

/* The start of the last character of s[0..end). */
static size_t char_before(str s, size_t end)
{
	do
		end--;
	while (end > 0 && ((unsigned char)s.p[end] & 0xC0) == 0x80);
	return end;
}

/* Write "2" when the first line could be mistaken for deeper indentation, and "-" or "+" for the line breaks at the
 * end. */
static void write_literal_hints(struct emitter *e, str s)
{
	size_t last = char_before(s, s.n);

	if (s.p[0] == ' ' || break_at(s, 0))
		put(e, '0' + INDENT);
	if (!break_at(s, last))
		put(e, '-');
	else if (last == 0 || break_at(s, char_before(s, last)))
		put(e, '+');
}

static void write_literal(struct emitter *e, str s)
{
	bool breaks = true;

	put_space_before(e);
	put(e, '|');
	write_literal_hints(e, s);
	put_break(e);
	e->indention = e->whitespace = true;
	for (size_t i = 0; i < s.n;) {
		const char *nl;
		size_t end;

		if (break_at(s, i)) {
			write_break(e, s, &i);
			e->indention = breaks = true;
			continue;
		}
		if (breaks)
			write_indent(e);
		e->indention = breaks = false;
		/* Write up to the next "\n" at once, unless another kind of break may come before. */
		nl = memchr(s.p + i, '\n', s.n - i);
		end = nl ? (size_t)(nl - s.p) : s.n;
		/* cppcheck-suppress invalidFunctionArg ; a byte as a char may be negative */
		if (memchr(s.p + i, '\xE2', end - i)) {
			write_char(e, s, &i);
		} else {
			buf_add(e->out, s.p + i, end - i);
			e->column += end - i;
			i = end;
		}
	}
}

/* ---- strings ---- */

/* Whether JSON text with @s in it comes back unchanged from the YAML reader. It does not if it has characters that
 * YAML forbids or folds even in quotes (DEL, C1 with the NEL, U+FFFE, U+FFFF), or broken UTF-8. */
static bool survives_reader(str s)
{
	for (size_t i = 0, len; i < s.n; i += len) {
		uint32_t c = utf8_decode(str_sub(s, i, s.n), &len);

		if ((c == UTF8_REPLACEMENT && len == 1) || (c >= 0x7F && c < 0xA0) || c == 0xFFFE || c == 0xFFFF)
			return false;
	}
	return true;
}

static bool has_high_byte(str s)
{
	unsigned char all = 0;

	for (size_t i = 0; i < s.n; i++)
		all |= (unsigned char)((unsigned char)s.p[i] + 1);
	return all & 0x80;
}

/* Whether a reader misunderstands @s unless it is escaped: it has breaks that are folded or turned into newlines, or
 * is the merge key, or has a text that is cut out of rendered templates. */
static bool needs_escapes(str s, bool shown)
{
	size_t len;

	if (!survives_reader(s) || str_eq(s, STR("<<")) || str_find(s, NO_VALUE) >= 0)
		return true;
	for (size_t i = 0; i < s.n; i += char_width((unsigned char)s.p[i])) {
		if ((break_at(s, i) && s.p[i] != '\n') || (shown && (unsigned char)s.p[i] >= 0x80 &&
							   !unicode_is_print(utf8_decode(str_sub(s, i, s.n), &len))))
			return true;
	}
	return false;
}

static void emit_string(struct emitter *e, str s, const struct analysis *a, bool simple_key)
{
	ptrdiff_t indent = e->indent;

	e->indent = indent < 0 ? INDENT : indent + INDENT;
	switch (e->exact && needs_escapes(s, e->shown) ? STYLE_DOUBLE : choose_style(s, a, simple_key)) {
	case STYLE_PLAIN:
		write_plain(e, s, a->ascii, !simple_key);
		break;
	case STYLE_SINGLE:
		write_single(e, s, !simple_key);
		break;
	case STYLE_DOUBLE:
		write_double(e, s, !simple_key);
		break;
	case STYLE_LITERAL:
		write_literal(e, s);
		break;
	}
	e->indent = indent;
}

/* Whether @s is a word that is surely written as it is: letters, and then characters that need no quotes and no
 * further test. Most texts are such words. */
static bool is_word(str s)
{
	if (!s.n || !ascii_is_letter(s.p[0]) || !yaml_is_surely_text(s))
		return false;
	for (size_t i = 1; i < s.n; i++) {
		uint8_t class = yaml_class_at(s.p + i);

		if (!(class & YAML_C_URI) || (class & YAML_C_COLON))
			return false;
	}
	return true;
}

static bool check_string(struct emitter *e, str s)
{
	if (!e->verbatim && has_high_byte(s) && !survives_reader(s))
		e->needs_reader = true;
	return !e->needs_reader;
}

/* ---- numbers ---- */

/* Write a double: first as JSON text, then as YAML understands that text: 1e3 is the integer 1000. */
static int emit_double(struct emitter *e, double d)
{
	val v;
	int r;

	if (!isfinite(d))
		return err_set(e->err, EINVAL, "json: unsupported value: %s",
			       isnan(d) ? "NaN"
			       : d > 0  ? "+Inf"
					: "-Inf");
	buf_clear(&e->number);
	json_encode_double(d, &e->number);
	r = yaml_resolve(YAML_TAG_NONE, buf_str(&e->number), &v, e->err);
	if (r < 0)
		return r;
	buf_clear(&e->number);
	if (v.kind == VAL_INT)
		buf_printf(&e->number, "%lld", (long long)v.i);
	else if (v.kind == VAL_UINT)
		buf_printf(&e->number, "%llu", (unsigned long long)v.u);
	else
		go_format_float(&e->number, d, 'g', -1);
	write_word(e, buf_str(&e->number));
	return buf_error(&e->number, "a number", e->err);
}

static int emit_int(struct emitter *e, val v)
{
	char digits[24], *at = digits + sizeof(digits);
	bool negative = v.kind == VAL_INT && v.i < 0;
	uint64_t u = negative ? 0 - (uint64_t)v.i : v.u;

	do
		*--at = (char)('0' + u % 10);
	while (u /= 10);
	if (negative)
		*--at = '-';
	write_word(e, (str){ at, (size_t)(digits + sizeof(digits) - at) });
	return 0;
}

/* ---- collections ---- */

/* Write a list. As the value of a simple key it starts at the column of the key. */
static int emit_list(struct emitter *e, val v, enum place place)
{
	ptrdiff_t indent = e->indent;
	bool indentless = (place == PLACE_VALUE || place == PLACE_KEY) && !e->indention;
	int r = 0;

	if (indent < 0)
		e->indent = 0;
	else if (!indentless)
		e->indent = indent + INDENT;
	for (uint32_t i = 0; r == 0 && i < v.n; i++) {
		write_indent(e);
		write_block_indicator(e, '-');
		r = emit(e, v.items[i], PLACE_ITEM);
	}
	e->indent = indent;
	return r;
}

static int emit_entry(struct emitter *e, const struct member *m)
{
	str key = key_str(m->key);
	struct analysis a;

	if (key.n <= SIMPLE_KEY_LONGEST && is_word(key)) {
		write_indent(e);
		write_word(e, key);
		put(e, ':');
		end_scalar(e);
		return emit(e, m->value, PLACE_VALUE);
	}
	if (!check_string(e, key))
		return 0;
	if (key.n > KEY_SURE && !e->verbatim) {
		e->needs_reader = true;
		return 0;
	}
	a = analyze(key);
	write_indent(e);
	if (!a.multiline && key.n <= SIMPLE_KEY_LONGEST) {
		emit_string(e, key, &a, true);
		put(e, ':');
		end_scalar(e);
		return emit(e, m->value, PLACE_VALUE);
	}
	write_block_indicator(e, '?');
	emit_string(e, key, &a, false);
	write_indent(e);
	write_block_indicator(e, ':');
	return emit(e, m->value, PLACE_VALUE);
}

/* Room for the order of @n members and for sorting them, on a separate stack, so that frames stay small in deep
 * values. */
static const struct member **push_order(struct emitter *e, size_t n)
{
	size_t need = e->n_order + 2 * n, cap = e->order_cap;
	const struct member **p;

	if (need > cap) {
		cap = need + need / 2 + 64;
		p = reallocarray(e->order, cap, sizeof(struct member *));
		if (!p)
			return NULL;
		e->order = p;
		e->order_cap = cap;
	}
	e->n_order += n;
	return e->order + e->n_order - n;
}

static int emit_map(struct emitter *e, val v)
{
	ptrdiff_t indent = e->indent;
	size_t base = e->n_order;
	const struct member **order = push_order(e, v.n);
	int r = 0;

	if (!order)
		return err_nomem(e->err);
	yaml_key_order(v.members, v.n, order, order + v.n);
	e->indent = indent < 0 ? 0 : indent + INDENT;
	for (uint32_t i = 0; r == 0 && i < v.n && !e->needs_reader; i++)
		r = emit_entry(e, e->order[base + i]);
	e->indent = indent;
	e->n_order = base;
	return r;
}

static int emit_collection(struct emitter *e, val v, enum place place)
{
	int r;

	if (v.n == 0) {
		write_word(e, v.kind == VAL_MAP ? STR("{}") : STR("[]"));
		return 0;
	}
	if (e->depth >= DEPTH_MOST)
		return err_set(e->err, EINVAL, "yaml: exceeded max depth of %d", DEPTH_MOST);
	e->depth++;
	r = v.kind == VAL_MAP ? emit_map(e, v) : emit_list(e, v, place);
	e->depth--;
	return r;
}

static int emit(struct emitter *e, val v, enum place place)
{
	struct analysis a;

	if (e->needs_reader)
		return 0;
	switch (v.kind) {
	case VAL_BOOL:
		write_word(e, v.b ? STR("true") : STR("false"));
		return 0;
	case VAL_INT:
	case VAL_UINT:
		return emit_int(e, v);
	case VAL_DOUBLE:
		return emit_double(e, v.d);
	case VAL_STRING:
		if (is_word(val_str(v))) {
			write_word(e, val_str(v));
		} else if (check_string(e, val_str(v))) {
			a = analyze(val_str(v));
			emit_string(e, val_str(v), &a, false);
		}
		return 0;
	case VAL_LIST:
	case VAL_MAP:
		return emit_collection(e, v, place);
	default:
		write_word(e, STR("null"));
		return 0;
	}
}

enum how { HOW_CHECKED, HOW_VERBATIM, HOW_EXACT, HOW_SHOWN };

static int emit_document(val v, enum how how, struct buf *out, bool *needs_reader, struct err *err)
{
	struct emitter e = {
		.out = out,
		.whitespace = true,
		.indention = true,
		.indent = -1,
		.verbatim = how != HOW_CHECKED,
		.exact = how == HOW_EXACT || how == HOW_SHOWN,
		.shown = how == HOW_SHOWN,
		.number = BUF_INIT(512),
		.err = err,
	};
	int r = emit(&e, v, PLACE_ROOT);

	write_indent(&e);
	buf_done(&e.number);
	free(e.order);
	*needs_reader = e.needs_reader;
	return r < 0 ? r : buf_error(out, "YAML output", err);
}

/* Encode a value that has a string which does not survive the reader, as the original does: as JSON text, through
 * the reader. */
static int encode_through_reader(val v, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(SIZE_MAX / 8);
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct limits limits = LIMITS_DEFAULT;
	struct yaml_options o = { .limits = &limits };
	bool again;
	int r = json_encode(v, JSON_GO, NULL, &json, err);

	if (r == 0)
		r = buf_error(&json, "JSON text", err);
	if (r < 0)
		return r;
	limits.file_bytes = json.n;
	limits.depth = DEPTH_MOST;
	limits.document_nodes = json.n + 1;
	limits.arena_bytes = 0;
	r = yaml_decode(buf_str(&json), &o, &doc, err);
	if (r < 0)
		return r == -EBADMSG ? (err->code = EINVAL, -EINVAL) : r;
	return emit_document(doc->root, HOW_VERBATIM, out, &again, err);
}

int yaml_encode(val v, struct buf *out, struct err *err)
{
	size_t before = out->n;
	bool needs_reader;
	int r = emit_document(v, HOW_CHECKED, out, &needs_reader, err);

	if (r < 0 || !needs_reader)
		return r;
	buf_truncate(out, before);
	return encode_through_reader(v, out, err);
}

int yaml_encode_exact(val v, struct buf *out, struct err *err)
{
	bool ignored;

	return emit_document(v, HOW_EXACT, out, &ignored, err);
}

int yaml_encode_shown(val v, struct buf *out, struct err *err)
{
	bool ignored;

	return emit_document(v, HOW_SHOWN, out, &ignored, err);
}

int yaml_encode_any(val v, struct buf *out, struct err *err)
{
	size_t before = out->n;
	int r = yaml_encode(v, out, err);

	if (r != -EINVAL)
		return r;
	buf_truncate(out, before);
	return yaml_encode_exact(v, out, err);
}

int yaml_encode_both(val a, val b, struct buf *a_out, struct buf *b_out, struct err *err)
{
	size_t a_before = a_out->n, b_before = b_out->n;
	int r = yaml_encode(a, a_out, err);

	if (r == 0)
		r = yaml_encode(b, b_out, err);
	if (r != -EINVAL)
		return r;
	buf_truncate(a_out, a_before);
	buf_truncate(b_out, b_before);
	r = yaml_encode_exact(a, a_out, err);
	return r < 0 ? r : yaml_encode_exact(b, b_out, err);
}
