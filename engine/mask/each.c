/* Walks an object and reports why each place is hidden. */
#include "mask/each.h"

#define DEPTH_MAX 1000

struct walk {
	const struct mask_fields *fields;
	struct arena *arena;
	mask_each_fn *each;
	void *ctx;
	struct path_segment *way;
	size_t n;
	bool failed;
};

static void call(struct walk *w, val v, const char *why)
{
	str path = mask_path_text(w->fields, (struct path){ w->way, w->n }, w->arena);

	w->failed = w->failed || !path.p;
	if (!w->failed)
		w->each(w->ctx, path, v, why);
}

static void walk(struct walk *w, struct mask_place place, val v);

static void walk_list(struct walk *w, struct mask_place place, val v)
{
	for (uint32_t i = 0; !w->failed && i < v.n; i++) {
		val before = i ? val_at(v, i - 1) : (val){ 0 };

		w->way[w->n - 1] = (struct path_segment){ .kind = PATH_INDEX, .index = i };
		walk(w, mask_item(w->fields, place, before, (val){ 0 }), val_at(v, i));
	}
}

static void walk_map(struct walk *w, struct mask_place place, val v)
{
	for (uint32_t i = 0; !w->failed && i < v.n; i++) {
		str key = key_str(v.members[i].key);
		struct mask_place below = mask_member(w->fields, place, v, (val){ 0 }, key);

		w->way[w->n - 1] = (struct path_segment){ .kind = PATH_KEY, .text = key };
		if (below.secret_key && !place.secret_key)
			call(w, (val){ 0 }, "the key is a secret itself");
		walk(w, below, v.members[i].value);
	}
}

static void walk(struct walk *w, struct mask_place place, val v)
{
	if (w->n == DEPTH_MAX) {
		call(w, v, "too deep to be looked at");
		return;
	}
	if (!val_is_list(v) && !val_is_map(v)) {
		call(w, v, mask_why(w->fields, place, v));
		return;
	}
	w->n++;
	if (val_is_list(v))
		walk_list(w, place, v);
	else
		walk_map(w, place, v);
	w->n--;
}

bool mask_each(const struct mask_fields *fields, val object, struct arena *a, mask_each_fn *each, void *ctx)
{
	struct walk w = { .fields = fields, .arena = a, .each = each, .ctx = ctx };

	w.way = arena_array(a, DEPTH_MAX, sizeof(*w.way));
	if (!w.way)
		return false;
	walk(&w, mask_root(), object);
	return !w.failed;
}
