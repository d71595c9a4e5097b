/* Reads number literals as Go does. */
#include "template/tmpl_const.h"

#include "go/quote.h"
#include "go/strconv.h"
#include "template/tmpl_print.h"

#include <errno.h>

/* The return value of tmpl_number once the text of the error is in *out. */
static int refused(const struct buf *out)
{
	return out->error == -ENOMEM ? -ENOMEM : -EBADMSG;
}

static int quoted_error(const char *what, str text, struct buf *out)
{
	buf_add_cstr(out, what);
	go_quote(out, text);
	return refused(out);
}

static int char_constant(str text, struct tnumber *ret, struct buf *out)
{
	str rest = str_sub(text, 1, text.n);
	uint32_t c;
	bool raw;

	if (!go_unquote_char(&rest, '\'', &c, &raw)) {
		buf_add_cstr(out, "invalid syntax");
		return refused(out);
	}
	if (!str_eq(rest, STR("'"))) {
		buf_add_cstr(out, "malformed character constant: ");
		buf_add_str(out, text);
		return refused(out);
	}
	*ret = (struct tnumber){ .is_int = true, .is_uint = true, .is_float = true, .i = c, .u = c, .f = c };
	return 0;
}

/* A complex number whose imaginary part is zero is a float, and an integer where it is whole. */
static void simplify_complex(struct tnumber *n)
{
	n->is_float = n->c[1] == 0;
	if (!n->is_float)
		return;
	n->f = n->c[0];
	n->is_int = (double)go_float_to_int64(n->f) == n->f;
	if (n->is_int)
		n->i = go_float_to_int64(n->f);
	n->is_uint = (double)go_float_to_uint64(n->f) == n->f;
	if (n->is_uint)
		n->u = go_float_to_uint64(n->f);
}

static int part_of_complex(str s, double *ret, struct buf *out)
{
	int r = go_parse_float(s, ret);

	if (r == 0 || r == -ENOMEM)
		return r;
	buf_add_cstr(out, "strconv.ParseFloat: parsing ");
	go_quote(out, s);
	buf_add_cstr(out, r == -ERANGE ? ": value out of range" : ": invalid syntax");
	return refused(out);
}

static int complex_constant(str text, struct tnumber *ret, struct buf *out)
{
	struct tnumber n = { .is_complex = true };
	size_t i = text.n - 1;
	int r;

	/* The sign between the parts: the last one that is not an exponent's. */
	while (i > 1 && !((text.p[i] == '+' || text.p[i] == '-') && !strchr("eEpP", text.p[i - 1])))
		i--;
	r = part_of_complex(str_sub(text, 0, i), &n.c[0], out);
	if (r == 0)
		r = part_of_complex(str_sub(text, i, text.n - 1), &n.c[1], out);
	if (r < 0)
		return r;
	simplify_complex(&n);
	*ret = n;
	return 0;
}

static bool looks_like_float(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (strchr(".eEpP", s.p[i]) && s.p[i])
			return true;
	}
	return false;
}

static int imaginary_constant(str text, struct tnumber *ret)
{
	struct tnumber n = { .is_complex = true };
	int r = go_parse_float(str_sub(text, 0, text.n - 1), &n.c[1]);

	if (r < 0)
		return r;
	simplify_complex(&n);
	*ret = n;
	return 0;
}

/* Read a number that is no integer in any of its spellings. A float that is whole is an integer too. */
static int float_constant(str text, struct tnumber *n, struct buf *out)
{
	int r = go_parse_float(text, &n->f);

	if (r == -ENOMEM)
		return r;
	if (r < 0)
		return quoted_error("illegal number syntax: ", text, out);
	if (!looks_like_float(text))
		return quoted_error("integer overflow: ", text, out);
	n->is_float = true;
	n->is_int = (double)go_float_to_int64(n->f) == n->f;
	n->i = n->is_int ? go_float_to_int64(n->f) : 0;
	n->is_uint = (double)go_float_to_uint64(n->f) == n->f;
	n->u = n->is_uint ? go_float_to_uint64(n->f) : 0;
	return 0;
}

int tmpl_number(str text, enum tok_type type, struct tnumber *ret, struct buf *out)
{
	struct tnumber n = { 0 };
	int r;

	if (type == TOK_CHAR_CONSTANT)
		return char_constant(text, ret, out);
	if (type == TOK_COMPLEX)
		return complex_constant(text, ret, out);
	if (text.n > 0 && text.p[text.n - 1] == 'i') {
		r = imaginary_constant(text, ret);
		if (r == 0 || r == -ENOMEM)
			return r;
	}
	n.is_uint = go_parse_uint(text, 0, &n.u);
	n.is_int = go_parse_int(text, 0, &n.i);
	if (n.is_int && n.i == 0)
		n.is_uint = true;
	if (n.is_int || n.is_uint) {
		n.is_float = true;
		n.f = n.is_int ? (double)n.i : (double)n.u;
	} else {
		r = float_constant(text, &n, out);
		if (r < 0)
			return r;
	}
	*ret = n;
	return 0;
}
