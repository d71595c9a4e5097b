/* Opens a database to use it, only to look into it, or as a stand-in in memory. */
#include "daemon/store/database/database_internal.h"

#include "daemon/findings/clock.h"
#include "daemon/findings/finding_json.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

static int import_one(void *ctx, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(1u << 20);

	finding_to_json(x, &json);
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	return database_put_finding(ctx, x->id, buf_str(&json), err);
}

int database_import_state(struct database *d, const char *dir, struct err *notice, struct err *err)
{
	int r = database_begin(d, err), read;

	if (r < 0)
		return r;
	read = state_json_read(dir, import_one, d, notice);
	r = database_end(d, read, err);
	if (read < 0) /* the failure is reported, and stops nothing */
		return 0;
	notice->code = 0;
	if (r == 0)
		state_json_done(dir);
	return r;
}

int database_open(const char *dir, struct database **ret, struct err *notice, struct err *err)
{
	CLEANUP(database_closep) struct database *d = database_new();
	CLEANUP(freep) char *path = NULL;
	int r = 0;

	notice->code = 0;
	if (!d || asprintf(&path, "%s%s", dir, *dir ? "/" DATABASE_NAME : "") < 0)
		return err_nomem(err);
	if (*dir)
		r = database_lock_folder(d, dir, err);
	if (r == 0)
		r = database_open_or_renew(d, path, notice, err);
	if (r == 0 && *dir && !notice->code)
		r = database_import_state(d, dir, notice, err);
	if (r == 0)
		*ret = TAKE(d);
	return r;
}

/* The numbers of the outbox's rows begin after all of the database that it stands in for, which will get these rows
 * later. */
int database_open_fallback(const char *dir, const struct err *why, struct database **ret, struct err *err)
{
	CLEANUP(database_closep) struct database *d = database_new();
	char text[128];
	int r;

	if (!d)
		return err_nomem(err);
	d->dir = str_dup(str_from(dir));
	d->why = *why;
	r = d->dir ? database_open_file(d, "", NULL, err) : err_nomem(err);
	(void)snprintf(text, sizeof(text), "INSERT INTO sqlite_sequence(name, seq) VALUES('outbox', %lld)",
		       (long long)clock_usec());
	if (r == 0)
		r = database_execute(d, text, err);
	if (r == 0)
		*ret = TAKE(d);
	return r;
}

static int open_kept(struct database *d, const char *path, struct err *err)
{
	int r;

	if (access(path, F_OK) < 0)
		return err_set(err, errno, "state database '%s': %s", path, strerror(errno));
	r = database_open_file(d, path, NULL, err);
	if (r == 0 && database_pragma(d, "SELECT count(*) FROM finding") < 0)
		r = database_failed(d, err);
	return r;
}

int database_open_kept(const char *dir, struct database **ret, struct err *err)
{
	CLEANUP(database_closep) struct database *d = database_new();
	CLEANUP(freep) char *path = NULL;
	struct err notice = { 0 };
	int r;

	if (!d || asprintf(&path, "%s/" DATABASE_NAME, dir) < 0)
		return err_nomem(err);
	r = database_lock_folder(d, dir, err);
	if (r == 0)
		r = open_kept(d, path, err);
	if (r == 0)
		r = database_import_state(d, dir, &notice, err);
	if (r == 0 && notice.code) {
		*err = notice;
		return -notice.code;
	}
	if (r == 0)
		*ret = TAKE(d);
	return r;
}
