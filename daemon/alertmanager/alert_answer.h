/* Reads the answer of an Alertmanager to GET /api/v2/alerts as it arrives. It is a list of alerts, each of which is
 * cut out as text and read by itself, so that a turn of the loop has no more to do than what arrived in it. */
#ifndef DAEMON_ALERTMANAGER_ALERT_ANSWER_H
#define DAEMON_ALERTMANAGER_ALERT_ANSWER_H

#include "base/buf.h"

#define ALERT_ANSWER_MAX ((size_t)512 << 20) /* bytes of one answer */
#define ALERT_ANSWER_COUNT_MAX 500000
#define ALERT_ANSWER_ITEM_MAX ((size_t)256 << 10)

struct alert_answer {
	/* Called for each alert that @origin posted. @labels: an object of JSON. False: there is no memory. */
	bool (*each)(void *ctx, uint64_t print, str labels);
	void *ctx;
	const char *origin;
	struct buf item; /* the text of an alert that has not ended yet */
	unsigned depth;
	bool begun, over, in_text, escaped;
	size_t bytes, count;
};

/* Begin. @each, @ctx and @origin are set before, and borrowed. */
void alert_answer_init(struct alert_answer *a);
void alert_answer_done(struct alert_answer *a);
/* Read more of the answer. Fails: EPROTO (it is no list of alerts), E2BIG, ENOMEM. */
CHECKED int alert_answer_feed(struct alert_answer *a, str bytes, struct err *err);
/* Check that the answer is complete. Fails: EPROTO, it is cut short. */
CHECKED int alert_answer_end(const struct alert_answer *a, struct err *err);

#endif
