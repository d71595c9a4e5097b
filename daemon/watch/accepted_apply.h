/* Apply changes of the acceptances: findings that no longer hold end, and what may be reported otherwise now is judged
 * again. */
#ifndef DAEMON_WATCH_ACCEPTED_APPLY_H
#define DAEMON_WATCH_ACCEPTED_APPLY_H

#include "daemon/watch/cluster/cluster.h"
#include "daemon/watch/reference/acceptances.h"

/* Called about once a second, and after each change of @s. */
void accepted_apply(struct acceptances *s, struct findings *f, struct cluster *const *clusters, size_t n);
/* Whether what became of the acceptances has the object of @s judged again in @c. */
bool accepted_apply_judges(const struct acceptances *s, const struct cluster *c, const struct finding_subject *of);
/* Count what each of them holds now. */
void accepted_count_covered(struct acceptances *s, const struct findings *f);
/* Do only the first half of accepted_apply, for findings that were restored: end those whose acceptance is gone. */
void accepted_end_lost(const struct acceptances *s, struct findings *f);

#endif
