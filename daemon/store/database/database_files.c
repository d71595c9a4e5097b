/* The files of a database: whose they are, whether they are whole and in their place, and what is done when not.
 *
 * A new database is filled under another name, and gets its last name only when it is whole. Whatever interrupts
 * this, the next start goes on with the step that was reached:
 *
 *     driftd.db.part --whole--> driftd.db.new --> driftd.db.bad, -wal, -shm: what was there --> driftd.db
 */
#include "daemon/store/database/database_internal.h"

#include "daemon/store/database/state_key.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEAD_MIN 512                /* a shorter file does not even contain a head */
#define HISTORY_PAGES_CHECKED 16384 /* in a larger database the rows of the history are only counted */
#define ASIDE_MAX 9                 /* databases that are kept; the last one is overwritten when there are more */

/* ORDER struct database: files */
static const char *const suffixes[DATABASE_FILES] = { "", "-wal", "-shm" };

static char *name_of(const char *path, const char *more, const char *suffix)
{
	char *name;

	return asprintf(&name, "%s%s%s", path, more, suffix) < 0 ? NULL : name;
}

/* ---- the folder ---- */

int database_lock_folder(struct database *d, const char *dir, struct err *err)
{
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), r;

	if (fd < 0)
		return err_set(err, errno, "state_dir '%s': %s", dir, strerror(errno));
	if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
		if (d->lock >= 0)
			close(d->lock);
		d->lock = fd;
		return 0;
	}
	if (errno == EWOULDBLOCK)
		r = err_set(err, EBUSY, "state_dir '%s' is in use by another driftd", dir);
	else
		r = err_set(err, errno, "lock state_dir '%s': %s", dir, strerror(errno));
	close(fd);
	return r;
}

/* ---- whether they are in their place ---- */

static bool is_same(const struct file_id *id, const struct stat *st)
{
	return id->ino == st->st_ino && id->dev == st->st_dev;
}

static int look_at_folder(const struct database *d, struct err *err)
{
	CLEANUP(freep) char *copy = name_of(d->path, "", "");
	struct stat st;

	if (!copy)
		return err_nomem(err);
	if (stat(dirname(copy), &st) < 0)
		return err_set(err, errno, "state_dir '%s': %s", copy, strerror(errno));
	if (d->folder.ino && !is_same(&d->folder, &st))
		return err_set(err, ESTALE, "state_dir '%s' is another folder than it was", copy);
	return 0;
}

/* The least sizes of the database and its log. The database has as many pages as its first page says, which were
 * there when the whole log was last copied, unless that failed; the log has as many frames as were counted. SQLite's
 * own handle is used for reading. */
static void least_sizes(struct database *d, int64_t ret[DATABASE_FILES])
{
	unsigned char head[32] = { 0 };
	sqlite3_file *f = NULL;
	int64_t page, pages;
	int frames = checkpoints_log_frames(d->checkpoints);

	memset(ret, 0, DATABASE_FILES * sizeof(*ret));
	if (sqlite3_file_control(d->db, "main", SQLITE_FCNTL_FILE_POINTER, &f) != SQLITE_OK || !f || !f->pMethods)
		return;
	if (f->pMethods->xRead(f, head, sizeof(head), 0) == SQLITE_IOERR_SHORT_READ) {
		ret[0] = d->files[0].was_filled ? sizeof(head) : 0;
		return;
	}
	d->files[0].was_filled = true;
	page = head[16] << 8 | head[17];
	page = page == 1 ? 65536 : page;
	pages = (int64_t)((uint32_t)head[28] << 24 | (uint32_t)head[29] << 16 | (uint32_t)head[30] << 8 | head[31]);
	ret[0] = checkpoints_broke_off(d->checkpoints) ? 0 : page * pages;
	ret[1] = frames ? 32 + frames * (24 + page) : 0;
}

/* Whether the file is too short. While the log is copied the first page may be ahead of the others, so that two
 * checks must agree. */
static bool is_short(struct database *d, size_t which, int64_t size)
{
	int64_t least[DATABASE_FILES];
	bool before = d->short_before;

	least_sizes(d, least);
	if (which == 0)
		d->short_before = size < least[0];
	return size < least[which] && (which != 0 || before);
}

