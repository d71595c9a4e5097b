/* The functions of text/template, except those that the executor handles itself. */
#include "template/fn/fn.h"

#include "base/unicode.h"
#include "base/utf8.h"
#include "go/url.h"
#include "template/tmpl_print.h"

/* The name of a type, in which a pointer to a struct counts as the struct. */
static const char *indirect_name(tval v)
{
	return v.type->kind == TK_PTR && v.type->name[0] == '*' ? v.type->name + 1 : v.type->name;
}

static int fn_not(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	(void)n;
	*ret = tval_bool(!tval_truth(c->mem, args[0]));
	return 0;
}

/* ---- index, len ---- */

static int index_list(struct tmpl_call *c, tval list, tval index, tval *ret)
{
	enum tkind kind = tval_kind(index);
	size_t len = tval_len(c->mem, list);
	int64_t i = 0;

	if (tkind_is_int(kind))
		i = index.i;
	else if (tkind_is_uint(kind))
		i = (int64_t)index.u;
	else if (kind == TK_INVALID)
		return tmpl_fail(c, "cannot index slice/array with nil");
	else
		return tmpl_fail(c, "cannot index slice/array with type %s", index.type->name);
	if (i < 0 || (uint64_t)i > len)
		return tmpl_fail(c, "index out of range: %lld", (long long)i);
	if ((uint64_t)i == len)
		return tmpl_fail(c, "reflect: %s index out of range",
				 list.type->kind == TK_STRING ? "string" : "slice");
	if (list.type->kind == TK_STRING)
		*ret = (tval){ .type = &tt_uint8, .u = (unsigned char)list.s.p[i] };
	else
		*ret = tval_at(list, (size_t)i);
	return 0;
}

/* The zero value of the elements, which a missing key gives. */
static tval zero_of(const struct ttype *elem)
{
	if (elem == &tt_any)
		return tval_boxed(tval_nil());
	return elem == &tt_string ? tval_string(STR("")) : (tval){ .type = elem };
}

static int index_map(struct tmpl_call *c, tval map, tval index, tval *ret)
{
	if (!index.type)
		return tmpl_fail(c, "value is nil; should be of type string");
	if (index.type != &tt_string)
		return tmpl_fail(c, "value has type %s; should be string", index.type->name);
	if (!tmap_get(c->mem, map, index.s, ret))
		*ret = zero_of(map.type->elem);
	return 0;
}

static int fn_index(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval item = args[0];
	int r = 0;

	if (!item.type)
		return tmpl_fail(c, "index of untyped nil");
	for (size_t i = 1; i < n && r == 0; i++) {
		tval next;

		switch (tval_kind(item)) {
		case TK_INVALID:
			return tmpl_fail(c, "index of nil pointer");
		case TK_SLICE:
		case TK_STRING:
			r = index_list(c, item, args[i], &next);
			break;
		case TK_MAP:
			r = index_map(c, item, args[i], &next);
			break;
		default:
			return tmpl_fail(c, "can't index item of type %s", indirect_name(item));
		}
		if (r == 0)
			item = next;
	}
	if (r == 0)
		*ret = item;
	return r;
}

static int fn_len(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	tval v = args[0];

	(void)n;
	switch (tval_kind(v)) {
	case TK_INVALID:
		return v.iface ? tmpl_fail(c, "len of nil pointer")
			       : tmpl_fail(c, "reflect: call of reflect.Value.Type on zero Value");
	case TK_STRING:
	case TK_SLICE:
	case TK_MAP:
		*ret = tval_int((int64_t)tval_len(c->mem, v));
		return 0;
	default:
		return tmpl_fail(c, "len of type %s", indirect_name(v));
	}
}

/* ---- comparison ---- */

enum basic_kind {
	BASIC_NONE,
	BASIC_BOOL,
	BASIC_COMPLEX,
	BASIC_INT,
	BASIC_FLOAT,
	BASIC_STRING,
	BASIC_UINT,
};

static const char bad_type[] = "invalid type for comparison", bad_pair[] = "incompatible types for comparison";

static enum basic_kind basic_kind(tval v)
{
	enum tkind k = tval_kind(v);

	if (tkind_is_int(k))
		return BASIC_INT;
	if (tkind_is_uint(k))
		return BASIC_UINT;
	switch (k) {
	case TK_BOOL:
		return BASIC_BOOL;
	case TK_FLOAT64:
		return BASIC_FLOAT;
	case TK_COMPLEX128:
		return BASIC_COMPLEX;
	case TK_STRING:
		return BASIC_STRING;
	default:
		return BASIC_NONE;
	}
}

static bool equal_basic(enum basic_kind k, tval a, tval b)
{
	switch (k) {
	case BASIC_BOOL:
		return a.b == b.b;
	case BASIC_COMPLEX:
		return a.c[0] == b.c[0] && a.c[1] == b.c[1];
	case BASIC_FLOAT:
		return a.d == b.d;
	case BASIC_INT:
		return a.i == b.i;
	case BASIC_STRING:
		return str_eq(a.s, b.s);
	case BASIC_UINT:
		return a.u == b.u;
	case BASIC_NONE:
		break;
	}
	return false;
}

