/* The first fetch brings the newest commits only: enough for the log, and quick where the history is long. Later
 * fetches bring the commits since then, so that the cache contains the way from the last revision to the new one,
 * unless a branch was force-pushed, or the cache was lost. Only then the whole history is fetched, because a part of
 * it would not prove that the last revision is missing. */
#include "daemon/fetch/git_cache.h"

#include "base/file.h"
#include "base/hex.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANSWER_MAX ((size_t)1 << 20)
#define PACKS_MAX 20 /* more packs are repacked */
/* the number of packs that cannot be repacked any more: the cache is thrown away */
#define PACKS_UNTIDY 200
#define CACHE_BYTES_MAX (UINT64_C(2) << 30) /* a larger cache is thrown away */
#define SHA1_DIGITS 40
#define REF_SIZE 1100

static bool lies_at(const struct git *g, const char *name, struct stat *st)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", g->repository, name) < (int)sizeof(path) && lstat(path, st) == 0;
}

/* ---- asking ---- */

/* The name of the wanted reference at the source. */
static void name_ref(const struct source *s, char ret[REF_SIZE])
{
	if (s->branch.n)
		(void)snprintf(ret, REF_SIZE, "refs/heads/%.*s", STR_ARG(s->branch));
	else if (s->tag.n)
		(void)snprintf(ret, REF_SIZE, "refs/tags/%.*s", STR_ARG(s->tag));
	else
		(void)snprintf(ret, REF_SIZE, "HEAD");
}

static bool take_oid(str oid, char ret[GIT_OID_MAX + 1])
{
	if (!hex_is(oid) || (oid.n != SHA1_DIGITS && oid.n != GIT_OID_MAX))
		return false;
	memcpy(ret, oid.p, oid.n);
	ret[oid.n] = '\0';
	return true;
}

/* Take the branch from "ref: refs/heads/main", the target of HEAD. */
static void take_branch(str target, struct git_advertised *ret)
{
	str prefix = STR("ref: refs/heads/");

	if (str_has_prefix(target, prefix))
		(void)snprintf(ret->branch, sizeof(ret->branch), "%.*s", STR_ARG(str_sub(target, prefix.n, target.n)));
}

static int read_answer(const struct git *g, const char *ref, str answer, struct git_advertised *ret, struct err *err)
{
	const struct source *s = g->job->source;
	str line, first;

	ret->oid[0] = ret->branch[0] = '\0';
	while (str_next_part(&answer, '\n', &line)) {
		if (!str_next_part(&line, '\t', &first) || !str_eq(line, str_from(ref)))
			continue;
		if (!take_oid(first, ret->oid))
			take_branch(first, ret);
	}
	if (ret->oid[0])
		return 0;
	if (s->branch.n || s->tag.n)
		return git_fail(g, err, ENOENT, "there is no %s '%.*s'", s->branch.n ? "branch" : "tag",
				STR_ARG(s->branch.n ? s->branch : s->tag));
	return git_fail(g, err, ENOENT, "it has no HEAD: it is empty, or its default branch is not there");
}

int git_ask(const struct git *g, struct git_advertised *ret, struct err *err)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	char ref[REF_SIZE];
	const char *const words[] = { "git", "ls-remote", "--symref", "--quiet", "--", g->url_text, ref, NULL };
	const struct git_command c = { .words = words, .reach = GIT_SOURCE_ALONE };
	int r;

	*ret = (struct git_advertised){ 0 };
	if (g->job->source->commit.n)
		return take_oid(g->job->source->commit, ret->oid) ? 0 : git_fail(g, err, EINVAL, "no commit");
	name_ref(g->job->source, ref);
	r = git_run(g, &c, &out, err);
	return r < 0 ? r : read_answer(g, ref, buf_str(&out), ret, err);
}

/* ---- the repository ---- */

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path) < 0 && errno != ENOENT ? -1 : 0;
}

int git_cache_remove(const struct git *g, struct err *err)
{
	if (nftw(g->repository, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT) < 0 && errno != ENOENT)
		return git_fail(g, err, EPERM, "remove the folder '%s': %s", g->repository, strerror(errno));
	return 0;
}

static bool is_left_over(str name)
{
	return str_has_suffix(name, STR(".lock")) || str_has_prefix(name, STR("tmp_")) ||
	       str_has_prefix(name, STR(".tmp-")) || str_eq(name, STR("gc.pid"));
}

/* A global, because nftw passes no argument; only one walk runs at a time. */
static _Thread_local uint64_t bytes_seen;

static int look_at(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	if (type == FTW_D || type == FTW_DNR)
		return 0;
	if (is_left_over(str_from(path + ftw->base)))
		(void)unlink(path);
	else
		bytes_seen += (uint64_t)st->st_size;
	return 0;
}

/* Remove what a killed git left, because it would stop the next one. No other process uses the cache. Returns the
 * size of all files. */
static uint64_t sweep(const struct git *g)
{
	bytes_seen = 0;
	(void)nftw(g->repository, look_at, 16, FTW_PHYS | FTW_MOUNT);
	return bytes_seen;
}

static int make(const struct git *g, size_t oid_n, struct err *err)
{
	const char *const words[] = {
		"git",     "init",        "--bare",
		"--quiet", "--template=", oid_n == SHA1_DIGITS ? "--object-format=sha1" : "--object-format=sha256",
		NULL
	};
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);

	return git_run(g, &c, &out, err);
}

