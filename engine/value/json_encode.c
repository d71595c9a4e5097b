/* Writes JSON, plain or as encoding/json writes it. */
#include "value/json.h"

#include "base/utf8.h"
#include "go/strconv.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>

struct encoder {
	struct buf *out;
	enum json_style style;
	const char *indent;
	struct err *err;
};

void json_encode_double(double d, struct buf *out)
{
	if (d == 0 || (fabs(d) >= 1e-6 && fabs(d) < 1e21)) {
		go_format_float(out, d, 'f', -1);
		return;
	}
	go_format_float(out, d, 'e', -1);
	/* encoding/json writes e-09 as e-9, but leaves exponents of two digits alone. */
	if (!out->error && memcmp(out->p + out->n - 4, "e-0", 3) == 0) {
		out->p[out->n - 2] = out->p[out->n - 1];
		buf_truncate(out, out->n - 1);
	}
}

static bool needs_escape(unsigned char c, enum json_style style)
{
	return c < 0x20 || c == '"' || c == '\\' || c >= 0x80 ||
	       (style == JSON_GO && (c == '<' || c == '>' || c == '&'));
}

static void encode_ascii(unsigned char c, struct buf *out)
{
	static const char from[] = "\"\\\b\f\n\r\t", to[] = "\"\\bfnrt";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	const char *at = c ? strchr(from, c) : NULL;

	if (at)
		buf_printf(out, "\\%c", to[at - from]);
	else
		buf_printf(out, "\\u%04x", c);
}

static void encode_multibyte(str rest, size_t *len, enum json_style style, struct buf *out)
{
	uint32_t c = utf8_decode(rest, len);
	bool broken = c == UTF8_REPLACEMENT && *len == 1;

	if (broken && style == JSON_GO)
		buf_add_cstr(out, "\\ufffd");
	else if (broken)
		buf_add_cstr(out, "\xEF\xBF\xBD");
	else if (style == JSON_GO && (c == 0x2028 || c == 0x2029))
		buf_printf(out, "\\u%04x", c);
	else
		buf_add(out, rest.p, *len);
}

void json_encode_string(str s, enum json_style style, struct buf *out)
{
	size_t i = 0;

	buf_add_byte(out, '"');
	while (i < s.n) {
		size_t from = i, len = 1;

		while (i < s.n && !needs_escape((unsigned char)s.p[i], style))
			i++;
		buf_add(out, s.p + from, i - from);
		if (i == s.n)
			break;
		if ((unsigned char)s.p[i] < 0x80)
			encode_ascii((unsigned char)s.p[i], out);
		else
			encode_multibyte(str_sub(s, i, s.n), &len, style, out);
		i += len;
	}
	buf_add_byte(out, '"');
}

/* Write a double with a point or an exponent: an integral one would look like an integer. */
static void encode_typed(double d, struct buf *out)
{
	size_t from = out->n;

	json_encode_double(d, out);
	if (!out->error && !memchr(out->p + from, '.', out->n - from) && !memchr(out->p + from, 'e', out->n - from))
		buf_add_cstr(out, ".0");
}

static int encode_double(const struct encoder *e, double d)
{
	if (isfinite(d)) {
		(e->style == JSON_TYPED ? encode_typed : json_encode_double)(d, e->out);
		return 0;
	}
	if (e->style == JSON_GO)
		return err_set(e->err, EINVAL, "json: unsupported value: %s",
			       isnan(d) ? "NaN"
			       : d > 0  ? "+Inf"
					: "-Inf");
	buf_add_cstr(e->out, "null");
	return 0;
}

static void new_line(const struct encoder *e, int depth)
{
	if (!e->indent)
		return;
	buf_add_byte(e->out, '\n');
	for (int i = 0; i < depth; i++)
		buf_add_cstr(e->out, e->indent);
}

static int encode(const struct encoder *e, val v, int depth);

static int encode_container(const struct encoder *e, val v, int depth)
{
	bool map = v.kind == VAL_MAP;
	int r;

	buf_add_byte(e->out, map ? '{' : '[');
	for (uint32_t i = 0; i < v.n; i++) {
		if (i > 0)
			buf_add_byte(e->out, ',');
		new_line(e, depth + 1);
		if (map) {
			json_encode_string(key_str(v.members[i].key), e->style, e->out);
			buf_add_cstr(e->out, e->indent ? ": " : ":");
		}
		r = encode(e, map ? v.members[i].value : v.items[i], depth + 1);
		if (r < 0)
			return r;
	}
	if (v.n > 0)
		new_line(e, depth);
	buf_add_byte(e->out, map ? '}' : ']');
	return 0;
}

static int encode(const struct encoder *e, val v, int depth)
{
	switch (v.kind) {
	case VAL_BOOL:
		buf_add_cstr(e->out, v.b ? "true" : "false");
		return 0;
	case VAL_INT:
		buf_printf(e->out, "%" PRId64, v.i);
		return 0;
	case VAL_UINT:
		buf_printf(e->out, "%" PRIu64, v.u);
		return 0;
	case VAL_DOUBLE:
		return encode_double(e, v.d);
	case VAL_STRING:
		json_encode_string(val_str(v), e->style, e->out);
		return 0;
	case VAL_LIST:
	case VAL_MAP:
		return encode_container(e, v, depth);
	default:
		buf_add_cstr(e->out, "null");
		return 0;
	}
}

int json_encode(val v, enum json_style style, const char *indent, struct buf *out, struct err *err)
{
	struct encoder e = { .out = out, .style = style, .indent = indent, .err = err };
	int r = encode(&e, v, 0);

	return r < 0 ? r : buf_error(out, "JSON text", err);
}
