/* Checks that the files are whole and in their place, and goes on with what is known when they are not. */
#include "daemon/store/writer_internal.h"

#include "daemon/store/database/state_key.h"

#define RENEW_AGAIN_MS 5000

static void report(struct writer *w, enum severity severity, const char *text)
{
	struct record r;

	record_init(&r, MESSAGE_STATE_UNREADABLE, severity);
	r.text = arena_printf(&r.arena, "%s", text);
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(MESSAGE_STATE_UNREADABLE)));
	work_queue_emit(&w->queue, &(struct emission){ .record = &r });
	record_done(&r);
}

/* Put the items that wait in memory into the outbox again, whichever of its rows could be read. */
static int put_back_unsent(struct writer *w, struct err *err)
{
	const struct item *i;
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	STAILQ_FOREACH(i, &w->sender.unsent, link)
	{
		struct outbox_row row = { .seq = i->seq, .record = buf_str(&i->record) };

		if (r == 0 && i->record.n)
			r = database_put_back(w->database, &row, err);
	}
	return database_end(w->database, r, err);
}

/* The marks may be lost: everything that was sent has to be looked up in the journal. */
static void begin_anew(struct writer *w)
{
	struct err err;

	if (put_back_unsent(w, &err) < 0)
		work_queue_fails(&w->queue, STEP_COMMIT, &err);
	marks_clear(&w->marks);
	w->commits.again_ms = w->recovery.outbox_again_ms = 0;
	if (w->recovery.state != READ_OUTBOX)
		recovery_becomes(&w->recovery, SEND_BARRIER);
	deferral_count(&w->deferral, w->database, &w->clock);
	w->files.renewals++;
}

static void renew(struct writer *w, const struct err *why)
{
	struct err notice = *why, err;

	work_queue_fails(&w->queue, STEP_FILES, why);
	if (steady_ms() < w->files.renew_ms)
		return;
	w->files.renew_ms = steady_ms() + RENEW_AGAIN_MS;
	if (database_renew(w->database, &notice, &err) < 0) {
		work_queue_fails(&w->queue, STEP_FILES, &err);
		return;
	}
	work_queue_goes_on(&w->queue, STEP_FILES, false);
	begin_anew(w);
	report(w, MESSAGE_STATE_LOST_SEVERITY, notice.msg);
}

/* Write the key again if its file is gone, before a restart needs it. The key is in memory. */
static void look_at_key(struct writer *w)
{
	struct err err;
	int r;

	if (!w->files.has_key || database_folder(w->database) < 0)
		return;
	r = state_key_keep(database_folder(w->database), w->files.key, &err);
	if (r < 0)
		work_queue_fails(&w->queue, STEP_FILES, &err);
	else if (r > 0)
		report(w, SEVERITY_WARNING, "hash.key in state_dir was missing or different, and is written again");
}

static void change_key(struct writer_task *task, struct database *d)
{
	struct writer_key *k = (struct writer_key *)task;
	struct writer *w = k->writer;
	int r = 0;

	k->err.code = 0;
	if (database_folder(d) >= 0)
		r = state_key_keep(database_folder(d), k->key, &k->err);
	if (r >= 0)
		(void)!database_put_key_mark(d, state_key_mark(k->key), &k->err);
	memcpy(w->files.key, k->key, sizeof(w->files.key));
	atomic_store(&k->over, true);
}

void writer_change_key(struct writer *w, struct writer_key *k)
{
	k->task.run = change_key;
	k->writer = w;
	writer_run(w, &k->task);
}

void writer_look_at_files(struct writer *w)
{
	struct err why;

	if (database_is_damaged(w->database, &why)) {
		renew(w, &why);
		return;
	}
	if (steady_ms() < w->files.look_ms)
		return;
	w->files.look_ms = steady_ms() + WRITER_FILES_MS;
	work_queue_begins(&w->queue, STEP_FILES);
	if (database_look_at_files(w->database, &why) < 0) {
		renew(w, &why);
		return;
	}
	work_queue_goes_on(&w->queue, STEP_FILES, false);
	look_at_key(w);
}
