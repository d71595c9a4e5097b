/* git exits with 128 for every failure, and its message says what failed. LC_ALL=C.UTF-8 keeps the message English.
 * Lines of the other side begin with "remote: " and are ignored. */
#include "daemon/fetch/git_run.h"

#include "daemon/fetch/child.h"
#include "mask/credentials.h"
#include "mask/foreign.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>

#undef git_fail

#define SHOWN_MAX 280
#define URL_SHOWN_MAX 150
#define FILE_BYTES_MAX (UINT64_C(1) << 30) /* limit for a pack, and so for a repository */

/* The first match counts. */
static const struct meaning {
	const char *words;
	int code;
	const char *instead; /* a message instead of git's own, where that is no help; NULL: git's own */
} meanings[] = {
	{ "No space left on device", ENOSPC, NULL },
	{ "Disk quota exceeded", EDQUOT, NULL },
	{ "Read-only file system", EROFS, NULL },
	{ "died of signal 25", E2BIG, NULL }, /* SIGXFSZ */
	{ "File too large", E2BIG, NULL },
	{ "Out of memory", ENOMEM, NULL },
	{ "out of memory", ENOMEM, NULL },
	{ "Authentication failed", EACCES, NULL },
	{ "could not read Username", EACCES, NULL },
	{ "could not read Password", EACCES, NULL },
	/* printed by ssh; the same message about a file has nothing behind "denied" */
	{ "Permission denied (", EACCES, NULL },
	{ "Too many authentication failures", EACCES, NULL },
	{ "returned error: 401", EACCES, NULL },
	{ "returned error: 403", EACCES, NULL },
	{ "returned error: 404", ENOENT, NULL },
	{ "Repository not found", ENOENT, NULL },
	{ "does not appear to be a git repository", ENOENT, NULL },
	{ "' not found", ENOENT, NULL },
	{ "couldn't find remote ref", ENOENT, NULL },
	{ "not our ref", ENOENT, NULL },
	{ "unadvertised object", ENOENT, NULL },
	{ "returned error: 30", EINVAL, "it sends to another place, which is not followed" },
	{ "fsck error", EBADMSG, NULL },
	{ "dubious ownership", EPERM, NULL },
	{ "Permission denied", EPERM, NULL },
	{ "' not allowed", EINVAL, NULL },
	{ "Could not resolve", EHOSTUNREACH, NULL },
	{ "Failed to connect", ECONNREFUSED, NULL },
	{ "Connection refused", ECONNREFUSED, NULL },
	{ "Connection timed out", EHOSTUNREACH, NULL },
	{ "Host key verification failed", EPROTO, "the key of the host is not among the known hosts" },
	{ "certificate", EPROTO, NULL },
	{ "early EOF", ECONNRESET, NULL },
	{ "hung up", ECONNRESET, NULL },
	{ "unexpected disconnect", ECONNRESET, NULL },
	{ "Could not read from remote repository", ECONNRESET, NULL },
	{ "unable to access", ECONNRESET, NULL },
	{ "RPC failed", ECONNRESET, NULL },
};

int git_open(struct git *g, const struct fetch_job *job, struct err *err)
{
	CLEANUP(freep) char *cache = NULL;
	int r;

	*g = (struct git){ .job = job };
	r = git_url_check(job->source, &g->url, err);
	if (r < 0)
		return r;
	cache = realpath(job->cache, NULL);
	if (!cache)
		return err_set(err, EPERM, "git: the folder '%s': %s", job->cache, strerror(errno));
	g->url_text = str_dup(job->source->url);
	if (!g->url_text || asprintf(&g->repository, "%s/repository.git", cache) < 0) {
		g->repository = NULL;
		return err_nomem(err);
	}
	r = git_settings_make(&g->local, g->repository, NULL, NULL, job->scratch, err);
	if (r == 0)
		r = git_settings_make(&g->network, g->repository, job->source, &g->url, job->scratch, err);
	if (r == 0) /* git must not look for a repository above the folder */
		r = git_settings_make(&g->no_repository, "/dev/null", job->source, &g->url, job->scratch, err);
	return r;
}

