/* The place of a value: a document and the way down to it. Places are made while a document is walked and live in
 * the arena of the evaluation. Line and column are only determined when a message needs them. */
#ifndef KUBEGEN_KG_PLACE_H
#define KUBEGEN_KG_PLACE_H

#include "base/err.h"
#include "value/val.h"

struct kg_document {
	str label; /* the name of the document in messages: a path, or "parameter 'x'" */
	str text;  /* the text, YAML or JSON; empty: messages name no lines */
};

struct kg_place {
	const struct kg_document *in;
	const struct kg_place *up; /* NULL: the root of the document */
	const struct key *key;     /* the key of a member of the map at @up; NULL: see @index */
	uint32_t index;            /* the index of an item of the list at @up */
};

/* Make the place of the root of a document, of a member, of an item; in @a. NULL without memory, and for a NULL @up
 * or @key. */
const struct kg_place *kg_place_root(struct arena *a, str label, str text);
const struct kg_place *kg_place_member(struct arena *a, const struct kg_place *up, const struct key *key);
const struct kg_place *kg_place_item(struct arena *a, const struct kg_place *up, uint32_t index);

/* Fill *err with "label:line:column: path: message" and return -code. */
CHECKED int kg_fail(const struct kg_place *at, int code, struct err *err, const char *fmt, ...) PRINTF(4, 5);

#ifdef __clang_analyzer__ /* see base/err.h */
#define kg_fail(...) err_is_negative(kg_fail(__VA_ARGS__))
#endif

/* ---- lists and maps that know their place ---- */

/* Allocate room for @n elements of @size bytes in @a, with the place before them. NULL without memory. */
void *kg_placed_array(struct arena *a, size_t n, size_t size, const struct kg_place *at);
/* The place of the list or map @v, whose elements must be in an array of kg_placed_array, as those of all results of
 * an evaluation are. */
const struct kg_place *kg_place_of(val v);

#endif
