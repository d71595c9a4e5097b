/* The kinds of record that driftd writes, each with its MESSAGE_ID. An id never changes its meaning; every id has an
 * entry in systemd/driftd.catalog (a test compares them). */
#ifndef DAEMON_FINDINGS_MESSAGES_H
#define DAEMON_FINDINGS_MESSAGES_H

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
	MESSAGES,
};

/* 32 hexadecimal digits, lower case. */
const char *message_id(enum message m);
/* For JSON lines and tests: "drift-begin". */
const char *message_name(enum message m);

#endif
