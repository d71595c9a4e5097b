/* The objects of one cluster as last seen, by identity and by kind. */
#ifndef DAEMON_WATCH_SNAPSHOT_H
#define DAEMON_WATCH_SNAPSHOT_H

#include "base/vec.h"
#include "compare/compare.h"
#include "daemon/watch/snapshot/doc_cache.h"

struct snapshot {
	struct strmap kinds; /* identity_kind_key -> struct kind */
	struct arena arena;
	struct doc_cache doc_cache;
	size_t n_objects;
};

/* @limits: applied when an object is read, and when it is read again; they outlive it, as do @keys (may be NULL). */
void snapshot_init(struct snapshot *s, const struct limits *limits, struct key_table *keys);
void snapshot_done(struct snapshot *s);

/* How far a snapshot has been emptied; zeroed at first. */
struct snapshot_drain {
	size_t kinds, names;
	struct kind *kind;
};

/* Take the next object out of a snapshot that is emptied in slices. The caller owns the object. NULL: there is none
 * left. After the first call only snapshot_drain and snapshot_done may be called. */
struct object *snapshot_drain(struct snapshot *s, struct snapshot_drain *at);

/* The kind, made when it is new; NULL without memory. */
struct kind *snapshot_kind(struct snapshot *s, str api_version, str name);
/* The kind; NULL: the kind is not watched. */
struct kind *snapshot_find_kind(const struct snapshot *s, str api_version, str name);
/* Note what the server calls the kind. Without memory it keeps its old name. */
void snapshot_name_kind(struct snapshot *s, struct kind *k, str resource);
/* The object of @key (identity_local_key). */
struct object *snapshot_find(const struct kind *k, str key);
/* The object of @key, made without a document when it is new. NULL: there is no memory, or the name is longer than
 * that of any object. */
struct object *snapshot_add(struct snapshot *s, struct kind *k, str key);
/* Take the object out of the snapshot; the caller owns it then. */
void snapshot_take(struct snapshot *s, struct object *o);
/* Take all objects of the kind out, in a time that does not depend on their number; they are the caller's, as is the
 * index of their names. */
void snapshot_take_all(struct snapshot *s, struct kind *k, struct index *objects, struct strmap *names);
void object_free(struct object *o);

/* lookupCR and lookupCRs over the snapshot: the objects of the kind, in order of namespace and name; empty or "*"
 * matches all. The values are put into @found, which the caller owns; they last until doc_cache_trim. Fails: ENOMEM;
 * EBADMSG when one of them could not be read. */
struct found {
	VEC(val) values;
	size_t bytes; /* the size of the objects that were found */
};
CHECKED int snapshot_lookup(const struct snapshot *s, const struct tmpl_lookup *request, struct found *found,
			    struct err *err);

#endif
