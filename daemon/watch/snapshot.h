/* The objects of one cluster as last seen, by identity and by kind. */
#ifndef DAEMON_WATCH_SNAPSHOT_H
#define DAEMON_WATCH_SNAPSHOT_H

#include "base/strmap.h"
#include "base/vec.h"
#include "compare/compare.h"

struct judged;     /* what one reference made of an object: reference_judge.h */
struct open_rules; /* what the rules have against it: open_rules.h */

/* What happened to an object, as inspection rules see it. ORDER object_event */
enum object_event { OBJECT_SYNCED, OBJECT_ADDED, OBJECT_MODIFIED, OBJECT_DELETED, OBJECT_EVENTS };

/* Which rules' effects the next inspection of an object is for. */
enum effects_due {
	EFFECTS_NONE,          /* it is inspected again for reasons of our own */
	EFFECTS_OF_DEPENDENTS, /* a dependent changed: of rules that read dependents */
	EFFECTS_ALL,           /* something happened to the object */
};

struct object {
	struct doc *doc;      /* without managedFields */
	struct doc *previous; /* as it was at the last verdict, while a newer one waits for its own; may be NULL */
	str key;              /* in the table of the snapshot */
	struct kind *kind;
	struct doc *writers;  /* field managers and times as of the last verdict, without the fields; may be NULL */
	char *managed_fields; /* JSON text, until the next verdict; may be NULL */
	size_t managed_fields_n;
	uint64_t received_ns;          /* of the last event that waits for its verdict; 0: none */
	struct judged *judged;         /* one for each reference of the cluster */
	struct open_rules *open_rules; /* owned by the rule judge; NULL: none */
	struct object *next_pending, *previous_pending;
	struct object *next_named, *previous_named; /* of the same name, while kind->by_name is kept */
	bool pending : 1;
	bool missed : 1;      /* what waits for its verdict happened while nobody watched */
	bool retry : 1;       /* it could not be judged for a lack of memory */
	bool ruled : 1;       /* the rules have judged the document, references have not yet */
	uint8_t event;        /* enum object_event: the last one */
	uint8_t effects_due;  /* enum effects_due: of its inspection where no reference is for it */
	uint16_t stage;       /* of judging, what is next: a reference, or behind them the rules */
	uint16_t n_stages;    /* that are over while others wait for their turn */
	const char *gone_why; /* a literal; NULL: it is there */
	char *unreadable; /* why the server's text of it cannot be read: the document is its identity only; or NULL */
};

_Static_assert(sizeof(struct object) <= 152, "stored for each object of each watched kind");

/* The objects of one apiVersion and kind. */
struct kind {
	str api_version, name; /* in the snapshot's arena, as is resource */
	str resource;          /* "deployments.apps"; until discovery has told, what the kind is called */
	struct strmap objects; /* identity_local_key -> struct object */
	struct strmap by_name; /* name -> the first struct object that is called so, in any namespace */
	bool named;            /* by_name is kept: somebody asked for a name in all namespaces */
	bool looked_up;        /* some verdict depends on an object of this kind, or once did */
	bool known; /* all that is needed of it was listed, or there is no such kind: what is not here is nowhere */
};

struct snapshot {
	struct strmap kinds; /* identity_kind_key -> struct kind */
	struct arena arena;
	size_t n_objects;
};

void snapshot_init(struct snapshot *s);
void snapshot_done(struct snapshot *s);

/* Where a snapshot is being emptied; zeroed at first. */
struct snapshot_drain {
	size_t kinds, objects, names;
	struct kind *kind;
};

/* Take the next object out, for snapshots that go in slices; it is the caller's then. NULL: there is none left. After
 * the first call nothing else may be called but this and snapshot_done. */
struct object *snapshot_drain(struct snapshot *s, struct snapshot_drain *at);

/* The kind, made when it is new; NULL without memory. */
struct kind *snapshot_kind(struct snapshot *s, str api_version, str name);
/* The kind; NULL when it is not watched. */
struct kind *snapshot_find_kind(const struct snapshot *s, str api_version, str name);
/* Note what the server calls the kind. Without memory it keeps its old name. */
void snapshot_name_kind(struct snapshot *s, struct kind *k, str resource);
/* The object of @key (identity_local_key). */
struct object *snapshot_find(const struct kind *k, str key);
/* The object, made without a document when it is new; NULL without memory. */
struct object *snapshot_add(struct snapshot *s, struct kind *k, str key);
/* Take the object out; it is the caller's then. */
void snapshot_take(struct snapshot *s, struct object *o);
/* Take all objects of the kind out, in a time that does not depend on their number; they are the caller's, as is the
 * index of their names. */
void snapshot_take_all(struct snapshot *s, struct kind *k, struct strmap *objects, struct strmap *names);
void object_free(struct object *o);

/* lookupCR and lookupCRs over the snapshot: the objects of the kind, in order of namespace and name; empty or "*"
 * matches all. The values are put into @found, which the caller owns. Fails: ENOMEM; EBADMSG when one of them could not
 * be read. */
struct found {
	VEC(val) values;
};
CHECKED int snapshot_lookup(const struct snapshot *s, const struct tmpl_lookup *request, struct found *found,
			    struct err *err);

#endif
