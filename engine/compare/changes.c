/* Walking two documents side by side. */
#include "compare/changes.h"

#include "base/assert.h"
#include "base/vec.h"
#include "value/json.h"

#include <errno.h>

#define REST_MAX (64u << 20)

/* Both sides at a place, and what the mask says of it once somebody asks. */
struct level {
	val e, a;
	struct mask_place place;
	bool judged;
};

struct finder {
	struct arena *arena;
	const struct mask_fields *mask;
	val e, a;                    /* the roots */
	VEC(struct path_segment) at; /* the current place */
	VEC(struct level) levels;    /* for each segment */
	VEC(struct change) found;
	size_t segments, text; /* of the paths of those found */
	size_t total;
	bool full;       /* no more are listed: */
	struct buf rest; /* of them */
	bool weigh;      /* none is listed: */
	size_t weight;
	size_t common; /* segments that the current place has in common with that of the last difference */
	bool no_memory;
};

static void compare(struct finder *f, val expected, val actual);

const char *change_kind_name(enum change_kind k)
{
	static const char *const names[] = {
		[CHANGE_CREATE] = "create", [CHANGE_DELETE] = "delete", [CHANGE_MODIFY] = "modify"
	};

	_Static_assert(ARRAY_LEN(names) == CHANGE_KINDS, "ORDER change_kind");
	ASSERT(k < CHANGE_KINDS);
	return names[k];
}

bool changes_any(val expected, val actual)
{
	return !val_same(expected, actual);
}

static struct mask_place judge_level(const struct finder *f, struct mask_place parent, size_t i)
{
	const struct path_segment *s = &f->at.p[i];
	val e = i ? f->levels.p[i - 1].e : f->e, a = i ? f->levels.p[i - 1].a : f->a;

	switch (s->kind) {
	case PATH_KEY:
		return mask_member(f->mask, parent, e, a, s->text);
	case PATH_NAME:
		return mask_named_item(f->mask, parent, s->text);
	case PATH_INDEX:
		break;
	}
	return mask_item(f->mask, parent, val_at(e, s->index - 1), val_at(a, s->index - 1));
}

/* Each level is judged once for all that differs below it. */
static struct mask_place judge_place(struct finder *f)
{
	size_t known = f->levels.n;
	struct mask_place p;

	while (known > 0 && !f->levels.p[known - 1].judged)
		known--;
	p = known ? f->levels.p[known - 1].place : mask_root();
	for (size_t i = known; i < f->levels.n; i++) {
		p = judge_level(f, p, i);
		f->levels.p[i].place = p;
		f->levels.p[i].judged = true;
	}
	return p;
}

/* False: it does not fit any more, or there is no memory. */
static bool list(struct finder *f, struct change *c)
{
	size_t bytes = f->at.n * sizeof(struct path_segment);
	CLEANUP(buf_done) struct buf text = BUF_INIT(CHANGES_TEXT_MAX);
	struct path_segment *segments;
	struct mask_place place;

	f->full |= f->found.n == CHANGES_MAX || f->segments + f->at.n > CHANGES_SEGMENTS_MAX;
	if (f->full)
		return false;
	path_format((struct path){ f->at.p, f->at.n }, &text);
	f->full = f->text + text.n > CHANGES_TEXT_MAX;
	if (f->full || text.error == -E2BIG) /* of this one alone */
		return false;
	segments = arena_alloc(f->arena, bytes);
	if (segments && bytes)
		memcpy(segments, f->at.p, bytes);
	c->path = (struct path){ segments, f->at.n };
	place = judge_place(f);
	c->sensitive = mask_hides(f->mask, place, c->expected) || mask_hides(f->mask, place, c->actual);
	if (segments && place.secret_key)
		c->path_text = mask_path_text(f->mask, c->path, f->arena);
	else if (!text.error)
		c->path_text = arena_str(f->arena, buf_str(&text));
	if (!segments || !c->path_text.p || !vec_push(&f->found, *c))
		f->no_memory = true;
	f->segments += f->at.n;
	f->text += c->path_text.n;
	return true;
}

/* Each path as far as it is not that of the difference before. */
static void add_rest(struct finder *f, const struct change *c)
{
	struct err err;

	buf_printf(&f->rest, "%zu ", f->common);
	path_format((struct path){ f->at.p + f->common, f->at.n - f->common }, &f->rest);
	buf_add_byte(&f->rest, '\n');
	if (json_encode(c->expected, JSON_PLAIN, NULL, &f->rest, &err) == 0 &&
	    json_encode(c->actual, JSON_PLAIN, NULL, &f->rest, &err) == 0)
		buf_add_byte(&f->rest, '\n');
}

static void report(struct finder *f, val expected, val actual)
{
	struct change c = { .expected = expected, .actual = actual };

	if (f->weigh) {
		f->weight += val_bytes(expected) + val_bytes(actual);
		return;
	}
	c.kind = !val_exists(expected) ? CHANGE_CREATE : !val_exists(actual) ? CHANGE_DELETE : CHANGE_MODIFY;
	f->total++;
	if (!list(f, &c))
		add_rest(f, &c);
	f->common = f->at.n;
}

static void compare_at(struct finder *f, struct path_segment s, val expected, val actual)
{
	struct level level = { .e = expected, .a = actual };

	if (!vec_push(&f->at, s)) {
		f->no_memory = true;
		return;
	}
	if (vec_push(&f->levels, level)) {
		compare(f, expected, actual);
		f->levels.n--;
	} else {
		f->no_memory = true;
	}
	f->at.n--;
	f->common = f->common < f->at.n ? f->common : f->at.n;
}

