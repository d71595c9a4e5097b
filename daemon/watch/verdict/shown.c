/* Texts of objects, values and writers. */
#include "daemon/watch/verdict/shown.h"

#include "base/printable.h"
#include "base/utf8.h"
#include "value/json.h"

#include <stdio.h>

/* the limit in bytes: an object has at most 8 MiB, and an escape makes six bytes of one */
#define JSON_MAX (64u << 20)
#define MARK_ROOM 40 /* bytes that "(+N bytes)…" needs, with its NUL */

/* Whether byte @i of @s continues the character, or the escape of JSON, that the byte before it belongs to. */
static bool is_inside(str s, size_t i)
{
	return i < s.n && (((unsigned char)s.p[i] & 0xC0) == 0x80 || printable_is_inside(s, i));
}

/* Where the first character begins in which @x and @y differ. If one text begins with the other, that is the end of
 * the shorter one. */
static size_t first_difference(str x, str y)
{
	size_t i = 0, least = x.n < y.n ? x.n : y.n;

	while (i < least && x.p[i] == y.p[i])
		i++;
	while (i > 0 && (is_inside(x, i) || is_inside(y, i)))
		i--;
	return i;
}

/* Where the part of both texts begins that is shown: @max / 2 bytes before the difference, or earlier if both texts
 * end within @max bytes from there. */
static size_t window_start(str x, str y, size_t max)
{
	size_t most = x.n > y.n ? x.n : y.n, differ = first_difference(x, y), start;

	if (most <= max)
		return 0;
	start = differ > max / 2 ? differ - max / 2 : 0;
	if (start > most - max)
		start = most - max;
	while (start < differ && (is_inside(x, start) || is_inside(y, start)))
		start++;
	return start;
}

/* At most @max bytes of @s from @start on, with the number of bytes that are left out on either side. */
static str window(struct arena *a, str s, size_t start, size_t max)
{
	str shown = printable_cut(str_sub(s, start, s.n), max);
	char before[MARK_ROOM] = "", behind[MARK_ROOM] = "";

	if (start > 0)
		(void)snprintf(before, sizeof(before), "(+%zu bytes)…", start);
	if (start + shown.n < s.n)
		(void)snprintf(behind, sizeof(behind), "…(+%zu bytes)", s.n - start - shown.n);
	return arena_printf(a, "%s%.*s%s", before, STR_ARG(shown), behind);
}

/* @v as it stands in a text, in *space unless it is a constant. */
static str value_text(val v, bool hidden, struct buf *space)
{
	struct err err;

	if (!val_exists(v))
		return STR("(absent)");
	if (hidden)
		return STR("(hidden)");
	return json_encode(v, JSON_PLAIN, NULL, space, &err) < 0 ? STR("(too large to show)") : buf_str(space);
}

struct shown_pair shown_pair(struct arena *a, val expected, val actual, bool hidden, size_t max)
{
	CLEANUP(buf_done) struct buf x = BUF_INIT(JSON_MAX), y = BUF_INIT(JSON_MAX);
	str from = value_text(expected, hidden, &x), to = value_text(actual, hidden, &y);
	size_t start = window_start(from, to, max);

	return (struct shown_pair){ window(a, from, start, max), window(a, to, start, max) };
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

str shown_acceptance(struct arena *a, const struct finding_subject *s)
{
	if (!s->acceptance.n)
		return STR("");
	return arena_printf(a, "; accepted: %.*s%s%.*s%s%.*s", STR_ARG(s->reason), s->owner.n ? ", by " : "",
			    STR_ARG(s->owner), s->until.n ? ", until " : "", STR_ARG(s->until));
}
