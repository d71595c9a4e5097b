/* fmt: how Go prints values. The names and the order of decisions follow what fmt documents for verbs and flags. */
#include "template/tmpl_print.h"

#include "base/unicode.h"
#include "base/utf8.h"

#include <errno.h>

#define WIDTH_MAX 1000000 /* fmt ignores larger widths and precisions */

struct printer {
	struct tmem *m;
	struct buf *out;
	bool has_width, has_prec, minus, plus, sharp, space, zero;
	bool plus_v, sharp_v; /* %+v, %#v: the flags moved here */
	int width, prec;
	/* What a bad verb shows: an operand, or a value inside one. */
	bool has_arg, has_value;
	tval arg, value;
	bool erroring;
	bool reordered, good_arg_num;
};

static void print_value(struct printer *p, tval v, uint32_t verb, uint32_t depth);
static void print_arg(struct printer *p, tval v, uint32_t verb);

static const char lower_digits[] = "0123456789abcdefx", upper_digits[] = "0123456789ABCDEFX";

static void clear_flags(struct printer *p)
{
	p->has_width = p->has_prec = p->minus = p->plus = p->sharp = p->space = p->zero = false;
	p->plus_v = p->sharp_v = false;
	p->width = p->prec = 0;
}

static void add_char(struct buf *out, uint32_t c)
{
	char utf8[UTF8_MAX_BYTES];

	buf_add(out, utf8, utf8_encode(c, utf8));
}

/* ---- padding ---- */

static size_t count_chars(str s)
{
	size_t n = 0, at = 0, len;

	for (; at < s.n; n++) {
		(void)utf8_decode(str_sub(s, at, s.n), &len);
		at += len;
	}
	return n;
}

static void write_padding(struct printer *p, int n)
{
	if (n > 0)
		buf_fill(p->out, p->zero && !p->minus ? '0' : ' ', (size_t)n);
}

static void pad(struct printer *p, str s)
{
	int n = p->has_width && p->width > 0 ? p->width - (int)(s.n > WIDTH_MAX * 4 ? WIDTH_MAX : count_chars(s)) : 0;

	if (!p->minus)
		write_padding(p, n);
	buf_add_str(p->out, s);
	if (p->minus)
		write_padding(p, n);
}

static void pad_without_zeros(struct printer *p, str s)
{
	bool zero = p->zero;

	p->zero = false;
	pad(p, s);
	p->zero = zero;
}

/* ---- the kinds ---- */

static void bad_verb(struct printer *p, uint32_t verb)
{
	p->erroring = true;
	buf_add_cstr(p->out, "%!");
	add_char(p->out, verb);
	buf_add_byte(p->out, '(');
	if (p->has_arg && p->arg.type) {
		buf_add_cstr(p->out, p->arg.type->name);
		buf_add_byte(p->out, '=');
		print_arg(p, tval_plain(p->arg), 'v');
	} else if (p->has_value && p->value.type) {
		buf_add_cstr(p->out, p->value.type->name);
		buf_add_byte(p->out, '=');
		print_value(p, p->value, 'v', 0);
	} else {
		buf_add_cstr(p->out, "<nil>");
	}
	buf_add_byte(p->out, ')');
	p->erroring = false;
}

static unsigned integer_base(uint32_t verb)
{
	switch (verb) {
	case 'b':
		return 2;
	case 'o':
	case 'O':
		return 8;
	case 'x':
	case 'X':
		return 16;
	default:
		return 10;
	}
}