static int fail_format(struct tmpl_call *c, const char *format, const tval *args, size_t n)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	str s;
	int r;

	tmpl_sprintf(c->mem, str_from(format), args, n, &text);
	r = tmpl_buf_str(c, &text, &s);
	return r < 0 ? r : tmpl_fail_str(c, s);
}

static tval type_text(tval v)
{
	return tval_string(str_from(tval_type_name(v)));
}

/* Compares slices, maps, pointers, structs and nil. Go formats the message's operands with the verbs this way round. */
static int equal_other(struct tmpl_call *c, tval a, tval b, bool *ret)
{
	bool nil_a = tval_is_nil_like(a), nil_b = tval_is_nil_like(b);

	if (a.type && b.type && a.type->kind != b.type->kind)
		return fail_format(c, "non-comparable types %s: %v, %s: %v",
				   (tval[]){ a, type_text(a), type_text(b), b }, 4);
	if (nil_a || nil_b) {
		*ret = nil_a == nil_b;
		return 0;
	}
	if (b.type->kind == TK_SLICE || b.type->kind == TK_MAP)
		return fail_format(c, "non-comparable type %s: %v", (tval[]){ b, type_text(b) }, 2);
	if (a.type != b.type)
		*ret = false;
	else if (a.type->kind == TK_PTR)
		*ret = a.p == b.p;
	else
		*ret = tval_deep_equal(c->mem, a, b);
	return 0;
}

static int equal_pair(struct tmpl_call *c, tval a, tval b, bool *ret)
{
	enum basic_kind ka = basic_kind(a), kb = basic_kind(b);

	*ret = false;
	if (ka == kb && ka != BASIC_NONE)
		*ret = equal_basic(ka, a, b);
	else if (ka == kb)
		return equal_other(c, a, b, ret);
	else if (ka == BASIC_INT && kb == BASIC_UINT)
		*ret = a.i >= 0 && (uint64_t)a.i == b.u;
	else if (ka == BASIC_UINT && kb == BASIC_INT)
		*ret = b.i >= 0 && a.u == (uint64_t)b.i;
	else if (a.type && b.type)
		return tmpl_fail(c, "%s", bad_pair);
	return 0;
}

static int fn_eq(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool equal = false;

	if (n < 2)
		return tmpl_fail(c, "missing argument for comparison");
	for (size_t i = 1; i < n && !equal; i++) {
		int r = equal_pair(c, args[0], args[i], &equal);

		if (r < 0)
			return r;
	}
	*ret = tval_bool(equal);
	return 0;
}

static int fn_ne(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool equal;
	int r = equal_pair(c, args[0], args[1], &equal);

	(void)n;
	if (r == 0)
		*ret = tval_bool(!equal);
	return r;
}

static int less(struct tmpl_call *c, tval a, tval b, bool *ret)
{
	enum basic_kind ka = basic_kind(a), kb = basic_kind(b);

	if (ka == BASIC_NONE || kb == BASIC_NONE)
		return tmpl_fail(c, "%s", bad_type);
	if (ka == BASIC_INT && kb == BASIC_UINT)
		*ret = a.i < 0 || (uint64_t)a.i < b.u;
	else if (ka == BASIC_UINT && kb == BASIC_INT)
		*ret = b.i >= 0 && a.u < (uint64_t)b.i;
	else if (ka != kb)
		return tmpl_fail(c, "%s", bad_pair);
	else if (ka == BASIC_BOOL || ka == BASIC_COMPLEX)
		return tmpl_fail(c, "%s", bad_type);
	else if (ka == BASIC_FLOAT)
		*ret = a.d < b.d;
	else if (ka == BASIC_INT)
		*ret = a.i < b.i;
	else if (ka == BASIC_UINT)
		*ret = a.u < b.u;
	else
		*ret = str_cmp(a.s, b.s) < 0;
	return 0;
}

static int less_or_equal(struct tmpl_call *c, tval a, tval b, bool *ret)
{
	int r = less(c, a, b, ret);

	return r < 0 || *ret ? r : equal_pair(c, a, b, ret);
}

static int fn_lt(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool result;
	int r = less(c, args[0], args[1], &result);

	(void)n;
	if (r == 0)
		*ret = tval_bool(result);
	return r;
}

static int fn_le(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool result;
	int r = less_or_equal(c, args[0], args[1], &result);

	(void)n;
	if (r == 0)
		*ret = tval_bool(result);
	return r;
}

static int fn_gt(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool result;
	int r = less_or_equal(c, args[0], args[1], &result);

	(void)n;
	if (r == 0)
		*ret = tval_bool(!result);
	return r;
}

static int fn_ge(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	bool result;
	int r = less(c, args[0], args[1], &result);

	(void)n;
	if (r == 0)
		*ret = tval_bool(!result);
	return r;
}

/* ---- printing ---- */

static int fn_print(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	tmpl_sprint_all(c->mem, args, n, &text);
	return tmpl_ret_buf(c, &text, ret);
}

