/* Accepted deviations of "driftd compare": "--accepted" names a file with "accepted" of driftd.yaml. */
#ifndef DAEMON_COMPARE_ACCEPTED_H
#define DAEMON_COMPARE_ACCEPTED_H

#include "base/vec.h"
#include "compare/compare.h"
#include "compare/groups.h"
#include "daemon/watch/verdict/accepted_judge.h"
#include "report/report.h"

struct compare_accepted;

/* Read the file at @path: the acceptances that are in force at @now_usec. *mistakes: those of the file, a line each,
 * for the caller to free; NULL: there are none. Fails: EINVAL, ENOMEM. */
CHECKED int compare_accepted_load(const char *path, const struct limits *limits, struct key_table *keys,
				  int64_t now_usec, struct compare_accepted **ret, char **mistakes, struct err *err);
void compare_accepted_free(struct compare_accepted *a);

/* One object, and what of its differences is accepted; a zeroed one is empty. */
struct compare_acceptances {
	struct arena arena;
	struct offender is;              /* should a component not have it */
	const struct report_accepted *p; /* each names the path; the rest lives as long as the file's */
	size_t n;
	bool all; /* nothing else differs */
};
void compare_acceptances_done(struct compare_acceptances *a);

/* In any thread: @object, with the verdict @v, as long as it is there. Fails: ENOMEM. */
CHECKED int compare_accept(const struct compare_accepted *a, val object, const struct verdict *v,
			   struct compare_acceptances *ret, struct err *err);

/* What is accepted, of all objects and components. */
struct compare_accepted_list {
	VEC(struct report_accepted) list;
};

/* Whether objects that the component of @v should not have are accepted one by one. */
bool compare_accepts_members(const struct compare_accepted *a, const struct component_verdict *v);
/* Remove from @v, which is not satisfied, what is accepted, and append that to @list. @members may be NULL. Texts are
 * in
 * @arena. Fails: ENOMEM. */
CHECKED int compare_accept_component(const struct compare_accepted *a, struct component_verdict *v,
				     struct component_member *members, size_t n_members, struct arena *arena,
				     struct compare_accepted_list *list, struct err *err);

#endif