static int look_at_file(struct database *d, size_t which, struct err *err)
{
	CLEANUP(freep) char *name = name_of(d->path, "", suffixes[which]);
	struct file_id *id = &d->files[which];
	struct stat st;

	if (!name)
		return err_nomem(err);
	if (stat(name, &st) < 0) {
		if (errno == ENOENT && !id->ino) /* there was no such file before either */
			return 0;
		return err_set(err, errno, "state database '%s': %s", name, strerror(errno));
	}
	if (!id->ino)
		*id = (struct file_id){ .dev = st.st_dev, .ino = st.st_ino };
	if (!is_same(id, &st))
		return err_set(err, ESTALE, "state database '%s' is another file than it was", name);
	if (is_short(d, which, st.st_size))
		return err_set(err, EBADMSG, "state database '%s' was cut short", name);
	return 0;
}

int database_look_at_files(struct database *d, struct err *err)
{
	int r = 0;

	if (d->dir) {
		*err = d->why;
		return -err->code;
	}
	if (!d->path)
		return 0;
	r = look_at_folder(d, err);
	for (size_t i = 0; r == 0 && i < DATABASE_FILES; i++)
		r = look_at_file(d, i, err);
	return r;
}

/* ---- whether one is whole ---- */

static int check_table(struct database *d, const char *table, struct err *err)
{
	sqlite3_stmt *s = NULL;
	char text[64];
	int r = 0;

	(void)snprintf(text, sizeof(text), "PRAGMA integrity_check(%s)", table);
	if (sqlite3_prepare_v2(d->db, text, -1, &s, NULL) != SQLITE_OK || sqlite3_step(s) != SQLITE_ROW)
		r = database_failed(d, err);
	else if (!str_eq(database_column(s, 0), STR("ok")))
		r = err_set(err, EBADMSG, "state database: %.*s", STR_ARG(database_column(s, 0)));
	(void)sqlite3_finalize(s);
	return r;
}

/* Count the rows of the history. Looking each up in both indexes would take seconds. */
static int count_history(struct database *d, struct err *err)
{
	int64_t n = database_pragma(d, "SELECT count(*) FROM history NOT INDEXED");

	if (n < 0)
		return database_failed(d, err);
	if (database_pragma(d, "SELECT count(*) FROM history INDEXED BY history_by_finding") != n ||
	    database_pragma(d, "SELECT count(*) FROM history INDEXED BY history_by_time") != n)
		return err_set(err, EBADMSG, "state database: an index of the history is not of its rows");
	return 0;
}

/* Check each row and each index of all tables but the history, which may be by far the largest. */
static int check_tables(struct database *d, struct err *err)
{
	static const char *const tables[] = {
		"finding",   "told",    "outbox", "sent", "seen",      "acceptance", "inspection_rule",
		"inspected", "written", "boot",   "lost", "unwatched", "dictionary", "dictionary_again"
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < ARRAY_LEN(tables); i++)
		r = check_table(d, tables[i], err);
	if (r < 0)
		return r;
	return database_pragma(d, "PRAGMA page_count") <= HISTORY_PAGES_CHECKED ? check_table(d, "history", err)
										: count_history(d, err);
}

/* ---- a new database in the place of a damaged one ---- */

static bool is_there(const char *name)
{
	return access(name, F_OK) == 0;
}

static void remove_all(const char *path, const char *more)
{
	for (size_t i = 0; i < DATABASE_FILES; i++) {
		CLEANUP(freep) char *name = name_of(path, more, suffixes[i]);

		if (name)
			(void)unlink(name);
	}
}

/* Choose the first free name. */
static void aside_name(const char *path, char ret[16])
{
	for (int i = 1; i <= ASIDE_MAX; i++) {
		CLEANUP(freep) char *name = NULL;

		(void)snprintf(ret, 16, i == 1 ? ".bad" : ".bad-%d", i);
		name = name_of(path, ret, "");
		if (name && !is_there(name))
			return;
	}
	remove_all(path, ret);
}

/* Set a database aside with its log, which must not be played into another database. The database is moved last:
 * without its log it is damaged, and an interrupted attempt leaves a database that is recognised as such. */
static int set_aside(const char *path, const char *aside, struct err *err)
{
	for (size_t i = DATABASE_FILES; i-- > 0;) {
		CLEANUP(freep) char *from = name_of(path, "", suffixes[i]), *to = name_of(path, aside, suffixes[i]);

		if (!from || !to)
			return err_nomem(err);
		if (rename(from, to) < 0 && errno != ENOENT)
			return err_set(err, errno, "set '%s' aside: %s", from, strerror(errno));
	}
	return 0;
}

