/* Reads format strings as Python's string.Formatter does. */
#include "rules/inspection/insp_string.h"

#include "base/vec.h"

#define FORMAT_DEPTH 2 /* a format may have fields, whose formats may have none */

struct reader {
	str s;
	size_t at;
	unsigned depth;
	struct arena *arena;
	struct err *err;
};

static int read_string(str source, unsigned depth, struct arena *a, struct insp_string *ret, struct err *err);

/* ---- fields ---- */

static enum insp_name name_of(str s)
{
	static const char *const names[] = { "node", "ports", "port_groups", "inventory", "plugin_data", "item" };

	_Static_assert(ARRAY_LEN(names) == INSP_NAMES, "ORDER insp_name");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (str_eq(s, str_from(names[i])))
			return (enum insp_name)i;
	}
	return str_eq(s, STR("object")) ? INSP_NODE : INSP_NAMES;
}

static bool all_digits(str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] < '0' || s.p[i] > '9')
			return false;
	}
	return s.n > 0;
}

static int64_t index_of(str s)
{
	int64_t n = 0;

	if (!all_digits(s))
		return -1;
	for (size_t i = 0; i < s.n && n <= UINT32_MAX; i++)
		n = n * 10 + (s.p[i] - '0');
	return n;
}

static size_t end_of_key(str s)
{
	size_t n = 0;

	while (n < s.n && s.p[n] != '.' && s.p[n] != '[')
		n++;
	return n;
}

/* Cut an accessor off *rest: "." key or "[" key "]". Only digits in brackets are an index. */
static int read_accessor(struct reader *r, str *rest, struct insp_accessor *ret)
{
	bool bracket = rest->p[0] == '[';
	str s = str_sub(*rest, 1, rest->n), key;
	ptrdiff_t close = bracket ? str_find_byte(s, ']') : 0;

	*ret = (struct insp_accessor){ .index = -1 };
	key = str_sub(s, 0, bracket && close >= 0 ? (size_t)close : end_of_key(s));
	*rest = str_sub(s, bracket ? (size_t)close + 1 : key.n, s.n);
	ret->malformed = close < 0 || key.n == 0 || (rest->n > 0 && rest->p[0] != '.' && rest->p[0] != '[');
	if (close < 0)
		*rest = STR("");
	if (bracket)
		ret->index = index_of(key);
	ret->key = key_make(NULL, r->arena, key);
	return ret->key ? 0 : arena_error(r->arena, r->err);
}

static int read_accessors(struct reader *r, str s, struct insp_field *f)
{
	struct insp_accessor *list = arena_array(r->arena, s.n, sizeof(*list));
	int status = 0;

	if (!list)
		return arena_error(r->arena, r->err);
	f->accessors = list;
	while (status == 0 && s.n > 0) {
		status = read_accessor(r, &s, &list[f->n_accessors]);
		if (status == 0 && list[f->n_accessors++].malformed)
			break;
	}
	return status;
}

static int read_name(struct reader *r, str s, struct insp_field *f)
{
	str name = str_sub(s, 0, end_of_key(s));

	f->name = name_of(name);
	f->malformed = name.n == 0 || all_digits(name);
	return read_accessors(r, str_sub(s, name.n, s.n), f);
}

/* Read a name with its accessors, up to the first "!", ":" or "}" outside brackets. False: the string ends before,
 * or has a "{". */
static bool find_name(struct reader *r, str *ret)
{
	size_t from = r->at;

	for (; r->at < r->s.n; r->at++) {
		char c = r->s.p[r->at];

		if (c == '[') {
			while (r->at < r->s.n && r->s.p[r->at] != ']')
				r->at++;
		} else if (c == '!' || c == ':' || c == '}') {
			*ret = str_sub(r->s, from, r->at);
			return true;
		} else if (c == '{') {
			return false;
		}
	}
	return false;
}

/* Read a format, which ends at the "}" of its field; its own fields have braces in pairs. False: there is no such
 * "}". */
