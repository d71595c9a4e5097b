/* Rules by which several threads check objects. */
#include "daemon/watch/rules/rules_in_force.h"

#include "base/assert.h"
#include "cel/cel_reads.h"
#include "go/zoneinfo.h"
#include "rules/rules_reads.h"

#include <errno.h>

static bool any_transition(const struct kind_rules *k)
{
	for (size_t i = 0; i < k->sets.n; i++) {
		if (cel_rules_transition(k->sets.p[i].rules))
			return true;
	}
	return false;
}

static bool any_selective(const struct kind_rules *k)
{
	for (size_t i = 0; i < k->sets.n; i++) {
		if (k->sets.p[i].set && rule_set_is_selective(k->sets.p[i].set))
			return true;
	}
	return false;
}

struct rules_in_force *rules_in_force_new(struct kind_rules *rules, uint64_t edition, struct key_table *keys)
{
	struct rules_in_force *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->refs = 1;
	r->edition = edition;
	r->rules = *rules;
	r->transition = any_transition(rules);
	r->selective = any_selective(rules);
	*rules = (struct kind_rules){ 0 };
	rules_reads_init(&r->read_set, &r->rules, keys);
	return r;
}

void rules_in_force_unref(struct rules_in_force *r)
{
	ASSERT(!r || r->refs > 0);
	if (!r || --r->refs)
		return;
	kind_rules_done(&r->rules);
	object_ways_done(&r->read_set);
	free(r);
}

static int failed(void *ctx, const struct cel_failure *f, struct err *err)
{
	(void)ctx, (void)f;
	return err_set(err, ECANCELED, "it does not pass");
}

static bool passes(const struct rules_in_force *r, struct rules_run *run)
{
	struct err err;

	for (size_t i = 0; i < r->rules.sets.n; i++) {
		if (compiled_rules_run(&r->rules.sets.p[i], run, &err) < 0)
			return false;
	}
	return true;
}

bool rules_in_force_pass(struct rules_in_force *r, val object, const struct limits *limits, struct arena *a,
			 struct rules_passed *ret)
{
	struct rules_run run = {
		.object = object, .arena = a, .limits = limits, .zones = &go_zoneinfo, .failed = failed
	};
	uint64_t seen = r->read_set.known ? object_ways_hash(&r->read_set, object) : 0;
	bool is_known = seen && !r->selective && recent_hashes_has(&r->passed, seen);

	if (!seen || (!is_known && !passes(r, &run)))
		return false;
	if (!is_known)
		recent_hashes_add(&r->passed, seen);
	*ret = (struct rules_passed){ seen, run.evaluated };
	return true;
}
