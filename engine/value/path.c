/* Reads, prints and follows paths. */
#include "value/path.h"

#include "base/number.h"
#include "value/json.h"

#include <ctype.h>

/* Whether a key can follow a dot: it has no character that the notation itself uses. */
static bool plain_key(str key)
{
	for (size_t i = 0; i < key.n; i++) {
		unsigned char c = (unsigned char)key.p[i];

		if (!isalnum(c) && c != '_' && c != '-' && c != '$' && c < 0x80)
			return false;
	}
	return key.n > 0;
}

static void format_item(const struct path_segment *s, struct buf *out)
{
	buf_add_byte(out, '[');
	if (s->kind == PATH_KEYS) {
		buf_add_str(out, s->text);
	} else {
		buf_add_cstr(out, "name=");
		json_encode_string(s->text, JSON_PLAIN, out);
	}
	if (s->again)
		buf_printf(out, "#%u", s->again + 1);
	buf_add_byte(out, ']');
}

static void format_segment(const struct path_segment *s, bool first, struct buf *out)
{
	switch (s->kind) {
	case PATH_INDEX:
		buf_printf(out, "[%u]", s->index);
		return;
	case PATH_NAME:
	case PATH_KEYS:
		format_item(s, out);
		return;
	case PATH_KEY:
		if (plain_key(s->text)) {
			if (!first)
				buf_add_byte(out, '.');
			buf_add_str(out, s->text);
			return;
		}
		buf_add_byte(out, '[');
		json_encode_string(s->text, JSON_PLAIN, out);
		buf_add_byte(out, ']');
	}
}

void path_format(struct path p, struct buf *out)
{
	if (p.n == 0)
		buf_add_byte(out, '.');
	for (size_t i = 0; i < p.n; i++)
		format_segment(&p.segments[i], i == 0, out);
}

str path_text(struct path p, struct arena *a)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20);

	path_format(p, &out);
	return out.error ? (str){ NULL, 0 } : arena_str(a, buf_str(&out));
}

/* ---- items of lists ---- */

static size_t quoted_length(str s)
{
	size_t n = 1;

	while (n < s.n && s.p[n] != '"')
		n += s.p[n] == '\\' ? 2 : 1;
	return n < s.n ? n + 1 : 0;
}

/* The length of a key that is an integer; 0: it is none. */
static size_t number_length(str s)
{
	size_t n = s.n && s.p[0] == '-';

	while (n < s.n && isdigit((unsigned char)s.p[n]))
		n++;
	return n && s.p[n - 1] != '-' ? n : 0;
}

bool path_next_key(str *rest, str *key, str *value)
{
	ptrdiff_t equals = str_find_byte(*rest, '=');
	size_t n = 0;

	if (equals < 1)
		return false;
	*key = str_sub(*rest, 0, (size_t)equals);
	*rest = str_sub(*rest, (size_t)equals + 1, rest->n);
	if (rest->n && rest->p[0] == '"')
		n = quoted_length(*rest);
	else if (str_has_prefix(*rest, STR("true")) || str_has_prefix(*rest, STR("false")))
		n = rest->p[0] == 't' ? 4 : 5;
	else
		n = number_length(*rest);
	*value = str_sub(*rest, 0, n);
	*rest = str_sub(*rest, n, rest->n);
	if (rest->n > 1 && rest->p[0] == ',' && rest->p[1] != ']')
		*rest = str_sub(*rest, 1, rest->n);
	return n > 0;
}

/* Whether @v is written as @json. */
static bool reads(val v, str json)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct err err;

	if (!val_is_scalar(v))
		return false;
	/* Most texts need no escapes. */
	if (val_is_string(v) && json.n == v.n + 2 && str_find_byte(json, '\\') < 0)
		return json.p[0] == '"' && str_eq(str_sub(json, 1, json.n - 1), val_str(v));
	return json_encode(v, JSON_PLAIN, NULL, &text, &err) == 0 && str_eq(buf_str(&text), json);
}

static bool is_nothing(val v)
{
	return !val_exists(v) || val_is_null(v) || (val_is_string(v) && v.n == 0);
}

/* Whether @item is the one that @s names. @filled: keys that the item lacks are set elsewhere, and count as equal. */
static bool is_called(val item, const struct path_segment *s, bool filled)
{
	str rest = s->text, key, value;

	if (s->kind == PATH_NAME) {
		val name = VAL_GET(item, "name");

		return val_is_string(name) && str_eq(val_str(name), s->text);
	}
	while (val_is_map(item) && path_next_key(&rest, &key, &value)) {
		val v = val_get(item, key);

		if (!reads(v, value) && !(filled && is_nothing(v)))
			return false;
	}
	return rest.n == 0;
}

