/* One Alertmanager: what it is asked, what is posted to it, and whether that works.
 *
 *             this host leads, and
 *             all findings were seen           its answer was read, or can be done without
 *       off --------------------> asking ----------------------------------> resting --a walk is over--.
 *        ^                         ^  |                                          |                      |
 *        | it leads no more        |  | no answer, 5xx                           | news, or all of it   |
 *        | (from all states)       |  v                                          v is due again         |
 *                               waiting <-------- no answer, 401, 403, 5xx ---- posting <---------------'
 *
 *   asking    what does it have of ours? What is not open here is to be ended there, whoever posted it. From resting
 *             again every five minutes: a driftd that led before may have posted late
 *   posting   a walk over the book (alert_book.h): what it does not have as it is, or all, in batches; each is made in
 *             slices of a turn of the loop. One request is under way at any time
 *   waiting   for at most WAIT_MAX_MS; nobody knows what it has, and afterwards it is asked first
 *
 * It judges by its own clock whether an alert has ended, so all times are written in that: the Date of each answer, and
 * from there on a clock that nobody sets. */
#ifndef DAEMON_ALERTMANAGER_ALERT_POSTER_H
#define DAEMON_ALERTMANAGER_ALERT_POSTER_H

#include "daemon/alertmanager/alert_answer.h"
#include "daemon/alertmanager/alert_auth.h"
#include "daemon/alertmanager/alert_book.h"
#include "daemon/alertmanager/alertmanager_status.h"
#include "kubeclient/kc_backoff.h"
#include "kubeclient/kc_url.h"

#define ALERTS_PER_POST 250
/* for an Alertmanager that takes long for each request, however many alerts it contains */
#define ALERTS_PER_POST_MAX 2000

/* What the posters of all Alertmanagers share. */
struct alert_common {
	const struct cfg_alertmanager *from;
	struct alert_book *book;
	struct kc_loop *loop;
	struct alert_auth *auth;
	struct sink *sink;
	const char *origin;
	bool (*may_post)(void *ctx); /* NULL: always */
	void *ctx;
};

enum poster_state { POSTER_OFF, POSTER_ASKING, POSTER_RESTING, POSTER_POSTING, POSTER_WAITING };

struct posted_alert {
	struct known_alert *x;
	bool wanted;
	uint64_t facts;
};

/* The state for one Alertmanager. It is embedded in its owner, and never moved. */
struct alert_poster {
	const struct alert_common *with;
	unsigned i; /* the number of its bit in the book */
	str url;    /* the URL as configured */
	struct kc_server server;
	enum poster_state state; /* only set_state changes it */
	/* The request: */
	struct kc_transfer transfer;
	struct curl_slist *headers, *connect_to;
	struct buf body;
	char date[64];  /* from the head of the answer */
	struct buf got; /* the part of the answer's body that was not read yet */
	bool full;      /* there was no room for more of the body */
	size_t ignored; /* bytes of the body that were dropped */
	/* times of uv_now: until when an answer is waited for; when to ask again; until when no clock change is
	 * detected */
	uint64_t ask_until_ms, ask_again_ms, set_until_ms;
	struct alert_answer answer;
	/* The walk: */
	struct kc_job build;
	bool all;
	struct posted_alert batch[ALERTS_PER_POST_MAX];
	size_t n_batch, n_batch_max;
	uint64_t post_ms;          /* when the post was begun (uv_now) */
	uint64_t all_ms, again_ms; /* when posting all alerts was last begun, and is due again (uv_now) */
	/* When it failed: */
	struct kc_backoff backoff;
	/* times of uv_now; @failing_ms: since when posting fails, 0: it does not */
	uint64_t wait_until_ms, failing_ms;
	bool reported;
	/* The clock of the Alertmanager: it showed @clock_usec when clock_boot_usec was @clock_at; 0: unknown. */
	int64_t clock_usec, clock_at;
	/* For people: */
	bool up;
	uint64_t posts, failures[ALERT_FAILURES];
	int64_t last_success_usec;
	char why[KC_WHY_MAX];
};

/* Begin, with the state "off". All that @with points to outlives @p. Fails: EINVAL, ENOMEM. */
CHECKED int alert_poster_init(struct alert_poster *p, const struct alert_common *with, unsigned i, str url,
			      struct err *err);
/* Drop what is under way, and turn the poster off; alert_poster_done also frees it. */
void alert_poster_stop(struct alert_poster *p);
void alert_poster_done(struct alert_poster *p);
/* Begin what is due. Call this only while this host is the one that posts. */
void alert_poster_tick(struct alert_poster *p);
/* Make all posts due now. */
void alert_poster_hurry(struct alert_poster *p);
/* Called by the loop. alert_poster_turn: a part of the answer was read. alert_poster_answered: the request has
 * ended. */
void alert_poster_turn(struct alert_poster *p);
void alert_poster_answered(struct alert_poster *p, CURLcode code);
struct alertmanager_status alert_poster_status(const struct alert_poster *p);

#endif
