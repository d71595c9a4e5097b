/* The names of the states of published references. */
#include "daemon/serve/source_state.h"

#include "base/assert.h"

const char *source_standing_name(enum source_standing s)
{
	/* ORDER enum source_standing */
	static const char *const names[] = { "absent", "current", "checking", "held", "broken", "pinned" };

	_Static_assert(ARRAY_LEN(names) == SOURCE_STANDINGS, "a name for each standing");
	ASSERT(s < SOURCE_STANDINGS);
	return names[s];
}