/* Digits, then what stands before them, from the right as in a number. @prefix_x: 'x' or 'X' for #. */
static void format_integer(struct printer *p, uint64_t u, unsigned base, bool is_signed, uint32_t verb,
			   const char *digits)
{
	bool negative = is_signed && (int64_t)u < 0, done = false;
	int prec = 0;
	size_t size = (size_t)(72 + (p->has_width ? p->width : 0) + (p->has_prec ? p->prec : 0)), i = size;
	CLEANUP(freep) char *text = malloc(size);

	if (!text) {
		p->out->error = -ENOMEM;
		return;
	}
	if (negative)
		u = -u;
	if (p->has_prec) {
		prec = p->prec;
		if (prec == 0 && u == 0) {
			bool zero = p->zero;

			p->zero = false;
			write_padding(p, p->width);
			p->zero = zero;
			return;
		}
	} else if (p->zero && !p->minus && p->has_width) {
		prec = p->width - (negative || p->plus || p->space);
	}
	while (!done) {
		text[--i] = digits[u % base];
		u /= base;
		done = u == 0;
	}
	while (i > 0 && prec > (int)(size - i))
		text[--i] = '0';
	if (p->sharp && base == 2) {
		text[--i] = 'b';
		text[--i] = '0';
	} else if (p->sharp && base == 8 && text[i] != '0') {
		text[--i] = '0';
	} else if (p->sharp && base == 16) {
		text[--i] = digits[16];
		text[--i] = '0';
	}
	if (verb == 'O') {
		text[--i] = 'o';
		text[--i] = '0';
	}
	if (negative || p->plus || p->space)
		text[--i] = negative ? '-' : p->plus ? '+' : ' ';
	pad_without_zeros(p, (str){ text + i, size - i });
}

static void format_0x(struct printer *p, uint64_t u, bool leading)
{
	bool sharp = p->sharp;

	p->sharp = leading;
	format_integer(p, u, 16, false, 'v', lower_digits);
	p->sharp = sharp;
}

/* %U: U+0078, with # also the character. */
static void format_unicode(struct printer *p, uint64_t u)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(WIDTH_MAX * 2);

	buf_printf(&text, "U+%0*llX", p->has_prec && p->prec > 4 ? p->prec : 4, (unsigned long long)u);
	if (p->sharp && u <= 0x10FFFF && unicode_is_print((uint32_t)u)) {
		buf_add_cstr(&text, " '");
		add_char(&text, (uint32_t)u);
		buf_add_byte(&text, '\'');
	}
	pad_without_zeros(p, buf_str(&text));
}

static void format_char(struct printer *p, uint64_t u, bool quoted)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(64);
	uint32_t c = u > 0x10FFFF ? UTF8_REPLACEMENT : (uint32_t)u;

	if (quoted)
		tmpl_quote_char(&text, c, p->plus);
	else
		add_char(&text, c);
	pad(p, buf_str(&text));
}

static void print_integer(struct printer *p, uint64_t u, bool is_signed, uint32_t verb)
{
	switch (verb) {
	case 'v':
		if (p->sharp_v && !is_signed) {
			format_0x(p, u, true);
			return;
		}
		/* fallthrough */
	case 'd':
	case 'b':
	case 'o':
	case 'O':
	case 'x':
	case 'X':
		format_integer(p, u, integer_base(verb), is_signed, verb, verb == 'X' ? upper_digits : lower_digits);
		return;
	case 'c':
	case 'q':
		format_char(p, u, verb == 'q');
		return;
	case 'U':
		format_unicode(p, u);
		return;
	default:
		bad_verb(p, verb);
	}
}

/* The # flag: always a decimal point, and for %g the trailing zeros that make up the precision. @num begins with a
 * sign. */
static void sharpen_float(struct buf *num, char verb, int prec)
{
	int digits = verb == 'g' || verb == 'G' || verb == 'x' ? (prec == -1 ? 6 : prec) : 0;
	bool point = false, nonzero = false, hex = verb == 'x' || verb == 'X';
	char tail[16] = { 0 };
	size_t n = num->n;

	for (size_t i = 1; i < num->n && n == num->n; i++) {
		char c = num->p[i];

		if (c == '.') {
			point = true;
		} else if (c == 'p' || c == 'P' || ((c == 'e' || c == 'E') && !hex)) {
			n = i;
		} else {
			nonzero |= c != '0';
			digits -= nonzero;
		}
	}
	for (size_t i = n; i < num->n && i - n < sizeof(tail) - 1; i++)
		tail[i - n] = num->p[i];
	buf_truncate(num, n);
	if (!point) {
		if (num->n == 2 && num->p[1] == '0')
			digits--;
		buf_add_byte(num, '.');
	}
	if (digits > 0)
		buf_fill(num, '0', (size_t)digits);
	buf_add_cstr(num, tail);
}

