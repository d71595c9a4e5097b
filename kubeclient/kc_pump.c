/* Forwards the bytes between a server and libcurl. */
#include "kubeclient/kc_pump.h"

#include "base/assert.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void look_again(struct kc_pump *p);

/* ---- the two ends ---- */

/* Send bytes; 0: nothing can be written now. */
static ssize_t send_some(int fd, const char *bytes, size_t n)
{
	ssize_t sent;

	do
		sent = send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (sent < 0 && errno == EINTR);
	return sent < 0 && errno == EAGAIN ? 0 : sent;
}

static ssize_t receive_some(int fd, char *bytes, size_t n)
{
	ssize_t got;

	do
		got = recv(fd, bytes, n, MSG_DONTWAIT);
	while (got < 0 && errno == EINTR);
	return got;
}

static void rest_done(struct kc_pump_rest *rest)
{
	free(rest->p);
	*rest = (struct kc_pump_rest){ 0 };
}

static bool keep_rest(struct kc_pump_rest *rest, const char *bytes, size_t n)
{
	ASSERT(!rest->p);
	if (!n)
		return true;
	rest->p = malloc(n);
	if (!rest->p)
		return false;
	memcpy(rest->p, bytes, n);
	rest->n = n;
	return true;
}

/* Forward bytes. Return false when @to takes nothing any more. */
static bool forward(int to, struct kc_pump_rest *rest, const char *bytes, size_t n)
{
	ssize_t sent = send_some(to, bytes, n);

	return sent >= 0 && keep_rest(rest, bytes + sent, n - (size_t)sent);
}

static bool forward_rest(int to, struct kc_pump_rest *rest)
{
	ssize_t sent = rest->p ? send_some(to, rest->p + rest->from, rest->n - rest->from) : 0;

	if (sent < 0)
		return false;
	rest->from += (size_t)sent;
	if (rest->from == rest->n)
		rest_done(rest);
	return true;
}

/* ---- its end ---- */

static void on_poll_closed(uv_handle_t *h)
{
	struct kc_pump *p = h->data;
	void (*freed)(void *ctx) = p->freed;
	void *ctx = p->ctx;

	ASSERT(p->n_open > 0);
	if (--p->n_open > 0)
		return;
	free(p);
	freed(ctx);
}

/* Close both ends. A stopped handle lets go of its descriptor at once. */
static void close_ends(struct kc_pump *p)
{
	(void)uv_poll_stop(&p->real_poll); /* always 0 */
	(void)uv_poll_stop(&p->far_poll);
	close(p->real);
	close(p->far);
	p->real = p->far = -1;
	rest_done(&p->in);
	rest_done(&p->out);
}

/* End the pump. libcurl finds the near end closed. */
static void end(struct kc_pump *p, int code, const char *why)
{
	p->state = KC_PUMP_ENDED;
	if (code)
		(void)err_set(&p->why, code, "%s", why);
	close_ends(p);
}

/* ---- what the server sends ---- */

/* End the answers. Bytes that were forwarded before the end stay for libcurl to read. */
static void end_of_answers(struct kc_pump *p)
{
	p->no_more = true;
	if (!p->in.p)
		(void)shutdown(p->far, SHUT_WR);
}

static size_t portion(const struct kc_pump *p)
{
	return p->answers ? KC_PUMP_PORTION : KC_PUMP_FIRST_PORTION;
}

static void read_real(struct kc_pump *p)
{
	char bytes[KC_PUMP_PORTION];
	ssize_t n = receive_some(p->real, bytes, portion(p));

	if (n < 0 && errno == EAGAIN)
		return;
	if (n < 0) {
		end(p, errno, strerror(errno));
		return;
	}
	if (n == 0) {
		end_of_answers(p);
		return;
	}
	p->given += (size_t)n;
	p->nobodys += (uint64_t)n;
	if (p->nobodys > KC_PUMP_NOBODYS_MAX)
		end(p, EPROTO, "the server sends and sends, and no byte of it is of an answer");
	else if (!forward(p->far, &p->in, bytes, (size_t)n))
		end(p, 0, "");
}

static void on_real(uv_poll_t *poll, int status, int events)
{
	struct kc_pump *p = poll->data;

	if (status < 0) /* libuv has stopped the handle; bytes that came before the error are read first */
		p->real_events = 0;
	if (status < 0 || (events & UV_READABLE))
		read_real(p);
	if (p->state == KC_PUMP_PUMPING && (events & UV_WRITABLE) && !forward_rest(p->real, &p->out))
		end(p, errno, strerror(errno));
	look_again(p);
}

/* ---- what it is sent ---- */

static void read_far(struct kc_pump *p)
{
	char bytes[KC_PUMP_PORTION];
	ssize_t n = receive_some(p->far, bytes, sizeof(bytes));

	if (n < 0 && errno == EAGAIN)
		return;
	if (n <= 0) /* libcurl closes the connection, and reports that itself */
		end(p, 0, "");
	else if (!forward(p->real, &p->out, bytes, (size_t)n))
		end(p, errno, strerror(errno));
}

static void on_far(uv_poll_t *poll, int status, int events)
{
	struct kc_pump *p = poll->data;

	if (status < 0)
		p->far_events = 0;
	if (status < 0 || (events & UV_READABLE))
		read_far(p);
	if (p->state == KC_PUMP_PUMPING && (events & UV_WRITABLE)) {
		if (!forward_rest(p->far, &p->in))
			end(p, 0, "");
		else if (!p->in.p && p->no_more)
			(void)shutdown(p->far, SHUT_WR);
	}
	look_again(p);
}

