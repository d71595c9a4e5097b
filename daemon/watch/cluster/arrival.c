/* Names the outcomes of arrivals. */
#include "daemon/watch/cluster/arrival.h"

#include "base/assert.h"

static const struct {
	const char *name, *reason;
} words[ARRIVAL_OUTCOMES] = {
	[ARRIVAL_QUEUED] = { "queued", "it waits, or waited, for its verdict" },
	[ARRIVAL_SPECULATED] = { "speculated",
				 "its verdict was reached while it was listed, and there is nothing to report" },
	[ARRIVAL_UNSEEN] = { "unseen", "no verdict depends on anything that has changed" },
	[ARRIVAL_REPEATED] = { "repeated", "it is as it was known already" },
	[ARRIVAL_FOREIGN] = { "foreign", "another shard reports it; it is kept for what depends on it" },
	[ARRIVAL_UNNEEDED] = { "unneeded", "another shard reports it, and nothing here depends on it" },
	[ARRIVAL_DELETED] = { "deleted", "it was deleted: what was found in it is over" },
	[ARRIVAL_LOST] = { "lost", "there was no memory to keep it" },
};

const char *arrival_outcome_name(enum arrival_outcome o)
{
	ASSERT((unsigned)o < ARRIVAL_OUTCOMES);
	return words[o].name;
}

const char *arrival_outcome_reason(enum arrival_outcome o)
{
	ASSERT((unsigned)o < ARRIVAL_OUTCOMES);
	return words[o].reason;
}
