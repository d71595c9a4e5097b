/* How a finding ends that is not simply put right: the words of its last record. */
#ifndef DAEMON_FINDINGS_END_REASON_H
#define DAEMON_FINDINGS_END_REASON_H

enum end_reason {
	END_REPAIRED, /* what was wrong is right again: no more is said */
	/* of what is there no longer */
	END_DELETED,       /* the object */
	END_NOT_SERVED,    /* its kind */
	END_OTHER_VERSION, /* of its kind another version is watched */
	/* of what is there, but is not judged as it was: somebody has changed what is wanted */
	END_NOT_IN_REFERENCE,
	END_EXCLUDED,
	END_REFERENCE_GONE,
	END_REFERENCE_ELSEWHERE, /* it is for other clusters */
	END_NOT_WATCHED,
	END_CLUSTER_GONE,
	END_RULE_GONE,
	END_ONLY_COUNTED,
	/* of what somebody accepts; behind END_ACCEPTED stands why */
	END_ACCEPTED,
	END_NOT_NEEDED,
	END_NOT_ACCEPTED,
	END_EXPIRED,
	END_REASONS,
};

/* "object deleted"; NULL of END_REPAIRED. */
const char *end_reason_text(enum end_reason r);

#endif
