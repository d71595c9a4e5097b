/* The half of child_run in driftd-fetch: it passes on the input, collects the output, and observes the deadline. */
#include "daemon/fetch/child.h"

#include "base/file.h"
#include "daemon/fetch/child_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define READ_SIZE ((size_t)64 << 10)
#define PATH_SIZE 128
#define ADDED 3 /* variables that are added to the environment */
#define FIRST_DESCRIPTOR 10
#define NS_PER_S UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define PROCESSORS_MAX 64 /* processors that one process may keep busy until its deadline */

enum { OUT, ERRORS, REPORT, PIPES };

struct run {
	int ends[PIPES][2]; /* the ends of the pipes; -1: closed */
	int in;
	struct buf *out;
	char late[2 * CHILD_ERRORS_MAX]; /* the end of the program's standard error */
	size_t late_n;
	char report[2 * sizeof(struct child_report)];
	size_t report_n;
	pid_t pid;
	uint64_t deadline_ns;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- before ---- */

static bool find_program(const char *name, char ret[PATH_SIZE])
{
	static const char *const folders[] = { "/usr/bin", "/bin", "/usr/local/bin" };

	if (!*name || strchr(name, '/'))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		int n = snprintf(ret, PATH_SIZE, "%s/%s", folders[i], name);

		if (n > 0 && n < PATH_SIZE && access(ret, X_OK) == 0)
			return true;
	}
	return false;
}

static void close_end(int *fd)
{
	if (*fd >= 0)
		(void)close(*fd);
	*fd = -1;
}

/* Move a descriptor above the standard ones, in case this process was started without some of these. */
static int lift(int *fd)
{
	int high = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_DESCRIPTOR);

	if (high < 0)
		return -errno;
	(void)close(*fd);
	*fd = high;
	return 0;
}

