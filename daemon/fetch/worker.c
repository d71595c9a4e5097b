/* Turns a wish into a revision, a link and a status. */
#include "daemon/fetch/worker.h"

#include "base/file.h"
#include "config/source_files.h"
#include "config/source_status.h"
#include "config/source_write.h"
#include "daemon/fetch/engines.h"
#include "daemon/fetch/store.h"
#include "mask/credentials.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S UINT64_C(1000000000)
#define GRACE_S 10    /* seconds after the time limit, which the engine observes itself */
#define EXIT_UNKEPT 3 /* the outcome could not be stored */
#define FOLDER_MODE 0750
#define STATUS_MODE 0640

static uint64_t now_ns(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_nsec;
}

/* ---- the status ---- */

/* Load the last status. Of a status of another definition only the counts of failures are used. */
static int load_status(const char *store, const struct source_wish *w, struct arena *a,
		       char definition[SOURCE_HASH_SIZE], struct source_status *ret, struct err *err)
{
	struct err none;

	if (!source_hash(&w->source, definition))
		return err_nomem(err);
	if (source_status_load(store, w->source.name, a, ret, &none) < 0)
		*ret = (struct source_status){ 0 };
	if (!str_eq(ret->definition, str_from(definition)))
		ret->succeeded = 0;
	return 0;
}

static int save_status(const char *store, const struct source_wish *w, const struct source_status *s, struct err *err)
{
	CLEANUP(buf_done) struct buf path = BUF_INIT(PATH_MAX), text = BUF_INIT(1 << 16);
	int r;

	source_store_status(store, w->source.name, &path);
	r = buf_error(&path, "the path of the store", err);
	if (r == 0)
		r = source_status_write(s, &text, err);
	if (r == 0)
		store_make_way(path.p);
	return r < 0 ? r : source_write(path.p, STATUS_MODE, buf_str(&text), err);
}

/* Store the outcome: @result, with @why when it failed. */
static int keep_result(const char *store, const struct source_wish *w, int result, const struct err *why,
		       struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 20);
	CLEANUP(buf_done) struct buf space = BUF_INIT(4096);
	char definition[SOURCE_HASH_SIZE], place[SOURCE_HASH_SIZE];
	struct source_status s;
	int r = load_status(store, w, &a, definition, &s, err);

	if (r < 0)
		return r;
	if (!source_place(&w->source, place))
		return err_nomem(err);
	s.attempted = (int64_t)time(NULL);
	s.served = w->wish;
	s.failed = result < 0;
	if (s.failed) {
		s.failure = source_failure_of(result);
		s.failures[s.failure]++;
		s.message = credentials_shown(str_from(why->msg), &space);
	} else {
		s.succeeded = s.attempted;
		s.definition = str_from(definition);
		s.place = str_from(place);
	}
	return save_status(store, w, &s, err);
}

/* ---- fetching ---- */

static int (*const engines[SOURCE_KINDS])(const struct fetch_job *job, struct fetched *ret, struct err *err) = {
	[SOURCE_GIT] = fetch_git,
	[SOURCE_OCI] = fetch_oci,
	[SOURCE_HTTPS] = fetch_https,
};

/* The revision that was last fetched from the same place. */
struct last {
	char id[SOURCE_ID_SIZE];
	struct source_revision about; /* @revision is empty: there is none */
	bool same;                    /* the fetched revision is complete, and the same signer was required for it */
};

static bool is_whole(const char *store, const char *id)
{
	CLEANUP(source_files_done) struct source_files files;
	struct err err;

	return source_files_read(store, str_from(id), &files, &err) == 0;
}

/* Find the revision of the link. False: it is unknown. */
static bool find_linked(const char *store, const struct source_wish *w, bool same, struct arena *a, struct last *ret)
{
	struct err err;

	if (source_store_find(store, w->source.name, ret->id, &err) < 0 ||
	    source_revision_load(store, str_from(ret->id), a, &ret->about, &err) < 0)
		return false;
	ret->same = same && is_whole(store, ret->id);
	return true;
}

/* Use the revision in force, by its name alone if its folder is lost: the next revision has to be a successor of it. */
static void find_in_force(const char *store, const struct source_wish *w, struct arena *a, struct last *ret)
{
	struct err err;

	*ret = (struct last){ .about.revision = w->in_force_is };
	if (!w->in_force.n)
		return;
	memcpy(ret->id, w->in_force.p, w->in_force.n);
	if (source_revision_load(store, w->in_force, a, &ret->about, &err) < 0)
		ret->about = (struct source_revision){ .revision = w->in_force_is };
}

/* Handle a source whose place has changed: no revision has to be a successor of one from another place. But editing
 * the entry does not accept a rewritten history. */
static void find_elsewhere(const char *store, const struct source_wish *w, struct arena *a, struct last *ret)
{
	if (!find_linked(store, w, false, a, ret))
		*ret = (struct last){ 0 };
	ret->about.revision = STR("");
}

/* Find the last revision. If it is unknown how, or which one, was fetched last, the one in force is used. */
static void find_last(const char *store, const struct source_wish *w, struct arena *a, struct last *ret)
{
	char place[SOURCE_HASH_SIZE], definition[SOURCE_HASH_SIZE];
	struct source_status s;
	struct err err;
	bool known;

	*ret = (struct last){ .about.revision = STR("") };
	if (!source_place(&w->source, place) || !source_hash(&w->source, definition))
		return;
	known = source_status_load(store, w->source.name, a, &s, &err) == 0 && s.place.n;
	if (known && !str_eq(s.place, str_from(place)))
		find_elsewhere(store, w, a, ret);
	else if (!known || !find_linked(store, w, str_eq(s.definition, str_from(definition)), a, ret))
		find_in_force(store, w, a, ret);
}

