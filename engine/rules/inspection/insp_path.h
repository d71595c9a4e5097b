/* Places in objects that actions write to. Nothing is changed in place: an edit makes a copy of what is on the way. */
#ifndef RULES_INSPECTION_PATH_H
#define RULES_INSPECTION_PATH_H

#include "rules/inspection/insp_work.h"

struct insp_path {
	const str *segments;
	size_t n; /* at least 1 */
};

/* A path as an argument gives it. @data: of plugin data, where only dots separate, and a list is the segments
 * themselves. All lives in w->arena or views @v. Fails: EINVAL with what is wrong; E2BIG, ENOMEM. */
CHECKED int insp_path_read(struct insp_work *w, val v, bool data, struct insp_path *ret, struct err *err);
/* The segments of a JSON pointer behind its first "/". Fails: EINVAL, ENOMEM. */
CHECKED int insp_pointer_read(str pointer, struct arena *a, struct insp_path *ret, struct err *err);

enum insp_edit_kind {
	INSP_SET,    /* missing maps on the way are made; "-" behind a list appends */
	INSP_EXTEND, /* the same, with a list at the place, which @value is appended to */
	INSP_DELETE, /* what is missing is no mistake */
};

struct insp_edit {
	enum insp_edit_kind kind;
	struct insp_path path;
	val value;
	bool unique;    /* of INSP_EXTEND: not when an equal element is there */
	bool falsy_too; /* of INSP_EXTEND: null, false, 0, "" and {} at the place are replaced by a list */
	bool null_too;  /* null on the way counts as missing */
	bool known;     /* the first segment of the object must exist, for INSP_DELETE, or when more follow */
	size_t object;  /* segments before it: where the object is that is edited */
};

/* A copy of @root, edited. Fails: EINVAL with what is wrong, E2BIG, ENOMEM. */
CHECKED int insp_edit(struct insp_work *w, val root, const struct insp_edit *edit, val *ret, struct err *err);

/* The index that a segment is in a list: "0", or digits without a leading zero. */
bool insp_index(str segment, uint32_t *ret);

#endif
