/* Makes picks of paths and of other picks. */
#include "value/json_pick.h"

bool json_pick_path(const str *names, size_t n, struct key_table *keys, struct arena *a, struct json_pick *ret)
{
	struct json_pick p = { .kind = PICK_WHOLE };

	while (n > 0) {
		struct json_pick *below = arena_alloc(a, sizeof(*below));

		p.key = key_make(keys, a, names[--n]);
		if (!below || !p.key)
			return false;
		*below = p;
		p = (struct json_pick){ .kind = PICK_MEMBERS, .n = 1, .members = below };
	}
	*ret = p;
	return true;
}

/* How @p picks the member that only the other pick names. */
static struct json_pick other_member(const struct json_pick *p, const struct json_pick *named)
{
	struct json_pick whole = { .key = named->key, .kind = PICK_WHOLE };

	return p->others_whole ? whole : *named;
}

static bool merge_members(const struct json_pick *p, const struct json_pick *q, struct arena *a, struct json_pick *ret)
{
	struct json_pick *members = arena_array(a, (size_t)p->n + q->n, sizeof(*members));
	uint32_t i = 0, k = 0, n = 0;

	if (!members)
		return false;
	while (i < p->n || k < q->n) {
		int order = i == p->n ? 1 : k == q->n ? -1 : key_cmp(p->members[i].key, q->members[k].key);

		if (order < 0)
			members[n++] = other_member(q, &p->members[i++]);
		else if (order > 0)
			members[n++] = other_member(p, &q->members[k++]);
		/* the recursion is as deep as the picks */
		else if (!json_pick_both(&p->members[i++], &q->members[k++], a, &members[n++]))
			return false;
	}
	ret->members = members;
	ret->n = n;
	return true;
}

bool json_pick_both(const struct json_pick *p, const struct json_pick *q, struct arena *a, struct json_pick *ret)
{
	struct json_pick both = { .key = p->key, .kind = p->kind > q->kind ? p->kind : q->kind };

	if (both.kind == PICK_MEMBERS && p->kind == q->kind) {
		both.others_whole = p->others_whole || q->others_whole;
		both.others_named = p->others_named || q->others_named;
		if (!merge_members(p, q, a, &both))
			return false;
	} else if (both.kind == PICK_MEMBERS) {
		both = p->kind == PICK_MEMBERS ? *p : *q;
		both.key = p->key;
	}
	*ret = both;
	return true;
}

/* Binary search; the prefixes distinguish most keys. */
const struct json_pick *json_pick_member(const struct json_pick *p, str name)
{
	uint64_t prefix = key_prefix(name);
	uint32_t from = 0, to = p->n;

	while (from < to) {
		uint32_t at = from + (to - from) / 2;
		int order = key_cmp_str(p->members[at].key, name, prefix);

		if (order == 0)
			return &p->members[at];
		if (order < 0)
			from = at + 1;
		else
			to = at;
	}
	return NULL;
}
