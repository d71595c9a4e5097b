/* The state of the recovery. */
#include "daemon/store/recovery.h"

#include "base/assert.h"

void recovery_becomes(struct recovery *r, enum recovery_state state)
{
	ASSERT(state != READ_OUTBOX && (state != READ_BARRIER_BACK || r->state == SEND_BARRIER));
	r->state = state;
}
