/* Notices when folders of manifests have changed. */
#include "daemon/app/followed.h"

#include "base/assert.h"
#include "config/manifest_files.h"
#include "daemon/app/app_internal.h"
#include "daemon/findings/notice.h"
#include "kubeclient/kc_files.h"

#define RESTLESS_NS (60 * UINT64_C(1000000000))

struct followed {
	struct kc_files files;
	void (*changed)(struct app *app);
	uint64_t *seen;     /* for each reference of the configuration: the last known state of its files */
	uint64_t moving_ns; /* uv_hrtime() of the last change; 0: nothing changes now */
	uint64_t since_ns;  /* uv_hrtime() of the first change after a quiet time */
	bool restless_reported;
	uint64_t look_ns; /* when the next look without an event is due */
	bool behind;      /* a change of the manifests is not in force yet */
};

/* Whether the reference consists of manifests on this host. */
static bool is_followed(const struct cfg_reference *r)
{
	return r->manifests.path.n && !r->published.source.kind;
}

static struct manifest_files files_of(const struct cfg_manifests *m)
{
	return (struct manifest_files){ m->path.p, m->include, m->exclude };
}

/* ---- which folders ---- */

static void watch_folders(struct app *app)
{
	struct string_list folders = { 0 };
	struct err err;
	int r = 0;

	for (size_t i = 0; i < app->cfg->n_references && r == 0; i++) {
		const struct cfg_reference *x = &app->cfg->references[i];

		if (is_followed(x))
			r = manifest_files_folders(x->manifests.path.p, &folders, &err);
	}
	kc_files_watch(&app->followed->files, (const char *const *)folders.v.p, folders.v.n);
	string_list_done(&folders);
}

void followed_watch(struct app *app)
{
	struct followed *f = app->followed;

	free(f->seen);
	f->seen = calloc(app->cfg->n_references + 1, sizeof(*f->seen));
	for (size_t i = 0; f->seen && i < app->cfg->n_references; i++)
		f->seen[i] = app->cfg->references[i].manifests.state;
	f->look_ns = 0;
	f->behind = false;
	watch_folders(app);
}

void followed_ask_again(struct app *app)
{
	app->followed->behind = true;
}

/* ---- looking ---- */

/* Look at the files of all references. Return whether their state has changed since the last look. */
static bool look_at(struct app *app)
{
	struct followed *f = app->followed;
	bool news = false;

	f->look_ns = uv_hrtime() + FOLLOWED_LOOK_NS;
	for (size_t i = 0; f->seen && i < app->cfg->n_references; i++) {
		const struct cfg_manifests *m = &app->cfg->references[i].manifests;
		const struct manifest_files files = files_of(m);
		uint64_t now = is_followed(&app->cfg->references[i]) ? manifest_files_state(&files) : 0;

		news |= now != f->seen[i];
		f->seen[i] = now;
	}
	return news;
}

static void move(struct followed *f)
{
	f->moving_ns = uv_hrtime();
	if (!f->since_ns)
		f->since_ns = f->moving_ns;
}

static void on_change(void *ctx)
{
	struct app *app = ctx;

	move(app->followed);
	(void)look_at(app);
	watch_folders(app); /* the manifests may be in other folders now */
}

static void report_restless(struct app *app)
{
	struct followed *f = app->followed;

	if (f->restless_reported || uv_hrtime() - f->since_ns < RESTLESS_NS)
		return;
	f->restless_reported = true;
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_WARNING,
			 "folders of manifests have changed all the time for a minute: they are read when they have "
			 "been quiet for a second, and count as they were");
}

void followed_tick(struct app *app)
{
	struct followed *f = app->followed;
	uint64_t now = uv_hrtime();

	if (!f->moving_ns && now >= f->look_ns && (look_at(app) || f->behind))
		move(f);
	if (!f->moving_ns)
		return;
	if (now - f->moving_ns < FOLLOWED_QUIET_NS) {
		report_restless(app);
		return;
	}
	if (look_at(app)) { /* inotify did not report this change */
		move(f);
		return;
	}
	f->moving_ns = f->since_ns = 0;
	f->restless_reported = f->behind = false;
	f->changed(app); /* the callee finds out whether any manifest really differs */
}

/* ---- life ---- */

int followed_open(struct app *app, void (*changed)(struct app *app), struct err *err)
{
	ASSERT(!app->followed);
	app->followed = calloc(1, sizeof(*app->followed));
	if (!app->followed)
		return err_nomem(err);
	app->followed->changed = changed;
	kc_files_init(&app->followed->files, &app->loop, on_change, app);
	return 0;
}

void followed_close(struct app *app)
{
	kc_files_close(&app->followed->files, NULL);
}

void followed_free(struct app *app)
{
	if (app->followed)
		free(app->followed->seen);
	free(TAKE(app->followed));
}
