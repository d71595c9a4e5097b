/* CEL validation rules over the objects of one cluster: those of CustomResourceDefinitions, and those of the
 * administrator's rule files.
 *
 * The API server runs rules on writes only. Here every object is validated when it comes, when it changes, and when a
 * rule comes or changes, so that objects stored before a rule existed are seen too. Each failed rule is a finding of
 * its own; a transition rule (one that mentions oldSelf) is judged by changes only, and its finding lasts until a later
 * change keeps the rule. A rule that does not compile, or that costs too much, is an error finding of its own, once for
 * the kind. */
#ifndef DAEMON_WATCH_VALIDATOR_H
#define DAEMON_WATCH_VALIDATOR_H

#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot.h"

struct validator;

enum rule_source { SOURCE_CRD, SOURCE_FILE, SOURCES };
const char *rule_source_name(enum rule_source s);

struct validator_options {
	const struct cfg *cfg;
	str cluster;
	struct findings *findings;
	struct key_table *keys;
	const struct limits *limits;
	const char *(*resource)(void *ctx, const struct kind *k); /* "deployments.apps" */
	void (*again)(void *ctx, struct kind *k);                 /* validate all objects of the kind again */
	void *ctx;
};

/* All that @o points to outlives the validator. Findings that @o->findings holds for the cluster are taken over as the
 * objects are seen again. Fails: ENOMEM. */
CHECKED int validator_new(const struct validator_options *o, struct validator **ret, struct err *err);
void validator_free(struct validator *v);
DEFINE_CLEANUP(struct validator *, validator_free)

/* A kind that is watched. Fails: ENOMEM. */
CHECKED int validator_add_kind(struct validator *v, struct kind *k, struct err *err);
/* Whether @api_version can only come from a CustomResourceDefinition. */
bool validator_is_custom(str api_version);

/* A CustomResourceDefinition came or changed, or is gone. Without memory nothing happens. */
void validator_crd(struct validator *v, struct doc *crd);
void validator_crd_gone(struct validator *v, str name);
/* Whether all CRDs have been seen: before, what is known of their rules from an earlier life stays as it is. */
void validator_crds_known(struct validator *v, bool known);

/* Validate the object and report what changed; it was itself changed if @o->received_ns is set. Fails: ENOMEM. */
CHECKED int validator_judge(struct validator *v, struct object *o, val managed_fields, struct err *err);
/* The object is gone: end its findings. */
void validator_forget(struct validator *v, struct object *o);
/* The same without records. */
void validator_release(struct object *o);

struct validator_facts {
	size_t rules[SOURCES];   /* in force: a rule of a file counts once for each kind that it is for */
	size_t invalid[SOURCES]; /* do not compile */
	uint64_t evaluations;
};
struct validator_facts validator_facts(const struct validator *v);

#endif
