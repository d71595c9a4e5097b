/* Formatting texts, integers and other numbers as Python does. */
#include "rules/inspection/insp_format.h"

#include "base/ascii.h"
#include "base/number.h"
#include "base/utf8.h"
#include "go/strconv.h"
#include "rules/inspection/insp_python.h"

#include <math.h>

struct spec {
	str fill;      /* one character */
	char align;    /* one of < > = ^; 0: as the type has it */
	char sign;     /* + - or space; 0: - */
	char grouping; /* , or _; 0: none */
	char type;     /* 0: none */
	bool no_negative_zero, alternate;
	size_t width;
	int precision; /* -1: none */
};

/* ---- reading ---- */

static bool is_align(str s)
{
	return s.n > 0 && strchr("<>=^", s.p[0]) && s.p[0];
}

static bool take(str *s, const char *of, char *ret)
{
	if (s->n == 0 || !s->p[0] || !strchr(of, s->p[0]))
		return false;
	if (ret)
		*ret = s->p[0];
	*s = str_sub(*s, 1, s->n);
	return true;
}

/* Cut a number off *s. Returns -1 if there are no digits, -2 if it is too large. */
static int take_number(str *s)
{
	int n = -1;

	for (char c; take(s, "0123456789", &c);) {
		n = (n < 0 ? 0 : n) * 10 + (c - '0');
		if (n > INSP_WIDTH_MAX)
			return -2;
	}
	return n;
}

static bool read_spec(str s, struct spec *ret)
{
	struct spec f = { .fill = STR(" "), .precision = -1 };
	bool filled;
	size_t n;
	int width;

	(void)utf8_decode(s, &n);
	filled = is_align(str_sub(s, n, s.n));
	if (filled) {
		f.fill = str_sub(s, 0, n);
		s = str_sub(s, n, s.n);
	}
	(void)take(&s, "<>=^", &f.align);
	(void)take(&s, "+- ", &f.sign);
	f.no_negative_zero = take(&s, "z", NULL);
	f.alternate = take(&s, "#", NULL);
	if (!filled && take(&s, "0", NULL)) {
		f.fill = STR("0");
		/* a 0 before the width means "=" for numbers, but only a fill for texts */
		f.align = f.align ? f.align : '0';
	}
	width = take_number(&s);
	f.width = width > 0 ? (size_t)width : 0;
	(void)take(&s, ",_", &f.grouping);
	if (take(&s, ".", NULL)) {
		f.precision = take_number(&s);
		if (f.precision < 0)
			return false;
	}
	(void)take(&s, "bcdeEfFgGnosxX%", &f.type);
	*ret = f;
	return s.n == 0 && width != -2;
}

/* ---- writing ---- */

/* Append @count fill characters. */
static void pad(const struct spec *f, size_t count, struct buf *out)
{
	for (size_t i = 0; i < count; i++)
		buf_add_str(out, f->fill);
}

static void add_aligned(const struct spec *f, str prefix, str body, char align, struct buf *out)
{
	size_t n = utf8_count(prefix) + utf8_count(body), room = f->width > n ? f->width - n : 0;
	size_t before = align == '>' ? room : align == '^' ? room / 2 : 0;

	pad(f, before, out);
	buf_add_str(out, prefix);
	if (align == '=')
		pad(f, room, out);
	buf_add_str(out, body);
	pad(f, align == '=' ? 0 : room - before, out);
}

/* Append digits with a separator before each @every of them, counted from the right, and with zeros before them up
 * to @least characters. */
static void add_grouped(str digits, char separator, size_t every, size_t least, struct buf *out)
{
	size_t n = digits.n;

	while (separator && n + (n - 1) / every < least)
		n++;
	if (!separator && n < least)
		n = least;
	for (size_t i = n; i > 0; i--) {
		buf_add_byte(out, i > digits.n ? '0' : digits.p[digits.n - i]);
		if (separator && i > 1 && (i - 1) % every == 0)
			buf_add_byte(out, separator);
	}
}

/* Append @digits, then @rest (fraction, exponent, percent sign), with a sign and the alignment of numbers. */
static void add_number(const struct spec *f, bool negative, const char *mark, str digits, str rest, size_t every,
		       struct buf *out)
{
	CLEANUP(buf_done) struct buf body = BUF_INIT(out->max), prefix = BUF_INIT(8);
	char align = f->align == '0' ? '=' : f->align ? f->align : '>';
	bool zeros = align == '=' && str_eq(f->fill, STR("0"));
	size_t taken;

