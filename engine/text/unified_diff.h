/* The differences of two texts as "diff -u -N" of GNU diffutils 3.8 prints them, byte for byte, without the two header
 * lines. */
#ifndef TEXT_UNIFIED_DIFF_H
#define TEXT_UNIFIED_DIFF_H

#include "base/buf.h"
#include "base/limits.h"

/* Append the hunks; nothing when the texts are equal (which costs one comparison of the bytes). Lines end in "\n"; a
 * last line without it equals only another such line, and is marked. Limits: each text at most lim->diff_bytes. Time
 * is bounded: a search that takes longer than UNIFIED_DIFF_STEPS, or lim->diff_steps, continues less thoroughly, and
 * only then may the result differ from that of GNU diff (and not be minimal). Fails: E2BIG, ENOMEM. */
CHECKED int unified_diff(str a, str b, const struct limits *lim, struct buf *out, struct err *err);

#define UNIFIED_DIFF_STEPS (400u * 1000 * 1000)

#endif
