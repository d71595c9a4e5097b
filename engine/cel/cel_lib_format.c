/* string.format(): as the specification has it, and as version 2 of the strings extension, which Kubernetes pins, has
 * it. cel-go ext/formatting.go, ext/formatting_v2.go */
#include "base/ascii.h"
#include "cel/cel_format.h"
#include "cel/cel_func.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

#define DEFAULT_PRECISION 6
#define MAX_PRECISION 1000
#define DOUBLE_TEXT (MAX_PRECISION + 330) /* up to 309 digits before the point */

struct formatter {
	struct cel_ctx *c;
	struct buf out;
	cv error;
	bool failed;
};

#define FAIL(f, ...)                                                                                                   \
	do {                                                                                                           \
		(f)->error = cel_fail((f)->c, __VA_ARGS__);                                                            \
		(f)->failed = true;                                                                                    \
	} while (0)

static void wrong_type(struct formatter *f, char verb, cv v)
{
	FAIL(f, "error during formatting: %s, was given %.*s", cel_clause_expects(verb), STR_ARG(cv_type_name(v)));
}

/* ---- numbers ---- */

static const char *special(const struct formatter *f, double d)
{
	if (isnan(d))
		return "NaN";
	if (!isinf(d))
		return NULL;
	if (!f->c->kubernetes)
		return d > 0 ? "Infinity" : "-Infinity";
	return d > 0 ? "∞" : "-∞";
}

/* Append digits in groups of three before the point, as the en-US locale writes them. */
static void add_grouped(struct buf *out, const char *digits)
{
	size_t n = 0;

	if (*digits == '-')
		buf_add_byte(out, *digits++);
	while (ascii_is_digit(digits[n]))
		n++;
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_add_byte(out, ',');
		buf_add_byte(out, digits[i]);
	}
	buf_add_cstr(out, digits + n);
}

static void add_fixed(struct formatter *f, double d, int precision)
{
	char text[DOUBLE_TEXT];

	(void)snprintf(text, sizeof(text), "%.*f", precision, d);
	if (f->c->kubernetes)
		add_grouped(&f->out, text);
	else
		buf_add_cstr(&f->out, text);
}

/* Append a double as 1.052033e+03, or 1.052033×10⁰³. */
static void add_scientific(struct formatter *f, double d, int precision)
{
	static const char *const superscripts[] = { "⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹" };
	char text[DOUBLE_TEXT], *e;

	(void)snprintf(text, sizeof(text), "%.*e", precision, d);
	e = strchr(text, 'e');
	if (!f->c->kubernetes || !e) {
		buf_add_cstr(&f->out, text);
		return;
	}
	buf_add(&f->out, text, (size_t)(e - text));
	buf_add_cstr(&f->out, "×10");
	for (e++; *e; e++) {
		if (*e == '-')
			buf_add_cstr(&f->out, "⁻");
		else if (*e != '+')
			buf_add_cstr(&f->out, superscripts[*e - '0']);
	}
}

/* Put spaces before the text that begins at @start: version 2 takes the precision of %e for a width. */
static void pad(struct formatter *f, size_t start, int width)
{
	char text[DOUBLE_TEXT];
	size_t n = f->out.n - start, columns;

	if (f->out.error || n > sizeof(text))
		return;
	memcpy(text, f->out.p + start, n);
	buf_truncate(&f->out, start);
	for (columns = utf8_count((str){ text, n }); columns < (size_t)width; columns++)
		buf_add_byte(&f->out, ' ');
	buf_add(&f->out, text, n);
}

/* The doubles that have no literal, by the names that version 2 has for them. */
static bool named_double(cv v, double *ret)
{
	str s = v.kind == CV_STRING ? cv_str(v) : (str){ "", 0 };

	if (str_eq(s, STR("NaN")))
		*ret = (double)NAN;
	else if (str_eq(s, STR("Infinity")) || str_eq(s, STR("-Infinity")))
		*ret = s.p[0] == '-' ? -(double)INFINITY : (double)INFINITY;
	else
		return false;
	return true;
}

static void add_double(struct formatter *f, cv v, int precision, bool exponent)
{
	const char *text;
	double d = v.d;
	size_t start = f->out.n;

	if (!f->c->kubernetes && v.kind == CV_INT)
		d = (double)v.i;
	else if (!f->c->kubernetes && v.kind == CV_UINT)
		d = (double)v.u;
	else if (v.kind != CV_DOUBLE && !(f->c->kubernetes && named_double(v, &d))) {
		wrong_type(f, exponent ? 'e' : 'f', v);
		return;
	}
	if (f->c->kubernetes && d == 0)
		d = 0; /* written without a sign */
	text = special(f, d);
	if (text)
		buf_add_cstr(&f->out, text);
	else if (exponent)
		add_scientific(f, d, f->c->kubernetes ? DEFAULT_PRECISION : precision);
	else
		add_fixed(f, d, precision);
	if (exponent && f->c->kubernetes)
		pad(f, start, precision);
}

