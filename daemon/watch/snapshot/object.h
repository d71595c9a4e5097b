/* One watched object, and its kind. */
#ifndef DAEMON_WATCH_OBJECT_H
#define DAEMON_WATCH_OBJECT_H

#include "base/index.h"
#include "base/strmap.h"
#include "daemon/findings/end_reason.h"
#include "daemon/watch/snapshot/stored_object.h"
#include "value/identity.h"

#include <sys/queue.h>

struct doc_cache;
struct opened;     /* what is open of an object beside its document: doc_cache.h */
struct judged;     /* the state of an object under one reference: reference_judge.h */
struct open_rules; /* the rules that an object violates: open_rules.h */

/* What happened to an object, as inspection rules see it. ORDER object_event */
enum object_event { OBJECT_SYNCED, OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED, OBJECT_EVENTS };

/* The effects that the next inspection of an object has: those of all rules, of some, or of none. */
enum effects_due {
	EFFECTS_NONE,          /* none: driftd itself had the object inspected again */
	EFFECTS_OF_DEPENDENTS, /* effects of the rules that read dependents are due, because a dependent changed */
	EFFECTS_ALL,           /* something happened to the object */
};

/* Where an object stands with its judges. It is changed by object_set_state alone.
 *
 *            it changes, or what it depends on does
 *      .------------------------------------------------.
 *      v                                                |
 *   PENDING --its turn comes--> JUDGED --by all--> CURRENT
 *    |   ^                      |    ^
 *    |   '--- it changes --- IN_PART-'  the time was up, and its next turn comes
 *    |
 *   SPECULATED --its turn comes--> CURRENT, or JUDGED like any other
 *
 *   each --it is deleted, or its kind is not watched any more--> GONE */
enum object_state {
	OBJECT_CURRENT, /* the verdicts are those on the stored object */
	OBJECT_PENDING, /* the object is in the work queue */
	/* the object is in the work queue, but its verdict was reached when it arrived, and there is nothing to
	 * report */
	OBJECT_SPECULATED,
	OBJECT_JUDGED, /* being judged */
	/* the object is in the work queue again: some judges have judged it, the others do so in its next turn */
	OBJECT_IN_PART,
	OBJECT_GONE, /* out of the snapshot; its findings are about to end */
};

/* What an object is to this process, where several processes share a cluster (base/shard.h). */
enum object_role {
	OBJECT_OWN,     /* reported by this process */
	OBJECT_FOREIGN, /* another process reports it: it is kept without a verdict, for what depends on it */
	/* another process reports it, but components of this one count it: it is judged, without a report, for what
	 * it matches */
	OBJECT_COUNTED,
};

/* What is kept of an object is its stored text; the documents decoded from it are cached (doc_cache.h). */
struct object {
	/* NULL: the object does not exist yet, or only its document is left (it was deleted) */
	struct stored_object *stored;
	/* the baseline: the version of the last verdict, while a newer version is pending; may be NULL */
	struct stored_object *before;
	/* the document of the stored text, without managedFields; NULL: it is not open */
	struct doc *doc;
	struct opened *opened; /* what is decoded of the object besides @doc; NULL: nothing */
	struct kind *kind;
	/* when the first event arrived that is pending (clock_ns); 0: no event is pending */
	uint64_t received_ns;
	struct judged *judged;         /* one for each reference of the cluster */
	struct open_rules *open_rules; /* owned by the rule judge; NULL: none */
	/* hash of what the rules could see when the object passed all of them; 0: it did not pass */
	uint64_t passed;
	struct object *next_pending;
	union {
		struct object *previous_pending;
		enum end_reason gone_why; /* why an object is gone */
	};
	struct object *next_named, *previous_named; /* objects of the same name, while kind->by_name is kept */
	/* why the server's text cannot be read, in which case the document holds the identity only; NULL: it can */
	char *unreadable;
	uint8_t state : 4;   /* enum object_state */
	uint8_t role : 4;    /* enum object_role */
	bool missed : 1;     /* a pending event of the object happened while nobody watched */
	bool several : 1;    /* several versions are pending, of which only the last is kept */
	bool retry : 1;      /* the object could not be judged for lack of memory */
	bool ruled : 1;      /* the validation rules have judged the document, the references have not yet */
	bool inspected : 1;  /* no reference is for it, and its inspection passes again (watch_inspector.h) */
	uint8_t event;       /* enum object_event: the last one */
	uint8_t arrival;     /* enum arrival_outcome: what became of the last event (cluster/arrival.h) */
	uint8_t effects_due; /* enum effects_due of its next inspection, if no reference is for the object */
	uint16_t stage;      /* while it is judged: the number of the next judge (cluster/judges.c) */
	uint16_t n_stages;   /* how many judges have judged the object, while the others wait for its next turn */
	uint16_t n_key;
	/* the number of the latest list when a watch last reported that the object exists (kc_object) */
	uint32_t list;
	char key[]; /* the text that identity_local_key makes of namespace and name */
};

_Static_assert(offsetof(struct object, key) <= 128, "stored for each object of each watched kind");

/* The objects of one apiVersion and kind. */
struct kind {
	str api_version, name;       /* texts in the snapshot's arena, where resource is too */
	str resource;                /* "deployments.apps"; until discovery is done, the name of the kind */
	struct doc_cache *doc_cache; /* the documents of this kind's objects */
	struct pack_dict *dict;      /* dictionary for packing; NULL: there is none yet */
	size_t dict_due;             /* the number of objects at which the next dictionary is made */
	struct index objects;        /* struct object by identity_local_key */
	struct strmap by_name;       /* name -> the first struct object of that name, in any namespace */
	bool named;                  /* by_name is kept, because somebody asked for a name in all namespaces */
	size_t n_foreign;            /* the number of foreign objects */
	/* templates may look up objects of this kind, so that the kind's objects are kept whichever process reports
	 * them */
	bool shared;
	bool looked_up;         /* some verdict depends, or once depended, on an object of this kind */
	struct lent_kind *lent; /* what threads may look up; NULL: nothing, until somebody asks */
	unsigned n_lent;        /* how often it was made */
	/* everything needed of the kind was listed, or the server does not have it: an object that is not here does
	 * not exist */
	bool known;
};

/* True when the object exists, or existed until it was deleted. An object that was only made (snapshot_add) does not
 * exist. */
static inline bool object_exists(const struct object *o)
{
	return o->stored || o->doc;
}

static inline bool object_is_foreign(const struct object *o)
{
	return o->role != OBJECT_OWN;
}

static inline bool object_is_queued(const struct object *o)
{
	return o->state == OBJECT_PENDING || o->state == OBJECT_SPECULATED || o->state == OBJECT_IN_PART;
}

void object_set_state(struct object *o, enum object_state s);

static inline str object_key(const struct object *o)
{
	return (str){ o->key, o->n_key };
}

/* The object's identity under the names by which it is watched. The texts live as long as the object. */
struct identity object_identity(const struct object *o);
str object_uid(const struct object *o);
str object_version(const struct object *o); /* metadata.resourceVersion */

#endif
