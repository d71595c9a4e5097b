/* YAML with positions: a document as nodes that know their line and column, for messages that say file:line:column. */
#ifndef VALUE_NODE_H
#define VALUE_NODE_H

#include "base/arena.h"
#include "base/assert.h"
#include "base/limits.h"
#include "base/problems.h"
#include "value/path.h"

enum node_kind { NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
	enum node_kind kind;
	bool plain; /* a scalar without quotes, which may be a number, a boolean or null */
	const char *file;
	size_t line, column;          /* from 1 */
	str text;                     /* the text of a scalar */
	size_t n;                     /* how many items or pairs there are */
	struct node **items;          /* the items of a list */
	struct node **keys, **values; /* a map, in the order of the text; keys are scalars, and none occurs twice */
};

/* Parse the first document of @text; the tree lives in @a. An empty document gives an empty map. Mistakes (syntax,
 * aliases, repeated keys) are added to @problems. Fails: EBADMSG (see @problems), ENOMEM. */
CHECKED int node_parse(str text, const char *file, const struct limits *limits, struct arena *a, struct node **ret,
		       struct problems *problems, struct err *err);

const struct node *node_get(const struct node *map, const char *key); /* NULL when absent */
bool node_is_null(const struct node *n);

/* How many items @n has. A value that is no list counts as a list of one item. */
static inline size_t node_count(const struct node *n)
{
	return n->kind == NODE_LIST ? n->n : 1;
}

static inline const struct node *node_item(const struct node *n, size_t i)
{
	ASSERT(n->kind == NODE_LIST ? i < n->n : i == 0);
	return n->kind == NODE_LIST ? n->items[i] : n;
}

/* Add the mistake "file:line:column: message". */
void node_problem(const struct node *at, struct problems *problems, const char *fmt, ...) PRINTF(3, 4);
/* "file:line:column" in @a. */
str node_where(const struct node *n, struct arena *a);

/* Find @p in the first document of @text, for messages about a document that another reader decoded (JSON too): the
 * line and column, from 1, of the key or list item at the end of @p, or of the last one on the way that exists.
 * Aliases and merge keys are followed. @p has no names of items. False when libyaml does not read the text, or
 * without memory. */
bool node_locate(str text, struct path p, size_t *line, size_t *column);

/* Find a key that occurs twice in an object of the first document of @text. 1: *key, in @a, has its second place at
 * *line and *column. 0: there is none. Keys from a merge key do not count, and a text that libyaml does not read
 * passes. Fails: ENOMEM. */
CHECKED int node_repeated_key(str text, struct arena *a, str *key, size_t *line, size_t *column);

/* Fail with EBADMSG and the line and column when an object of the first document of @text has a key twice, for
 * readers that let the last one win. Fails also: ENOMEM. */
CHECKED int node_refuse_repeated_keys(str text, struct err *err);

#endif
