/* Walks two documents side by side, and collects their differences. */
#include "compare/changes.h"

#include "compare/change_list.h"
#include "topology/list_pairs.h"
#include "value/identity.h"

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

/* An element of one list or the other, or a pair of elements with one key. */
struct paired {
	const struct list_element *called;
	uint32_t expected, actual; /* 1 + the index of the element; 0: the list does not have it */
	/* the first bytes of the key behind the prefix of all keys, which mostly decide an order */
	uint64_t front;
};

static int by_key(const struct paired *p, const struct paired *q)
{
	const struct list_element *x = p->called, *y = q->called;
	int order = (int)x->bare - (int)y->bare;

	if (order == 0 && p->front != q->front)
		return p->front < q->front ? -1 : 1;
	if (order == 0 && !x->bare)
		order = str_cmp(x->key, y->key);
	return order ? order : (x->again > y->again) - (x->again < y->again);
}

/* The number of bytes with which all keys begin. */
static size_t common_front(const struct paired *all, uint32_t n)
{
	str first = all[0].called->key;
	size_t same = first.n;

	for (uint32_t i = 1; i < n && same; i++) {
		str key = all[i].called->key;
		size_t k = 0;

		if (key.n >= same && memcmp(key.p, first.p, same) == 0)
			continue;
		while (k < same && k < key.n && key.p[k] == first.p[k])
			k++;
		same = k;
	}
	return same;
}

/* Up to eight bytes of the key as a number that sorts as the text does: the first byte is the most significant one. */
static uint64_t front_of(str key, size_t from)
{
	uint64_t front = 0;

	for (size_t i = from; i < from + sizeof(front); i++)
		front = front << 8 | (i < key.n ? (unsigned char)key.p[i] : 0);
	return front;
}

/* Merge two sorted runs, of which the second begins at @middle, into @to. */
static void merge(const struct paired *from, uint32_t middle, uint32_t n, struct paired *to)
{
	uint32_t i = 0, j = middle;

	while (i < middle && j < n) {
		if (by_key(&from[j], &from[i]) < 0)
			*to++ = from[j++];
		else
			*to++ = from[i++];
	}
	memcpy(to, from + i, (middle - i) * sizeof(*to));
	memcpy(to + (middle - i), from + j, (n - j) * sizeof(*to));
}

/* Sort @all by key. @spare has room for as many elements; the result is in either of the two, and is returned. */
static struct paired *sort_by_key(struct paired *all, struct paired *spare, uint32_t n)
{
	bool sorted = true;
	size_t from = n ? common_front(all, n) : 0;

	for (uint32_t i = 0; i < n; i++) {
		all[i].front = all[i].called->bare ? 0 : front_of(all[i].called->key, from);
		sorted = sorted && (i == 0 || by_key(&all[i - 1], &all[i]) < 0);
	}
	for (uint64_t run = 1; !sorted && run < n; run *= 2) {
		struct paired *swap = all;

		for (uint64_t at = 0; at < n; at += 2 * run) {
			uint32_t left = n - (uint32_t)at;

			merge(all + at, left < run ? left : (uint32_t)run, left < 2 * run ? left : (uint32_t)(2 * run),
			      spare + at);
		}
		all = spare;
		spare = swap;
	}
	return all;
}

/* All pairs of elements in order of keys. NULL without memory. */
static struct paired *sort_pairs(struct change_list *l, val e, val a, const struct list_pairs *p, uint32_t *ret)
{
	size_t room = (size_t)e.n + a.n + 1;
	struct paired *all = arena_array(l->arena, 2 * room, sizeof(*all));
	uint32_t n = 0;

	l->no_memory |= !all;
	for (uint32_t i = 0; all && i < e.n; i++) {
		uint32_t same = p->to_after[i];

		all[n++] = (struct paired){ same ? &p->after[same - 1] : &p->before[i], i + 1, same, 0 };
	}
	for (uint32_t i = 0; all && i < a.n; i++) {
		if (!p->to_before[i])
			all[n++] = (struct paired){ &p->after[i], 0, i + 1, 0 };
	}
	*ret = n;
	return all ? sort_by_key(all, all + room, n) : NULL;
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
	if (l->found.n == before && !list_pairs_in_order(p, e.n))
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

/* Collect differences in one walk. Looking ahead for equality at every level would cost the depth times the size. */
static void compare(struct change_list *l, val expected, val actual)
{
	if (val_is_map(expected) && val_is_map(actual))
		compare_maps(l, expected, actual);
	else if (val_is_list(expected) && val_is_list(actual))
		compare_lists(l, expected, actual);
	else if (!val_same(expected, actual))
		change_list_add(l, expected, actual, NULL);
}

/* The type of the object, taken from the side that names its kind, which one side may leave out. */
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
	if (!val_same(expected, actual)) /* equal objects, the common case, need no memory */
		compare(&l, expected, actual);
	return change_list_end(&l, ret, err);
}

int changes_weigh(val expected, val actual, val schema, struct arena *a, size_t *ret, struct err *err)
{
	struct change_list l = change_list_of(expected, actual, NULL, a);

	l.type = type_of(expected, actual, schema);
	l.weigh = true;
	compare(&l, expected, actual);
	change_list_done(&l);
	*ret = l.weight;
	return l.no_memory ? err_nomem(err) : 0;
}
