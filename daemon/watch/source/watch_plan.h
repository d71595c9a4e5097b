/* What must be watched of a cluster, from the configuration alone: which kinds, and how much of each.
 *
 * A kind is watched as narrowly as its users allow, so that an account needs to read no more than that: where all
 * templates, look-ups and rules fix the name, by field selector; where they, and the setting "watch", fix the
 * namespace, within it; else in all of the cluster. "driftd rbac" prints the roles for exactly this plan.
 *
 * Rules may name kinds by pattern. Which kinds these are only a server knows (kind_patterns.h); for each of them
 * watch_plan_found then says how much of it is watched. */
#ifndef DAEMON_WATCH_WATCH_PLAN_H
#define DAEMON_WATCH_WATCH_PLAN_H

#include "base/vec.h"
#include "config/cfg.h"

/* A kind that needs more collections than this is watched in whole namespaces, or in the whole cluster: each
 * collection costs a request and a stream. */
#define WATCH_SCOPES_MAX 8

/* One collection of objects. An empty namespace or name stands for any. The texts belong to the configuration. */
struct watch_scope {
	str namespace, name;
};

/* Whether the collection has the object of that name, if there is one. */
static inline bool watch_scope_has(const struct watch_scope *s, str namespace, str name)
{
	return (!s->namespace.n || str_eq(s->namespace, namespace)) && (!s->name.n || str_eq(s->name, name));
}

struct planned_kind {
	str api_version, kind;
	VEC(struct watch_scope) scopes; /* without overlap, in order of namespace and name */
	bool looked_up;                 /* templates look up objects of the kind */
	bool many;                      /* there were more than WATCH_SCOPES_MAX scopes, so that they were joined */
};

struct watch_plan {
	VEC(struct planned_kind) kinds; /* the kinds, in the order in which the plan meets them */
	/* The kinds in which Helm keeps releases. An entry without a kind: no reference needs it. Without scopes:
	 * the kind is in @kinds already. */
	struct planned_kind releases[HELM_DRIVERS];
	VEC(const struct rule_set *) patterns; /* sets of rules that name their kinds by pattern */
	bool defined;                          /* some kind may come from a CustomResourceDefinition */
	bool subjects;                         /* components count objects by the subjects of bindings */
	bool manifests; /* some manifest is for an object whose kind the server may have in other versions only */
	/* some look-up may be for any kind, so that what it finds must not depend on what else is watched */
	bool open;
	bool whole_customs; /* custom resources are watched whole, for the rules of their definitions */
};

/* Make the plan for the cluster @c of @cfg, which outlives the plan. Call watch_plan_done also after a failure.
 * Fails: ENOMEM. */
CHECKED int watch_plan_make(const struct cfg *cfg, const struct cfg_cluster *c, struct watch_plan *ret,
			    struct err *err);
void watch_plan_done(struct watch_plan *p);

/* Add to the scopes of @k what the patterns of @p need of the kind. Nothing is added when the patterns are for
 * namespaces and the kind has no namespaces. The caller frees k->scopes. Fails: ENOMEM. */
CHECKED int watch_plan_found(const struct watch_plan *p, struct planned_kind *k, bool namespaced, struct err *err);

#endif
