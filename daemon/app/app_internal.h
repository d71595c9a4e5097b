/* What the parts of the running daemon share. What only one part needs is in that part's own file; other parts call
 * its functions. */
#ifndef DAEMON_APP_APP_INTERNAL_H
#define DAEMON_APP_APP_INTERNAL_H

#include "daemon/app/app.h"
#include "daemon/app/clusters.h"
#include "daemon/app/inspections.h"
#include "daemon/app/turns.h"
#include "daemon/history/history.h"
#include "daemon/store/store_client.h"
#include "daemon/watch/accepted_apply.h"
#include "daemon/watch/process/awake.h"
#include "daemon/watch/verdict/acceptances.h"
#include "kubeclient/kc_pace.h"

/*     start           SIGTERM, SIGINT
 *   --------> running ----------------> stopping: handles are closed and the loop runs dry
 *   What happens to the configuration meanwhile: reload.h. */
struct app {
	struct app_options options;
	struct limits limits;
	struct key_table *keys;
	double started_at; /* Unix time */
	uv_loop_t loop;
	struct turns turns;
	struct awake awake;
	struct kc_pace pace;
	bool stopping;
	void (*wake)(void *ctx); /* there is work for the loop's idle time; @ctx: the app */

	/* opened by keeping.c */
	struct sink *sink;
	struct findings *findings;
	struct writer *writer;
	struct store_client *store_client;
	struct history *history;
	struct crash_marker *crash_marker;

	struct acceptances *acceptances; /* accepting.c */
	/* accepting.c: the changes of acceptances that are being applied */
	struct accepted_round accepted_round;
	const struct watch_inspector_maker *inspects; /* NULL: no inspection rules, nothing is inspected */
	struct cfg *cfg;                              /* in force; reload.c replaces it */
	struct clusters clusters;                     /* the running clusters; clusters.c changes them */

	/* The parts, each of its own file. */
	struct reload *reload;
	struct kubeconfigs *kubeconfigs;
	struct followed *followed;
	struct published *published;
	struct answers *answers;
	struct listeners *listeners;
	struct kept_state *keeping;
	struct leadership *leadership; /* NULL: there is one host only */
	struct remembered *remembered;
	struct renaming *renaming; /* NULL: no finding is being carried over */
	bool renamed;              /* renaming.c: what was renamed since the last process has been carried over */
	struct alerting *alerting; /* NULL: it was not begun */
	/* The part for inspection rules; NULL: the build left it out. */
	const struct inspections_part *inspecting;
	struct inspections *inspections;
};

#endif