static bool find_format(struct reader *r, str *ret)
{
	size_t from = r->at, open = 1;

	for (; r->at < r->s.n; r->at++) {
		char c = r->s.p[r->at];

		open += c == '{';
		open -= c == '}';
		if (open == 0) {
			*ret = str_sub(r->s, from, r->at++);
			return true;
		}
	}
	return false;
}

static int read_format(struct reader *r, str s, struct insp_field *f, bool *ok)
{
	struct insp_string *format;

	if (s.n == 0)
		return 0;
	if (r->depth >= FORMAT_DEPTH) {
		*ok = false;
		return 0;
	}
	format = arena_zalloc(r->arena, sizeof(*format));
	if (!format)
		return arena_error(r->arena, r->err);
	f->format = format;
	return read_string(s, r->depth + 1, r->arena, format, r->err);
}

/* Read the rest of a field: [ "!" conversion ] [ ":" format ] "}". */
static int read_rest(struct reader *r, struct insp_field *f, bool *ok)
{
	str format;

	if (r->s.p[r->at] == '!') {
		if (r->at + 2 >= r->s.n || (r->s.p[r->at + 2] != '}' && r->s.p[r->at + 2] != ':'))
			return 0;
		f->conversion = r->s.p[r->at + 1] ? r->s.p[r->at + 1] : '?';
		r->at += 2;
	}
	if (r->s.p[r->at++] == '}') {
		*ok = true;
		return 0;
	}
	*ok = find_format(r, &format);
	return *ok ? read_format(r, format, f, ok) : 0;
}

/* Read the field behind a "{". *ret is NULL when what follows is no field. */
static int read_field(struct reader *r, const struct insp_field **ret)
{
	struct insp_field *f = arena_zalloc(r->arena, sizeof(*f));
	bool ok = false;
	str name;
	int status;

	*ret = NULL;
	if (!f)
		return arena_error(r->arena, r->err);
	if (!find_name(r, &name))
		return 0;
	status = read_name(r, name, f);
	if (status == 0)
		status = read_rest(r, f, &ok);
	if (ok)
		*ret = f;
	return status;
}

/* ---- parts ---- */

/* Read literal text up to a brace. The first brace of a doubled one belongs to the text. */
static str read_literal(struct reader *r, bool *brace)
{
	size_t from = r->at;

	while (r->at < r->s.n && r->s.p[r->at] != '{' && r->s.p[r->at] != '}')
		r->at++;
	*brace = r->at < r->s.n;
	if (*brace && r->at + 1 < r->s.n && r->s.p[r->at + 1] == r->s.p[r->at]) {
		str literal = str_sub(r->s, from, r->at + 1);

		*brace = false;
		r->at += 2;
		return literal;
	}
	return str_sub(r->s, from, r->at);
}

static int read_part(struct reader *r, struct insp_part *ret, bool *malformed)
{
	bool brace;

	*ret = (struct insp_part){ .literal = read_literal(r, &brace) };
	if (ret->literal.n > 0 || !brace)
		return 0;
	*malformed = r->s.p[r->at++] == '}';
	if (*malformed)
		return 0;
	if (read_field(r, &ret->field) < 0)
		return -r->err->code;
	*malformed = !ret->field;
	return 0;
}

static size_t most_parts(str s)
{
	size_t n = 1;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == '{' || s.p[i] == '}' ? 2 : 0;
	return n;
}

static int read_string(str source, unsigned depth, struct arena *a, struct insp_string *ret, struct err *err)
{
	struct reader r = { .s = source, .depth = depth, .arena = a, .err = err };
	struct insp_part *parts = arena_array(a, most_parts(source), sizeof(*parts));
	struct insp_string s = { .source = source, .parts = parts };

	if (!parts)
		return arena_error(a, err);
	while (!s.malformed && r.at < source.n) {
		if (read_part(&r, &parts[s.n], &s.malformed) < 0)
			return -err->code;
		s.n += !s.malformed;
	}
	*ret = s;
	return 0;
}

int insp_string_read(str source, struct arena *a, struct insp_string *ret, struct err *err)
{
	return read_string(source, 1, a, ret, err);
}
