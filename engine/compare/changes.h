/* The field-level differences between the rendered reference and the object. */
#ifndef COMPARE_CHANGES_H
#define COMPARE_CHANGES_H

#include "base/err.h"
#include "mask/mask.h"
#include "value/path.h"

/* ORDER change_kind */
enum change_kind {
	CHANGE_CREATE, /* the object has it, the reference does not */
	CHANGE_DELETE, /* the reference has it, the object does not */
	CHANGE_MODIFY,
	CHANGE_KINDS,
};

struct change {
	enum change_kind kind;
	struct path path;
	str path_text;  /* as it may be shown */
	val expected;   /* VAL_ABSENT for CHANGE_CREATE */
	val actual;     /* VAL_ABSENT for CHANGE_DELETE */
	bool sensitive; /* the values may not be shown (mask.h) */
};

/* How many are listed: as many as can be looked at one by one. Their paths have a ceiling of their own, since each of
 * them is as long as the document is deep. */
#define CHANGES_MAX 256
#define CHANGES_SEGMENTS_MAX (32 * 1000)
#define CHANGES_TEXT_MAX (1u << 20)

struct changes {
	struct change *p;
	size_t n;     /* the first of them; none whose path alone is too long */
	size_t total; /* all */
	str rest;     /* what the others are, in a form of its own: equal for equal ones, also in another process */
};

const char *change_kind_name(enum change_kind k); /* "create", "delete", "modify" */

/* The differences in path order, at the smallest place that differs: a member of a map, an item of a list. Lists in
 * which every item is a map with a "name" of its own are matched by name, so that one inserted item is one change; if
 * only their order differs, the list itself is one change whose values are the lists of names. Other lists are matched
 * by index. Numbers are equal by value (1 and 1.0), exactly. An absent side counts as nothing: everything of the other
 * is created or deleted, at its root. Time is linear in the size of both, whatever differs. @mask (may be NULL): what
 * may not be shown besides the usual. The result lives in @a; values are shared with @expected and @actual. Fails:
 * ENOMEM. */
CHECKED int changes_find(val expected, val actual, const struct mask_fields *mask, struct arena *a, struct changes *ret,
			 struct err *err);

/* Whether there is any difference; needs no memory. */
bool changes_any(val expected, val actual);

/* The bytes of all that differs (val_bytes), in *ret. @a is for the walk. Fails: ENOMEM. */
CHECKED int changes_weigh(val expected, val actual, struct arena *a, size_t *ret, struct err *err);

#endif
