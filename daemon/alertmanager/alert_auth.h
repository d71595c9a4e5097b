/* As whom Alertmanagers are asked, and whom of them is trusted: files, read again when they changed. */
#ifndef DAEMON_ALERTMANAGER_ALERT_AUTH_H
#define DAEMON_ALERTMANAGER_ALERT_AUTH_H

#include "config/cfg.h"
#include "kubeclient/kc_transfer.h"

enum alert_file { ALERT_CA, ALERT_CERT, ALERT_KEY, ALERT_PASSWORD, ALERT_TOKEN, ALERT_FILES };

struct alert_auth {
	const struct cfg_alertmanager *from;
	char *texts[ALERT_FILES]; /* NULL: not configured, or never read */
	uint64_t states[ALERT_FILES];
	char *password_line; /* "Basic …" or "Bearer …"; NULL: none */
};

/* @from outlives it. Reads nothing yet. */
void alert_auth_init(struct alert_auth *a, const struct cfg_alertmanager *from);
void alert_auth_done(struct alert_auth *a);
/* Read what changed. One that cannot be read fails, unless it could be read before: then that is good. */
CHECKED int alert_auth_read(struct alert_auth *a, struct err *err);
/* Texts of @a, good until it reads again. */
struct kc_trust alert_auth_trust(const struct alert_auth *a);
/* Fails: ENOMEM, EINVAL (a header cannot hold it). */
CHECKED int alert_auth_add(const struct alert_auth *a, struct curl_slist **headers, struct err *err);

#endif
