/* A server in a thread, whose answers are lines of text, for tests of what asks one and waits. A line
 *
 *     POST|"verb":"list" -> 200 {"gitVersion":"v1"}
 *
 * answers requests that hold each of the texts before the arrow, in the line of the request or in its body; the first
 * line that does. What none of them fits is not found. It speaks TLS, with a certificate that nobody verifies, or no
 * credentials would reach it. */
#ifndef TESTS_ANSWERS_H
#define TESTS_ANSWERS_H

#include "base/assert.h"
#include "base/str.h"
#include "unit/kubeclient/kc_bench_tls.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define ANSWERS_REQUEST_MAX 65536

struct answers {
	str lines; /* of the test, until the end */
	int listener;
	unsigned port;
	SSL_CTX *tls;
	pthread_t thread;
};

static inline bool answers_fits(str texts, str request)
{
	str text;

	while (str_next_part(&texts, '|', &text)) {
		if (str_find(request, text) < 0)
			return false;
	}
	return true;
}

/* "200 {...}" for the request; empty: nothing fits. */
static inline str answers_find(const struct answers *a, str request)
{
	static const str arrow = { " -> ", 4 };
	str rest = a->lines, line;

	while (str_next_part(&rest, '\n', &line)) {
		ptrdiff_t at = str_find(line, arrow);

		if (at >= 0 && answers_fits(str_sub(line, 0, (size_t)at), request))
			return str_sub(line, (size_t)at + arrow.n, line.n);
	}
	return (str){ 0 };
}

/* The first line and the body of a request in @space; headers are left out. */
static inline str answers_read(SSL *ssl, char *space)
{
	size_t n = 0, length = 0;
	const char *end = NULL, *header, *line_end;

	while (!end || n < (size_t)(end + 4 - space) + length) {
		int got = SSL_read(ssl, space + n, (int)(ANSWERS_REQUEST_MAX - 1 - n));

		if (got <= 0)
			return (str){ 0 };
		n += (size_t)got;
		space[n] = '\0';
		if (end || !(end = strstr(space, "\r\n\r\n")))
			continue;
		header = strcasestr(space, "\r\nContent-Length:");
		length = header && header < end ? strtoul(header + 17, NULL, 10) : 0;
	}
	line_end = strstr(space, "\r\n");
	n -= (size_t)(end + 4 - line_end);
	memmove(space + (line_end - space), end + 4, n);
	return (str){ space, (size_t)(line_end - space) + n };
}

static inline void answers_write(SSL *ssl, str answer)
{
	str status = { 0 };
	char head[256];
	int n;

	if (!answer.n)
		answer = STR("404 {\"kind\":\"Status\",\"message\":\"not found\"}");
	(void)str_next_part(&answer, ' ', &status);
	n = snprintf(head, sizeof(head),
		     "HTTP/1.1 %.*s Said\r\nContent-Type: application/json\r\nConnection: close\r\n"
		     "Content-Length: %zu\r\n\r\n",
		     STR_ARG(status), answer.n);
	if (SSL_write(ssl, head, n) == n && answer.n)
		(void)SSL_write(ssl, answer.p, (int)answer.n);
}

static inline void *answers_run(void *arg)
{
	const struct answers *a = arg;
	static char space[ANSWERS_REQUEST_MAX];
	int fd;

	while ((fd = accept(a->listener, NULL, NULL)) >= 0) {
		SSL *ssl = SSL_new(a->tls);
		str request = { 0 };

		if (ssl && SSL_set_fd(ssl, fd) == 1 && SSL_accept(ssl) == 1)
			request = answers_read(ssl, space);
		if (request.n) {
			answers_write(ssl, answers_find(a, request));
			(void)SSL_shutdown(ssl); /* it waits for no answer */
		}
		SSL_free(ssl);
		(void)close(fd);
	}
	return NULL;
}

static inline void answers_begin(struct answers *a, str lines)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t size = sizeof(at);

	*a = (struct answers){ .lines = lines, .listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0) };
	ASSERT(a->listener >= 0 && bind(a->listener, (struct sockaddr *)&at, sizeof(at)) == 0);
	ASSERT(listen(a->listener, 64) == 0 && getsockname(a->listener, (struct sockaddr *)&at, &size) == 0);
	a->port = ntohs(at.sin_port);
	(void)signal(SIGPIPE, SIG_IGN);
	a->tls = bench_tls_new();
	ASSERT(pthread_create(&a->thread, NULL, answers_run, a) == 0);
}

static inline void answers_end(struct answers *a)
{
	(void)shutdown(a->listener, SHUT_RDWR);
	(void)pthread_join(a->thread, NULL);
	(void)close(a->listener);
	SSL_CTX_free(a->tls);
}

/* ---- a folder with the files of a test, which mkdtemp has made ---- */

static inline void answers_file(const char *folder, const char *name, str text)
{
	char path[256];
	FILE *f;

	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "w");
	ASSERT(f && fwrite(text.p, 1, text.n, f) == text.n);
	ASSERT(fclose(f) == 0);
}

/* @user: its entry, "{token: t}". */
static inline void answers_kubeconfig(const struct answers *a, const char *folder, const char *user)
{
	char text[1024];
	int n = snprintf(text, sizeof(text),
			 "apiVersion: v1\nkind: Config\ncurrent-context: c\nclusters:\n"
			 "- {name: c, cluster: {server: \"https://127.0.0.1:%u\", insecure-skip-tls-verify: true}}\n"
			 "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
			 "users: [{name: u, user: %s}]\n",
			 a->port, user);

	ASSERT(n > 0 && (size_t)n < sizeof(text));
	answers_file(folder, "kubeconfig", (str){ text, (size_t)n });
}

/* With its files. */
static inline void answers_remove(const char *folder)
{
	DIR *d = opendir(folder);
	struct dirent *e;

	ASSERT(d);
	while ((e = readdir(d))) {
		if (e->d_name[0] != '.')
			ASSERT(unlinkat(dirfd(d), e->d_name, 0) == 0);
	}
	(void)closedir(d);
	ASSERT(rmdir(folder) == 0);
}

#endif
