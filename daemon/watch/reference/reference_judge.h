/* One cluster judged by one reference: what became of each object, which templates are matched, which components are
 * satisfied. */
#ifndef DAEMON_WATCH_REFERENCE_JUDGE_H
#define DAEMON_WATCH_REFERENCE_JUDGE_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/histogram.h"
#include "daemon/watch/reference/acceptances.h"
#include "daemon/watch/reference/read_sets.h"
#include "daemon/watch/snapshot/dependents.h"
#include "rules/event_review.h"

struct rule_judge;
struct object_ways;
struct watch_inspection;

struct reference_judge_counters {
	uint64_t evaluations;
	uint64_t skipped_unchanged; /* nothing that a template can see had changed */
	uint64_t failures;
	struct histogram duration;
};

struct reference_judge {
	const struct cfg_cluster *cluster;
	const struct cfg_reference *reference;
	const struct cfg *cfg;
	struct reference *in_force; /* what it judges by: what is configured, or what releases say by now */
	bool awaits;                /* which releases there are is not known yet: nothing can be said of any object */
	size_t index;               /* of this judge in object->judged */
	struct shard shard;
	bool *counts;                 /* by template: a component that this process reports depends on it */
	bool names;                   /* some of these can be named by other objects */
	struct matcher *matcher;      /* of what is in force, as is what is kept by template */
	struct event_review *review;  /* NULL: no event rules are for it */
	size_t *matched;              /* by template: objects that it matches */
	size_t *referenced;           /* by template: objects that name it (owner references, RBAC subjects) */
	bool *unknown;                /* by template: what there is of its kind is not known */
	size_t *waiting;              /* by template: objects it may be for whose verdict waits for a kind */
	struct dependents dependents; /* objects whose verdict looked others up */
	struct read_sets read_sets;   /* what verdicts saw of their objects */
	struct arena partial;         /* scratch: what is decoded to see whether a verdict stands */
	bool components_due;
	bool offended; /* a component is reported with the objects that are against it: one more or less is news */
	size_t states[VERDICT_ERROR + 1]; /* objects by state */
	struct reference_judge_counters counters;
};

struct judged {
	uint32_t template;  /* index, when one is matched */
	uint8_t state;      /* enum verdict_state */
	bool known : 1;     /* a verdict was reached */
	bool inspected : 1; /* the inspection under this reference passes again (watch_inspector.h) */
	bool matched;
	bool asks_writers;   /* rules asked who wrote a field */
	bool waits;          /* what its verdict needs is not known, such as a kind that it looks up: it stays as it
				was */
	bool seen_known;     /* seen is, too */
	uint8_t effects_due; /* enum effects_due: of the inspection under this reference */
	uint32_t n_references;
	size_t *references;              /* templates that the object names */
	uint64_t seen;                   /* hash of what templates and inspection can see, and the verdict saw */
	struct read_set *read_set;       /* what that is; NULL: all of the object */
	struct dependency *dependencies; /* what it looked up; NULL: nothing */
};

/* The object must be judged again when one of these changes. */
_Static_assert(sizeof(struct judged) <= 48, "stored for each object and reference");

/* A speculated verdict with nothing to report: the object is as its reference wants it, or no reference is for it. */
struct speculated {
	enum verdict_state state;
	const struct ref_template *template;
	size_t *named; /* templates that the object names */
	size_t n_named;
	struct read_set *read_set; /* of struct speculate; NULL: all of the object */
	uint64_t seen;             /* as in struct judged */
	uint64_t took_ns;
};

/* An object that is to be speculated. */
struct speculate {
	struct identity id; /* by the names that it is watched under */
	val object;
	size_t n_text; /* bytes that it is kept in while it is open (struct stored_object) */
	const struct limits *limits;
	struct key_table *keys; /* of the thread, as is: */
	struct read_sets *read_sets;
	struct watch_inspection *inspection; /* NULL: it is not inspected; in threads beside the loop it is not */
};

struct judge_context {
	struct findings *findings;
	struct snapshot *snapshot;
	struct key_table *keys;
	const struct limits *limits;
	const struct rule_judge *rules;        /* knows the schemas of custom resources */
	const struct acceptances *acceptances; /* NULL: nothing is accepted */
	struct watch_inspector *inspector;     /* NULL: nothing is inspected */
	bool components_unknown;               /* not all that counts for them is kept */
	bool writers_unknown; /* an object without managedFields is one of which nobody knows who wrote it */
};

CHECKED int reference_judge_init(struct reference_judge *rj, const struct cfg *cfg, const struct cfg_cluster *cluster,
				 const struct cfg_reference *reference, size_t index, struct shard shard,
				 struct err *err);
void reference_judge_done(struct reference_judge *rj);

/* Judge by @next, which changes (struct reference), from now on. Of the objects of @s what they match is counted again;
 * @again is called for those whose verdict may be another one. What was said of components that @next does not have is
 * over. No thread may look ahead with the judge. Fails: ENOMEM; then all is as it was. */