static void format_float(struct printer *p, double d, char verb, int prec)
{
	CLEANUP(buf_done) struct buf num = BUF_INIT(WIDTH_MAX * 4);
	str text;

	if (p->has_prec)
		prec = p->prec;
	buf_add_byte(&num, '+');
	tmpl_format_float(&num, d, verb, prec);
	if (num.error) {
		p->out->error = num.error;
		return;
	}
	if (num.p[1] == '-' || num.p[1] == '+') {
		memmove(num.p, num.p + 1, num.n);
		num.n--;
	}
	if (p->space && num.p[0] == '+' && !p->plus)
		num.p[0] = ' ';
	if (num.p[1] == 'I' || num.p[1] == 'N') {
		bool bare = num.p[1] == 'N' && !p->space && !p->plus;

		text = buf_str(&num);
		/* Infinity keeps its sign. */
		pad_without_zeros(p, bare ? str_sub(text, 1, text.n) : text);
		return;
	}
	if (p->sharp && verb != 'b')
		sharpen_float(&num, verb, prec);
	text = buf_str(&num);
	if (!p->plus && text.p[0] == '+') {
		pad(p, str_sub(text, 1, text.n));
	} else if (p->zero && !p->minus && p->has_width && p->width > (int)text.n) {
		buf_add_byte(p->out, text.p[0]);
		write_padding(p, p->width - (int)text.n);
		buf_add(p->out, text.p + 1, text.n - 1);
	} else {
		pad(p, text);
	}
}

static void print_float(struct printer *p, double d, uint32_t verb)
{
	switch (verb) {
	case 'v':
		format_float(p, d, 'g', -1);
		return;
	case 'b':
	case 'g':
	case 'G':
	case 'x':
	case 'X':
		format_float(p, d, (char)verb, -1);
		return;
	case 'f':
	case 'e':
	case 'E':
		format_float(p, d, (char)verb, 6);
		return;
	case 'F':
		format_float(p, d, 'f', 6);
		return;
	default:
		bad_verb(p, verb);
	}
}

static void print_complex(struct printer *p, const double c[2], uint32_t verb)
{
	bool plus = p->plus;

	if (verb >= 0x80 || verb == 0 || !strchr("vbgGxXfFeE", (int)verb)) {
		bad_verb(p, verb);
		return;
	}
	buf_add_byte(p->out, '(');
	print_float(p, c[0], verb);
	p->plus = true;
	print_float(p, c[1], verb);
	buf_add_cstr(p->out, "i)");
	p->plus = plus;
}

/* ---- text ---- */

/* The first prec characters. */
static str truncated(const struct printer *p, str s)
{
	size_t at = 0, len;

	if (!p->has_prec)
		return s;
	for (int n = p->prec; n > 0 && at < s.n; n--) {
		(void)utf8_decode(str_sub(s, at, s.n), &len);
		at += len;
	}
	return str_sub(s, 0, at);
}

static void format_hex(struct printer *p, str s, const char *digits)
{
	size_t n = p->has_prec && (size_t)p->prec < s.n ? (size_t)p->prec : s.n, width = 2 * n;
	int padding;

	if (width == 0) {
		if (p->has_width)
			write_padding(p, p->width);
		return;
	}
	if (p->space) {
		width *= p->sharp ? 2 : 1;
		width += n - 1;
	} else if (p->sharp) {
		width += 2;
	}
	padding = p->has_width && (size_t)p->width > width ? p->width - (int)width : 0;
	if (!p->minus)
		write_padding(p, padding);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (p->space && i > 0)
			buf_add_byte(p->out, ' ');
		if (p->sharp && (i == 0 || p->space)) {
			buf_add_byte(p->out, '0');
			buf_add_byte(p->out, digits[16]);
		}
		buf_add_byte(p->out, digits[c >> 4]);
		buf_add_byte(p->out, digits[c & 15]);
	}
	if (p->minus)
		write_padding(p, padding);
}

static void format_quoted(struct printer *p, str s)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(p->out->max);

	s = truncated(p, s);
	if (p->sharp && tmpl_can_backquote(s)) {
		buf_add_byte(&text, '`');
		buf_add_str(&text, s);
		buf_add_byte(&text, '`');
	} else if (p->plus) {
		tmpl_quote_ascii(&text, s);
	} else {
		tmpl_quote(&text, s);
	}
	if (text.error)
		p->out->error = text.error;
	else
		pad(p, buf_str(&text));
}