/* Move the intact database to its place. *notice gets the name of the one that was set aside. */
static int put_in_place(const char *path, struct err *notice, struct err *err)
{
	CLEANUP(freep) char *fresh = name_of(path, ".new", "");
	bool other = is_there(path);
	char aside[16];
	int r;

	if (!fresh)
		return err_nomem(err);
	aside_name(path, aside);
	r = set_aside(path, aside, err);
	if (r < 0)
		return r;
	if (rename(fresh, path) < 0)
		return err_set(err, errno, "state database '%s': %s", path, strerror(errno));
	if (other && notice->code)
		(void)!err_wrap(notice, "it is set aside as '%s%s'", path, aside);
	return 0;
}

/* Note for a later process up to which row of the outbox some rows may be missing. On a full disk the note is lost. */
static void note_lost(struct database *d)
{
	(void)sqlite3_exec(d->db,
			   "BEGIN; DELETE FROM lost;"
			   "INSERT INTO lost SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'outbox';"
			   "COMMIT",
			   NULL, NULL, NULL);
}

int database_was_damaged(struct database *d, struct err *err)
{
	int64_t n = database_pragma(d, "SELECT count(*) FROM lost");

	return n < 0 ? database_failed(d, err) : n > 0;
}

/* Make a new database under another name, with all that can be read of @from (NULL: nothing can). */
static int make_fresh(const char *path, sqlite3 *from, struct err *lost, struct err *err)
{
	CLEANUP(freep) char *part = name_of(path, ".part", ""), *fresh = name_of(path, ".new", "");
	CLEANUP(database_closep) struct database *d = database_new();
	int r;

	if (!part || !fresh || !d)
		return err_nomem(err);
	remove_all(path, ".part");
	r = database_open_file(d, part, NULL, err);
	if (r == 0)
		r = database_begin(d, err);
	if (r == 0)
		r = database_end(d, from ? database_salvage(from, d, lost, err) : 0, err);
	if (r == 0 && lost->code)
		note_lost(d);
	/* Write the log into the database file and sync that: only this one file is moved. */
	if (r == 0 && !checkpoints_empty_log(d->checkpoints))
		r = database_failed(d, err);
	database_close_file(d);
	if (r == 0 && rename(part, fresh) < 0)
		r = err_set(err, errno, "state database '%s': %s", part, strerror(errno));
	if (r < 0)
		remove_all(path, ".part");
	return r;
}

static void say_lost(struct err *notice, const struct err *lost)
{
	if (lost->code)
		(void)!err_wrap(notice, "some of it is lost: %s", lost->msg);
}

