/* Sockets that servers listen on: how they are named, and which addresses, files and descriptors are none. */
#include "daemon/serve/http_listen.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

struct fixture {
	char dir[32], path[64];
	int open_files;
};

static int open_files(void)
{
	int n = 0;

	for (int fd = 0; fd < 64; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static int setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->dir, sizeof(x->dir), "/tmp/http-listen-XXXXXX");
	if (!mkdtemp(x->dir))
		return -1;
	(void)snprintf(x->path, sizeof(x->path), "%s/socket", x->dir);
	x->open_files = open_files();
	return 0;
}

/* Nothing is left open, and no file is there. */
static int teardown(void **state)
{
	struct fixture *x = *state;
	int r = rmdir(x->dir);

	assert_int_equal(open_files(), x->open_files);
	free(x);
	return r;
}

static bool can_connect(const char *path)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), r;

	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", path);
	r = connect(fd, (struct sockaddr *)&a, sizeof(a));
	close(fd);
	return r == 0;
}

/* ---- TCP ---- */

static void names_of_addresses(void **state)
{
	static const struct {
		const char *address, *host; /* of the name; NULL: it depends on the machine */
	} cases[] = { { "127.0.0.1:0", "127.0.0.1" },
		      { "127.0.0.2:00", "127.0.0.2" },
		      { "[127.0.0.1]:0", "127.0.0.1" },
		      { "localhost:0", NULL },
		      { ":0", NULL } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct sockaddr_in a;
		socklen_t n = sizeof(a);
		struct http_listen l;
		char name[128];
		struct err err;

		if (http_listen_tcp(&l, cases[i].address, &err) < 0)
			fail_msg("%s: %s", cases[i].address, err.msg);
		assert_false(l.is_unix);
		assert_null(l.unlink_path);
		assert_int_equal(getsockname(l.fd, (struct sockaddr *)&a, &n), 0);
		assert_true(fcntl(l.fd, F_GETFL) & O_NONBLOCK);
		assert_true(fcntl(l.fd, F_GETFD) & FD_CLOEXEC);
		(void)snprintf(name, sizeof(name), "%s:%d", cases[i].host ? cases[i].host : "", ntohs(a.sin_port));
		if (cases[i].host)
			assert_string_equal(l.name, name);
		else
			assert_true(str_has_suffix(str_from(l.name), str_from(name)));
		http_listen_done(&l);
		assert_int_equal(l.fd, -1);
		http_listen_done(&l); /* once is enough */
	}
}

/* Where a machine has it. */
static void an_address_of_version_6(void **state)
{
	struct http_listen l;
	struct err err;

	(void)state;
	if (http_listen_tcp(&l, "[::1]:0", &err) < 0)
		skip();
	assert_int_equal(strncmp(l.name, "[::1]:", 6), 0);
	assert_true(strlen(l.name) > 6);
	http_listen_done(&l);
}

static void addresses_that_are_none(void **state)
{
	static const struct {
		const char *address, *why;
	} cases[] = { { "127.0.0.1", "host:port is expected" },
		      { "", "host:port is expected" },
		      { "127.0.0.1:", "a port is 0 to 65535" },
		      { "127.0.0.1:65536", "a port is 0 to 65535" },
		      { "127.0.0.1:+1", "a port is 0 to 65535" },
		      { "127.0.0.1:1x", "a port is 0 to 65535" },
		      { "no.such.host.invalid:1", "listen address 'no.such.host.invalid:1': " } };
	char longest[300];
	struct http_listen l;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(http_listen_tcp(&l, cases[i].address, &err), -EINVAL);
		if (!strstr(err.msg, cases[i].why))
			fail_msg("%s: %s", cases[i].address, err.msg);
	}
	memset(longest, 'a', sizeof(longest));
	(void)snprintf(longest + 256, 3, ":1");
	assert_int_equal(http_listen_tcp(&l, longest, &err), -EINVAL);
	assert_non_null(strstr(err.msg, "host:port is expected"));
	(void)snprintf(longest + 255, 3, ":1"); /* one less, and it is a name */
	assert_int_equal(http_listen_tcp(&l, longest, &err), -EINVAL);
	assert_null(strstr(err.msg, "host:port is expected"));
}

static void the_last_port(void **state)
{
	struct http_listen l;
	struct err err;
	int r;

	(void)state;
	r = http_listen_tcp(&l, "127.0.0.1:65535", &err);
	assert_true(r == 0 || r == -EADDRINUSE);
	if (r == 0) {
		assert_string_equal(l.name, "127.0.0.1:65535");
		http_listen_done(&l);
	}
}

static void an_address_in_use(void **state)
{
	struct http_listen l, other;
	struct err err;

	(void)state;
	assert_int_equal(http_listen_tcp(&l, "127.0.0.1:0", &err), 0);
	assert_int_equal(http_listen_tcp(&other, l.name, &err), -EADDRINUSE);
	assert_non_null(strstr(err.msg, "listen on '127.0.0.1:"));
	http_listen_done(&l);
	assert_int_equal(http_listen_tcp(&other, l.name, &err), 0);
	http_listen_done(&other);
}

/* ---- files ---- */