static void compare_key(struct finder *f, const struct key *key, val expected, val actual)
{
	compare_at(f, (struct path_segment){ .kind = PATH_KEY, .text = key_str(key) }, expected, actual);
}

static void compare_maps(struct finder *f, val e, val a)
{
	uint32_t i = 0, j = 0;

	while (i < e.n || j < a.n) {
		int order = i == e.n ? 1 : j == a.n ? -1 : key_cmp(e.members[i].key, a.members[j].key);

		if (order < 0) {
			compare_key(f, e.members[i].key, e.members[i].value, (val){ 0 });
			i++;
		} else if (order > 0) {
			compare_key(f, a.members[j].key, (val){ 0 }, a.members[j].value);
			j++;
		} else {
			compare_key(f, e.members[i].key, e.members[i].value, a.members[j].value);
			i++;
			j++;
		}
	}
}

/* ---- lists ---- */

struct named {
	str name;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	return str_cmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

/* The items' names in order of names; NULL unless every item has a name and none the same. */
static struct named *name_items(struct finder *f, val list)
{
	struct named *names = arena_array(f->arena, (size_t)list.n + 1, sizeof(*names));

	if (!names) {
		f->no_memory = true;
		return NULL;
	}
	for (uint32_t i = 0; i < list.n; i++) {
		val name = VAL_GET(list.items[i], "name");

		if (!val_is_string(name))
			return NULL;
		names[i] = (struct named){ val_str(name), i };
	}
	qsort(names, list.n, sizeof(*names), by_name);
	for (uint32_t i = 1; i < list.n; i++) {
		if (str_eq(names[i - 1].name, names[i].name))
			return NULL;
	}
	return names;
}

static val names_of(struct finder *f, val list)
{
	val *items = arena_array(f->arena, list.n, sizeof(*items));

	if (!items) {
		f->no_memory = true;
		return val_null();
	}
	for (uint32_t i = 0; i < list.n; i++)
		items[i] = VAL_GET(list.items[i], "name");
	return (val){ .kind = VAL_LIST, .n = list.n, .items = items };
}

static bool same_order(const struct named *en, const struct named *an, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (en[i].index != an[i].index)
			return false;
	}
	return true;
}

static void compare_named(struct finder *f, val e, const struct named *en, val a, const struct named *an)
{
	size_t before = f->found.n;
	uint32_t i = 0, j = 0;

	while (i < e.n || j < a.n) {
		int order = i == e.n ? 1 : j == a.n ? -1 : str_cmp(en[i].name, an[j].name);
		val expected = order <= 0 ? e.items[en[i].index] : (val){ 0 };
		val actual = order >= 0 ? a.items[an[j].index] : (val){ 0 };
		str name = order <= 0 ? en[i].name : an[j].name;

		compare_at(f, (struct path_segment){ .kind = PATH_NAME, .text = name }, expected, actual);
		i += order <= 0;
		j += order >= 0;
	}
	if (f->found.n == before && !same_order(en, an, e.n))
		report(f, names_of(f, e), names_of(f, a));
}

static void compare_indexed(struct finder *f, val e, val a)
{
	uint32_t n = e.n > a.n ? e.n : a.n;

	for (uint32_t i = 0; i < n; i++)
		compare_at(f, (struct path_segment){ .kind = PATH_INDEX, .index = i }, val_at(e, i), val_at(a, i));
}

static void compare_lists(struct finder *f, val e, val a)
{
	const struct named *en = name_items(f, e);
	const struct named *an = en ? name_items(f, a) : NULL;

	if (en && an)
		compare_named(f, e, en, a, an);
	else
		compare_indexed(f, e, a);
}

/* One walk, whatever differs: looking ahead for equality at every level would cost the depth times the size. */
static void compare(struct finder *f, val expected, val actual)
{
	if (val_is_map(expected) && val_is_map(actual))
		compare_maps(f, expected, actual);
	else if (val_is_list(expected) && val_is_list(actual))
		compare_lists(f, expected, actual);
	else if (!val_same(expected, actual))
		report(f, expected, actual);
}

static bool keep(struct finder *f, struct changes *ret)
{
	struct change *copy = arena_array(f->arena, f->found.n, sizeof(*copy));
	str rest = arena_str(f->arena, buf_str(&f->rest));

	if (f->no_memory || f->rest.error == -ENOMEM || !copy || !rest.p)
		return false;
	if (f->found.n)
		memcpy(copy, f->found.p, f->found.n * sizeof(*copy));
	*ret = (struct changes){ .p = copy, .n = f->found.n, .total = f->total, .rest = rest };
	return true;
}

int changes_find(val expected, val actual, const struct mask_fields *mask, struct arena *a, struct changes *ret,
		 struct err *err)
{
	struct finder f = { .arena = a, .mask = mask, .e = expected, .a = actual, .rest = BUF_INIT(REST_MAX) };
	bool kept;

	if (!val_same(expected, actual)) /* the common case needs no memory */
		compare(&f, expected, actual);
	kept = keep(&f, ret);
	vec_done(&f.at);
	vec_done(&f.levels);
	vec_done(&f.found);
	buf_done(&f.rest);
	return kept ? 0 : err_nomem(err);
}

int changes_weigh(val expected, val actual, struct arena *a, size_t *ret, struct err *err)
{
	struct finder f = { .arena = a, .weigh = true };

	compare(&f, expected, actual);
	vec_done(&f.at);
	vec_done(&f.levels);
	*ret = f.weight;
	return f.no_memory ? err_nomem(err) : 0;
}
