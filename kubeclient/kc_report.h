/* From bytes to the owner's store: decodes objects, compares them with what the store knows, and reports them.
 *
 * It knows neither requests nor phases. Its handler may stop it during any call; then no callback runs any more and
 * what is under way ends with ECANCELED. */
#ifndef KUBECLIENT_KC_REPORT_H
#define KUBECLIENT_KC_REPORT_H

#include "base/buf.h"
#include "base/key.h"
#include "base/limits.h"
#include "kubeclient/kc_catch_up.h"
#include "kubeclient/kc_collection.h"
#include "kubeclient/kc_event.h"
#include "kubeclient/kc_result.h"

/* Objects of one collection: far beyond what an API server holds, and what a watch may make its owner keep. */
#define KC_OBJECTS_MAX ((size_t)10 * 1000 * 1000)

/* The owner fills the first part and keeps what it points to. */
struct kc_report {
	const struct kc_collection *what;
	const struct limits *limits;
	struct key_table *keys; /* may be NULL */
	struct kc_handler handler;
	void *ctx; /* the context of the handler */
	void (*notice)(void *ctx, enum kc_notice_kind kind, const char *resource,
		       const char *message); /* may be NULL */
	void *notice_ctx;
	uint32_t *lists; /* how many lists have begun, over all watches of the client */

	bool one_shot;   /* listed once, and not watched */
	char *list_kind; /* what the kind's definition calls its lists; NULL: it was not asked */
	bool stopped;
	/* a part of this round's list could not be read, so that absence proves nothing */
	bool incomplete;
	/* the list of this round had an object that was new or different, or lacked a known one */
	bool changed;
	char *version;                 /* the version at which a watch may begin; NULL: list first */
	uint64_t moves;                /* how often the version has changed */
	uint32_t list;                 /* the number of this round's list */
	size_t n_objects, max_objects; /* objects that the owner was given and that still exist */
	/* scratch: the key of the object that is reported, and of one that is removed before */
	struct buf key, gone;
	struct kc_watch_counters counters;
	struct kc_catch_up catch_up;
	struct {
		uint32_t tried, good; /* how many changes were offered lately, and how many of them were unseen */
		uint32_t rest;        /* the number of changes that are not offered */
	} offered;                    /* changes, before they are decoded */
};

void kc_report_init(struct kc_report *rep); /* the second part */
void kc_report_done(struct kc_report *rep);

/* A list begins: what it does not hold will be absent. */
void kc_report_begin(struct kc_report *rep);
void kc_report_forget_version(struct kc_report *rep);
/* The watch may miss something from now on, until counters.caught_up_ns says that it has caught up. */
void kc_report_lost(struct kc_report *rep);
/* Whether the watch may miss something, and no read has shown yet how far it has to go. */
bool kc_report_is_lost(const struct kc_report *rep);
/* A consistent read beside the watch showed @version. */
void kc_report_read(struct kc_report *rep, str version);
/* The list of this round is complete, and all of it was reported. */
void kc_report_listed(struct kc_report *rep);
/* The kind no longer exists, and the owner knows that. */
void kc_report_forget_kind(struct kc_report *rep);

enum kc_line {
	KC_LINE_GOOD,   /* an event that was reported, or a bookmark */
	KC_LINE_LISTED, /* the bookmark that ends the initial events */
	KC_LINE_ERROR,  /* *status holds what the server says */
	KC_LINE_BAD,    /* unreadable: *err */
};

/* What a thread has made of a line of the initial events. */
struct kc_look {
	struct kc_prepared *prepared; /* belongs to the caller even after the report; NULL: nothing came of it */
};

/* Have @thread_ctx of handler.prepare process @line. In any thread; nothing of the report is changed. */
void kc_report_look(const struct kc_report *rep, void *thread_ctx, str line, struct kc_look *ret);

/* One line of a watch. Moves the version, but within @initial events only for the one that ends them. @received_ns:
 * uv_hrtime() of its last byte. @look: NULL: no thread has processed it. */
enum kc_line kc_report_line(struct kc_report *rep, str line, bool initial, const struct kc_look *look,
			    uint64_t received_ns, struct kc_result *status, struct err *err);

/* The beginning of a line that is too long: reports the object that it is about as unreadable. False when it does not
 * say which that is; then nothing was reported. */
bool kc_report_cut_line(struct kc_report *rep, str line, bool initial, uint64_t received_ns);

/* One object of a page of a list, which may be none. @look: as above. Fails: ENOMEM; ECANCELED when stopped. */
CHECKED int kc_report_item(struct kc_report *rep, str text, const struct kc_look *look, uint64_t received_ns,
			   struct err *err);

/* Report as deleted what the list did not hold. Fails: ENOMEM, ECANCELED. */
CHECKED int kc_report_absent(struct kc_report *rep, struct err *err);

void kc_report_notice(const struct kc_report *rep, enum kc_notice_kind kind, const char *message);
/* Count it and notify. */
void kc_report_bad_data(struct kc_report *rep, const struct err *err);

#endif
