/* Keeps a place as text, as segments, and as the ends of these in the text: three arrays that grow and shrink
 * together. */
#include "cel/cel_where.h"

#include "base/assert.h"

#define TEXT_MAX (1u << 20)

static bool push(struct cel_way *w, struct path_segment s)
{
	if (!vec_push(&w->at, s))
		return false;
	if (vec_push(&w->ends, (uint32_t)w->text.n))
		return true;
	w->at.n--;
	return false;
}

static bool copy(struct cel_way *w, const struct cel_where *from, size_t offset)
{
	for (size_t i = 0; i < from->at.n; i++) {
		if (!push(w, from->at.segments[i]))
			return false;
		w->ends.p[w->ends.n - 1] = (uint32_t)(offset + from->ends[i]);
	}
	return true;
}

bool cel_way_init(struct cel_way *w, const struct cel_where *from)
{
	*w = (struct cel_way){ .text = BUF_INIT(TEXT_MAX), .root = from->text.n };
	buf_add_str(&w->text, from->text);
	return copy(w, from, 0);
}

void cel_way_done(struct cel_way *w)
{
	buf_done(&w->text);
	vec_done(&w->at);
	vec_done(&w->ends);
}

static void cut(struct cel_way *w)
{
	buf_truncate(&w->text, w->ends.n ? w->ends.p[w->ends.n - 1] : w->root);
}

bool cel_way_member(struct cel_way *w, str name, bool bracket)
{
	if (bracket || w->text.n)
		buf_add_byte(&w->text, bracket ? '[' : '.');
	buf_add_str(&w->text, name);
	if (bracket)
		buf_add_byte(&w->text, ']');
	if (push(w, (struct path_segment){ .kind = PATH_KEY, .text = name }))
		return true;
	cut(w);
	return false;
}

bool cel_way_item(struct cel_way *w, uint32_t index)
{
	buf_printf(&w->text, "[%u]", index);
	if (push(w, (struct path_segment){ .kind = PATH_INDEX, .index = index, .text = { "", 0 } }))
		return true;
	cut(w);
	return false;
}

bool cel_way_add(struct cel_way *w, const struct cel_where *below)
{
	size_t n = w->at.n, offset;

	if (w->text.n && below->text.n && below->text.p[0] != '[')
		buf_add_byte(&w->text, '.');
	offset = w->text.n;
	buf_add_str(&w->text, below->text);
	if (copy(w, below, offset))
		return true;
	w->at.n = w->ends.n = n;
	cut(w);
	return false;
}

void cel_way_up(struct cel_way *w)
{
	ASSERT(w->at.n > 0 && w->ends.n > 0);
	w->at.n--;
	w->ends.n--;
	cut(w);
}

struct cel_where cel_way_here(const struct cel_way *w)
{
	return (struct cel_where){ buf_str(&w->text), { w->at.p, w->at.n }, w->ends.p };
}

bool cel_way_keep(const struct cel_way *w, struct arena *a, struct cel_where *ret)
{
	struct path_segment *at = arena_array(a, w->at.n, sizeof(*at));
	uint32_t *ends = arena_array(a, w->ends.n, sizeof(*ends));
	str text = arena_str(a, buf_str(&w->text));

	if (!at || !ends || !text.p)
		return false;
	if (w->at.n) {
		memcpy(at, w->at.p, w->at.n * sizeof(*at));
		memcpy(ends, w->ends.p, w->ends.n * sizeof(*ends));
	}
	*ret = (struct cel_where){ text, { at, w->at.n }, ends };
	return true;
}
