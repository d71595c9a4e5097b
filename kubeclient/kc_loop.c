/* Maps libcurl's sockets and its one timer to handles of libuv, and runs jobs between them. */
#include "kubeclient/kc_loop.h"

#include "base/assert.h"

#include <sys/socket.h>
#include <unistd.h>

/* One socket of libcurl. libcurl may close the descriptor right after CURL_POLL_REMOVE: uv_poll_stop lets go of it
 * at once, and the memory stays until the close callback. */
struct sock {
	uv_poll_t poll;
	struct kc_loop *loop;
	curl_socket_t fd;
	int events;        /* the events of libuv that libcurl waits for */
	struct kc_job job; /* handles the events in @seen */
	int seen;          /* bits of CURL_CSELECT_ */
};

static void release(struct kc_loop *l)
{
	ASSERT(l->n_open > 0);
	if (--l->n_open > 0 || !l->closing)
		return;
	curl_global_cleanup(); /* by now the last easy handle is gone too */
	l->closed(l->ctx);
}

static void on_sock_closed(uv_handle_t *h)
{
	struct sock *s = h->data;
	struct kc_loop *l = s->loop;

	free(s);
	release(l);
}

static void on_timer_closed(uv_handle_t *h)
{
	struct kc_loop *l = h->data;

	release(l);
}

static void on_pace_closed(void *ctx)
{
	release(ctx);
}

/* Remove a handle from libcurl. If libcurl refused, it would still use the handle when its owner frees it. */
static void remove_easy(struct kc_loop *l, CURL *easy)
{
	CURLMcode code = curl_multi_remove_handle(l->multi, easy);

	ASSERT(code == CURLM_OK);
}

/* Ends the transfers that libcurl has finished. It runs after a timeout too, because the timeout may have ended the
 * last transfer. */
static void end_finished(struct kc_loop *l)
{
	CURLMsg *msg;
	int left;

	while (!l->closing && (msg = curl_multi_info_read(l->multi, &left))) {
		CURL *easy = msg->easy_handle;
		CURLcode code = msg->data.result;

		if (msg->msg != CURLMSG_DONE)
			continue;
		remove_easy(l, easy); /* @msg is freed with the handle */
		l->done(l->ctx, easy, code);
	}
}

/* ---- pumps ---- */

static void on_pump_freed(void *ctx)
{
	release(ctx);
}

static struct kc_pump *pump_of(const struct kc_loop *l, curl_socket_t fd)
{
	struct kc_pump *p;

	TAILQ_FOREACH(p, &l->pumps, link)
	{
		if (p->fd == fd)
			return p;
	}
	return NULL;
}

/* Let the pumps write, since libcurl has read what it wanted. */
static void feed_pumps(struct kc_loop *l)
{
	struct kc_pump *p;

	l->acting = NULL;
	TAILQ_FOREACH(p, &l->pumps, link)
	kc_pump_taken(p);
}

/* Note that a transfer got bytes. Bytes that libcurl had held back may be of any connection. */
void kc_loop_useful(struct kc_loop *l)
{
	struct kc_pump *p;

	if (l->acting) {
		l->acting->useful = true;
		return;
	}
	TAILQ_FOREACH(p, &l->pumps, link)
	p->useful = true;
}

static struct kc_pump *take_pump(struct kc_loop *l, struct kc_pump *p)
{
	if (l->acting == p)
		l->acting = NULL;
	TAILQ_REMOVE(&l->pumps, p, link);
	return p;
}

/* Open a socket as libcurl 7.88 does, but one that no child process inherits. */
static curl_socket_t open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct kc_loop *l = ctx;
	int fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	struct kc_pump *p;

	(void)purpose;
	if (fd < 0)
		return CURL_SOCKET_BAD;
	p = pump_of(l, fd);
	if (p) /* libcurl has closed that one without a word */
		kc_pump_drop(take_pump(l, p));
	p = kc_pump_new(l->uv, fd, on_pump_freed, l);
	if (!p) {
		close(fd);
		return CURL_SOCKET_BAD;
	}
	l->n_open++;
	TAILQ_INSERT_TAIL(&l->pumps, p, link);
	return fd;
}

static int close_socket(void *ctx, curl_socket_t fd)
{
	struct kc_loop *l = ctx;
	struct kc_pump *p = pump_of(l, fd);

	ASSERT(p);
	kc_pump_close(take_pump(l, p));
	return 0;
}

