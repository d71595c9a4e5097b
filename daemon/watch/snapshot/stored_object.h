/* Stores the text of an object as the server sent it, plain or packed, while nobody looks at the object.
 *
 * The text of metadata.managedFields is stored apart. It is whole until the object's verdict, which asks who wrote
 * what. After that, and at the latest when the object is packed, only the part is kept that a later verdict needs
 * (stored_object_reduce). */
#ifndef DAEMON_WATCH_STORED_OBJECT_H
#define DAEMON_WATCH_STORED_OBJECT_H

#include "kubeclient/kc_event.h"
#include "pack/pack.h"
#include "value/object_text.h"

struct stored_object {
	uint32_t refs;
	uint32_t n_object, n_managed; /* bytes of the two texts, which follow each other */
	uint32_t n_packed;            /* the size of both texts when they are packed; 0: they are plain */
	struct pack_dict *dict;       /* the dictionary that the texts are packed with; NULL: none */
	uint32_t n_uid;
	uint32_t n_version : 30;
	uint32_t whole : 1;     /* the managedFields are those of the server, not reduced */
	uint32_t reducible : 1; /* later verdicts need of the managedFields only what stored_object_reduce keeps */
	char bytes[];           /* uid, resourceVersion, the texts */
};

_Static_assert(sizeof(struct stored_object) == 32, "stored for each object of each watched kind");

/* Store the text of @e, or its document as a text. Returns one reference. Fails: ENOMEM, E2BIG. */
CHECKED int stored_object_new(const struct kc_object *e, struct stored_object **ret, struct err *err);

/* The packed texts of an object, as stored_object_pack_reduced makes them: the object without managedFields, and
 * what a later verdict needs of these. */
struct packed_object {
	str packed;
	size_t n_object, n_managed; /* the sizes of the two texts */
	struct pack_dict *dict;
};
/* stored_object_cut appends the first of these two texts to @out: @text, which is the object's, without @managed,
 * its managedFields (a part of @text, or empty). stored_object_n_object: how many bytes it appends. */
static inline size_t stored_object_n_object(str text, str managed)
{
	return text.n - managed.n + (managed.n ? 1 : 0);
}
void stored_object_cut(str text, str managed, struct buf *out);
/* Make a stored object with reduced managedFields. NULL: no memory. */
struct stored_object *stored_object_of_packed(str uid, str version, const struct packed_object *p);
/* Pack @texts, which are made of @e, into a new stored object. The first @n_object bytes are what stored_object_cut
 * makes, the others the managedFields. Returns one reference. NULL: there is no memory, or the texts are too long,
 * or not shorter when they are packed. */
struct stored_object *stored_object_new_packed(const struct kc_object *e, str texts, size_t n_object, struct packer *p,
					       struct pack_dict *dict);
struct stored_object *stored_object_ref(struct stored_object *b); /* NULL is passed through */
void stored_object_unref(struct stored_object *b);
DEFINE_CLEANUP(struct stored_object *, stored_object_unref)

static inline str stored_object_uid(const struct stored_object *b)
{
	return (str){ b->bytes, b->n_uid };
}

static inline str stored_object_version(const struct stored_object *b)
{
	return (str){ b->bytes + b->n_uid, b->n_version };
}

/* The memory that the stored object takes, in bytes. */
size_t stored_object_bytes(const struct stored_object *b);

/* The text of the object, as object_decode takes it, and that of its managedFields; @managed may be NULL. Valid until
 * @p is used again or the stored object is freed. Fails: ENOMEM. */
CHECKED int stored_object_text(const struct stored_object *b, struct packer *p, str *object, str *managed,
			       struct err *err);

/* Put a packed copy (with @dict, which may be NULL) in the place of *b, unless that saves little. Without memory *b
 * stays. */
void stored_object_pack(struct stored_object **b, struct packer *p, struct pack_dict *dict);
/* Do the same as stored_object_pack with @texts: the first @n_object bytes are the object's, the others its reduced
 * managedFields. */
void stored_object_pack_reduced(struct stored_object **b, struct packer *p, struct pack_dict *dict, str texts,
				size_t n_object);

/* Put a copy in the place of *b that has @managed, which is reduced, for its managedFields. Fails: ENOMEM. */
CHECKED int stored_object_reduce(struct stored_object **b, struct packer *p, str managed, struct err *err);
/* Put a copy with another resourceVersion in the place of *b. Fails: ENOMEM. */
CHECKED int stored_object_set_version(struct stored_object **b, str version, struct err *err);

#endif
