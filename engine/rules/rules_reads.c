/* Collects what all sets for a kind read, as ways from the root of its objects. */
#include "rules/rules_reads.h"

#include "cel/cel_reads.h"

struct reader {
	struct object_ways *ways;
	const struct cel_at *at; /* where the set's values are; NULL: at the root */
	size_t n_at;             /* how many of its first steps are names */
};

/* Add what a rule reads of its value. The way begins at the place where the set looks for such values; if that leads
 * through a list, all of the list counts as read. */
static bool add_read(void *ctx, const str *names, size_t n)
{
	struct reader *r = ctx;
	str way[CEL_AT_STEPS + CEL_READ_NAMES];

	for (size_t i = 0; i < r->n_at; i++)
		way[i] = r->at->steps[i].name;
	if (r->at && r->n_at < r->at->n)
		n = 0;
	for (size_t i = 0; i < n; i++)
		way[r->n_at + i] = names[i];
	return object_ways_add(r->ways, way, r->n_at + n);
}

static bool add_labels(struct reader *r)
{
	static const str labels[] = { { "metadata", 8 }, { "labels", 6 } };

	return object_ways_add(r->ways, labels, ARRAY_LEN(labels));
}

/* Adds what the rules of @c read. The set selects objects by identity, which does not change, and by labels, so that
 * the labels are read too. */
static bool add_set(struct object_ways *ways, const struct compiled_rules *c)
{
	struct reader r = { .ways = ways, .at = c->set ? &c->set->at : NULL };

	while (r.at && r.n_at < r.at->n && !r.at->steps[r.n_at].items && !r.at->steps[r.n_at].values)
		r.n_at++;
	if (cel_rules_transition(c->rules) || (c->set && c->set->labels.n && !add_labels(&r)))
		return false;
	return cel_rules_reads(c->rules, add_read, &r);
}

void rules_reads_init(struct object_ways *ret, const struct kind_rules *k, struct key_table *keys)
{
	object_ways_init(ret, keys);
	for (size_t i = 0; ret->known && i < k->sets.n; i++)
		ret->known = add_set(ret, &k->sets.p[i]);
}
