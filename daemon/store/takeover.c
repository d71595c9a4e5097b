/* This host is about to tell in another's place. */
#include "daemon/store/writer_internal.h"

#include "base/strmap.h"
#include "daemon/findings/finding_json.h"
#include "daemon/store/database/outbox_again.h"
#include "value/json.h"

#include <errno.h>

#define STATE_MAX ((size_t)8 << 20)

/* Of what waits in memory, what is about findings: it is about those that this host knew. */
static void drop_items(struct writer *w, struct items *items)
{
	struct items all = STAILQ_HEAD_INITIALIZER(all);
	struct item *i;

	STAILQ_CONCAT(&all, items);
	while ((i = items_take(&all))) {
		if (i->row || *i->finding)
			writer_item_written(w, i);
		else
			STAILQ_INSERT_TAIL(items, i, link);
	}
}

/* The id of @state goes to @ids. */
static int put_state(struct database *d, str state, struct strmap *ids, struct err *err)
{
	const struct limits limits = LIMITS_DEFAULT;
	const struct json_options o = { .limits = &limits };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	struct finding x;
	int r = json_decode(state, &o, &doc, err);

	if (r == -ENOMEM)
		return r;
	if (r < 0 || !finding_from_json(doc->root, &x)) /* of a newer driftd, perhaps: it is told anew */
		return 0;
	if (!strmap_put(ids, str_from(x.id), ids, NULL))
		return err_nomem(err);
	return database_put_finding(d, x.id, state, err);
}

struct stale {
	const struct strmap *ids; /* those that stay */
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

/* What was told of the others last stays with them. */
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

/* What was sent is marked first: the marks of notices stay. */
static int replace(struct writer *w, const struct writer_takeover *t, struct err *err)
{
	int64_t now = writer_steady_usec();
	int r = database_begin(w->database, err);

	if (r < 0)
		return r;
	for (size_t i = 0; r == 0 && i < w->sent.n; i++)
		r = database_mark_sent(w->database, w->sent.p[i], now, err);
	for (size_t i = 0; r == 0 && i < w->written.n; i++)
		r = database_remove_from_outbox(w->database, w->written.p[i], err);
	if (r == 0)
		r = database_clear_outbox(w->database, err);
	if (r == 0 && !t->drops)
		r = put_states(w->database, t->states, t->n_states, err);
	for (size_t i = 0; r == 0 && i < t->n_records; i++)
		r = outbox_put_again(w->database, t->records[i], err);
	return database_end(w->database, r, err);
}

static int take_place(struct writer *w, const struct writer_takeover *t, struct err *err)
{
	int r = replace(w, t, err);

	if (r < 0)
		return r;
	w->sent.n = w->written.n = 0;
	drop_items(w, &w->unsent);
	drop_items(w, &w->uncommitted);
	writer_count_deferred(w);
	if (t->n_records)
		w->recovery = SEND_BARRIER;
	w->unsettled = !t->drops;
	return 0;
}

/* ---- what etcd has lost, or never had ---- */

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
	const struct writer_agreement *a = w->o.agreement;
	struct agreed_step steps[AGREED_STEPS_MAX];

	for (size_t i = 0; i < n; i++) {
		const struct limits limits = LIMITS_DEFAULT;
		const struct json_options o = { .limits = &limits };
		CLEANUP(doc_unrefp) struct doc *doc = NULL;
		struct finding x = { 0 };
		int r = json_decode(states[i], &o, &doc, err);

		if (r < 0)
			return r;
		(void)finding_from_json(doc->root, &x); /* it was one when it was written */
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
	int r = t->publishes ? make_known(t->writer, t, &err) : take_place(t->writer, t, &err);

	(void)d; /* the writer's */
	t->done(t, r, &err);
}

void writer_take_over(struct writer *w, struct writer_takeover *t)
{
	t->writer = w;
	t->task.run = run;
	writer_run(w, &t->task);
}
