/* Forks a process that sends one answer through a pipe. */
#include "daemon/fetch/offline.h"

#include "base/assert.h"
#include "daemon/fetch/child_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct answer {
	int result;
	struct err err;
};

/* An answer is smaller than a pipe, so that it is written, and read, at once. */
_Static_assert(sizeof(struct answer) <= 4096, "PIPE_BUF");

_Noreturn static void run(int (*check)(void *ctx, struct err *err), void *ctx, int out)
{
	struct answer a = { .err.msg = "" };
	int r;

	ASSERT(out > STDERR_FILENO + 1); /* the other end of the pipe has a number between them */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		_exit(1);
	/* Existing connections are closed, too. */
	if (close_range(STDERR_FILENO + 1, (unsigned)out - 1, 0) < 0 || close_range((unsigned)out + 1, ~0U, 0) < 0)
		_exit(1);
	r = child_go_offline();
	a.result = r < 0 ? err_set(&a.err, EPERM, "verify without a network: %s", strerror(-r)) : check(ctx, &a.err);
	_exit(write(out, &a, sizeof(a)) == (ssize_t)sizeof(a) ? 0 : 1);
}

static bool read_answer(int in, struct answer *ret)
{
	ssize_t n;

	do {
		n = read(in, ret, sizeof(*ret));
	} while (n < 0 && errno == EINTR);
	return n == (ssize_t)sizeof(*ret);
}

int offline_check(int (*check)(void *ctx, struct err *err), void *ctx, struct err *err)
{
	struct answer a;
	bool answered;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return err_set(err, EPERM, "make a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0)
		run(check, ctx, ends[1]);
	close(ends[1]);
	answered = pid > 0 && read_answer(ends[0], &a);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	if (!answered)
		return err_set(err, EPERM, "the process that verifies could not be started, or ended without a word");
	if (a.result < 0)
		*err = a.err;
	return a.result;
}
