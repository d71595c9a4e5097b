/* The kinds of record that driftd writes, each with its MESSAGE_ID. An id never changes its meaning; every id has an
 * entry in systemd/driftd.catalog (a test compares them). */
#ifndef DAEMON_FINDINGS_MESSAGES_H
#define DAEMON_FINDINGS_MESSAGES_H

#include "base/severity.h"
#include "base/str.h"

enum message {
	MESSAGE_DRIFT_BEGIN,
	MESSAGE_DRIFT_CHANGE,
	MESSAGE_DRIFT_END,
	MESSAGE_COMPONENT_BEGIN,
	MESSAGE_COMPONENT_CHANGE,
	MESSAGE_COMPONENT_END,
	MESSAGE_ERROR_BEGIN,
	MESSAGE_ERROR_CHANGE,
	MESSAGE_ERROR_END,
	MESSAGE_GAP_BEGIN,
	MESSAGE_GAP_CHANGE,
	MESSAGE_GAP_END,
	MESSAGE_VALIDATION_BEGIN,
	MESSAGE_VALIDATION_CHANGE,
	MESSAGE_VALIDATION_END,
	MESSAGE_STORM,
	MESSAGE_NOTICE,
	MESSAGE_STARTED,
	MESSAGE_STOPPED,
	MESSAGE_RELOADED,
	MESSAGE_RELOAD_FAILED,
	MESSAGE_STATE_UNREADABLE,
	MESSAGE_ACCEPTED_BEGIN,
	MESSAGE_ACCEPTED_CHANGE,
	MESSAGE_ACCEPTED_END,
	MESSAGE_ACCEPTED_EXPIRED,
	MESSAGE_INSPECTION_BEGIN,
	MESSAGE_INSPECTION_CHANGE,
	MESSAGE_INSPECTION_END,
	MESSAGE_INSPECTION_LOG,
	MESSAGE_API_CALL_FAILED,
	MESSAGE_LEADER,
	MESSAGE_REFERENCE,
	MESSAGES,
};

/* The severity of MESSAGE_STATE_UNREADABLE when stored state is lost. Open findings are then taken from the journal,
 * which alone has them. journald syncs at once all that it was sent when it gets a record as severe as this
 * (SyncIntervalSec in journald.conf(5)), so that a loss of power minutes later does not take them too. */
#define MESSAGE_STATE_LOST_SEVERITY SEVERITY_CRITICAL

/* 32 hexadecimal digits, lower case. */
const char *message_id(enum message m);
enum message message_of_id(str id); /* MESSAGES: no message has this id */
/* For JSON lines and tests: "drift-begin". */
const char *message_name(enum message m);

#endif
