/* The steps of the writer: their names, and how long each may fail or be silent before it counts as stuck. */
#include "daemon/store/steps.h"

#include "base/assert.h"
#include "base/defs.h"

#include <errno.h>

#define S(n) ((n)*UINT64_C(1000000000))

/* The patience with each step. A step that cannot store is reported at once, except for locks: SQLite waits for seconds
 * before it gives up. A journal that is restarted is away for some seconds, and what it was given may take ten to be
 * readable (systemd-journald(8)). */
static const struct {
	const char *name, *gap;
	uint64_t failing_ns; /* for how long the step may fail before that is reported, */
	uint64_t silent_ns;  /* for how long nothing may be heard of the step */
} steps[STORE_STEPS] = {
	[STEP_FILES] = { "files", "the state folder is not in its place", 0, S(30) },
	[STEP_OUTBOX] = { "outbox", "records that wait to be sent cannot be read", S(5), S(30) },
	[STEP_RECOVERY] = { "recovery", "records that were sent before cannot be looked up", S(30), S(60) },
	[STEP_COMMIT] = { "commit", "findings cannot be stored", 0, S(10) },
	[STEP_SEND] = { "send", "records cannot be written", S(10), S(60) },
	[STEP_READ_BACK] = { "read_back", "records that were written cannot be read", S(60), S(120) },
};

/* ORDER enum step_state */
static const char *const states[] = { "rests", "works", "stuck" };

static void enter(struct step_health *h, enum step_phase phase, uint64_t since_ns)
{
	h->phase = phase;
	h->since_ns = since_ns;
}

void step_begin(struct step_health *h, uint64_t now_ns)
{
	if (h->phase == STEP_IDLE)
		enter(h, STEP_BUSY, now_ns);
}

void step_progress(struct step_health *h, bool more, uint64_t now_ns)
{
	h->progress_ns = now_ns;
	h->error.code = 0;
	if (more)
		enter(h, STEP_BUSY, now_ns);
	else
		enter(h, STEP_IDLE, 0);
}

void step_fail(struct step_health *h, const struct err *why, uint64_t now_ns)
{
	enter(h, STEP_FAILING, h->phase == STEP_IDLE ? now_ns : h->since_ns);
	h->failures++;
	h->error = *why;
}

void step_rest(struct step_health *h)
{
	if (h->phase == STEP_BUSY)
		enter(h, STEP_IDLE, 0);
}

enum step_state step_state(const struct step_health *h, enum store_step step, uint64_t now_ns)
{
	uint64_t patience = h->phase == STEP_FAILING ? steps[step].failing_ns : steps[step].silent_ns;

	if (h->phase == STEP_IDLE)
		return STEP_RESTS;
	return now_ns - h->since_ns >= patience ? STEP_STUCK : STEP_WORKS;
}

void step_why_stuck(const struct step_health *h, enum store_step step, uint64_t now_ns, struct err *ret)
{
	*ret = (struct err){ 0 };
	if (step_state(h, step, now_ns) != STEP_STUCK)
		return;
	if (h->phase == STEP_FAILING)
		*ret = h->error;
	else
		(void)err_set(ret, ETIMEDOUT, "nothing is heard of it");
}

const char *step_name(enum store_step step)
{
	ASSERT(step < STORE_STEPS);
	return steps[step].name;
}

const char *step_gap(enum store_step step)
{
	ASSERT(step < STORE_STEPS);
	return steps[step].gap;
}

const char *step_state_name(enum step_state state)
{
	ASSERT(state < ARRAY_LEN(states));
	return states[state];
}

_Static_assert(ARRAY_LEN(states) == STEP_STUCK + 1, "a name for each state");
