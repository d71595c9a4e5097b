/* Compares values, with one function for each meaning of "equal". */
#include "rules/event_equal.h"

#include "base/ascii.h"
#include "go/duration.h"
#include "text/spelled.h"

#include <stdlib.h>

static bool same_duration(val x, val y, struct arena *a)
{
	str s = spelled_text(x, a), t = spelled_text(y, a);
	int64_t p, q;

	return s.p && t.p && go_duration_parse(s, &p, NULL) && go_duration_parse(t, &q, NULL) && p == q;
}

/* Whether a text is a number, that is a quantity without a suffix. */
static bool is_number(str s)
{
	return s.n && (ascii_is_digit(s.p[s.n - 1]) || s.p[s.n - 1] == '.');
}

static bool same_number(val x, val y, struct arena *a)
{
	str s = spelled_text(x, a), t = spelled_text(y, a);

	return s.p && t.p && is_number(s) && is_number(t) && spelled_quantities_same(x, y, a);
}

/* ---- sets ---- */

struct hashed {
	uint64_t hash;
	const val *v;
};

static int by_hash(const void *a, const void *b)
{
	const struct hashed *x = a, *y = b;

	return (x->hash > y->hash) - (x->hash < y->hash);
}

/* The items of a list with their hashes, in order of these. NULL without memory. */
static struct hashed *hash_items(val list, struct arena *a)
{
	struct hashed *h = arena_array(a, (size_t)list.n + 1, sizeof(*h));

	for (uint32_t i = 0; h && i < list.n; i++)
		h[i] = (struct hashed){ val_same_hash(list.items[i]), &list.items[i] };
	if (h && list.n)
		qsort(h, list.n, sizeof(*h), by_hash);
	return h;
}

/* Whether each of @x is also in @y. Different values with one hash count as different. */
static bool holds_all(const struct hashed *x, uint32_t nx, const struct hashed *y, uint32_t ny)
{
	for (uint32_t i = 0, k = 0; i < nx; i++) {
		while (k < ny && y[k].hash < x[i].hash)
			k++;
		if (k == ny || !val_same(*x[i].v, *y[k].v))
			return false;
	}
	return true;
}

static bool same_set(val x, val y, struct arena *a)
{
	struct hashed *p, *q;

	if (!val_is_list(x) || !val_is_list(y))
		return false;
	p = hash_items(x, a);
	q = p ? hash_items(y, a) : NULL;
	return q && holds_all(p, x.n, q, y.n) && holds_all(q, y.n, p, x.n);
}

bool event_values_equal(enum event_equal equal, val before, val after, struct arena *a)
{
	switch (equal) {
	case EVENT_EQUAL_QUANTITY:
		return spelled_quantities_same(before, after, a);
	case EVENT_EQUAL_DURATION:
		return same_duration(before, after, a);
	case EVENT_EQUAL_NUMBER:
		return same_number(before, after, a);
	case EVENT_EQUAL_SET:
		return same_set(before, after, a);
	case EVENT_EQUAL_NONE:
		break;
	}
	return false;
}
