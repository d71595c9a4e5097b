/* A repository that a test makes with git, and fetching from it. */
#ifndef TESTS_GIT_FIXTURE_H
#define TESTS_GIT_FIXTURE_H

#include "daemon/fetch/engines.h"

#include "base/arena.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define S UINT64_C(1000000000)

struct fixture {
	char top[64], url[128], scratch[96], cache[96];
	struct source source;
	char before[65];
	uint64_t time_ns; /* 0: 60 s */
	struct arena arena;
	struct tree *tree;
	struct fetched f;
	struct err err;
};

static uint64_t now(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * S + (uint64_t)t.tv_nsec;
}

/* Run @script in the fixture's folder, with what git needs to commit; its output, without white space at its ends, is
 * in
 * @ret of 256 bytes, which may be NULL. */
static void shell_into(struct fixture *x, const char *script, char *ret)
{
	static const char before[] = "set -e; unset GIT_DIR; export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 "
				     "GIT_AUTHOR_NAME='Ada Lovelace' GIT_AUTHOR_EMAIL=ada@example.com "
				     "GIT_COMMITTER_NAME=Ada GIT_COMMITTER_EMAIL=ada@example.com; "
				     "commit() { git add -A; git commit -q --allow-empty -m \"$@\"; }; ";
	CLEANUP(buf_done) struct buf command = BUF_INIT(1 << 16);
	char said[256] = "";
	FILE *f;
	size_t n;

	buf_printf(&command, "%s cd %s; %s", before, x->top, script);
	f = popen(command.p, "r"); /* NOLINT(cert-env33-c): a test */
	assert_non_null(f);
	n = fread(said, 1, sizeof(said) - 1, f);
	said[n] = '\0';
	if (pclose(f) != 0)
		fail_msg("script fails: %s", script);
	if (ret)
		(void)snprintf(ret, 256, "%.*s", STR_ARG(str_trim(str_from(said))));
}

static void shell(struct fixture *x, const char *script)
{
	shell_into(x, script, NULL);
}

static UNUSED void remember_head(struct fixture *x)
{
	char said[256];

	shell_into(x, "git -C origin rev-parse HEAD", said);
	(void)snprintf(x->before, sizeof(x->before), "%.64s", said);
}

static void forget(struct fixture *x)
{
	arena_done(&x->arena);
	tree_free(x->tree);
	x->tree = NULL;
	arena_init(&x->arena, 0, 64 << 20);
	x->err = (struct err){ 0 };
}

static int fetch(struct fixture *x)
{
	struct fetch_job job = {
		.source = &x->source,
		.scratch = x->scratch,
		.cache = x->cache,
		.deadline_ns = now() + (x->time_ns ? x->time_ns : 60 * S),
		.before = str_from(x->before),
	};
	int r;

	forget(x);
	shell(x, "rm -rf scratch; mkdir scratch");
	assert_int_equal(tree_new(&x->tree, &x->err), 0);
	x->f = (struct fetched){ .arena = &x->arena, .tree = x->tree };
	r = fetch_git(&job, &x->f, &x->err);
	if (r < 0)
		assert_int_equal(x->err.code, -r);
	return r;
}

#define assert_fetched(x)                                                                                              \
	do {                                                                                                           \
		int r_ = fetch(x);                                                                                     \
		if (r_ < 0)                                                                                            \
			fail_msg("%d: %s", r_, (x)->err.msg);                                                          \
	} while (0)

/* That it fails with -@code, and the message has @part. */
#define assert_refused(x, code, part)                                                                                  \
	do {                                                                                                           \
		int r_ = fetch(x);                                                                                     \
		if (r_ != -(code) || !strstr((x)->err.msg, part))                                                      \
			fail_msg("%d: '%s' lacks '%s'", r_, (x)->err.msg, part);                                       \
	} while (0)

/* All files as "path=text;". */
static void assert_files(struct fixture *x, const char *expected)
{
	CLEANUP(buf_done) struct buf b = BUF_INIT(1 << 20);
	size_t n;
	const struct tree_file *files = tree_files(x->tree, &n);

	for (size_t i = 0; i < n; i++)
		buf_printf(&b, "%.*s=%.*s;", STR_ARG(files[i].path), STR_ARG(str_trim(files[i].text)));
	assert_string_equal(n ? b.p : "", expected);
}

static UNUSED void assert_str(str s, const char *expected)
{
	if (!str_eq(s, str_from(expected)))
		fail_msg("'%.*s' is not '%s'", STR_ARG(s), expected);
}

static int fixture_setup(void **state)
{
	struct fixture *x = calloc(1, sizeof(*x));

	*state = x;
	if (!x)
		return -1;
	(void)snprintf(x->top, sizeof(x->top), "/tmp/driftd-git-XXXXXX");
	if (!mkdtemp(x->top))
		return -1;
	(void)snprintf(x->url, sizeof(x->url), "file://%s/origin", x->top);
	(void)snprintf(x->scratch, sizeof(x->scratch), "%s/scratch", x->top);
	(void)snprintf(x->cache, sizeof(x->cache), "%s/cache", x->top);
	x->source = (struct source){ .name = STR("test"), .kind = SOURCE_GIT, .url = str_from(x->url) };
	shell(x, "git init -q -b main origin; mkdir cache; cd origin; mkdir -p ref/sub; echo 1 >ref/a.yaml; "
		 "echo 2 >ref/sub/b.yaml; echo 3 >top.txt; commit first");
	return 0;
}

static int fixture_teardown(void **state)
{
	struct fixture *x = *state;

	forget(x);
	arena_done(&x->arena);
	shell(x, "chmod -R u+w .; rm -rf \"$PWD\"");
	free(x);
	return 0;
}

#endif
