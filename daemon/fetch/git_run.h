/* Running git for a source, and saying why it failed. */
#ifndef DAEMON_FETCH_GIT_RUN_H
#define DAEMON_FETCH_GIT_RUN_H

#include "daemon/fetch/engines.h"
#include "daemon/fetch/git_settings.h"

#define GIT_REF "refs/driftd/fetched" /* in the cache: what was fetched last, with all that it needs */
#define GIT_OID_MAX 64

struct git {
	const struct fetch_job *job;
	struct git_url url;
	char *url_text;   /* the source's, for a command line */
	char *repository; /* absolute: in the cache */
	struct git_settings local, network, no_repository;
};

/* Fails as git_url_check and git_settings_make do. */
CHECKED int git_open(struct git *g, const struct fetch_job *job, struct err *err);
void git_done(struct git *g);

enum git_reach {
	GIT_LOCAL,        /* of the repository; it can make no connection */
	GIT_SOURCE,       /* of the repository and the source */
	GIT_SOURCE_ALONE, /* of the source only */
};

/* Run "git WORDS…", whose output is appended to @out. Returns its status where that is 0 or 1 and @one_is_an_answer, 0,
 * or negative: what git says of the source is distinguished as struct source_status does; EUCLEAN: of a repository in
 * the cache, something is wrong with it; EIO: something is, with the repository or the source. */
struct git_command {
	const char *const *words; /* "git" first, NULL at the end */
	enum git_reach reach;
	str input;
	bool one_is_an_answer;
};
CHECKED int git_run(const struct git *g, const struct git_command *c, struct buf *out, struct err *err);

/* -code, and "git: 'URL': " before the message. */
CHECKED int git_fail(const struct git *g, struct err *err, int code, const char *fmt, ...) PRINTF(4, 5);

#ifdef __clang_analyzer__
/* As in base/err.h: it does not see that this never returns 0. */
#define git_fail(...) err_is_negative(git_fail(__VA_ARGS__))
#endif

#endif
