/* Prints records on standard output, and holds back those that must wait. */
#include "daemon/recording/replay_output.h"

#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX ((size_t)8 << 20)

/* The records of a finding that has not lasted long enough to be printed. */
struct pending {
	char id[FINDING_ID_SIZE];
	uint64_t due_ns;
	VEC(struct buf) records; /* encoded */
};

struct replay_output {
	struct sink *sink;
	struct output *output;
	VEC(struct pending *) pending; /* in order of their begins */
	struct replay_counts counts;
};

static void write_record(struct replay_output *t, const struct record *r)
{
	str event = record_get(r, "DRIFTD_EVENT");
	int status;

	while ((status = output_write(t->output, r)) == -EAGAIN)
		; /* a person reads the output page by page */
	if (status < 0)
		t->counts.failed = true;
	t->counts.begins += str_eq(event, STR("begin"));
	t->counts.changes += str_eq(event, STR("change"));
	t->counts.ends += str_eq(event, STR("end"));
	t->counts.others += event.n == 0;
}

static void free_pending(struct pending *h)
{
	for (size_t i = 0; i < h->records.n; i++)
		buf_done(&h->records.p[i]);
	vec_done(&h->records);
	free(h);
}

static void remove_pending(struct replay_output *t, size_t i)
{
	free_pending(t->pending.p[i]);
	t->pending.n--;
	for (; i < t->pending.n; i++)
		t->pending.p[i] = t->pending.p[i + 1];
}

static void write_pending(struct replay_output *t, const struct pending *h)
{
	for (size_t i = 0; i < h->records.n; i++) {
		struct record r;
		struct err err;

		if (record_decode(buf_str(&h->records.p[i]), &r, &err) == 0)
			write_record(t, &r);
		else
			t->counts.failed = true;
		record_done(&r);
	}
}

/* Add a record to those that wait. Without memory it is written now, since too early is better than never. */
static void add_to_pending(struct replay_output *t, struct pending *h, const struct record *r)
{
	struct buf bytes = BUF_INIT(RECORD_BYTES_MAX);

	record_encode(r, &bytes);
	if (!bytes.error && vec_push(&h->records, bytes))
		return;
	buf_done(&bytes);
	write_record(t, r);
}

static struct pending *begin_pending(struct replay_output *t, const struct emission *x)
{
	struct pending *h = calloc(1, sizeof(*h));

	if (!h || !vec_push(&t->pending, h)) {
		free(h);
		return NULL;
	}
	memcpy(h->id, x->finding->id, sizeof(h->id));
	h->due_ns = clock_ns() + (uint64_t)x->hold_ns;
	return h;
}

static size_t find_pending(const struct replay_output *t, const char *id)
{
	size_t i = 0;

	while (i < t->pending.n && strcmp(t->pending.p[i]->id, id) != 0)
		i++;
	return i;
}

static void take(void *ctx, const struct emission *x)
{
	struct replay_output *t = ctx;
	size_t i = x->finding ? find_pending(t, x->finding->id) : t->pending.n;
	struct pending *h = i < t->pending.n ? t->pending.p[i] : NULL;

	if (h && x->over) { /* the finding has not lasted long enough, unless it was due just now */
		if (h->due_ns > clock_ns()) {
			remove_pending(t, i);
			return;
		}
		write_pending(t, h);
		remove_pending(t, i);
		h = NULL;
	}
	if (!x->record)
		return;
	if (!h && x->hold_ns > 0 && !x->over)
		h = begin_pending(t, x);
	if (h)
		add_to_pending(t, h, x->record);
	else
		write_record(t, x->record);
}

struct replay_output *replay_output_new(enum cfg_output form)
{
	struct replay_output *t = calloc(1, sizeof(*t));
	const struct sink_taker taker = { .take = take, .ctx = t };

	if (!t)
		return NULL;
	t->sink = sink_new(&taker);
	t->output = output_new(form);
	if (t->sink && t->output)
		return t;
	replay_output_free(t);
	return NULL;
}

void replay_output_free(struct replay_output *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->pending.n; i++)
		free_pending(t->pending.p[i]);
	vec_done(&t->pending);
	output_free(t->output);
	sink_free(t->sink);
	free(t);
}

struct sink *replay_output_sink(struct replay_output *t)
{
	return t->sink;
}

void replay_output_tick(struct replay_output *t)
{
	for (size_t i = 0; i < t->pending.n;) {
		if (t->pending.p[i]->due_ns > clock_ns()) {
			i++;
			continue;
		}
		write_pending(t, t->pending.p[i]);
		remove_pending(t, i);
	}
}

struct replay_counts replay_counts(const struct replay_output *t)
{
	return t->counts;
}
