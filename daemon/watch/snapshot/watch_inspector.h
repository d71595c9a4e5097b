/* The interface of what inspects the objects of one cluster by rules, for the files that watch and judge these
 * objects. It is a table of functions, so that a build can leave inspection rules out. daemon/watch/inspect
 * implements it. Where nothing is inspected the pointer to an inspector is NULL. */
#ifndef DAEMON_WATCH_WATCH_INSPECTOR_H
#define DAEMON_WATCH_WATCH_INSPECTOR_H

#include "base/assert.h"
#include "base/hash.h"
#include "base/recent_hashes.h"
#include "compare/read_set.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/object.h"
#include "value/object_text.h"
#include "value/object_ways.h"

#include <stdlib.h>

struct inspected; /* daemon/inspection/inspected.h */
struct snapshot;
struct verdict;

/* The object of an inspection, and what its rules may ask about it. */
struct inspection_subject {
	struct object *object;
	const struct cfg_reference *reference; /* NULL: no reference has a template for the object */
	/* the object's template, if it is known before the comparison; NULL: it is not */
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
	/* Run the last phase and report nothing. True: the inspection finds nothing, does nothing, and will pass
	 * again. May be called once, with the verdict that end() would get; end() then only notes that. */
	bool (*finds_nothing)(struct watch_inspection *x, const struct verdict *v);
	/* Run the last phase, report, and carry the effects out. An inspection that is freed without this call has
	 * no effects and reports nothing. @v is zeroed if the comparison was left out, or no template is for the
	 * object. Fails: ENOMEM. */
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

/* What the inspection of an object can see of it, and what inspections have seen that found nothing. The loop counts
 * the references; the holder of a reference may lend it to other threads. */
struct watch_inspector_reads {
	uint32_t refs;
	uint64_t edition; /* the number of the rules: it changes when they do */
	struct object_ways ways;
	/* Whether objects of a kind that are the same there are the same to every inspection. Only then @nothing is
	 * kept: the hashes (watch_inspector_seen) of objects in which an inspection found nothing and did nothing. */
	bool alike;
	struct recent_hashes nothing;
};

static inline struct watch_inspector_reads *watch_inspector_reads_ref(struct watch_inspector_reads *r)
{
	ASSERT(r->refs > 0);
	r->refs++;
	return r;
}

static inline void watch_inspector_reads_unref(struct watch_inspector_reads *r) /* NULL is fine */
{
	ASSERT(!r || r->refs > 0);
	if (!r || --r->refs)
		return;
	object_ways_done(&r->ways);
	free(r);
}

/* The hash of all that decides about the inspection of @object, whose text has @n_text bytes. 0: only an inspection
 * can show that. Safe in any thread. */
static inline uint64_t watch_inspector_seen(const struct watch_inspector_reads *r, const struct object_type *type,
					    val object, size_t n_text)
{
	uint64_t h;

	if (!r->alike || n_text > READ_SET_BYTES_MAX)
		return 0;
	h = hash_str(type->kind, hash_str(type->api_version, hash_seed()));
	/* a server may write another type into the object, and some is hidden by that */
	h = hash_mix(h, val_hash(VAL_GET(object, "apiVersion")));
	h = hash_mix(h, val_hash(VAL_GET(object, "kind")));
	h = hash_mix(h, object_ways_hash(&r->ways, object));
	return h ? h : 1;
}

struct watch_inspector {
	const struct watch_inspector_ops *ops;
};

struct watch_inspector_ops {
	void (*free)(struct watch_inspector *i);
	/* Whether rules are in force, or failures of former rules are still open. */
	bool (*has_rules)(const struct watch_inspector *i);
	bool (*active)(const struct watch_inspector *i);
	bool (*has_rule)(const struct watch_inspector *i, str uuid);
	/* Whether some rules read the dependents of an object. */
	bool (*reads_dependents)(const struct watch_inspector *i);
	/* What the rules can see of an object, valid until the rules change. NULL: that is unknown, or no rules are
	 * in force. */
	struct watch_inspector_reads *(*read_set)(struct watch_inspector *i);
	/* Called about once a second. True: all objects have to be inspected again, because the rules have changed
	 * or the index of owners was lost. While the rules differ at each call, this waits for a call at which they
	 * do not, but not for ever. */
	bool (*tick)(struct watch_inspector *i);
	/* leaves: the object is about to change or to be removed. comes: it was added or has changed. @again is
	 * called for the owners of @o whose inspection looked at @o. */
	void (*leaves)(struct watch_inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner),
		       void *ctx);
	void (*comes)(struct watch_inspector *i, struct object *o, void (*again)(void *ctx, struct object *owner),
		      void *ctx);
	/* The object is not inspected now: its findings stay. @reference may be NULL. */
	void (*keep)(struct watch_inspector *i, const struct object *o, const struct cfg_reference *reference);
	/* The object is gone, because of @why: its findings end. */
	void (*forget)(struct watch_inspector *i, const struct object *o, const struct cfg_reference *reference,
		       enum end_reason why);
	/* Run the phases before the comparison. The caller frees *ret by watch_inspection_free(), also after a
	 * failure. Fails: ENOMEM. */
	int (*begin)(struct watch_inspector *i, const struct inspection_subject *of, struct watch_inspection **ret,
		     struct err *err);
	/* An earlier process may have left a list of what it inspected, which is kept until every object was seen.
	 * goes_on: whether there is such a list. was_inspected: whether @o is in it. all_seen: every object was
	 * seen. */
	bool (*goes_on)(const struct watch_inspector *i);
	bool (*was_inspected)(const struct watch_inspector *i, const struct object *o);
	/* Count inspections that were left out, because they are known to find nothing. */
	void (*count_known)(struct watch_inspector *i, uint64_t n);
	void (*all_seen)(struct watch_inspector *i);
	/* For the next process (daemon/inspection/inspected.h): write_earlier appends that list; write appends that
	 * @o was inspected by this process. */
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
	struct inspected *earlier; /* what an earlier process inspected, taken over; NULL: nothing is known */
};

/* Makes the inspector of a cluster. The maker outlives the inspector. */
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

static inline struct watch_inspector_reads *watch_inspector_reads(struct watch_inspector *i)
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
