/* The credentials for Alertmanagers, and the certificates that are trusted: files, which are read again when they
 * change. */
#ifndef DAEMON_ALERTMANAGER_ALERT_AUTH_H
#define DAEMON_ALERTMANAGER_ALERT_AUTH_H

#include "config/cfg.h"
#include "kubeclient/kc_transfer.h"

enum alert_file { ALERT_CA, ALERT_CERT, ALERT_KEY, ALERT_PASSWORD, ALERT_TOKEN, ALERT_FILES };

struct alert_auth {
	const struct cfg_alertmanager *from;
	char *texts[ALERT_FILES]; /* NULL: not configured, or never read */
	uint64_t states[ALERT_FILES];
	char *password_line; /* the value of the header, "Basic …" or "Bearer …"; NULL: none */
};

/* Begin without reading a file. @from outlives @a. */
void alert_auth_init(struct alert_auth *a, const struct cfg_alertmanager *from);
void alert_auth_done(struct alert_auth *a);
/* Read the files that changed. Fails when one cannot be read that never could; a former content is used otherwise. */
CHECKED int alert_auth_read(struct alert_auth *a, struct err *err);
/* The texts of @a, valid until the next alert_auth_read. */
struct kc_trust alert_auth_trust(const struct alert_auth *a);
/* Add the header with the credentials. Fails: ENOMEM, EINVAL (a header cannot contain them). */
CHECKED int alert_auth_add(const struct alert_auth *a, struct curl_slist **headers, struct err *err);

#endif
