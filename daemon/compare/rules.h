/* Event rules of "driftd compare": files of "--rules", and the events that they find for each object. */
#ifndef DAEMON_COMPARE_RULES_H
#define DAEMON_COMPARE_RULES_H

#include "daemon/compare/options.h"
#include "report/report.h"
#include "rules/event_review.h"

struct compare_rules;

/* Read @files. *mistakes: the mistakes in them, a line each, for the caller to free; NULL: there are none. Fails:
 * EINVAL, ENOMEM. */
CHECKED int compare_rules_load(const struct string_list *files, const struct limits *limits, struct compare_rules **ret,
			       char **mistakes, struct err *err);
void compare_rules_free(struct compare_rules *r);
/* The rules for compare_review; NULL where @r is. */
const struct event_review *compare_rules_review(const struct compare_rules *r);

/* The events that the rules find for one object; a zeroed one is empty. */
struct compare_events {
	struct arena arena;
	const char *severity; /* NULL: the object does not differ */
	const struct report_event *p;
	size_t n;
};
void compare_events_done(struct compare_events *e);

/* Review @compared, which is @object unless inspection rules have edited it, by the rules, and copy what they find.
 * @schema: the schema of its kind (event_subject.schema). Who wrote a field is known as far as the object's
 * managedFields say so; who removed a field is unknown. */
CHECKED int compare_review(const struct event_review *review, val object, val compared, val schema, struct verdict *v,
			   const struct mask_fields *mask, uint64_t *steps, struct compare_events *ret,
			   struct err *err);

#endif
