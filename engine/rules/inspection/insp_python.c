/* Treats values as Python does, which the specification follows. */
#include "rules/inspection/insp_python.h"

#include "base/number.h"
#include "base/unicode.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>

/* ---- text ---- */

/* Append float.__repr__: the shortest digits, with an exponent below 1e-4 and from 1e16 on. */
static void add_double(double d, struct buf *out)
{
	char digits[DOUBLE_DIGITS_MAX + 2];
	int exponent;
	size_t n;

	if (!isfinite(d)) {
		buf_add_cstr(out, isnan(d) ? "nan" : d < 0 ? "-inf" : "inf");
		return;
	}
	n = double_digits(d, digits, &exponent);
	if (signbit(d))
		buf_add_byte(out, '-');
	if (exponent > 16 || exponent < -3) {
		buf_add_byte(out, digits[0]);
		if (n > 1)
			buf_add_byte(out, '.');
		buf_add(out, digits + 1, n - 1);
		buf_printf(out, "e%c%02d", exponent > 0 ? '+' : '-', abs(exponent - 1));
	} else if (exponent <= 0) {
		buf_add_cstr(out, "0.");
		buf_fill(out, '0', (size_t)-exponent);
		buf_add(out, digits, n);
	} else {
		size_t whole = (size_t)exponent < n ? (size_t)exponent : n;

		buf_add(out, digits, whole);
		buf_fill(out, '0', (size_t)exponent - whole);
		buf_add_byte(out, '.');
		if (whole == n)
			buf_add_byte(out, '0');
		buf_add(out, digits + whole, n - whole);
	}
}

static void add_escape(uint32_t c, struct buf *out)
{
	if (c < 0x100)
		buf_printf(out, "\\x%02" PRIx32, c);
	else if (c < 0x10000)
		buf_printf(out, "\\u%04" PRIx32, c);
	else
		buf_printf(out, "\\U%08" PRIx32, c);
}

/* How many bytes at the beginning of @s need no escape, whatever the quote is. */
static size_t plain_bytes(str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] >= ' ' && s.p[n] < 0x7F && s.p[n] != '\'' && s.p[n] != '"' && s.p[n] != '\\')
		n++;
	return n;
}

/* Append the first character of @s, which may need an escape. Returns its length in @s. */
static size_t add_character(str s, char quote, bool ascii, struct buf *out)
{
	size_t n;
	uint32_t c = utf8_decode(s, &n);

	if (c == '\n' || c == '\r' || c == '\t') {
		buf_add_cstr(out, c == '\n' ? "\\n" : c == '\r' ? "\\r" : "\\t");
	} else if (c == '\\' || c == (uint32_t)quote) {
		buf_add_byte(out, '\\');
		buf_add_byte(out, (char)c);
	} else if (!unicode_is_print(c) || (ascii && c > 0x7E)) {
		add_escape(c, out);
	} else {
		buf_add(out, s.p, n);
	}
	return n;
}

static void add_quoted(str s, bool ascii, struct buf *out)
{
	char quote = str_find_byte(s, '\'') >= 0 && str_find_byte(s, '"') < 0 ? '"' : '\'';

	buf_add_byte(out, quote);
	while (s.n > 0) {
		size_t n = plain_bytes(s);

		if (n > 0)
			buf_add(out, s.p, n);
		else
			n = add_character(s, quote, ascii, out);
		s = str_sub(s, n, s.n);
	}
	buf_add_byte(out, quote);
}

static int add_collection(struct insp_work *w, val v, bool ascii, struct buf *out, struct err *err)
{
	int r = 0;

	buf_add_byte(out, v.kind == VAL_LIST ? '[' : '{');
	for (uint32_t i = 0; r == 0 && i < v.n; i++) {
		if (i > 0)
			buf_add_cstr(out, ", ");
		if (v.kind == VAL_MAP) {
			add_quoted(key_str(v.members[i].key), ascii, out);
			buf_add_cstr(out, ": ");
		}
		r = py_repr(w, v.kind == VAL_LIST ? v.items[i] : v.members[i].value, ascii, out, err);
	}
	buf_add_byte(out, v.kind == VAL_LIST ? ']' : '}');
	return r;
}

int py_repr(struct insp_work *w, val v, bool ascii, struct buf *out, struct err *err)
{
	size_t before = out->n;
	int r = insp_spend(w, 1 + (v.kind == VAL_STRING ? v.n : 0), err); /* each character may have to be escaped */

	if (r < 0)
		return r;
	switch (v.kind) {
	case VAL_BOOL:
		buf_add_cstr(out, v.b ? "True" : "False");
		break;
	case VAL_INT:
		buf_printf(out, "%" PRId64, v.i);
		break;
	case VAL_UINT:
		buf_printf(out, "%" PRIu64, v.u);
		break;
	case VAL_DOUBLE:
		add_double(v.d, out);
		break;
	case VAL_STRING:
		add_quoted(val_str(v), ascii, out);
		break;
	case VAL_LIST:
	case VAL_MAP:
		r = add_collection(w, v, ascii, out, err);
		break;
	default:
		buf_add_cstr(out, "None");
	}
	if (r == 0 && v.kind == VAL_MAP)
		r = insp_spend(w, (out->n - before) / INSP_BYTES_A_STEP, err); /* a step for the bytes of its keys */
	return r < 0 ? r : buf_error(out, "a text", err);
}

