/* When the log is copied into the database, and who copies it.
 *
 * The thread copies what is in the log while more is added. The log can begin again only when all of it is copied,
 * so that it would grow for ever while somebody writes without a pause: from a certain size on, the writer itself
 * copies the little that was added since the thread was done. */
#include "daemon/store/database/checkpoint.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <uv.h>

/* Frames, each a page of 4 KiB. */
#define STEP_FRAMES 256  /* the number of frames that are worth copying and syncing */
#define MANY_FRAMES 4096 /* the number of frames that is copied at once, even just after another copy */
#define ANEW_FRAMES 8192
/* from this length on the disk is slower than the writer, which then copies and so waits */
#define LOG_MAX_FRAMES (2 * ANEW_FRAMES)
/* The least time between two copies, for two reasons: a commit may wait some milliseconds while the disk syncs, and
 * a page that is written again and again is copied once. */
#define PAUSE_NS (1000 * UINT64_C(1000000))

struct checkpoints {
	sqlite3 *writer; /* the writer's connection, which the thread never uses */
	int length;      /* frames of the log after the last commit */
	uint64_t asked_ns;
	int asked_at, tried_at; /* the length of the log when the thread was asked to copy; when the writer copied */
	pthread_t thread;
	bool started, alone;  /* @alone: no thread can be started */
	sqlite3 *own;         /* the connection of the thread */
	pthread_mutex_t lock; /* protects the fields below */
	pthread_cond_t wake, idle;
	bool asked, busy, stopping;
	int copied;     /* frames that were copied when the thread was last done */
	bool broke_off; /* the last copy by anybody failed midway */
};

/* Note the result of a copy. A refusal, because another connection copies, is no failed copy. */
static void note_copy(struct checkpoints *c, int r)
{
	if (r != SQLITE_BUSY && r != SQLITE_LOCKED)
		c->broke_off = r != SQLITE_OK;
}

/* ---- the thread ---- */

/* Sync the database in the thread. Otherwise SQLite would do it in the writer, when all of the log is copied. */
static void sync_database(struct checkpoints *c)
{
	sqlite3_file *f = NULL;

	if (sqlite3_file_control(c->own, "main", SQLITE_FCNTL_FILE_POINTER, &f) == SQLITE_OK && f && f->pMethods)
		(void)f->pMethods->xSync(f, SQLITE_SYNC_NORMAL);
}

/* Copy the log. *copied: how many of its frames are in the database now. Fails: as SQLite. */
static int copy(struct checkpoints *c, int *copied)
{
	int length, r = sqlite3_wal_checkpoint_v2(c->own, NULL, SQLITE_CHECKPOINT_PASSIVE, &length, copied);

	if (r == SQLITE_OK && length >= ANEW_FRAMES / 2)
		sync_database(c);
	return r;
}