static void add_base(struct formatter *f, cv v, unsigned base, bool upper)
{
	const char *digits = upper ? "0123456789ABCDEF" : "0123456789abcdef";
	uint64_t u = v.kind == CV_INT && v.i < 0 ? 0 - v.u : v.u;
	char text[66];
	size_t at = sizeof(text);

	if (v.kind == CV_BOOL)
		u = v.b;
	do
		text[--at] = digits[u % base];
	while (u /= base);
	if (v.kind == CV_INT && v.i < 0)
		buf_add_byte(&f->out, '-');
	buf_add(&f->out, text + at, sizeof(text) - at);
}

static void add_hex(struct formatter *f, cv v, bool upper)
{
	if (v.kind == CV_INT || v.kind == CV_UINT) {
		add_base(f, v, 16, upper);
	} else if (v.kind == CV_STRING || v.kind == CV_BYTES) {
		for (uint32_t i = 0; i < v.n; i++)
			buf_printf(&f->out, upper ? "%02X" : "%02x", (unsigned char)v.s[i]);
	} else {
		wrong_type(f, 'x', v);
	}
}

static void add_decimal(struct formatter *f, cv v)
{
	const char *text = v.kind == CV_DOUBLE && !f->c->kubernetes ? special(f, v.d) : NULL;

	if (text)
		buf_add_cstr(&f->out, text);
	else if (v.kind == CV_INT || v.kind == CV_UINT)
		add_base(f, v, 10, false);
	else
		wrong_type(f, 'd', v);
}

/* ---- %s ---- */

static void add_text(struct formatter *f, cv v, bool nested, unsigned depth);

struct pair {
	cv key;
	cv value;
	str text;
};

static int compare_pairs(const void *x, const void *y)
{
	return str_cmp(((const struct pair *)x)->text, ((const struct pair *)y)->text);
}

/* Append the entries in the order of their keys' texts. */
static void add_map(struct formatter *f, cv v, unsigned depth)
{
	uint32_t n = cv_count(v);
	struct pair *pairs = arena_array(f->c->arena, n, sizeof(*pairs));

	if (!pairs) {
		f->error = cel_nomem(f->c);
		f->failed = true;
		return;
	}
	for (uint32_t i = 0; i < n; i++) {
		cv text;

		cv_entry_at(f->c->arena, v, i, &pairs[i].key, &pairs[i].value);
		if (f->c->kubernetes && (pairs[i].key.kind == CV_DOUBLE || !cv_is_qualifier(pairs[i].key))) {
			FAIL(f, "error during formatting: no formatting function for map key of type %.*s",
			     STR_ARG(cv_type_name(pairs[i].key)));
			return;
		}
		text = cel_to_string(f->c, pairs[i].key);
		pairs[i].text = cv_is_error(text) ? (str){ "", 0 } : cv_str(text);
		/* ordered by the text that is written, with its quotes */
		if (f->c->kubernetes && pairs[i].key.kind == CV_STRING)
			pairs[i].text = arena_printf(f->c->arena, "\"%.*s\"", STR_ARG(pairs[i].text));
	}
	if (n)
		qsort(pairs, n, sizeof(*pairs), compare_pairs);
	buf_add_byte(&f->out, '{');
	for (uint32_t i = 0; i < n && !f->failed; i++) {
		if (i)
			buf_add_cstr(&f->out, ", ");
		add_text(f, pairs[i].key, true, depth + 1);
		buf_add_cstr(&f->out, f->c->kubernetes ? ":" : ": ");
		add_text(f, pairs[i].value, true, depth + 1);
	}
	buf_add_byte(&f->out, '}');
}

static void add_list(struct formatter *f, cv v, unsigned depth)
{
	buf_add_byte(&f->out, '[');
	for (uint32_t i = 0; i < cv_count(v) && !f->failed; i++) {
		if (i)
			buf_add_cstr(&f->out, ", ");
		add_text(f, cv_item(f->c->arena, v, i), true, depth + 1);
	}
	buf_add_byte(&f->out, ']');
}

/* Append a value inside a list or map, where Kubernetes' version writes literals. */
static void add_nested(struct formatter *f, cv v)
{
	cv text;

	switch (v.kind) {
	case CV_STRING:
		cel_quote(cv_str(v), &f->out);
		return;
	case CV_BYTES:
		buf_add_byte(&f->out, 'b');
		cel_quote(cv_str(v), &f->out);
		return;
	case CV_TIMESTAMP:
	case CV_DURATION:
		text = cel_to_string(f->c, v);
		if (!cv_is_error(text))
			buf_printf(&f->out, "%s(\"%.*s\")", v.kind == CV_DURATION ? "duration" : "timestamp",
				   STR_ARG(cv_str(text)));
		return;
	default:
		if (isnan(v.d))
			buf_add_cstr(&f->out, "\"NaN\"");
		else if (isinf(v.d))
			buf_add_cstr(&f->out, v.d > 0 ? "\"+Inf\"" : "\"-Inf\"");
		else
			buf_printf(&f->out, "%.6f", v.d);
	}
}

