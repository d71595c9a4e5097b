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
struct judged;     /* what one reference made of an object: reference_judge.h */
struct open_rules; /* what the rules have against it: open_rules.h */

/* What happened to an object, as inspection rules see it. ORDER object_event */
enum object_event { OBJECT_SYNCED, OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED, OBJECT_EVENTS };

/* The effects that the next inspection of an object has: those of all rules, of some, or of none. */
enum effects_due {
	EFFECTS_NONE,          /* it is inspected again for reasons of our own */
	EFFECTS_OF_DEPENDENTS, /* a dependent changed: of rules that read dependents */
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
	OBJECT_CURRENT,    /* the verdicts are those on what it is */
	OBJECT_PENDING,    /* in the work queue */
	OBJECT_SPECULATED, /* in it too; the verdict was reached when it came, and there is nothing to report */
	OBJECT_JUDGED,     /* being judged */
	OBJECT_IN_PART,    /* in the queue again; some have judged it, the others go on when its turn comes */
	OBJECT_GONE,       /* out of the snapshot; what was found in it ends */
};

/* What an object is to this process, where several processes share a cluster (base/shard.h). */
enum object_role {
	OBJECT_OWN,     /* reported by this process */
	OBJECT_FOREIGN, /* another process reports it: it is kept, unjudged, for what depends on it */
	OBJECT_COUNTED, /* the same, but components of this process count it: it is judged for what it matches, in
			   silence */
};

/* What is kept of an object is its stored text; the documents decoded from it are cached (doc_cache.h). */
struct object {
	struct stored_object *stored; /* NULL: there is no such object yet, or only its document (one that went) */
	struct stored_object
		*before;       /* as it was at the last verdict, while a newer one waits for its own; may be NULL */
	struct doc *doc;       /* of the stored text, without managedFields; NULL: it is not open */
	struct opened *opened; /* NULL: nothing is open of it */
	struct kind *kind;
	uint64_t received_ns;          /* of the last event that waits for its verdict; 0: none */
	struct judged *judged;         /* one for each reference of the cluster */
	struct open_rules *open_rules; /* owned by the rule judge; NULL: none */
	uint64_t passed;               /* hash of what the rules could see when it passed them all; 0: it did not */
	struct object *next_pending;
	union {
		struct object *previous_pending;
		enum end_reason gone_why; /* of one that is gone */
	};
	struct object *next_named, *previous_named; /* of the same name, while kind->by_name is kept */
	char *unreadable;   /* why the server's text of it cannot be read: the document is its identity only; or NULL */
	uint8_t state : 4;  /* enum object_state */
	uint8_t role : 4;   /* enum object_role */
	bool missed : 1;    /* what waits for its verdict happened while nobody watched */
	bool several : 1;   /* more than one version waits: of those before the last nothing is kept */
	bool retry : 1;     /* it could not be judged for a lack of memory */
	bool ruled : 1;     /* the rules have judged the document, references have not yet */
	bool inspected : 1; /* no reference is for it, and its inspection passes again (watch_inspector.h) */
	uint8_t event;      /* enum object_event: the last one */
	uint8_t arrival;    /* enum arrival_outcome: what became of it (cluster/arrival.h) */
	uint8_t effects_due; /* enum effects_due: of its inspection where no reference is for it */
	uint16_t stage;      /* of judging: which judge is next (cluster/judges.c) */
	uint16_t n_stages;   /* that are over while others wait for their turn */
	uint16_t n_key;
	uint32_t list; /* the number of the latest list when a watch said last that it exists (kc_object) */
	char key[];    /* identity_local_key */
};

_Static_assert(offsetof(struct object, key) <= 128, "stored for each object of each watched kind");

/* The objects of one apiVersion and kind. */
struct kind {
	str api_version, name;       /* in the snapshot's arena, as is resource */
	str resource;                /* "deployments.apps"; until discovery is done, the name of the kind */
	struct doc_cache *doc_cache; /* of its objects */
	struct pack_dict *dict;      /* they are packed with; NULL: there is none yet */
	size_t dict_due;             /* so many objects make the next one */
	struct index objects;        /* struct object by identity_local_key */
	struct strmap by_name;       /* name -> the first struct object that is called so, in any namespace */
	bool named;                  /* by_name is kept: somebody asked for a name in all namespaces */
	size_t n_foreign;            /* of objects */
	bool shared;    /* templates may look its objects up: they are kept, whichever process reports them */
	bool looked_up; /* some verdict depends on an object of this kind, or once did */
	bool known;     /* all that is needed of it was listed, or there is no such kind: what is not here is nowhere */
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

/* By the names that it is watched under; the texts live as long as the object. */
struct identity object_identity(const struct object *o);
str object_uid(const struct object *o);
str object_version(const struct object *o); /* metadata.resourceVersion */

#endif
