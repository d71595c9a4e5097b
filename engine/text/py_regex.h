/* Regular expressions in the dialect of Python's module re (3.11), for text.
 *
 * The syntax is translated to PCRE2's, which searches without JIT. What PCRE2 has beyond Python (verbs, recursion,
 * callouts, its other escapes) is refused; what it takes for well-formed and Python does not, such as a global flag in
 * the middle, may be accepted. Classes are those of Unicode unless (?a) stands in the pattern. */
#ifndef TEXT_PY_REGEX_H
#define TEXT_PY_REGEX_H

#include "base/err.h"
#include "base/str.h"

#define PY_REGEX_MAX (16u << 10) /* bytes of a pattern */

struct py_regex;

/* Fails: EBADMSG with what is wrong, E2BIG, ENOMEM. The result is immutable: threads may share it. */
CHECKED int py_regex_compile(str pattern, struct py_regex **ret, struct err *err);
void py_regex_free(struct py_regex *re);
DEFINE_CLEANUP(struct py_regex *, py_regex_free)

/* Memory of searches, for one thread; a zeroed one is empty. It grows with the first search and is kept. */
struct py_regex_scratch {
	void *data, *context;
};
void py_regex_scratch_done(struct py_regex_scratch *s);

/* re.search, or re.fullmatch when @full: 1 or 0. Each search takes at least a step for each byte of the text away from
 * *steps, and one that goes back much takes more. Fails: E2BIG when they do not suffice, EBADMSG when @text is no
 * UTF-8, ENOMEM. */
CHECKED int py_regex_match(const struct py_regex *re, struct py_regex_scratch *s, str text, bool full, uint64_t *steps,
			   struct err *err);

#endif