static void print_string(struct printer *p, str s, uint32_t verb)
{
	switch (verb) {
	case 'v':
		if (p->sharp_v) {
			format_quoted(p, s);
			return;
		}
		/* fallthrough */
	case 's':
		pad(p, truncated(p, s));
		return;
	case 'x':
	case 'X':
		format_hex(p, s, verb == 'x' ? lower_digits : upper_digits);
		return;
	case 'q':
		format_quoted(p, s);
		return;
	default:
		bad_verb(p, verb);
	}
}

static void print_bytes(struct printer *p, tval v, uint32_t verb, const char *type_name)
{
	if (verb != 'v' && verb != 'd') {
		if (verb == 's' || verb == 'x' || verb == 'X' || verb == 'q')
			print_string(p, v.s, verb);
		else
			print_value(p, v, verb, 0);
		return;
	}
	if (p->sharp_v)
		buf_add_cstr(p->out, type_name);
	if (p->sharp_v && !v.s.p) {
		buf_add_cstr(p->out, "(nil)");
		return;
	}
	buf_add_byte(p->out, p->sharp_v ? '{' : '[');
	for (size_t i = 0; i < v.s.n; i++) {
		if (i > 0)
			buf_add_cstr(p->out, p->sharp_v ? ", " : " ");
		if (p->sharp_v)
			format_0x(p, (unsigned char)v.s.p[i], true);
		else
			format_integer(p, (unsigned char)v.s.p[i], 10, false, verb, lower_digits);
	}
	buf_add_byte(p->out, p->sharp_v ? '}' : ']');
}

/* ---- composites ---- */

static void print_items(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	size_t n = tval_len(p->m, v);

	if (v.type == &tt_bytes && (verb == 's' || verb == 'q' || verb == 'x' || verb == 'X')) {
		print_bytes(p, v, verb, v.type->name);
		return;
	}
	if (p->sharp_v)
		buf_add_cstr(p->out, v.type->name);
	if (p->sharp_v && tval_is_nil_like(v)) {
		buf_add_cstr(p->out, "(nil)");
		return;
	}
	buf_add_byte(p->out, p->sharp_v ? '{' : '[');
	for (size_t i = 0; i < n && !p->out->error; i++) {
		if (i > 0)
			buf_add_cstr(p->out, p->sharp_v ? ", " : " ");
		print_value(p, tval_at(v, i), verb, depth + 1);
	}
	buf_add_byte(p->out, p->sharp_v ? '}' : ']');
}

static void print_map(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	size_t n;
	const struct tentry *entries;

	if (p->sharp_v) {
		buf_add_cstr(p->out, v.type->name);
		if (tval_is_nil_like(v)) {
			buf_add_cstr(p->out, "(nil)");
			return;
		}
	}
	buf_add_cstr(p->out, p->sharp_v ? "{" : "map[");
	entries = tmap_entries(p->m, v, &n);
	if (n == SIZE_MAX) {
		p->out->error = -ENOMEM;
		return;
	}
	for (size_t i = 0; i < n && !p->out->error; i++) {
		if (i > 0)
			buf_add_cstr(p->out, p->sharp_v ? ", " : " ");
		print_value(p, tval_string(entries[i].key), verb, depth + 1);
		buf_add_byte(p->out, ':');
		print_value(p, entries[i].value, verb, depth + 1);
	}
	buf_add_byte(p->out, p->sharp_v ? '}' : ']');
}

static void print_fields(struct printer *p, tval v, const char *type_name, uint32_t verb, uint32_t depth)
{
	if (p->sharp_v)
		buf_add_cstr(p->out, type_name);
	buf_add_byte(p->out, '{');
	for (size_t i = 0; i < v.type->n_fields && !p->out->error; i++) {
		const struct tfield *f = &v.type->fields[i];

		if (i > 0)
			buf_add_cstr(p->out, p->sharp_v ? ", " : " ");
		if (p->plus_v || p->sharp_v) {
			buf_add_cstr(p->out, f->name);
			buf_add_byte(p->out, ':');
		}
		print_value(p, f->get(p->m, v), verb, depth + 1);
	}
	buf_add_byte(p->out, '}');
}

/* An address says nothing to a template, and would differ from run to run. */
#define ADDRESS 0xc000010000u

