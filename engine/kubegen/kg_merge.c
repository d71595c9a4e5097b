/* Merges values: spec/kubegen.md, section 2, "Merging A over B". */
#include "kubegen/kg_internal.h"

#include <errno.h>

struct merge {
	struct kg_eval *e;
	bool agree;
};

static int merge_values(struct merge *m, val over, val under, const struct kg_place *at, val *ret);

static int merge_members(struct merge *m, val over, val under, struct member *to, uint32_t *n)
{
	uint32_t i = 0, k = 0;

	while (i < over.n || k < under.n) {
		int order = i == over.n ? 1 : k == under.n ? -1 : key_cmp(over.members[i].key, under.members[k].key);
		const struct kg_place *at;
		int r;

		if (order != 0) {
			to[(*n)++] = order < 0 ? over.members[i++] : under.members[k++];
			continue;
		}
		at = kg_place_member(&m->e->arena, kg_place_of(over), over.members[i].key);
		if (!at)
			return kg_nomem(m->e);
		to[*n].key = over.members[i].key;
		r = merge_values(m, over.members[i++].value, under.members[k++].value, at, &to[*n].value);
		if (r < 0)
			return r;
		(*n)++;
	}
	return 0;
}

static int merge_maps(struct merge *m, val over, val under, val *ret)
{
	size_t most = (size_t)over.n + under.n;
	struct member *members = kg_placed_array(&m->e->arena, most, sizeof(*members), kg_place_of(over));
	uint32_t n = 0;
	int r = members ? merge_members(m, over, under, members, &n) : kg_nomem(m->e);

	if (r == 0)
		*ret = val_map_sorted(members, n);
	return r;
}

static bool holds_only_objects(val list)
{
	for (uint32_t i = 0; i < val_count(list); i++) {
		if (!val_is_map(val_at(list, i)))
			return false;
	}
	return val_is_list(list) && list.n > 0;
}

static int merge_lists(struct merge *m, val over, val under, val *ret)
{
	uint32_t n = over.n > under.n ? over.n : under.n;
	val *items = kg_placed_array(&m->e->arena, n, sizeof(*items), kg_place_of(over));

	if (!items)
		return kg_nomem(m->e);
	for (uint32_t i = 0; i < n; i++) {
		int r = 0;

		if (i < over.n && i < under.n)
			r = merge_maps(m, over.items[i], under.items[i], &items[i]);
		else
			items[i] = i < over.n ? over.items[i] : under.items[i];
		if (r < 0)
			return r;
	}
	*ret = (val){ .kind = VAL_LIST, .n = n, .items = items };
	return 0;
}

static double as_double(val v)
{
	return v.kind == VAL_INT ? (double)v.i : v.kind == VAL_UINT ? (double)v.u : v.d;
}

/* Whether two values are equal. 1.0 and 1 are the same number here, but not in the document model. */
static bool is_same(val a, val b)
{
	if (val_is_number(a) && val_is_number(b) && a.kind != b.kind)
		return as_double(a) == as_double(b);
	if (a.kind != b.kind || a.kind < VAL_LIST)
		return val_equal(a, b);
	if (a.n != b.n)
		return false;
	for (uint32_t i = 0; i < a.n; i++) {
		bool same = a.kind == VAL_LIST ? is_same(a.items[i], b.items[i])
					       : key_cmp(a.members[i].key, b.members[i].key) == 0 &&
							 is_same(a.members[i].value, b.members[i].value);

		if (!same)
			return false;
	}
	return true;
}

static int merge_values(struct merge *m, val over, val under, const struct kg_place *at, val *ret)
{
	/* The merged members are copied, each time again. */
	int r = kg_spend(m->e, at, 1u + (over.kind == under.kind ? val_count(over) + val_count(under) : 0), 0);

	if (r < 0)
		return r;
	if (val_is_map(over) && val_is_map(under))
		return merge_maps(m, over, under, ret);
	if (holds_only_objects(over) && holds_only_objects(under))
		return merge_lists(m, over, under, ret);
	if (m->agree && !is_same(over, under))
		return kg_error(m->e, at, "ambiguous: the files that LoadJSON and LoadYAML read have different values");
	*ret = over;
	return 0;
}

int kg_merge(struct kg_eval *e, val over, val under, bool agree, const struct kg_place *at, val *ret)
{
	struct merge m = { e, agree };

	return merge_values(&m, over, under, at, ret);
}
