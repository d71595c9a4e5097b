/* Writes lines to a descriptor only while it takes them at once. */
#include "daemon/findings/line_out.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define WAIT_MS 100

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

void line_out_done(struct line_out *o)
{
	buf_done(&o->line);
}

/* How many bytes one write(2) takes without waiting, once poll(2) has said that it does not wait: PIPE_BUF bytes of
 * a pipe, and as many as a pipe holds while it is empty. So a record is written as a whole, whatever ends the
 * process, if its reader keeps up. Other processes may share the descriptor, so driftd must not set it to never
 * wait. */
static size_t room(int fd)
{
	struct stat st;
	int size, unread;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return SIZE_MAX;
	size = fcntl(fd, F_GETPIPE_SZ);
	return size > PIPE_BUF && ioctl(fd, FIONREAD, &unread) == 0 && unread == 0 ? (size_t)size : PIPE_BUF;
}

/* Write what is left of the line, until all is written or the descriptor takes no more. */
static int push(struct line_out *o)
{
	struct pollfd ready = { .fd = o->fd, .events = POLLOUT };
	int64_t end = now_ms() + WAIT_MS, left = WAIT_MS;

	while (o->written < o->line.n) {
		int n_ready = poll(&ready, 1, left > 0 ? (int)left : 0);
		size_t rest = o->line.n - o->written, most = room(o->fd);
		ssize_t n = n_ready > 0 ? write(o->fd, o->line.p + o->written, rest < most ? rest : most) : -1;

		if (n_ready == 0)
			return -EAGAIN;
		if (n < 0 && errno != EINTR)
			return -errno;
		o->written += n < 0 ? 0 : (size_t)n;
		left = end - now_ms();
	}
	return 0;
}

/* Write the line, and forget it if nothing of it was written. */
static int push_or_forget(struct line_out *o)
{
	int r = push(o);

	if (o->written == 0)
		o->written = o->line.n;
	return r;
}

int line_out_write(struct line_out *o, str line, const char *id)
{
	bool was_begun = o->written < o->line.n;
	int r = was_begun ? push_or_forget(o) : 0;

	if (r < 0 || (was_begun && *id && strcmp(id, o->id) == 0))
		return r;
	o->written = 0;
	buf_clear(&o->line);
	buf_add_str(&o->line, line);
	if (o->line.error) {
		r = o->line.error;
		buf_clear(&o->line);
		return r;
	}
	(void)snprintf(o->id, sizeof(o->id), "%s", id);
	return push_or_forget(o);
}