static int make_pipe(int ends[2])
{
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	if (lift(&ends[0]) < 0 || lift(&ends[1]) < 0 || fcntl(ends[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return 0;
}

/* Make a file in memory. Unlike a pipe nobody has to fill it, and nobody notices when it is not read to its end. */
static int make_input(str text, int *ret)
{
	int r;

	*ret = memfd_create("input", MFD_CLOEXEC);
	if (*ret < 0)
		return -errno;
	r = file_write_all(*ret, text);
	if (r == 0 && lseek(*ret, 0, SEEK_SET) < 0)
		r = -errno;
	return r < 0 ? r : lift(ret);
}

static int open_all(struct run *x, str input)
{
	int r = make_input(input, &x->in);

	for (size_t i = 0; i < PIPES && r == 0; i++)
		r = make_pipe(x->ends[i]);
	return r;
}

static void run_done(struct run *x)
{
	close_end(&x->in);
	for (size_t i = 0; i < PIPES; i++) {
		close_end(&x->ends[i][0]);
		close_end(&x->ends[i][1]);
	}
}

/* ---- while it runs ---- */

/* Read what is available. 0: there is nothing now; negative: the end, or an error. */
static ssize_t read_some(int fd, char *p, size_t size)
{
	ssize_t n;

	do
		n = read(fd, p, size);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno == EAGAIN ? 0 : -errno;
	return n == 0 ? -EPIPE : n;
}

static ssize_t read_output(struct run *x)
{
	size_t room = x->out->max - x->out->n;
	char byte;
	char *p = room ? buf_reserve(x->out, room < READ_SIZE ? room : READ_SIZE) : &byte;
	ssize_t n = p ? read_some(x->ends[OUT][0], p, room == 0 ? 1 : room < READ_SIZE ? room : READ_SIZE) : -ENOMEM;

	if (n > 0 && room > 0)
		buf_commit(x->out, (size_t)n);
	else if (n > 0)
		x->out->error = -E2BIG;
	return n;
}

/* Read what the child writes to its standard error. Of a long output only the end is kept. */
static ssize_t read_errors(struct run *x)
{
	ssize_t n = read_some(x->ends[ERRORS][0], x->late + x->late_n, sizeof(x->late) - x->late_n);

	if (n > 0)
		x->late_n += (size_t)n;
	if (x->late_n == sizeof(x->late)) {
		memmove(x->late, x->late + CHILD_ERRORS_MAX, CHILD_ERRORS_MAX);
		x->late_n = CHILD_ERRORS_MAX;
	}
	return n;
}

static ssize_t read_report(struct run *x)
{
	size_t room = sizeof(x->report) - x->report_n;
	ssize_t n = room ? read_some(x->ends[REPORT][0], x->report + x->report_n, room) : -EPIPE;

	if (n > 0)
		x->report_n += (size_t)n;
	return n;
}

static ssize_t read_from(struct run *x, size_t which)
{
	static ssize_t (*const readers[PIPES])(struct run *) = { read_output, read_errors, read_report };

	return readers[which](x);
}

static int wait_ms(const struct run *x)
{
	uint64_t now = now_ns();
	uint64_t ms = now < x->deadline_ns ? (x->deadline_ns - now) / NS_PER_MS + 1 : 0;

	return ms > INT32_MAX ? INT32_MAX : (int)ms;
}

static void read_ready(struct run *x, const struct pollfd fds[PIPES])
{
	for (size_t i = 0; i < PIPES; i++) {
		if (fds[i].revents && read_from(x, i) < 0)
			close_end(&x->ends[i][0]);
	}
}

/* Read from the pipes until all three have ended. */
static int gather(struct run *x, struct err *err)
{
	while (x->ends[OUT][0] >= 0 || x->ends[ERRORS][0] >= 0 || x->ends[REPORT][0] >= 0) {
		struct pollfd fds[PIPES];
		int ms = wait_ms(x), n;

		for (size_t i = 0; i < PIPES; i++)
			fds[i] = (struct pollfd){ .fd = x->ends[i][0], .events = POLLIN };
		n = ms > 0 ? poll(fds, PIPES, ms) : 0;
		if (n < 0 && errno != EINTR)
			return err_set(err, errno, "wait for it: %s", strerror(errno));
		if (n == 0 && wait_ms(x) == 0)
			return err_set(err, ETIMEDOUT, "it did not end in time");
		if (n > 0)
			read_ready(x, fds);
		if (x->out->error)
			return buf_error(x->out, "its output", err);
	}
	return 0;
}

/* ---- at its end ---- */

static void reap(struct run *x, bool end)
{
	if (end)
		(void)kill(x->pid, SIGTERM);
	while (waitpid(x->pid, NULL, 0) < 0 && errno == EINTR)
		;
}

static void report_errors(const struct run *x, struct buf *errors)
{
	size_t n = x->late_n < CHILD_ERRORS_MAX ? x->late_n : CHILD_ERRORS_MAX;

	if (n > errors->max - errors->n)
		n = errors->max - errors->n;
	buf_add(errors, x->late + x->late_n - n, n);
}

/* The result of the run. If the program could not begin, the report has the reason. */
static int judge(const struct run *x, struct err *err)
{
	struct child_report r;

	if (x->report_n < sizeof(r))
		return err_set(err, EIO, "what waits for it was killed");
	memcpy(&r, x->report, sizeof(r));
	if (r.stage == CHILD_NOT_BEGUN)
		return err_set(err, r.value, "start it: %s", strerror(r.value));
	return r.value;
}

static int start(struct run *x, const struct child_start *s, struct err *err)
{
	sigset_t all, before;

	sigfillset(&all);
	/* the signal handlers of this process must not run in the new one */
	pthread_sigmask(SIG_SETMASK, &all, &before);
	x->pid = fork();
	if (x->pid == 0)
		child_watch(s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (x->pid < 0)
		return err_set(err, errno, "start it: %s", strerror(errno));
	close_end(&x->in);
	for (size_t i = 0; i < PIPES; i++)
		close_end(&x->ends[i][1]);
	return 0;
}

/* ---- all of it ---- */

static uint64_t seconds_until(uint64_t deadline_ns)
{
	uint64_t now = now_ns();

	return now < deadline_ns ? ((deadline_ns - now) / NS_PER_S + 1) * PROCESSORS_MAX : 0;
}

/* Make the environment. The added variables come first, where getenv(3) finds them, so that no other variable
 * replaces them. NULL without memory. */
static char **make_environment(const struct child_options *o, char *home)
{
	size_t n = 0;
	char **list;

	while (o->environment && o->environment[n])
		n++;
	list = calloc(n + ADDED + 1, sizeof(*list));
	if (!list)
		return NULL;
	list[0] = (char *)(uintptr_t) "PATH=/usr/bin:/bin:/usr/local/bin";
	list[1] = (char *)(uintptr_t) "LC_ALL=C.UTF-8";
	list[2] = home;
	for (size_t i = 0; i < n; i++)
		list[ADDED + i] = (char *)(uintptr_t)o->environment[i];
	return list;
}

static int run(const struct child_start *s, struct run *x, struct buf *errors, struct err *err)
{
	int r = start(x, s, err);

	if (r < 0)
		return r;
	r = gather(x, err);
	reap(x, r < 0);
	report_errors(x, errors);
	return r < 0 ? r : judge(x, err);
}

static int open_and_run(const struct child_options *o, struct child_start *s, struct buf *out, struct buf *errors,
			struct err *err)
{
	CLEANUP(freep) struct run *x = calloc(1, sizeof(*x));
	int r;

	if (!x)
		return err_nomem(err);
	*x = (struct run){ .ends = { { -1, -1 }, { -1, -1 }, { -1, -1 } }, .in = -1, .out = out };
	x->deadline_ns = o->deadline_ns;
	r = open_all(x, o->input);
	if (r < 0) {
		r = err_set(err, -r, "open its pipes: %s", strerror(-r));
	} else {
		s->in = x->in;
		s->out = x->ends[OUT][1];
		s->errors = x->ends[ERRORS][1];
		s->report = x->ends[REPORT][1];
		r = run(s, x, errors, err);
	}
	run_done(x);
	return r; /* NOLINT(clang-analyzer-unix.Malloc): CLEANUP releases it */
}

int child_run(const struct child_options *o, struct buf *out, struct buf *errors, struct err *err)
{
	CLEANUP(freep) char *home = NULL;
	CLEANUP(freep) char **environment = NULL;
	char path[PATH_SIZE];
	struct child_start s = {
		.path = path,
		.argv = (char *const *)(uintptr_t)o->argv,
		.home = o->home,
		.parent = getpid(),
		.file_bytes_max = o->file_bytes_max,
		.seconds = seconds_until(o->deadline_ns),
		.offline = o->offline,
	};
	int r;

	if (!find_program(o->argv[0], path))
		return err_set(err, ENOEXEC, "there is no program '%s' in /usr/bin, /bin and /usr/local/bin",
			       o->argv[0]);
	if (s.seconds == 0)
		return err_set(err, ETIMEDOUT, "%s: there is no time left", o->argv[0]);
	if (asprintf(&home, "HOME=%s", o->home) < 0)
		home = NULL;
	environment = home ? make_environment(o, home) : NULL;
	if (!environment)
		return err_nomem(err);
	s.environment = environment;
	/* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): CLEANUP releases it */
	r = open_and_run(o, &s, out, errors, err);
	return r < 0 ? err_wrap(err, "%s", o->argv[0]) : r;
}
