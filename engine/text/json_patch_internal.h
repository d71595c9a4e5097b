/* A JSON value that remains text until a patch reaches into it. */
#ifndef TEXT_JSON_PATCH_INTERNAL_H
#define TEXT_JSON_PATCH_INTERNAL_H

#include "text/json_patch.h"
#include "text/json_raw.h"

enum node_kind { NODE_RAW, NODE_OBJECT, NODE_ARRAY };

/* A node. NULL instead of a node means null inside of objects and arrays, and "no value". */
struct node {
	enum node_kind kind;
	bool is_null;                /* NODE_RAW: no text; NODE_OBJECT: null was read as an object without members */
	str raw;                     /* the trimmed text, which remains when the node is opened */
	struct node_member *members; /* NODE_OBJECT: sorted; NODE_ARRAY: keys unused */
	size_t n, cap;
};

struct node_member {
	str key;
	struct node *value;
};

struct patcher {
	struct arena arena;
	const struct limits *lim;
	struct err *err;
};

struct node *node_raw(struct patcher *p, str raw); /* NULL without memory */
/* Open the node as an object or array: 0, -EBADMSG when it is something else (no message set), -ENOMEM. */
int node_open(struct patcher *p, struct node *n, enum node_kind kind);
/* The index of @key among the members, or where it would be; *found says which. */
size_t node_find(const struct node *n, str key, bool *found);
bool node_insert(struct patcher *p, struct node *n, size_t at, str key, struct node *value);
void node_remove(struct node *n, size_t at);
bool node_set(struct patcher *p, struct node *n, str key, struct node *value); /* sets a member of an object */
/* Append the text of a node; NULL gives null. */
void node_write(const struct node *n, struct buf *out);

int patcher_text(struct patcher *p, str s);

#endif
