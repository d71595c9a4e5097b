/* One field-level difference between the rendered reference and an object. */
#ifndef COMPARE_CHANGE_H
#define COMPARE_CHANGE_H

#include "value/path.h"

struct event_set_rule;

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
	str path_text;  /* the path as it may be shown */
	val expected;   /* VAL_ABSENT for CHANGE_CREATE */
	val actual;     /* VAL_ABSENT for CHANGE_DELETE */
	bool sensitive; /* the values may not be shown (mask.h) */
	/* the event rule that is the best for the change (rules/event_review.h); NULL: none */
	const struct event_set_rule *rule;
	const char *why; /* why the two values differ, a text that lasts; NULL: no reason is given */
};

/* The most changes that are listed: as many as a reader can go through one by one. Their paths have a limit of their
 * own, since each path is as long as the document is deep. */
#define CHANGES_MAX 256
#define CHANGES_SEGMENTS_MAX (32 * 1000)
#define CHANGES_TEXT_MAX (1u << 20)

struct changes {
	struct change *p;
	size_t n;     /* the first changes, except those whose path alone is too long */
	size_t total; /* all changes */
	/* the changes that are not listed, encoded so that equal ones have equal texts, also in another process */
	str rest;
};

const char *change_kind_name(enum change_kind k); /* "create", "delete", "modify" */

#endif
