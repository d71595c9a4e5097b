/* Finds who removed a field. A field that is gone has no owner (compare/blame.h); but it may be known who wrote the
 * object when the field went. That is kept with the finding, because later writes come from others. */
#ifndef DAEMON_WATCH_REMOVAL_H
#define DAEMON_WATCH_REMOVAL_H

#include "compare/writers.h"
#include "daemon/findings/findings.h"

struct removal {
	const struct findings *findings;
	const struct finding *open; /* what is reported of the object so far; NULL: nothing */
	val writers_before;         /* the writers at the last verdict; VAL_ABSENT: unknown */
	val managed_fields;         /* the managedFields of now; VAL_ABSENT: unknown */
	/* several versions came since the last verdict, of which only the last is known */
	bool several;
	const struct time_span *span; /* the time in which the object changed unseen; NULL: it was watched */
	uint64_t *steps;              /* the steps that writers_between may take */
	/* @looked: the writer since the last verdict was looked for; @known: and found */
	bool looked, known;
	struct blame writer;
};

/* Find who removed the field at @at. Texts are in @a. False: it is not known, because several writers may have
 * removed the field and none is to be blamed wrongly, or because the cluster was not watched at that time. */
bool removal_writer(struct removal *r, struct path at, struct arena *a, struct blame *ret);

#endif