/* ---- libcurl's turn ---- */

/* Let libcurl act. Its failures end transfers, each with a code of its own; those of one connection end one after
 * the other, some of them when libcurl's timer expires. */
static void act(struct kc_loop *l, curl_socket_t fd, int events, struct kc_pump *pump)
{
	int running;

	if (l->closing)
		return;
	if (pump)
		l->cut = pump->why;
	l->acting = pump;
	l->inside = true;
	(void)curl_multi_socket_action(l->multi, fd, events, &running);
	l->inside = false;
	feed_pumps(l);
	l->turn(l->ctx);
	end_finished(l);
}

static void on_poll(uv_poll_t *poll, int status, int events);

/* Starts the pump of a socket that has connected, so that its bytes pass through the pump, and polls the socket. When
 * there is no descriptor for the pump, a later event tries again. @p: the pump of @s, or NULL. */
static int wait_for_events(struct sock *s, struct kc_pump *p)
{
	struct err err;

	if (p && kc_pump_can_start(p)) {
		(void)uv_poll_stop(&s->poll); /* always 0 */
		(void)!kc_pump_start(p, &err);
	}
	return uv_poll_start(&s->poll, s->events, on_poll);
}

static int take_seen(struct sock *s)
{
	int seen = s->seen;

	s->seen = 0;
	return seen;
}

/* Looks the pump up again, because the socket may have another one by now. */
static void on_turn_of(void *ctx)
{
	struct sock *s = ctx;

	act(s->loop, s->fd, take_seen(s), pump_of(s->loop, s->fd)); /* may close it */
}

/* Handles events of a socket. While the job waits, libuv reports the events again in each turn. */
static void on_poll(uv_poll_t *poll, int status, int events)
{
	struct sock *s = poll->data;
	struct kc_pump *p = pump_of(s->loop, s->fd);

	if (s->loop->closing)
		return;
	if (p && kc_pump_can_start(p) && wait_for_events(s, p) < 0)
		status = UV_EIO;
	if (status < 0)
		s->seen |= CURL_CSELECT_ERR;
	if (events & UV_READABLE)
		s->seen |= CURL_CSELECT_IN;
	if (events & UV_WRITABLE)
		s->seen |= CURL_CSELECT_OUT;
	if (kc_pace_now(s->loop->pace))
		act(s->loop, s->fd, take_seen(s), p); /* may close it */
	else
		kc_loop_later(s->loop, &s->job);
}

static void on_timeout(uv_timer_t *timer)
{
	act(timer->data, CURL_SOCKET_TIMEOUT, 0, NULL);
}

/* -1 deletes the timer; 0 means now, but never from in here. */
static int timer_callback(CURLM *multi, long timeout_ms, void *ctx)
{
	struct kc_loop *l = ctx;

	(void)multi;
	if (l->closing)
		return 0;
	if (timeout_ms < 0) {
		(void)uv_timer_stop(&l->timer); /* always 0 */
		return 0;
	}
	uv_update_time(l->uv);
	(void)uv_timer_start(&l->timer, on_timeout, (uint64_t)timeout_ms, 0);
	return 0;
}

static void sock_close(struct sock *s)
{
	kc_loop_never(s->loop, &s->job);
	(void)uv_poll_stop(&s->poll); /* always 0 */
	uv_close((uv_handle_t *)&s->poll, on_sock_closed);
}

static struct sock *sock_new(struct kc_loop *l, curl_socket_t fd)
{
	struct sock *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->loop = l;
	s->fd = fd;
	if (uv_poll_init_socket(l->uv, &s->poll, fd) < 0) {
		free(s);
		return NULL;
	}
	s->poll.data = s;
	s->job = (struct kc_job){ .run = on_turn_of, .ctx = s };
	l->n_open++;
	if (curl_multi_assign(l->multi, fd, s) == CURLM_OK)
		return s;
	sock_close(s);
	return NULL;
}

