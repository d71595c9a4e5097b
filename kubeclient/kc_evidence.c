/* Computes until when evidence counts. */
#include "kubeclient/kc_evidence.h"

#include <errno.h>

#define NS_PER_MS 1000000

uint64_t kc_evidence_stale_ms(const struct kc_tuning *t)
{
	return t->evidence_ms - t->evidence_ms / 45; /* 2 of 90 seconds */
}

/* How long a test lasts: if it begins in time, it ends when the tested evidence becomes too old. */
static uint64_t test_ms(const struct kc_tuning *t)
{
	uint64_t stale = kc_evidence_stale_ms(t);

	return stale > t->idle_ms ? stale - t->idle_ms : 1;
}

void kc_evidence_begin(struct kc_evidence *e, const struct kc_tuning *t, bool listed, bool test, uint64_t now_ns)
{
	bool tested = test || !e->proved_ns || kc_evidence_due(e, t, now_ns);

	kc_evidence_end(e);
	e->read = listed;
	e->until_ns = tested ? now_ns + test_ms(t) * NS_PER_MS : 0;
}

void kc_evidence_end(struct kc_evidence *e)
{
	e->answered = e->repeated = e->read = false;
	e->until_ns = 0;
	e->problem.code = 0;
}

static void prove(struct kc_evidence *e, uint64_t now_ns)
{
	e->proved_ns = now_ns;
	e->until_ns = 0;
	e->repeated = false;
}

void kc_evidence_event(struct kc_evidence *e, bool moved, uint64_t now_ns)
{
	e->mute = false;
	e->repeated = true;
	if (moved)
		prove(e, now_ns);
}

void kc_evidence_test_read(struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns)
{
	e->read = e->repeated = false; /* the next test needs another bookmark */
	e->until_ns = now_ns + test_ms(t) * NS_PER_MS;
}

bool kc_evidence_answers(struct kc_evidence *e, uint64_t now_ns)
{
	if (!e->answered || !e->read || e->mute)
		return false;
	e->read = false; /* a read counts once */
	prove(e, now_ns);
	return true;
}

bool kc_evidence_due(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns)
{
	return e->proved_ns && now_ns >= e->proved_ns + t->idle_ms * NS_PER_MS;
}

bool kc_evidence_failed(const struct kc_evidence *e, const struct kc_tuning *t, const char *shown, uint64_t now_ns,
			struct err *why)
{
	int seconds = (int)(test_ms(t) / 1000);

	if (!e->until_ns || now_ns < e->until_ns)
		return false;
	if (!e->answered) {
		(void)err_set(why, ETIMEDOUT, "watch of %.100s: no answer within %d s", shown, seconds);
	} else if (e->mute) {
		(void)err_set(why, ENODATA, "watch of %.100s: it delivers nothing, though objects have changed", shown);
	} else if (e->problem.code) {
		*why = e->problem;
		(void)err_wrap(why, "watch of %.100s: it is silent, and a read beside it failed", shown);
	} else {
		(void)err_set(why, ETIMEDOUT,
			      "watch of %.100s: it is silent, and a read beside it was not answered within %d s", shown,
			      seconds);
	}
	return true;
}

uint64_t kc_evidence_wait_ms(const struct kc_evidence *e, const struct kc_tuning *t, uint64_t now_ns)
{
	uint64_t at = e->until_ns ? e->until_ns : e->proved_ns + t->idle_ms * NS_PER_MS;

	return now_ns < at ? (at - now_ns) / NS_PER_MS + 1 : 1;
}
