/* The open findings as alerts, what has ended of them, and which Alertmanager knows which: for all of them together.
 *
 *   a finding is open --> wanted --its labels changed, or it is over--> ended --every Alertmanager that may
 *                           ^                                            |      have it was sent, or its time is up
 *                           '---- open again with the same labels -------'      --> gone
 *
 * Nothing here subscribes to events: the findings are looked at in slices, one pass after the other, and what is not
 * there any more has ended. An alert is ended by its labels, which are kept for that; texts are made again for each
 * post. */
#ifndef DAEMON_ALERTMANAGER_ALERT_BOOK_H
#define DAEMON_ALERTMANAGER_ALERT_BOOK_H

#include "base/index.h"
#include "config/cfg.h"
#include "daemon/findings/findings.h"

#include <sys/queue.h>

/* An alert ends by itself when nobody posts it for so long. */
#define ALERT_LASTS_USEC (900 * INT64_C(1000000))

struct known_alert {
	TAILQ_ENTRY(known_alert) link;
	unsigned refs;
	bool wanted;       /* else it has ended */
	bool found;        /* an Alertmanager had it, and no finding */
	bool gone;         /* out of the book, while somebody holds it */
	uint16_t has, may; /* bits of Alertmanagers: which has it as it is, which may have been posted it */
	uint64_t print;    /* of its labels */
	uint64_t facts;    /* of its finding */
	uint64_t pass;     /* that saw it last */
	int64_t first_seen_usec, open_from_usec; /* of its finding */
	int64_t ended_boot_usec;                 /* clock_boot_usec */
	uint32_t key_n, labels_n;
	char text[]; /* the finding's key; labels as JSON */
};
TAILQ_HEAD(known_alerts, known_alert);

struct alert_book {
	const struct cfg_alertmanager *from;
	struct findings *findings;
	struct known_alerts all;       /* new ones at the end */
	struct index by_print, by_key; /* the latter of what is wanted */
	size_t n_wanted, n_ended;
	size_t found_bytes; /* of the labels of those that were found */
	size_t n_has[CFG_ALERTMANAGERS_MAX], n_to_end[CFG_ALERTMANAGERS_MAX];
	struct known_alert *next[CFG_ALERTMANAGERS_MAX]; /* of each one's walk */
	/* The pass over the findings: */
	uint64_t pass;             /* its number; odd numbers are none */
	bool looks, sweeps, whole; /* it goes on; it is in its second half; one has ended */
	size_t at;
	struct known_alert *swept;
	uint64_t generation; /* of the findings when it began */
	uint64_t due_ns;     /* clock_ns at which a finding that must last first is posted; 0: never */
};

/* All of it is borrowed. */
void alert_book_init(struct alert_book *b, const struct cfg_alertmanager *from, struct findings *findings);
void alert_book_done(struct alert_book *b);
/* Everything is forgotten, and nothing ended. */
void alert_book_forget(struct alert_book *b);

/* Whether there may be something new. */
bool alert_book_is_stale(const struct alert_book *b);
/* Go on with a pass over the findings, or begin one, until @until_ns (uv_hrtime); true: there is more. */
bool alert_book_look(struct alert_book *b, uint64_t until_ns);

/* Walk over all, what is added meanwhile too; @i: which Alertmanager's walk. NULL at its end. */
void alert_book_walk(struct alert_book *b, unsigned i);
struct known_alert *alert_book_step(struct alert_book *b, unsigned i);

/* The finding of a wanted one; NULL: it is over. */
const struct finding *alert_book_finding(const struct alert_book *b, const struct known_alert *x);
static inline str known_alert_labels(const struct known_alert *x)
{
	return (str){ x->text + x->key_n, x->labels_n };
}

/* Whether the alert is to be posted to @i though it is not yet time to post all. */
bool alert_book_is_news(const struct known_alert *x, unsigned i);
size_t alert_book_undelivered(const struct alert_book *b, unsigned i);
/* Hold the alert while it is posted to @i, as wanted or as ended. */
struct known_alert *alert_book_hold(struct known_alert *x, unsigned i);
/* Release an alert that was posted to @i. @taken: @i has accepted it, as @wanted or as ended. */
void alert_book_release(struct alert_book *b, struct known_alert *x, unsigned i, bool taken, bool wanted,
			uint64_t facts);
/* Nobody knows what @i has: all that is wanted is to be posted again. */
void alert_book_lost(struct alert_book *b, unsigned i);
/* @i has an alert of ours with these labels. False without memory. Of very many, some are left to end by themselves. */
CHECKED bool alert_book_found(struct alert_book *b, unsigned i, uint64_t print, str labels);
/* Drop what has ended and ends by itself by now. */
void alert_book_expire(struct alert_book *b);

#endif
