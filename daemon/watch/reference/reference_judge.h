/* Judges one cluster by one reference: the state of each object, which templates are matched, which components are
 * satisfied. */
#ifndef DAEMON_WATCH_REFERENCE_JUDGE_H
#define DAEMON_WATCH_REFERENCE_JUDGE_H

#include "base/shard.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/findings/histogram.h"
#include "daemon/watch/reference/lent_kinds.h"
#include "daemon/watch/reference/read_sets.h"
#include "daemon/watch/snapshot/dependents.h"
#include "daemon/watch/verdict/acceptances.h"
#include "rules/event_review.h"

struct rule_judge;
struct object_ways;
struct watch_inspection;

struct reference_judge_counters {
	uint64_t evaluations;
	/* objects that were not compared, because nothing that a template can see had changed */
	uint64_t skipped_unchanged;
	uint64_t failures;
	struct histogram duration;
};

struct reference_judge {
	const struct cfg_cluster *cluster;
	const struct cfg_reference *reference;
	const struct cfg *cfg;
	/* the reference in force: the configured one, or the one that is made of Helm releases */
	struct reference *in_force;
	/* nothing can be said of any object, because it is not known yet which releases there are */
	bool awaits;
	size_t index; /* the index of this judge in object->judged */
	struct shard shard;
	bool *counts; /* by template: some component that this process reports depends on it */
	bool names;   /* other objects can name objects of the templates that count */
	/* the matcher of the reference in force; everything that is kept by template belongs to that reference too */
	struct matcher *matcher;
	struct event_review *review; /* NULL: the reference has no event rules */
	size_t *matched;             /* by template: the number of objects that match it */
	/* by template: the number of objects that name it (owner references, RBAC subjects) */
	size_t *referenced;
	bool *unknown;   /* by template: it is unknown which objects of its kind there are */
	bool *unkept;    /* by template: not all objects that count for it are there (reference_judge_knows_kept) */
	size_t *waiting; /* by template: the number of candidate objects whose verdict waits for a kind */
	struct dependents dependents; /* the objects whose verdicts looked others up */
	struct read_sets read_sets;   /* what verdicts saw of their objects */
	/* scratch for the part of an object that is decoded to see whether its verdict is still valid */
	struct arena partial;
	bool components_due;
	/* a component is reported with the objects that violate it, so that it is judged again when there is one
	 * more or one less */
	bool offended;
	size_t states[VERDICT_ERROR + 1]; /* the number of objects in each state */
	struct reference_judge_counters counters;
};

struct judged {
	uint32_t template; /* the index of the template, if the object matches one */
	uint8_t state;     /* enum verdict_state */
	bool known : 1;    /* the reference has reached a verdict on the object */
	/* the inspection under this reference found nothing and need not run again (watch_inspector.h) */
	bool inspected : 1;
	bool matched;
	bool asks_writers; /* rules asked who wrote a field */
	/* the next verdict needs something unknown, such as a kind that it looks up; until then the last one stays */
	bool waits;
	bool seen_known;     /* @seen is valid */
	uint8_t effects_due; /* enum effects_due: of the inspection under this reference */
	uint32_t n_references;
	size_t *references; /* indexes of the templates whose objects this object names (matcher_references) */
	/* hash of what templates and inspection can see, as far as the verdict saw it */
	uint64_t seen;
	struct read_set *read_set;       /* what the verdict saw; NULL: the whole object */
	struct dependency *dependencies; /* what it looked up; NULL: nothing */
};

/* There is a struct judged for each object and reference, so that it has to be small. */
_Static_assert(sizeof(struct judged) <= 48, "stored for each object and reference");

/* A speculated verdict without anything to report: the object is as its reference wants it, or no reference is for
 * it. */
