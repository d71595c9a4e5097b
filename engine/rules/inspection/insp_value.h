/* Arguments of conditions and actions: values in which strings are format strings. */
#ifndef RULES_INSPECTION_VALUE_H
#define RULES_INSPECTION_VALUE_H

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

/* What the names of format strings stand for. */
struct insp_scope {
	struct insp_work *work;
	bool early;      /* only inventory and plugin_data are there */
	bool masked;     /* mask_secrets */
	val node, ports; /* ports: a list */
	val inventory, plugin_data;
	val item;   /* VAL_ABSENT: not in a loop */
	val groups; /* of these ports, made when they are asked for */
	val groups_of;
};

/* The value with its strings interpolated; it lives in work->arena, or shares what the scope holds. A string that fails
 * stays as it is written; one with a field that does not exist becomes null when @null_missing. Fails: E2BIG, ENOMEM.
 */
CHECKED int insp_evaluate(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret,
			  struct err *err);

#endif
