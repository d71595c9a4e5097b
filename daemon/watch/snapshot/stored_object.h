/* What an object is kept as while nobody looks at it: the text that the server sent, plain or packed.
 *
 * The text of metadata.managedFields is kept apart: whole until its verdict, which asks it who wrote what, and then as
 * what a later verdict needs of it (stored_object_reduce), from when it is packed at the latest. */
#ifndef DAEMON_WATCH_STORED_OBJECT_H
#define DAEMON_WATCH_STORED_OBJECT_H

#include "kubeclient/kc_event.h"
#include "pack/pack.h"
#include "value/object_text.h"

struct stored_object {
	uint32_t refs;
	uint32_t n_object, n_managed; /* bytes of the two texts, which follow each other */
	uint32_t n_packed;            /* the size of both texts when they are packed; 0: they are plain */
	struct pack_dict *dict;       /* packed with; NULL: none */
	uint32_t n_uid;
	uint32_t n_version : 30;
	uint32_t whole : 1;     /* the managedFields are those of the server, not reduced */
	uint32_t reducible : 1; /* later verdicts need of the managedFields only what stored_object_reduce keeps */
	char bytes[];           /* uid, resourceVersion, the texts */
};

_Static_assert(sizeof(struct stored_object) == 32, "stored for each object of each watched kind");

/* Store the text of @e, or its document as a text. Returns one reference. Fails: ENOMEM, E2BIG. */
CHECKED int stored_object_new(const struct kc_object *e, struct stored_object **ret, struct err *err);

/* The text of an object without managedFields, and what a later verdict needs of them, packed: what
 * stored_object_pack_reduced makes of a stored object. */
struct packed_object {
	str packed;
	size_t n_object, n_managed; /* the sizes of the two texts */
	struct pack_dict *dict;
};
/* Append the first of these texts to @out; the bytes that it has. @managed: a part of @text, or empty. */
static inline size_t stored_object_n_object(str text, str managed)
{
	return text.n - managed.n + (managed.n ? 1 : 0);
}
void stored_object_cut(str text, str managed, struct buf *out);
/* A stored object with reduced managedFields. NULL: no memory. */
struct stored_object *stored_object_of_packed(str uid, str version, const struct packed_object *p);
/* The texts of @e, of which @n_object bytes are stored_object_cut's, packed at once. One reference. NULL: there is no
 * memory, or they are not shorter packed, or too long. */
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

/* Bytes of memory. */
size_t stored_object_bytes(const struct stored_object *b);

/* The text of the object, as object_decode takes it, and that of its managedFields; @managed may be NULL. Valid until
 * @p is used again or the stored object is freed. Fails: ENOMEM. */
CHECKED int stored_object_text(const struct stored_object *b, struct packer *p, str *object, str *managed,
			       struct err *err);

/* Pack *b with @dict (may be NULL), in its place; nothing where that gains little. Without memory it stays. */
void stored_object_pack(struct stored_object **b, struct packer *p, struct pack_dict *dict);
/* The same with other managedFields, which are not whole: @texts are those of the object and of these, of which
 * @n_object bytes are the object's. */
void stored_object_pack_reduced(struct stored_object **b, struct packer *p, struct pack_dict *dict, str texts,
				size_t n_object);

/* The same object with @managed for its managedFields, which is not whole; in the place of *b. Fails: ENOMEM. */
CHECKED int stored_object_reduce(struct stored_object **b, struct packer *p, str managed, struct err *err);
/* The same object, under another resourceVersion; in the place of *b. Fails: ENOMEM. */
CHECKED int stored_object_set_version(struct stored_object **b, str version, struct err *err);

#endif
