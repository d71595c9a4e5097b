/* Forks a command and waits for it. */
#include "daemon/compare/run_command.h"

#include "base/str.h"
#include "daemon/compare/scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 << 10)

extern char **environ;

static int read_all(int fd, struct buf *out)
{
	while (true) {
		char *p = buf_reserve(out, READ_SIZE);
		ssize_t n;

		if (!p)
			return out->error;
		n = read(fd, p, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		buf_commit(out, (size_t)n);
	}
}

static int set_files(posix_spawn_file_actions_t *actions, unsigned flags, int out)
{
	int r = 0;

	if (!(flags & RUN_STDIN))
		r = posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (r == 0)
		r = posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
	if (r == 0 && (flags & RUN_MERGE_STDERR))
		r = posix_spawn_file_actions_adddup2(actions, out, STDERR_FILENO);
	if (r == 0) /* descriptors of libraries, and those that this process was started with */
		r = posix_spawn_file_actions_addclosefrom_np(actions, STDERR_FILENO + 1);
	return r;
}

/* Let SIGPIPE, and the signals that this process handles itself, have their default effect. This process ignores
 * SIGPIPE, but a program whose output nobody reads any more shall end by it. */
static int set_signals(posix_spawnattr_t *attributes)
{
	sigset_t set;
	int r;

	sigemptyset(&set);
	sigaddset(&set, SIGPIPE);
	r = posix_spawnattr_setsigdefault(attributes, &set);
	scratch_child_mask(&set);
	if (r == 0)
		r = posix_spawnattr_setsigmask(attributes, &set);
	return r ? r : posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
}

static int spawn(const char *const *argv, unsigned flags, const int pipe_fds[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	int r = posix_spawn_file_actions_init(&actions);

	if (r)
		return -r;
	r = posix_spawnattr_init(&attributes);
	if (r == 0) {
		r = set_signals(&attributes);
		if (r == 0)
			r = set_files(&actions, flags, pipe_fds[1]);
		scratch_hold();
		if (r == 0)
			r = posix_spawnp(pid, argv[0], &actions, &attributes, (char *const *)(uintptr_t)argv, environ);
		scratch_release();
		posix_spawnattr_destroy(&attributes);
	}
	posix_spawn_file_actions_destroy(&actions);
	return -r;
}

/* Wait for a child. While children are being ended no other thread may reap one: its number could belong to another
 * process by then. */
static int wait_for(pid_t pid)
{
	siginfo_t info;
	int status, r;

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0) {
		if (errno != EINTR)
			return -errno;
	}
	scratch_hold();
	r = waitpid(pid, &status, 0) < 0 ? -errno : 0;
	scratch_release();
	if (r < 0)
		return r;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int run_command(const char *const *argv, unsigned flags, struct buf *out, struct err *err)
{
	int fds[2];
	pid_t pid = -1;
	int r, status;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return err_set(err, errno, "run '%s': %s", argv[0], strerror(errno));
	r = spawn(argv, flags, fds, &pid);
	close(fds[1]);
	if (r < 0) {
		close(fds[0]);
		return err_set(err, -r, "run '%s': %s", argv[0], strerror(-r));
	}
	r = read_all(fds[0], out);
	close(fds[0]); /* a program that still writes then gets SIGPIPE */
	status = wait_for(pid);
	if (r < 0)
		return err_set(err, -r, "output of '%s': %s", argv[0], strerror(-r));
	return status < 0 ? err_set(err, -status, "wait for '%s': %s", argv[0], strerror(-status)) : status;
}

bool command_exists(const char *name)
{
	const char *path = getenv("PATH");
	str rest = str_from(path ? path : "/usr/local/bin:/usr/bin:/bin"), dir;

	while (str_next_part(&rest, ':', &dir)) {
		CLEANUP(freep) char *file = NULL;

		if (asprintf(&file, "%.*s/%s", STR_ARG(dir), name) < 0)
			return false;
		if (access(file, X_OK) == 0)
			return true;
	}
	return false;
}
