/* Judging objects while they are listed.
 *
 * Before everything is listed nothing is told, and what a verdict looks up is not known. But most objects are as they
 * should be, look nothing up, and nothing is open of them: the verdict on such a one tells nobody anything. It is
 * reached when the object comes, and is open anyhow, instead of opening it again when its turn comes. */
#include "daemon/watch/cluster_internal.h"

#include "base/assert.h"
#include "daemon/watch/in_hand.h"
#include "daemon/watch/object_subject.h"

#define TRIED_FIRST 64 /* then half of those that were tried must have been foreseen */

/* Of the cluster's objects nobody must be told but of what their references say, and nothing is told as accepted. */
static bool only_references_count(const struct cluster *c)
{
	const struct finding_counters *open = findings_counters(c->context.findings, c->config->name);

	return !c->inspected && !inspector_active(&c->inspector) && !in_hand_any_condemned(c->context.in_hand) &&
	       !(open && findings_open(open, FINDING_ACCEPTED) > 0);
}

static bool foresee(struct cluster *c, struct object *o)
{
	struct judge_context j = cluster_judge_context(c);
	bool all = true;

	for (size_t i = 0; all && i < c->n_judges; i++)
		all = reference_judge_foresee(&c->judges[i], o, &j);
	return all;
}

void cluster_foresee(struct cluster *c, struct object *o)
{
	struct finding_subject s = { .cluster = c->config->name };

	ASSERT(o->doc && !o->foreseen);
	if (c->settled || c->context.rehearsed || o->before || o->unreadable || !only_references_count(c) ||
	    rule_judge_may_look_at(c->rules, o))
		return;
	if (c->foreseen.tried >= TRIED_FIRST && c->foreseen.good < c->foreseen.tried / 2)
		return;
	object_subject(o, &s);
	in_hand_set(c->context.in_hand, &s);
	o->foreseen = foresee(c, o);
	in_hand_lay_down(c->context.in_hand);
	c->foreseen.tried++;
	c->foreseen.good += o->foreseen;
	if (o->foreseen)
		keeper_settle(&c->snapshot.keeper, o, false);
}

bool cluster_foreseen(const struct cluster *c, const struct object *o)
{
	if (!o->foreseen || !only_references_count(c) || rule_judge_may_look_at(c->rules, o))
		return false;
	for (size_t i = 0; i < c->n_judges; i++) {
		if (!o->judged[i].seen_known)
			return false;
	}
	return true;
}
