/* Between driftd-fetch and a program stands a process that does nothing but wait: so a program that starts others,
 * which start others, ends with all of them, at the deadline, when it is done, and when driftd-fetch is killed.
 *
 *   driftd-fetch ---> the one that waits ---> the program ---> what it starts
 *        |  SIGTERM, or its end     ^  |  kills the group, and what was left to it
 *        '--------------------------'  '-------------------------------------->
 *
 * It was forked from a process that may have threads: only what signal-safety(7) lists may be called here. */
#include "daemon/fetch/child_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define DATA_BYTES_MAX ((rlim_t)1 << 30) /* memory that a process may write to */
#define OPEN_FILES_MAX 1024
#define LIST_SIZE 4096
/* A killed process that does not end, because it waits for a disk, is given up after 2 s. */
#define LOOKS_MAX 200
#define LOOK_NS 10000000

/* ---- the program ---- */

static int limit(int what, rlim_t value)
{
	struct rlimit now;

	if (getrlimit((__rlimit_resource_t)what, &now) < 0)
		return -1;
	if (value > now.rlim_max)
		value = now.rlim_max;
	now = (struct rlimit){ .rlim_cur = value, .rlim_max = value };
	return setrlimit((__rlimit_resource_t)what, &now);
}

static int set_limits(const struct child_start *s)
{
	if (limit(RLIMIT_FSIZE, s->file_bytes_max) < 0 || limit(RLIMIT_CORE, 0) < 0 ||
	    limit(RLIMIT_CPU, s->seconds) < 0 || limit(RLIMIT_DATA, DATA_BYTES_MAX) < 0 ||
	    limit(RLIMIT_NOFILE, OPEN_FILES_MAX) < 0)
		return -errno;
	return 0;
}

/* Reset all signals. An ignored one would stay ignored through execve(2), but git and ssh shall end when nobody
 * reads their output. */
static void reset_signals(const sigset_t *blocked)
{
	for (int i = 1; i < NSIG; i++)
		(void)signal(i, SIG_DFL);
	(void)sigprocmask(SIG_SETMASK, blocked, NULL);
}

static int set_descriptors(const struct child_start *s)
{
	if (dup2(s->in, STDIN_FILENO) < 0 || dup2(s->out, STDOUT_FILENO) < 0 || dup2(s->errors, STDERR_FILENO) < 0 ||
	    dup3(s->report, STDERR_FILENO + 1, O_CLOEXEC) < 0)
		return -errno;
	closefrom(STDERR_FILENO + 2);
	return 0;
}

static int set_rights(const struct child_start *s)
{
	(void)umask(077);
	if (chdir(s->home) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return -errno;
	return s->offline ? child_go_offline() : 0;
}

static void report(int fd, int stage, int value)
{
	const struct child_report r = { .stage = stage, .value = value };

	while (write(fd, &r, sizeof(r)) < 0 && errno == EINTR)
		;
}

/* Start the program in a process group of its own, which the process @waiting kills. If @waiting ends first, the
 * kernel kills the program. */
static _Noreturn void begin(const struct child_start *s, pid_t waiting)
{
	int fd = s->report;
	int r = 0;
	sigset_t none;

	sigemptyset(&none);
	if (setpgid(0, 0) < 0 || prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		r = -errno;
	if (r == 0 && getppid() != waiting)
		r = -ESRCH;
	reset_signals(&none);
	if (r == 0)
		r = set_descriptors(s);
	if (r == 0) {
		fd = STDERR_FILENO + 1;
		r = set_limits(s);
	}
	if (r == 0)
		r = set_rights(s);
	if (r == 0) {
		(void)execve(s->path, s->argv, s->environment);
		r = -errno;
	}
	report(fd, CHILD_NOT_BEGUN, -r);
	_exit(127);
}

/* ---- what waits ---- */

/* Kill the children. A process whose parent ended is a child of this one. The kernel lists their numbers, each with
 * a space behind it. */
static void kill_children(void)
{
	char list[LIST_SIZE];
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof(list));
	pid_t pid = 0;

	for (ssize_t i = 0; i < n; i++) {
		if (list[i] >= '0' && list[i] <= '9') {
			pid = pid * 10 + (list[i] - '0');
			continue;
		}
		if (pid > 0)
			(void)kill(pid, SIGKILL);
		pid = 0;
	}
	if (fd >= 0)
		(void)close(fd);
}

/* Kill the program and all that it left, until nothing is there: a killed process leaves its own children. */
static void kill_all(pid_t program)
{
	const struct timespec look = { .tv_nsec = LOOK_NS };

	(void)kill(-program, SIGKILL);
	for (unsigned i = 0; i < LOOKS_MAX; i++) {
		pid_t ended;

		kill_children();
		while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (ended < 0)
			return;
		(void)nanosleep(&look, NULL);
	}
}

static int status_of(int status)
{
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Whether @program has ended, and how. Other processes that were left to this one are reaped too. */
static bool has_ended(pid_t program, int *ret)
{
	pid_t ended;
	int status;

	while ((ended = waitpid(-1, &status, WNOHANG)) > 0) {
		if (ended == program) {
			*ret = status_of(status);
			return true;
		}
	}
	return false;
}

/* Wait for the program. False: it has to be killed. */
static bool await(pid_t program, const sigset_t *signals, int *ret)
{
	while (!has_ended(program, ret)) {
		if (sigwaitinfo(signals, NULL) == SIGTERM)
			return false;
	}
	return true;
}

void child_watch(const struct child_start *s)
{
	sigset_t signals;
	pid_t program, self;
	int status = 128 + SIGKILL;

	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	sigaddset(&signals, SIGTERM);
	reset_signals(&signals); /* nobody can be waited for while SIGCHLD is ignored */
	(void)setsid();
	(void)prctl(PR_SET_PDEATHSIG, SIGTERM);
	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (getppid() != s->parent)
		_exit(1);
	self = getpid();
	program = _Fork();
	if (program == 0)
		begin(s, self);
	if (program < 0) {
		report(s->report, CHILD_NOT_BEGUN, errno);
		_exit(1);
	}
	/* the program does the same; here it ensures that the group exists before it is killed */
	(void)setpgid(program, program);
	(void)close(s->out);
	(void)close(s->errors);
	(void)await(program, &signals, &status);
	kill_all(program);
	report(s->report, CHILD_ENDED, status);
	_exit(0);
}
