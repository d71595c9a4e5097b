/* One cluster following one reference: what became of each object, which templates are matched, which components are
 * satisfied. */
#ifndef DAEMON_WATCH_FOLLOWER_H
#define DAEMON_WATCH_FOLLOWER_H

#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot.h"

struct follower_counters {
	uint64_t evaluations;
	uint64_t skipped_unchanged; /* nothing that a template can see had changed */
	uint64_t failures;
	struct histogram duration;
};

struct follower {
	const struct cfg_cluster *cluster;
	const struct cfg_reference *reference;
	const struct cfg *cfg;
	size_t index; /* of this follower in object->judged */
	struct matcher *matcher;
	size_t *matched;                 /* by template: objects that it matches */
	size_t *referenced;              /* by template: objects that name it (owner references, RBAC subjects) */
	bool *unknown;                   /* by template: its kind cannot be watched, so nothing is known */
	VEC(struct object *) dependents; /* objects whose verdict looked others up */
	bool components_due;
	size_t states[VERDICT_ERROR + 1]; /* objects by state */
	struct follower_counters counters;
};

struct judged {
	bool known; /* a verdict was reached */
	enum verdict_state state;
	size_t template; /* index, when one is matched */
	bool matched;
	uint64_t seen;      /* hash of what the templates can see */
	size_t *references; /* templates that the object names */
	size_t n_references;
	VEC(struct dependency) dependencies;
	size_t dependent_at; /* index in follower->dependents plus one; 0: not there */
};

/* The object must be judged again when one of these changes. */
struct dependency {
	struct kind *kind;
	char *namespace, *name; /* "" or "*": any */
};

struct judge_context {
	struct findings *findings;
	struct snapshot *snapshot;
	struct key_table *keys;
	const struct limits *limits;
	const char *(*resource)(void *ctx, const struct kind *k); /* "deployments.apps" */
	void *ctx;
};

CHECKED int follower_init(struct follower *f, const struct cfg *cfg, const struct cfg_cluster *cluster,
			  const struct cfg_reference *reference, size_t index, struct err *err);
void follower_done(struct follower *f);

/* Judge an object and report what changed. @force: also when nothing that the templates can see has changed. Fails:
 * ENOMEM. */
CHECKED int follower_judge(struct follower *f, struct object *o, val managed_fields, bool force,
			   const struct judge_context *c, struct err *err);

/* The object is gone: forget it, ending its findings. */
void follower_forget(struct follower *f, struct object *o, const struct judge_context *c);
/* The same without records: the follower itself ends. */
void follower_release(struct follower *f, struct object *o);

/* Call @again for every object whose verdict looked at @changed. */
void follower_dependents(struct follower *f, const struct object *changed, void (*again)(void *ctx, struct object *o),
			 void *ctx);

/* Judge the components, if anything they depend on changed since. */
void follower_judge_components(struct follower *f, uint64_t received_ns, const struct judge_context *c);

/* The finding's subject with everything that the follower knows. Texts point into the follower and @o. */
struct finding_subject follower_subject(const struct follower *f, const struct object *o,
					const struct judge_context *c);

#endif
