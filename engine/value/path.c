/* Reading, printing and following paths. */
#include "value/path.h"

#include "base/number.h"
#include "value/json.h"

#include <ctype.h>

/* A key that can stand after a dot: no character that the notation uses itself. */
static bool plain_key(str key)
{
	for (size_t i = 0; i < key.n; i++) {
		unsigned char c = (unsigned char)key.p[i];

		if (!isalnum(c) && c != '_' && c != '-' && c != '$' && c < 0x80)
			return false;
	}
	return key.n > 0;
}

static void format_segment(const struct path_segment *s, bool first, struct buf *out)
{
	switch (s->kind) {
	case PATH_INDEX:
		buf_printf(out, "[%u]", s->index);
		return;
	case PATH_NAME:
		buf_add_cstr(out, "[name=");
		json_encode_string(s->text, JSON_PLAIN, out);
		buf_add_byte(out, ']');
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

static val named_item(val list, str name)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		val n = VAL_GET(val_at(list, i), "name");

		if (val_is_string(n) && str_eq(val_str(n), name))
			return list.items[i];
	}
	return (val){ 0 };
}

val path_get(val root, struct path p)
{
	for (size_t i = 0; i < p.n; i++) {
		const struct path_segment *s = &p.segments[i];

		switch (s->kind) {
		case PATH_KEY:
			root = val_get(root, s->text);
			break;
		case PATH_NAME:
			root = val_is_list(root) ? named_item(root, s->text) : (val){ 0 };
			break;
		case PATH_INDEX:
			root = val_at(root, s->index);
			break;
		}
	}
	return root;
}

/* "text" at the start of *rest, as a JSON string. */
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

/* What stands between brackets; *rest begins behind the opening one and ends behind the closing one. */
static bool take_bracket(str *rest, struct arena *a, struct path_segment *s)
{
	if (str_has_prefix(*rest, STR("name="))) {
		*rest = str_sub(*rest, 5, rest->n);
		s->kind = PATH_NAME;
		if (!take_quoted(rest, a, &s->text))
			return false;
	} else if (rest->n && rest->p[0] == '"') {
		s->kind = PATH_KEY;
		if (!take_quoted(rest, a, &s->text))
			return false;
	} else {
		ptrdiff_t end = str_find_byte(*rest, ']');
		int64_t i;

		if (end < 1 || !isdigit((unsigned char)rest->p[0]) ||
		    !int64_parse(str_sub(*rest, 0, (size_t)end), &i) || i > UINT32_MAX)
			return false;
		*s = (struct path_segment){ .kind = PATH_INDEX, .index = (uint32_t)i };
		*rest = str_sub(*rest, (size_t)end, rest->n);
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
