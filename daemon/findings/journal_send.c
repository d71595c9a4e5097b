/* The journal's native protocol, for entries that fit into a datagram. */
#include "daemon/findings/journal_send.h"

#include "base/buf.h"

#include <endian.h>
#include <errno.h>
#include <sys/socket.h>

#define ENTRY_MAX ((size_t)16 << 20)

/* Add a field. The protocol writes a value of several lines behind its length. */
static void add_field(struct buf *out, str field)
{
	ptrdiff_t at = str_find_byte(field, '=');
	str value = str_sub(field, (size_t)at + 1, field.n);
	uint64_t length = htole64(value.n);

	if (str_find_byte(value, '\n') < 0) {
		buf_add_str(out, field);
	} else {
		buf_add_str(out, str_sub(field, 0, (size_t)at));
		buf_add_byte(out, '\n');
		buf_add_str(out, (str){ (const char *)&length, sizeof(length) });
		buf_add_str(out, value);
	}
	buf_add_byte(out, '\n');
}

int journal_send(int fd, const struct iovec *fields, size_t n)
{
	CLEANUP(buf_done) struct buf entry = BUF_INIT(ENTRY_MAX);

	for (size_t i = 0; i < n; i++)
		add_field(&entry, (str){ fields[i].iov_base, fields[i].iov_len });
	if (entry.error)
		return entry.error == -E2BIG ? -EMSGSIZE : entry.error;
	if (send(fd, entry.p, entry.n, MSG_NOSIGNAL | MSG_DONTWAIT) >= 0)
		return 0;
	switch (errno) {
	case ENOBUFS:
		return -EMSGSIZE;
	case ECONNREFUSED:
	case ECONNRESET:
	case ENOTCONN:
		return -ESTALE;
	default:
		return -errno;
	}
}