int py_text(struct insp_work *w, val v, struct buf *out, struct err *err)
{
	int r;

	if (v.kind != VAL_STRING)
		return py_repr(w, v, false, out, err);
	r = insp_spend(w, 1 + v.n / INSP_BYTES_A_STEP, err);
	if (r < 0)
		return r;
	buf_add_str(out, val_str(v));
	return buf_error(out, "a text", err);
}

int py_text_of(struct insp_work *w, val v, str *ret, struct err *err)
{
	str copied;
	int r;

	if (v.kind == VAL_STRING) {
		*ret = val_str(v);
		return 0;
	}
	buf_clear(&w->text);
	r = py_repr(w, v, false, &w->text, err);
	if (r < 0)
		return r;
	copied = arena_str(w->arena, buf_str(&w->text));
	if (!copied.p)
		return arena_error(w->arena, err);
	*ret = copied;
	return 0;
}

/* ---- comparing ---- */

bool py_true(val v)
{
	switch (v.kind) {
	case VAL_BOOL:
		return v.b;
	case VAL_INT:
	case VAL_UINT:
		return v.u != 0;
	case VAL_DOUBLE:
		return v.d != 0;
	case VAL_STRING:
	case VAL_LIST:
	case VAL_MAP:
		return v.n > 0;
	default:
		return false;
	}
}

bool py_number(val v, val *ret)
{
	if (v.kind == VAL_BOOL)
		v = val_int(v.b);
	*ret = v;
	return val_is_number(v);
}

static int equal_collections(struct insp_work *w, val a, val b, struct err *err)
{
	int r = 1;

	for (uint32_t i = 0; r == 1 && i < a.n; i++) {
		if (a.kind == VAL_LIST)
			r = py_equal(w, a.items[i], b.items[i], err);
		else if (key_eq(a.members[i].key, b.members[i].key))
			r = py_equal(w, a.members[i].value, b.members[i].value, err);
		else
			r = 0;
	}
	return r;
}

int py_equal(struct insp_work *w, val a, val b, struct err *err)
{
	int r = insp_spend(w, 1 + (a.kind == VAL_STRING ? a.n / INSP_BYTES_A_STEP : 0), err);
	val x, y;

	if (r < 0)
		return r;
	if (py_number(a, &x) && py_number(b, &y))
		return val_same(x, y);
	if (a.kind != b.kind || a.n != b.n)
		return a.kind == VAL_NULL && b.kind == VAL_NULL;
	return a.kind == VAL_LIST || a.kind == VAL_MAP ? equal_collections(w, a, b, err) : val_equal(a, b);
}

/* Compare an integer with a double. If they are equal after the fraction is cut off, the fraction decides. */
static int compare_mixed(val i, double d)
{
	if (isnan(d) || d >= 0x1p64)
		return -1;
	if (d < -0x1p63)
		return 1;
	if (d >= 0x1p63)
		return i.kind == VAL_INT || i.u < (uint64_t)d ? -1 : i.u > (uint64_t)d;
	if (i.kind == VAL_UINT)
		return 1;
	if (i.i != (int64_t)d)
		return i.i < (int64_t)d ? -1 : 1;
	return (double)(int64_t)d < d ? -1 : (double)(int64_t)d > d;
}

static int compare_numbers(val a, val b)
{
	if (a.kind == VAL_DOUBLE && b.kind != VAL_DOUBLE)
		return -compare_mixed(b, a.d);
	if (b.kind == VAL_DOUBLE && a.kind != VAL_DOUBLE)
		return compare_mixed(a, b.d);
	/* integers beyond int64 have the larger kind, so that val_compare orders them correctly */
	return val_compare(a, b);
}

static int compare_lists(struct insp_work *w, val a, val b, int *ret, struct err *err)
{
	for (uint32_t i = 0; i < a.n && i < b.n; i++) {
		int r = py_equal(w, a.items[i], b.items[i], err);

		if (r < 0)
			return r;
		if (r == 0)
			return py_compare(w, a.items[i], b.items[i], ret, err);
	}
	*ret = (a.n > b.n) - (a.n < b.n);
	return 0;
}

int py_compare(struct insp_work *w, val a, val b, int *ret, struct err *err)
{
	val x, y;
	int r = insp_spend(w, 1 + (a.kind == VAL_STRING ? a.n / INSP_BYTES_A_STEP : 0), err);

	if (r < 0)
		return r;
	if (py_number(a, &x) && py_number(b, &y)) {
		*ret = compare_numbers(x, y);
		return 0;
	}
	if (a.kind == VAL_STRING && b.kind == VAL_STRING) {
		*ret = str_cmp(val_str(a), val_str(b)); /* UTF-8 sorts as its code points do */
		return 0;
	}
	if (a.kind == VAL_LIST && b.kind == VAL_LIST)
		return compare_lists(w, a, b, ret, err);
	return err_set(err, EINVAL, "cannot compare %s with %s", val_kind_name(a), val_kind_name(b));
}
