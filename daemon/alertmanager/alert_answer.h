/* What an Alertmanager answers to GET /api/v2/alerts, read as it comes: a list of alerts, each of which is taken out as
 * text and read by itself, so that no turn of the loop has more to do than what came in it. */
#ifndef DAEMON_ALERTMANAGER_ALERT_ANSWER_H
#define DAEMON_ALERTMANAGER_ALERT_ANSWER_H

#include "base/buf.h"

#define ALERT_ANSWER_MAX ((size_t)512 << 20) /* bytes of one */
#define ALERT_ANSWER_COUNT_MAX 500000
#define ALERT_ANSWER_ITEM_MAX ((size_t)256 << 10)

struct alert_answer {
	/* An alert that @origin posted; @labels: as an object of JSON. False: there is no memory. */
	bool (*each)(void *ctx, uint64_t print, str labels);
	void *ctx;
	const char *origin;
	struct buf item; /* the beginning of one */
	unsigned depth;
	bool begun, over, in_text, escaped;
	size_t bytes, count;
};

/* @each, @ctx and @origin are set, and borrowed. */
void alert_answer_init(struct alert_answer *a);
void alert_answer_done(struct alert_answer *a);
/* Go on with @bytes. Fails: EPROTO (no list of alerts), E2BIG, ENOMEM. */
CHECKED int alert_answer_feed(struct alert_answer *a, str bytes, struct err *err);
/* The answer is complete. Fails: EPROTO, it is cut short. */
CHECKED int alert_answer_end(const struct alert_answer *a, struct err *err);

#endif