/* Whether the revision counts as rewritten. That lasts until somebody accepts it: a further commit does not make it
 * acceptable. */
static bool is_rewritten(const struct source_wish *w, const struct last *last, const struct source_revision *got)
{
	return got->rewritten || (last->about.rewritten && !str_eq(w->in_force, str_from(last->id)));
}

/* Store the fetched revision, and make it the last one of its source. */
static int keep(const char *store, str name, const struct fetched *got, struct err *err)
{
	char id[SOURCE_ID_SIZE];
	int lock = store_lock(store, err), r;

	if (lock < 0)
		return lock;
	r = store_put(store, &got->revision, got->tree, id, err);
	if (r == 0)
		r = store_link(store, name, id, err);
	close(lock);
	return r;
}

static int fetch(const struct fetch_job *job, const char *store, const struct source_wish *w, const struct last *last,
		 struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
	CLEANUP(tree_freep) struct tree *tree = NULL;
	struct fetched got = { .arena = &a };
	int r = tree_new(&tree, err);

	got.tree = tree;
	if (r == 0)
		r = engines[job->source->kind](job, &got, err);
	if (r < 0 || got.unchanged)
		return r;
	got.revision.rewritten = is_rewritten(w, last, &got.revision);
	return keep(store, job->source->name, &got, err);
}

static int make_folders(const char *store, str name, char **ret_cache, struct err *err)
{
	CLEANUP(freep) char *folder = NULL;
	int r;

	if (asprintf(&folder, "%s/sources/%.*s", store, STR_ARG(name)) < 0) {
		folder = NULL;
		return err_nomem(err);
	}
	if (asprintf(ret_cache, "%s/cache", folder) < 0) {
		*ret_cache = NULL;
		return err_nomem(err);
	}
	r = store_make_folder(folder, FOLDER_MODE, err);
	return r < 0 ? r : store_make_folder(*ret_cache, 0700, err);
}

/* Fetch a source into the store. Fails as the engines do. */
static int fetch_into(const char *store, const struct source_wish *w, struct err *err)
{
	CLEANUP(arena_done) struct arena a = ARENA_INIT(1 << 20);
	CLEANUP(freep) char *scratch = NULL, *cache = NULL;
	struct last last;
	struct fetch_job job = { .source = &w->source, .deadline_ns = now_ns() + (uint64_t)w->source.timeout_ns };
	int r = make_folders(store, w->source.name, &cache, err);

	if (r == 0)
		r = store_scratch(store, w->source.name, &scratch, err);
	if (r == 0) {
		job.scratch = scratch;
		job.cache = cache;
		find_last(store, w, &a, &last);
		job.before = last.about.revision;
		job.anew = !last.same;
		r = fetch(&job, store, w, &last, err);
		store_remove(scratch);
	}
	return r;
}

int worker_keep_imported(const char *store, str name, const char *id, struct err *err)
{
	CLEANUP(freep) char *cache = NULL;
	int r = make_folders(store, name, &cache, err);

	return r < 0 ? r : store_link(store, name, id, err);
}

/* ---- its process ---- */

static void say(const struct source_wish *w, const char *what, const struct err *why)
{
	CLEANUP(buf_done) struct buf space = BUF_INIT(4096);
	str shown = credentials_shown(str_from(why->msg), &space);

	fprintf(stderr, "driftd-fetch: reference %.*s: %s: %.*s\n", STR_ARG(w->source.name), what, STR_ARG(shown));
}

_Noreturn static void run(const char *store, const struct source_wish *w)
{
	struct err err, unkept;
	int r = fetch_into(store, w, &err);

	if (r < 0)
		say(w, source_failure_name(source_failure_of(r)), &err);
	if (keep_result(store, w, r, &err, &unkept) == 0)
		_exit(0);
	say(w, source_failure_name(SOURCE_LOCAL), &unkept);
	_exit(EXIT_UNKEPT);
}

pid_t worker_start(const char *store, const struct source_wish *w, struct err *err)
{
	pid_t parent = getpid(), pid = fork();
	sigset_t none;

	if (pid < 0)
		return err_set(err, errno, "start a process: %s", strerror(errno));
	if (pid > 0)
		return pid;
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)signal(SIGALRM, SIG_DFL);
	(void)alarm((unsigned)((uint64_t)w->source.timeout_ns / NS_PER_S + GRACE_S));
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(1);
	run(store, w);
}

bool worker_ended(const char *store, const struct source_wish *w, int how)
{
	bool late = WIFSIGNALED(how) && WTERMSIG(how) == SIGALRM;
	struct err why, err;
	int r;

	if (WIFEXITED(how) && (WEXITSTATUS(how) == 0 || WEXITSTATUS(how) == EXIT_UNKEPT))
		return WEXITSTATUS(how) == 0;
	r = late ? err_set(&why, ETIMEDOUT, "it took longer than its time limit")
		 : err_set(&why, EPERM, "the process that fetched it ended by %s %d",
			   WIFSIGNALED(how) ? "signal" : "status", WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how));
	say(w, source_failure_name(source_failure_of(r)), &why);
	return keep_result(store, w, r, &why, &err) == 0;
}