	if (negative || f->sign == '+' || f->sign == ' ')
		buf_add_byte(&prefix, negative ? '-' : f->sign);
	buf_add_cstr(&prefix, mark);
	taken = prefix.n + rest.n;
	add_grouped(digits, f->grouping, every, zeros && f->width > taken ? f->width - taken : 0, &body);
	buf_add_str(&body, rest);
	add_aligned(f, buf_str(&prefix), buf_str(&body), align, out);
	if (body.error)
		out->error = body.error;
}

static bool format_text(const struct spec *f, str s, struct buf *out)
{
	size_t n = 0, at = 0;

	if ((f->type && f->type != 's') || f->sign || f->alternate || f->grouping || f->align == '=' ||
	    f->no_negative_zero)
		return false;
	for (int i = 0; f->precision >= 0 && i < f->precision && at < s.n; i++) {
		(void)utf8_decode(str_sub(s, at, s.n), &n);
		at += n;
	}
	if (f->precision >= 0)
		s = str_sub(s, 0, at);
	add_aligned(f, STR(""), s, f->align && f->align != '0' ? f->align : '<', out);
	return true;
}

static bool format_character(const struct spec *f, bool negative, uint64_t u, struct buf *out)
{
	char text[UTF8_MAX_BYTES];
	size_t n;

	if (f->sign || f->alternate || f->grouping || negative || u > 0x10FFFF || (u >= 0xD800 && u <= 0xDFFF))
		return false;
	n = utf8_encode((uint32_t)u, text);
	add_aligned(f, STR(""), (str){ text, n }, f->align && f->align != '0' ? f->align : '>', out);
	return true;
}

static bool format_integer(const struct spec *f, val v, struct buf *out)
{
	bool negative = v.kind == VAL_INT && v.i < 0;
	uint64_t u = negative ? 0 - (uint64_t)v.i : v.u, rest = u;
	unsigned shift = f->type == 'b' ? 1 : f->type == 'o' ? 3 : f->type == 'x' || f->type == 'X' ? 4 : 0;
	const char *digits = f->type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
	char text[65], mark[3] = { '0', f->type, '\0' };
	size_t at = sizeof(text);

	if (f->precision >= 0 || f->no_negative_zero || (f->grouping == ',' && shift) ||
	    (f->grouping && f->type == 'n'))
		return false;
	if (f->type == 'c')
		return format_character(f, negative, u, out);
	do {
		text[--at] = digits[shift ? rest & ((1u << shift) - 1) : rest % 10];
		rest = shift ? rest >> shift : rest / 10;
	} while (rest);
	add_number(f, negative, f->alternate && shift ? mark : "", (str){ text + at, sizeof(text) - at }, STR(""),
		   shift ? 4 : 3, out);
	return true;
}

/* Split "d.ddde+XX", which is Go's %e, into the digits and the exponent of the first of them. */
static int split_scientific(struct buf *b, size_t *n_digits)
{
	ptrdiff_t e = str_find_byte(buf_str(b), 'e');
	int64_t exponent = 0;
	size_t n = 0;

	(void)int64_parse(str_sub(buf_str(b), (size_t)e + 1, b->n), &exponent);
	for (size_t i = 0; i < (size_t)e; i++) {
		if (b->p[i] != '.')
			b->p[n++] = b->p[i];
	}
	buf_truncate(b, n);
	*n_digits = n;
	return (int)exponent;
}

/* Append @d in the general format: @precision digits, with an exponent when it is below -4 or not below @limit.
 * @keep: zeros at the end stay. @dot_zero: 1 becomes "1.0". */
static void general(double d, int precision, int limit, bool keep, bool dot_zero, struct buf *out)
{
	CLEANUP(buf_done) struct buf digits = BUF_INIT(out->max);
	size_t n, whole;
	int exponent;

	go_format_float(&digits, d, 'e', precision < 0 ? -1 : precision - 1);
	if (digits.error) {
		out->error = digits.error;
		return;
	}
	exponent = split_scientific(&digits, &n);
	while (!keep && n > 1 && digits.p[n - 1] == '0')
		n--;
	if (exponent < -4 || exponent >= limit) {
		buf_add(out, digits.p, 1);
		if (n > 1 || keep)
			buf_add_byte(out, '.');
		buf_add(out, digits.p + 1, n - 1);
		buf_printf(out, "e%c%02d", exponent < 0 ? '-' : '+', abs(exponent));
		return;
	}
	if (exponent < 0) {
		buf_add_cstr(out, "0.");
		buf_fill(out, '0', (size_t)(-exponent - 1));
		buf_add(out, digits.p, n);
		return;
	}
	whole = (size_t)exponent + 1 < n ? (size_t)exponent + 1 : n;
	buf_add(out, digits.p, whole);
	buf_fill(out, '0', (size_t)exponent + 1 - whole);
	if (n > whole || keep || dot_zero)
		buf_add_byte(out, '.');
	if (n == whole && dot_zero)
		buf_add_byte(out, '0');
	buf_add(out, digits.p + whole, n - whole);
}

