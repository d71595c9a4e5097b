/* How the references that are followed stand, for metrics, answers and pages. daemon/app/published.h decides it. */
#ifndef DAEMON_SERVE_SOURCE_STATE_H
#define DAEMON_SERVE_SOURCE_STATE_H

#include "config/source.h"
#include "config/source_revision.h"
#include "config/source_status.h"
#include "config/source_store.h"

/* ORDER source_standing_names */
enum source_standing {
	SOURCE_ABSENT,   /* nothing was fetched yet: nothing is compared with it */
	SOURCE_CURRENT,  /* what was fetched last is in force */
	SOURCE_CHECKING, /* what was fetched last is loaded and rehearsed */
	SOURCE_HELD,     /* it waits for "driftd reference accept" */
	SOURCE_BROKEN,   /* it has mistakes: what was in force stays so */
	SOURCE_PINNED,   /* an administrator said which revision is in force */
	SOURCE_STANDINGS,
};

/* "absent", "current", "checking", "held", "broken", "pinned" */
const char *source_standing_name(enum source_standing s);

/* All of it is borrowed until the next turn of the loop. */
struct source_state {
	const struct source *source;
	enum source_standing standing;
	int64_t since;                          /* Unix time: it stands so */
	const char *in_force;                   /* id of the revision in force; "": none */
	const struct source_revision *revision; /* what is known of it; NULL: nothing */
	const char *fetched;                    /* id of what was fetched last; "": nothing was */
	const struct source_revision *next;     /* what is known of it, where it is another one; NULL */
	str why;       /* of HELD and BROKEN: the reason in words, printable, lines; else empty */
	str not_done;  /* why what somebody asked for last is not in force, lines; empty: it is, or may yet be */
	str changes;   /* what the rehearsal of @next said: "12 begin, 3 change, 40 end"; may be empty */
	size_t begins; /* of that */
	const struct source_status *status; /* NULL: it was never tried */
	bool waits;                         /* a wish of ours was not served yet */
	const str *before; /* ids of what was in force before, the newest first, as far as they are kept */
	size_t n_before;
};

#endif
