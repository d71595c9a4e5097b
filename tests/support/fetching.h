/* What tests of engines that fetch share: a folder, servers on loopback, a job. */
#ifndef TEST_FETCHING_H
#define TEST_FETCHING_H

#include "base/arena.h"
#include "base/file.h"
#include "base/hex.h"
#include "daemon/fetch/engines.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <openssl/evp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static inline UNUSED uint64_t fetching_now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* A path that is printed, in one of many places that take turns: good for the length of a test. */
static inline UNUSED PRINTF(1, 2) char *fetching_path(const char *fmt, ...)
{
	static char places[1024][2048];
	static size_t turn;
	char *p = places[turn++ % ARRAY_LEN(places)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(p, sizeof(places[0]), fmt, ap);
	va_end(ap);
	return p;
}

static inline UNUSED void fetching_write(const char *path, str text)
{
	CLEANUP(freep) char *folder = str_dup(str_from(path));
	struct err err;
	int fd;

	*strrchr(folder, '/') = '\0';
	assert_int_equal(file_make_folders(folder, &err), 0);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(file_write_all(fd, text), 0);
	close(fd);
}

/* Run by the shell: its exit status. */
static inline UNUSED PRINTF(1, 2) int fetching_shell(const char *fmt, ...)
{
	char command[8192];
	va_list ap;
	int status;

	va_start(ap, fmt);
	(void)vsnprintf(command, sizeof(command), fmt, ap);
	va_end(ap);
	status = system(command);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline UNUSED bool fetching_has(const char *program)
{
	return fetching_shell("command -v %s >/dev/null 2>&1", program) == 0;
}

static inline UNUSED int fetching_socket(uint16_t port, struct sockaddr_in *ret)
{
	*ret = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(port) };
	ret->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static inline UNUSED uint16_t fetching_free_port(void)
{
	struct sockaddr_in a;
	socklen_t n = sizeof(a);
	int fd = fetching_socket(0, &a);

	assert_int_equal(bind(fd, (struct sockaddr *)&a, n), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	close(fd);
	return ntohs(a.sin_port);
}

static inline UNUSED void fetching_await(uint16_t port)
{
	for (int i = 0; i < 600; i++) {
		struct sockaddr_in a;
		int fd = fetching_socket(port, &a), r = connect(fd, (struct sockaddr *)&a, sizeof(a));

		close(fd);
		if (r == 0)
			return;
		usleep(100000);
	}
	fail_msg("nothing listens on port %d", port);
}

/* A server of its own process, which writes to @log; it ends with this one. */
static inline UNUSED pid_t fetching_start(const char *const *argv, const char *log)
{
	pid_t pid = fork();

	if (pid == 0) {
		int fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(126);
		execvp(argv[0], (char *const *)(uintptr_t)argv);
		_exit(127);
	}
	assert_true(pid > 0);
	return pid;
}

static inline UNUSED void fetching_stop(pid_t pid)
{
	if (pid <= 0)
		return;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* A certificate for 127.0.0.1 and localhost, by itself: FOLDER/cert.pem, FOLDER/key.pem. */
static inline UNUSED bool fetching_certificate(const char *folder)
{
	return fetching_shell(
		       "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 30 -subj /CN=test "
		       "-addext subjectAltName=IP:127.0.0.1,DNS:localhost -keyout %s/key.pem -out %s/cert.pem "
		       "2>/dev/null",
		       folder, folder) == 0;
}

/* ---- fetching ---- */

struct fetching {
	struct source source;
	char scratch[256], cache[256];
	struct arena arena;
	struct tree *tree;
	struct fetched got;
	struct err err;
	int r;
};

static inline UNUSED void fetching_done(struct fetching *f)
{
	tree_free(f->tree);
	f->tree = NULL;
	arena_done(&f->arena);
}

/* Fetch f->source in a fresh folder below @folder, within @seconds. */
static inline UNUSED void fetching_run(struct fetching *f, const char *folder, const char *before, unsigned seconds,
				       int (*engine)(const struct fetch_job *, struct fetched *, struct err *))
{
	struct fetch_job job = { .source = &f->source, .before = str_from(before) };

	fetching_done(f);
	(void)snprintf(f->scratch, sizeof(f->scratch), "%s/scratch", folder);
	(void)snprintf(f->cache, sizeof(f->cache), "%s/cache", folder);
	assert_int_equal(fetching_shell("rm -rf %s && mkdir -p %s %s", f->scratch, f->scratch, f->cache), 0);
	job.scratch = f->scratch;
	job.cache = f->cache;
	job.deadline_ns = fetching_now_ns() + (uint64_t)seconds * 1000000000;
	arena_init(&f->arena, 0, (size_t)16 << 20);
	assert_int_equal(tree_new(&f->tree, &f->err), 0);
	f->got = (struct fetched){ .arena = &f->arena, .tree = f->tree };
	f->err = (struct err){ 0 };
	f->r = engine(&job, &f->got, &f->err);
	assert_int_equal(f->r, -f->err.code);
}

/* The files as "path=text " and "+N" for what was left out, or why it failed. */
static inline UNUSED const char *fetching_shown(struct fetching *f)
{
	static char shown[1 << 16];
	size_t n, at = 0;
	const struct tree_file *files = tree_files(f->tree, &n);

	if (f->r < 0)
		return f->err.msg;
	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(shown + at, sizeof(shown) - at, "%.*s=%.*s ", STR_ARG(files[i].path),
				       STR_ARG(files[i].text));
	(void)snprintf(shown + at, sizeof(shown) - at, "+%zu", tree_left_out(f->tree));
	return shown;
}

#endif
