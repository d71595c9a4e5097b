/* Temporary folders, and the thread that ends a run on a signal. All other threads block these signals, because the
 * cleaning up is too much for a signal handler. */
#include "daemon/compare/scratch.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/queue.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLDER_ATTEMPTS 1000
/* Ended children are reaped at this interval. Children get SIGTERM every tenth time and SIGKILL after 2 s; nothing
 * waits for them beyond 5 s. */
#define LOOK_US 10000
#define LOOKS_BETWEEN_SIGNALS 10
#define LOOKS_BEFORE_KILL 200
#define LOOKS_MAX 500

struct folder {
	TAILQ_ENTRY(folder) link;
	char *path;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static TAILQ_HEAD(folder_list, folder) folders = TAILQ_HEAD_INITIALIZER(folders);
static sigset_t awaited; /* constant from the second thread on */

void scratch_hold(void)
{
	pthread_mutex_lock(&lock);
}

void scratch_release(void)
{
	pthread_mutex_unlock(&lock);
}

/* ---- folders ---- */

/* Make an entry accessible: a folder out of an archive or an image may deny access to its owner. */
static int open_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)ftw;
	if ((type == FTW_D || type == FTW_DNR) && (st->st_mode & 0700) != 0700)
		chmod(path, 0700);
	return 0;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	remove(path);
	return 0;
}

static void remove_tree(const char *path)
{
	nftw(path, open_entry, 16, FTW_PHYS | FTW_MOUNT);
	nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

static void folder_free(struct folder *f)
{
	free(f->path);
	free(f);
}

/* Make a folder. 0, or negative: EEXIST when another name may work. */
static int make_folder(struct folder *f, const char *dir, const char *prefix, struct err *err)
{
	uint32_t number;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return err_set(err, EIO, "random number: %s", strerror(errno));
	if (asprintf(&f->path, "%s/%s-%u", dir, prefix, number) < 0) {
		f->path = NULL;
		return err_nomem(err);
	}
	return mkdir(f->path, 0700) < 0 ? err_set(err, errno, "create folder '%s': %s", f->path, strerror(errno)) : 0;
}

/* Make a folder and list it under one lock, so that the end of the run comes before or after both. */
static int add_folder(const char *dir, const char *prefix, char **ret, struct err *err)
{
	struct folder *f = calloc(1, sizeof(*f));
	int r = f ? make_folder(f, dir, prefix, err) : err_nomem(err);
	char *name = r == 0 ? strdup(f->path) : NULL;

	if (name) {
		TAILQ_INSERT_TAIL(&folders, f, link);
		*ret = name;
		return 0;
	}
	if (r == 0) {
		rmdir(f->path);
		r = err_nomem(err);
	}
	if (f)
		folder_free(f);
	return r;
}

int scratch_folder(const char *prefix, char **ret, struct err *err)
{
	const char *dir = getenv("TMPDIR");

	return scratch_folder_in(dir && *dir ? dir : "/tmp", prefix, ret, err);
}

int scratch_folder_in(const char *dir, const char *prefix, char **ret, struct err *err)
{
	int r = -EEXIST;

	for (int i = 0; i < FOLDER_ATTEMPTS && r == -EEXIST; i++) {
		scratch_hold();
		r = add_folder(dir, prefix, ret, err);
		scratch_release();
	}
	return r;
}

void scratch_remove(const char *path)
{
	struct folder *f;

	scratch_hold();
	TAILQ_FOREACH(f, &folders, link)
	{
		if (strcmp(f->path, path) == 0)
			break;
	}
	if (f) {
		remove_tree(path);
		TAILQ_REMOVE(&folders, f, link);
		folder_free(f);
	}
	scratch_release();
}

/* ---- the end ---- */

/* Send @signal to the children of one thread: the kernel lists children by the thread that started them. */
static void signal_children_of(const char *thread, int signal)
{
	char path[64];
	FILE *list;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", thread);
	list = fopen(path, "re");
	while (list && fscanf(list, "%d", &pid) == 1) /* NOLINT(cert-err34-c): the kernel writes numbers */
		kill(pid, signal);
	if (list)
		fclose(list);
}

static void signal_children(int signal)
{
	DIR *threads = opendir("/proc/self/task");
	struct dirent *d;

	while (threads && (d = readdir(threads))) {
		if (*d->d_name != '.')
			signal_children_of(d->d_name, signal);
	}
	if (threads)
		closedir(threads);
}

/* End all children. The processes that a child leaves behind become children of this process, and are ended in turn. */
static void end_children(void)
{
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	for (unsigned i = 0; i < LOOKS_MAX; i++) {
		pid_t pid;

		if (i % LOOKS_BETWEEN_SIGNALS == 0)
			signal_children(i < LOOKS_BEFORE_KILL ? SIGTERM : SIGKILL);
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0) /* there are no children left */
			return;
		usleep(LOOK_US);
	}
}

static void end_by(int signal_number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, signal_number);
	signal(signal_number, SIG_DFL);
	pthread_sigmask(SIG_UNBLOCK, &set, NULL);
	raise(signal_number);
}

static void *wait_for_end(void *ctx)
{
	struct folder *f;
	int signal_number;

	(void)ctx;
	if (sigwait(&awaited, &signal_number) != 0)
		return NULL;
	scratch_hold(); /* never released */
	end_children();
	TAILQ_FOREACH(f, &folders, link)
	remove_tree(f->path);
	end_by(signal_number);
	return NULL;
}

/* Whether the signal is to be handled: nohup(1), and shells for background jobs, let some of them be ignored. */
static bool is_to_be_caught(int signal_number, const sigset_t *blocked)
{
	struct sigaction action;

	return !sigismember(blocked, signal_number) && sigaction(signal_number, NULL, &action) == 0 &&
	       action.sa_handler != SIG_IGN;
}

int scratch_begin(struct err *err)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP };
	sigset_t blocked;
	pthread_t thread;
	int r;

	sigemptyset(&awaited);
	pthread_sigmask(SIG_SETMASK, NULL, &blocked);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++) {
		if (is_to_be_caught(signals[i], &blocked))
			sigaddset(&awaited, signals[i]);
	}
	pthread_sigmask(SIG_BLOCK, &awaited, NULL);
	r = pthread_create(&thread, NULL, wait_for_end, NULL);
	if (r)
		return err_set(err, r, "start a thread: %s", strerror(r));
	pthread_detach(thread);
	return 0;
}

void scratch_child_mask(sigset_t *ret)
{
	pthread_sigmask(SIG_SETMASK, NULL, ret);
	for (int i = 1; i < NSIG; i++) {
		if (sigismember(&awaited, i) == 1)
			sigdelset(ret, i);
	}
}
