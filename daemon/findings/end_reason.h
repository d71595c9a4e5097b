/* Why a finding ends, and the words for that in its last record, unless what was wrong was simply repaired. */
#ifndef DAEMON_FINDINGS_END_REASON_H
#define DAEMON_FINDINGS_END_REASON_H

enum end_reason {
	END_REPAIRED, /* what was wrong is right again; the record gives no other reason */
	/* reasons for which something is not there any more */
	END_DELETED,       /* the object is deleted */
	END_NOT_SERVED,    /* the object's kind is not served any more */
	END_OTHER_VERSION, /* another version of the object's kind is watched now */
	/* the object still exists, but somebody has changed what is wanted of it */
	END_NOT_IN_REFERENCE,
	END_EXCLUDED,
	END_REFERENCE_GONE,
	END_REFERENCE_ELSEWHERE, /* the reference is for other clusters */
	END_NOT_WATCHED,
	END_CLUSTER_GONE,
	END_RULE_GONE,
	END_ONLY_COUNTED,
	/* somebody accepts the deviation; the reason of the acceptance follows the words */
	END_ACCEPTED,
	END_NOT_NEEDED,
	END_NOT_ACCEPTED,
	END_EXPIRED,
	END_REASONS,
};

/* Why an acceptance's finding ends when what it accepts ends because of @r: nobody needs to accept what is repaired. */
enum end_reason end_reason_of_acceptance(enum end_reason r);
/* The words, such as "object deleted"; NULL for END_REPAIRED. */
const char *end_reason_text(enum end_reason r);

#endif
