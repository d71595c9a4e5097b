/* Stores texts in little memory: zstd, with a dictionary made of texts of the same kind.
 *
 * Objects of one kind resemble each other more than they resemble themselves: a pod of 3.4 KB takes about 1,200
 * bytes alone, and about 350 with a dictionary of other pods. */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "base/buf.h"
#include "base/err.h"

/* A dictionary: immutable, shared by reference count, from any thread. */
struct pack_dict;

#define PACK_DICT_MAX 65536         /* the most bytes of texts in a dictionary */
#define PACK_SAMPLES_MAX 300        /* the most texts that a dictionary is made of */
#define PACK_SAMPLE_BYTES_MAX 16384 /* the most bytes of each of these texts */

/* Make a dictionary of at most @size bytes out of @n samples, which follow each other in @samples. This takes about
 * 5 ms for a megabyte. NULL in *ret without a failure: the samples are too few or too short. Fails: ENOMEM. */
CHECKED int pack_dict_new(str samples, const size_t *sizes, size_t n, size_t size, struct pack_dict **ret,
			  struct err *err);
/* As pack_dict_new, but append the bytes of the dictionary to @out, which has a limit and its own error; nothing
 * when the samples are too few. */
CHECKED int pack_dict_make(str samples, const size_t *sizes, size_t n, size_t size, struct buf *out, struct err *err);
/* Load a dictionary from the bytes of pack_dict_make. Fails: ENOMEM. */
CHECKED int pack_dict_load(str bytes, struct pack_dict **ret, struct err *err);
struct pack_dict *pack_dict_ref(struct pack_dict *d); /* NULL returns NULL */
void pack_dict_unref(struct pack_dict *d);
/* How many bytes of memory the dictionary takes. */
size_t pack_dict_bytes(const struct pack_dict *d);

/* The memory for packing and unpacking, for one thread at a time. NULL without memory. */
struct packer;
struct packer *packer_new(void);
void packer_free(struct packer *p);
DEFINE_CLEANUP(struct packer *, packer_free)

/* Add a checksum to all that is packed from now on, which shows damage: for texts that are stored in files. */
void packer_add_sums(struct packer *p);

/* Pack @text into *ret, which is valid until the next call. @dict may be NULL: pack without a dictionary. Fails:
 * ENOMEM; EFBIG: the result is not shorter than @text. */
CHECKED int packer_pack(struct packer *p, const struct pack_dict *dict, str text, str *ret, struct err *err);
/* Unpack into *ret the text of @n bytes that was packed with @dict into @packed. It is valid until the next call.
 * Fails: ENOMEM; EBADMSG: @packed is damaged, or was not packed so. */
CHECKED int packer_unpack(struct packer *p, const struct pack_dict *dict, str packed, size_t n, str *ret,
			  struct err *err);

#endif
