/* Who removed a field. Nobody owns one that is gone (compare/blame.h): what is known is who wrote when it went, and
 * that is kept with the finding, for later writes are others'. */
#ifndef DAEMON_WATCH_REMOVAL_H
#define DAEMON_WATCH_REMOVAL_H

#include "compare/writers.h"
#include "daemon/findings/findings.h"

struct removal {
	const struct findings *findings;
	const struct finding *open;   /* what is told of the object so far, one of these; NULL: nothing */
	val writers_before;           /* at the last verdict; VAL_ABSENT: unknown */
	val managed_fields;           /* now; VAL_ABSENT: unknown */
	bool several;                 /* versions came since then, of which only the last is known */
	const struct time_span *span; /* within which the object changed, unseen; NULL: none */
	uint64_t *steps;              /* writers_between */
	bool looked, known;           /* for the writer of what went now */
	struct blame writer;
};

/* @at: where the field was. Texts are in @a. False: it is not known, as where several left a trace of having written:
 * none of them is blamed, who may not have done it, and where nobody watched when it went. */
bool removal_writer(struct removal *r, struct path at, struct arena *a, struct blame *ret);

#endif