static void *run(void *ctx)
{
	struct checkpoints *c = ctx;

	(void)pthread_mutex_lock(&c->lock);
	for (;;) {
		int copied, r;

		while (!c->asked && !c->stopping)
			(void)pthread_cond_wait(&c->wake, &c->lock);
		if (c->stopping)
			break;
		c->asked = false;
		c->busy = true;
		(void)pthread_mutex_unlock(&c->lock);
		r = copy(c, &copied);
		(void)pthread_mutex_lock(&c->lock);
		c->busy = false;
		note_copy(c, r);
		if (r == SQLITE_OK)
			c->copied = copied;
		(void)pthread_cond_broadcast(&c->idle);
	}
	(void)pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* Start the thread, with signals blocked, because the loop handles them. */
static bool start_thread(struct checkpoints *c)
{
	sigset_t all, before;

	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	c->started = pthread_create(&c->thread, NULL, run, c) == 0;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	return c->started;
}

/* Open the connection of the thread. A database in memory has no file and no log. */
static bool open_own(struct checkpoints *c)
{
	const char *path = sqlite3_db_filename(c->writer, "main");

	return path && *path &&
	       sqlite3_open_v2(path, &c->own, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) == SQLITE_OK &&
	       sqlite3_exec(c->own, "PRAGMA synchronous=NORMAL", NULL, NULL, NULL) == SQLITE_OK;
}

static bool has_thread(struct checkpoints *c)
{
	if (!c->started && !c->alone)
		c->alone = !open_own(c) || !start_thread(c);
	return c->started;
}

/* ---- the writer ---- */

static void ask(struct checkpoints *c, int length)
{
	c->asked_ns = uv_hrtime();
	c->asked_at = length;
	(void)pthread_mutex_lock(&c->lock);
	c->asked = true;
	(void)pthread_cond_signal(&c->wake);
	(void)pthread_mutex_unlock(&c->lock);
}

static int copy_as(struct checkpoints *c, int mode)
{
	int r = sqlite3_wal_checkpoint_v2(c->writer, NULL, mode, NULL, NULL);

	(void)pthread_mutex_lock(&c->lock);
	note_copy(c, r);
	(void)pthread_mutex_unlock(&c->lock);
	return r;
}

void checkpoints_copy(struct checkpoints *c)
{
	if (c)
		(void)copy_as(c, SQLITE_CHECKPOINT_PASSIVE);
}

/* How many frames of a log of this length the thread has not copied; -1: it is copying. */
static int frames_left(struct checkpoints *c, int length)
{
	int left;

	(void)pthread_mutex_lock(&c->lock);
	while (length >= LOG_MAX_FRAMES && (c->asked || c->busy))
		(void)pthread_cond_wait(&c->idle, &c->lock);
	if (c->copied > length) /* the log has begun again since then */
		c->copied = 0;
	left = c->asked || c->busy ? -1 : length - c->copied;
	(void)pthread_mutex_unlock(&c->lock);
	return left;
}

/* Whether the writer has to copy, because the thread has done what it could. It does not try that at each commit,
 * since a reader of the database may keep the log from beginning again. */
static bool is_turn_of_writer(const struct checkpoints *c, int length, int left)
{
	if (left < 0 || length - c->tried_at < STEP_FRAMES)
		return false;
	return c->alone || (length >= ANEW_FRAMES && left <= STEP_FRAMES) || length >= LOG_MAX_FRAMES;
}

static bool is_turn_of_thread(const struct checkpoints *c, int length, int left)
{
	if (left < STEP_FRAMES || length - c->asked_at < STEP_FRAMES)
		return false;
	return left >= MANY_FRAMES || length >= ANEW_FRAMES || uv_hrtime() - c->asked_ns >= PAUSE_NS;
}

/* Called after each commit; the log has @length frames. Whatever fails is tried again after a later commit. */
static int on_commit(void *ctx, sqlite3 *db, const char *name, int length)
{
	struct checkpoints *c = ctx;
	int left;

	(void)db;
	(void)name;
	c->length = length;
	if (length < c->asked_at || length < c->tried_at)
		c->asked_at = c->tried_at = 0;
	if (length - c->asked_at < STEP_FRAMES && length < ANEW_FRAMES)
		return SQLITE_OK;
	left = has_thread(c) ? frames_left(c, length) : length;
	if (is_turn_of_writer(c, length, left)) {
		c->tried_at = length;
		checkpoints_copy(c);
	} else if (!c->alone && is_turn_of_thread(c, length, left)) {
		ask(c, length);
	}
	return SQLITE_OK;
}

/* ---- life ---- */

struct checkpoints *checkpoints_new(sqlite3 *db, bool shared)
{
	struct checkpoints *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->writer = db;
	c->alone = !shared;
	if (pthread_mutex_init(&c->lock, NULL) != 0 || pthread_cond_init(&c->wake, NULL) != 0 ||
	    pthread_cond_init(&c->idle, NULL) != 0) {
		free(c);
		return NULL;
	}
	(void)sqlite3_wal_hook(db, on_commit, c);
	return c;
}

bool checkpoints_empty_log(struct checkpoints *c)
{
	if (!c)
		return true;
	(void)pthread_mutex_lock(&c->lock);
	while (c->asked || c->busy)
		(void)pthread_cond_wait(&c->idle, &c->lock);
	(void)pthread_mutex_unlock(&c->lock);
	if (copy_as(c, SQLITE_CHECKPOINT_TRUNCATE) != SQLITE_OK)
		return false;
	c->length = 0;
	return true;
}

bool checkpoints_broke_off(struct checkpoints *c)
{
	bool broke_off;

	if (!c)
		return false;
	(void)pthread_mutex_lock(&c->lock);
	broke_off = c->broke_off;
	(void)pthread_mutex_unlock(&c->lock);
	return broke_off;
}

int checkpoints_log_frames(const struct checkpoints *c)
{
	return c ? c->length : 0;
}

void checkpoints_free(struct checkpoints *c)
{
	if (!c)
		return;
	(void)sqlite3_wal_hook(c->writer, NULL, NULL);
	(void)pthread_mutex_lock(&c->lock);
	c->stopping = true;
	(void)pthread_cond_signal(&c->wake);
	(void)pthread_mutex_unlock(&c->lock);
	if (c->started)
		(void)pthread_join(c->thread, NULL);
	(void)sqlite3_close(c->own);
	(void)pthread_cond_destroy(&c->wake);
	(void)pthread_cond_destroy(&c->idle);
	(void)pthread_mutex_destroy(&c->lock);
	free(c);
}
