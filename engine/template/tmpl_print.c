/* fmt: how Go prints values. The names and the order of decisions follow what fmt documents for verbs and flags. */
#include "template/tmpl_print_internal.h"

#include "base/ascii.h"
#include "base/utf8.h"

#include <errno.h>

static void print_value(struct printer *p, tval v, uint32_t verb, uint32_t depth);
static void print_arg(struct printer *p, tval v, uint32_t verb);

static void clear_flags(struct printer *p)
{
	p->has_width = p->has_prec = p->minus = p->plus = p->sharp = p->space = p->zero = false;
	p->plus_v = p->sharp_v = false;
	p->width = p->prec = 0;
}

void fmt_bad_verb(struct printer *p, uint32_t verb)
{
	p->erroring = true;
	buf_add_cstr(p->out, "%!");
	buf_add_utf8(p->out, verb);
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

/* ---- composites ---- */

static void print_bytes(struct printer *p, tval v, uint32_t verb, const char *type_name)
{
	if (verb != 'v' && verb != 'd') {
		if (verb == 's' || verb == 'x' || verb == 'X' || verb == 'q')
			fmt_string(p, v.s, verb);
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
			fmt_0x(p, (unsigned char)v.s.p[i], true);
		else
			fmt_integer(p, (unsigned char)v.s.p[i], false, 'd');
	}
	buf_add_byte(p->out, p->sharp_v ? '}' : ']');
}

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

/* The address that is printed for all pointers: a real one means nothing to a template, and differs from run to run. */
#define ADDRESS 0xc000010000u

static void print_pointer(struct printer *p, tval v, uint32_t verb)
{
	enum tkind kind = tval_kind(v);
	uint64_t u = tval_is_nil_like(v) ? 0 : ADDRESS;

	/* NOLINTNEXTLINE(bugprone-branch-clone): the order of fmt's cases */
	if (kind != TK_PTR && kind != TK_MAP && kind != TK_SLICE) {
		fmt_bad_verb(p, verb);
	} else if (verb == 'v' && p->sharp_v) {
		buf_printf(p->out, "(%s)(", v.type->name);
		if (u == 0)
			buf_add_cstr(p->out, "nil");
		else
			fmt_0x(p, u, true);
		buf_add_byte(p->out, ')');
	} else if (verb == 'v' && u == 0) {
		fmt_padded(p, STR("<nil>"));
	} else if (verb == 'v' || verb == 'p') {
		fmt_0x(p, u, !p->sharp);
	} else if (verb < 0x80 && strchr("bodxX", (int)verb) && verb) {
		fmt_integer(p, u, false, verb);
	} else {
		fmt_bad_verb(p, verb);
	}
}

/* Print a value by its Error(), String() or GoString(). */
static bool handle_methods(struct printer *p, tval v, uint32_t verb)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(p->out->max);
	void (*method)(struct tmem * m, tval v, struct buf * out) = NULL;

	if (p->erroring)
		return false;
	if (verb == 'w') {
		fmt_bad_verb(p, verb);
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
		fmt_padded(p, fmt_truncated(p, buf_str(&text)));
	else
		fmt_string(p, buf_str(&text), verb);
	return true;
}

static void print_nil(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	if (v.iface && p->sharp_v)
		buf_add_cstr(p->out, "interface {}(nil)");
	else if (v.iface || (depth > 0 && verb == 'v'))
		buf_add_cstr(p->out, "<nil>");
	else if (depth > 0)
		fmt_bad_verb(p, verb);
	else
		buf_add_cstr(p->out, "<invalid reflect.Value>");
}

/* Print a value inside an operand (depth > 0), or an operand that has no basic type. */
static void print_value(struct printer *p, tval v, uint32_t verb, uint32_t depth)
{
	if (depth > TVAL_DEPTH || !tmem_walk(p->m)) {
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
			fmt_padded(p, v.b ? STR("true") : STR("false"));
		else
			fmt_bad_verb(p, verb);
		return;
	case TK_INT:
	case TK_INT32:
	case TK_INT64:
		fmt_integer(p, (uint64_t)v.i, true, verb);
		return;
	case TK_UINT:
	case TK_UINT8:
	case TK_UINT32:
	case TK_UINT64:
		fmt_integer(p, v.u, false, verb);
		return;
	case TK_FLOAT64:
		fmt_float(p, v.d, verb);
		return;
	case TK_COMPLEX128:
		fmt_complex(p, v.c, verb);
		return;
	case TK_STRING:
		fmt_string(p, v.s, verb);
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
			fmt_padded(p, STR("<nil>"));
		else
			fmt_bad_verb(p, verb);
		return;
	}
	if (verb == 'T') {
		fmt_padded(p, fmt_truncated(p, str_from(v.type->name)));
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
		fmt_string(p, v.s, verb);
		return;
	}
	/* print_value does not know the operand; a bad verb shows the same text either way */
	print_value(p, v, verb, 0);
}

/* ---- formats ---- */

struct format {
	str text;
	size_t i;
	const tval *args;
	size_t n;
	size_t arg;       /* the next operand */
	bool after_index; /* the item before was an index such as [3] */
};

static bool at(const struct format *f, char c)
{
	return f->i < f->text.n && f->text.p[f->i] == c;
}

/* Read a decimal number in text[from, to), and put its end into *end. False when there is none, or it is too large. */
static bool parse_number(str text, size_t from, size_t to, int *ret, size_t *end)
{
	int n = 0;
	bool any = false;

	*ret = 0;
	for (*end = from; *end < to && ascii_is_digit(text.p[*end]); ++*end) {
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

/* Read an index such as "[3]" at text.p[i]: the operand's index from 0 (negative: bad), and how many bytes it takes. */
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

/* Read the operand of a *, which is an int. */
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
	/* A dot without a number is precision 0. */
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
		buf_add_utf8(p->out, verb);
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