struct speculated {
	enum verdict_state state;
	const struct ref_template *template;
	/* indexes of the templates whose objects it names, as struct judged keeps them in @references */
	size_t *named;
	size_t n_named;
	struct verdict_lookup *lookups; /* what it looked up, with the texts behind the array; NULL: nothing */
	size_t n_lookups;
	struct read_set *read_set; /* one of those in struct speculate; NULL: the verdict saw the whole object */
	uint64_t seen;             /* the hash of what the verdict saw, as in struct judged */
	uint64_t took_ns;
};

/* An object to be judged speculatively. */
struct speculate {
	struct identity id; /* under the names by which it is watched */
	val object;
	size_t n_text; /* the size of its stored object while it is open */
	const struct limits *limits;
	struct key_table *keys; /* the key table of the thread, to which the two members below belong too */
	struct read_sets *read_sets;
	/* NULL: the object is not inspected; threads beside the loop never inspect */
	struct watch_inspection *inspection;
	const struct watch_inspector_reads *inspects; /* what inspections can see of it; NULL: nothing */
	const struct lent_kinds *lent;                /* what may be looked up; NULL: nothing */
};

struct judge_context {
	struct findings *findings;
	struct snapshot *snapshot;
	struct key_table *keys;
	const struct limits *limits;
	const struct rule_judge *rules;        /* knows the schemas of custom resources */
	const struct acceptances *acceptances; /* NULL: nothing is accepted */
	struct watch_inspector *inspector;     /* NULL: nothing is inspected */
	bool writers_unknown;                  /* nobody knows who wrote an object that has no managedFields */
};

CHECKED int reference_judge_init(struct reference_judge *rj, const struct cfg *cfg, const struct cfg_cluster *cluster,
				 const struct cfg_reference *reference, size_t index, struct shard shard,
				 struct err *err);
void reference_judge_done(struct reference_judge *rj);

/* Judge by @next, a reference that changes (struct reference), from now on. The objects of
 * @c->snapshot are counted again for what they match, and @again is called for those whose verdict may change.
 * Findings of components that @next does not have end. No thread may speculate with the judge meanwhile. Fails:
 * ENOMEM; then nothing has changed. */
CHECKED int reference_judge_replace(struct reference_judge *rj, struct reference *next, const struct judge_context *c,
				    void (*again)(void *ctx, struct object *o), void *ctx, struct err *err);

/* Judge an object and report what changed. While a kind that its template looks up is unknown, nothing changes.
 * @force: judge it even if nothing that the templates can see has changed. Fails: ENOMEM; then the object has an
 * error finding and has to be judged again. */
CHECKED int reference_judge_object(struct reference_judge *rj, struct object *o, bool force,
				   const struct judge_context *c, struct err *err);

/* Reach the verdict on an object that looks up nothing but what is lent, leaves nothing to report, and whose inspection
 * finds nothing. Safe in any thread: the judge is not changed, and what is read of it never changes. False: the object
 * has to be judged in its turn. */
bool reference_judge_speculate(const struct reference_judge *rj, const struct speculate *f, struct speculated *ret);
void speculated_done(struct speculated *f, struct read_sets *read_sets);
/* Make @f, a speculated verdict, the verdict on @o, which has none yet. What it looked up is as it was lent. False: @o
 * has an open finding, or there is no memory; then @o has to be judged in its turn. */
bool reference_judge_take_speculated(struct reference_judge *rj, struct object *o, struct speculated *f,
				     const struct judge_context *c);

/* Speculate on an object that the loop holds, with its inspection under this reference, and take the verdict. @f
 * describes the object; its read sets are those of the judge. */
bool reference_judge_look_ahead(struct reference_judge *rj, struct object *o, const struct speculate *f,
				const struct judge_context *c);

/* Whether the verdict on @o, and the inspection under this reference, are still valid when the object becomes @e:
 * nothing that they saw has changed. If @e has no document, only as much of its text is decoded as is needed. True
 * also means that the text is valid, and that e->managed_fields is set. */
bool reference_judge_still_valid(struct reference_judge *rj, struct object *o, struct kc_object *e,
				 const struct judge_context *c);