static void add_text(struct formatter *f, cv v, bool nested, unsigned depth)
{
	const char *text = v.kind == CV_DOUBLE && !f->c->kubernetes ? special(f, v.d) : NULL;
	cv converted;

	if (depth > 250) {
		FAIL(f, "error during formatting: value is nested too deeply");
		return;
	}
	if (f->c->kubernetes && nested &&
	    (v.kind == CV_STRING || v.kind == CV_BYTES || v.kind == CV_TIMESTAMP || v.kind == CV_DURATION ||
	     v.kind == CV_DOUBLE)) {
		add_nested(f, v);
		return;
	}
	switch (v.kind) {
	case CV_NULL:
		buf_add_cstr(&f->out, "null");
		return;
	case CV_LIST:
		add_list(f, v, depth);
		return;
	case CV_MAP:
		add_map(f, v, depth);
		return;
	case CV_TYPE:
		buf_add_str(&f->out, cv_str(v));
		return;
	case CV_ERROR:
		f->error = v;
		f->failed = true;
		return;
	default:
		break;
	}
	if (v.kind > CV_OPTIONAL) {
		wrong_type(f, 's', v);
		return;
	}
	converted = text ? cv_string(str_from(text)) : cel_to_string(f->c, v);
	if (cv_is_error(converted))
		wrong_type(f, 's', v);
	else
		buf_add_str(&f->out, cv_str(converted));
}

/* ---- clauses ---- */

static void add_clause(struct formatter *f, const struct cel_clause *clause, cv v)
{
	int precision = clause->precision == CEL_PRECISION_NONE ? DEFAULT_PRECISION : clause->precision;

	if (precision > MAX_PRECISION) {
		FAIL(f, "could not parse formatting clause: precision is too large");
		return;
	}
	switch (clause->verb) {
	case 's':
		add_text(f, v, false, 0);
		break;
	case 'd':
		add_decimal(f, v);
		break;
	case 'f':
	case 'e':
		add_double(f, v, precision, clause->verb == 'e');
		break;
	case 'x':
	case 'X':
		add_hex(f, v, clause->verb == 'X');
		break;
	case 'b':
		if (v.kind == CV_INT || v.kind == CV_UINT || v.kind == CV_BOOL)
			add_base(f, v, 2, false);
		else
			wrong_type(f, 'b', v);
		break;
	default:
		if (v.kind == CV_INT || v.kind == CV_UINT)
			add_base(f, v, 8, false);
		else
			wrong_type(f, 'o', v);
	}
}

/* Write the clause whose "%" is at *at with argument number @used; *at moves behind it. */
static void format_clause(struct formatter *f, str s, size_t *at, cv list, uint32_t used)
{
	CLEANUP(buf_done) struct buf why = BUF_INIT(1024);
	struct cel_clause clause;
	cv v;

	if (used >= cv_count(list)) {
		FAIL(f, "index %u out of range", used);
	} else if (*at + 1 >= s.n) {
		FAIL(f, "unexpected end of string");
	} else if (!cel_clause_read(s, at, &clause, &why)) {
		FAIL(f, "%.*s", STR_ARG(buf_str(&why)));
	} else {
		v = cv_item(f->c->arena, list, used);
		f->error = v;
		f->failed = v.kind == CV_ERROR;
		if (!f->failed)
			add_clause(f, &clause, v);
	}
}

static cv format(struct cel_ctx *c, const cv *a, uint32_t n)
{
	struct formatter f = { .c = c, .out = BUF_INIT(c->arena->max ? c->arena->max : SIZE_MAX / 4) };
	str s = cv_str(a[0]);
	uint32_t used = 0;

	(void)n;
	for (size_t i = 0; i < s.n && !f.failed;) {
		if (s.p[i] != '%') {
			buf_add_byte(&f.out, s.p[i++]);
		} else if (i + 1 < s.n && s.p[i + 1] == '%') {
			buf_add_byte(&f.out, '%');
			i += 2;
		} else {
			format_clause(&f, s, &i, a[1], used++);
		}
	}
	if (f.failed) {
		buf_done(&f.out);
		return f.error;
	}
	return cel_string_take(c, &f.out);
}

static const struct cel_overload overloads[] = {
	CEL_MEMBER("format", "string_format", "sL*:s", format, COST_FIRST, "the text with its % clauses filled in"),
};

const struct cel_library cel_lib_format = { overloads, ARRAY_LEN(overloads) };
