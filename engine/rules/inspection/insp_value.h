/* Arguments of conditions and actions: values in which strings are format strings. */
#ifndef RULES_INSPECTION_VALUE_H
#define RULES_INSPECTION_VALUE_H

#include "mask/names.h"
#include "rules/inspection/insp_string.h"
#include "rules/inspection/insp_work.h"

struct insp_member;

/* One of: a constant, a string, a list, a map. */
struct insp_value {
	val constant; /* VAL_ABSENT: it is one of the others */
	const struct insp_string *string;
	const struct insp_value *items;
	const struct insp_member *members;
	size_t n; /* of items or members */
};

struct insp_member {
	struct insp_string key; /* always text */
	struct insp_value value;
};

/* Read @v, which outlives the result, as all in @a does. Fails: ENOMEM, E2BIG. */
CHECKED int insp_value_read(val v, struct arena *a, struct insp_value *ret, struct err *err);

/* A document that rules read and edit, and what masked rules see of it: a copy of its own, which every edit is applied
 * to as well. So what was hidden once stays hidden, whatever is made of the names around it. */
struct insp_doc {
	val real;
	val seen;
	bool stale; /* of what was written since, "seen" hides nothing yet */
};

/* What the names of format strings stand for. */
struct insp_scope {
	struct insp_work *work;
	struct arena *kept;                                  /* of what is seen: as long as the run */
	bool masking;                                        /* some rules are masked */
	bool masked;                                         /* this one is */
	bool early;                                          /* only inventory and plugin_data are there */
	struct insp_doc node, ports, inventory, plugin_data; /* ports: a list */
	val item;                                            /* VAL_ABSENT: not in a loop */
	val groups;                                          /* of groups_of, made when they are asked for */
	val groups_of;
	const struct mask_fields *mask; /* what may not be shown; NULL: what is never */
	bool follows; /* what is evaluated may come to be shown: values that may not are marked, and what is made of
			 them */
	bool secret;  /* something that may not be shown was read, since somebody cleared it */
};

static inline struct insp_doc insp_doc(val v)
{
	return (struct insp_doc){ v, v, true };
}

/* What the rule sees of @d. Fails: E2BIG, ENOMEM. */
CHECKED int insp_see(struct insp_scope *s, struct insp_doc *d, val *ret, struct err *err);

/* The value with its strings interpolated; it lives in work->arena, or shares what the scope holds. A string that fails
 * stays as it is written; one with a field that does not exist becomes null when @null_missing. Where @s follows, what
 * may not be shown is marked (mask_mark). Fails: E2BIG, ENOMEM. */
CHECKED int insp_evaluate(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret,
			  struct err *err);

#endif
