/* Keeps the lists of the rules that objects violate, and finds a rule in them. */
#include "daemon/watch/rules/open_rules.h"

#include "base/hash.h"

#include <stdio.h>

#define SLOTS_MIN 16

static void open_rule_done(struct open_rule *x)
{
	free(x->rule);
	free(x->path);
}

void open_rules_free(struct open_rules *x)
{
	if (!x)
		return;
	for (size_t i = 0; i < x->list.n; i++)
		open_rule_done(&x->list.p[i]);
	vec_done(&x->list);
	free(x->slots);
	free(x);
}

static uint64_t hash_of(bool costly, enum rule_source source, str rule, str path)
{
	uint64_t h = hash_mix(hash_seed(), (uint64_t)source * 2 + costly);

	return hash_str(path, hash_str(rule, h));
}

static void fill_slot(struct open_rules *x, size_t place)
{
	size_t at = x->list.p[place].hash & (x->n_slots - 1);

	while (x->slots[at])
		at = (at + 1) & (x->n_slots - 1);
	x->slots[at] = (uint32_t)(place + 1);
}

/* Make room for one more rule in the hash table; half of its slots stay free. */
static bool reserve_slot(struct open_rules *x)
{
	size_t n = x->n_slots ? x->n_slots * 2 : SLOTS_MIN;
	uint32_t *slots;

	if ((x->list.n + 1) * 2 <= x->n_slots)
		return true;
	if (x->list.n >= UINT32_MAX / 4 || !(slots = calloc(n, sizeof(*slots))))
		return false;
	free(x->slots);
	x->slots = slots;
	x->n_slots = n;
	for (size_t i = 0; i < x->list.n; i++)
		fill_slot(x, i);
	return true;
}

bool open_rules_add(struct open_rules *to, bool costly, enum rule_source source, str rule, str path,
		    const char *acceptance)
{
	struct open_rule x = { .costly = costly, .source = source, .rule = str_dup(rule), .path = str_dup(path) };

	(void)snprintf(x.acceptance, sizeof(x.acceptance), "%s", acceptance);
	if (x.rule && x.path) /* the copied rule and path end with a NUL */
		x.hash = hash_of(costly, source, str_from(x.rule), str_from(x.path));
	if (x.rule && x.path && reserve_slot(to) && vec_push(&to->list, x)) {
		fill_slot(to, to->list.n - 1);
		return true;
	}
	open_rule_done(&x);
	return false;
}

bool open_rules_move(struct open_rules *x, size_t i, str path)
{
	struct open_rule *rule = &x->list.p[i];
	char *copy = str_dup(path);

	if (!copy)
		return false;
	free(rule->path);
	rule->path = copy;
	rule->hash = hash_of(rule->costly, rule->source, str_from(rule->rule), str_from(copy));
	memset(x->slots, 0, x->n_slots * sizeof(*x->slots));
	for (size_t k = 0; k < x->list.n; k++)
		fill_slot(x, k);
	return true;
}

struct open_rule *open_rules_find(const struct open_rules *in, bool costly, enum rule_source source, str rule, str path)
{
	uint64_t hash;

	if (!in || !in->n_slots)
		return NULL;
	hash = hash_of(costly, source, rule, path);
	for (size_t at = hash & (in->n_slots - 1); in->slots[at]; at = (at + 1) & (in->n_slots - 1)) {
		struct open_rule *x = &in->list.p[in->slots[at] - 1];

		if (x->hash == hash && x->costly == costly && x->source == source && str_eq(str_from(x->rule), rule) &&
		    str_eq(str_from(x->path), path))
			return x;
	}
	return NULL;
}
