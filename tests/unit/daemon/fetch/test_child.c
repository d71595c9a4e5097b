/* Programs that are run for a source: what they get, what comes back, and how they end. */
#include "daemon/fetch/child.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

struct result {
	int r;
	char out[4096];
	char errors[4096];
	struct err err;
};

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

static void copy(char *to, size_t size, const struct buf *b)
{
	(void)snprintf(to, size, "%.*s", STR_ARG(buf_str(b)));
}

static struct result run(struct child_options o, size_t out_max)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(out_max);
	CLEANUP(buf_done) struct buf errors = BUF_INIT(CHILD_ERRORS_MAX);
	struct result x = { 0 };

	if (!o.home)
		o.home = "/tmp";
	if (!o.deadline_ns)
		o.deadline_ns = now() + 20 * S;
	x.r = child_run(&o, &out, &errors, &x.err);
	copy(x.out, sizeof(x.out), &out);
	copy(x.errors, sizeof(x.errors), &errors);
	return x;
}

static struct result shell(const char *script, struct child_options o)
{
	const char *const argv[] = { "sh", "-c", script, NULL };

	o.argv = argv;
	return run(o, 1 << 20);
}

#define NOTHING ((struct child_options){ 0 })

static void test_what_comes_back(void **state)
{
	struct result x = shell("cat; echo bad >&2; exit 3", (struct child_options){ .input = STR("said\n") });

	(void)state;
	assert_int_equal(x.r, 3);
	assert_string_equal(x.out, "said\n");
	assert_string_equal(x.errors, "bad\n");
	assert_int_equal(shell("true", NOTHING).r, 0);
	assert_int_equal(shell("kill -TERM $$", NOTHING).r, 128 + SIGTERM);
	assert_int_equal(shell("exec >&- 2>&-; sleep 0.2; exit 7", NOTHING).r, 7);
	x = shell("cat >/dev/null; exit 1", (struct child_options){ .input = { NULL, 0 } });
	assert_int_equal(x.r, 1);
}

static void test_environment_is_exact(void **state)
{
	static const char *const environment[] = { "GIT_TERMINAL_PROMPT=0", "A=b c", NULL };
	const char *const argv[] = { "env", NULL };
	struct result x;

	(void)state;
	(void)setenv("DRIFTD_TEST_SECRET", "x", 1);
	x = run((struct child_options){ .argv = argv, .environment = environment }, 4096);
	assert_string_equal(x.out, "PATH=/usr/bin:/bin:/usr/local/bin\nLC_ALL=C.UTF-8\nHOME=/tmp\n"
				   "GIT_TERMINAL_PROMPT=0\nA=b c\n");
}

static void test_no_descriptor_is_inherited(void **state)
{
	struct result x;
	int fd = open("/etc/passwd", O_RDONLY); /* not close-on-exec */

	(void)state;
	assert_true(fd >= 0);
	x = shell("cd /proc/self/fd && for i in *; do [ -e $i ] && echo $i; done; pwd -P >/dev/null", NOTHING);
	(void)close(fd);
	assert_true(strncmp(x.out, "0\n1\n2\n", 6) == 0);
	assert_true(strlen(x.out) <= strlen("0\n1\n2\n3\n")); /* the shell's own, of the folder */
}

static void test_process(void **state)
{
	struct result x =
		shell("grep -E '^(NoNewPrivs|SigIgn|SigBlk):' /proc/self/status; ulimit -c; ulimit -f; umask; pwd",
		      (struct child_options){ .file_bytes_max = 1 << 20 });

	(void)state;
	assert_string_equal(
		x.out, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\nNoNewPrivs:\t1\n0\n2048\n0077\n/tmp\n");
}

static void test_programs(void **state)
{
	static const char *const names[] = { "no-such-program", "", "/bin/sh", "../bin/sh", "./sh" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *const argv[] = { names[i], NULL };

		assert_int_equal(run((struct child_options){ .argv = argv }, 10).r, -ENOEXEC);
	}
}

static void test_home_that_is_not_there(void **state)
{
	struct result x = shell("true", (struct child_options){ .home = "/nonexistent" });

	(void)state;
	assert_int_equal(x.r, -ENOENT);
	assert_string_equal(x.err.msg, "sh: start it: No such file or directory");
}

static void test_output_limit(void **state)
{
	const char *const argv[] = { "sh", "-c", "printf 0123456789", NULL };
	const char *const endless[] = { "yes", NULL };
	struct result x = run((struct child_options){ .argv = argv }, 10);

	(void)state;
	assert_int_equal(x.r, 0);
	assert_string_equal(x.out, "0123456789");
	assert_int_equal(run((struct child_options){ .argv = argv }, 9).r, -E2BIG);
	assert_int_equal(run((struct child_options){ .argv = endless }, 1 << 20).r, -E2BIG);
}

static void test_end_of_errors(void **state)
{
	static const char script[] = "i=0; while [ $i -lt 9000 ]; do echo $i >&2; i=$((i+1)); done";
	const char *const argv[] = { "sh", "-c", script, NULL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(10);
	CLEANUP(buf_done) struct buf errors = BUF_INIT(CHILD_ERRORS_MAX);
	struct child_options o = { .argv = argv, .home = "/tmp", .deadline_ns = now() + 20 * S };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(child_run(&o, &out, &errors, &err), 0);
	assert_int_equal(errors.n, CHILD_ERRORS_MAX);
	assert_true(str_has_suffix(buf_str(&errors), STR("8998\n8999\n")));
}

static void test_file_limit(void **state)
{
	struct result x = shell("cd $(mktemp -d) && trap 'rm x' 0 && head -c 5000 /dev/zero >x; echo $?; stat -c %s x",
				(struct child_options){ .file_bytes_max = 4096 });

	(void)state;
	assert_string_equal(x.out, "153\n4096\n");
}

/* ---- the deadline, and the end of this process ---- */

/* Whether a process with the word @word is there: those of a test have one that nobody else has. */
static int count(const char *word)
{
	char command[256];
	FILE *f;
	int n = -1;

	(void)snprintf(
		command, sizeof(command),
		"n=0; for i in /proc/[0-9]*/cmdline; do { tr '\\0' ' ' <$i; } 2>/dev/null | grep -Eq '^sleep %s ' && "
		"n=$((n+1)); done; echo $n",
		word);
	f = popen(command, "r"); /* NOLINT(cert-env33-c): a test */
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &n), 1);
	(void)pclose(f);
	return n;
}

