/* Pairs elements by the texts of their keys, with a hash table for each list. */
#include "topology/list_pairs.h"

#include "base/assert.h"
#include "base/hash.h"
#include "value/json.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>

struct pairing {
	const struct list_keys *keys;
	struct arena *arena;
	/* the index of each key in the last element, which is mostly the same in the next one */
	uint32_t at[LIST_KEYS_MAX];
	bool text; /* the key that was read last is a text */
	bool no_memory;
};

/* The elements with one key: 1 + the first of them, the last, and the next one to be paired; 0: a free slot. */
struct slot {
	uint32_t first, last, next;
};

#define FEW 12 /* the number of elements that are found faster one by one than by a hash */

struct side {
	struct list_element *elements;
	uint32_t n, keyed;
	struct slot *slots; /* at most a quarter full; NULL: there are at most FEW elements */
	uint32_t mask;
	bool twice;
};

/* ---- keys ---- */

/* The text of a key. {NULL, 0}: it is no key. */
static str scalar_text(struct pairing *p, val v)
{
	str s = { NULL, 0 };

	if (val_is_string(v))
		return val_str(v);
	if (v.kind == VAL_BOOL)
		return v.b ? STR("true") : STR("false");
	if (v.kind == VAL_INT) {
		s = arena_printf(p->arena, "%" PRId64, v.i);
		p->no_memory |= !s.p;
	}
	return s;
}

static val member_of(struct pairing *p, val element, size_t i)
{
	str name = p->keys->p[i].name;
	const struct member *m = element.members + p->at[i];

	if (p->at[i] < element.n && str_eq(key_str(m->key), name))
		return m->value;
	m = val_member(element, name);
	if (m)
		p->at[i] = (uint32_t)(m - element.members);
	return m ? m->value : (val){ 0 };
}

/* The text of one key of an element. Where an API server fills in a value, that value counts in place of a missing
 * one, null, and the empty text. */
static str one_key(struct pairing *p, val element, size_t i)
{
	const struct list_key *key = &p->keys->p[i];
	val v = member_of(p, element, i);
	bool nothing = !val_exists(v) || (key->otherwise.p && (val_is_null(v) || (val_is_string(v) && v.n == 0)));

	p->text = val_is_string(v);
	if (!p->keys->sure && !val_is_string(v) && p->keys->named)
		return (str){ NULL, 0 };
	return nothing ? key->otherwise : scalar_text(p, v);
}

/* The text of all keys of an element. {NULL, 0}: it has not all of them. */
static str key_text(struct pairing *p, val element)
{
	str text = { NULL, 0 };

	for (size_t i = 0; val_is_map(element) && i < p->keys->n; i++) {
		str one = one_key(p, element, i);

		if (!one.p)
			return one;
		text = i == 0 ? one : arena_printf(p->arena, "%.*s/%.*s", STR_ARG(text), STR_ARG(one));
		p->no_memory |= !text.p;
	}
	return text;
}

/* ---- one list ---- */

static bool same_key(const struct list_element *a, const struct list_element *b)
{
	return a->bare == b->bare && (a->bare || str_eq(a->key, b->key));
}

static struct slot *find_slot(const struct side *s, const struct list_element *e)
{
	uint32_t at = (e->bare ? 0 : (uint32_t)hash_str(e->key, hash_seed())) & s->mask;

	while (s->slots[at].first && !same_key(&s->elements[s->slots[at].first - 1], e))
		at = (at + 1) & s->mask;
	return &s->slots[at];
}

static void add_element(struct side *s, uint32_t i)
{
	struct list_element *e = &s->elements[i];
	struct slot *slot = find_slot(s, e);

	if (slot->first) {
		struct list_element *before = &s->elements[slot->last - 1];

		before->next = i + 1;
		e->again = before->again + 1;
		s->twice |= !e->bare;
	} else {
		slot->first = slot->next = i + 1;
	}
	slot->last = i + 1;
}

/* Link an element of a short list to the last one before it with the same key. */
static void add_to_few(struct side *s, uint32_t i)
{
	struct list_element *e = &s->elements[i];

	for (uint32_t k = i; k-- > 0;) {
		if (!same_key(&s->elements[k], e))
			continue;
		s->elements[k].next = i + 1;
		e->again = s->elements[k].again + 1;
		s->twice |= !e->bare;
		return;
	}
}