static void write_double(const struct spec *f, double d, struct buf *out)
{
	char type = (char)(f->type | 0x20);
	int precision = f->precision < 0 ? 6 : f->precision;

	if (!isfinite(d)) {
		buf_add_cstr(out, isnan(d) ? "nan" : "inf");
	} else if (f->type == 0 && f->precision < 0) {
		general(d, -1, 16, f->alternate, true, out);
	} else if (f->type == 0) {
		precision = precision ? precision : 1;
		general(d, precision, precision - 1, f->alternate, true, out);
	} else if (type == 'g' || type == 'n') {
		precision = precision ? precision : 1;
		general(d, precision, precision, f->alternate, false, out);
	} else {
		go_format_float(out, d, type == 'e' ? 'e' : 'f', precision);
		if (f->alternate && precision == 0 && type == 'e') {
			char digit = out->n ? out->p[0] : '0';
			CLEANUP(buf_done) struct buf tail = BUF_INIT(64);

			buf_add_str(&tail, str_sub(buf_str(out), 1, out->n));
			buf_clear(out);
			buf_printf(out, "%c.%.*s", digit, STR_ARG(buf_str(&tail)));
		} else if (f->alternate && precision == 0) {
			buf_add_byte(out, '.');
		}
	}
}

static bool is_zero(str s)
{
	for (size_t i = 0; i < s.n && (s.p[i] | 0x20) != 'e'; i++) {
		if (s.p[i] >= '1' && s.p[i] <= '9')
			return false;
	}
	return true;
}

static bool format_double(const struct spec *f, double d, struct buf *out)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(out->max);
	bool percent = f->type == '%', negative = signbit(d) && !isnan(d);
	size_t whole = 0;

	if ((f->type && !strchr("eEfFgGn%", f->type)) || (f->grouping && f->type == 'n'))
		return false;
	write_double(f, fabs(percent ? d * 100 : d), &b);
	if (f->type == 'E' || f->type == 'G' || f->type == 'F') {
		for (size_t i = 0; i < b.n; i++)
			b.p[i] = b.p[i] >= 'a' && b.p[i] <= 'z' ? (char)(b.p[i] - 0x20) : b.p[i];
	}
	if (percent)
		buf_add_byte(&b, '%');
	if (b.error) {
		out->error = b.error;
		return true;
	}
	while (whole < b.n && ascii_is_digit(b.p[whole]))
		whole++;
	if (f->no_negative_zero && negative && is_zero(buf_str(&b)))
		negative = false;
	if (whole == 0) { /* inf, nan */
		add_aligned(f,
			    negative         ? STR("-")
			    : f->sign == '+' ? STR("+")
			    : f->sign == ' ' ? STR(" ")
					     : STR(""),
			    buf_str(&b),
			    f->align == '0' ? '='
			    : f->align      ? f->align
					    : '>',
			    out);
		return true;
	}
	add_number(f, negative, "", str_sub(buf_str(&b), 0, whole), str_sub(buf_str(&b), whole, b.n), 3, out);
	return true;
}

static bool format_number(const struct spec *f, val v, struct buf *out)
{
	if (v.kind == VAL_DOUBLE)
		return format_double(f, v.d, out);
	if (f->type && strchr("eEfFgG%", f->type))
		return format_double(f, v.kind == VAL_INT ? (double)v.i : (double)v.u, out);
	return f->type != 's' && format_integer(f, v, out);
}

int insp_format(struct insp_work *w, val v, str spec, struct buf *out, bool *ok, struct err *err)
{
	size_t before = out->n;
	struct spec f;
	val number;
	int r;

	*ok = false;
	if (!read_spec(spec, &f))
		return 0;
	r = insp_spend(w, 1 + (f.width + (f.precision > 0 ? (size_t)f.precision : 0)) / INSP_BYTES_A_STEP, err);
	if (r < 0)
		return r;
	if (v.kind == VAL_STRING)
		*ok = format_text(&f, val_str(v), out);
	else if (py_number(v, &number))
		*ok = format_number(&f, number, out);
	r = insp_spend(w, (out->n - before) / INSP_BYTES_A_STEP, err);
	return r < 0 ? r : buf_error(out, "a text", err);
}