static int fn_println(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	tmpl_sprintln(c->mem, args, n, &text);
	return tmpl_ret_buf(c, &text, ret);
}

static int fn_printf(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);

	tmpl_sprintf(c->mem, args[0].s, args + 1, n - 1, &text);
	return tmpl_ret_buf(c, &text, ret);
}

/* ---- escaping ---- */

/* Join the operands to one text; nil is printed as an action prints it. */
static int joined(struct tmpl_call *c, const tval *args, size_t n, str *ret)
{
	CLEANUP(buf_done) struct buf text = tmpl_buf(c);
	tval *list = tmpl_items(c, n);

	if (!list)
		return tmpl_nomem(c);
	for (size_t i = 0; i < n; i++)
		list[i] = args[i].type ? args[i] : tval_string(STR("<no value>"));
	tmpl_sprint_all(c->mem, list, n, &text);
	return tmpl_buf_str(c, &text, ret);
}

static void html_byte(struct buf *out, char ch)
{
	switch (ch) {
	case '\0':
		buf_add_cstr(out, "\xEF\xBF\xBD");
		break;
	case '"':
		buf_add_cstr(out, "&#34;");
		break;
	case '\'':
		buf_add_cstr(out, "&#39;");
		break;
	case '&':
		buf_add_cstr(out, "&amp;");
		break;
	case '<':
		buf_add_cstr(out, "&lt;");
		break;
	case '>':
		buf_add_cstr(out, "&gt;");
		break;
	default:
		buf_add_byte(out, ch);
	}
}

static int fn_html(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s;
	int r = joined(c, args, n, &s);

	if (r < 0)
		return r;
	for (size_t i = 0; i < s.n; i++)
		html_byte(&out, s.p[i]);
	return tmpl_ret_buf(c, &out, ret);
}

static void js_char(struct buf *out, uint32_t ch, str bytes)
{
	if (ch == '\\' || ch == '\'' || ch == '"') {
		buf_add_byte(out, '\\');
		buf_add_byte(out, (char)ch);
	} else if (ch < ' ' || ch == '<' || ch == '>' || ch == '&' || ch == '=' ||
		   (ch >= 0x80 && !unicode_is_print(ch))) {
		buf_printf(out, "\\u%04X", ch);
	} else {
		buf_add_str(out, bytes);
	}
}

static int fn_js(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s;
	int r = joined(c, args, n, &s);
	size_t len;

	if (r < 0)
		return r;
	for (size_t i = 0; i < s.n; i += len) {
		uint32_t ch = utf8_decode(str_sub(s, i, s.n), &len);

		js_char(&out, ch, str_sub(s, i, i + len));
	}
	return tmpl_ret_buf(c, &out, ret);
}

static int fn_urlquery(struct tmpl_call *c, const tval *args, size_t n, tval *ret)
{
	CLEANUP(buf_done) struct buf out = tmpl_buf(c);
	str s;
	int r = joined(c, args, n, &s);

	if (r < 0)
		return r;
	go_url_escape(&out, s, GO_URL_QUERY);
	return tmpl_ret_buf(c, &out, ret);
}

#define VALUE_REST { &tt_value, &tt_value }, true, &tt_value
#define VALUES_REST_BOOL { &tt_value, &tt_value }, true, &tt_bool
#define TWO_VALUES_BOOL { &tt_value, &tt_value }, false, &tt_bool
#define ANY_REST_STRING { &tt_any }, true, &tt_string

static const struct tmpl_fn rows[] = {
	{ "eq", fn_eq, VALUES_REST_BOOL, "whether the first argument equals one of the others" },
	{ "ge", fn_ge, TWO_VALUES_BOOL, "whether the first is greater than or equal to the second" },
	{ "gt", fn_gt, TWO_VALUES_BOOL, "whether the first is greater than the second" },
	{ "html", fn_html, ANY_REST_STRING, "the text of the arguments, escaped for HTML" },
	{ "index", fn_index, VALUE_REST, "the element of a list or map at an index; more indexes go deeper" },
	{ "js", fn_js, ANY_REST_STRING, "the text of the arguments, escaped for JavaScript" },
	{ "le", fn_le, TWO_VALUES_BOOL, "whether the first is less than or equal to the second" },
	{ "len", fn_len, { &tt_value }, false, &tt_int, "the length of a string, list or map" },
	{ "lt", fn_lt, TWO_VALUES_BOOL, "whether the first is less than the second" },
	{ "ne", fn_ne, TWO_VALUES_BOOL, "whether the arguments differ" },
	{ "not", fn_not, { &tt_value }, false, &tt_bool, "whether the argument is empty" },
	{ "print", fn_print, ANY_REST_STRING, "the arguments as text" },
	{ "printf",
	  fn_printf,
	  { &tt_string, &tt_any },
	  true,
	  &tt_string,
	  "the arguments formatted by verbs like %d and %s" },
	{ "println", fn_println, ANY_REST_STRING, "the arguments as text, with spaces and a newline" },
	{ "urlquery", fn_urlquery, ANY_REST_STRING, "the text of the arguments, escaped for a URL's query" },
};
TMPL_FN_FAMILY(fn_builtins, rows);
