/* Walking two documents side by side. */
#include "compare/changes.h"

#include "compare/change_list.h"

#include <stdlib.h>

static void compare(struct change_list *l, val expected, val actual);

bool changes_any(val expected, val actual)
{
	return !val_same(expected, actual);
}

static void compare_at(struct change_list *l, struct path_segment s, val expected, val actual)
{
	if (!change_list_enter(l, s, expected, actual))
		return;
	compare(l, expected, actual);
	change_list_leave(l);
}

static void compare_key(struct change_list *l, const struct key *key, val expected, val actual)
{
	compare_at(l, (struct path_segment){ .kind = PATH_KEY, .text = key_str(key) }, expected, actual);
}

static void compare_maps(struct change_list *l, val e, val a)
{
	uint32_t i = 0, j = 0;

	while (i < e.n || j < a.n) {
		int order = i == e.n ? 1 : j == a.n ? -1 : key_cmp(e.members[i].key, a.members[j].key);

		if (order < 0) {
			compare_key(l, e.members[i].key, e.members[i].value, (val){ 0 });
			i++;
		} else if (order > 0) {
			compare_key(l, a.members[j].key, (val){ 0 }, a.members[j].value);
			j++;
		} else {
			compare_key(l, e.members[i].key, e.members[i].value, a.members[j].value);
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
static struct named *name_items(struct change_list *l, val list)
{
	struct named *names = arena_array(l->arena, (size_t)list.n + 1, sizeof(*names));

	if (!names) {
		l->no_memory = true;
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

static val names_of(struct change_list *l, val list)
{
	val *items = arena_array(l->arena, list.n, sizeof(*items));

	if (!items) {
		l->no_memory = true;
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

static void compare_named(struct change_list *l, val e, const struct named *en, val a, const struct named *an)
{
	size_t before = l->found.n;
	uint32_t i = 0, j = 0;

	while (i < e.n || j < a.n) {
		int order = i == e.n ? 1 : j == a.n ? -1 : str_cmp(en[i].name, an[j].name);
		val expected = order <= 0 ? e.items[en[i].index] : (val){ 0 };
		val actual = order >= 0 ? a.items[an[j].index] : (val){ 0 };
		str name = order <= 0 ? en[i].name : an[j].name;

		compare_at(l, (struct path_segment){ .kind = PATH_NAME, .text = name }, expected, actual);
		i += order <= 0;
		j += order >= 0;
	}
	if (l->found.n == before && !same_order(en, an, e.n))
		change_list_add(l, names_of(l, e), names_of(l, a), NULL);
}

static void compare_indexed(struct change_list *l, val e, val a)
{
	uint32_t n = e.n > a.n ? e.n : a.n;

	for (uint32_t i = 0; i < n; i++)
		compare_at(l, (struct path_segment){ .kind = PATH_INDEX, .index = i }, val_at(e, i), val_at(a, i));
}

static void compare_lists(struct change_list *l, val e, val a)
{
	const struct named *en = name_items(l, e);
	const struct named *an = en ? name_items(l, a) : NULL;

	if (en && an)
		compare_named(l, e, en, a, an);
	else
		compare_indexed(l, e, a);
}

/* One walk, whatever differs: looking ahead for equality at every level would cost the depth times the size. */
static void compare(struct change_list *l, val expected, val actual)
{
	if (val_is_map(expected) && val_is_map(actual))
		compare_maps(l, expected, actual);
	else if (val_is_list(expected) && val_is_list(actual))
		compare_lists(l, expected, actual);
	else if (!val_same(expected, actual))
		change_list_add(l, expected, actual, NULL);
}

int changes_find(val expected, val actual, const struct mask_fields *mask, struct arena *a, struct changes *ret,
		 struct err *err)
{
	struct change_list l = change_list_of(expected, actual, mask, a);

	if (!val_same(expected, actual)) /* the common case needs no memory */
		compare(&l, expected, actual);
	return change_list_end(&l, ret, err);
}

int changes_weigh(val expected, val actual, struct arena *a, size_t *ret, struct err *err)
{
	struct change_list l = change_list_of(expected, actual, NULL, a);

	l.weigh = true;
	compare(&l, expected, actual);
	change_list_done(&l);
	*ret = l.weight;
	return l.no_memory ? err_nomem(err) : 0;
}