/* The part of the object of @id that has to be decoded for a verdict with @read_set, which is one of @read_sets, if
 * the object's text has at most READ_SET_BYTES_MAX bytes. A verdict on that part is the verdict on the whole object,
 * unless the verdict has another read set. @besides: what others look at, valid as long as calls have its @edition;
 * NULL: nothing, with edition 0. Returns NULL for the whole object. */
const struct json_pick *reference_judge_pick(const struct reference_judge *rj, const struct identity *id,
					     struct read_sets *read_sets, struct read_set *read_set,
					     const struct object_ways *besides, uint64_t edition,
					     const struct limits *limits, struct key_table *keys);

/* The object cannot be judged, for @reason. If a template may be for it, report an error finding under its name and
 * set *reported. Its former state stays. Fails: ENOMEM: the object has to be judged again. */
CHECKED int reference_judge_refuse(struct reference_judge *rj, struct object *o, const char *reason,
				   const struct judge_context *c, bool *reported);

/* Reach the verdict on @o as it is now, with the result of each candidate, for an answer to "why". Nothing is
 * reported or counted. *edited: the object as inspection rules have edited it, which the verdict shares; NULL: they
 * did not. *waits: the kind of a look-up is unknown. Release the verdict with verdict_done, then *edited. Fails:
 * ENOMEM. */
CHECKED int reference_judge_explain(const struct reference_judge *rj, struct object *o, const struct judge_context *c,
				    struct verdict *ret, struct doc **edited, bool *waits, struct err *err);

/* ---- objects that other processes report (struct object: foreign) ---- */

/* Whether a component that this process reports may depend on the object @id, whatever the object contains. Safe in
 * any thread. */
bool reference_judges_count(const struct reference_judge *judges, size_t n, const struct identity *id);
/* Whether a component that this process reports may depend on @object because @object names an object of the
 * component (matcher_references). */
bool reference_judge_counts_named(const struct reference_judge *rj, val object);
/* Whether reference_judge_counts_named gives the same answer when @o becomes @object, which has everything that
 * matcher_references_pick picks. */
bool reference_judge_counts_as_before(const struct reference_judge *rj, const struct object *o, val object);
/* Whether some objects that count have to be compared to know what they match. */
bool reference_judge_compares(const struct reference_judge *rj);

/* Before any object arrives: find the templates of @next, the judge of another configuration, for which all objects
 * of other processes are in @kept, the snapshot of the @n judges @judges. Components of all other templates are
 * unknown to @next from now on. True: there are no such components. */
bool reference_judge_knows_kept(struct reference_judge *next, const struct reference_judge *judges, size_t n,
				const struct snapshot *kept);

/* Whether the reference has a template for the object, and the configuration does not exclude the object. */
bool reference_judge_is_for(const struct reference_judge *rj, const struct object *o);
/* Something has happened to the object, or to what its inspection looked at. */
void reference_judge_effects_due(const struct reference_judge *rj, struct object *o, enum effects_due due);

/* The object is gone, because of @why: forget it, ending its findings. */
void reference_judge_forget(struct reference_judge *rj, struct object *o, enum end_reason why,
			    const struct judge_context *c);
/* Free what the judge keeps of the object, without records, because the judge itself ends. */
void reference_judge_release(struct reference_judge *rj, struct object *o);

/* Reach the next verdict on the object even if the object has not changed. */
void reference_judge_forget_seen(const struct reference_judge *rj, struct object *o);

/* Make the objects whose verdicts looked at @changed due (dependents_take). */
void reference_judge_changed(struct reference_judge *rj, const struct object *changed);

/* Whether this process reports on the component. */
bool reference_judge_reports(const struct reference_judge *rj, const struct ref_part *part,
			     const struct ref_component *component);
/* Judge the components, if anything that they depend on has changed since they were judged last. */
void reference_judge_components(struct reference_judge *rj, uint64_t received_ns, const struct judge_context *c);

#endif
