/* Times and sizes with which a client is considerate of its server. */
#ifndef KUBECLIENT_KC_TUNING_H
#define KUBECLIENT_KC_TUNING_H

#include "base/defs.h"

/* What client-go has for struct kc_tuning: retries. For commands, which look once. */
#define KC_RETRIES 10

/* Times in milliseconds. KC_TUNING_DEFAULT is right everywhere but in tests. */
struct kc_tuning {
	/* The budget that all kinds of a cluster share, and what each kind adds to it. After a restart, when the
	 * server closes the watch of each kind, beginning again must not take longer the more kinds there are. */
	double requests_per_second, requests_per_second_per_watch;
	double burst, burst_per_watch;
	uint32_t page; /* objects per page of a list */
	/* the most pages of one list; the server keeps the history that they need for some minutes only */
	uint32_t pages;
	uint64_t backoff_first_ms;
	uint64_t backoff_max_ms;
	uint64_t backoff_reset_ms; /* without failure, starts from first again */
	uint64_t watch_min_s;      /* timeoutSeconds is random between min and max */
	uint64_t watch_max_s;
	uint64_t evidence_ms; /* how old the evidence of a watch, or of a server that answers, may be */
	/* a watch without evidence for this long is tested; bookmarks come once a minute */
	uint64_t idle_ms;
	uint64_t initial_silence_ms; /* after this silence a streaming list counts as one without an end mark */
	/* a streaming list that takes longer is given up: a list in pages always ends */
	uint64_t initial_ms;
	uint64_t rediscover_ms;        /* while a watched kind is unknown */
	uint64_t discovery_max_age_ms; /* refresh otherwise */
	uint64_t confirm_absent_ms;    /* a kind is absent when discovery lacks it twice, this far apart */
	uint64_t token_ms;             /* re-read a token file */
	uint64_t certificate_ms;       /* re-read certificate files */
	uint64_t connect_ms;
	uint64_t exec_ms;      /* time limit of a credential plugin */
	uint64_t slice_ms;     /* the time for reading a page in one turn of the loop; one object at least is read */
	size_t response_bytes; /* one response that is not a watch */
	/* how often a request is repeated that the server asks to repeat (429, 5xx with Retry-After) before the
	 * failure reaches its owner; 0: the owner has a back-off of its own */
	unsigned retries;
	bool no_watch_list; /* never ask for a streaming list */
	bool no_reviews;    /* never ask what the account may do */
};

/* The share of evidence_ms after which a watch is tested; the rest is for the answers. */
static inline uint64_t kc_tuning_idle_ms(uint64_t evidence_ms)
{
	return evidence_ms * 13 / 18;
}

#define KC_TUNING_DEFAULT                                                                                              \
	((struct kc_tuning){                                                                                           \
		.requests_per_second = 5,                                                                              \
		.requests_per_second_per_watch = 0.25,                                                                 \
		.burst = 10,                                                                                           \
		.burst_per_watch = 4,                                                                                  \
		.page = 500,                                                                                           \
		.pages = 2000,                                                                                         \
		.backoff_first_ms = 800,                                                                               \
		.backoff_max_ms = 30000,                                                                               \
		.backoff_reset_ms = 120000,                                                                            \
		.watch_min_s = 300,                                                                                    \
		.watch_max_s = 600,                                                                                    \
		.evidence_ms = 90000,                                                                                  \
		.idle_ms = 65000,                                                                                      \
		.initial_silence_ms = 10000,                                                                           \
		.initial_ms = 120000,                                                                                  \
		.rediscover_ms = 30000,                                                                                \
		.discovery_max_age_ms = 600000,                                                                        \
		.confirm_absent_ms = 2000,                                                                             \
		.token_ms = 60000,                                                                                     \
		.certificate_ms = 300000,                                                                              \
		.connect_ms = 15000,                                                                                   \
		.exec_ms = 60000,                                                                                      \
		.slice_ms = 5,                                                                                         \
		.response_bytes = (size_t)256 << 20,                                                                   \
	})

#endif
