/* Taking over the findings that another driftd reported, in portions, so that no turn of the loop is long.
 *
 *   adoption_new, adoption_add ...   another set, in any thread
 *        |
 *   adoption_begin                   the loop: it is the set from now on. What is there counts as seen until it is
 *        |                           compared, so that nothing of it ends too early
 *   adoption_go_on ...               the loop: compared with what was known until now, which is forgotten then
 *
 * The findings keep ids and ages. A finding that is known here in the state that was reported there stays as it is.
 * For every other finding of either side adoption_go_on calls differs(): it is to be judged again, and until then it
 * is unconfirmed. A finding that was known here and not reported there is forgotten without a record, or reported if
 * no judge would report it again. */
#ifndef DAEMON_FINDINGS_ADOPTION_H
#define DAEMON_FINDINGS_ADOPTION_H

#include "daemon/findings/findings.h"

struct adoption;

/* Begin to collect the findings of another driftd for @f, which outlives the adoption. Fails: ENOMEM. */
CHECKED int adoption_new(struct findings *f, struct adoption **ret, struct err *err);
void adoption_free(struct adoption *a); /* NULL is fine */
DEFINE_CLEANUP(struct adoption *, adoption_free)
/* Add a finding that the other driftd reported, with its texts copied; the oldest first. One at a time, in any
 * thread: the findings that adoption_new got are not touched. Fails: ENOMEM. */
CHECKED int adoption_add(struct adoption *a, const struct finding *reported, struct err *err);
size_t adoption_count(const struct adoption *a); /* the number of findings that are open */
/* Put the collected findings in place of those of the set. Call this once. Fails: ENOMEM: nothing has happened. */
CHECKED int adoption_begin(struct adoption *a, struct err *err);
/* Compare, or forget, at most FINDINGS_AT_ONCE findings; true while there are more. An adoption that is not finished
 * leaves findings behind that are never confirmed: finish it before another begins. */
bool adoption_go_on(struct adoption *a, void (*differs)(void *ctx, const struct finding *x), void *ctx);

#endif