static void read_side(struct pairing *p, val list, struct side *ret)
{
	*ret = (struct side){ .n = val_count(list) };
	ret->elements = arena_zalloc(p->arena, ((size_t)ret->n + 1) * sizeof(*ret->elements));
	p->no_memory |= !ret->elements;
	for (uint32_t i = 0; ret->elements && i < ret->n; i++) {
		struct list_element *e = &ret->elements[i];

		e->key = key_text(p, list.items[i]);
		e->bare = !e->key.p;
		e->text = !e->bare && p->keys->n == 1 && p->text;
		ret->keyed += !e->bare;
	}
}

static void index_side(struct pairing *p, struct side *s, bool few)
{
	uint32_t cap = 4;

	while (cap / 4 < s->n)
		cap *= 2;
	s->slots = few ? NULL : arena_zalloc(p->arena, cap * sizeof(*s->slots));
	s->mask = cap - 1;
	p->no_memory |= !few && !s->slots;
	for (uint32_t i = 0; !p->no_memory && i < s->n; i++) {
		struct list_element *e = &s->elements[i];

		if (e->bare)
			e->key = arena_printf(p->arena, "%" PRIu32, i);
		p->no_memory |= !e->key.p;
		if (few)
			add_to_few(s, i);
		else
			add_element(s, i);
	}
}

/* ---- both ---- */

static bool are_alike(const struct side *a, const struct side *b)
{
	bool alike = a->n == b->n;

	for (uint32_t i = 0; alike && i < a->n; i++)
		alike = same_key(&a->elements[i], &b->elements[i]);
	return alike;
}

/* Pair two lists with the same keys in the same order: what is known of one side is true of the other. */
static void pair_alike(const struct side *before, struct side *after, struct list_pairs *ret)
{
	for (uint32_t i = 0; i < before->n; i++) {
		const struct list_element *e = &before->elements[i];
		struct list_element *same = &after->elements[i];

		same->again = e->again;
		same->next = e->next;
		if (e->bare)
			same->key = e->key;
		ret->to_after[i] = ret->to_before[i] = i + 1;
	}
}

static bool go_by_keys(const struct list_keys *keys, const struct side *before, const struct side *after)
{
	if (keys->sure)
		return before->keyed || after->keyed;
	return before->n ? before->keyed == before->n : after->keyed > 0;
}

/* Pair short lists in order, each element with the first one that is left, so that the first with a key is paired
 * with the first. */
static void pair_few(const struct side *before, const struct side *after, struct list_pairs *ret)
{
	for (uint32_t i = 0; i < before->n; i++) {
		const struct list_element *e = &before->elements[i];
		bool here = i < after->n && after->elements[i].again == e->again && same_key(&after->elements[i], e);
		uint32_t k = here ? i : 0;

		while (k < after->n && (ret->to_before[k] || !same_key(&after->elements[k], e)))
			k++;
		if (k == after->n)
			continue;
		ret->to_after[i] = k + 1;
		ret->to_before[k] = i + 1;
	}
}

static void pair(const struct side *before, struct side *after, struct list_pairs *ret)
{
	for (uint32_t i = 0; i < before->n; i++) {
		const struct list_element *e = &before->elements[i];
		struct slot *slot = find_slot(after, e);

		if (!slot->next)
			continue;
		ret->to_after[i] = slot->next;
		ret->to_before[slot->next - 1] = i + 1;
		slot->next = after->elements[slot->next - 1].next;
	}
}

int list_pairs_make(val before, val after, const struct list_keys *keys, struct arena *a, struct list_pairs *ret)
{
	struct pairing p = { .keys = keys, .arena = a };
	struct side b, n;
	bool few, alike;

	if (!keys->n)
		return 0;
	read_side(&p, before, &b);
	read_side(&p, after, &n);
	if (p.no_memory || !go_by_keys(keys, &b, &n))
		return p.no_memory ? -ENOMEM : 0;
	few = b.n <= FEW && n.n <= FEW;
	alike = are_alike(&b, &n);
	index_side(&p, &b, few);
	if (!alike)
		index_side(&p, &n, few);
	*ret = (struct list_pairs){
		.before = b.elements,
		.after = n.elements,
		.to_after = arena_zalloc(a, ((size_t)b.n + 1) * sizeof(uint32_t)),
		.to_before = arena_zalloc(a, ((size_t)n.n + 1) * sizeof(uint32_t)),
		.twice = b.twice || n.twice,
		.bare = b.keyed < b.n || n.keyed < n.n,
		.alike = alike,
	};
	if (p.no_memory || !ret->to_after || !ret->to_before)
		return -ENOMEM;
	if (alike)
		pair_alike(&b, &n, ret);
	else if (few)
		pair_few(&b, &n, ret);
	else
		pair(&b, &n, ret);
	return 1;
}

