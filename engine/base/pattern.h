/* Patterns in which "*" stands for any text, also an empty one, and every other character for itself. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/str.h"

/* Whether @pattern matches all of @text. */
bool pattern_matches(str pattern, str text);
/* As pattern_matches, for an optional pattern: an empty one matches all texts. */
bool pattern_allows(str pattern, str text);
/* Whether any of the patterns matches. */
bool pattern_any_matches(const str *patterns, size_t n, str text);
/* Whether each pattern matches one text only; false also without patterns, which mostly means all texts. */
bool patterns_are_names(const str *patterns, size_t n);

#endif
