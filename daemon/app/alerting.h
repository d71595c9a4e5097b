/* Open findings as alerts, if the configuration names Alertmanagers: over reloads, leader election and shutdown.
 *
 *   none --settings name some--> posting --other settings, or none--> closing --> posting, or none */
#ifndef DAEMON_APP_ALERTING_H
#define DAEMON_APP_ALERTING_H

#include "daemon/alertmanager/alertmanager_status.h"

struct app;

/* Apply the alerting of the configuration in force. What cannot be done is reported. */
void alerting_configure(struct app *app);
/* Called about once a second. */
void alerting_tick(struct app *app);
/* The process did not run for a while. */
void alerting_woke(struct app *app);
/* Close the handles on the loop. No alert is resolved: the next process goes on with the alerts. */
void alerting_stop(struct app *app);
void alerting_free(struct app *app);
/* The Alertmanagers for metrics, answers and pages; valid until the next turn of the loop. */
const struct alertmanager_status *alerting_views(const struct app *app, size_t *n);

#endif
