/* An API server and a journal in one process and by one clock: it writes prepared changes of config maps to the watches
 * of driftd, and notes when the record of each arrives. For bench_report.py.
 *
 *   feeder OBJECTS NAMESPACES VALUE [SOCKET]
 *
 * The objects have data.v VALUE ("1" or "2") at first. It prints the port it listens on. Each line "RATE COUNT WINDOW"
 * of standard input changes COUNT objects in turn, from 1 to 2 or back, at RATE a second (0: as fast as it goes), with
 * WINDOW of them at most without their record; it answers "SENT RECEIVED SECONDS P50 P99 MAX", latencies in
 * microseconds from before an event is written until its record was read from SOCKET (a datagram socket as
 * systemd-journald has). */
#include <arpa/inet.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define TEXT_MAX 4096
#define CHUNK_MAX (TEXT_MAX + 64)
#define BATCH 64
#define DATAGRAM_MAX (64 << 10)
#define PATIENCE_S 10 /* for the last records */

static unsigned n_objects, n_namespaces;
static char *values; /* data.v of each object */
static _Atomic uint64_t *sent_ns;
static _Atomic uint64_t version = 1000;
static _Atomic int watch = -1; /* the last that was opened */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static pthread_cond_t arrived = PTHREAD_COND_INITIALIZER;
static size_t n_received;
static uint32_t *latencies; /* microseconds, in the order of arrival */
static size_t latencies_max;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = send(fd, p, n, MSG_NOSIGNAL);

		if (w < 0)
			return false;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

/* ---- the API server ---- */

/* @body as a chunk of HTTP, in CHUNK_MAX bytes: its length. */
static int chunk(char *out, const char *body, int n)
{
	return snprintf(out, CHUNK_MAX, "%x\r\n%s\r\n", (unsigned)n, body);
}

static int event_text(char *out, const char *type, unsigned i)
{
	char body[TEXT_MAX];
	int n = snprintf(
		body, sizeof(body),
		"{\"type\":\"%s\",\"object\":{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"cm-"
		"%06u\","
		"\"namespace\":\"ns-%05u\",\"uid\":\"5f0c3f4e-0000-4000-8000-%012u\",\"resourceVersion\":\"%llu\","
		"\"creationTimestamp\":\"2026-01-01T00:00:00Z\",\"labels\":{\"app\":\"web\",\"tier\":\"frontend\"},"
		"\"managedFields\":[{\"manager\":\"kubectl-edit\",\"operation\":\"Update\",\"apiVersion\":\"v1\","
		"\"time\":\"2026-01-01T00:00:00Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{\"f:data\":{\".\":{},\"f:"
		"v\":{},"
		"\"f:mode\":{}}}}]},\"data\":{\"v\":\"%c\",\"mode\":\"steady\"}}}\n",
		type, i, i % n_namespaces, i, (unsigned long long)version++, values[i]);

	return chunk(out, body, n);
}

static bool send_initial(int fd)
{
	static const char head[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
				   "Transfer-Encoding: chunked\r\n\r\n";
	char text[CHUNK_MAX], mark[TEXT_MAX];
	bool ok = write_all(fd, head, sizeof(head) - 1);
	int n;

	for (unsigned i = 0; ok && i < n_objects; i++)
		ok = write_all(fd, text, (size_t)event_text(text, "ADDED", i));
	n = snprintf(mark, sizeof(mark),
		     "{\"type\":\"BOOKMARK\",\"object\":{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":"
		     "{\"resourceVersion\":\"%llu\",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}}}}\n",
		     (unsigned long long)version++);
	return ok && write_all(fd, text, (size_t)chunk(text, mark, n));
}

static bool answer(int fd, unsigned status, const char *body)
{
	char text[TEXT_MAX];

	return write_all(
		fd, text,
		(size_t)snprintf(text, sizeof(text),
				 "HTTP/1.1 %u X\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n%s",
				 status, strlen(body), body));
}

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool route(int fd, const char *request)
{
	if (starts(request, "GET /version "))
		return answer(fd, 200, "{\"major\":\"1\",\"minor\":\"33\",\"gitVersion\":\"v1.33.0\"}");
	if (starts(request, "GET /api "))
		return answer(fd, 200, "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
	if (starts(request, "GET /apis "))
		return answer(fd, 200, "{\"kind\":\"APIGroupList\",\"apiVersion\":\"v1\",\"groups\":[]}");
	if (starts(request, "GET /api/v1 "))
		return answer(
			fd, 200,
			"{\"kind\":\"APIResourceList\",\"apiVersion\":\"v1\",\"groupVersion\":\"v1\",\"resources\":["
			"{\"name\":\"configmaps\",\"singularName\":\"configmap\",\"namespaced\":true,\"kind\":"
			"\"ConfigMap\",\"verbs\":[\"get\",\"list\",\"watch\"]}]}");
	if (!starts(request, "GET /api/v1/configmaps?"))
		return answer(
			fd, 404,
			"{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":404,\"reason\":"
			"\"NotFound\",\"message\":\"not found\"}");
	if (!strstr(request, "sendInitialEvents=true") || !send_initial(fd))
		return false;
	watch = fd;
	return true;
}

static void *serve(void *arg)
{
	int fd = (int)(intptr_t)arg;
	char request[TEXT_MAX * 4];
	size_t n = 0;
	ssize_t r;

	while ((r = recv(fd, request + n, sizeof(request) - 1 - n, 0)) > 0) {
		n += (size_t)r;
		request[n] = '\0';
		if (!strstr(request, "\r\n\r\n"))
			continue;
		n = 0;
		if (!route(fd, request))
			break;
	}
	close(fd);
	return NULL;
}

static void start_thread(void *(*run)(void *), void *arg)
{
	pthread_t t;

	if (pthread_create(&t, NULL, run, arg) != 0)
		fail("pthread_create");
	pthread_detach(t);
}

static void *accept_all(void *arg)
{
	int one = 1;

	for (;;) {
		int fd = accept((int)(intptr_t)arg, NULL, NULL);

		if (fd < 0)
			fail("accept");
		(void)setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof(one));
		start_thread(serve, (void *)(intptr_t)fd);
	}
	return NULL;
}

static void listen_http(void)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(a);
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&a, n) < 0 || listen(fd, 64) < 0 ||
	    getsockname(fd, (struct sockaddr *)&a, &n) < 0)
		fail("listen");
	printf("%u\n", ntohs(a.sin_port));
	fflush(stdout);
	start_thread(accept_all, (void *)(intptr_t)fd);
}

