/* Words for the kinds of changes. */
#include "compare/change.h"

#include "base/assert.h"

const char *change_kind_name(enum change_kind k)
{
	static const char *const names[] = {
		[CHANGE_CREATE] = "create", [CHANGE_DELETE] = "delete", [CHANGE_MODIFY] = "modify"
	};

	_Static_assert(ARRAY_LEN(names) == CHANGE_KINDS, "ORDER change_kind");
	ASSERT(k < CHANGE_KINDS);
	return names[k];
}