static void make_word(char ret[32], int n)
{
	(void)snprintf(ret, 32, "%d.%d", 300 + n, getpid());
}

static void test_deadline(void **state)
{
	static const char *const scripts[] = {
		"sleep %s",
		"sleep %s & sleep %s & wait",
		"trap '' TERM INT HUP; sleep %s & sleep %s",
		"setsid sleep %s & wait",
		"(setsid setsid sleep %s &) ; sleep 0.1; sleep %s",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		uint64_t begin = now();
		char word[32], script[256];

		make_word(word, (int)i);
		(void)snprintf(script, sizeof(script), scripts[i], word, word); /* NOLINT */
		assert_int_equal(shell(script, (struct child_options){ .deadline_ns = begin + S / 2 }).r, -ETIMEDOUT);
		assert_true(now() - begin < 3 * S);
		assert_int_equal(count(word), 0);
	}
	assert_int_equal(shell("true", (struct child_options){ .deadline_ns = 1 }).r, -ETIMEDOUT);
}

static void test_what_is_left_behind(void **state)
{
	uint64_t begin = now();
	char word[32], script[256];

	(void)state;
	make_word(word, 20);
	(void)snprintf(script, sizeof(script), "sleep %s & (setsid sleep %s &); sleep 0.2; echo done; exit 4", word,
		       word);
	assert_int_equal(shell(script, NOTHING).r, 4);
	assert_true(now() - begin < 5 * S);
	assert_int_equal(count(word), 0);
}

static int await_count(const char *word, int expected)
{
	uint64_t end = now() + 10 * S;
	int n;

	while ((n = count(word)) != expected && now() < end)
		(void)usleep(20000);
	return n;
}

static void test_kill_of_this_process(void **state)
{
	char word[32], script[256];
	int status;
	pid_t pid;

	(void)state;
	make_word(word, 30);
	(void)snprintf(script, sizeof(script), "sleep %s & setsid sleep %s & (setsid sleep %s &); wait", word, word,
		       word);
	pid = fork();
	if (pid == 0) {
		(void)shell(script, NOTHING);
		_exit(0);
	}
	assert_int_equal(await_count(word, 3), 3);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(await_count(word, 0), 0);
}

/* ---- offline ---- */

static const char sockets[] = "import ctypes, errno, os, socket, subprocess, sys\n"
			      "def attempt(what):\n"
			      "    try:\n"
			      "        what()\n"
			      "    except OSError as e:\n"
			      "        return errno.errorcode[e.errno]\n"
			      "    return 'made'\n"
			      "def ring():\n"
			      "    libc = ctypes.CDLL(None, use_errno=True)\n"
			      "    if libc.syscall(425, 1, ctypes.create_string_buffer(120)) < 0:\n"
			      "        raise OSError(ctypes.get_errno(), '')\n"
			      "for f in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK):\n"
			      "    print(attempt(lambda: socket.socket(f, socket.SOCK_DGRAM)))\n"
			      "print(attempt(socket.socketpair))\n"
			      "print(attempt(ring))\n"
			      "if len(sys.argv) < 2:\n"
			      "    sys.stdout.flush()\n"
			      "    subprocess.run([sys.executable, '-c', sys.stdin.read(), 'inner'], check=True)\n";

static void test_offline(void **state)
{
	const char *const argv[] = { "python3", "-c", sockets, NULL };
	struct child_options o = { .argv = argv, .input = STR(sockets), .offline = true };
	struct result x = run(o, 4096);
	static const char once[] = "EPERM\nEPERM\nEPERM\nEPERM\nEPERM\nEPERM\n";

	(void)state;
	assert_int_equal(x.r, 0);
	assert_true(str_has_prefix(str_from(x.out), STR(once)));
	assert_string_equal(x.out + strlen(once), once);
	o.offline = false;
	x = run(o, 4096);
	assert_true(strncmp(x.out, "made\nmade\nmade\n", 15) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_comes_back),
		cmocka_unit_test(test_environment_is_exact),
		cmocka_unit_test(test_no_descriptor_is_inherited),
		cmocka_unit_test(test_process),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_home_that_is_not_there),
		cmocka_unit_test(test_output_limit),
		cmocka_unit_test(test_end_of_errors),
		cmocka_unit_test(test_file_limit),
		cmocka_unit_test(test_deadline),
		cmocka_unit_test(test_what_is_left_behind),
		cmocka_unit_test(test_kill_of_this_process),
		cmocka_unit_test(test_offline),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