static void a_file(void **state)
{
	static const mode_t modes[] = { 0600, 0660, 0666 };
	struct fixture *x = *state;
	struct http_listen l, other;
	struct stat st;
	struct err err;

	for (size_t i = 0; i < ARRAY_LEN(modes); i++) {
		assert_int_equal(http_listen_unix(&l, x->path, modes[i], &err), 0);
		assert_true(l.is_unix);
		assert_string_equal(l.name, x->path);
		assert_string_equal(l.unlink_path, x->path);
		assert_true(fcntl(l.fd, F_GETFL) & O_NONBLOCK);
		assert_int_equal(stat(x->path, &st), 0);
		assert_int_equal(st.st_mode & 07777, modes[i]);
		assert_true(can_connect(x->path));
		assert_int_equal(http_listen_unix(&other, x->path, 0600, &err), -EADDRINUSE);
		assert_non_null(strstr(err.msg, "another process listens there"));
		assert_true(can_connect(x->path));
		http_listen_done(&l);
		assert_int_equal(access(x->path, F_OK), -1);
	}
}

/* As a process leaves it that was killed. */
static void a_file_that_nobody_listens_on(void **state)
{
	struct fixture *x = *state;
	struct http_listen l;
	struct err err;

	assert_int_equal(http_listen_unix(&l, x->path, 0600, &err), 0);
	assert_int_equal(close(l.fd), 0);
	l.fd = -1;
	free(TAKE(l.unlink_path));
	assert_int_equal(access(x->path, F_OK), 0);
	assert_int_equal(http_listen_unix(&l, x->path, 0600, &err), 0);
	assert_true(can_connect(x->path));
	http_listen_done(&l);
}

static void files_that_are_none(void **state)
{
	struct fixture *x = *state;
	struct http_listen l;
	char path[200];
	struct err err;
	int fd;

	memset(path, 'a', sizeof(path));
	path[sizeof(((struct sockaddr_un *)0)->sun_path)] = '\0';
	assert_int_equal(http_listen_unix(&l, path, 0600, &err), -ENAMETOOLONG);
	assert_non_null(strstr(err.msg, "longer than 107 bytes"));
	path[sizeof(((struct sockaddr_un *)0)->sun_path) - 1] = '\0';
	path[0] = '/';
	path[1] = '/';
	memcpy(path + 1, "nowhere/", 8);
	assert_int_equal(http_listen_unix(&l, path, 0600, &err), -ENOENT); /* as long as it may be */
	fd = open(x->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	close(fd);
	assert_int_equal(http_listen_unix(&l, x->path, 0600, &err), -EEXIST);
	assert_non_null(strstr(err.msg, "a file that is not a socket is there"));
	assert_int_equal(access(x->path, F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s/below", x->path);
	assert_int_equal(http_listen_unix(&l, path, 0600, &err), -ENOTDIR);
	assert_int_equal(unlink(x->path), 0);
}

/* ---- from elsewhere ---- */

static void passed_ones(void **state)
{
	struct fixture *x = *state;
	struct http_listen l, passed;
	struct err err;
	char name[128];

	assert_int_equal(http_listen_tcp(&l, "127.0.0.1:0", &err), 0);
	(void)snprintf(name, sizeof(name), "%s", l.name);
	assert_int_equal(fcntl(l.fd, F_SETFL, 0), 0);
	assert_int_equal(http_listen_passed(&passed, l.fd, &err), 0);
	assert_string_equal(passed.name, name);
	assert_false(passed.is_unix);
	assert_null(passed.unlink_path);
	assert_true(fcntl(passed.fd, F_GETFL) & O_NONBLOCK);
	http_listen_done(&passed);
	assert_int_equal(http_listen_unix(&l, x->path, 0600, &err), 0);
	assert_int_equal(http_listen_passed(&passed, l.fd, &err), 0);
	assert_string_equal(passed.name, x->path);
	assert_true(passed.is_unix);
	http_listen_done(&passed);
	assert_int_equal(access(x->path, F_OK), 0); /* it is somebody else's */
	l.fd = -1;
	http_listen_done(&l);
}

static void descriptors_that_are_none(void **state)
{
	int fds[] = { -1,
		      1000,
		      open("/dev/null", O_RDONLY | O_CLOEXEC),
		      socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0),
		      socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0),
		      socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0) };
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct http_listen l;
	struct err err;

	(void)state;
	assert_int_equal(bind(fds[5], (struct sockaddr *)&a, sizeof(sa_family_t)), 0); /* a name of the kernel's */
	assert_int_equal(listen(fds[5], 1), 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		char text[64];

		assert_int_equal(http_listen_passed(&l, fds[i], &err), -EINVAL);
		(void)snprintf(text, sizeof(text), "descriptor %d is not a listening stream socket", fds[i]);
		assert_string_equal(err.msg, text);
		if (i > 1)
			close(fds[i]);
	}
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = { CASE(names_of_addresses),
					    CASE(an_address_of_version_6),
					    CASE(addresses_that_are_none),
					    CASE(the_last_port),
					    CASE(an_address_in_use),
					    CASE(a_file),
					    CASE(a_file_that_nobody_listens_on),
					    CASE(files_that_are_none),
					    CASE(passed_ones),
					    CASE(descriptors_that_are_none) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
