/* Records on standard output, and those that must wait. */
#include "daemon/recording/teller.h"

#include "base/vec.h"
#include "daemon/findings/clock.h"
#include "daemon/findings/finding.h"
#include "daemon/findings/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define RECORD_BYTES_MAX ((size_t)8 << 20)

/* The records of a finding that has not lasted long enough to be printed. */
struct held {
	char id[FINDING_ID_SIZE];
	uint64_t due_ns;
	VEC(struct buf) records; /* encoded */
};

struct teller {
	struct sink *sink;
	struct output *output;
	VEC(struct held *) held; /* in order of their begins */
	struct teller_counts counts;
};

static void write_record(struct teller *t, const struct record *r)
{
	str event = record_get(r, "DRIFTD_EVENT");
	int status;

	while ((status = output_write(t->output, r)) == -EAGAIN)
		; /* somebody reads page by page */
	if (status < 0)
		t->counts.failed = true;
	t->counts.begins += str_eq(event, STR("begin"));
	t->counts.changes += str_eq(event, STR("change"));
	t->counts.ends += str_eq(event, STR("end"));
	t->counts.others += event.n == 0;
}

static void free_held(struct held *h)
{
	for (size_t i = 0; i < h->records.n; i++)
		buf_done(&h->records.p[i]);
	vec_done(&h->records);
	free(h);
}

static void remove_held(struct teller *t, size_t i)
{
	free_held(t->held.p[i]);
	t->held.n--;
	for (; i < t->held.n; i++)
		t->held.p[i] = t->held.p[i + 1];
}

static void write_held(struct teller *t, const struct held *h)
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

/* Without memory it is written now: too early is better than never. */
static void hold(struct teller *t, struct held *h, const struct record *r)
{
	struct buf bytes = BUF_INIT(RECORD_BYTES_MAX);

	record_encode(r, &bytes);
	if (!bytes.error && vec_push(&h->records, bytes))
		return;
	buf_done(&bytes);
	write_record(t, r);
}

static struct held *begin_held(struct teller *t, const struct emission *x)
{
	struct held *h = calloc(1, sizeof(*h));

	if (!h || !vec_push(&t->held, h)) {
		free(h);
		return NULL;
	}
	memcpy(h->id, x->finding->id, sizeof(h->id));
	h->due_ns = clock_ns() + (uint64_t)x->hold_ns;
	return h;
}

static size_t find_held(const struct teller *t, const char *id)
{
	size_t i = 0;

	while (i < t->held.n && strcmp(t->held.p[i]->id, id) != 0)
		i++;
	return i;
}

static void take(void *ctx, const struct emission *x)
{
	struct teller *t = ctx;
	size_t i = x->finding ? find_held(t, x->finding->id) : t->held.n;
	struct held *h = i < t->held.n ? t->held.p[i] : NULL;

	if (h && x->over) { /* it has not lasted, unless it was due just now */
		if (h->due_ns > clock_ns()) {
			remove_held(t, i);
			return;
		}
		write_held(t, h);
		remove_held(t, i);
		h = NULL;
	}
	if (!x->record)
		return;
	if (!h && x->hold_ns > 0 && !x->over)
		h = begin_held(t, x);
	if (h)
		hold(t, h, x->record);
	else
		write_record(t, x->record);
}

struct teller *teller_new(enum cfg_output form)
{
	struct teller *t = calloc(1, sizeof(*t));
	const struct sink_taker taker = { .take = take, .ctx = t };

	if (!t)
		return NULL;
	t->sink = sink_new(&taker);
	t->output = output_new(form);
	if (t->sink && t->output)
		return t;
	teller_free(t);
	return NULL;
}

void teller_free(struct teller *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->held.n; i++)
		free_held(t->held.p[i]);
	vec_done(&t->held);
	output_free(t->output);
	sink_free(t->sink);
	free(t);
}

struct sink *teller_sink(struct teller *t)
{
	return t->sink;
}

void teller_tick(struct teller *t)
{
	for (size_t i = 0; i < t->held.n;) {
		if (t->held.p[i]->due_ns > clock_ns()) {
			i++;
			continue;
		}
		write_held(t, t->held.p[i]);
		remove_held(t, i);
	}
}

struct teller_counts teller_counts(const struct teller *t)
{
	return t->counts;
}