/* ---- the journal ---- */

static void note(const char *datagram, size_t n, uint64_t now)
{
	static const char field[] = "\nDRIFTD_NAME=cm-";
	const char *at = memmem(datagram, n, field, sizeof(field) - 1);
	unsigned long i = at ? strtoul(at + sizeof(field) - 1, NULL, 10) : n_objects;
	uint64_t sent = i < n_objects ? atomic_exchange(&sent_ns[i], 0) : 0;

	if (sent && n_received < latencies_max)
		latencies[n_received++] = (uint32_t)((now - sent) / 1000);
}

static void *receive(void *arg)
{
	static char buffers[BATCH][DATAGRAM_MAX];
	struct mmsghdr m[BATCH] = { 0 };
	struct iovec v[BATCH];
	int fd = (int)(intptr_t)arg;

	for (size_t i = 0; i < BATCH; i++) {
		v[i] = (struct iovec){ buffers[i], DATAGRAM_MAX - 1 };
		m[i].msg_hdr.msg_iov = &v[i];
		m[i].msg_hdr.msg_iovlen = 1;
	}
	for (;;) {
		int n = recvmmsg(fd, m, BATCH, MSG_WAITFORONE, NULL);
		uint64_t now = now_ns();

		if (n < 0)
			fail("recvmmsg");
		pthread_mutex_lock(&lock);
		for (int i = 0; i < n; i++) {
			buffers[i][m[i].msg_len] = '\0';
			note(buffers[i], m[i].msg_len, now);
		}
		pthread_cond_signal(&arrived);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void open_journal(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0), size = 8 << 20;

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	(void)unlink(path);
	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size)) < 0 ||
	    bind(fd, (struct sockaddr *)&a, sizeof(a)) < 0)
		fail(path);
	start_thread(receive, (void *)(intptr_t)fd);
}

/* ---- feeding ---- */

/* False: @most are still under way after a while. */
static bool wait_for(size_t sent, size_t most)
{
	struct timespec until;
	bool in_time = true;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += PATIENCE_S;
	pthread_mutex_lock(&lock);
	while (in_time && sent - n_received > most)
		in_time = pthread_cond_timedwait(&arrived, &lock, &until) == 0;
	pthread_mutex_unlock(&lock);
	return in_time;
}

static void sleep_until(uint64_t ns)
{
	struct timespec t = { .tv_sec = (time_t)(ns / 1000000000), .tv_nsec = (long)(ns % 1000000000) };

	clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
}

static int by_size(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static void report(size_t sent, double seconds)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = n_received;
	qsort(latencies, n, sizeof(*latencies), by_size);
	printf("%zu %zu %.3f %u %u %u\n", sent, n, seconds, n ? latencies[n / 2] : 0,
	       n ? latencies[n - 1 - n / 100] : 0, n ? latencies[n - 1] : 0);
	fflush(stdout);
	pthread_mutex_unlock(&lock);
}

static void feed(double rate, size_t count, size_t window)
{
	static unsigned next;
	char text[CHUNK_MAX];
	uint64_t begin = now_ns();
	size_t sent = 0;

	pthread_mutex_lock(&lock);
	free(latencies);
	latencies = calloc(count, sizeof(*latencies));
	latencies_max = count;
	n_received = 0;
	pthread_mutex_unlock(&lock);
	for (; sent < count && wait_for(sent, window - 1); sent++, next = (next + 1) % n_objects) {
		int n;

		if (rate > 0)
			sleep_until(begin + (uint64_t)((double)sent * 1e9 / rate));
		values[next] ^= '1' ^ '2';
		n = event_text(text, "MODIFIED", next);
		sent_ns[next] = now_ns();
		if (!write_all(watch, text, (size_t)n))
			fail("write an event");
	}
	(void)wait_for(sent, 0);
	report(sent, (double)(now_ns() - begin) / 1e9);
}

/* 0: it is none. */
static unsigned count_of(const char *text)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	return *text && !*end && n <= INT_MAX ? (unsigned)n : 0;
}

int main(int argc, char **argv)
{
	char line[256];
	double rate;
	size_t count, window;

	if (argc < 4 || !(n_objects = count_of(argv[1])) || !(n_namespaces = count_of(argv[2]))) {
		fputs("feeder OBJECTS NAMESPACES VALUE [SOCKET]\n", stderr);
		return 2;
	}
	values = malloc(n_objects);
	sent_ns = calloc(n_objects, sizeof(*sent_ns));
	if (!values || !sent_ns)
		fail("malloc");
	memset(values, argv[3][0], n_objects);
	if (argc > 4)
		open_journal(argv[4]);
	listen_http();
	while (fgets(line, sizeof(line), stdin)) {
		if (sscanf(line, "%lf %zu %zu", &rate, &count, &window) != 3)
			return 2;
		feed(rate, count, window);
	}
	return 0;
}
