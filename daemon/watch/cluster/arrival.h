/* What becomes of an event that a watch reports. Most events need no verdict. The reason is counted
 * (driftd_arrivals_total) and, for known objects, remembered, so that it can be explained. */
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

/* The outcome in one word: "queued". */
const char *arrival_outcome_name(enum arrival_outcome o);
/* The reason as a sentence without a period, such as "it waits for its verdict". */
const char *arrival_outcome_reason(enum arrival_outcome o);

#endif
