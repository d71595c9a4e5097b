/* Accepted deviations: those of the configuration, and those that were made at run time. */
#include "daemon/app_internal.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/accepted_apply.h"

void app_apply_accepted(struct app *app)
{
	accepted_apply(app->acceptances, app->findings, app->clusters, app->n_clusters);
}

void app_begin_accepted(struct app *app)
{
	app_apply_accepted(app);
	accepted_end_lost(app->acceptances, app->findings);
}

int app_open_accepted(struct app *app, struct err *err)
{
	int r = acceptances_new(&app->acceptances, err);

	return r < 0 ? r : acceptances_configure(app->acceptances, app->cfg, err);
}

void app_configure_accepted(struct app *app)
{
	struct err err;

	if (acceptances_configure(app->acceptances, app->cfg, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
				 "accepted deviations of the configuration: %s; reload it again", err.msg);
}
