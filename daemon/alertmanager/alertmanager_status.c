/* The names of failures of requests to Alertmanagers. */
#include "daemon/alertmanager/alertmanager_status.h"

#include "base/assert.h"

const char *alert_failure_name(enum alert_failure f)
{
	static const char *const names[ALERT_FAILURES] = {
		"unreachable", "tls", "auth", "refused", "server", "answer"
	};

	ASSERT(f < ALERT_FAILURES);
	return names[f];
}
