/* What of an object the rules of its kind can see. An object of which that is the same, and against which they had
 * nothing, passes them again. */
#ifndef RULES_RULES_VIEW_H
#define RULES_RULES_VIEW_H

#include "rules/kind_rules.h"
#include "value/json_pick.h"

struct rules_way {
	const str *names;
	size_t n;
};

struct rules_view {
	bool known; /* else nothing can be said: a rule compares with an older value, or there was no memory */
	struct arena arena;
	VEC(struct rules_way) ways; /* through maps, to what is read with all below it */
	struct json_pick pick;      /* of a text, to have the hash of the whole object */
};

/* Of @k, which may go. @keys is that of the texts that are picked from. */
void rules_view_init(struct rules_view *v, const struct kind_rules *k, struct key_table *keys);
void rules_view_done(struct rules_view *v);

/* Of an object, or of what v->pick picked of its text; never 0. */
uint64_t rules_view_hash(const struct rules_view *v, val object);

#endif