/* Close a damaged database without a checkpoint, which could make it worse. */
static void close_as_it_is(struct database *d)
{
	if (d->db)
		(void)sqlite3_db_config(d->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	database_close_file(d);
}

static int open_checked(struct database *d, const char *path, struct err *err)
{
	int r = database_open_file(d, path, NULL, err);

	/* There may be no room even for the index of the log. Without it nobody else can look into the database. */
	if (r == -ENOSPC || r == -EIO) {
		database_close_file(d);
		r = database_open_file(d, path, "PRAGMA locking_mode=EXCLUSIVE", err);
	}
	if (r < 0 || !*path)
		return r;
	/* Copy what an earlier process left in the log to the disk, so that a later loss of the log does no harm. */
	checkpoints_copy(d->checkpoints);
	r = check_tables(d, err);
	return r < 0 ? r : database_copy_outbox(d, err);
}

/* Open a database that was made just now. */
static int open_fresh(struct database *d, const char *path, struct err *err)
{
	int r = database_open_file(d, path, NULL, err);

	return r < 0 ? r : database_copy_outbox(d, err);
}

static int open_again(struct database *d, const char *path, struct err *notice, struct err *err)
{
	struct err lost = { 0 };
	int r = make_fresh(path, d->db, &lost, err);

	if (r < 0)
		return r;
	say_lost(notice, &lost);
	close_as_it_is(d);
	d->damage.code = 0; /* the damage was in the former database */
	r = put_in_place(path, notice, err);
	return r < 0 ? r : open_fresh(d, path, err);
}

static bool is_there_beside(const char *path, const char *name)
{
	CLEANUP(freep) char *copy = name_of(path, "", "");
	CLEANUP(freep) char *beside = copy ? name_of(dirname(copy), "/", name) : NULL;

	return beside && is_there(beside);
}

/* Fail if the database is missing, empty or cut short, so that SQLite would make a new one, although there was one
 * before. */
static int look_for_remains(const char *path, struct err *why)
{
	struct stat st = { 0 };

	if (stat(path, &st) == 0 && st.st_size >= HEAD_MIN)
		return 0;
	if (st.st_size == 0 && (!is_there_beside(path, STATE_KEY_NAME) || is_there_beside(path, "state.json")))
		return 0;
	return err_set(why, EBADMSG, "state database '%s' is %s", path, st.st_size ? "cut short" : "gone or empty");
}

int database_open_or_renew(struct database *d, const char *path, struct err *notice, struct err *err)
{
	CLEANUP(freep) char *fresh = name_of(path, ".new", "");
	struct err log = { 0 };
	int r = 0;

	if (!fresh)
		return err_nomem(err);
	if (*path && is_there(fresh)) { /* an earlier process ended before it could do this */
		(void)!err_set(notice, EBADMSG, "state database '%s' was damaged", path);
		r = put_in_place(path, notice, err);
	} else if (*path && (look_for_remains(path, &log) == -EBADMSG || log_check(path, &log) == -EBADMSG)) {
		*notice = log;
	}
	if (r == 0)
		r = open_checked(d, path, err);
	if (r != -EBADMSG) {
		d->doubtful |= notice->code != 0;
		if (r == 0 && notice->code)
			note_lost(d);
		return r;
	}
	*notice = *err;
	r = open_again(d, path, notice, err);
	d->doubtful = true;
	return r;
}

/* ---- while it is used ---- */

/* Exchange the contents of @d and @next. */
static void change_places(struct database *d, struct database *next)
{
	struct database old = *d;

	*d = *next;
	*next = old;
}

/* Take over the content of a stand-in. It is more recent: it knows which findings are open, and which records wait
 * to be sent. */
static int take_from_fallback(struct database *next, sqlite3 *from, struct err *err)
{
	struct err lost = { 0 };
	int r = database_begin(next, err);

	if (r < 0)
		return r;
	r = database_execute(next, "DELETE FROM told; DELETE FROM finding", err);
	if (r == 0)
		r = database_salvage(from, next, &lost, err);
	return database_end(next, r, err);
}

static int end_fallback(struct database *d, struct database *next, struct err *notice, struct err *err)
{
	CLEANUP(freep) char *path = name_of(d->dir, "/" DATABASE_NAME, "");
	int r = path ? database_lock_folder(next, d->dir, err) : err_nomem(err);

	if (r == 0)
		r = database_open_or_renew(next, path, notice, err);
	if (r == 0)
		r = take_from_fallback(next, d->db, err);
	if (r < 0) {
		d->why = *err;
		return r;
	}
	if (!notice->code)
		(void)!err_set(notice, EAGAIN, "state database '%s' can be used again", path);
	return 0;
}

static int replace(struct database *d, struct database *next, struct err *notice, struct err *err)
{
	CLEANUP(freep) char *path = name_of(d->path, "", ""), *dir = name_of(d->path, "", "");
	struct err lost = { 0 };
	struct stat st;
	int r = 0;

	if (!path || !dir)
		return err_nomem(err);
	if (stat(dirname(dir), &st) < 0)
		return err_set(err, errno, "state_dir '%s': %s", dir, strerror(errno));
	if (!is_same(&d->folder, &st))
		r = database_lock_folder(next, dir, err);
	if (r == 0)
		r = make_fresh(path, d->db, &lost, err);
	if (r == 0)
		say_lost(notice, &lost);
	if (r == 0)
		r = put_in_place(path, notice, err);
	if (r == 0)
		r = open_fresh(next, path, err);
	if (r == 0 && next->lock < 0) {
		next->lock = d->lock;
		next->folder = d->folder;
		d->lock = -1;
	}
	return r;
}

int database_renew(struct database *d, struct err *notice, struct err *err)
{
	CLEANUP(database_closep) struct database *next = database_new();
	int r;

	if (!next)
		return err_nomem(err);
	if (!d->dir && !d->path)
		return err_set(err, EBADMSG, "state database: it is in memory only");
	r = d->dir ? end_fallback(d, next, notice, err) : replace(d, next, notice, err);
	if (r < 0) {
		close_as_it_is(next);
		return r;
	}
	change_places(d, next);
	close_as_it_is(next);
	return 0;
}

bool database_is_doubtful(const struct database *d)
{
	return d->doubtful || d->dir;
}

bool database_is_damaged(const struct database *d, struct err *why)
{
	if (d->damage.code)
		*why = d->damage;
	return d->damage.code != 0;
}

int database_folder(const struct database *d)
{
	return d->lock;
}
