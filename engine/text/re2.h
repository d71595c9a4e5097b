/* Go's regular expressions (package regexp of Go 1.24, the RE2 dialect with the Perl flags).
 *
 * The syntax is parsed here, with Go's error texts, and matched by one of three engines that give the same answers:
 *   - PCRE2 (no JIT), for patterns on which Perl's backtracking and RE2's leftmost-first choice agree;
 *   - a breadth-first machine, linear in text times pattern, for what PCRE2 would answer differently (unbounded
 * repetition of something that can match the empty string, text that is not UTF-8) and for searches that pass PCRE2's
 * match limit. So there is no catastrophic pattern; a search that takes too many steps even so fails with E2BIG;
 *   - for re2_matches, after a few calls, an automaton that texts build as they need it: one look-up per character. It
 * holds at most 64 KiB per expression; texts for which that is not enough go to the others.
 *
 * Text is bytes; an invalid byte matches as U+FFFD, one byte wide. Offsets are in bytes. A compiled expression is
 * immutable: threads may share it. Limits used: regex_match_limit (PCRE2 match limit; the other engine takes 128 times
 * that many steps), arena_bytes (memory of one compiled expression). */
#ifndef TEXT_RE2_H
#define TEXT_RE2_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

struct re2;

/* Compile @pattern into *ret. Fails: EBADMSG with Go's text ("error parsing regexp: missing closing ): `(a`"), cut at
 * the size of err->msg; the whole text is appended to @message unless that is NULL. ENOMEM, E2BIG. */
CHECKED int re2_compile(str pattern, const struct limits *lim, struct re2 **ret, struct buf *message, struct err *err);
void re2_free(struct re2 *re);
DEFINE_CLEANUP(struct re2 *, re2_free)

uint32_t re2_groups(const struct re2 *re); /* the number of capturing groups, without the whole match */
/* The name of group @i (1 to re2_groups); empty when it has none. Lives as long as @re. */
str re2_group_name(const struct re2 *re, uint32_t i);
/* The index of the first group of that name; 0: there is none. */
uint32_t re2_group_index(const struct re2 *re, str name);

/* The offsets of a group's match; both -1 when it took no part. */
struct re2_span {
	ptrdiff_t start;
	ptrdiff_t end;
};

/* Memory for searches of one expression in one text, by one thread. The expression and the text must outlive it. */
struct re2_search {
	const struct re2 *re;
	str text;
	void *pcre_data;        /* NULL: PCRE2 does not search this text, or has reached its limit in it */
	uint64_t steps;         /* the steps that our own machine has left for all searches of this text together */
	bool utf8;              /* the text is valid UTF-8 */
	uint32_t n_spans;       /* re2_groups + 1 */
	struct re2_span *spans; /* the groups of the last match */
	/* the state of FindAll */
	size_t at;
	ptrdiff_t last_end;
};

CHECKED int re2_search_init(struct re2_search *s, const struct re2 *re, str text, struct err *err);
void re2_search_done(struct re2_search *s);

/* Find the leftmost match that begins at @from or later, and fill s->spans. 1: found; 0: there is none; -E2BIG,
 * -ENOMEM. */
CHECKED int re2_search_from(struct re2_search *s, size_t from, struct err *err);
/* Find the next match of FindAll: matches do not overlap; an empty one directly behind another does not count.
 * Results as those of re2_search_from. */
CHECKED int re2_search_next(struct re2_search *s, struct err *err);

/* The part of the text that a group matched; {NULL, 0} when it took no part. */
static inline str re2_group(const struct re2_search *s, uint32_t i)
{
	if (i >= s->n_spans || s->spans[i].start < 0)
		return (str){ NULL, 0 };
	return str_sub(s->text, (size_t)s->spans[i].start, (size_t)s->spans[i].end);
}

/* MatchString: 1, 0 or a negative error. Threads that share @re share what earlier calls have found out about it;
 * none waits for another. */
CHECKED int re2_matches(const struct re2 *re, str text, struct err *err);
/* FindString: 1 with the leftmost match in *ret, 0, or a negative error. */
CHECKED int re2_find(const struct re2 *re, str text, str *ret, struct err *err);
/* FindAllString: at most @n matches (all when negative) in an array of *count in @a. */
CHECKED int re2_find_all(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count,
			 struct err *err);
/* Split: no pieces when @n is 0, at most @n when it is positive. */
CHECKED int re2_split(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count,
		      struct err *err);
/* ReplaceAllString: append @text with each match replaced by @with, in which $1, ${1}, $name, ${name} and $$ are
 * expanded unless @literal. */
CHECKED int re2_replace_all(const struct re2 *re, str text, str with, bool literal, struct buf *out, struct err *err);
/* Append the result of QuoteMeta. */
void re2_quote_meta(str text, struct buf *out);

#endif
