/* Finding any of many texts in another one, however it is spelled there.
 *
 * A text is found as it is, in other case, with characters written as %41, \u0041, \x41, \/, &amp; or &#65;, and within
 * base64 of either alphabet, wherever its group of three bytes begins there. One pass over what is searched, some
 * nanoseconds a byte, for any number of texts. */
#ifndef MASK_NEEDLES_H
#define MASK_NEEDLES_H

#include "base/buf.h"

/* Shorter needles are parts of everyday words: what is blanked would reveal them. */
#define NEEDLE_LEAST 8

struct needles;

/* @texts are copied; those of less than NEEDLE_LEAST bytes are left out. Fails: ENOMEM. */
CHECKED int needles_new(const str *texts, size_t n, struct needles **ret, struct err *err);
void needles_free(struct needles *n); /* overwrites its copies */
DEFINE_CLEANUP(struct needles *, needles_free)

/* The next place of one in @text at or behind *from: from *from up to, not including, *to. NULL finds nothing. */
bool needles_find(const struct needles *n, str text, size_t *from, size_t *to);

/* Append @text with "***" for each. What is a part of one of @names, and stands in @text as this whole name, stays. */
void needles_replace(const struct needles *n, str text, const str *names, size_t n_names, struct buf *out);

#endif
