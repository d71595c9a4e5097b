/* A document: an arena with one value tree, immutable once built, shared by reference count.
 *
 * References are counted on documents, not on values. The count is atomic: documents may be shared between threads.
 * A document made from another one may hold values of it after doc_share, which keeps the other alive. */
#ifndef VALUE_DOC_H
#define VALUE_DOC_H

#include "base/err.h"
#include "value/val.h"

struct doc {
	_Atomic uint32_t refs;
	uint32_t n_shared;
	struct doc **shared; /* documents whose values this one holds */
	struct arena arena;
	val root;
};

/* A document without a root and with one reference. @expected_bytes sizes the first block (0: unknown); @max_bytes
 * bounds the arena. NULL without memory. */
struct doc *doc_new(size_t expected_bytes, size_t max_bytes);
struct doc *doc_ref(struct doc *d); /* NULL returns NULL */
void doc_unref(struct doc *d);
DEFINE_CLEANUP(struct doc *, doc_unref)

/* Keep @other alive as long as @d. Fails: ENOMEM. */
CHECKED int doc_share(struct doc *d, struct doc *other, struct err *err);

/* How many bytes of memory the document itself takes, without the documents that it shares. */
size_t doc_bytes(const struct doc *d);

#endif
