/* Checks the lines of a state: the export leaves out invalid ones, the import refuses them. */
#ifndef DAEMON_TRANSFER_TRANSFER_CHECK_H
#define DAEMON_TRANSFER_TRANSFER_CHECK_H

#include "base/err.h"
#include "base/str.h"
#include "rules/acceptance.h"

#define TRANSFER_USEC_MAX (INT64_MAX / 4) /* the sum of two such times does not overflow */

/* Fail: EBADMSG, EINVAL, E2BIG, ENOMEM. *ret_id is set on success only. */
CHECKED int transfer_check_acceptance(str json, char ret_id[ACCEPTANCE_ID_SIZE], struct err *err);
CHECKED int transfer_check_rule(str json, struct err *err);
/* Check a record. A message that this version does not have is an error too, since the record could neither be sent
 * nor shown. Fails: as transfer_check_acceptance. */
CHECKED int transfer_check_record(str bytes, struct err *err);

#endif
