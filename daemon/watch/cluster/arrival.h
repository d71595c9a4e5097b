/* What becomes of what a watch says of an object. Most of it needs no verdict; which of the reasons for that applied is
 * counted (driftd_arrivals_total) and, for what is known of an object, remembered, so that it can be explained. */
#ifndef DAEMON_WATCH_CLUSTER_ARRIVAL_H
#define DAEMON_WATCH_CLUSTER_ARRIVAL_H

enum arrival_outcome {
	ARRIVAL_QUEUED,
	ARRIVAL_SPECULATED,
	ARRIVAL_UNSEEN,
	ARRIVAL_REPEATED,
	ARRIVAL_FOREIGN,
	ARRIVAL_UNNEEDED,
	ARRIVAL_DELETED,
	ARRIVAL_LOST,
	ARRIVAL_OUTCOMES,
};

/* One word: "queued". */
const char *arrival_outcome_name(enum arrival_outcome o);
/* A sentence without its end: "it waits for its verdict". */
const char *arrival_outcome_reason(enum arrival_outcome o);

#endif
