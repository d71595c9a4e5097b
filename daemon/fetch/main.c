/* driftd-fetch: fetches published references for driftd, in a process that has the network but nothing else of
 * driftd: no clusters' credentials, no state, no control socket. docs/man/driftd-fetch.8 */
#include "base/assert.h"
#include "base/file.h"
#include "config/source_status.h"
#include "daemon/fetch/portable.h"
#include "daemon/fetch/store.h"
#include "daemon/fetch/worker.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#define WORKERS_MAX 16
#define LOOK_NS 500000000
#define STUCK_LOOKS 20 /* rounds until a full disk is tried again */
/* rounds between two collections while something is fetched: each reads the links of all sources for all revisions */
#define TIDY_LOOKS 120
#define STORE_DEFAULT "/var/lib/driftd-fetch"
#define REQUEST_DEFAULT "/var/lib/driftd/" SOURCE_REQUEST_FILE

struct worker {
	pid_t pid; /* 0: this slot is free */
	struct arena arena;
	struct source_wish wish;
};

struct fetcher {
	const char *request_path, *store;
	bool follow;
	const char *export_name, *import_name, *revision; /* NULL: the option was not given */
	const char *file;
	struct arena arena; /* memory for the request */
	struct source_request request;
	uint64_t state; /* file_state of the request that was read */
	bool collect;   /* a process ended, or another request came, since the store was last collected */
	bool left;      /* a process ended since tmp/ was last swept: it may have been killed */
	unsigned tidy;  /* rounds until the next collection, while something is fetched */
	struct worker workers[WORKERS_MAX];
	size_t n_running;
	/* index in the request of the next source to start, so that a slow one gets no more than its turn */
	size_t next;
	bool stuck; /* the store cannot be written because the disk is full */
};

static volatile sig_atomic_t stopping;

static void on_stop(int number)
{
	(void)number;
	stopping = 1;
}

/* ---- the request ---- */

/* Read the request. An unreadable one is ignored, because the daemon writes it again. */
static void read_request(struct fetcher *f)
{
	CLEANUP(freep) char *text = NULL;
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	struct source_request next;
	struct err err;
	size_t n;
	int r = file_read_regular(f->request_path, SOURCE_REQUEST_MAX, &text, &n, &err);

	if (r == 0)
		r = source_request_read((str){ text, n }, &a, &next, &err);
	if (r < 0) {
		if (r != -ENOENT)
			fprintf(stderr, "driftd-fetch: %s: %s\n", f->request_path, err.msg);
		return;
	}
	arena_done(&f->arena);
	f->arena = a;
	a = (struct arena){ 0 };
	f->request = next;
	f->collect = true;
}

static void look_at_request(struct fetcher *f)
{
	uint64_t state = file_state(f->request_path);

	if (state == f->state)
		return;
	f->state = state;
	read_request(f);
}

/* ---- workers ---- */

static bool is_running(const struct fetcher *f, str name)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (f->workers[i].pid && str_eq(f->workers[i].wish.source.name, name))
			return true;
	}
	return false;
}

/* Whether the source has to be fetched. One without a wish is only imported. */
static bool is_due(const struct fetcher *f, const struct source_wish *w)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 20);
	struct source_status s = { 0 };
	struct err err;

	if (!w->wish || is_running(f, w->source.name))
		return false;
	return source_status_load(f->store, w->source.name, &a, &s, &err) < 0 || s.served != w->wish;
}

/* Give the worker its own copy of the wish: the request may be replaced while the worker runs. */
static bool copy_wish(struct worker *w, const struct source_wish *from)
{
	CLEANUP(buf_done) struct buf text = BUF_INIT(SOURCE_REQUEST_MAX);
	struct source_request copy;
	struct err err;

	arena_done(&w->arena);
	arena_init(&w->arena, 0, 0);
	if (source_request_write(&(struct source_request){ from, 1 }, &text, &err) < 0 ||
	    source_request_read(buf_str(&text), &w->arena, &copy, &err) < 0)
		return false;
	w->wish = copy.wishes[0];
	return true;
}

