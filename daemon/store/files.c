/* Whether what is kept is whole and in its place; and going on with what is known when it is not. */
#include "daemon/store/writer_internal.h"

#include "daemon/findings/notice.h"
#include "daemon/store/state_dir/state_key.h"

#include <errno.h>

#define RENEW_AGAIN_MS 5000

static void tell(struct writer *w, const char *text)
{
	struct telling t;
	struct record r;

	record_init(&r, MESSAGE_STATE_UNREADABLE, SEVERITY_WARNING);
	r.text = arena_printf(&r.arena, "%s", text);
	record_add(&r, "DRIFTD_EVENT", str_from(message_name(MESSAGE_STATE_UNREADABLE)));
	t = (struct telling){ .record = &r };
	writer_take(w, &t);
	record_done(&r);
}

/* What waits in memory to be sent has its row again, whatever could be read. */
static int put_back_unsent(struct writer *w, struct err *err)
{
	const struct item *i;
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	STAILQ_FOREACH(i, &w->unsent, link)
	{
		struct outbox_row row = { .seq = i->seq, .record = buf_str(&i->record) };

		if (r == 0 && i->seq)
			r = database_put_back(w->database, &row, err);
	}
	return database_end(w->database, r, err);
}

/* Nobody knows what became of the marks: what was sent is looked up. */
static void begin_anew(struct writer *w)
{
	struct err err;

	if (put_back_unsent(w, &err) < 0)
		writer_step_fails(w, STEP_COMMIT, &err);
	w->sent.n = w->written.n = 0;
	w->commit_again_ms = w->outbox_again_ms = 0;
	if (w->recovery != READ_OUTBOX)
		w->recovery = SEND_BARRIER;
	writer_count_deferred(w);
	w->counts.renewals++;
}

static void renew(struct writer *w, const struct err *why)
{
	struct err told = *why, err;

	writer_step_fails(w, STEP_FILES, why);
	if (writer_now_ms() < w->renew_again_ms)
		return;
	w->renew_again_ms = writer_now_ms() + RENEW_AGAIN_MS;
	if (database_renew(w->database, &told, &err) < 0) {
		writer_step_fails(w, STEP_FILES, &err);
		return;
	}
	writer_step_goes_on(w, STEP_FILES, false);
	begin_anew(w);
	tell(w, told.msg);
}

/* The key is in memory: it is written again before a restart needs it. */
static void look_at_key(struct writer *w)
{
	struct err err;
	int r;

	if (!w->o.has_key || database_folder(w->database) < 0)
		return;
	r = state_key_keep(database_folder(w->database), w->o.key, &err);
	if (r < 0)
		writer_step_fails(w, STEP_FILES, &err);
	else if (r > 0)
		tell(w, "hash.key was gone or another in state_dir, and is written again");
}

void writer_look_at_files(struct writer *w)
{
	struct err why;

	if (database_is_damaged(w->database, &why)) {
		renew(w, &why);
		return;
	}
	if (writer_now_ms() < w->files_again_ms)
		return;
	w->files_again_ms = writer_now_ms() + WRITER_FILES_MS;
	writer_step_begins(w, STEP_FILES);
	if (database_look_at_files(w->database, &why) < 0) {
		renew(w, &why);
		return;
	}
	writer_step_goes_on(w, STEP_FILES, false);
	look_at_key(w);
}
