/* Keeping the findings over a restart. */
#include "daemon/app_internal.h"
#include "daemon/findings/notice.h"
#include "daemon/findings/state_file.h"

#define SAVE_INTERVAL_NS (5 * UINT64_C(1000000000))

static bool changed(const struct app *app)
{
	return app->cfg->state_dir.n && app->save.generation != findings_generation(app->findings);
}

static void report(struct app *app, const struct err *err)
{
	if (err->code)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR, "%s", err->msg);
}

void app_load_state(struct app *app)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	struct err err;

	if (dir && *dir && state_file_load(dir, app->findings, &err) < 0)
		record_lifecycle(app->sink, MESSAGE_STATE_UNREADABLE, SEVERITY_WARNING, "%s; starting without it",
				 err.msg);
	app->save.generation = findings_generation(app->findings);
}

void app_save_state(struct app *app)
{
	CLEANUP(freep) char *dir = str_dup(app->cfg->state_dir);
	struct err err = { 0 };

	if (dir && changed(app) && state_file_save(dir, app->findings, &err) < 0)
		report(app, &err);
}

static void on_save(uv_work_t *work)
{
	struct state_save *s = work->data;

	(void)!state_file_write(s->dir, buf_str(&s->text), &s->error);
}

static void finish(struct app *app)
{
	struct state_save *s = &app->save;

	report(app, &s->error);
	s->under_way = false;
	buf_done(&s->text);
	free(TAKE(s->dir));
}

static void on_saved(uv_work_t *work, int status)
{
	struct state_save *s = work->data;

	(void)status;
	finish((struct app *)((char *)s - offsetof(struct app, save)));
}

void app_save_state_soon(struct app *app)
{
	struct state_save *s = &app->save;

	if (s->under_way || !changed(app) || uv_hrtime() - s->begun_ns < SAVE_INTERVAL_NS)
		return;
	s->begun_ns = uv_hrtime();
	s->error = (struct err){ 0 };
	s->text = BUF_INIT(STATE_FILE_BYTES_MAX);
	s->dir = str_dup(app->cfg->state_dir);
	s->work.data = s;
	if (!s->dir || state_file_text(app->findings, &s->text, &s->error) < 0 ||
	    uv_queue_work(&app->loop, &s->work, on_save, on_saved) < 0) {
		finish(app);
		return;
	}
	s->under_way = true;
	s->generation = findings_generation(app->findings);
}
