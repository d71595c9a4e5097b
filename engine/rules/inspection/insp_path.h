/* Places in objects that actions write to. An edit changes nothing in place, but copies what is on the way. */
#ifndef RULES_INSPECTION_PATH_H
#define RULES_INSPECTION_PATH_H

#include "rules/inspection/insp_work.h"

struct insp_path {
	const str *segments;
	size_t n; /* at least 1 */
};

/* Read a path from an argument. @data: it is a path of plugin data, in which only dots separate segments, and a list
 * is a list of segments. All lives in w->arena or views @v. Fails: EINVAL with what is wrong; E2BIG, ENOMEM. */
CHECKED int insp_path_read(struct insp_work *w, val v, bool data, struct insp_path *ret, struct err *err);
/* The segments of a JSON pointer behind its first "/". Fails: EINVAL, ENOMEM. */
CHECKED int insp_pointer_read(str pointer, struct arena *a, struct insp_path *ret, struct err *err);

enum insp_edit_kind {
	INSP_SET,    /* make missing maps on the way; "-" behind a list appends */
	INSP_EXTEND, /* INSP_SET, but append @value to the list at the place */
	INSP_DELETE, /* a missing value is no mistake */
};

struct insp_edit {
	enum insp_edit_kind kind;
	struct insp_path path;
	val value;
	bool unique;    /* for INSP_EXTEND: do not append a value that the list has */
	bool falsy_too; /* for INSP_EXTEND: null, false, 0, "" and {} at the place are replaced by a list */
	bool null_too;  /* null on the way counts as missing */
	bool known;     /* the first segment in the object must exist for INSP_DELETE, or when more segments follow */
	size_t object;  /* how many segments lead to the object that is edited */
};

/* Make an edited copy of @root. Fails: EINVAL with what is wrong, E2BIG, ENOMEM. */
CHECKED int insp_edit(struct insp_work *w, val root, const struct insp_edit *edit, val *ret, struct err *err);

/* Read a segment as an index of a list: "0", or digits without a leading zero. */
bool insp_index(str segment, uint32_t *ret);

#endif