void git_done(struct git *g)
{
	git_settings_done(&g->local);
	git_settings_done(&g->network);
	git_settings_done(&g->no_repository);
	free(g->url_text);
	free(g->repository);
}

int git_fail(const struct git *g, struct err *err, int code, const char *fmt, ...)
{
	CLEANUP(buf_done) struct buf url = BUF_INIT(8192);
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * URL_SHOWN_MAX);
	char why[sizeof(err->msg)];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(why, sizeof(why), fmt, ap);
	va_end(ap);
	credentials_show_url(g->job->source->url, &url);
	/* a long URL is cut, which leaves room for the reason */
	foreign_quote(foreign_bytes(buf_str(&url)), URL_SHOWN_MAX, &shown);
	return err_set(err, code, "git: '%s': %s", buf_str(&shown).p, why);
}

/* ---- why it failed ---- */

/* Append the lines of git itself, ssh and libcurl. */
static void add_own_lines(str said, struct buf *out)
{
	str line;

	while (str_next_line(&said, &line)) {
		if (str_has_prefix(line, STR("remote: ")))
			continue;
		buf_add_str(out, line);
		buf_add_byte(out, '\n');
	}
}

static const struct meaning *meaning_of(str said)
{
	static const struct meaning none = { 0 };
	CLEANUP(buf_done) struct buf own = BUF_INIT(2 * CHILD_ERRORS_MAX);

	add_own_lines(said, &own);
	for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
		if (foreign_holds(foreign_bytes(buf_str(&own)), str_from(meanings[i].words)))
			return &meanings[i];
	}
	return &none;
}

/* The error code of a failure. A command that works without the source fails because the cache is damaged, unless
 * this host is the reason. */
static int code_of(const struct git_command *c, int status, int code)
{
	if (status == 128 + SIGXFSZ)
		return E2BIG;
	if (c->reach == GIT_LOCAL && code != ENOSPC && code != EDQUOT && code != EROFS && code != ENOMEM)
		return EUCLEAN;
	if (code == 0)
		return c->reach == GIT_SOURCE ? EIO : ECONNRESET;
	return code;
}

static int judge(const struct git *g, const struct git_command *c, int status, str said, struct err *err)
{
	CLEANUP(buf_done) struct buf shown = BUF_INIT(4 * SHOWN_MAX);
	const struct meaning *m = meaning_of(said);
	int code = code_of(c, status, m->code);

	if (m->instead)
		return git_fail(g, err, code, "%s", m->instead);
	foreign_quote(foreign_bytes(said), SHOWN_MAX, &shown);
	return git_fail(g, err, code, "git %s: %s", c->words[1], shown.n ? shown.p : "it says nothing");
}

/* Report that git could not be run. A reason in this host must not look like an answer of the source. */
static int not_run(const struct git *g, struct err *err)
{
	int code = err->code;
	char why[sizeof(err->msg)];

	(void)snprintf(why, sizeof(why), "%s", err->msg);
	if (code != ETIMEDOUT && code != E2BIG && code != ENOMEM && code != ENOEXEC && code != ENOSPC)
		code = EPERM;
	return git_fail(g, err, code, "%s", why);
}

int git_run(const struct git *g, const struct git_command *c, struct buf *out, struct err *err)
{
	CLEANUP(buf_done) struct buf errors = BUF_INIT(CHILD_ERRORS_MAX);
	const struct git_settings *settings[] = {
		[GIT_LOCAL] = &g->local, [GIT_SOURCE] = &g->network, [GIT_SOURCE_ALONE] = &g->no_repository
	};
	const struct child_options o = {
		.argv = c->words,
		.environment = (const char *const *)settings[c->reach]->words.p,
		.home = g->job->scratch,
		.input = c->input,
		.deadline_ns = g->job->deadline_ns,
		.file_bytes_max = FILE_BYTES_MAX,
		.offline = c->reach == GIT_LOCAL,
	};
	int status = child_run(&o, out, &errors, err);

	if (status < 0)
		return not_run(g, err);
	if (status == 0 || (status == 1 && c->one_is_an_answer))
		return status;
	return judge(g, c, status, buf_str(&errors), err);
}
