/* The evaluation of kubegen documents: spec/kubegen.md, sections 1 to 4.
 *
 * One evaluation belongs to one instance of a module: it has the attributes of the module, reads files below its
 * folder, and remembers the values of these files. Results live in its arena, in the documents that it was given, or in
 * those that it read; lists and maps of a result know their place (kg_place.h). How much it may make, read and nest is
 * bounded; beyond that it fails with E2BIG.
 *
 * Every function that can fail fills the evaluation's error: one line that names file, line, column, path and what
 * was expected. */
#ifndef KUBEGEN_KG_EVAL_H
#define KUBEGEN_KG_EVAL_H

#include "base/limits.h"
#include "base/strmap.h"
#include "kubegen/kg_place.h"
#include "kubegen/kg_type.h"

/* The files below one folder. Paths are cleaned and relative, without "..". read() gives a text of at most @max bytes
 * for free(); list() calls @entry with the names of the regular files directly in the folder, in any order, and passes
 * on its negative return. */
struct kg_folder {
	int (*read)(void *ctx, str path, size_t max, char **ret, size_t *len, struct err *err);
	int (*list)(void *ctx, int (*entry)(void *entry_ctx, str name, struct err *err), void *entry_ctx,
		    struct err *err);
	void *ctx;
};

struct kg_attribute;

struct kg_eval {
	const struct limits *limits; /* the limits that are used: file_bytes, depth, document_nodes, arena_bytes */
	struct key_table *keys;      /* may be NULL */
	const struct kg_folder *folder;
	str path; /* the path of the folder, for messages */
	struct arena arena;
	struct err *err;
	struct strmap attributes;     /* name -> struct kg_attribute */
	struct strmap files;          /* name -> struct kg_file */
	struct kg_attribute *looking; /* the innermost attribute that is being evaluated */
	uint32_t depth;
	/* how much was made so far: values, and bytes of text of files and of string functions */
	size_t nodes, bytes;
	size_t read_nodes;     /* the number of values in the documents that were decoded */
	size_t document_bytes; /* the memory that these documents take */
};

/* Begin an evaluation. All further calls put their errors into @err. The caller keeps the other pointers valid. */
void kg_eval_init(struct kg_eval *e, const struct kg_folder *folder, str path, const struct limits *limits,
		  struct key_table *keys, struct err *err);
void kg_eval_done(struct kg_eval *e);
/* How many bytes of memory the evaluation and all documents that it read take, approximately. */
size_t kg_eval_memory(const struct kg_eval *e);

/* Declare an attribute. @value may contain macros; VAL_ABSENT: it has none. Fails: EINVAL for an invalid name, a
 * name that is declared already, and a value of another type. */
CHECKED int kg_declare(struct kg_eval *e, str name, enum kg_type type, val value, const struct kg_place *at);
/* Give a declared attribute another value of its type. */
CHECKED int kg_assign(struct kg_eval *e, str name, val value, const struct kg_place *at);

/* Evaluate @v, whose place is @at. *ret is VAL_ABSENT when its condition is false. */
CHECKED int kg_evaluate(struct kg_eval *e, val v, const struct kg_place *at, val *ret);
/* As kg_evaluate, for a whole document, which must be an object or be omitted. */
CHECKED int kg_evaluate_document(struct kg_eval *e, val v, const struct kg_place *at, val *ret);
/* A copy of @v that knows its place, with macros left as they are. */
CHECKED int kg_copy(struct kg_eval *e, val v, const struct kg_place *at, val *ret);

#endif
