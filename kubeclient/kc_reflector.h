/* One watched collection: list, watch, resume, relist. The life of a watch, from the client's side. */
#ifndef KUBECLIENT_KC_REFLECTOR_H
#define KUBECLIENT_KC_REFLECTOR_H

#include "kubeclient/kc_client_internal.h"
#include "kubeclient/kc_frame.h"
#include "kubeclient/kc_store.h"

enum kc_phase {
	KC_PHASE_IDLE,    /* waits for discovery or a timer */
	KC_PHASE_INITIAL, /* streaming list */
	KC_PHASE_PAGES,
	KC_PHASE_WATCH,
};

struct kc_watch {
	TAILQ_ENTRY(kc_watch) link;
	struct kc_client *client;
	struct kc_handler handler;
	void *ctx;
	char *api_version, *kind, *namespace, *label_selector, *field_selector; /* NULL: not restricted */
	char *shown;                                                            /* "deployments.apps" */
	struct kc_resource resource; /* its strings are ours; kind NULL: not discovered */

	enum kc_phase phase;
	enum kc_state state;
	int state_code; /* code of the failure that the state was reported with */
	bool removed;   /* no callback any more; freed when the timer is closed */
	bool synced;
	struct kc_watch_counters counters;
	struct kc_store store;
	char *version; /* where a watch may begin; NULL: list first */

	struct kc_req *req;
	bool fresh;           /* the next request goes on a new connection */
	uint64_t started_ms;  /* of the request */
	uint64_t deadline_ms; /* of a watch that ignores its timeoutSeconds */
	uint64_t events_at_start;
	uv_timer_t timer;
	void (*on_timer)(struct kc_watch *w);
	struct kc_backoff backoff;
	unsigned bad_lines; /* without progress in between */
	unsigned too_new;   /* answers "too large resource version" in a row */

	enum kc_list_reason list_reason;
	bool no_watch_list; /* the server does not offer it for this kind */
	bool incomplete;    /* an object of the list could not be read: absence proves nothing */
	uint32_t page;      /* objects; 0: all at once */
	unsigned expired_pages;
	char *continue_token;
	struct buf body;
	struct kc_frame frame;
	uint64_t oversized_seen;

	bool patient; /* the first look at discovery does not count: a round is on its way */
	/* kc_list_all: ends after one list or the first failure; code 0: all is reported. */
	void (*once)(struct kc_watch *w, const struct err *err);
};

CHECKED int kc_watch_new(struct kc_client *c, const struct kc_watch_spec *spec, const struct kc_handler *h, void *ctx,
			 struct kc_watch **ret, struct err *err);

/* Discovery has news, or the loop runs for the first time. */
/* The server answers again: end the wait after a failure, all but a little. */
void kc_watch_hurry(struct kc_watch *w);
void kc_watch_discovered(struct kc_watch *w);
/* Discovery failed: matters only to a kc_list_all. */
void kc_watch_undiscovered(struct kc_watch *w, const struct err *err);
static inline bool kc_watch_unknown(const struct kc_watch *w)
{
	return w->resource.kind == NULL;
}

/* ---- kc_report.c: from bytes to the handler ---- */

enum kc_line {
	KC_LINE_EVENT,    /* reported */
	KC_LINE_BOOKMARK, /* w->version is new */
	KC_LINE_SYNCED,   /* the bookmark that ends the initial events */
	KC_LINE_ERROR,    /* *status holds what the server says */
	KC_LINE_BAD,      /* unreadable: *err */
};

/* One line of a watch. w->removed may be set by a handler. */
enum kc_line kc_report_line(struct kc_watch *w, str line, uint64_t received_ns, struct kc_result *status,
			    struct err *err);

/* One page: reports its objects; metadata.resourceVersion and .continue from malloc (continue NULL: last page).
 * Fails: EBADMSG, E2BIG, ENOMEM; ECANCELED when a handler removed the watch. */
CHECKED int kc_report_page(struct kc_watch *w, str body, uint64_t received_ns, char **version, char **next,
			   struct err *err);

/* Report as deleted what the list did not hold (@all: everything). */
CHECKED int kc_report_absent(struct kc_watch *w, bool all, struct err *err);

void kc_watch_notice(struct kc_watch *w, enum kc_notice_kind kind, const char *message);

#endif
