/* The life of a watch: list, watch, resume, list again, as a state machine over its rounds. kc_reflector.c draws it. */
#ifndef KUBECLIENT_KC_REFLECTOR_H
#define KUBECLIENT_KC_REFLECTOR_H

#include "kubeclient/kc_access.h"
#include "kubeclient/kc_discovery.h"
#include "kubeclient/kc_evidence.h"
#include "kubeclient/kc_list.h"
#include "kubeclient/kc_probe.h"
#include "kubeclient/kc_stream.h"

enum kc_phase {
	KC_PHASE_UNKNOWN, /* discovery does not know the kind (yet) */
	KC_PHASE_INITIAL, /* a list as the beginning of a watch */
	KC_PHASE_PAGES,   /* a list in pages */
	KC_PHASE_WATCH,
	KC_PHASE_WAIT,    /* after a failure */
	KC_PHASE_DONE,    /* listed once, or failed to */
	KC_PHASE_REMOVED, /* no callback any more; freed when the timer is closed */
	KC_PHASES
};

/* What the watches of one client share, and what they ask of the client, which sets it before the first watch. */
struct kc_watches {
	TAILQ_HEAD(, kc_watch) list; /* the watches that are not removed */
	uv_loop_t *loop;
	const struct kc_tuning *tuning;
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct kc_http *http;
	const struct kc_discovery *discovery;
	uint32_t lists;     /* the number of lists that have begun */
	bool no_watch_list; /* the server offers no streaming lists */
	bool no_reviews;    /* the server is not asked for access reviews */
	bool reviewing;     /* a review is under way, and the others wait for it */
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *resource, const char *message);
	void (*rediscover)(void *ctx, uint64_t ms);                     /* have discovery repeated within this time */
	void (*closed)(void *ctx);                                      /* a removed watch is freed */
	void (*moved)(void *ctx, enum kc_phase from, enum kc_phase to); /* for tests; may be NULL */
	void *ctx;
};

struct kc_watch {
	TAILQ_ENTRY(kc_watch) link;
	struct kc_watches *all;
	enum kc_phase phase;
	enum kc_state state; /* the state that was last reported to the handler */
	int state_code;      /* the code of the failure in the state that was reported last */
	/* discovery's first round is still on its way, so that a missing kind does not count yet */
	bool patient;
	bool refused_404; /* the last answer was a 404: perhaps the kind was removed */
	/* when discovery first lacked the kind, in rounds without interruption; 0: it does not lack it */
	uint64_t absent_ms;
	/* rounds of discovery without interruption that could not say whether the kind exists */
	unsigned unknown_versions;

	struct kc_collection what;
	struct kc_report report;
	struct kc_list list;
	struct kc_stream stream;
	struct kc_access access;
	struct kc_probe probe;
	struct kc_evidence evidence;
	bool heard; /* the watch of this round has brought something new */
	/* the version is from before a failure or a silence, in which the server's data may have been replaced */
	bool version_suspect;
	int64_t probed_from;     /* the lowest version that the probe may find; 0: unknown */
	uint64_t probe_again_ms; /* when, by the loop's clock, to repeat the read of a test; 0: never */
	uint64_t moves;          /* the report's moves when they were looked at last */
	bool resumed;            /* the watch of this round continues an earlier watch, and not a list */
	unsigned fruitless;      /* watches without interruption that were resumed and answered, but brought nothing */
	bool reviewed;           /* since the kind was found */
	bool review_due;         /* waits for its turn */
	unsigned denied;         /* the number that was last reported */

	enum kc_list_reason list_reason;
	bool no_watch_list; /* the server offers no streaming list of this kind */
	unsigned bad_lines; /* without progress in between */
	unsigned too_new;   /* answers "too large resource version" without interruption */
	struct kc_backoff backoff;
	uv_timer_t timer; /* a timer whose purpose depends on the phase */
	/* kc_list_all: ends after one list or the first failure; code 0: all is reported. */
	void (*once)(struct kc_watch *w, const struct err *err);
};

/* Whether the drawing has an arrow from @from to @to. */
bool kc_phase_follows(enum kc_phase from, enum kc_phase to);

/* A watch in @all, in phase UNKNOWN; the handler is copied. It checks discovery when the loop runs. Ends with
 * kc_watch_remove. Fails: EINVAL, ENOMEM. */
CHECKED int kc_watch_new(struct kc_watches *all, const struct kc_watch_spec *spec, const struct kc_handler *h,
			 void *ctx, struct kc_watch **ret, struct err *err);

/* Discovery has news. */
void kc_watch_discovered(struct kc_watch *w);
/* In how many milliseconds this watch needs discovery again; UINT64_MAX: it does not. */
uint64_t kc_watch_rediscover_ms(const struct kc_watch *w);
/* Discovery has failed, which matters only to kc_list_all. */
void kc_watch_undiscovered(struct kc_watch *w, const struct err *err);
/* The server answers again, or the credentials have changed: shorten the wait after a failure to very little. */
void kc_watch_hurry(struct kc_watch *w);
/* Nothing that was known a moment ago counts any more: test the watch now, on a new connection. */
void kc_watch_test(struct kc_watch *w);

#endif
