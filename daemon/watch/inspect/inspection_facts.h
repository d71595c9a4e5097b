/* What rules read as "inventory": facts about an inspection.   spec/inspection-rules.md, section 10 */
#ifndef DAEMON_WATCH_INSPECTION_FACTS_H
#define DAEMON_WATCH_INSPECTION_FACTS_H

#include "compare/compare.h"
#include "daemon/findings/finding.h"
#include "daemon/watch/snapshot/snapshot.h"

struct inspection_facts {
	const struct finding_subject *subject; /* cluster, reference, identity, template */
	enum object_event event;
	val raw;
	val previous;                  /* the old state of the object; VAL_ABSENT: there is none */
	const struct verdict *verdict; /* NULL: the comparison has not happened yet */
	bool unmasked;                 /* the inventory has values that may not be shown as they are */
};

/* Make the inventory, a map in @a, which shares values with the members of @f. Its keys are from @keys. Fails:
 * ENOMEM, E2BIG. */
CHECKED int inspection_facts(const struct inspection_facts *f, struct key_table *keys, struct arena *a, val *ret,
			     struct err *err);

#endif
