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

struct rules_in_force *rules_in_force_new(struct kind_rules *rules, uint64_t edition, struct key_table *keys)
{
	struct rules_in_force *r = malloc(sizeof(*r));

	if (!r)
		return NULL;
	*r = (struct rules_in_force){
		.refs = 1, .edition = edition, .rules = *rules, .transition = any_transition(rules)
	};
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

bool rules_in_force_pass(const struct rules_in_force *r, val object, const struct limits *limits, struct arena *a,
			 struct rules_passed *ret)
{
	struct rules_run run = {
		.object = object, .arena = a, .limits = limits, .zones = &go_zoneinfo, .failed = failed
	};
	struct err err;

	if (!r->read_set.known)
		return false;
	for (size_t i = 0; i < r->rules.sets.n; i++) {
		if (compiled_rules_run(&r->rules.sets.p[i], &run, &err) < 0)
			return false;
	}
	*ret = (struct rules_passed){ object_ways_hash(&r->read_set, object), run.evaluated };
	return true;
}
