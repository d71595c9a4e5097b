/* Words for the reasons why findings end. */
#include "daemon/findings/end_reason.h"

#include "base/assert.h"
#include "base/defs.h"
#include "daemon/findings/finding.h"

static const char *const texts[] = {
	[END_REPAIRED] = NULL,
	[END_DELETED] = "object deleted",
	[END_NOT_SERVED] = "no longer served",
	[END_OTHER_VERSION] = "watched in another version",
	[END_NOT_IN_REFERENCE] = "no longer in the reference",
	[END_EXCLUDED] = "excluded from the reference",
	[END_REFERENCE_GONE] = "the reference is no longer configured",
	[END_REFERENCE_ELSEWHERE] = "the reference is no longer for the cluster",
	[END_NOT_WATCHED] = "no longer watched",
	[END_CLUSTER_GONE] = "the cluster is no longer configured",
	[END_RULE_GONE] = "the rule is gone",
	[END_ONLY_COUNTED] = "it still fails, and is only counted",
	[END_ACCEPTED] = "accepted",
	[END_NOT_NEEDED] = "no longer needed",
	[END_NOT_ACCEPTED] = "no longer accepted",
	[END_EXPIRED] = FINDING_EXPIRED,
};
_Static_assert(ARRAY_LEN(texts) == END_REASONS, "words for each reason: ORDER enum end_reason");

enum end_reason end_reason_of_acceptance(enum end_reason r)
{
	return r == END_REPAIRED ? END_NOT_NEEDED : r;
}

const char *end_reason_text(enum end_reason r)
{
	ASSERT(r < END_REASONS);
	return texts[r];
}