/* ---- what is waited for ---- */

static void wait_for(uv_poll_t *poll, int *before, int events, uv_poll_cb cb)
{
	if (events == *before)
		return;
	*before = events;
	if (events)
		(void)uv_poll_start(poll, events, cb); /* only handles that are closing make this fail */
	else
		(void)uv_poll_stop(poll); /* always 0 */
}

static void look_again(struct kc_pump *p)
{
	int real = 0, far = 0;

	if (p->state != KC_PUMP_PUMPING)
		return;
	if (!p->no_more && !p->in.p && p->given < portion(p))
		real |= UV_READABLE;
	if (p->out.p)
		real |= UV_WRITABLE;
	else
		far |= UV_READABLE;
	if (p->in.p)
		far |= UV_WRITABLE;
	wait_for(&p->real_poll, &p->real_events, real, on_real);
	wait_for(&p->far_poll, &p->far_events, far, on_far);
}

void kc_pump_taken(struct kc_pump *p)
{
	int left = 0;

	if (p->useful) {
		p->nobodys = 0;
		p->answers = true;
	}
	p->useful = false;
	if (p->state != KC_PUMP_PUMPING || !p->given)
		return;
	if (ioctl(p->far, SIOCOUTQ, &left) == 0 && left > 0)
		return;
	p->given = 0;
	look_again(p);
}

/* ---- life ---- */

struct kc_pump *kc_pump_new(uv_loop_t *uv, int fd, void (*freed)(void *ctx), void *ctx)
{
	struct kc_pump *p = calloc(1, sizeof(*p));

	if (p)
		*p = (struct kc_pump){ .uv = uv, .fd = fd, .real = -1, .far = -1, .freed = freed, .ctx = ctx };
	return p;
}

bool kc_pump_can_start(const struct kc_pump *p)
{
	struct sockaddr_storage peer;
	socklen_t n = sizeof(peer);

	return p->state == KC_PUMP_CONNECTING && p->fd >= 0 && getpeername(p->fd, (struct sockaddr *)&peer, &n) == 0;
}

/* Put the near end of @pair in the place of the descriptor that libcurl knows. */
static int take_place(struct kc_pump *p, const int pair[2], struct err *err)
{
	p->real = fcntl(p->fd, F_DUPFD_CLOEXEC, 0);
	if (p->real < 0)
		return err_set(err, errno, "copy a socket: %s", strerror(errno));
	if (dup3(pair[0], p->fd, O_CLOEXEC) < 0) {
		int code = errno;

		close(p->real);
		p->real = -1;
		return err_set(err, code, "take the place of a socket: %s", strerror(code));
	}
	return 0;
}

/* Give the near end's peer an address. libcurl takes a connection to a peer without an address for one that is not
 * made yet, and does not use it again. A name in the file system is an address, even after its removal. Where no
 * name can be made, connections are not used again. */
static void give_name(int fd)
{
	static atomic_uint count;
	const char *dir = getenv("RUNTIME_DIRECTORY");
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	int n;

	dir = dir && *dir ? dir : P_tmpdir;
	n = snprintf(name.sun_path, sizeof(name.sun_path), "%.*s/.driftd-%d-%u", (int)strcspn(dir, ":"), dir,
		     (int)getpid(), count++);
	if (n < 0 || (size_t)n >= sizeof(name.sun_path))
		return;
	if (bind(fd, (struct sockaddr *)&name, sizeof(name)) == 0)
		(void)unlink(name.sun_path);
}

int kc_pump_start(struct kc_pump *p, struct err *err)
{
	int pair[2], r;

	ASSERT(p->state == KC_PUMP_CONNECTING);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) < 0)
		return err_set(err, errno, "make a pair of sockets: %s", strerror(errno));
	give_name(pair[1]);
	r = take_place(p, pair, err);
	close(pair[0]);
	if (r < 0) {
		close(pair[1]);
		return r;
	}
	p->far = pair[1];
	p->state = KC_PUMP_PUMPING;
	/* uv_poll_init_socket cannot fail here: both descriptors are new, and are sockets. */
	(void)uv_poll_init_socket(p->uv, &p->real_poll, p->real);
	(void)uv_poll_init_socket(p->uv, &p->far_poll, p->far);
	p->real_poll.data = p->far_poll.data = p;
	p->n_open = 2;
	look_again(p);
	return 0;
}

/* Send the last bytes of libcurl, usually a TLS farewell, if that can be done at once. */
static void send_last_words(struct kc_pump *p)
{
	char bytes[KC_PUMP_PORTION];
	ssize_t n = p->out.p ? 0 : receive_some(p->far, bytes, sizeof(bytes));

	if (n > 0)
		(void)send_some(p->real, bytes, (size_t)n);
}

void kc_pump_drop(struct kc_pump *p)
{
	void (*freed)(void *ctx) = p->freed;
	void *ctx = p->ctx;

	if (p->state == KC_PUMP_PUMPING) {
		send_last_words(p);
		end(p, 0, "");
	}
	if (p->n_open) {
		uv_close((uv_handle_t *)&p->real_poll, on_poll_closed);
		uv_close((uv_handle_t *)&p->far_poll, on_poll_closed);
		return;
	}
	free(p);
	freed(ctx);
}

void kc_pump_close(struct kc_pump *p)
{
	ASSERT(p->fd >= 0);
	close(p->fd);
	kc_pump_drop(p);
}
