/* Regular expressions in the dialect of Python's module re (3.11), for text.
 *
 * The syntax is translated to PCRE2's, which searches without JIT. Features of PCRE2 that Python does not have
 * (verbs, recursion, callouts, its other escapes) are refused; syntax that PCRE2 accepts and Python does not, such
 * as a global flag in the middle, may be accepted. Classes are those of Unicode unless (?a) is in the pattern. */
#ifndef TEXT_PY_REGEX_H
#define TEXT_PY_REGEX_H

#include "base/err.h"
#include "base/str.h"

#define PY_REGEX_MAX (16u << 10) /* the most bytes of a pattern */

struct py_regex;

/* Compile a pattern. The result is immutable: threads may share it. Fails: EBADMSG with the mistake, E2BIG, ENOMEM. */
CHECKED int py_regex_compile(str pattern, struct py_regex **ret, struct err *err);
void py_regex_free(struct py_regex *re);
DEFINE_CLEANUP(struct py_regex *, py_regex_free)

/* Memory for searches, for one thread; a zeroed one is empty. The first search allocates it, and it is kept. */
struct py_regex_scratch {
	void *data, *context;
};
void py_regex_scratch_done(struct py_regex_scratch *s);

/* Search as re.search or, when @full, as re.fullmatch: 1 or 0. Each search takes at least one of *steps for each
 * byte of the text, and more when it backtracks much. Fails: E2BIG when the steps do not suffice, EBADMSG when @text
 * is no UTF-8, ENOMEM. */
CHECKED int py_regex_match(const struct py_regex *re, struct py_regex_scratch *s, str text, bool full, uint64_t *steps,
			   struct err *err);

#endif
