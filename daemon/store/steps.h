/* Whether the steps of the writer make progress: what each has done last, and since when it has made none although
 * it has work. Times are those of clock_ns, which the caller passes, so that this file needs no clock. */
#ifndef DAEMON_STORE_STEPS_H
#define DAEMON_STORE_STEPS_H

#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum store_step {
	STEP_FILES,     /* the database's files are whole and in their place */
	STEP_OUTBOX,    /* what waits to be sent is read */
	STEP_RECOVERY,  /* what may not be written is looked up in the journal */
	STEP_COMMIT,    /* what is found is stored */
	STEP_SEND,      /* records are written */
	STEP_READ_BACK, /* records that were written can be read */
	STORE_STEPS
};

/*             something to do            progress, and nothing is left
 *   IDLE ----------------------> BUSY ------------------------------> IDLE
 *     |                          |  ^                                  ^
 *     |                 it fails v  | progress                         |
 *     '-- it fails ----------> FAILING ---- progress, nothing left ----'
 */
enum step_phase { STEP_IDLE, STEP_BUSY, STEP_FAILING };

/* The state that is reported of a step. A step that is not idle is stuck when it made no progress for its patience; a
 * failing step has less patience than one without any result. */
enum step_state { STEP_RESTS, STEP_WORKS, STEP_STUCK };

struct step_health {
	enum step_phase phase;
	uint64_t since_ns;    /* since when it has work without progress; 0 while it is idle */
	uint64_t progress_ns; /* time of its last progress; 0: none yet */
	uint64_t failures;    /* tries that failed */
	struct err error;     /* the error of the last try; code 0 unless the step fails */
};

/* The step has something to do, since now unless it had something before. */
void step_begin(struct step_health *h, uint64_t now_ns);
/* The step made progress; @more: it still has something to do. */
void step_progress(struct step_health *h, bool more, uint64_t now_ns);
/* A try failed with @why. */
void step_fail(struct step_health *h, const struct err *why, uint64_t now_ns);
/* The step has nothing to do. A failing step stays failing. */
void step_rest(struct step_health *h);

enum step_state step_state(const struct step_health *h, enum store_step step, uint64_t now_ns);
/* Why the step is stuck, with a code; code 0: it is not. */
void step_why_stuck(const struct step_health *h, enum store_step step, uint64_t now_ns, struct err *ret);

/* The name of the step in metrics, the status and /-/ready, such as "commit". */
const char *step_name(enum store_step step);
/* What the gap of a stuck step is called, such as "findings cannot be stored". */
const char *step_gap(enum store_step step);
const char *step_state_name(enum step_state state);

#endif