/* A failure here (-1) makes libcurl end all transfers with an error, which is retried. */
static int socket_callback(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_data)
{
	struct kc_loop *l = ctx;
	struct sock *s = socket_data;
	int events = 0;

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		if (!s)
			return 0;
		if (l->multi)
			(void)curl_multi_assign(l->multi, fd, NULL); /* the entry is on its way out */
		sock_close(s);
		return 0;
	}
	if (what == CURL_POLL_IN || what == CURL_POLL_INOUT)
		events |= UV_READABLE;
	if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT)
		events |= UV_WRITABLE;
	if (!s && (l->closing || !(s = sock_new(l, fd))))
		return -1;
	s->events = events;
	return wait_for_events(s, pump_of(l, fd)) < 0 ? -1 : 0;
}

static bool set_options(struct kc_loop *l)
{
	return !curl_multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, socket_callback) &&
	       !curl_multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l) &&
	       !curl_multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, timer_callback) &&
	       !curl_multi_setopt(l->multi, CURLMOPT_TIMERDATA, l) &&
	       !curl_multi_setopt(l->multi, CURLMOPT_PIPELINING, CURLPIPE_MULTIPLEX);
}

int kc_loop_init(struct kc_loop *l, uv_loop_t *uv, struct kc_pace *pace, void (*turn)(void *ctx),
		 void (*done)(void *ctx, CURL *easy, CURLcode code), void *ctx, struct err *err)
{
	*l = (struct kc_loop){ .uv = uv, .pace = pace ? pace : &l->own, .turn = turn, .done = done, .ctx = ctx };
	TAILQ_INIT(&l->pumps);
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		return err_set(err, EIO, "initialise libcurl");
	l->multi = curl_multi_init();
	if (!l->multi) {
		curl_global_cleanup();
		return err_nomem(err);
	}
	if (!set_options(l)) {
		(void)curl_multi_cleanup(l->multi); /* nothing is in it */
		curl_global_cleanup();
		return err_set(err, EIO, "set up libcurl");
	}
	(void)uv_timer_init(uv, &l->timer); /* always 0 */
	l->timer.data = l;
	l->n_open = 1;
	if (!pace) {
		kc_pace_init(&l->own, uv);
		l->n_open++;
	}
	return 0;
}

static bool use_sockets(struct kc_loop *l, CURL *easy)
{
	return !curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
	       !curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, l) &&
	       !curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket) &&
	       !curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, l);
}

int kc_loop_add(struct kc_loop *l, CURL *easy, struct err *err)
{
	CURLMcode code;

	ASSERT(l->multi && !l->inside);
	if (!use_sockets(l, easy))
		return err_nomem(err);
	code = curl_multi_add_handle(l->multi, easy);
	if (code == CURLM_OUT_OF_MEMORY)
		return err_nomem(err);
	return code == CURLM_OK ? 0 : err_set(err, EIO, "add a transfer to libcurl: %s", curl_multi_strerror(code));
}

void kc_loop_remove(struct kc_loop *l, CURL *easy)
{
	ASSERT(!l->inside);
	if (l->multi)
		remove_easy(l, easy);
}

void kc_loop_go_on(struct kc_loop *l, CURL *easy)
{
	ASSERT(l->multi && !l->inside);
	l->inside = true;
	(void)curl_easy_pause(easy, CURLPAUSE_CONT); /* what goes wrong ends the transfer */
	l->inside = false;
	feed_pumps(l);
	l->turn(l->ctx);
	end_finished(l);
}

/* ---- jobs ---- */

void kc_loop_later(struct kc_loop *l, struct kc_job *job)
{
	ASSERT(!l->closing);
	kc_pace_later(l->pace, job);
}

void kc_loop_never(struct kc_loop *l, struct kc_job *job)
{
	kc_pace_never(l->pace, job);
}

/* ---- end ---- */

void kc_loop_close(struct kc_loop *l, void (*closed)(void *ctx))
{
	CURLM *multi = l->multi;

	ASSERT(!l->closing && !l->inside);
	l->closing = true;
	l->closed = closed;
	/* The cleanup may still call both callbacks; they see closing, and a NULL multi. */
	l->multi = NULL;
	(void)curl_multi_cleanup(multi); /* only a call with no multi handle, or from inside of one, fails */
	while (!TAILQ_EMPTY(&l->pumps))
		kc_pump_drop(take_pump(l, TAILQ_FIRST(&l->pumps)));
	uv_close((uv_handle_t *)&l->timer, on_timer_closed);
	if (l->pace == &l->own)
		kc_pace_close(&l->own, on_pace_closed, l);
}
