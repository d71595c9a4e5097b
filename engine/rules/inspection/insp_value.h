/* The arguments of conditions and actions, in which strings are format strings. */
#ifndef RULES_INSPECTION_VALUE_H
#define RULES_INSPECTION_VALUE_H

#include "mask/names.h"
#include "rules/inspection/insp_string.h"
#include "rules/inspection/insp_work.h"

struct insp_member;

/* A value in an argument: a constant, a string, a list or a map. */
struct insp_value {
	val constant; /* VAL_ABSENT: the value is not a constant */
	const struct insp_string *string;
	const struct insp_value *items;
	const struct insp_member *members;
	size_t n; /* number of items or members */
};

struct insp_member {
	struct insp_string key; /* a key always becomes text */
	struct insp_value value;
};

/* Read @v, which outlives the result, as does all in @a. Fails: ENOMEM, E2BIG. */
CHECKED int insp_value_read(val v, struct arena *a, struct insp_value *ret, struct err *err);

/* A document that rules read and edit. What masked rules see of it is a copy, to which every edit is applied as
 * well: so a value that was hidden once stays hidden, whatever happens to the names around it. */
struct insp_doc {
	val real;
	val seen;
	bool stale; /* "seen" does not hide anything yet of what was written since */
};

/* The values that the names of format strings stand for. */
struct insp_scope {
	struct insp_work *work;
	/* holds what masked rules see; lives as long as the run */
	struct arena *kept;
	bool masking;                                        /* some rules are masked */
	bool masked;                                         /* the present rule is masked */
	bool early;                                          /* only inventory and plugin_data exist */
	struct insp_doc node, ports, inventory, plugin_data; /* ports is a list */
	val item;                                            /* VAL_ABSENT: not in a loop */
	val groups;                                          /* the groups of the ports in groups_of, made on demand */
	val groups_of;
	const struct mask_fields *mask; /* what may not be shown; NULL: only what is always hidden */
	bool follows; /* the result may be shown: values that may not be are marked, and so is what is made of them */
	bool secret;  /* something that may not be shown was read since this was cleared */
};

static inline struct insp_doc insp_doc(val v)
{
	return (struct insp_doc){ v, v, true };
}

/* What the present rule sees of @d. Fails: E2BIG, ENOMEM. */
CHECKED int insp_see(struct insp_scope *s, struct insp_doc *d, val *ret, struct err *err);

/* Evaluate a value by interpolating its strings. The result lives in work->arena, or shares what the scope holds. A
 * string that fails stays as it is written; one with a field that does not exist becomes null when @null_missing. If
 * s->follows is set, what may not be shown is marked (mask_mark). Fails: E2BIG, ENOMEM. */
CHECKED int insp_evaluate(struct insp_scope *s, const struct insp_value *v, bool null_missing, val *ret,
			  struct err *err);

#endif
