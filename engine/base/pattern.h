/* Patterns in which "*" stands for any text, an empty one too, and all else for itself. */
#ifndef BASE_PATTERN_H
#define BASE_PATTERN_H

#include "base/str.h"

/* Whether @pattern matches all of @text. */
bool pattern_matches(str pattern, str text);
/* As pattern_matches, for a pattern that may be left out: the empty one matches all texts. */
bool pattern_allows(str pattern, str text);
/* Whether one of the patterns matches. */
bool pattern_any_matches(const str *patterns, size_t n, str text);
/* Whether each is for one text only; false also when there are none, which mostly means all texts. */
bool patterns_are_names(const str *patterns, size_t n);

#endif