static void print_pointer(struct printer *p, tval v, uint32_t verb)
{
	enum tkind kind = tval_kind(v);
	uint64_t u = tval_is_nil_like(v) ? 0 : ADDRESS;

	if (kind != TK_PTR && kind != TK_MAP && kind != TK_SLICE) {
		bad_verb(p, verb);
	} else if (verb == 'v' && p->sharp_v) {
		buf_printf(p->out, "(%s)(", v.type->name);
		if (u == 0)
			buf_add_cstr(p->out, "nil");
		else
			format_0x(p, u, true);
		buf_add_byte(p->out, ')');
	} else if (verb == 'v' && u == 0) {
		pad(p, STR("<nil>"));
	} else if (verb == 'v' || verb == 'p') {
		format_0x(p, u, !p->sharp);
	} else if (verb < 0x80 && strchr("bodxX", (int)verb) && verb) {
		print_integer(p, u, false, verb);
	} else {
		bad_verb(p, verb);
	}
}

/* Error(), String() and GoString(). */
static bool handle_methods(struct printer *p, tval v, uint32_t verb)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(p->out->max);
	void (*method)(struct tmem * m, tval v, struct buf * out) = NULL;

	if (p->erroring)
		return false;
	if (verb == 'w') {
		bad_verb(p, verb);
		return true;
	}
	if (!v.type)
		return false;
	if (p->sharp_v)
		method = v.type->go_text;
	else if (verb == 'v' || verb == 's' || verb == 'x' || verb == 'X' || verb == 'q')
		method = v.type->text;
	if (!method)
		return false;
	if (v.type->kind == TK_PTR && tval_is_nil_like(v)) {
		buf_add_cstr(p->out, "<nil>");
		return true;
	}
	method(p->m, v, &text);
	if (text.error)
		p->out->error = text.error;
	else if (p->sharp_v)
		pad(p, truncated(p, buf_str(&text)));
	else
		print_string(p, buf_str(&text), verb);
	return true;
}

static void print_nil(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	if (v.iface && p->sharp_v)
		buf_add_cstr(p->out, "interface {}(nil)");
	else if (v.iface || (depth > 0 && verb == 'v'))
		buf_add_cstr(p->out, "<nil>");
	else if (depth > 0)
		bad_verb(p, verb);
	else
		buf_add_cstr(p->out, "<invalid reflect.Value>");
}

/* A value inside an operand (depth > 0), or an operand that is no basic type. */
static void print_value(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	if (depth > TVAL_DEPTH) {
		p->out->error = -E2BIG;
		return;
	}
	if (depth > 0) {
		p->has_arg = true;
		p->arg = v;
		if (handle_methods(p, v, verb))
			return;
	}
	p->has_arg = false;
	p->has_value = true;
	p->value = v;
	switch (tval_kind(v)) {
	case TK_INVALID:
	case TK_INTERFACE:
		print_nil(p, v, verb, depth);
		return;
	case TK_BOOL:
		if (verb == 't' || verb == 'v')
			pad(p, v.b ? STR("true") : STR("false"));
		else
			bad_verb(p, verb);
		return;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		print_integer(p, (uint64_t)v.i, true, verb);
		return;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		print_integer(p, v.u, false, verb);
		return;
	case TK_FLOAT64:
		print_float(p, v.d, verb);
		return;
	case TK_COMPLEX128:
		print_complex(p, v.c, verb);
		return;
	case TK_STRING:
		print_string(p, v.s, verb);
		return;
	case TK_SLICE:
		print_items(p, v, verb, depth);
		return;
	case TK_MAP:
		print_map(p, v, verb, depth);
		return;
	case TK_STRUCT:
		print_fields(p, v, v.type->name, verb, depth);
		return;
	case TK_PTR:
		if (depth > 0 || tval_is_nil_like(v)) {
			print_pointer(p, v, verb);
			return;
		}
		buf_add_byte(p->out, '&');
		print_fields(p, v, v.type->name + 1, verb, depth + 1);
		return;
	}
}

