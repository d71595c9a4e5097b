/* Mistakes in an expression, printed as cel-go prints them: one block each, in the order of their places.
 *   ERROR: <input>:1:5: found no matching overload for 'size' applied to '(int)'
 *    | size(self) == 10
 *    | ....^ */
#ifndef CEL_ISSUES_H
#define CEL_ISSUES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#define CEL_ISSUES_MAX 100

struct cel_error;

struct cel_issue {
	uint32_t at;
	str text;
};

struct cel_issues {
	struct arena *arena;
	str source;
	struct cel_issue list[CEL_ISSUES_MAX];
	uint32_t n;
	bool no_memory;
};

void cel_issue_add(struct cel_issues *is, uint32_t at, const char *fmt, ...) PRINTF(3, 4);
/* The line (from 1) and the column (from 1, in characters) of a byte offset. */
void cel_position(str source, uint32_t at, uint32_t *line, uint32_t *column);
void cel_issues_format(struct cel_issues *is, struct buf *out);

/* Print an error of the evaluation of @source for people, as cel_compile prints mistakes; only the text when it has
 * no place (the cost limit has none). */
void cel_error_format(const struct cel_error *e, str source, struct buf *out);

#endif