static void start_worker(struct fetcher *f, const struct source_wish *from)
{
	struct worker *w = f->workers;
	struct err err = { .msg = "out of memory" };
	pid_t pid;

	while (w->pid)
		w++;
	pid = copy_wish(w, from) ? worker_start(f->store, &w->wish, &err) : -ENOMEM;
	if (pid < 0) {
		fprintf(stderr, "driftd-fetch: reference %.*s: %s\n", STR_ARG(from->source.name), err.msg);
		return;
	}
	w->pid = pid;
	f->n_running++;
}

static void start_due(struct fetcher *f)
{
	for (size_t i = 0; i < f->request.n && f->n_running < WORKERS_MAX; i++) {
		const struct source_wish *w = &f->request.wishes[f->next++ % f->request.n];

		if (is_due(f, w))
			start_worker(f, w);
	}
}

static void reap(struct fetcher *f)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		struct worker *w = &f->workers[i];
		int how;

		if (!w->pid || waitpid(w->pid, &how, WNOHANG) <= 0)
			continue;
		w->pid = 0;
		ASSERT(f->n_running > 0);
		f->n_running--;
		f->collect = f->left = true;
		f->stuck |= !worker_ended(f->store, &w->wish, how);
	}
}

static void stop_workers(struct fetcher *f)
{
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (f->workers[i].pid)
			(void)kill(f->workers[i].pid, SIGKILL);
	}
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (f->workers[i].pid)
			(void)waitpid(f->workers[i].pid, NULL, 0);
		arena_done(&f->workers[i].arena);
	}
}

/* ---- rounds ---- */

/* Wait until a process ends, a signal comes or it is time to look at the request again. */
static void wait_a_little(void)
{
	const struct timespec t = { 0, LOOK_NS };
	sigset_t child;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigtimedwait(&child, NULL, &t);
}

/* Wait until there may be room again, and begin nothing meanwhile. */
static void wait_for_room(struct fetcher *f)
{
	for (int i = 0; i < STUCK_LOOKS && !stopping; i++) {
		wait_a_little();
		reap(f);
	}
	f->stuck = false;
}

/* Remove what nobody needs, even while sources are being fetched without a pause. True: it was done while nothing
 * was fetched. */
static bool tidy(struct fetcher *f)
{
	str busy[WORKERS_MAX];
	size_t n = 0;

	f->tidy -= f->tidy > 0;
	if (f->left && !f->n_running) {
		store_sweep(f->store);
		f->left = false;
	}
	if (!f->collect || (f->n_running && f->tidy))
		return false;
	for (size_t i = 0; i < WORKERS_MAX; i++) {
		if (f->workers[i].pid)
			busy[n++] = f->workers[i].wish.source.name;
	}
	if (!store_collect(f->store, &f->request, busy, n)) /* a worker is storing what it has fetched */
		return false;
	f->collect = false;
	f->tidy = TIDY_LOOKS;
	return !n;
}

/* Run until it is stopped or, without --follow, everything is fetched. Returns the exit status. */
static int run(struct fetcher *f)
{
	while (!stopping) {
		reap(f);
		look_at_request(f);
		if (!f->stuck)
			start_due(f);
		if (tidy(f))
			continue; /* a request that came meanwhile is served before the end */
		if (!f->n_running && !f->follow)
			return f->stuck ? 1 : 0;
		if (f->stuck && f->follow)
			wait_for_room(f);
		else
			wait_a_little();
	}
	return 0;
}

static void set_signals(void)
{
	const struct sigaction stop = { .sa_handler = on_stop };
	sigset_t child;

	(void)sigemptyset(&child);
	(void)sigaddset(&child, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &child, NULL);
	(void)sigaction(SIGTERM, &stop, NULL);
	(void)sigaction(SIGINT, &stop, NULL);
	(void)signal(SIGPIPE, SIG_IGN);
}