static void print_arg(struct printer *p, tval v, uint32_t verb)
{
	v.iface = false;
	p->has_arg = true;
	p->arg = v;
	p->has_value = false;
	if (!v.type) {
		if (verb == 'T' || verb == 'v')
			pad(p, STR("<nil>"));
		else
			bad_verb(p, verb);
		return;
	}
	if (verb == 'T') {
		pad(p, truncated(p, str_from(v.type->name)));
		return;
	}
	if (verb == 'p') {
		print_pointer(p, v, verb);
		return;
	}
	if (v.type == &tt_bytes) {
		print_bytes(p, v, verb, "[]byte");
		return;
	}
	/* Named types of basic kinds (time.Month) have methods; the basic types themselves do not. */
	if (v.type->text || v.type->go_text || v.type->kind >= TK_SLICE) {
		if (!handle_methods(p, v, verb))
			print_value(p, v, verb, 0);
		return;
	}
	if (v.type->kind == TK_STRING) {
		print_string(p, v.s, verb);
		return;
	}
	/* print_value forgets the operand; a bad verb shows the same either way. */
	print_value(p, v, verb, 0);
}

/* ---- formats ---- */

struct format {
	str text;
	size_t i;
	const tval *args;
	size_t n;
	size_t arg;       /* next operand */
	bool after_index; /* the item before was an index like [3] */
};

static bool at(const struct format *f, char c)
{
	return f->i < f->text.n && f->text.p[f->i] == c;
}

/* A decimal number in text[from, to); the end of it in *end. False when there is none, or too large. */
static bool parse_number(str text, size_t from, size_t to, int *ret, size_t *end)
{
	int n = 0;
	bool any = false;

	*ret = 0;
	for (*end = from; *end < to && text.p[*end] >= '0' && text.p[*end] <= '9'; ++*end) {
		if (n > WIDTH_MAX) {
			*end = to;
			return false;
		}
		n = n * 10 + (text.p[*end] - '0');
		any = true;
	}
	*ret = any ? n : 0;
	return any;
}

/* "[3]" at text.p[i]: the operand's index from 0 (negative: bad) and how many bytes it takes. */
static bool parse_index(str text, int64_t *index, size_t *length)
{
	ptrdiff_t close = text.n < 3 ? -1 : str_find_byte(str_sub(text, 1, text.n), ']');
	size_t end;
	int n;

	*length = 1;
	if (close < 0)
		return false;
	*length = (size_t)close + 2;
	if (!parse_number(text, 1, (size_t)close + 1, &n, &end) || end != (size_t)close + 1)
		return false;
	*index = (int64_t)n - 1;
	return true;
}

static void arg_number(struct printer *p, struct format *f)
{
	int64_t index = 0;
	size_t length;
	bool ok;

	f->after_index = false;
	if (!at(f, '['))
		return;
	p->reordered = true;
	ok = parse_index(str_sub(f->text, f->i, f->text.n), &index, &length);
	f->i += length;
	f->after_index = ok;
	if (ok && index >= 0 && (size_t)index < f->n) {
		f->arg = (size_t)index;
		return;
	}
	p->good_arg_num = false;
}

/* The operand that a * names. */
static bool int_from_arg(struct format *f, int *ret)
{
	tval v;
	int64_t n = WIDTH_MAX + 1;

	*ret = 0;
	if (f->arg >= f->n)
		return false;
	v = f->args[f->arg++];
	if (tkind_is_int(tval_kind(v)))
		n = v.i;
	else if (tkind_is_uint(tval_kind(v)) && v.u <= INT64_MAX)
		n = (int64_t)v.u;
	if (n > WIDTH_MAX || n < -WIDTH_MAX)
		return false;
	*ret = (int)n;
	return true;
}

static void parse_width(struct printer *p, struct format *f)
{
	if (at(f, '*')) {
		f->i++;
		p->has_width = int_from_arg(f, &p->width);
		if (!p->has_width)
			buf_add_cstr(p->out, "%!(BADWIDTH)");
		if (p->width < 0) {
			p->width = -p->width;
			p->minus = true;
			p->zero = false;
		}
		f->after_index = false;
		return;
	}
	p->has_width = parse_number(f->text, f->i, f->text.n, &p->width, &f->i);
	if (f->after_index && p->has_width)
		p->good_arg_num = false;
}

