/* A server for tests of clients that wait: in a thread of its own, it gives each connection the next answer of a list.
 */
#ifndef TESTS_HTTP_PEER_H
#define TESTS_HTTP_PEER_H

#include <arpa/inet.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

#define PEER_REQUEST_MAX 65536

struct peer {
	int fd;
	char url[64]; /* of TCP */
	pthread_t thread;
	const char *const *answers; /* whole responses; NULL: it says nothing, */
	unsigned silent_ms;         /* for so long */
	size_t n, at;
	size_t endless;                 /* bytes that come behind the answer, */
	const char *again;              /* this text over and over; NULL: x */
	char request[PEER_REQUEST_MAX]; /* the last one that came; tests ask peer_request() */
	atomic_uint n_read;             /* so many requests came */
};

/* The last request, all of which came before its answer. */
static inline const char *peer_request(const struct peer *p)
{
	(void)atomic_load(
		&p->n_read); /* orders it behind what the thread wrote, which a thread sanitizer wants to see */
	return p->request;
}

static inline void peer_read_request(struct peer *p, int fd)
{
	size_t n = 0, length = 0;
	char *body = NULL;

	while (n < PEER_REQUEST_MAX - 1 && (!body || n < (size_t)(body - p->request) + length)) {
		ssize_t r = read(fd, p->request + n, PEER_REQUEST_MAX - 1 - n);

		if (r <= 0)
			return;
		n += (size_t)r;
		p->request[n] = '\0';
		body = strstr(p->request, "\r\n\r\n");
		if (body) {
			const char *header = strstr(p->request, "Content-Length: ");

			length = header ? strtoul(header + 16, NULL, 10) : 0;
			body += 4;
		}
	}
}

static inline void peer_send_more(const struct peer *p, int fd)
{
	const char *again = p->again ? p->again : "x";
	static char junk[65536];
	size_t length = strlen(again), size = sizeof(junk) / length * length;

	for (size_t i = 0; i < size; i++)
		junk[i] = again[i % length];
	for (size_t n = 0; n < p->endless; n += size) {
		if (send(fd, junk, size, MSG_NOSIGNAL) < 0)
			break;
	}
}

static inline void *peer_serve(void *ctx)
{
	struct peer *p = ctx;
	int fd;

	while ((fd = accept(p->fd, NULL, NULL)) >= 0) {
		char byte;

		if (recv(fd, &byte, 1, MSG_PEEK) == 1) { /* else somebody has looked whether it is there */
			const char *answer = p->at < p->n ? p->answers[p->at++] : NULL;

			peer_read_request(p, fd);
			(void)atomic_fetch_add(&p->n_read, 1);
			if (answer)
				(void)!send(fd, answer, strlen(answer), MSG_NOSIGNAL);
			else
				(void)usleep(p->silent_ms * 1000);
			if (answer && p->endless)
				peer_send_more(p, fd);
		}
		(void)close(fd);
	}
	return NULL;
}

/* On a port of 127.0.0.1 of its own; or @path, where nothing is yet: a socket of the file system. Fields may be set
 * until the first request. */
static inline void peer_start(struct peer *p, const char *path, const char *const *answers, size_t n)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_un u = { .sun_family = AF_UNIX };
	struct sockaddr *at = path ? (struct sockaddr *)&u : (struct sockaddr *)&a;
	socklen_t size = path ? sizeof(u) : sizeof(a);

	*p = (struct peer){ .answers = answers, .n = n };
	(void)snprintf(u.sun_path, sizeof(u.sun_path), "%s", path ? path : "");
	p->fd = socket(at->sa_family, SOCK_STREAM, 0);
	assert_true(p->fd >= 0 && bind(p->fd, at, size) == 0 && listen(p->fd, 8) == 0);
	assert_int_equal(getsockname(p->fd, at, &size), 0);
	if (!path)
		(void)snprintf(p->url, sizeof(p->url), "http://127.0.0.1:%d", ntohs(a.sin_port));
	assert_int_equal(pthread_create(&p->thread, NULL, peer_serve, p), 0);
}

static inline void peer_end(struct peer *p)
{
	(void)shutdown(p->fd, SHUT_RDWR);
	(void)pthread_join(p->thread, NULL);
	(void)close(p->fd);
}

#endif
