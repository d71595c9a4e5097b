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

/* Alertmanager ends an alert by itself when nobody posts it for this time. */
#define ALERT_LASTS_USEC (900 * INT64_C(1000000))

struct known_alert {
	TAILQ_ENTRY(known_alert) link;
	unsigned refs;
	bool wanted; /* otherwise it has ended */
	bool found;  /* an Alertmanager has it, but no finding belongs to it */
	bool gone;   /* removed from the book while somebody holds it */
	/* bits of Alertmanagers: @has: which have its present state; @may: which may have got it at all */
	uint16_t has, may;
	uint64_t print;                          /* the hash of its labels */
	uint64_t facts;                          /* the alert_facts of its finding */
	uint64_t pass;                           /* the last pass that saw it */
	int64_t first_seen_usec, open_from_usec; /* the times of its finding */
	int64_t ended_boot_usec;                 /* when it ended, as clock_boot_usec */
	uint32_t key_n, labels_n;
	char text[]; /* the finding's key, then the labels as JSON */
};
TAILQ_HEAD(known_alerts, known_alert);

struct alert_book {
	const struct cfg_alertmanager *from;
	struct findings *findings;
	struct known_alerts all;       /* new alerts are at the end */
	struct index by_print, by_key; /* @by_key: only wanted alerts */
	size_t n_wanted, n_ended;
	size_t found_bytes; /* labels of alerts with @found */
	size_t n_has[CFG_ALERTMANAGERS_MAX], n_to_end[CFG_ALERTMANAGERS_MAX];
	struct known_alert *next[CFG_ALERTMANAGERS_MAX]; /* where the walk of each Alertmanager continues */
	/* The pass over the findings: */
	uint64_t pass; /* the number of the pass; odd numbers are none */
	/* @looks: a pass is under way; @sweeps: in its second half; @whole: at least one pass was completed */
	bool looks, sweeps, whole;
	size_t at;
	struct known_alert *swept;
	uint64_t generation; /* the generation of the findings when the pass began */
	uint64_t due_ns;     /* clock_ns at which the next finding that must last is posted; 0: never */
};

/* Begin an empty book. @from and @findings are borrowed. */
void alert_book_init(struct alert_book *b, const struct cfg_alertmanager *from, struct findings *findings);
void alert_book_done(struct alert_book *b);
/* Forget all alerts, without ending them. */
void alert_book_forget(struct alert_book *b);

/* Whether the findings may have changed since the last pass. */
bool alert_book_is_stale(const struct alert_book *b);
/* Continue a pass over the findings, or begin one, until @until_ns (uv_hrtime). True: there is more. */
bool alert_book_look(struct alert_book *b, uint64_t until_ns);

/* Begin a walk of Alertmanager @i over all alerts, also those that are added meanwhile; alert_book_step returns NULL
 * at its end. */
void alert_book_walk(struct alert_book *b, unsigned i);
struct known_alert *alert_book_step(struct alert_book *b, unsigned i);

/* The finding of a wanted alert; NULL: it has ended. */
const struct finding *alert_book_finding(const struct alert_book *b, const struct known_alert *x);
static inline str known_alert_labels(const struct known_alert *x)
{
	return (str){ x->text + x->key_n, x->labels_n };
}

/* Whether the alert has to be posted to @i before it is time to post all alerts again. */
bool alert_book_is_news(const struct known_alert *x, unsigned i);
size_t alert_book_undelivered(const struct alert_book *b, unsigned i);
/* Hold the alert while it is posted to @i, as wanted or as ended. */
struct known_alert *alert_book_hold(struct known_alert *x, unsigned i);
/* Release an alert that was posted to @i. @taken: @i has accepted it, as @wanted or as ended. */
void alert_book_release(struct alert_book *b, struct known_alert *x, unsigned i, bool taken, bool wanted,
			uint64_t facts);
/* Note that nobody knows what @i has: all wanted alerts have to be posted to it again. */
void alert_book_lost(struct alert_book *b, unsigned i);
/* Note that @i has an alert of this driftd with these labels. False without memory. When there are very many, some
 * are ignored and end by themselves. */
CHECKED bool alert_book_found(struct alert_book *b, unsigned i, uint64_t print, str labels);
/* Drop ended alerts that have ended by themselves at the Alertmanagers by now. */
void alert_book_expire(struct alert_book *b);

#endif
