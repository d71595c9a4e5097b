/* The open findings, filtered and in order, as a stream of parts. */
#ifndef DAEMON_VIEW_FINDINGS_LIST_H
#define DAEMON_VIEW_FINDINGS_LIST_H

#include "base/slice_sort.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/findings.h"
#include "daemon/view/finding_filter.h"

/* What it says in one line, as a list may show it: what may hold values of an object, only for who is @trusted. */
str finding_listed_summary(const struct finding *x, bool trusted);

/* What of the findings passes, in the order of the filter. */
struct findings_cursor;

/* Begin to find it: of the findings that are open now, each is looked at as it is when its turn comes. The texts of the
 * filter are borrowed until it is made. Only @n of them are given, those behind the first @first: of few that costs
 * less than of all. Fails: ENOMEM. */
CHECKED int findings_cursor_begin(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
				  struct findings_cursor **ret, struct err *err);
/* Some of that, until about @until_ns (uv_hrtime). 1: there is more to do; 0: it is made, and the rest may be called.
 * Fails: ENOMEM, ESTALE (another driftd's findings took the place of these: adoption.h). */
CHECKED int findings_cursor_make(struct findings_cursor *c, uint64_t until_ns, struct err *err);
/* findings_cursor_begin and findings_cursor_make at once, for few findings. A cursor over gaps is always made at
 * once. */
CHECKED int findings_cursor_page(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
				 struct findings_cursor **ret, struct err *err);
/* As findings_cursor_page, with all findings that pass. */
CHECKED int findings_cursor_new(struct findings *f, const struct finding_filter *filter, struct findings_cursor **ret,
				struct err *err);
void findings_cursor_free(struct findings_cursor *c);
size_t findings_cursor_count(const struct findings_cursor *c); /* of all that passed */
/* The next one that is still open, as it is now; NULL: none is left. */
const struct finding *findings_cursor_next(struct findings_cursor *c);

/* ---- by their cause ---- */

struct findings_group {
	char cause[FINDING_ID_SIZE];
	str key; /* of its worst, and then oldest finding */
	size_t count;
	enum severity severity; /* of that one, which began at */
	int64_t first_usec;
	int64_t since_usec; /* when the oldest of all began */
};

struct findings_groups {
	struct arena arena;
	VEC(struct findings_group) list; /* once they are made: the worst first, then the oldest */
	size_t n_findings;               /* of all */
	struct strmap by_cause;          /* while findings are added: its text -> the index in the list, and one */
	struct buf text;                 /* scratch */
	struct findings_looked *looked;  /* at the findings: NULL: that is over, or they are added */
	struct slice_sort sort;
	bool sorted; /* or it is being done */
};

/* Begin to find what of the findings passes, as findings_cursor_begin does. findings_groups_done is due whatever comes
 * of it. Fails: ENOMEM. */
CHECKED int findings_groups_begin(struct findings_groups *g, struct findings *f, const struct finding_filter *filter,
				  struct err *err);
/* Instead of findings_groups_begin: add the findings one by one, in any order, when more of each has to be looked at
 * than the filter does. */
void findings_groups_init(struct findings_groups *g);
CHECKED int findings_groups_add(struct findings_groups *g, const struct findings *f, const struct finding *x,
				struct err *err);
/* Make some of the groups, until about @until_ns (uv_hrtime), after findings_groups_begin or findings_groups_add. 1:
 * there is more to do; 0: they are made. Fails: ENOMEM. */
CHECKED int findings_groups_make(struct findings_groups *g, uint64_t until_ns, struct err *err);
void findings_groups_done(struct findings_groups *g);
/* The next group before the one at @end, from *at on, of which something is still open, and in *first its worst
 * finding; NULL: none is left. */
const struct findings_group *findings_groups_next(const struct findings_groups *g, const struct findings *f, size_t *at,
						  size_t end, const struct finding **first);

#endif
