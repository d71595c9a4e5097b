/* The standing of each followed reference, for metrics, answers and pages. daemon/app/published.h decides it. */
#ifndef DAEMON_SERVE_SOURCE_STATE_H
#define DAEMON_SERVE_SOURCE_STATE_H

#include "config/source.h"
#include "config/source_revision.h"
#include "config/source_status.h"
#include "config/source_store.h"

/* ORDER source_standing_names */
enum source_standing {
	SOURCE_ABSENT,   /* nothing was fetched yet, and nothing is compared with it */
	SOURCE_CURRENT,  /* the revision that was fetched last is in force */
	SOURCE_CHECKING, /* the revision that was fetched last is being loaded and rehearsed */
	SOURCE_HELD,     /* a revision waits for "driftd reference accept" */
	SOURCE_BROKEN,   /* the fetched revision has mistakes, and the revision in force stays */
	SOURCE_PINNED,   /* an administrator has chosen the revision in force */
	SOURCE_STANDINGS,
};

/* The standing in words: "absent", "current", "checking", "held", "broken", "pinned". */
const char *source_standing_name(enum source_standing s);

/* Everything is borrowed until the next turn of the loop. */
struct source_state {
	const struct source *source;
	enum source_standing standing;
	int64_t since;                          /* Unix time: it stands so */
	const char *in_force;                   /* id of the revision in force; "": none */
	const struct source_revision *revision; /* what is known of that revision; NULL: nothing */
	const char *fetched;                    /* id of the revision that was fetched last; "": none was */
	const struct source_revision *next;     /* what is known of that revision, if it is another one; NULL */
	str why;                                /* for HELD and BROKEN the reasons, printable, in lines; else empty */
	/* why the revision that somebody asked for last is not in force, in lines; empty: it is, or still may be */
	str not_done;
	str changes;   /* the result of the rehearsal of @next, such as "12 begin, 3 change, 40 end"; may be empty */
	size_t begins; /* the number of findings that would begin */
	const struct source_status *status; /* NULL: it was never tried */
	bool waits;                         /* driftd has asked for a fetch that was not done yet */
	/* ids of the revisions that were in force before, the newest first, as far as they are kept */
	const str *before;
	size_t n_before;
};

#endif
