/* Finds any of many texts in another one, however it is spelled there.
 *
 * A text is found as it is, in other case, with characters written as %41, \u0041, \x41, \/, &amp; or &#65;, and
 * within base64 of either alphabet, wherever its group of three bytes begins there. The search is one pass, some
 * nanoseconds a byte, for any number of texts. */
#ifndef MASK_NEEDLES_H
#define MASK_NEEDLES_H

#include "base/buf.h"

/* The least length of a needle. Shorter ones are parts of everyday words, and hiding these would reveal the needle. */
#define NEEDLE_LEAST 8

struct needles;

/* Make needles of copies of @texts, without those of less than NEEDLE_LEAST bytes. Fails: ENOMEM. */
CHECKED int needles_new(const str *texts, size_t n, struct needles **ret, struct err *err);
void needles_free(struct needles *n); /* also overwrites the copies */
DEFINE_CLEANUP(struct needles *, needles_free)

/* Find the next needle in @text at or behind *from. It is at *from up to, but not including, *to. NULL finds
 * nothing. */
bool needles_find(const struct needles *n, str text, size_t *from, size_t *to);

/* Append @text with "***" in the place of each needle. A needle that is part of one of @names stays, if this whole
 * name is in @text. */
void needles_replace(const struct needles *n, str text, const str *names, size_t n_names, struct buf *out);

#endif
