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

/* One collection. Empty: any. The texts are those of the configuration. */
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
	bool looked_up;                 /* by templates */
	bool many;                      /* there were more than WATCH_SCOPES_MAX: they were joined */
};

struct watch_plan {
	VEC(struct planned_kind) kinds; /* the kinds, in the order in which they are met */
	/* The objects in which Helm keeps releases. Without a kind: nobody needs them. Without scopes: they are in
	 * @kinds already. */
	struct planned_kind releases[HELM_DRIVERS];
	VEC(const struct rule_set *) patterns; /* rules for kinds that they do not name */
	bool defined;                          /* some kind may come from a CustomResourceDefinition */
	bool subjects;                         /* what bindings name counts */
	bool manifests; /* some manifest is for an object whose kind the server may have in other versions only */
	/* some look-up may be for any kind, so that what it finds must not depend on what else is watched */
	bool open;
	bool whole_customs; /* custom resources are watched whole, for the rules of their definitions */
};

/* For the cluster @c of @cfg, which outlives the plan. Fails: ENOMEM; watch_plan_done is due in any case. */
CHECKED int watch_plan_make(const struct cfg *cfg, const struct cfg_cluster *c, struct watch_plan *ret,
			    struct err *err);
void watch_plan_done(struct watch_plan *p);

/* How much is watched of a kind with what the patterns of @p add to the scopes of @k: none when they are for namespaces
 * and the kind has no namespaces. The caller frees k->scopes. Fails: ENOMEM. */
CHECKED int watch_plan_found(const struct watch_plan *p, struct planned_kind *k, bool namespaced, struct err *err);

#endif
