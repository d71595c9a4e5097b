/* Matches patterns with stars, without recursion. */
#include "base/pattern.h"

/* A mismatch goes back to the last star: linear in practice. */
bool pattern_matches(str pattern, str text)
{
	size_t p = 0, t = 0, star = SIZE_MAX, mark = 0;

	while (t < text.n) {
		if (p < pattern.n && pattern.p[p] == '*') {
			star = p++;
			mark = t;
		} else if (p < pattern.n && pattern.p[p] == text.p[t]) {
			p++;
			t++;
		} else if (star != SIZE_MAX) {
			p = star + 1;
			t = ++mark;
		} else {
			return false;
		}
	}
	while (p < pattern.n && pattern.p[p] == '*')
		p++;
	return p == pattern.n;
}

bool pattern_allows(str pattern, str text)
{
	return pattern.n == 0 || pattern_matches(pattern, text);
}

bool pattern_any_matches(const str *patterns, size_t n, str text)
{
	for (size_t i = 0; i < n; i++) {
		if (pattern_matches(patterns[i], text))
			return true;
	}
	return false;
}

bool patterns_are_names(const str *patterns, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (str_find_byte(patterns[i], '*') >= 0)
			return false;
	}
	return n > 0;
}
