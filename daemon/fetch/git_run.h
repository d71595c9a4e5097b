/* Runs git for a source, and explains its failures. */
#ifndef DAEMON_FETCH_GIT_RUN_H
#define DAEMON_FETCH_GIT_RUN_H

#include "daemon/fetch/engines.h"
#include "daemon/fetch/git_settings.h"

/* the reference in the cache for the last fetched object, with all that this needs */
#define GIT_REF "refs/driftd/fetched"
#define GIT_OID_MAX 64

struct git {
	const struct fetch_job *job;
	struct git_url url;
	char *url_text;   /* the source's URL, for a command line */
	char *repository; /* the absolute path of the repository in the cache */
	struct git_settings local, network, no_repository;
};

/* Prepare git for @job. Fails as git_url_check and git_settings_make do. */
CHECKED int git_open(struct git *g, const struct fetch_job *job, struct err *err);
void git_done(struct git *g);

enum git_reach {
	GIT_LOCAL,        /* the repository only; git can make no connection */
	GIT_SOURCE,       /* the repository and the source */
	GIT_SOURCE_ALONE, /* the source only */
};

/* A command "git WORDS…" for git_run, which appends its output to @out. git_run returns 0, or 1 if git exits with
 * that and @one_is_an_answer, or negative: the codes that struct source_status distinguishes for git's messages
 * about the source; EUCLEAN: the repository in the cache is damaged; EIO: either the repository or the source is. */
struct git_command {
	const char *const *words; /* "git" first, NULL at the end */
	enum git_reach reach;
	str input;
	bool one_is_an_answer;
};
CHECKED int git_run(const struct git *g, const struct git_command *c, struct buf *out, struct err *err);

/* Fail with @code and the message, behind "git: 'URL': ". Returns -@code. */
CHECKED int git_fail(const struct git *g, struct err *err, int code, const char *fmt, ...) PRINTF(4, 5);

#ifdef __clang_analyzer__
/* The analyzer does not see that this never returns 0, as in base/err.h. */
#define git_fail(...) err_is_negative(git_fail(__VA_ARGS__))
#endif

#endif
