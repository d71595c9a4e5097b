/* Violations that an earlier process, or another driftd, has reported, until their objects are seen. Then they are open
 * rules of the object, which its next validation confirms or ends. */
#ifndef DAEMON_WATCH_RESTORED_RULES_H
#define DAEMON_WATCH_RESTORED_RULES_H

#include "base/strmap.h"
#include "daemon/findings/findings.h"
#include "daemon/watch/snapshot/snapshot.h"

struct restored_rules {
	struct strmap by_object; /* identity_text -> struct open_rules */
};

void restored_rules_done(struct restored_rules *x);
/* Take the violation @of, accepted or not. Fails: ENOMEM. */
CHECKED int restored_rules_add(struct restored_rules *x, const struct finding *of, struct err *err);
/* Make what is known of @o its open rules, besides those that it has. Without memory a violation is left out, and ends
 * unless it is seen again. */
void restored_rules_recall(struct restored_rules *x, struct object *o);

/* Whether objects are left that were not seen. */
static inline bool restored_rules_any(const struct restored_rules *x)
{
	return x->by_object.n > 0;
}

#endif
