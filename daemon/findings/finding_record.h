/* The records of what becomes of a finding. */
#ifndef DAEMON_FINDINGS_FINDING_RECORD_H
#define DAEMON_FINDINGS_FINDING_RECORD_H

#include "daemon/findings/finding.h"
#include "daemon/findings/record.h"

/* A published reference, and the revision of it that is in force. */
struct record_revision {
	str reference, revision;
};

/* What all records that are written at one time have in common. */
struct record_terms {
	bool cluster_named; /* the message names the cluster */
	const struct record_revision *revisions;
	size_t n_revisions;
	struct time_span span; /* the span within which the change happened; 0: it happened just now */
};

/* Each of these functions inits @r, which is to be released with record_done. */

/* A begin or a change, as @report has it. */
void record_report(struct record *r, const struct finding *x, enum transition t, const struct finding_report *report,
		   const struct record_terms *terms);
/* An end. @now: the object as it is, or NULL; @why: how it ended when it was not repaired, or NULL. */
void record_end(struct record *r, const struct finding *x, const struct finding_subject *now, const char *why,
		const struct blame *by, const struct record_terms *terms);
/* A begin or a change, from what is kept of the finding. */
void record_state(struct record *r, const struct finding *x, enum transition t, const struct record_terms *terms);

/* Make of @end, the record of the end of a finding, the only one of the finding: with what @begin, the last record
 * before it, said. Both outlive it. */
void record_merge(struct record *end, const struct record *begin);

/* A text of a subject: its name in JSON, in the order in which documents have them, and its field in records. */
struct subject_text {
	const char *name, *field;
	size_t at; /* the offset in struct finding_subject */
};
#define SUBJECT_TEXTS 19
extern const struct subject_text subject_texts[SUBJECT_TEXTS];

/* The fields that say what a record is about. */
void record_add_subject(struct record *r, const struct finding_subject *s);

/* What has become of the finding, according to the record. False: the record is about no finding. */
bool record_transition(const struct record *r, enum transition *ret);
/* The kind of the finding, from the record's message. False: the record is about no finding. */
bool record_kind(const struct record *r, enum finding_kind *ret);
/* As record_transition and record_kind, from the event and the message of a record. */
bool transition_parse(str event, enum transition *ret);
bool message_kind(enum message m, enum finding_kind *ret);

/* "2026-05-01T10:00:00Z" */
str time_text(struct arena *a, int64_t usec);
/* "3 min 5 s" */
str duration_text(struct arena *a, int64_t usec);

#endif
