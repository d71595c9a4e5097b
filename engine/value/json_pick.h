/* A pick: which part of a text is built, when only some of it is read. It is a tree of names. */
#ifndef VALUE_JSON_PICK_H
#define VALUE_JSON_PICK_H

#include "base/arena.h"
#include "base/key.h"

enum json_pick_kind {
	PICK_NOTHING, /* null takes the place of the value */
	PICK_MEMBERS, /* some members of a map, as below; any other value is built whole */
	PICK_WHOLE,
};

/* A pick is immutable once made. It lives in an arena; its keys live there too, or in their table. */
struct json_pick {
	const struct key *key; /* the member that the pick is for; NULL: the root */
	enum json_pick_kind kind;
	/* PICK_MEMBERS: how members without a pick of their own are built. @others_whole: whole. @others_named: each
	 * as null under its name. Neither: one null member stands for all of them, which shows that there are some. */
	bool others_whole, others_named;
	uint32_t n;
	const struct json_pick *members; /* sorted by key */
};

/* Pick the value at the end of a way through maps, and any value that ends the way early. False without memory. */
bool json_pick_path(const str *names, size_t n, struct key_table *keys, struct arena *a, struct json_pick *ret);

/* Pick what @p or @q picks, under the key of @p. The result shares parts of both. False without memory. */
bool json_pick_both(const struct json_pick *p, const struct json_pick *q, struct arena *a, struct json_pick *ret);

/* The pick of the member @name; NULL: it has none of its own. */
const struct json_pick *json_pick_member(const struct json_pick *p, str name);

#endif
