/* Writes and reads what says in etcd who leads. */
#include "daemon/leader/etcd/holder.h"

void holder_write(const char *claim, const char *name, struct buf *out)
{
	buf_printf(out, "%s %s", claim, name);
}

void holder_name(str value, char ret[ELECTION_NAME_SIZE])
{
	size_t n = 0;

	for (size_t i = RECORD_ID_SIZE; i < value.n && n < ELECTION_NAME_SIZE - 1; i++)
		ret[n++] = value.p[i] > ' ' && value.p[i] <= '~' ? value.p[i] : '?';
	if (!n)
		ret[n++] = '?';
	ret[n] = '\0';
}

bool holder_is(str value, const char claim[RECORD_ID_SIZE])
{
	return *claim && value.n >= RECORD_ID_SIZE - 1 && memcmp(value.p, claim, RECORD_ID_SIZE - 1) == 0;
}
