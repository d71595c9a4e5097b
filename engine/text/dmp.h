/* Character differences as diff-match-patch finds them (go-diff 1.4.0: DiffMain(a, b, false)).
 *
 * The score of a match is computed from these differences, so they follow the library in every choice. Work is on
 * code points; an invalid byte counts as U+FFFD. Where the library stops after a second of search, this search stops
 * after DMP_STEPS steps, or lim->diff_steps if they are fewer, and the rest counts as replaced. */
#ifndef TEXT_DMP_H
#define TEXT_DMP_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"

#define DMP_STEPS (300u * 1000 * 1000)

enum dmp_op { DMP_DELETE = -1, DMP_EQUAL = 0, DMP_INSERT = 1 };

struct dmp_diff {
	enum dmp_op op;
	const uint32_t *runes;
	size_t n;
};

_Static_assert(sizeof(struct dmp_diff) == 24, "up to one for each character of a text");

/* A list of differences in order; zero it before first use. The code points live in its arena. */
struct dmp_diffs {
	struct dmp_diff *p;
	size_t n, cap;
	struct arena arena;
};

/* Find the differences of two texts. Fails: E2BIG (a text above lim->diff_bytes, memory above lim->arena_bytes),
 * ENOMEM. */
CHECKED int dmp_diff(str a, str b, const struct limits *lim, struct dmp_diffs *ret, struct err *err);
void dmp_diffs_done(struct dmp_diffs *d);
void dmp_text(const struct dmp_diff *d, struct buf *out);

/* The number of bytes of all deleted and inserted text, as kube-compare adds them up. Equal texts cost one
 * comparison. */
CHECKED int dmp_score(str a, str b, const struct limits *lim, size_t *ret, struct err *err);

#endif
