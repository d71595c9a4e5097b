/* The declarations that the files of the evaluation share. */
#ifndef KUBEGEN_KG_INTERNAL_H
#define KUBEGEN_KG_INTERNAL_H

#include "base/buf.h"
#include "base/vec.h"
#include "kubegen/kg_eval.h"

/* The items of a list that is being built. */
struct kg_items {
	VEC(val) v;
};
void kg_items_done(struct kg_items *items);

/* ---- kg_eval.c ---- */

/* Fail at @at because the value is wrong; because there is no memory. */
#define kg_error(e, at, ...) kg_fail((at), EINVAL, (e)->err, __VA_ARGS__)
#define kg_nomem(e) arena_error(&(e)->arena, (e)->err) /* E2BIG when the ceiling of the arena is reached */

/* Account for @nodes more values, for @bytes more text. Fails: E2BIG. */
CHECKED int kg_spend(struct kg_eval *e, const struct kg_place *at, size_t nodes, size_t bytes);
/* Account for reading a text once more: aliases and files can repeat a long text many times at no cost to the
 * writer. Fails: E2BIG. */
CHECKED int kg_spend_text(struct kg_eval *e, const struct kg_place *at, str text);
/* Account for a value that is inserted at this depth: its values count again, and it may not nest too deep. */
CHECKED int kg_spend_value(struct kg_eval *e, const struct kg_place *at, val v);
/* Make a list with a copy of the items. */
CHECKED int kg_list(struct kg_eval *e, const struct kg_items *items, const struct kg_place *at, val *ret);
/* Evaluate the argument of a macro. It is an error when its condition is false. */
CHECKED int kg_argument(struct kg_eval *e, val v, const struct kg_place *at, val *ret);
/* Whether the object @map exists, according to its kubegen.If. */
CHECKED int kg_condition(struct kg_eval *e, val map, const struct kg_place *at, bool *ret);
/* Fail with "WHAT: expected String, got Number" unless @v is of this type. */
CHECKED int kg_expect(struct kg_eval *e, val v, enum kg_type type, const char *what, const struct kg_place *at);

/* ---- kg_macro.c ---- */

enum kg_macro_kind {
	KG_IF,
	KG_LOOKUP,
	KG_LOAD_JSON,
	KG_LOAD_YAML,
	KG_READ_FILE,
	KG_JOIN,
	KG_AS_JSON,
	KG_AS_YAML,
	KG_AS_BASE64
};

struct kg_macro {
	const char *key;
	enum kg_macro_kind kind;
	enum kg_type type; /* the type of the result */
};

/* Whether a key is that of a macro, known or not. */
bool kg_is_macro(str key);
/* Find a macro; NULL: it is unknown. */
const struct kg_macro *kg_macro_find(str key);
/* Whether the macro replaces its object: true for all but kubegen.If and those that give objects. */
bool kg_macro_is_value(const struct kg_macro *m);
/* The result of @m for the argument @arg, whose place is @at. */
CHECKED int kg_macro_run(struct kg_eval *e, const struct kg_macro *m, val arg, const struct kg_place *at, val *ret);

/* ---- kg_string.c ---- */

/* Run Join, AsJSON, AsYAML or AsBASE64 for an evaluated argument. */
CHECKED int kg_string_run(struct kg_eval *e, const struct kg_macro *m, val arg, const struct kg_place *at, val *ret);
/* Append @v as JSON. */
CHECKED int kg_json(struct kg_eval *e, val v, struct buf *out, const struct kg_place *at);
/* Encode @bytes as Base64, as a text in the arena. */
CHECKED int kg_base64(struct kg_eval *e, str bytes, const struct kg_place *at, val *ret);

/* ---- kg_lookup.c ---- */

/* The value that the reference @ref leads to. Fails also when it is null. */
CHECKED int kg_lookup(struct kg_eval *e, str ref, const struct kg_place *at, val *ret);

/* ---- kg_merge.c ---- */

/* Merge @over over @under, both evaluated. @agree: a path that both have must have the same value in both. */
CHECKED int kg_merge(struct kg_eval *e, val over, val under, bool agree, const struct kg_place *at, val *ret);

/* ---- kg_file.c ---- */

/* The bytes of a file of the module, which live as long as the evaluation. */
CHECKED int kg_file_bytes(struct kg_eval *e, str name, const struct kg_place *at, str *ret);
/* As kg_file_bytes, as text: the file must be UTF-8. */
CHECKED int kg_file_text(struct kg_eval *e, str name, const struct kg_place *at, str *ret);
/* The value of a file, which is read as JSON or as YAML and evaluated; VAL_ABSENT when its condition is false. */
CHECKED int kg_file_value(struct kg_eval *e, str name, bool yaml, const struct kg_place *at, val *ret);
void kg_files_done(struct kg_eval *e);

#endif