uint32_t path_item(val list, const struct path_segment *s)
{
	uint32_t before = 0;

	if (s->kind == PATH_INDEX)
		return s->index < val_count(list) ? s->index : UINT32_MAX;
	if (s->kind == PATH_KEYS && is_called(val_at(list, s->index), s, true))
		return s->index;
	for (uint32_t i = 0; val_is_list(list) && i < list.n; i++) {
		if (is_called(list.items[i], s, false) && before++ == s->again)
			return i;
	}
	return UINT32_MAX;
}

val path_get(val root, struct path p)
{
	for (size_t i = 0; i < p.n; i++) {
		const struct path_segment *s = &p.segments[i];

		root = s->kind == PATH_KEY ? val_get(root, s->text) : val_at(root, path_item(root, s));
	}
	return root;
}

/* Read "text", a JSON string, at the start of *rest. */
static bool take_quoted(str *rest, struct arena *a, str *ret)
{
	struct limits limits = LIMITS_DEFAULT;
	struct json_options o = { .limits = &limits };
	struct err err;
	size_t used;
	val v;

	if (rest->n == 0 || rest->p[0] != '"' || json_decode_value(*rest, &o, a, &v, &used, &err) < 0)
		return false;
	*ret = val_str(v);
	*rest = str_sub(*rest, used, rest->n);
	return true;
}

/* Read the digits with which *rest begins. */
static bool take_number(str *rest, uint32_t *ret)
{
	size_t n = 0;
	int64_t i;

	while (n < rest->n && isdigit((unsigned char)rest->p[n]))
		n++;
	if (!n || !int64_parse(str_sub(*rest, 0, n), &i) || i > UINT32_MAX)
		return false;
	*ret = (uint32_t)i;
	*rest = str_sub(*rest, n, rest->n);
	return true;
}

/* Read the number of an item among those of the same name, such as "#2". */
static bool take_again(str *rest, struct path_segment *s)
{
	uint32_t n;

	if (!rest->n || rest->p[0] != '#')
		return true;
	*rest = str_sub(*rest, 1, rest->n);
	if (!take_number(rest, &n) || n < 2 || n - 1 > PATH_AGAIN_MAX)
		return false;
	s->again = (n - 1) & PATH_AGAIN_MAX;
	return true;
}

static bool take_keys(str *rest, struct arena *a, struct path_segment *s)
{
	str from = *rest, key, value;

	s->kind = PATH_NAME;
	if (str_has_prefix(*rest, STR("name=\""))) {
		*rest = str_sub(*rest, 5, rest->n);
		if (!take_quoted(rest, a, &s->text))
			return false;
		if (rest->n == 0 || rest->p[0] != ',')
			return take_again(rest, s);
		*rest = from;
	}
	s->kind = PATH_KEYS;
	s->index = UINT32_MAX;
	do {
		if (!path_next_key(rest, &key, &value) || !plain_key(key))
			return false;
	} while (rest->n && rest->p[0] != ']' && rest->p[0] != '#' && rest->p[0] != ',');
	s->text = str_sub(from, 0, from.n - rest->n);
	return take_again(rest, s);
}

/* Read the content of brackets: *rest begins behind the opening bracket, and ends behind the closing one. */
static bool take_bracket(str *rest, struct arena *a, struct path_segment *s)
{
	*s = (struct path_segment){ .kind = PATH_KEY };
	if (rest->n && rest->p[0] == '"') {
		if (!take_quoted(rest, a, &s->text))
			return false;
	} else if (rest->n && isdigit((unsigned char)rest->p[0])) {
		s->kind = PATH_INDEX;
		if (!take_number(rest, &s->index))
			return false;
	} else if (!take_keys(rest, a, s)) {
		return false;
	}
	if (rest->n == 0 || rest->p[0] != ']')
		return false;
	*rest = str_sub(*rest, 1, rest->n);
	return true;
}

static bool take_key(str *rest, struct path_segment *s)
{
	size_t n = 0;

	while (n < rest->n && rest->p[n] != '.' && rest->p[n] != '[')
		n++;
	*s = (struct path_segment){ .kind = PATH_KEY, .text = str_sub(*rest, 0, n) };
	*rest = str_sub(*rest, n, rest->n);
	return n > 0;
}

bool path_parse(str text, struct arena *a, struct path *ret)
{
	struct path_segment *segments = arena_array(a, text.n + 1, sizeof(*segments));
	size_t n = 0;
	str rest = text;

	if (!segments)
		return false;
	if (rest.n && rest.p[0] == '.')
		rest = str_sub(rest, 1, rest.n);
	while (rest.n) {
		struct path_segment *s = &segments[n++];

		if (rest.p[0] == '[') {
			rest = str_sub(rest, 1, rest.n);
			if (!take_bracket(&rest, a, s))
				return false;
			continue;
		}
		if (n > 1) {
			if (rest.p[0] != '.')
				return false;
			rest = str_sub(rest, 1, rest.n);
		}
		if (!take_key(&rest, s))
			return false;
	}
	*ret = (struct path){ segments, n };
	return true;
}
