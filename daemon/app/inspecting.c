/* What inspections of all clusters share: their effects, and what they leave to whoever inspects the same objects next.
 */
#include "daemon/app/app_internal.h"
#include "daemon/inspection/calls.h"

#include <errno.h>

#define INSPECTED_BYTES_MAX ((size_t)256 << 20)

static void on_call_failed(void *ctx, const struct call_origin *origin, str url, const char *why)
{
	struct app *app = ctx;

	if (origin->sensitive)
		effects_call_failed(&app->inspecting, origin, STR("(hidden)"), "the rule is sensitive");
	else
		effects_call_failed(&app->inspecting, origin, url, why);
}

int app_begin_inspecting(struct app *app, struct err *err)
{
	const struct calls_options o = { .loop = &app->loop, .failed = on_call_failed, .ctx = app };

	app->inspecting.rules = app->inspection_rules;
	app->inspecting.sink = app->sink;
	return calls_new(&o, &app->inspecting.calls, err);
}

void app_stop_inspecting(struct app *app)
{
	if (app->inspecting.calls)
		calls_close(TAKE(app->inspecting.calls), NULL, NULL);
}

/* ---- what was inspected of clusters that are left ---- */

static void left_done(struct left_cluster *x)
{
	free(x->name);
	buf_done(&x->versions);
}

/* Out of the list; without a name: there is none. */
static struct left_cluster take_left(struct app *app, str cluster)
{
	struct left_cluster none = { 0 };

	for (size_t i = 0; i < app->left.n; i++) {
		struct left_cluster x = app->left.p[i];

		if (!str_eq(str_from(x.name), cluster))
			continue;
		app->left.p[i] = app->left.p[--app->left.n];
		return x;
	}
	return none;
}

/* Takes it over. Without memory its effects may repeat. */
static int keep_left(struct app *app, struct left_cluster *x, struct err *err)
{
	if (x->name && !x->versions.error && vec_push(&app->left, *x))
		return 0;
	left_done(x);
	return err_nomem(err);
}

int app_restore_inspected(void *ctx, str cluster, str versions, struct err *err)
{
	struct left_cluster x = { .name = str_dup(cluster), .versions = BUF_INIT(INSPECTED_BYTES_MAX) };

	buf_add_str(&x.versions, versions);
	return keep_left(ctx, &x, err);
}

void app_note_inspected(struct app *app, const struct cluster *c)
{
	struct left_cluster x = { .name = str_dup(cluster_name(c)), .versions = BUF_INIT(INSPECTED_BYTES_MAX) };
	struct err err;

	cluster_list_inspected(c, &x.versions);
	(void)!keep_left(app, &x, &err);
}

struct inspected *app_inspected(void *ctx, str cluster)
{
	struct left_cluster x = take_left(ctx, cluster);
	struct inspected *s = NULL;
	struct err err;

	if (x.name && inspected_new(buf_str(&x.versions), &s, &err) < 0)
		s = NULL;
	left_done(&x);
	return s;
}

void app_keep_inspected(struct app *app)
{
	for (size_t i = 0; i < app->left.n; i++) {
		const struct left_cluster *x = &app->left.p[i];

		if (cfg_find_cluster(app->cfg, str_from(x->name))) /* else nobody watches it next */
			writer_keep_inspected(app->writer, str_from(x->name), buf_str(&x->versions));
	}
}

void app_forget_inspected(struct app *app)
{
	for (size_t i = 0; i < app->left.n; i++)
		left_done(&app->left.p[i]);
	vec_done(&app->left);
}
