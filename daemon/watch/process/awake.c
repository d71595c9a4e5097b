/* Finds out whether the process ran, by comparing three clocks with what they showed at the last look. */
#include "daemon/watch/process/awake.h"

#include "base/assert.h"
#include "base/defs.h"

/* ORDER enum nap_kind */
static const char *const causes[] = { "the process was stopped or busy", "the host slept",
				      "the host was stopped, or its clock was set ahead" };
_Static_assert(ARRAY_LEN(causes) == NAP_KINDS, "a cause for each kind of nap");

static uint64_t passed(uint64_t from, uint64_t to)
{
	return to > from ? to - from : 0;
}

/* Whether the process did not run between @from and @to, and what kind of nap that was. */
static bool find_nap(const struct clock_moment *from, const struct clock_moment *to, enum nap_kind *ret)
{
	uint64_t steady = passed(from->ns, to->ns), boot = passed(from->boot_ns, to->boot_ns);
	/* the clocks at both ends of a nap may be days or years apart */
	int64_t day_ns = (to->usec - from->usec) * 1000;

	if (steady > AWAKE_LATE_NS)
		*ret = NAP_STOPPED;
	else if (boot > AWAKE_LATE_NS)
		*ret = NAP_HOST;
	else if (day_ns > (int64_t)(boot + AWAKE_LATE_NS))
		*ret = NAP_CLOCK;
	else
		return false;
	return true;
}

void awake_look_at(struct awake *a, struct clock_moment now)
{
	struct nap n = { .from = a->last, .to = now };

	a->last = now;
	if (!n.from.ns || !find_nap(&n.from, &now, &n.kind))
		return;
	clock_slept(now.ns, passed(passed(n.from.ns, now.ns), passed(n.from.boot_ns, now.boot_ns)));
	a->woke(a->ctx, &n);
}

void awake_look(struct awake *a)
{
	if (a)
		awake_look_at(a, clock_now());
}

const char *nap_cause(const struct nap *n)
{
	ASSERT(n->kind < NAP_KINDS);
	return causes[n->kind];
}

int64_t nap_usec_of(const struct nap *n, uint64_t ns)
{
	return n->from.usec - (ns ? (int64_t)(passed(ns, n->from.ns) / 1000) : 0);
}
