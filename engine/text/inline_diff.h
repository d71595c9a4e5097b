/* The inline diff functions of kube-compare: how a field of a template that holds an expression is compared.
 *
 *   regex          the whole template value is a regular expression; on a match the value becomes the text that it
 * matched capturegroups  only (?<name>…) parts are expressions; each that matches is replaced by what it matched
 *
 * Named groups are shared between the calls for one object: a group that captured different values is shown as
 * (?<name>=first), with a warning behind the text. */
#ifndef TEXT_INLINE_DIFF_H
#define TEXT_INLINE_DIFF_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/vec.h"
#include "value/val.h"

enum inline_func { INLINE_REGEX, INLINE_CAPTUREGROUPS };

bool inline_func_from_name(str name, enum inline_func *ret);

/* The values that groups have captured, by name, in order of arrival, each once. Zero it, set @arena (to which texts
 * and names are copied), and call inline_captures_done. */
struct inline_captures {
	struct arena *arena;
	/* Called for each part of a template value with groups, and the part of the live value at its place, before
	 * the two are matched; may be NULL. */
	void (*pair)(void *ctx, str pattern, str value);
	void *ctx;
	VEC(struct inline_capture {
		str name;
		VEC(str) values;
	})
	groups; /* sorted by name */
};

void inline_captures_done(struct inline_captures *c);

/* Run one call: append the text that replaces @pattern when @value is compared with it, and add to @caps. Fails:
 * EINVAL where kube-compare dies of a slice out of bounds (a named group took no part; or a match that does not
 * begin with the value has one, because it counts offsets from the wrong place); E2BIG; ENOMEM. */
CHECKED int inline_diff(enum inline_func func, str pattern, str value, const struct limits *lim,
			struct inline_captures *caps, struct buf *out, struct err *err);

/* Append the mistakes of @pattern (a line for each), nothing when it is valid. Fails: ENOMEM, E2BIG. */
CHECKED int inline_validate(enum inline_func func, str pattern, const struct limits *lim, struct buf *message,
			    struct err *err);

/* The capture groups of a template value, [start, end) of each, in @ret (release it with vec_done). False without
 * memory. */
struct inline_group {
	str name;
	size_t start, end;
};
struct inline_groups {
	VEC(struct inline_group) v;
};
bool inline_groups(str pattern, struct inline_groups *ret);
/* Append @pattern as one regular expression, in which text outside of groups matches itself. */
void inline_quote(str pattern, const struct inline_groups *groups, struct buf *out);

/* Options of a field: which lines of the reference's value are left out. */
enum { INLINE_IGNORE_HASH_LINES = 1, INLINE_IGNORE_SLASH_LINES = 2 };

str inline_option_name(size_t i);      /* the name of option @i; .p is NULL behind the last */
unsigned inline_option_find(str name); /* the bit of an option; 0: there is none of this name */

/* Append @value without the lines that begin, after white space, with "#" or "//", according to the options @which.
 * All other lines keep their ends. */
void inline_leave_out(str value, unsigned which, struct buf *out);

/* A field and the function that compares it. */
struct inline_field {
	str path; /* the path, as path_to_list reads it */
	enum inline_func func;
	unsigned options;
};

/* Callbacks of inline_apply; both may be NULL. */
struct inline_trace {
	/* called before the field is compared for the first time */
	void (*field)(void *ctx, const struct inline_field *field);
	void (*pair)(void *ctx, str pattern, str value); /* called for each pair that struct inline_captures has */
	void *ctx;
};

/* Run the functions over the fields of @object, in the order of their paths, twice: all captures are collected
 * first. *ret is @object with the results; it shares the unchanged values. Mistakes in single fields are appended to
 * @problems, a line each, and those fields stay as they are. @trace may be NULL. Fails as inline_diff. */
CHECKED int inline_apply(const struct inline_field *fields, size_t n, val object, val cluster, const struct limits *lim,
			 const struct inline_trace *trace, struct arena *a, val *ret, struct buf *problems,
			 struct err *err);

#endif
