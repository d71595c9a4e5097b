/* How an Alertmanager does that alerts are posted to, for metrics, answers and pages. */
#ifndef DAEMON_ALERTMANAGER_ALERTMANAGER_STATUS_H
#define DAEMON_ALERTMANAGER_ALERTMANAGER_STATUS_H

#include "base/str.h"

#include <stdint.h>

/* Why a request failed. ORDER alert_failure_name */
enum alert_failure {
	ALERT_UNREACHABLE,
	ALERT_TLS,
	ALERT_AUTH,    /* 401, 403, or a credential that cannot be read */
	ALERT_REFUSED, /* another 4xx */
	ALERT_SERVER,  /* 5xx, and what is no answer of an Alertmanager */
	ALERT_ANSWER,  /* what it has cannot be read */
	ALERT_FAILURES,
};

/* "unreachable", "tls", "auth", "refused", "server", "answer" */
const char *alert_failure_name(enum alert_failure f);

/* Texts are borrowed until the next turn of the loop. */
struct alertmanager_status {
	str url;
	const char *state;          /* "off", "asking", "resting", "posting", "waiting" */
	bool reports;               /* this host does; else it is not asked, and what follows is of before */
	bool up;                    /* the last request was answered well */
	size_t alerts, undelivered; /* that it has; that it should have, or should know to have ended, and that were not
				       posted */
	uint64_t posts, failures[ALERT_FAILURES];
	int64_t last_success_usec; /* Unix time; 0: never */
	const char *why;           /* of the last failure, while it is not up; "": none */
};

#endif
