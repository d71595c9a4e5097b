/* Remembers which rows were sent and which were written. */
#include "daemon/store/marks.h"

#include "base/assert.h"
#include "daemon/store/deferral_clock.h"

#define SOON_MS 50 /* how long the marks may wait for a transaction that commits something else too */

void marks_done(struct marks *m)
{
	vec_done(&m->sent);
	vec_done(&m->written);
}

bool marks_add_sent(struct marks *m, int64_t seq)
{
	if (!m->sent.n)
		m->due_ms = steady_ms() + SOON_MS;
	return vec_push(&m->sent, seq);
}

bool marks_add_written(struct marks *m, int64_t seq)
{
	return vec_push(&m->written, seq);
}

bool marks_set_sent(struct marks *m, const int64_t *seqs, size_t n)
{
	m->sent.n = 0;
	for (size_t i = 0; i < n; i++) {
		if (!vec_push(&m->sent, seqs[i]))
			return false;
	}
	return true;
}

void marks_clear_written(struct marks *m)
{
	m->written.n = 0;
}

void marks_take_back(struct marks *m)
{
	ASSERT(m->sent.n > 0);
	m->sent.n--;
}

bool marks_are_due(const struct marks *m)
{
	return steady_ms() >= m->due_ms;
}

int marks_store(const struct marks *m, struct database *d, struct err *err)
{
	int64_t now = steady_usec();
	int r = 0;

	for (size_t i = 0; r == 0 && i < m->sent.n; i++)
		r = database_mark_sent(d, m->sent.p[i], now, err);
	for (size_t i = 0; r == 0 && i < m->written.n; i++)
		r = database_remove_from_outbox(d, m->written.p[i], err);
	return r;
}

void marks_clear(struct marks *m)
{
	m->sent.n = m->written.n = 0;
}
