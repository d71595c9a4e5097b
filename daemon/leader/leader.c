/* The parts that all kinds of leaders share. */
#include "daemon/leader/leader.h"

#include "base/assert.h"

#include <errno.h>

const char *election_state_name(enum election_state s)
{
	static const char *const names[] = { "follows", "unsure", "leads" };

	_Static_assert(ARRAY_LEN(names) == ELECTION_LEADS + 1, "ORDER enum election_state");
	ASSERT(s < ARRAY_LEN(names));
	return names[s];
}

void leader_loaded_free(struct leader_loaded *x)
{
	if (!x)
		return;
	vec_done(&x->states);
	vec_done(&x->made);
	arena_done(&x->arena);
	free(x);
}

/* Append a record to the batch, after its length in four bytes, the lowest byte first. */
void leader_batch_add(struct buf *batch, str record)
{
	ASSERT(record.n <= UINT32_MAX);
	for (int shift = 0; shift < 32; shift += 8)
		buf_add_byte(batch, (char)(record.n >> shift & 0xFF));
	buf_add_str(batch, record);
}

int leader_batch_next(str *batch, str *record, struct err *err)
{
	size_t n = 0;

	if (!batch->n)
		return 0;
	for (size_t i = 0; i < 4 && i < batch->n; i++)
		n |= (size_t)(unsigned char)batch->p[i] << 8 * i;
	if (batch->n < 4 || n > batch->n - 4)
		return err_set(err, EBADMSG, "the last batch in etcd cannot be read");
	*record = str_sub(*batch, 4, 4 + n);
	*batch = str_sub(*batch, 4 + n, batch->n);
	return 1;
}
