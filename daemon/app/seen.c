/* When each cluster was wholly watched last, over restarts: what is found later happened since. */
#include "daemon/app/app_internal.h"
#include "daemon/findings/clock.h"

#define KEEP_SEEN_NS (60 * UINT64_C(1000000000))

/* Made when it is new; NULL without memory. */
static struct seen_cluster *seen_of(struct app *app, str cluster)
{
	struct seen_cluster fresh = { 0 };

	for (size_t i = 0; i < app->seen.n; i++) {
		if (str_eq(str_from(app->seen.p[i].name), cluster))
			return &app->seen.p[i];
	}
	fresh.name = str_dup(cluster);
	if (!fresh.name || !vec_push(&app->seen, fresh)) {
		free(fresh.name);
		return NULL;
	}
	return &app->seen.p[app->seen.n - 1];
}

int app_restore_seen(void *ctx, str cluster, int64_t usec, struct err *err)
{
	struct seen_cluster *seen = seen_of(ctx, cluster);

	if (!seen)
		return err_nomem(err);
	seen->usec = usec;
	return 0;
}

int64_t app_last_seen(void *ctx, str cluster)
{
	const struct seen_cluster *seen = seen_of(ctx, cluster);

	return seen ? seen->usec : 0;
}

void app_note_seen(struct app *app)
{
	awake_look(&app->awake);
	for (size_t i = 0; i < app->n_clusters; i++) {
		struct seen_cluster *seen =
			cluster_seen(app->clusters[i]) ? seen_of(app, cluster_name(app->clusters[i])) : NULL;

		if (seen)
			seen->usec = clock_usec();
	}
}

void app_keep_seen(struct app *app)
{
	app_note_seen(app);
	app->seen_kept_ns = uv_hrtime();
	for (size_t i = 0; i < app->seen.n; i++) {
		if (app->seen.p[i].usec)
			writer_seen(app->writer, str_from(app->seen.p[i].name), app->seen.p[i].usec);
	}
}

void app_tick_seen(struct app *app)
{
	app_note_seen(app);
	if (uv_hrtime() - app->seen_kept_ns >= KEEP_SEEN_NS)
		app_keep_seen(app);
}

void app_forget_seen(struct app *app)
{
	for (size_t i = 0; i < app->seen.n; i++)
		free(app->seen.p[i].name);
	vec_done(&app->seen);
}
