/* Builds, folds and negates sets of code points. */
#include "text/re2_internal.h"

bool re2_class_add(struct re2_class *c, uint32_t lo, uint32_t hi)
{
	struct re2_range *last = c->v.n ? &c->v.p[c->v.n - 1] : NULL;

	if (last && lo >= last->lo && lo <= last->hi + 1) {
		if (hi > last->hi)
			last->hi = hi;
		return true;
	}
	/* Hostile classes repeat themselves: cleaning at each doubling keeps the array as small as the set allows. */
	if (c->v.n > 4096 && c->v.n > 2 * c->cleaned)
		re2_class_clean(c);
	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a vector that has items has memory for them */
	return vec_push(&c->v, (struct re2_range){ lo, hi });
}

bool re2_class_add_folded(struct re2_class *c, uint32_t lo, uint32_t hi)
{
	if (!re2_class_add(c, lo, hi))
		return false;
	for (size_t i = unicode_fold_from(lo); i < unicode_n_folds && unicode_folds[i].code <= hi; i++) {
		uint32_t code = unicode_folds[i].code;

		for (uint32_t f = unicode_folds[i].next; f != code; f = unicode_simple_fold(f)) {
			if (!re2_class_add(c, f, f))
				return false;
		}
	}
	return true;
}

bool re2_class_add_class(struct re2_class *c, const struct re2_class *other)
{
	for (size_t i = 0; i < other->v.n; i++) {
		if (!re2_class_add(c, other->v.p[i].lo, other->v.p[i].hi))
			return false;
	}
	return true;
}

bool re2_class_fold(struct re2_class *c)
{
	struct re2_class folded = { 0 };
	bool ok = true;

	re2_class_clean(c);
	for (size_t i = 0; ok && i < c->v.n; i++)
		ok = re2_class_add_folded(&folded, c->v.p[i].lo, c->v.p[i].hi);
	vec_done(&c->v);
	*c = folded;
	re2_class_clean(c);
	return ok;
}

static int compare_ranges(const void *a, const void *b)
{
	const struct re2_range *x = a, *y = b;

	if (x->lo != y->lo)
		return x->lo < y->lo ? -1 : 1;
	return (x->hi < y->hi) - (x->hi > y->hi);
}

void re2_class_clean(struct re2_class *c)
{
	size_t n = 0;

	if (c->v.n > 1 && c->v.p)
		qsort(c->v.p, c->v.n, sizeof(*c->v.p), compare_ranges);
	for (size_t i = 0; c->v.p && i < c->v.n; i++) {
		struct re2_range r = c->v.p[i];

		if (n > 0 && r.lo <= c->v.p[n - 1].hi + 1) {
			if (r.hi > c->v.p[n - 1].hi)
				c->v.p[n - 1].hi = r.hi;
		} else {
			c->v.p[n++] = r;
		}
	}
	c->v.n = n;
	c->cleaned = n;
}

bool re2_class_negate(struct re2_class *c)
{
	uint32_t next = 0;
	size_t n = 0;

	re2_class_clean(c);
	/* One gap precedes each range, and one follows the last: there is at most one range more than before. */
	if (!vec_push(&c->v, (struct re2_range){ UNICODE_MAX + 1, UNICODE_MAX + 1 }))
		return false;
	for (size_t i = 0; i < c->v.n; i++) {
		struct re2_range r = c->v.p[i];

		if (r.lo > next)
			c->v.p[n++] = (struct re2_range){ next, r.lo - 1 };
		next = r.hi + 1;
	}
	c->v.n = n;
	c->cleaned = n;
	return true;
}

static int add_tagged(struct re2_class *c, const struct unicode_range *ranges, size_t n, const bool *tags)
{
	for (size_t i = 0; i < n; i++) {
		if (tags[ranges[i].tag] && !re2_class_add(c, ranges[i].lo, ranges[i].hi))
			return -1;
	}
	return 1;
}

#define TAGS_MAX 256 /* categories or scripts: 29 and 164 in Unicode 15 */

int re2_class_add_unicode(struct re2_class *c, str name)
{
	bool tags[TAGS_MAX] = { false };
	bool any = false;

	if (str_eq(name, STR("Any")))
		return re2_class_add(c, 0, UNICODE_MAX) ? 1 : -1;
	for (size_t i = 0; i < unicode_n_categories && i < TAGS_MAX; i++) {
		str cat = str_from(unicode_category_names[i]);

		tags[i] = str_eq(name, cat) || (name.n == 1 && name.p[0] == cat.p[0]);
		any |= tags[i];
	}
	if (any)
		return add_tagged(c, unicode_categories, unicode_n_category_ranges, tags);
	for (size_t i = 0; i < unicode_n_scripts && i < TAGS_MAX; i++) {
		tags[i] = str_eq(name, str_from(unicode_script_names[i]));
		any |= tags[i];
	}
	return any ? add_tagged(c, unicode_scripts, unicode_n_script_ranges, tags) : 0;
}

/* The ASCII classes; \v is not in \s. */
static const struct named {
	const char *name;
	struct re2_range ranges[4];
} named_classes[] = {
	{ "d", { { '0', '9' } } },
	{ "s", { { '\t', '\n' }, { '\f', '\r' }, { ' ', ' ' } } },
	{ "w", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
	{ "alnum", { { '0', '9' }, { 'A', 'Z' }, { 'a', 'z' } } },
	{ "alpha", { { 'A', 'Z' }, { 'a', 'z' } } },
	{ "ascii", { { 0, 0x7F } } },
	{ "blank", { { '\t', '\t' }, { ' ', ' ' } } },
	{ "cntrl", { { 0, 0x1F }, { 0x7F, 0x7F } } },
	{ "digit", { { '0', '9' } } },
	{ "graph", { { '!', '~' } } },
	{ "lower", { { 'a', 'z' } } },
	{ "print", { { ' ', '~' } } },
	{ "punct", { { '!', '/' }, { ':', '@' }, { '[', '`' }, { '{', '~' } } },
	{ "space", { { '\t', '\r' }, { ' ', ' ' } } },
	{ "upper", { { 'A', 'Z' } } },
	{ "word", { { '0', '9' }, { 'A', 'Z' }, { '_', '_' }, { 'a', 'z' } } },
	{ "xdigit", { { '0', '9' }, { 'A', 'F' }, { 'a', 'f' } } },
};

int re2_class_add_named(struct re2_class *c, str name)
{
	for (size_t i = 0; i < ARRAY_LEN(named_classes); i++) {
		const struct named *n = &named_classes[i];

		if (!str_eq(name, str_from(n->name)))
			continue;
		for (size_t k = 0; k < ARRAY_LEN(n->ranges) && n->ranges[k].hi; k++) {
			if (!re2_class_add(c, n->ranges[k].lo, n->ranges[k].hi))
				return -1;
		}
		return 1;
	}
	return 0;
}

bool re2_set_has(struct re2_set s, uint32_t c)
{
	uint32_t lo = 0, hi = s.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (s.ranges[mid].hi < c)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < s.n && s.ranges[lo].lo <= c;
}
