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

#define SHORT_REVISION 12 /* digits of a revision in messages */

/* What is known of a revision besides its files. */
struct known_revision {
	struct arena arena;
	bool known;
	struct source_revision about;
};

struct followed_source {
	struct arena arena; /* memory of the name */
	str name;
	const struct cfg_reference *reference; /* the reference of the configuration in force */
	struct cfg_published published;        /* where that reference is published */
	struct source_choice choice;
	uint64_t choice_state; /* file_state of the choice's file when it was written */
	bool unkept;           /* the choice could not be written, which is tried again */
	enum source_standing standing;
	int64_t since;
	int64_t chosen;               /* when an earlier process wrote the choice; 0: this process wrote it */
	char fetched[SOURCE_ID_SIZE]; /* the revision that driftd-fetch has fetched last; "": none */
	uint64_t retry_ns;            /* uv_hrtime() before which nothing is tried */
	uint64_t fetched_ns;          /* uv_hrtime() when the fetched revision was seen */
	/* the fetched revision about which was decided: it is held or broken, or was in force */
	char decided[SOURCE_ID_SIZE];
	char wanted[SOURCE_ID_SIZE]; /* the revision that an administrator wants in force; "": none */
	bool pin;                    /* the wanted revision stays in force */
	char *not_done; /* why the last wanted revision did not come into force; NULL: it did, or still may */
	char trying[SOURCE_ID_SIZE]; /* the last revision that was loaded and rehearsed */
	/* why that revision is held, and what it changes; NULL: there is nothing to say */
	char *why, *changes;
	size_t begins;
	struct known_revision in_force, next;
	struct arena status_arena;
	struct source_status status;
	bool has_status;
	uint64_t status_state; /* file_state of the file of the status */
	uint64_t wish;         /* source_request.h */
	uint64_t wish_ns;      /* uv_hrtime() when the next fetch is due; 0: now */
	bool unsaved_reported;
	uint64_t content; /* the content of the configuration that @reference belongs to */
};

struct published {
	struct followed_source *list;
	size_t n;
	size_t trying; /* the index of the reference that reload.c is loading */
	struct source_state *views;
	str *before; /* what @views name as in force before */
	struct record_revision *revisions;
	bool request_due;
	uint64_t asked_ns; /* uv_hrtime() when driftd-fetch was asked last */
	bool unasked_reported;
};

/* The digits of a commit, or of a digest without its "sha256:". */
str published_digits(str revision);
/* The first digits of a revision, by which people know it. */
str published_short(str revision);
/* Read what is known of the revision @id; "" is none. */
void published_know(struct app *app, struct known_revision *k, str id);
/* The reference called @name; NULL: no reference with a source has this name. */
struct followed_source *published_find(const struct app *app, str name);
/* Ask for a new revision of the reference now. */
void published_wish(struct app *app, struct followed_source *s);
/* Ask driftd-fetch to fetch what is due. */
void published_ask(struct app *app);
/* Let records of findings name the revisions in force. */
void published_name_revisions(struct app *app);
/* The configuration in force was loaded with these revisions. */
void published_loaded(struct app *app);

/* Put @id into force without holding it, and pin it. Fails: EIO, it cannot be stored, which is reported; EKEYREJECTED,
 * it was never in force, and is not signed as its source has to be now. */
CHECKED int published_want(struct app *app, struct followed_source *s, const char *id, bool pin, struct err *err);
/* Unpin the reference. Fails: EIO, as published_want. */
CHECKED int published_let_go(struct app *app, struct followed_source *s, struct err *err);

#endif
