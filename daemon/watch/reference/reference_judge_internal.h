/* What the files of the judge by one reference share.
 *
 *   reference_judge.c      one object after the other: judged, refused, forgotten
 *   reference_evaluate.c   an object, as inspection rules leave it, is compared with the templates that are for it
 *   reference_seen.c       what of it the verdict could see: as long as that stays, the verdict stands
 *   reference_counts.c     what it counts for: states, components, templates that it names; the same in other shards
 *   reference_kept.c       whether all that counts for another reference is kept already
 *   reference_report.c     what the verdict says of it becomes findings
 *   reference_replace.c    what it judges by becomes another one
 *   reference_speculate.c    the verdict on one that the loop does not know yet, in another thread
 *   component_judge.c      components, when all objects are judged
 */
#ifndef DAEMON_WATCH_REFERENCE_JUDGE_INTERNAL_H
#define DAEMON_WATCH_REFERENCE_JUDGE_INTERNAL_H

#include "daemon/watch/reference/reference_judge.h"
#include "daemon/watch/snapshot/watch_inspector.h"
#include "daemon/watch/verdict/accepted_judge.h"

/* ---- what is in force ---- */

/* Make the tables that are kept by template, and the matcher, for the reference rj->in_force. Fails: ENOMEM; then
 * some of them may have been made. */
CHECKED int reference_make_tables(struct reference_judge *rj, struct err *err);
/* Free the tables of reference_make_tables, and drop the reference rj->in_force. */
void reference_free_tables(struct reference_judge *rj);

/* ---- what it counts for ---- */

/* The templates whose objects an object names, as owners or subjects: an object that
 * is named counts as existing. */
struct named {
	VEC(size_t) templates; /* indices */
	bool no_memory;
};
void named_done(struct named *n);
/* A callback for matcher_references. @ctx: a struct named. */
void named_add(void *ctx, const struct ref_template *t);

/* Find out which templates count: those of the components that this process reports on. */
void reference_find_counting(struct reference_judge *rj);
/* Whether the objects of the template with this index are kept, because they count. */
bool reference_template_counts(const struct reference_judge *rj, size_t template);
/* Whether other objects can name an object of the template, which then counts. */
bool reference_can_be_named(const struct ref_template *t);
/* The templates that may be for @o. */
size_t reference_candidates(const struct reference_judge *rj, const struct object *o,
			    const struct ref_template *const **ret);
/* Note whether the verdict on @o waits for a kind. While it waits, the components that @o may count for are unknown. */
void reference_set_waits(struct reference_judge *rj, struct object *o, bool waits);
/* Make @v the verdict on @o, and count @o by it. @n is taken over. Fails: ENOMEM. */
CHECKED int reference_account(struct reference_judge *rj, struct object *o, const struct verdict *v, struct named *n,
			      const struct judge_context *c, struct err *err);
void reference_uncount(struct reference_judge *rj, struct object *o);

/* ---- what its verdict can see ---- */

/* Hash everything that decides about the verdict on @object, and for what the object counts: its identity (which
 * selects candidates), the templates that it names (@named), what is left of it after omitting, and what the
 * template reads besides. With @read_set, which has a part for each candidate, only what the verdict saw is hashed;
 * NULL: all. If the hash is equal, the verdict stays the same. False without memory: nothing is known. */
bool templates_seen_hash(const struct ref_template *const *candidates, size_t n, const struct read_part *read_set,
			 val object, const struct named *named, struct arena *a, uint64_t *ret);
/* Hash what event rules see of the object besides what is compared. @managed_fields: VAL_ABSENT unless the verdict
 * asked who wrote a field. */
uint64_t rules_seen_hash(const struct event_review *rules, val object, val managed_fields);
/* Add to *hash what inspection rules see of @object. @inspects NULL: they see nothing, or that is unknown. */
void reference_add_inspected(const struct watch_inspector_reads *inspects, val object, uint64_t *hash);
/* Hash together what templates_seen_hash and rules_seen_hash do. False without memory. */
bool reference_seen_hash(const struct reference_judge *rj, struct object *o, const struct read_set *read_set,
			 val object, const struct named *named, const struct judge_context *c, uint64_t *ret);

/* ---- comparing ---- */

/* The function for the time of struct compare_env. */
int64_t reference_now(void *ctx, int32_t *nanoseconds);
/* Whether the identity alone decides that an object matches its templates, whatever it contains. */
bool templates_decide_by_identity(const struct ref_template *const *candidates, size_t n);
/* Whether the configuration excludes the object from the reference, whatever templates there are. */
bool reference_excludes(const struct reference_judge *rj, const struct object *o);
/* Begin the inspection of @o under this reference, if there is a template for @o; otherwise *x stays. @silent:
 * nothing is reported. */
CHECKED int reference_begin_inspection(const struct reference_judge *rj, struct object *o,
				       const struct judge_context *c, bool silent, struct watch_inspection **x,
				       struct err *err);
/* End the inspection @x with @v, the verdict on @o. @v NULL: there is no verdict yet, and the findings of the
 * inspection stay. Fails: ENOMEM. */
CHECKED int reference_end_inspection(const struct reference_judge *rj, struct object *o, struct watch_inspection *x,
				     const struct verdict *v, const struct judge_context *c, struct err *err);
/* Reach the verdict on @object, which is @o as inspection rules have edited it. Sets the members waits and
 * asks_writers of @outcome. */
CHECKED int reference_evaluate(struct reference_judge *rj, struct object *o, val object, const struct judge_context *c,
			       struct verdict *v, struct judged *outcome, struct err *err);

/* ---- reporting ---- */

struct finding_subject reference_subject(const struct reference_judge *rj, const struct object *o);
struct accepted_judge reference_accepted(const struct judge_context *c);
CHECKED int reference_report(struct reference_judge *rj, struct object *o, val object, const struct verdict *v,
			     const struct judge_context *c, struct err *err);
/* Keep the open findings of the object. */
void reference_confirm(const struct reference_judge *rj, const struct object *o, const struct judge_context *c);
/* Report under the object's own name that it could not be judged, because of @why: to report no drift would be
 * wrong. */
void reference_report_failure(const struct reference_judge *rj, const struct object *o, const struct err *why,
			      const struct judge_context *c);

#endif
