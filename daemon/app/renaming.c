/* Carries findings over to renamed clusters and references. The names are stored in a file of lines
 * (cfg_places_write), which is written late, because it must not be newer than the stored findings. When it is
 * older, the findings that already have their new names are not found under the old ones, and nothing happens. */
#include "daemon/app/renaming.h"

#include "base/file.h"
#include "config/source_write.h"
#include "daemon/app/app_internal.h"
#include "daemon/app/remembered.h"
#include "daemon/findings/notice.h"
#include "daemon/watch/renames.h"

#include <errno.h>
#include <stdio.h>

#define FILE_MAX ((size_t)16 << 20)
#define TEXT_MAX ((size_t)1 << 20)
#define SHOWN 10
#define SLICE_NS (2 * UINT64_C(1000000))

/*   begun --> moving, while there are more findings --> done */
struct renaming {
	struct renames renames;
	struct findings_readdressing moving;
	void (*done)(struct app *app);
};

static void say(struct app *app, const struct renames *r, size_t moved)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; i < r->names.list.n && i < SHOWN; i++) {
		const struct cfg_rename *x = &r->names.list.p[i];

		buf_printf(&text, "%s%s %.*s is %.*s now", i ? ", " : "", cfg_place_kind_name(x->kind), STR_ARG(x->was),
			   STR_ARG(x->is));
	}
	if (r->names.list.n > SHOWN)
		buf_printf(&text, " and %zu more", r->names.list.n - SHOWN);
	if (r->manifests)
		buf_printf(&text, "%smanifests are in other files", text.n ? ", " : "");
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_INFO, "renamed: %.*s; findings that go over: %zu",
			 STR_ARG(buf_str(&text)), moved);
}

/* ---- acceptances that were made at run time ---- */

static void on_kept(void *ctx, const struct err *err)
{
	struct app *app = ctx;

	if (err)
		record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
				 "an acceptance of what was renamed is not stored: %s", err->msg);
}

static void keep(struct app *app, const char *id, str json)
{
	struct err err;

	if (store_client_keep_acceptance(app->store_client, id, json, on_kept, app, &err) < 0)
		on_kept(app, &err);
}

static void keep_acceptance(void *ctx, const char *id, const struct acceptance *now)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(TEXT_MAX);

	if (now)
		acceptance_to_json(now, &json);
	if (!json.error)
		keep(ctx, id, now ? buf_str(&json) : (str){ NULL, 0 });
}

/* ---- all of it ---- */

static void renaming_free(struct app *app)
{
	struct renaming *x = TAKE(app->renaming);

	findings_scan_end(&x->moving.scan);
	renames_done(&x->renames);
	free(x);
}

static int begin(struct app *app, struct cfg_places *was, void (*done)(struct app *app), struct err *err)
{
	struct renaming *x = calloc(1, sizeof(*x));
	int r = x ? renames_begin(&x->renames, was, app->cfg, app->options.shard, err) : err_nomem(err);

	/* several hosts share the acceptances, and this host may not change them now */
	if (r == 0 && !app->leadership)
		r = renames_acceptances(&x->renames, app->acceptances, keep_acceptance, app, err);
	if (r < 0) {
		if (x)
			renames_done(&x->renames);
		free(x);
		cfg_places_done(was);
		return r;
	}
	for (size_t i = 0; i < x->renames.names.list.n; i++) {
		const struct cfg_rename *name = &x->renames.names.list.p[i];

		if (name->kind == CFG_PLACE_CLUSTER)
			remembered_rename(app, name->was, name->is);
	}
	x->done = done;
	app->renaming = x;
	return 0;
}

bool renaming_go_on(struct app *app, uint64_t until_ns)
{
	struct renaming *x = app->renaming;
	void (*done)(struct app * app) = x ? x->done : NULL;

	if (!x)
		return false;
	while (findings_readdress(app->findings, &x->moving, renames_move, &x->renames)) {
		if (uv_hrtime() >= until_ns)
			return true;
	}
	if (x->moving.moved || x->renames.names.list.n)
		say(app, &x->renames, x->moving.moved);
	renaming_free(app);
	if (done)
		done(app);
	return false;
}

void renaming_close(struct app *app)
{
	if (!app->renaming)
		return;
	renaming_free(app);
	app->renamed = false;
}

static void report(struct app *app, const struct err *err)
{
	record_lifecycle(app->sink, MESSAGE_NOTICE, SEVERITY_ERROR,
			 "findings of what was renamed end, and begin under the new name: %s", err->msg);
}

void renaming_begin(struct app *app, const struct cfg *old, void (*done)(struct app *app))
{
	struct cfg_places was;
	struct err err;

	if (cfg_places_of(old, &was, &err) < 0 || begin(app, &was, done, &err) < 0) {
		report(app, &err);
		done(app);
	} else if (renaming_go_on(app, uv_hrtime() + SLICE_NS)) {
		app->wake(app);
	}
}

/* The path of a file; NULL: nothing is stored, or memory is short. */
static char *path_of(const struct app *app, const char *name)
{
	char *path = NULL;

	if (!app->cfg->state_dir.n || asprintf(&path, "%.*s/%s", STR_ARG(app->cfg->state_dir), name) < 0)
		return NULL;
	return path;
}

void renaming_carry_out_kept(struct app *app)
{
	CLEANUP(freep) char *path = path_of(app, "names"), *text = NULL;
	struct cfg_places was;
	struct err err;
	size_t n = 0;
	int r = path ? file_read_regular(path, FILE_MAX, &text, &n, &err) : -ENOENT;

	if (r == 0)
		r = cfg_places_read((str){ text, n }, &was, &err);
	if (r == 0)
		r = begin(app, &was, NULL, &err);
	(void)renaming_go_on(app, UINT64_MAX);
	app->renamed = r != -ENOMEM;
	if (r < 0 && r != -ENOENT)
		report(app, &err);
}

/* Write the file of names. When it cannot be written, an older one stays, and the next call tries again. */
void renaming_keep(struct app *app)
{
	CLEANUP(freep) char *path = path_of(app, "names"), *old = NULL;
	CLEANUP(buf_done) struct buf text = BUF_INIT(FILE_MAX);
	struct cfg_places is;
	struct err err;
	size_t n;

	if (!app->renamed || app->renaming || !path || cfg_places_of(app->cfg, &is, &err) < 0)
		return;
	cfg_places_write(&is, &text);
	cfg_places_done(&is);
	if (text.error ||
	    (file_read_regular(path, FILE_MAX, &old, &n, &err) == 0 && str_eq((str){ old, n }, buf_str(&text))))
		return;
	(void)!source_write(path, 0600, buf_str(&text), &err); /* tried again at the next look */
}
