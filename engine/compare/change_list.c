/* Lists, counts and weighs changes. */
#include "compare/change_list.h"

#include "base/assert.h"
#include "value/json.h"

#include <errno.h>

#define REST_MAX (64u << 20)

struct change_list change_list_of(val expected, val actual, const struct mask_fields *mask, struct arena *a)
{
	return (struct change_list){
		.arena = a, .mask = mask, .expected = expected, .actual = actual, .rest = BUF_INIT(REST_MAX)
	};
}

void change_list_done(struct change_list *l)
{
	vec_done(&l->at);
	vec_done(&l->levels);
	vec_done(&l->found);
	buf_done(&l->rest);
}

bool change_list_enter(struct change_list *l, struct path_segment s, val expected, val actual)
{
	struct change_level level = { .expected = expected, .actual = actual };

	if (!vec_push(&l->at, s)) {
		l->no_memory = true;
		return false;
	}
	if (vec_push(&l->levels, level))
		return true;
	l->at.n--;
	l->no_memory = true;
	return false;
}

void change_list_leave(struct change_list *l)
{
	ASSERT(l->levels.n > 0 && l->at.n > 0);
	l->levels.n--;
	l->at.n--;
	l->common = l->common < l->at.n ? l->common : l->at.n;
}

/* ---- one change ---- */

static struct mask_place judge_level(const struct change_list *l, struct mask_place parent, size_t i)
{
	const struct path_segment *s = &l->at.p[i];
	val e = i ? l->levels.p[i - 1].expected : l->expected, a = i ? l->levels.p[i - 1].actual : l->actual;

	switch (s->kind) {
	case PATH_KEY:
		return mask_member(l->mask, parent, e, a, s->text);
	case PATH_NAME:
	case PATH_KEYS:
		return mask_called_item(l->mask, parent, s);
	case PATH_INDEX:
		break;
	}
	return mask_item(l->mask, parent, val_at(e, s->index - 1), val_at(a, s->index - 1));
}

/* The mask's decision about the current place. Each level is decided once for all changes below it. */
static struct mask_place judge_place(struct change_list *l)
{
	size_t known = l->levels.n;
	struct mask_place p;

	while (known > 0 && !l->levels.p[known - 1].judged)
		known--;
	p = known ? l->levels.p[known - 1].place : mask_root();
	for (size_t i = known; i < l->levels.n; i++) {
		p = judge_level(l, p, i);
		l->levels.p[i].place = p;
		l->levels.p[i].judged = true;
	}
	return p;
}

/* Add a change to the list. False: it does not fit any more, or there is no memory. */
static bool list(struct change_list *l, struct change *c)
{
	size_t bytes = l->at.n * sizeof(struct path_segment);
	CLEANUP(buf_done) struct buf text = BUF_INIT(CHANGES_TEXT_MAX);
	struct path_segment *segments;
	struct mask_place place;

	l->full |= l->found.n == CHANGES_MAX || l->segments + l->at.n > CHANGES_SEGMENTS_MAX;
	if (l->full)
		return false;
	path_format((struct path){ l->at.p, l->at.n }, &text);
	l->full = l->text + text.n > CHANGES_TEXT_MAX;
	if (l->full || text.error == -E2BIG) /* the text of this path alone is too long */
		return false;
	segments = arena_alloc(l->arena, bytes);
	if (segments && bytes)
		memcpy(segments, l->at.p, bytes);
	c->path = (struct path){ segments, l->at.n };
	place = judge_place(l);
	c->sensitive = mask_hides(l->mask, place, c->expected) || mask_hides(l->mask, place, c->actual);
	if (segments && place.secret_key)
		c->path_text = mask_path_text(l->mask, c->path, l->arena);
	else if (!text.error)
		c->path_text = arena_str(l->arena, buf_str(&text));
	if (!segments || !c->path_text.p || !vec_push(&l->found, *c))
		l->no_memory = true;
	l->segments += l->at.n;
	l->text += c->path_text.n;
	return true;
}

/* Append a change that is not listed. Of each path only that part is written which differs from the path of the
 * change before. */
static void add_rest(struct change_list *l, const struct change *c)
{
	struct err err;

	buf_printf(&l->rest, "%zu ", l->common);
	path_format((struct path){ l->at.p + l->common, l->at.n - l->common }, &l->rest);
	buf_add_byte(&l->rest, '\n');
	if (json_encode(c->expected, JSON_PLAIN, NULL, &l->rest, &err) == 0 &&
	    json_encode(c->actual, JSON_PLAIN, NULL, &l->rest, &err) == 0)
		buf_add_byte(&l->rest, '\n');
}

static void add(struct change_list *l, struct change c)
{
	if (l->weigh) {
		l->weight += val_bytes(c.expected) + val_bytes(c.actual);
		return;
	}
	c.kind = !val_exists(c.expected) ? CHANGE_CREATE : !val_exists(c.actual) ? CHANGE_DELETE : CHANGE_MODIFY;
	l->total++;
	if (!list(l, &c))
		add_rest(l, &c);
	l->common = l->at.n;
}

void change_list_add(struct change_list *l, val expected, val actual, const struct event_set_rule *rule)
{
	add(l, (struct change){ .expected = expected, .actual = actual, .rule = rule });
}

void change_list_add_why(struct change_list *l, val expected, val actual, const char *why)
{
	add(l, (struct change){ .expected = expected, .actual = actual, .why = why });
}

/* ---- the end ---- */

static bool keep(struct change_list *l, struct changes *ret)
{
	struct change *copy = arena_array(l->arena, l->found.n, sizeof(*copy));
	str rest = arena_str(l->arena, buf_str(&l->rest));

	if (l->no_memory || l->rest.error == -ENOMEM || !copy || !rest.p)
		return false;
	if (l->found.n)
		memcpy(copy, l->found.p, l->found.n * sizeof(*copy));
	*ret = (struct changes){ .p = copy, .n = l->found.n, .total = l->total, .rest = rest };
	return true;
}

int change_list_end(struct change_list *l, struct changes *ret, struct err *err)
{
	bool kept = keep(l, ret);

	change_list_done(l);
	return kept ? 0 : err_nomem(err);
}