/* Check that the cache is a bare repository with object names of the same hash as the source. */
static int check(const struct git *g, size_t oid_n, struct err *err)
{
	static const char *const words[] = { "git", "rev-parse", "--is-bare-repository", "--show-object-format", NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	int r = git_run(g, &c, &out, err);

	if (r < 0)
		return r;
	if (!str_eq(buf_str(&out), oid_n == SHA1_DIGITS ? STR("true\nsha1\n") : STR("true\nsha256\n")))
		return git_fail(g, err, EUCLEAN, "the cache is another kind of repository");
	return 0;
}

int git_cache_prepare(const struct git *g, size_t oid_n, bool *fresh, struct err *err)
{
	struct stat st;
	int r = 0;

	*fresh = !lies_at(g, "HEAD", &st);
	if (!*fresh && sweep(g) > CACHE_BYTES_MAX)
		*fresh = true;
	if (!*fresh)
		return check(g, oid_n, err);
	r = git_cache_remove(g, err); /* an interrupted init leaves a folder */
	return r < 0 ? r : make(g, oid_n, err);
}

bool git_cache_is_shallow(const struct git *g)
{
	struct stat st;

	return lies_at(g, "shallow", &st) && st.st_size > 0;
}

/* ---- fetching ---- */

/* The object that GIT_REF names; "": there is none. */
static int resolve(const struct git *g, char ret[GIT_OID_MAX + 1], struct err *err)
{
	static const char *const words[] = { "git", "rev-parse", "--verify", "--quiet", GIT_REF, NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL, .one_is_an_answer = true };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	int r = git_run(g, &c, &out, err);

	if (r < 0)
		return r;
	ret[0] = '\0';
	if (r == 0 && !take_oid(str_trim(buf_str(&out)), ret))
		return git_fail(g, err, EUCLEAN, "the reference of the cache is damaged");
	return 0;
}

#define HISTORY_SIZE 32
enum history { AS_IT_IS, NEWEST, WHOLE };

static int fetch(const struct git *g, enum history h, const char *const *refspecs, struct err *err)
{
	const char *words[20] = { "git",
				  "fetch",
				  "--quiet",
				  "--no-tags",
				  "--force",
				  "--prune",
				  "--no-recurse-submodules",
				  "--no-auto-maintenance",
				  "--no-write-fetch-head",
				  "--update-shallow" };
	const struct git_command c = { .words = words, .reach = GIT_SOURCE };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	char depth[HISTORY_SIZE];
	size_t n = 10;

	(void)snprintf(depth, sizeof(depth), "--depth=%d", GIT_DEPTH);
	if (h != AS_IT_IS)
		words[n++] = h == NEWEST ? depth : "--unshallow";
	words[n++] = "--";
	words[n++] = g->url_text;
	while (*refspecs)
		words[n++] = *refspecs++;
	return git_run(g, &c, &out, err);
}

/* Fetch all branches and tags, and look for the commit in them: a server need not send a commit that none of its
 * references names. */
static int fetch_all(const struct git *g, const char *oid, struct err *err)
{
	static const char *const refspecs[] = { "+refs/heads/*:refs/driftd/heads/*", "+refs/tags/*:refs/driftd/tags/*",
						NULL };
	const char *const words[] = { "git", "update-ref", GIT_REF, oid, NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	int r = fetch(g, git_cache_is_shallow(g) ? WHOLE : AS_IT_IS, refspecs, err);

	if (r < 0)
		return r;
	r = git_run(g, &c, &out, err);
	return r == -EUCLEAN ? git_fail(g, err, ENOENT, "there is no commit %s in its branches and tags", oid) : r;
}

static int fetch_it(const struct git *g, const char *oid, enum history h, struct err *err)
{
	const struct source *s = g->job->source;
	char refspec[2 * REF_SIZE], ref[REF_SIZE];
	const char *const refspecs[] = { refspec, NULL };
	int r;

	name_ref(s, ref);
	(void)snprintf(refspec, sizeof(refspec), "+%s:" GIT_REF, s->commit.n ? oid : ref);
	r = fetch(g, h, refspecs, err);
	return r == -ENOENT && s->commit.n ? fetch_all(g, oid, err) : r;
}

int git_cache_fetch(const struct git *g, const struct git_advertised *a, bool whole, char ret[GIT_OID_MAX + 1],
		    struct err *err)
{
	enum history h = AS_IT_IS;
	int r = resolve(g, ret, err);

	if (r < 0 || (!whole && strcmp(ret, a->oid) == 0))
		return r;
	if (whole && git_cache_is_shallow(g))
		h = WHOLE;
	else if (!whole && !ret[0])
		h = NEWEST;
	r = fetch_it(g, a->oid, h, err);
	if (r == 0)
		r = resolve(g, ret, err);
	if (r == 0 && !ret[0])
		r = git_fail(g, err, EUCLEAN, "the fetch brought nothing");
	return r;
}

/* ---- growth ---- */

static size_t count_packs(const struct git *g)
{
	char path[PATH_MAX];
	DIR *d = snprintf(path, sizeof(path), "%s/objects/pack", g->repository) < (int)sizeof(path) ? opendir(path)
												    : NULL;
	struct dirent *e;
	size_t n = 0;

	while (d && (e = readdir(d)))
		n += str_has_suffix(str_from(e->d_name), STR(".pack"));
	if (d)
		(void)closedir(d);
	return n;
}

void git_cache_tidy(const struct git *g)
{
	static const char *const words[] = { "git", "gc", "--quiet", "--prune=now", NULL };
	const struct git_command c = { .words = words, .reach = GIT_LOCAL };
	CLEANUP(buf_done) struct buf out = BUF_INIT(ANSWER_MAX);
	struct err err = { 0 };

	if (count_packs(g) <= PACKS_MAX)
		return;
	if (git_run(g, &c, &out, &err) < 0 && count_packs(g) > PACKS_UNTIDY && git_cache_remove(g, &err) < 0)
		return; /* a later fetch checks the size of the cache */
}