static void print_usage(FILE *out)
{
	fputs("Usage: driftd-fetch [--request FILE] [--store FOLDER] [--follow]\n"
	      "       driftd-fetch [--store FOLDER] --export NAME [--revision ID] FILE\n"
	      "       driftd-fetch [--store FOLDER] --import NAME FILE\n"
	      "Fetch the published references that driftd asks for.\n\n"
	      "  --request FILE   what driftd asks for (default " REQUEST_DEFAULT ")\n"
	      "  --store FOLDER   where what was fetched is kept (default $STATE_DIRECTORY, else " STORE_DEFAULT ")\n"
	      "  --follow         go on until a signal ends it, instead of ending when all is fetched\n"
	      "  --export NAME    write what was fetched last of a reference to FILE, for a host without a network\n"
	      "  --revision ID    not the last, but this one\n"
	      "  --import NAME    take FILE as what was fetched last of a reference\n"
	      "  --version        print the version\n"
	      "  --help           print this\n",
	      out);
}

static bool take_option(struct fetcher *f, int c)
{
	const char **const texts[] = {
		['r'] = &f->request_path, ['s'] = &f->store,    ['e'] = &f->export_name,
		['i'] = &f->import_name,  ['n'] = &f->revision,
	};

	if (c == 'f')
		f->follow = true;
	else if (c > 0 && (size_t)c < ARRAY_LEN(texts) && texts[c])
		*texts[c] = optarg;
	else
		return false;
	return true;
}

/* Check which options go together. @more: an argument behind the file; NULL: there is none. */
static bool check_options(const struct fetcher *f, const char *more)
{
	const char *name = f->export_name ? f->export_name : f->import_name;
	const char *wrong = NULL;

	if (more || (f->file && !name))
		wrong = "unexpected argument";
	else if (name && !f->file)
		wrong = "--export and --import need a file";
	else if (f->export_name && f->import_name)
		wrong = "either --export or --import";
	else if (name && !source_name_is_good(str_from(name)))
		wrong = "that is not a name of a reference with a source";
	else if (f->revision && !source_id_is_good(str_from(f->revision)))
		wrong = "--revision is the id of a revision, 64 hex digits";
	if (wrong)
		fprintf(stderr, "driftd-fetch: %s\n", wrong);
	return !wrong;
}

/* Read the options. Returns -1 to continue, otherwise the exit status. */
static int read_options(int argc, char **argv, struct fetcher *f)
{
	static const struct option options[] = {
		{ "request", required_argument, NULL, 'r' },
		{ "store", required_argument, NULL, 's' },
		{ "export", required_argument, NULL, 'e' },
		{ "import", required_argument, NULL, 'i' },
		{ "revision", required_argument, NULL, 'n' },
		{ "follow", no_argument, NULL, 'f' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "", options, NULL)) >= 0) {
		if (c == 'v') {
			puts("driftd-fetch " DRIFTD_VERSION);
			return 0;
		}
		if (c == 'h' || !take_option(f, c)) {
			print_usage(c == 'h' ? stdout : stderr);
			return c == 'h' ? 0 : 2;
		}
	}
	f->file = optind < argc ? argv[optind++] : NULL;
	return check_options(f, argv[optind]) ? -1 : 2;
}

static int import(const struct fetcher *f, struct err *err)
{
	CLEANUP(freep) char *text = NULL;
	size_t n;
	int r = file_read(f->file, PORTABLE_MAX, &text, &n, err);

	if (r == 0)
		r = store_become_owner(f->store, err);
	if (r == 0)
		r = store_open(f->store, err);
	return r < 0 ? r : portable_import(f->store, str_from(f->import_name), (str){ text, n }, err);
}

/* The exit status for @r; prints the error of a failure. */
static int carry(int r, const struct err *err)
{
	if (r < 0)
		fprintf(stderr, "driftd-fetch: %s\n", err->msg);
	return r < 0 ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *state = getenv("STATE_DIRECTORY");
	struct fetcher f = { .request_path = REQUEST_DEFAULT, .store = state && *state ? state : STORE_DEFAULT };
	struct err err;
	int status = read_options(argc, argv, &f);

	if (status >= 0)
		return status;
	(void)umask(0027);
	if (f.export_name)
		return carry(portable_export(f.store, str_from(f.export_name), str_from(f.revision), f.file, &err),
			     &err);
	if (f.import_name)
		return carry(import(&f, &err), &err);
	if (carry(store_open(f.store, &err), &err))
		return 1;
	set_signals();
	status = run(&f);
	stop_workers(&f);
	arena_done(&f.arena);
	return status;
}
