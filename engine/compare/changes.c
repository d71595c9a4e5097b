/* Walking two documents side by side. */
#include "compare/changes.h"

#include "compare/change_list.h"
#include "topology/list_pairs.h"
#include "value/identity.h"

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

/* An element of the one list, or of the other, or of both. */
struct paired {
	const struct list_element *called;
	uint32_t expected, actual; /* 1 + the element; 0: it is not there */
};

static int by_key(const void *a, const void *b)
{
	const struct list_element *x = ((const struct paired *)a)->called, *y = ((const struct paired *)b)->called;
	int order = (int)x->bare - (int)y->bare;

	if (order == 0 && !x->bare)
		order = str_cmp(x->key, y->key);
	return order ? order : (x->again > y->again) - (x->again < y->again);
}

/* All pairs in order of keys. NULL without memory. */
static struct paired *sort_pairs(struct change_list *l, val e, val a, const struct list_pairs *p, uint32_t *ret)
{
	struct paired *all = arena_array(l->arena, (size_t)e.n + a.n + 1, sizeof(*all));
	uint32_t n = 0;

	l->no_memory |= !all;
	for (uint32_t i = 0; all && i < e.n; i++) {
		uint32_t same = p->to_after[i];

		all[n++] = (struct paired){ same ? &p->after[same - 1] : &p->before[i], i + 1, same };
	}
	for (uint32_t i = 0; all && i < a.n; i++) {
		if (!p->to_before[i])
			all[n++] = (struct paired){ &p->after[i], 0, i + 1 };
	}
	if (n)
		qsort(all, n, sizeof(*all), by_key);
	*ret = n;
	return all;
}

static val keys_of(struct change_list *l, const struct list_element *e, uint32_t n)
{
	val *items = arena_array(l->arena, n, sizeof(*items));

	if (!items) {
		l->no_memory = true;
		return val_null();
	}
	for (uint32_t i = 0; i < n; i++)
		items[i] = val_string(e[i].key);
	return (val){ .kind = VAL_LIST, .n = n, .items = items };
}

static bool same_order(const struct list_pairs *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		if (p->to_after[i] != i + 1)
			return false;
	}
	return true;
}

static void compare_paired(struct change_list *l, val e, val a, const struct list_keys *keys,
			   const struct list_pairs *p)
{
	size_t before = l->found.n;
	uint32_t n;
	const struct paired *all = sort_pairs(l, e, a, p, &n);

	for (uint32_t i = 0; all && i < n; i++) {
		const struct paired *x = &all[i];
		val expected = x->expected ? e.items[x->expected - 1] : (val){ 0 };
		val actual = x->actual ? a.items[x->actual - 1] : (val){ 0 };
		uint32_t index = (x->actual ? x->actual : x->expected) - 1;
		struct path_segment s =
			list_element_segment(keys, x->called, x->actual ? actual : expected, index, l->arena);

		l->no_memory |= !s.text.p;
		if (s.text.p)
			compare_at(l, s, expected, actual);
	}
	if (l->found.n == before && !same_order(p, e.n))
		change_list_add(l, keys_of(l, p->before, e.n), keys_of(l, p->after, a.n), NULL);
}

static void compare_indexed(struct change_list *l, val e, val a)
{
	uint32_t n = e.n > a.n ? e.n : a.n;

	for (uint32_t i = 0; i < n; i++)
		compare_at(l, (struct path_segment){ .kind = PATH_INDEX, .index = i }, val_at(e, i), val_at(a, i));
}

static bool is_of_maps(val list)
{
	return val_is_map(val_at(list, 0));
}

static void compare_lists(struct change_list *l, val e, val a)
{
	struct list_pairs pairs;
	struct list_keys keys;
	struct topo type;
	int paired = 0;

	if (is_of_maps(e) || is_of_maps(a)) {
		type = topo_at(l->type, (struct path){ l->at.p, l->at.n });
		topo_list_keys(&type, e.n ? e : a, &keys);
		paired = list_pairs_make(e, a, &keys, l->arena, &pairs);
	}
	l->no_memory |= paired < 0;
	if (paired > 0)
		compare_paired(l, e, a, &keys, &pairs);
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

/* Of either side: what one leaves out the other may have. */
static struct topo type_of(val expected, val actual, val schema)
{
	struct identity id = identity_of(val_is_string(VAL_GET(actual, "kind")) ? actual : expected);

	return topo_root(id.api_version, id.kind, schema);
}

int changes_find(val expected, val actual, val schema, const struct mask_fields *mask, struct arena *a,
		 struct changes *ret, struct err *err)
{
	struct change_list l = change_list_of(expected, actual, mask, a);

	l.type = type_of(expected, actual, schema);
	if (!val_same(expected, actual)) /* the common case needs no memory */
		compare(&l, expected, actual);
	return change_list_end(&l, ret, err);
}

int changes_weigh(val expected, val actual, struct arena *a, size_t *ret, struct err *err)
{
	struct change_list l = change_list_of(expected, actual, NULL, a);

	l.type = type_of(expected, actual, (val){ 0 });
	l.weigh = true;
	compare(&l, expected, actual);
	change_list_done(&l);
	*ret = l.weight;
	return l.no_memory ? err_nomem(err) : 0;
}
