/* What the lines of a state must be: the export leaves out what is otherwise, the import refuses it. */
#ifndef DAEMON_TRANSFER_TRANSFER_CHECK_H
#define DAEMON_TRANSFER_TRANSFER_CHECK_H

#include "base/err.h"
#include "base/str.h"
#include "rules/acceptance.h"

#define TRANSFER_USEC_MAX (INT64_MAX / 4) /* sums of two of them are numbers too */

/* Fail: EBADMSG, EINVAL, E2BIG, ENOMEM. *ret_id is set on success only. */
CHECKED int transfer_check_acceptance(str json, char ret_id[ACCEPTANCE_ID_SIZE], struct err *err);
CHECKED int transfer_check_rule(str json, struct err *err);
/* transfer_check_record fails also for a message that this version does not have: such a record can neither be sent nor
 * shown. Fails: as above. */
CHECKED int transfer_check_record(str bytes, struct err *err);

#endif
