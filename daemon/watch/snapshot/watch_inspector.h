/* Who inspects the objects of one cluster by rules, as those see it who watch and judge them: a table of functions, so
 * that a build can leave inspection rules out. The one that there is: daemon/watch/inspect. Where nothing is inspected
 * the pointer to it is NULL. */
#ifndef DAEMON_WATCH_WATCH_INSPECTOR_H
#define DAEMON_WATCH_WATCH_INSPECTOR_H

#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/object.h"
#include "value/object_ways.h"

struct inspected; /* daemon/inspection/inspected.h */
struct snapshot;
struct verdict;

/* What is inspected. */
struct inspection_subject {
	struct object *object;
	const struct cfg_reference *reference; /* NULL: none has a template for it */
	/* the template, as far as it is known before the comparison; NULL: it is not */
	const struct ref_template *template;
	enum object_event event;
	enum effects_due due;
};

/* One inspection. */
struct watch_inspection {
	const struct watch_inspection_ops *ops;
};

struct watch_inspection_ops {
	/* The object as it is compared; it lives as long as the inspection. */
	val (*object)(const struct watch_inspection *x);
	/* Whether some rule runs behind the comparison, and so needs its verdict. */
	bool (*awaits_verdict)(const struct watch_inspection *x);
	/* Run the last phase and report nothing: whether the inspection finds nothing and does nothing, and passes
	 * again. At most once, with the verdict of @v as in end(), which then only notes that. */
	bool (*finds_nothing)(struct watch_inspection *x, const struct verdict *v);
	/* Run the last phase, report, and carry the effects out. Without it nothing has happened. @v: of a comparison
	 * that was left out, or of an object that no template is for, a zeroed one. Fails: ENOMEM. */
	int (*end)(struct watch_inspection *x, const struct verdict *v, struct err *err);
	/* Whether an inspection that has ended found nothing and did nothing, and would do so again as long as the
	 * object is the same to the inspector's read set and comes to the same verdict. */
	bool (*passes_again)(const struct watch_inspection *x);
	void (*free)(struct watch_inspection *x);
};

static inline void watch_inspection_free(struct watch_inspection *x) /* NULL is fine */
{
	if (x)
		x->ops->free(x);
}
DEFINE_CLEANUP(struct watch_inspection *, watch_inspection_free)

/* What of an object its inspection can see. */
struct watch_inspector_reads {
	uint64_t edition; /* other rules have another one */
	struct object_ways ways;
};

struct watch_inspector {
	const struct watch_inspector_ops *ops;
};

struct watch_inspector_ops {
	void (*free)(struct watch_inspector *i);
	/* Whether rules are in force, or failures of former rules are still open. */
	bool (*has_rules)(const struct watch_inspector *i);
	bool (*active)(const struct watch_inspector *i);
	bool (*has_rule)(const struct watch_inspector *i, str uuid);
	/* Some of them read the dependents of an object. */
	bool (*reads_dependents)(const struct watch_inspector *i);
	/* What of an object the rules can see, valid until the rules change; NULL: unknown, or no rules are in
	 * force. */
	const struct watch_inspector_reads *(*read_set)(struct watch_inspector *i);
	/* Called about once a second. True: what was made of the objects may be out of date, and the rules were left
	 * alone since the last call, or change for ever. */
	bool (*tick)(struct watch_inspector *i);
	/* An object is about to become another, or to go; or it came, or is another now. @again is called for its
	 * owners whose inspection looked at it. */
	void (*leaves)(struct watch_inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner),
		       void *ctx);
	void (*comes)(struct watch_inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner),
		      void *ctx);
	/* The object is not inspected now: its findings stay. @reference may be NULL. */
	void (*keep)(struct watch_inspector *i, const struct object *o, const struct cfg_reference *reference);
	/* The object is gone, because of @why: its findings end. */
	void (*forget)(struct watch_inspector *i, const struct object *o, const struct cfg_reference *reference,
		       enum end_reason why);
	/* Run the phases before the comparison. *ret is for watch_inspection_free() in any case. Fails: ENOMEM. */
	int (*begin)(struct watch_inspector *i, const struct inspection_subject *of, struct watch_inspection **ret,
		     struct err *err);
	/* What was inspected in an earlier life, until all of it was seen again: whether there is some, whether @o is
	 * among it, that it was seen. */
	bool (*goes_on)(const struct watch_inspector *i);
	bool (*was_inspected)(const struct watch_inspector *i, const struct object *o);
	void (*all_seen)(struct watch_inspector *i);
	/* Append it for the next life (daemon/inspection/inspected.h); and that @o was inspected in this one. */
	void (*write_earlier)(const struct watch_inspector *i, struct buf *out);
	void (*write)(const struct object *o, struct buf *out);
};

struct watch_inspector_options {
	bool silent; /* the inspector belongs to a rehearsal: it has no effects and counts nothing */
	const struct cfg *cfg;
	const struct cfg_cluster *cluster;
	struct findings *findings;
	struct key_table *keys;
	const struct limits *limits;
	const struct snapshot *snapshot;
	struct inspected *earlier; /* taken over; NULL: nothing is known */
};

/* Who makes the inspector of a cluster. Outlives it. */
struct watch_inspector_maker {
	/* Fails: ENOMEM; options->earlier is released all the same. */
	int (*make)(void *ctx, const struct watch_inspector_options *o, struct watch_inspector **ret, struct err *err);
	void *ctx;
};

static inline bool watch_inspector_has_rules(const struct watch_inspector *i)
{
	return i && i->ops->has_rules(i);
}

static inline bool watch_inspector_active(const struct watch_inspector *i)
{
	return i && i->ops->active(i);
}

static inline bool watch_inspector_reads_dependents(const struct watch_inspector *i)
{
	return i && i->ops->reads_dependents(i);
}

static inline const struct watch_inspector_reads *watch_inspector_reads(struct watch_inspector *i)
{
	return i ? i->ops->read_set(i) : NULL;
}

static inline void watch_inspector_keep(struct watch_inspector *i, const struct object *o,
					const struct cfg_reference *reference)
{
	if (i)
		i->ops->keep(i, o, reference);
}

static inline void watch_inspector_forget(struct watch_inspector *i, const struct object *o,
					  const struct cfg_reference *reference, enum end_reason why)
{
	if (i)
		i->ops->forget(i, o, reference, why);
}

#endif
