/* The decoded documents of a cluster's objects: a cache in the order of use. An object whose document is not in the
 * cache is kept as its packed text (stored in struct stored_object).
 *
 *           doc_cache_put, doc_cache_open
 *   packed ------------------------------> open      the most recently opened first
 *      ^                                     |
 *      +---------- doc_cache_trim -----------+       beyond the bound, the least recently opened first
 *
 * A document stays open until doc_cache_trim, which is called between evaluations only. A caller that holds a value of
 * a document therefore needs no reference of its own. */
#ifndef DAEMON_WATCH_DOC_CACHE_H
#define DAEMON_WATCH_DOC_CACHE_H

#include "daemon/watch/snapshot/object.h"

/* What is decoded of an object besides its document. */
struct opened {
	TAILQ_ENTRY(opened) link; /* the place in the list of open objects, unless @bytes is 0 */
	struct object *object;
	struct doc *previous; /* the document of object->before; NULL: there is none, or it is not open */
	/* field managers and their times as of the last verdict, without the fields; NULL as for @previous */
	struct doc *writers;
	struct doc *managed; /* managedFields of the stored object while they are asked for; NULL: they were not */
	/* the memory that all open documents of the object take; 0: the object is closed, or is about to be */
	size_t bytes;
};

struct doc_cache {
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct packer *packer;  /* NULL until something is packed or unpacked */
	TAILQ_HEAD(open_objects, opened) open;
	size_t open_bytes, bound;
	struct buf texts; /* scratch memory for texts */
};

/* How many bytes of open objects are kept in each cluster. A look-up that returns more raises this bound, at most to
 * DOC_CACHE_OPEN_BYTES_MAX, because the same objects are likely to be looked up again. */
#define DOC_CACHE_OPEN_BYTES ((size_t)4 << 20)
#define DOC_CACHE_OPEN_BYTES_MAX ((size_t)512 << 20)

/* The number of objects of a kind at which its first dictionary is made. Another dictionary is made when there are
 * many more. */
#define DOC_CACHE_FIRST_DICT 256

void doc_cache_init(struct doc_cache *k, const struct limits *limits, struct key_table *keys);
/* Must be called after all objects were forgotten. */
void doc_cache_done(struct doc_cache *k);

/* What is kept of an object that arrived as @e: its stored text, or a document too. @e has a text or a document.
 * Fails: ENOMEM, E2BIG. */
struct keeping {
	struct stored_object *stored;
	struct doc *doc;
	struct opened *opened; /* NULL: nothing is open besides @doc */
};
CHECKED int doc_cache_make(const struct kc_object *e, struct keeping *ret, struct err *err);
/* Prepare a current object whose text was packed elsewhere and that has no document. Fails: ENOMEM. */
CHECKED int doc_cache_make_packed(const struct kc_object *e, const struct packed_object *packed, struct keeping *ret,
				  struct err *err);
/* Replace the object's stored state by @now, which is taken over. Its former state is forgotten. */
void doc_cache_put(struct doc_cache *k, struct object *o, const struct keeping *now);
/* Replace the state of a current object by @e, which the object's verdict is valid for as well. Fails: ENOMEM,
 * E2BIG. */
CHECKED int doc_cache_renew(struct doc_cache *k, struct object *o, const struct kc_object *e, struct err *err);
/* The stored object becomes the baseline: the object as of its last verdict. */
void doc_cache_turn(struct doc_cache *k, struct object *o);
/* Free the stored texts and documents of the object, which leaves the cache. */
void doc_cache_forget(struct object *o);

/* Make o->doc. Fails: ENOMEM. */
CHECKED int doc_cache_open(struct doc_cache *k, struct object *o, struct err *err);
/* A reference to the object's document, decoded for the caller only when it is not open. Fails: ENOMEM. */
CHECKED int doc_cache_peek(struct doc_cache *k, const struct object *o, struct doc **ret, struct err *err);
/* metadata.labels of the object, in @a or in a document that is open; VAL_ABSENT: it has none. Fails: ENOMEM. */
CHECKED int doc_cache_labels(struct doc_cache *k, const struct object *o, struct arena *a, val *ret, struct err *err);
/* Decode a stored object of the kind, which may no longer belong to an object. *managed (may be NULL): the text of
 * its managedFields, valid until the cache is used again. */
CHECKED int doc_cache_read(struct doc_cache *k, const struct stored_object *b, const struct object_type *type,
			   struct doc **ret, str *managed, struct err *err);
/* Open the document of the object's baseline, if it has one. Fails: ENOMEM. */
CHECKED int doc_cache_open_previous(struct doc_cache *k, struct object *o, struct err *err);
/* The document of the object's baseline if it is open; else VAL_ABSENT. */
val doc_cache_previous(const struct object *o);
/* Who had written the object up to its last verdict; it stays open. VAL_ABSENT: unknown. */
val doc_cache_writers(struct doc_cache *k, struct object *o);
/* The object's managedFields, which stay open. VAL_ABSENT: it has none, or they were dropped after the verdict. */
val doc_cache_managed_fields(struct doc_cache *k, struct object *o);

/* The object has its verdict: forget its baseline. @keep: keep its managedFields, which will be needed again. */
void doc_cache_reduce(struct doc_cache *k, struct object *o, bool keep);

/* Whether @e, which has the uid and version of @o, is the same object. Fails: ENOMEM. */
CHECKED int doc_cache_same(struct doc_cache *k, struct object *o, const struct kc_object *e, bool *ret,
			   struct err *err);

/* Raise the bound of open bytes after one look-up has opened @bytes: the same objects are likely to be looked up
 * again. */
void doc_cache_expect(struct doc_cache *k, size_t bytes);
/* Close what is open beyond the bound. */
void doc_cache_trim(struct doc_cache *k);
/* Close everything, whatever the bound. */
void doc_cache_close_all(struct doc_cache *k);

#endif
