/* Texts in little memory: zstd, with a dictionary made of texts of the same kind.
 *
 * Objects of one kind resemble each other more than they resemble themselves: a pod of 3.4 KB takes about 1,200 bytes
 * alone and about 350 with a dictionary of other pods. */
#ifndef PACK_PACK_H
#define PACK_PACK_H

#include "base/buf.h"
#include "base/err.h"

/* Immutable, shared by reference count, from any thread. */
struct pack_dict;

#define PACK_DICT_MAX 65536         /* bytes of texts in a dictionary */
#define PACK_SAMPLES_MAX 300        /* texts that one is made of; */
#define PACK_SAMPLE_BYTES_MAX 16384 /* of each */

/* A dictionary of @size bytes at most out of @n samples that follow each other in @samples. Takes about 5 ms for a
 * megabyte. NULL in *ret without a failure: they are too few or too short for one. Fails: ENOMEM. */
CHECKED int pack_dict_new(str samples, const size_t *sizes, size_t n, size_t size, struct pack_dict **ret,
			  struct err *err);
/* As pack_dict_new, but appends the dictionary as bytes to @out, which has a limit and its own error; nothing where the
 * samples are too few. */
CHECKED int pack_dict_make(str samples, const size_t *sizes, size_t n, size_t size, struct buf *out, struct err *err);
/* Loads a dictionary from the bytes of pack_dict_make. Fails: ENOMEM. */
CHECKED int pack_dict_load(str bytes, struct pack_dict **ret, struct err *err);
struct pack_dict *pack_dict_ref(struct pack_dict *d); /* NULL is passed through */
void pack_dict_unref(struct pack_dict *d);
/* Bytes that it takes. */
size_t pack_dict_bytes(const struct pack_dict *d);

/* The memory that packing and unpacking work in; one thread at a time. NULL without memory. */
struct packer;
struct packer *packer_new(void);
void packer_free(struct packer *p);
DEFINE_CLEANUP(struct packer *, packer_free)

/* What it packs from now on ends with a sum, by which it is known when it was damaged: for what is kept in files. */
void packer_add_sums(struct packer *p);

/* Pack @text into *ret, which is valid until the next call. @dict: NULL: without one. Fails: ENOMEM; EFBIG: what is
 * packed is not shorter. */
CHECKED int packer_pack(struct packer *p, const struct pack_dict *dict, str text, str *ret, struct err *err);
/* The text of @n bytes that was packed with @dict into @packed, in *ret, which is valid until the next call. Fails:
 * ENOMEM; EBADMSG: it is none. */
CHECKED int packer_unpack(struct packer *p, const struct pack_dict *dict, str packed, size_t n, str *ret,
			  struct err *err);

#endif
