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

uint32_t re2_groups(const struct re2 *re); /* capturing groups, the whole match not counted */
/* The name of group @i (1 to re2_groups); empty when it has none. Lives as long as @re. */
str re2_group_name(const struct re2 *re, uint32_t i);
/* The first group of that name, or 0. */
uint32_t re2_group_index(const struct re2 *re, str name);

/* Where a group matched; both -1 when it took no part. */
struct re2_span {
	ptrdiff_t start;
	ptrdiff_t end;
};

/* Scratch for searches of one expression in one text, by one thread. Both outlive it. */
struct re2_search {
	const struct re2 *re;
	str text;
	void *pcre_data;        /* NULL: PCRE2 does not search, or ran into its limit here once */
	uint64_t steps;         /* left for our own machine, in all searches of this text together */
	bool utf8;              /* the text is valid */
	uint32_t n_spans;       /* re2_groups + 1 */
	struct re2_span *spans; /* of the last match */
	/* FindAll: */
	size_t at;
	ptrdiff_t last_end;
};

CHECKED int re2_search_init(struct re2_search *s, const struct re2 *re, str text, struct err *err);
void re2_search_done(struct re2_search *s);

/* The leftmost match that starts at @from or behind, with s->spans filled. 1: found, 0: none; -E2BIG, -ENOMEM. */
CHECKED int re2_search_from(struct re2_search *s, size_t from, struct err *err);
/* The next match of FindAll: matches do not overlap, an empty one directly behind another does not count. As above. */
CHECKED int re2_search_next(struct re2_search *s, struct err *err);

/* The part of the text that a group matched; {NULL, 0} when it took no part. */
static inline str re2_group(const struct re2_search *s, uint32_t i)
{
	if (i >= s->n_spans || s->spans[i].start < 0)
		return (str){ NULL, 0 };
	return str_sub(s->text, (size_t)s->spans[i].start, (size_t)s->spans[i].end);
}

/* MatchString: 1, 0 or a negative error. Threads that share @re share what earlier calls found out about it; none waits
 * for another. */
CHECKED int re2_matches(const struct re2 *re, str text, struct err *err);
/* FindString: 1 with the leftmost match in *ret, 0, or a negative error. */
CHECKED int re2_find(const struct re2 *re, str text, str *ret, struct err *err);
/* FindAllString: at most @n (all when negative) into an array of *count in @a. */
CHECKED int re2_find_all(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count,
			 struct err *err);
/* Split: 0 pieces for @n 0, at most @n when positive. */
CHECKED int re2_split(const struct re2 *re, str text, ptrdiff_t n, struct arena *a, str **ret, size_t *count,
		      struct err *err);
/* ReplaceAllString: append @text with each match replaced by @with, in which $1, ${1}, $name, ${name} and $$ are
 * expanded unless @literal. */
CHECKED int re2_replace_all(const struct re2 *re, str text, str with, bool literal, struct buf *out, struct err *err);
/* QuoteMeta. */
void re2_quote_meta(str text, struct buf *out);

#endif