bool list_pairs_in_order(const struct list_pairs *p, uint32_t n)
{
	uint32_t least = 0;

	for (uint32_t i = 0; !p->alike && i < n; i++) {
		uint32_t at = p->to_after[i];

		if (at && at < least)
			return false;
		least = at ? at : least;
	}
	return true;
}

/* ---- one element ---- */

static val key_value(val element, const struct list_key *key)
{
	val v = val_get(element, key->name);
	bool nothing = !val_exists(v) || val_is_null(v) || (val_is_string(v) && v.n == 0);

	return nothing && key->otherwise.p ? val_string(key->otherwise) : v;
}

static bool same_keys(const struct list_keys *keys, val a, val b)
{
	for (size_t i = 0; i < keys->n; i++) {
		if (!val_same(key_value(a, &keys->p[i]), key_value(b, &keys->p[i])))
			return false;
	}
	return true;
}

bool list_element_at(val list, const struct list_keys *keys, uint32_t index, struct arena *a, struct list_element *ret)
{
	struct pairing p = { .keys = keys, .arena = a };
	val element = val_at(list, index);

	ASSERT(index < val_count(list));
	*ret = (struct list_element){ .key = key_text(&p, element) };
	ret->bare = !ret->key.p;
	ret->text = !ret->bare && keys->n == 1 && p.text;
	for (uint32_t i = 0; !ret->bare && i < index; i++)
		ret->again += same_keys(keys, list.items[i], element);
	if (ret->bare)
		ret->key = arena_printf(a, "%" PRIu32, index);
	return !p.no_memory && ret->key.p;
}

/* ---- names in paths ---- */

static bool is_plain(str key)
{
	for (size_t i = 0; i < key.n; i++) {
		if (!isalnum((unsigned char)key.p[i]) && key.p[i] != '-' && key.p[i] != '_')
			return false;
	}
	return key.n > 0;
}

/* Append the keys of an element, such as "port=53,protocol="UDP"". False: the keys cannot be written like this. */
static bool add_keys(const struct list_keys *keys, val element, struct buf *out)
{
	struct err err;

	for (size_t i = 0; i < keys->n; i++) {
		const struct list_key *k = &keys->p[i];
		val v = val_get(element, k->name);

		if (!is_plain(k->name))
			return false;
		if (k->otherwise.p && (!val_is_scalar(v) || val_is_null(v) || (val_is_string(v) && v.n == 0)))
			v = val_string(k->otherwise);
		buf_printf(out, "%s%.*s=", i ? "," : "", STR_ARG(k->name));
		if (json_encode(v, JSON_PLAIN, NULL, out, &err) < 0)
			return false;
	}
	return true;
}

static struct path_segment keys_segment(const struct list_keys *keys, const struct list_element *e, val v,
					uint32_t index, struct arena *a)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(1u << 20);
	struct path_segment s = { .kind = PATH_INDEX, .index = index, .text = e->key };

	if (!add_keys(keys, v, &text) || text.error == -E2BIG)
		return s;
	s = (struct path_segment){ .kind = PATH_KEYS, .again = e->again & PATH_AGAIN_MAX, .index = index };
	s.text = text.error ? (str){ NULL, 0 } : arena_str(a, buf_str(&text));
	return s;
}

struct path_segment list_element_segment(const struct list_keys *keys, const struct list_element *e, val v,
					 uint32_t index, struct arena *a)
{
	if (e->bare || !keys->n)
		return (struct path_segment){ .kind = PATH_INDEX, .index = index, .text = e->key };
	if (keys->named && e->text)
		return (struct path_segment){ .kind = PATH_NAME, .again = e->again & PATH_AGAIN_MAX, .text = e->key };
	return keys_segment(keys, e, v, index, a);
}
