/* The open findings, filtered and in order, as a stream of parts. */
#ifndef DAEMON_VIEW_FINDINGS_LIST_H
#define DAEMON_VIEW_FINDINGS_LIST_H

#include "base/slice_sort.h"
#include "base/strmap.h"
#include "base/vec.h"
#include "daemon/findings/findings.h"
#include "daemon/view/finding_filter.h"

/* The summary of the finding for a list. One that may contain values of an object is only for trusted clients. */
str finding_listed_summary(const struct finding *x, bool trusted);

/* The findings that pass a filter, in its order. */
struct findings_cursor;

/* Begin to find it: of the findings that are open now, each is looked at as it is when its turn comes. The texts of the
 * filter are borrowed until it is made. Only @n of them are given, those behind the first @first: of few that costs
 * less than of all. Fails: ENOMEM. */
CHECKED int findings_cursor_begin(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
				  struct findings_cursor **ret, struct err *err);
/* Make a part of the list, until about @until_ns (uv_hrtime). 1: there is more to do; 0: the list is made, and the
 * functions below may be called. Fails: ENOMEM, ESTALE (another driftd's findings have replaced these: adoption.h). */
CHECKED int findings_cursor_make(struct findings_cursor *c, uint64_t until_ns, struct err *err);
/* Do both at once, for few findings. A cursor over gaps is always made at once. */
CHECKED int findings_cursor_page(struct findings *f, const struct finding_filter *filter, size_t first, size_t n,
				 struct findings_cursor **ret, struct err *err);
/* Do the same for all findings that pass. */
CHECKED int findings_cursor_new(struct findings *f, const struct finding_filter *filter, struct findings_cursor **ret,
				struct err *err);
void findings_cursor_free(struct findings_cursor *c);
size_t findings_cursor_count(const struct findings_cursor *c); /* the number of findings that passed */
/* The next finding that is still open, as it is now; NULL: there are no more. */
const struct finding *findings_cursor_next(struct findings_cursor *c);

/* ---- by their cause ---- */

struct findings_group {
	char cause[FINDING_ID_SIZE];
	str key; /* the key of its worst and then oldest finding */
	size_t count;
	enum severity severity; /* the severity of that finding, which began at */
	int64_t first_usec;
	int64_t since_usec; /* when the oldest of all began */
};

struct findings_groups {
	struct arena arena;
	VEC(struct findings_group) list; /* once made: the worst first, then the oldest */
	size_t n_findings;               /* the number of findings in all groups */
	/* while findings are added: the cause's text -> the index in the list plus one */
	struct strmap by_cause;
	struct buf text; /* scratch */
	/* the walk over the findings; NULL: it has ended, or the caller adds the findings */
	struct findings_looked *looked;
	struct slice_sort sort;
	bool sorted; /* or it is being done */
};

/* Begin to find the findings that pass the filter, as findings_cursor_begin does. The caller calls
 * findings_groups_done afterwards, also when this fails. Fails: ENOMEM. */
CHECKED int findings_groups_begin(struct findings_groups *g, struct findings *f, const struct finding_filter *filter,
				  struct err *err);
/* Begin without a walk: the caller adds findings one by one, in any order, because it looks at more than the filter
 * does. */
void findings_groups_init(struct findings_groups *g);
CHECKED int findings_groups_add(struct findings_groups *g, const struct findings *f, const struct finding *x,
				struct err *err);
/* Make some of the groups, until about @until_ns (uv_hrtime), after findings_groups_begin or findings_groups_add. 1:
 * there is more to do; 0: they are made. Fails: ENOMEM. */
CHECKED int findings_groups_make(struct findings_groups *g, uint64_t until_ns, struct err *err);
void findings_groups_done(struct findings_groups *g);
/* The next group from *at up to @end that still has an open finding, and in *first its worst finding; NULL: there
 * are no more. */
const struct findings_group *findings_groups_next(const struct findings_groups *g, const struct findings *f, size_t *at,
						  size_t end, const struct finding **first);

#endif