CHECKED int reference_judge_replace(struct reference_judge *rj, struct reference *next, const struct judge_context *c,
				    void (*again)(void *ctx, struct object *o), void *ctx, struct err *err);

/* Judge an object and report what changed; while a kind that it looks up is not known nothing changes. @force: also
 * when nothing that the templates can see has changed. Fails: ENOMEM; then the object has an error finding, and is to
 * be judged again. */
CHECKED int reference_judge_object(struct reference_judge *rj, struct object *o, bool force,
				   const struct judge_context *c, struct err *err);

/* Reach the verdict on an object, if it looks nothing up, leaves nothing to report, and its inspection finds nothing.
 * In any thread: nothing of the judge changes, and what it reads never does. False: the object is to be judged in its
 * turn. */
bool reference_judge_speculate(const struct reference_judge *rj, const struct speculate *f, struct speculated *ret);
void speculated_done(struct speculated *f, struct read_sets *read_sets);
/* Make the speculated verdict @f the verdict on @o, which has none yet. False: the object has an open finding, or there
 * is no memory. Then @o is to be judged in its turn. */
bool reference_judge_take_speculated(struct reference_judge *rj, struct object *o, struct speculated *f,
				     const struct judge_context *c);

/* The same two for an object that the loop has, with its inspection under this reference: @f says what it is, and its
 * read sets are the judge's. */
bool reference_judge_look_ahead(struct reference_judge *rj, struct object *o, const struct speculate *f,
				const struct judge_context *c);

/* Whether the verdict on @o, and the inspection under it, stand now that it is @e: nothing that it saw has changed. One
 * without a document is decoded as far as that needs: true says also that it is the object that *e says, whose
 * managed_fields are then known. */
bool reference_judge_still_valid(struct reference_judge *rj, struct object *o, struct kc_object *e,
				 const struct judge_context *c);

/* What has to be decoded of the object of @id for a verdict of @read_set, which is of @read_sets, where its text is at
 * most READ_SET_BYTES_MAX: the verdict on that is the one on all of it, unless it has another view. @besides: what
 * others look at, which outlives the calls with its @edition; NULL: nothing, of edition 0. NULL: all of it. */
const struct json_pick *reference_judge_pick(const struct reference_judge *rj, const struct identity *id,
					     struct read_sets *read_sets, struct read_set *read_set,
					     const struct object_ways *besides, uint64_t edition,
					     const struct limits *limits, struct key_table *keys);

/* The object cannot be judged, for @reason. If a template may be for it, report an error finding under its name, and
 * set *reported. What was known of it stays. Fails: ENOMEM: it is to be judged again. */
CHECKED int reference_judge_refuse(struct reference_judge *rj, struct object *o, const char *reason,
				   const struct judge_context *c, bool *reported);

/* The verdict on @o as it is now, with the result of each candidate, for an answer to "why": it is neither reported nor
 * counted. *edited: what inspection rules made of the object, which the verdict shares; NULL: they left it alone.
 * *waits: a kind that it looks up is not known. Release it with verdict_done, then *edited. Fails: ENOMEM. */
CHECKED int reference_judge_explain(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
				    struct verdict *ret, struct doc **edited, bool *waits, struct err *err);

/* ---- objects that other processes report (struct object: foreign) ---- */

/* Whether a component that this process reports on may depend on an object of that identity, whatever its contents, in
 * any thread; or on @object because of the names in it. */
bool reference_judges_count(const struct reference_judge *judges, size_t n, const struct identity *id);
bool reference_judge_counts_named(const struct reference_judge *rj, val object);
/* Whether that stays as it is when @o becomes @object, which has all that matcher_references_pick picks. */
bool reference_judge_counts_as_before(const struct reference_judge *rj, const struct object *o, val object);
/* Whether some that count may have to be compared to know what they match. */
bool reference_judge_compares(const struct reference_judge *rj);

/* Whether the reference has a template for it, and is not kept from it by the configuration. */
bool reference_judge_is_for(const struct reference_judge *rj, const struct object *o);
/* Something has happened to the object, or to what its inspection looked at. */
void reference_judge_effects_due(const struct reference_judge *rj, struct object *o, enum effects_due due);

/* The object is gone, because of @why: forget it, ending its findings. */
void reference_judge_forget(struct reference_judge *rj, struct object *o, enum end_reason why,
			    const struct judge_context *c);
/* The same without records: the judge itself ends. */
void reference_judge_release(struct reference_judge *rj, struct object *o);

/* The next verdict on it counts, whether it has changed or not. */
void reference_judge_forget_seen(const struct reference_judge *rj, struct object *o);

/* The objects whose verdict looked at @changed are due (dependents_take). */
void reference_judge_changed(struct reference_judge *rj, const struct object *changed);

/* Whether this process reports on the component. */
bool reference_judge_reports(const struct reference_judge *rj, const struct ref_part *part,
			     const struct ref_component *component);
/* Judge the components, if anything they depend on changed since. */
void reference_judge_components(struct reference_judge *rj, uint64_t received_ns, const struct judge_context *c);

#endif
