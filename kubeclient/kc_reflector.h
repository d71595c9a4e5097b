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

/* What the watches of one client share, and what they ask of it. The owner fills it before the first watch. */
struct kc_watches {
	TAILQ_HEAD(, kc_watch) list; /* those that are not removed */
	uv_loop_t *loop;
	const struct kc_tuning *tuning;
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct kc_http *http;
	const struct kc_discovery *discovery;
	uint32_t lists;     /* that have begun */
	bool no_watch_list; /* the server does not offer streaming lists */
	bool no_reviews;    /* nor access reviews */
	bool reviewing;     /* one is under way; the others wait for it */
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *resource, const char *message);
	void (*rediscover)(void *ctx, uint64_t ms);                     /* discovery has to come within this time */
	void (*closed)(void *ctx);                                      /* a removed watch is freed */
	void (*moved)(void *ctx, enum kc_phase from, enum kc_phase to); /* for tests; may be NULL */
	void *ctx;
};

struct kc_watch {
	TAILQ_ENTRY(kc_watch) link;
	struct kc_watches *all;
	enum kc_phase phase;
	enum kc_state state; /* as last reported to the handler */
	int state_code;      /* code of the failure that it was reported with */
	bool patient;        /* the first look at discovery does not count: a round is on its way */
	bool refused_404;    /* by its last answer: perhaps the kind is gone */
	uint64_t absent_ms;  /* when discovery first lacked the kind, of the rounds that do so in a row; 0: none */
	unsigned unknown_versions; /* rounds of discovery in a row that could not say whether there is the kind */

	struct kc_collection what;
	struct kc_report report;
	struct kc_list list;
	struct kc_stream stream;
	struct kc_access access;
	struct kc_probe probe;
	struct kc_evidence evidence;
	bool heard;           /* this round's watch is answered, with what is not known yet */
	bool version_suspect; /* it is from before a failure, or a silence: the server's data may have been replaced */
	int64_t probed_from;  /* the version that the probe must not go back from; 0: none is known */
	uint64_t probe_again_ms; /* of the loop's clock: when the read of a test is asked for again; 0: it is not */
	uint64_t moves;          /* of the report, as they were last looked at */
	bool resumed;            /* this round's watch goes on from one before, and not from a list */
	unsigned fruitless;      /* watches in a row that were resumed, answered, and brought nothing */
	bool reviewed;           /* since the kind was found */
	bool review_due;         /* waits for its turn */
	unsigned denied;         /* as last reported */

	enum kc_list_reason list_reason;
	bool no_watch_list; /* the server does not offer it for this kind */
	unsigned bad_lines; /* without progress in between */
	unsigned too_new;   /* answers "too large resource version" in a row */
	struct kc_backoff backoff;
	uv_timer_t timer; /* what it is for depends on the phase */
	/* kc_list_all: ends after one list or the first failure; code 0: all is reported. */
	void (*once)(struct kc_watch *w, const struct err *err);
};

/* Whether the drawing has an arrow between the two. */
bool kc_phase_follows(enum kc_phase from, enum kc_phase to);

/* A watch in @all, in phase UNKNOWN; the handler is copied. It checks discovery when the loop runs. Ends with
 * kc_watch_remove. Fails: EINVAL, ENOMEM. */
CHECKED int kc_watch_new(struct kc_watches *all, const struct kc_watch_spec *spec, const struct kc_handler *h,
			 void *ctx, struct kc_watch **ret, struct err *err);

/* Discovery has news. */
void kc_watch_discovered(struct kc_watch *w);
/* After how long discovery is to be asked again on account of this watch; UINT64_MAX: no need of its own. */
uint64_t kc_watch_rediscover_ms(const struct kc_watch *w);
/* Discovery failed: matters only to a kc_list_all. */
void kc_watch_undiscovered(struct kc_watch *w, const struct err *err);
/* The server answers again, or there are other credentials: end the wait after a failure, all but a little. */
void kc_watch_hurry(struct kc_watch *w);
/* Nothing that was known a moment ago counts any more: test the watch now, on a new connection. */
void kc_watch_test(struct kc_watch *w);

#endif
