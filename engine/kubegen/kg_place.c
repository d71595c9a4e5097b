/* Makes the places of values, and errors that name them. */
#include "kubegen/kg_place.h"

#include "base/utf8.h"
#include "value/node.h"

#include <errno.h>
#include <stdio.h>

#define SHOWN_PATH_MAX 240 /* the most bytes of a path in a message, which must leave room for the mistake */

static const struct kg_place *new_place(struct arena *a, struct kg_place place)
{
	struct kg_place *p = arena_alloc(a, sizeof(*p));

	if (p)
		*p = place;
	return p;
}

const struct kg_place *kg_place_root(struct arena *a, str label, str text)
{
	struct kg_document *d = arena_alloc(a, sizeof(*d));

	if (!d)
		return NULL;
	*d = (struct kg_document){ label, text };
	return new_place(a, (struct kg_place){ .in = d });
}

const struct kg_place *kg_place_member(struct arena *a, const struct kg_place *up, const struct key *key)
{
	return up && key ? new_place(a, (struct kg_place){ .in = up->in, .up = up, .key = key }) : NULL;
}

const struct kg_place *kg_place_item(struct arena *a, const struct kg_place *up, uint32_t index)
{
	return up ? new_place(a, (struct kg_place){ .in = up->in, .up = up, .index = index }) : NULL;
}

/* Make the path from the root down, in @a. False without memory. */
static bool path_to(const struct kg_place *at, struct arena *a, struct path *ret)
{
	struct path_segment *segments;
	size_t n = 0;

	for (const struct kg_place *p = at; p->up; p = p->up)
		n++;
	segments = arena_array(a, n, sizeof(*segments));
	if (!segments)
		return false;
	*ret = (struct path){ segments, n };
	for (const struct kg_place *p = at; p->up; p = p->up) {
		segments[--n] = p->key ? (struct path_segment){ .kind = PATH_KEY, .text = key_str(p->key) }
				       : (struct path_segment){ .kind = PATH_INDEX, .index = p->index };
	}
	return true;
}

static int fail_at(const struct kg_place *at, struct path path, str text, int code, struct err *err)
{
	const struct kg_document *d = at->in;
	CLEANUP(buf_done) struct buf where = BUF_INIT(1u << 20);
	char lines[48] = "";
	size_t line, column;

	if (d->text.n && node_locate(d->text, path, &line, &column))
		(void)snprintf(lines, sizeof(lines), ":%zu:%zu", line, column);
	if (path.n) {
		path_format(path, &where);
		if (where.n > SHOWN_PATH_MAX) {
			buf_truncate(&where, utf8_valid_prefix(str_sub(buf_str(&where), 0, SHOWN_PATH_MAX)));
			buf_add_cstr(&where, "…");
		}
		buf_add_cstr(&where, ": ");
	}
	return err_set(err, code, "%.*s%s: %.*s%.*s", STR_ARG(d->label), lines, STR_ARG(buf_str(&where)),
		       STR_ARG(text));
}

/* Make a message one line that a terminal can show, whatever names it has. */
static void make_one_line(char *text)
{
	for (; *text; text++) {
		if ((unsigned char)*text < ' ' || *text == '\x7f')
			*text = ' ';
	}
}

#undef kg_fail
int kg_fail(const struct kg_place *at, int code, struct err *err, const char *fmt, ...)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct path path = { 0 };
	char text[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	make_one_line(text);
	if (!path_to(at, &a, &path))
		return err_nomem(err);
	return fail_at(at, path, str_from(text), code, err);
}

/* ---- lists and maps that know their place ---- */

struct placed {
	const struct kg_place *at;
};

_Static_assert(sizeof(struct placed) % _Alignof(struct member) == 0, "elements follow the place");

void *kg_placed_array(struct arena *a, size_t n, size_t size, const struct kg_place *at)
{
	struct placed *p = n < UINT32_MAX ? arena_alloc(a, sizeof(*p) + n * size) : NULL;

	if (!p)
		return NULL;
	p->at = at;
	return p + 1;
}

const struct kg_place *kg_place_of(val v)
{
	const void *elements = v.kind == VAL_LIST ? (const void *)v.items : (const void *)v.members;

	return ((const struct placed *)elements)[-1].at;
}
