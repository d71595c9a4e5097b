/* A pick: the part of a text that is built, where only some of it is read. It is a tree of names. */
#ifndef VALUE_JSON_PICK_H
#define VALUE_JSON_PICK_H

#include "base/arena.h"
#include "base/key.h"

enum json_pick_kind {
	PICK_NOTHING, /* null stands in its place */
	PICK_MEMBERS, /* of a map some members, as below; what is no map is built whole */
	PICK_WHOLE,
};

/* Immutable once made; lives in an arena, as do its keys or in their table. */
struct json_pick {
	const struct key *key; /* the member that it is for; NULL: the root */
	enum json_pick_kind kind;
	/* PICK_MEMBERS: what becomes of members without a pick of their own. They are built whole, or each is null
	 * under its name, or one that is null stands for them all: that there are any is still seen. */
	bool others_whole, others_named;
	uint32_t n;
	const struct json_pick *members; /* sorted by key */
};

/* The value at the end of the way through maps, and what ends that way early. False without memory. */
bool json_pick_path(const str *names, size_t n, struct key_table *keys, struct arena *a, struct json_pick *ret);

/* What either of them picks, under the key of @p. Shares with both. False without memory. */
bool json_pick_both(const struct json_pick *p, const struct json_pick *q, struct arena *a, struct json_pick *ret);

/* The pick of the member @name; NULL: it has none of its own. */
const struct json_pick *json_pick_member(const struct json_pick *p, str name);

#endif
