/* What a journal gets of a record, and what is said when it does not read, is away, or is another one. */
#include "daemon/findings/output.h"

#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include <cmocka.h>

static struct {
	char path[64];
	int fd;                     /* the journal's socket */
	bool away;                  /* there is no socket */
	int reads;                  /* what poll says */
	ino_t inode;                /* added to the socket's */
	unsigned connects, carried; /* @carried: entries that libsystemd was given */
} j;

int __real_stat(const char *path, struct stat *st);
int __wrap_stat(const char *path, struct stat *st);
int __real_connect(int fd, const struct sockaddr *to, socklen_t n);
int __wrap_connect(int fd, const struct sockaddr *to, socklen_t n);
int __wrap_poll(struct pollfd *fds, nfds_t n, int ms);
int __wrap_sd_journal_sendv(const struct iovec *v, int n);

int __wrap_stat(const char *path, struct stat *st)
{
	int r;

	if (strcmp(path, "/run/systemd/journal/socket") != 0)
		return __real_stat(path, st);
	if (j.away) {
		errno = ENOENT;
		return -1;
	}
	r = __real_stat(j.path, st);
	st->st_ino += j.inode;
	return r;
}

int __wrap_connect(int fd, const struct sockaddr *to, socklen_t n)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	assert_int_equal(n, sizeof(a));
	assert_string_equal(((const struct sockaddr_un *)to)->sun_path, "/run/systemd/journal/socket");
	j.connects++;
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", j.path);
	return __real_connect(fd, (struct sockaddr *)&a, sizeof(a));
}

int __wrap_poll(struct pollfd *fds, nfds_t n, int ms)
{
	assert_int_equal(n, 1);
	assert_true(fds->fd >= 0 && fds->events == POLLOUT && ms >= 0);
	return j.reads;
}

int __wrap_sd_journal_sendv(const struct iovec *v, int n)
{
	(void)v;
	assert_true(n > 4);
	j.carried++;
	return 0;
}

static int setup(void **state)
{
	struct sockaddr_un a = { .sun_family = AF_UNIX };

	(void)state;
	memset(&j, 0, sizeof(j));
	j.reads = 1;
	(void)snprintf(j.path, sizeof(j.path), "/tmp/driftd-journal-%d", (int)getpid());
	(void)snprintf(a.sun_path, sizeof(a.sun_path), "%s", j.path);
	j.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	return j.fd >= 0 && bind(j.fd, (struct sockaddr *)&a, sizeof(a)) == 0 ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	(void)close(j.fd);
	return unlink(j.path);
}

/* The entry that came, without the record's id; "": none. */
static const char *entry(void)
{
	static char text[8192];
	ssize_t n = recv(j.fd, text, sizeof(text) - 1, 0);
	char *id, *end;

	text[n > 0 ? n : 0] = '\0';
	id = strstr(text, "DRIFTD_RECORD_ID=");
	if (!id)
		return text;
	end = strchr(id, '\n') + 1;
	assert_int_equal(end - id, sizeof("DRIFTD_RECORD_ID=\n") - 1 + RECORD_ID_SIZE - 1);
	memmove(id, end, strlen(end) + 1);
	return text;
}

static void fill(struct record *r)
{
	record_init(r, MESSAGE_NOTICE, 4);
	record_say(r, "one \x1b");
	record_add(r, "DRIFTD_CLUSTER", STR("c"));
}

#define HEAD "MESSAGE=one \\x1b\nMESSAGE_ID=%s\nPRIORITY=4\nSYSLOG_IDENTIFIER=driftd\n%sDRIFTD_CLUSTER=c\n"

static void assert_entry(const char *shard)
{
	char expected[512];

	(void)snprintf(expected, sizeof(expected), HEAD, message_id(MESSAGE_NOTICE), shard);
	assert_string_equal(entry(), expected);
}

static void test_fields(void **state)
{
	struct output *o = output_new(CFG_OUTPUT_JOURNAL);
	struct record r;

	(void)state;
	assert_true(output_is_the_journal(o));
	fill(&r);
	assert_int_equal(output_write(o, &r), 0);
	assert_entry("");
	output_set_shard(o, (struct shard){ 1, 3 });
	assert_int_equal(output_write(o, &r), 0);
	assert_entry("DRIFTD_SHARD=1/3\n");
	record_add(&r, "DRIFTD_SHARD", STR("2/3")); /* it is about another one */
	assert_int_equal(output_write(o, &r), 0);
	assert_non_null(strstr(entry(), "DRIFTD_CLUSTER=c\nDRIFTD_SHARD=2/3\n"));
	assert_int_equal(j.connects, 1);
	record_done(&r);
	output_free(o);
}

static void test_what_goes_wrong(void **state)
{
	struct output *o = output_new(CFG_OUTPUT_JOURNAL);
	struct record r;

	(void)state;
	fill(&r);
	j.away = true;
	assert_int_equal(output_write(o, &r), -ENOENT);
	assert_int_equal(output_await(o), -ENOENT);
	j.away = false;
	assert_int_equal(output_await(o), 0);
	for (j.reads = 0; j.reads >= -1; j.reads--) {
		assert_int_equal(output_await(o), -EAGAIN);
		assert_int_equal(output_write(o, &r), -EAGAIN);
	}
	assert_string_equal(entry(), "");
	j.reads = 1;
	j.inode = 1; /* another journal, which has not got what this one got */
	assert_int_equal(output_write(o, &r), -ESTALE);
	assert_string_equal(entry(), "");
	assert_int_equal(output_write(o, &r), 0);
	assert_entry("");
	assert_int_equal(j.connects, 2);
	record_done(&r);
	output_free(o);
}

/* Nobody reads behind the socket: who was connected connects again. */
static void test_nobody_reads(void **state)
{
	struct output *o = output_new(CFG_OUTPUT_JOURNAL);
	struct record r;

	(void)state;
	fill(&r);
	assert_int_equal(output_write(o, &r), 0);
	(void)close(j.fd);
	assert_int_equal(output_write(o, &r), -ESTALE);
	assert_int_equal(output_write(o, &r), -ECONNREFUSED);
	assert_int_equal(j.connects, 2);
	record_done(&r);
	output_free(o);
}

/* What fits into no datagram is left to libsystemd. */
static void test_large(void **state)
{
	struct output *o = output_new(CFG_OUTPUT_JOURNAL);
	char value[RECORD_VALUE_MAX];
	struct record r;

	(void)state;
	memset(value, 'x', sizeof(value));
	fill(&r);
	for (int i = 0; i < 200; i++)
		record_add(&r, "DRIFTD_PATH", (str){ value, sizeof(value) });
	assert_int_equal(output_write(o, &r), 0);
	assert_int_equal(j.carried, 1);
	assert_string_equal(entry(), "");
	record_done(&r);
	fill(&r);
	assert_int_equal(output_write(o, &r), 0); /* over the same connection */
	assert_int_equal(j.carried, 1);
	assert_int_equal(j.connects, 1);
	record_done(&r);
	output_free(o);
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = { TEST(test_fields), TEST(test_what_goes_wrong), TEST(test_nobody_reads),
					    TEST(test_large) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
