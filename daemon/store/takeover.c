/* Takes over from another host, so that this one reports in its place. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/database.h"

#define STATE_MAX ((size_t)8 << 20)

/* Drop the waiting items about findings, which only this host knew. */
static void drop_items(struct writer *w, struct items *items)
{
	struct items all = STAILQ_HEAD_INITIALIZER(all);
	struct item *i;

	STAILQ_CONCAT(&all, items);
	while ((i = items_take(&all))) {
		if (i->kind == ITEM_ROW || i->kind == ITEM_FINDING)
			work_queue_written(&w->queue, i);
		else
			STAILQ_INSERT_TAIL(items, i, link);
	}
}

/* Store the finding that @state says, and add its id to @ids. */
static int put_state(struct database *d, str state, struct strmap *ids, struct err *err)
{
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct finding x;
	int r = finding_from_text(state, &doc, &x, err);

	if (r <= 0) /* 0: the state is perhaps of a newer driftd, and the finding is reported again */
		return r;
	if (!strmap_put(ids, str_from(x.id), ids, NULL))
		return err_nomem(err);
	return database_put_finding(d, x.id, state, err);
}

struct stale {
	const struct strmap *ids; /* the ids of findings that stay */
	VEC(str) list;
	struct arena arena;
};

static int note_stale(void *ctx, const struct finding *x, struct err *err)
{
	struct stale *s = ctx;
	str id = str_from(x->id);

	if (strmap_has(s->ids, id))
		return 0;
	id = arena_str(&s->arena, id);
	return id.p && vec_push(&s->list, id) ? 0 : err_nomem(err);
}

/* Replace the open findings by @states. Those that are not among them are removed, with their last records; the last
 * records of the rest stay. */
static int put_states(struct database *d, const str *states, size_t n, struct err *err)
{
	CLEANUP(strmap_done) struct strmap ids = { 0 };
	struct stale stale = { .ids = &ids, .arena = ARENA_INIT(0) };
	size_t malformed;
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = put_state(d, states[i], &ids, err);
	if (r == 0)
		r = database_findings(d, note_stale, &stale, &malformed, err);
	for (size_t i = 0; r == 0 && i < stale.list.n; i++)
		r = database_remove_finding(d, stale.list.p[i].p, err);
	vec_done(&stale.list);
	arena_done(&stale.arena);
	return r;
}

/* Replace what this host had to send, and what it knew, by what the hosts agreed on. The marks of sent records are
 * stored first, because notices stay in the outbox and keep their marks. */
static int replace(struct writer *w, const struct writer_takeover *t, struct err *err)
{
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	r = marks_store(&w->marks, w->database, err);
	if (r == 0)
		r = database_clear_outbox(w->database, err);
	if (r == 0 && !t->drops)
		r = put_states(w->database, t->states, t->n_states, err);
	if (r == 0 && !t->drops && !t->publishes_made)
		r = made_replace(w->database, t->made, t->n_made, err);
	for (size_t i = 0; r == 0 && i < t->n_records; i++)
		r = database_put_again(w->database, STR(""), t->records[i], err);
	return database_end(w->database, r, err);
}

static int take_place(struct writer *w, const struct writer_takeover *t, struct err *err)
{
	int r = replace(w, t, err);

	if (r < 0)
		return r;
	marks_clear(&w->marks);
	drop_items(w, &w->sender.unsent);
	drop_items(w, &w->commits.waiting);
	deferral_count(&w->deferral, w->database, &w->clock);
	if (t->n_records)
		recovery_becomes(&w->recovery, SEND_BARRIER);
	writer_agreed_becomes(w, t->drops ? AGREED_NONE : AGREED_OPEN);
	return 0;
}

/* ---- findings that etcd has lost, or never had ---- */

static int keep_state(void *ctx, const struct finding *x, struct err *err)
{
	CLEANUP(buf_done) struct buf json = BUF_INIT(STATE_MAX);
	struct writer_takeover *t = ctx;
	str state;

	finding_to_json(x, &json);
	if (buf_error(&json, "a finding", err) < 0)
		return -err->code;
	state = arena_str(&t->arena, buf_str(&json));
	return state.p && vec_push(&t->found, state) ? 0 : err_nomem(err);
}

static int publish_some(struct writer *w, const str *states, size_t n, struct err *err)
{
	const struct writer_agreement *a = w->agreed.with;
	struct agreed_step steps[AGREED_STEPS_MAX];

	for (size_t i = 0; i < n; i++) {
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		struct finding x = { 0 };

		if (finding_from_text(states[i], &doc, &x, err) < 0) /* the text was a finding when it was written */
			return -err->code;
		steps[i] = (struct agreed_step){ .state = states[i] };
		memcpy(steps[i].finding, x.id, sizeof(x.id));
	}
	return a->publish(a->ctx, steps, n, err);
}

static int make_known(struct writer *w, struct writer_takeover *t, struct err *err)
{
	size_t malformed, from = 0;
	int r = database_findings(w->database, keep_state, t, &malformed, err);

	while (r == 0 && from < t->found.n) {
		size_t n = 0, bytes = 0;

		while (from + n < t->found.n && n < AGREED_STEPS_MAX && (n == 0 || bytes < AGREED_BYTES_MAX / 2))
			bytes += t->found.p[from + n++].n;
		r = publish_some(w, t->found.p + from, n, err);
		from += n;
	}
	return r < 0 ? r : publish_some(w, NULL, 0, err);
}

static void run(struct writer_task *task, struct database *d)
{
	struct writer_takeover *t = (struct writer_takeover *)task;
	struct err err = { 0 };
	int r;

	(void)d; /* the writer has the same database */
	writer_give_orders_up(t->writer);
	r = t->publishes_made ? writer_publish_made(t->writer, &err) : 0;
	if (r == 0)
		r = t->publishes ? make_known(t->writer, t, &err) : take_place(t->writer, t, &err);
	t->done(t, r, &err);
}

void writer_take_over(struct writer *w, struct writer_takeover *t)
{
	t->writer = w;
	t->task.run = run;
	writer_run(w, &t->task);
}
