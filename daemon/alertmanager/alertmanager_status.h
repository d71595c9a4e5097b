/* The state of an Alertmanager to which alerts are posted, for metrics, answers and pages. */
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
	ALERT_SERVER,  /* 5xx, or not an answer of an Alertmanager */
	ALERT_ANSWER,  /* the list of its alerts cannot be read */
	ALERT_FAILURES,
};

/* The name: "unreachable", "tls", "auth", "refused", "server" or "answer". */
const char *alert_failure_name(enum alert_failure f);

/* The state of one Alertmanager. Texts are borrowed until the next turn of the loop. */
struct alertmanager_status {
	str url;
	const char *state; /* "off", "asking", "resting", "posting", "waiting" */
	/* this host posts alerts; otherwise the Alertmanager is not asked, and the following is of former times */
	bool reports;
	bool up; /* the last request succeeded */
	/* @alerts: how many it has. @undelivered: how many begins and ends have not been posted to it */
	size_t alerts, undelivered;
	uint64_t posts, failures[ALERT_FAILURES];
	int64_t last_success_usec; /* Unix time; 0: never */
	const char *why;           /* the reason of the last failure, while it is not up; "": none */
};

#endif
