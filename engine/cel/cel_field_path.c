/* Resolves the paths of fields that rules name. */
#include "cel/cel_rules.h"

#include "base/number.h"
#include "base/utf8.h"

#include <errno.h>

/* The next token: "." "[" "]", a text in single quotes, or the text between these. False at the end. */
static bool next_token(str *rest, str *token)
{
	size_t i = 0;

	if (rest->n == 0)
		return false;
	if (rest->p[0] == '\'') {
		for (i = 1; i < rest->n && !(rest->p[i] == '\'' && rest->p[i - 1] != '\\'); i++)
			;
		i += i < rest->n;
	} else if (strchr(".[]", rest->p[0]) && rest->p[0]) {
		i = 1;
	} else {
		while (i < rest->n && (!rest->p[i] || !strchr(".[]", rest->p[i])))
			i++;
	}
	*token = str_sub(*rest, 0, i);
	*rest = str_sub(*rest, i, rest->n);
	return true;
}

static size_t hex_escape(str s, size_t digits, uint32_t *code)
{
	int64_t v = digits_parse(s, digits, 16);

	*code = (uint32_t)v;
	return v < 0 ? 0 : digits;
}

/* Decode the escapes of a Go string, for a text in single quotes. */
static bool unescape(str s, struct arena *a, str *ret)
{
	static const char from[] = "abfnrtv\\'\"", to[] = "\a\b\f\n\r\t\v\\'\"";
	_Static_assert(sizeof(from) == sizeof(to), "each escape stands for a character");
	char *out = arena_alloc(a, s.n * 2 + UTF8_MAX_BYTES);
	size_t n = 0;

	if (!out)
		return false;
	for (size_t i = 0; i < s.n; i++) {
		const char *at;
		uint32_t code;
		size_t used;

		if (s.p[i] != '\\') {
			out[n++] = s.p[i];
			continue;
		}
		if (++i >= s.n)
			return false;
		at = s.p[i] ? strchr(from, s.p[i]) : NULL;
		if (at) {
			out[n++] = to[at - from];
			continue;
		}
		used = s.p[i] == 'x' ? 2 : s.p[i] == 'u' ? 4 : s.p[i] == 'U' ? 8 : 0;
		if (!used || !hex_escape(str_sub(s, i + 1, s.n), used, &code))
			return false;
		if (used == 2)
			out[n++] = (char)code;
		else
			n += utf8_encode(code, out + n);
		i += used;
	}
	*ret = (str){ out, n };
	return true;
}

static int no_field(struct err *err)
{
	return err_set(err, EINVAL, "does not refer to a valid field");
}

/* Step down to a property, or to a key of a map. */
static int step(const struct cel_schema **schema, str name, struct cel_way *out, struct err *err)
{
	const struct cel_schema *s = *schema;

	if (s->properties) {
		for (uint32_t i = 0; i < s->n_properties; i++) {
			if (s->properties[i].implied || !str_eq(key_str(s->properties[i].name), name))
				continue;
			*schema = s->properties[i].schema;
			return cel_way_member(out, name, false) ? 0 : err_nomem(err);
		}
		return no_field(err);
	}
	if (!s->additional)
		return no_field(err);
	*schema = s->additional;
	return cel_way_member(out, name, true) ? 0 : err_nomem(err);
}

static int quoted_step(str *rest, const struct cel_schema **schema, struct arena *a, struct cel_way *out,
		       struct err *err)
{
	str token, name;
	int r;

	if (!next_token(rest, &token))
		return err_set(err, EINVAL, "unexpected end of JSON path");
	if (token.n < 2 || token.p[0] != '\'' || token.p[token.n - 1] != '\'')
		return err_set(err, EINVAL, "expected single quoted string but got %.*s", STR_ARG(token));
	if (!unescape(str_sub(token, 1, token.n - 1), a, &name))
		return err_set(err, EINVAL, "invalid string literal: invalid syntax");
	r = step(schema, name, out, err);
	if (r < 0)
		return r;
	if (!next_token(rest, &token))
		return err_set(err, EINVAL, "unexpected end of JSON path");
	if (!str_eq(token, STR("]")))
		return err_set(err, EINVAL, "expected ] but got %.*s", STR_ARG(token));
	return 0;
}

static int follow(str rest, const struct cel_schema *schema, struct arena *a, struct cel_way *out, struct err *err)
{
	str token;
	int r = 0;

	while (r == 0 && next_token(&rest, &token)) {
		if (str_eq(token, STR("[")))
			r = quoted_step(&rest, &schema, a, out, err);
		else if (!str_eq(token, STR(".")))
			r = err_set(err, EINVAL, "expected [ or . but got: %.*s", STR_ARG(token));
		else if (!next_token(&rest, &token))
			r = err_set(err, EINVAL, "unexpected end of JSON path");
		else
			r = step(&schema, token, out, err);
	}
	return r;
}

int cel_field_path(str path, const struct cel_schema *schema, struct arena *a, struct cel_where *ret, struct err *err)
{
	CLEANUP(cel_way_done) struct cel_way out = { .text = BUF_INIT(65536) };
	int r = follow(path, schema, a, &out, err);

	if (r == 0)
		r = buf_error(&out.text, "field path", err);
	if (r < 0)
		return r;
	return cel_way_keep(&out, a, ret) ? 0 : err_nomem(err);
}
