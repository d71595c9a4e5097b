/* What the files share that follow published references.
 *
 *   published.c          which revision is tried, held, taken
 *   published_list.c     the references of the configuration, what driftd-fetch is asked, what is shown of them
 *   published_answers.c  requests of administrators
 */
#ifndef DAEMON_APP_PUBLISHED_INTERNAL_H
#define DAEMON_APP_PUBLISHED_INTERNAL_H

#include "config/source_choice.h"
#include "config/source_request.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/published.h"
#include "daemon/findings/finding_record.h"
#include "mask/foreign.h"

#define SHORT_REVISION 12 /* digits of a revision in sentences */

/* What is known of a revision besides its files. */
struct known_revision {
	struct arena arena;
	bool known;
	struct source_revision about;
};

struct followed_source {
	struct arena arena; /* of the name */
	str name;
	const struct cfg_reference *reference; /* of the configuration in force */
	struct cfg_published published;        /* the same, what it says */
	struct source_choice choice;
	uint64_t choice_state; /* file_state of its file as it was written */
	bool unkept;           /* it was not written as it is: that is tried again */
	enum source_standing standing;
	int64_t since;
	int64_t chosen; /* when its choice was written, as an earlier process left it; 0: this one has written it */
	char fetched[SOURCE_ID_SIZE]; /* what driftd-fetch's link leads to; "": nothing was fetched */
	uint64_t retry_ns;            /* uv_hrtime() before which nothing is tried */
	uint64_t fetched_ns;          /* uv_hrtime() when that was seen */
	char decided[SOURCE_ID_SIZE]; /* of what was fetched, what is held or broken, or was in force */
	char wanted[SOURCE_ID_SIZE];  /* somebody said it is to be in force; "": nobody did */
	bool pin;                     /* and stay so */
	char *not_done; /* why what somebody wanted last did not come into force; NULL: it did, or may yet */
	char trying[SOURCE_ID_SIZE]; /* the last that was loaded and rehearsed */
	char *why, *changes;         /* of that; NULL: nothing is to be said */
	size_t begins;
	struct known_revision in_force, next;
	struct arena status_arena;
	struct source_status status;
	bool has_status;
	uint64_t status_state; /* file_state of its file */
	uint64_t wish;         /* source_request.h */
	uint64_t wish_ns;      /* uv_hrtime() when the next one is due; 0: now */
	bool unsaved_reported;
	uint64_t content; /* of the configuration that @reference is of */
};

struct published {
	struct followed_source *list;
	size_t n;
	size_t trying; /* which of them reload.c is loading */
	struct source_state *views;
	str *before; /* of the views */
	struct record_revision *revisions;
	bool request_due;
	uint64_t asked_ns; /* uv_hrtime() when driftd-fetch was asked last */
	bool unasked_reported;
};

/* The digits of a commit, or of a digest behind its "sha256:". */
str published_digits(str revision);
/* The first of the digits, which identify a revision to people. */
str published_short(str revision);
/* Find out what is known of the revision @id, "" for none. */
void published_know(struct app *app, struct known_revision *k, str id);
/* The reference called @name; NULL: none with a source is. */
struct followed_source *published_find(const struct app *app, str name);
/* Ask for a new revision of the reference now. */
void published_wish(struct app *app, struct followed_source *s);
/* Ask driftd-fetch for what is due. */
void published_ask(struct app *app);
/* Records of findings name the revisions in force. */
void published_name_revisions(struct app *app);
/* The configuration in force was loaded with these revisions. */
void published_loaded(struct app *app);

/* Put @id into force without holding it, and pin it. Fails: EIO, it cannot be stored, which is reported; EKEYREJECTED,
 * it was never in force, and is not signed as its source has to be now. */
CHECKED int published_want(struct app *app, struct followed_source *s, const char *id, bool pin, struct err *err);
/* No longer pinned. Fails: EIO, the same. */
CHECKED int published_let_go(struct app *app, struct followed_source *s, struct err *err);

#endif