static void parse_precision(struct printer *p, struct format *f)
{
	if (!at(f, '.'))
		return;
	f->i++;
	if (f->after_index)
		p->good_arg_num = false;
	arg_number(p, f);
	if (at(f, '*')) {
		f->i++;
		p->has_prec = int_from_arg(f, &p->prec);
		if (p->prec < 0) {
			p->prec = 0;
			p->has_prec = false;
		}
		if (!p->has_prec)
			buf_add_cstr(p->out, "%!(BADPREC)");
		f->after_index = false;
		return;
	}
	/* A lone dot is precision 0. */
	(void)parse_number(f->text, f->i, f->text.n, &p->prec, &f->i);
	p->has_prec = true;
}

static bool parse_flag(struct printer *p, char c)
{
	switch (c) {
	case '#':
		p->sharp = true;
		return true;
	case '0':
		p->zero = true;
		return true;
	case '+':
		p->plus = true;
		return true;
	case '-':
		p->minus = true;
		return true;
	case ' ':
		p->space = true;
		return true;
	default:
		return false;
	}
}

static void print_verb(struct printer *p, struct format *f)
{
	size_t len;
	uint32_t verb = utf8_decode(str_sub(f->text, f->i, f->text.n), &len);

	f->i += len;
	if (verb == '%') {
		buf_add_byte(p->out, '%');
		return;
	}
	if (!p->good_arg_num || f->arg >= f->n) {
		buf_add_cstr(p->out, "%!");
		add_char(p->out, verb);
		buf_add_cstr(p->out, p->good_arg_num ? "(MISSING)" : "(BADINDEX)");
		return;
	}
	if (verb == 'v') {
		p->sharp_v = p->sharp;
		p->sharp = false;
		p->plus_v = p->plus;
		p->plus = false;
	}
	print_arg(p, f->args[f->arg++], verb);
}

static void print_extra(struct printer *p, const struct format *f)
{
	clear_flags(p);
	buf_add_cstr(p->out, "%!(EXTRA ");
	for (size_t i = f->arg; i < f->n; i++) {
		if (i > f->arg)
			buf_add_cstr(p->out, ", ");
		buf_add_cstr(p->out, tval_type_name(f->args[i]));
		if (!f->args[i].type)
			continue;
		buf_add_byte(p->out, '=');
		print_arg(p, f->args[i], 'v');
	}
	buf_add_byte(p->out, ')');
}

void tmpl_sprintf(struct tmem *m, str format, const tval *args, size_t n, struct buf *out)
{
	struct printer p = { .m = m, .out = out };
	struct format f = { .text = format, .args = args, .n = n };

	while (f.i < format.n && !out->error) {
		size_t from = f.i;

		p.good_arg_num = true;
		while (f.i < format.n && format.p[f.i] != '%')
			f.i++;
		buf_add_str(out, str_sub(format, from, f.i));
		if (f.i >= format.n)
			break;
		f.i++;
		clear_flags(&p);
		while (f.i < format.n && parse_flag(&p, format.p[f.i]))
			f.i++;
		arg_number(&p, &f);
		parse_width(&p, &f);
		parse_precision(&p, &f);
		if (!f.after_index)
			arg_number(&p, &f);
		if (f.i >= format.n) {
			buf_add_cstr(out, "%!(NOVERB)");
			break;
		}
		print_verb(&p, &f);
	}
	if (!p.reordered && f.arg < n)
		print_extra(&p, &f);
}

void tmpl_sprint(struct tmem *m, tval v, struct buf *out)
{
	struct printer p = { .m = m, .out = out };

	if (tval_is_string(v))
		buf_add_str(out, v.s);
	else
		print_arg(&p, v, 'v');
}

void tmpl_sprint_all(struct tmem *m, const tval *args, size_t n, struct buf *out)
{
	bool after_string = false;

	for (size_t i = 0; i < n && !out->error; i++) {
		bool is_string = tval_kind(args[i]) == TK_STRING;

		if (i > 0 && !is_string && !after_string)
			buf_add_byte(out, ' ');
		tmpl_sprint(m, args[i], out);
		after_string = is_string;
	}
}

void tmpl_sprintln(struct tmem *m, const tval *args, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n && !out->error; i++) {
		if (i > 0)
			buf_add_byte(out, ' ');
		tmpl_sprint(m, args[i], out);
	}
	buf_add_byte(out, '\n');
}
