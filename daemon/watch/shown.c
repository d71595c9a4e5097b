/* Texts of objects, values and writers. */
#include "daemon/watch/shown.h"

#include "base/utf8.h"
#include "value/json.h"

#define VALUE_MAX 1024
#define JSON_MAX (16u << 20)

str shown_value(struct arena *a, val v, bool hidden)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(JSON_MAX);
	struct err err;

	if (!val_exists(v))
		return STR("(absent)");
	if (hidden)
		return STR("(hidden)");
	if (json_encode(v, JSON_PLAIN, NULL, &out, &err) < 0)
		return STR("(too large to show)");
	return arena_str(a, utf8_cut(buf_str(&out), VALUE_MAX));
}

str shown_object(struct arena *a, const struct finding_subject *s)
{
	str what = s->resource.n ? s->resource : s->kind;

	return arena_printf(a, "%.*s %.*s%s%.*s", STR_ARG(what), STR_ARG(s->namespace), s->namespace.n ? "/" : "",
			    STR_ARG(s->name));
}

str shown_line(struct arena *a, str s, size_t max)
{
	ptrdiff_t end = str_find_byte(s, '\n');
	str line = utf8_cut(end < 0 ? s : str_sub(s, 0, (size_t)end), max);

	return line.n == s.n ? s : arena_printf(a, "%.*s…", STR_ARG(line));
}

void shown_writer(struct buf *out, const char *before, const struct blame *b)
{
	if (b->manager.n)
		buf_printf(out, "%slast written by %.*s (%.*s%s%.*s) at %.*s", before, STR_ARG(b->manager),
			   STR_ARG(b->operation), b->subresource.n ? ", " : "", STR_ARG(b->subresource),
			   STR_ARG(b->time));
}
