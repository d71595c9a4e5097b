/* kubegen/modules: folders with a case.json; the command runs in a copy of each, in a process of its own. */
#include "suite_kubegen.h"

#include "base/file.h"
#include "base/vec.h"
#include "config/part.h"
#include "value/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_MAX (64u << 20)

/* Run @run in a process of its own with the working directory @dir; its output goes to the file @to. */
static int run_child(const char *dir, const char *to, int (*run)(int argc, char **argv), int argc, char **argv)
{
	pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		int fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600);

		if (fd < 0 || chdir(dir) < 0 || dup2(fd, STDOUT_FILENO) < 0 || dup2(fd, STDERR_FILENO) < 0)
			_exit(127);
		status = run(argc, argv);
		(void)fflush(NULL);
		_exit(status);
	}
	if (pid > 0)
		(void)waitpid(pid, &status, 0);
	return status;
}

static int run_program(int argc, char **argv)
{
	(void)argc;
	execvp(argv[0], argv);
	return 127;
}

static bool copy_tree(const char *from, const char *to)
{
	char *argv[] = { "cp", "-r", (char *)(uintptr_t)from, (char *)(uintptr_t)to, NULL };

	return run_child("/", "/dev/null", run_program, 4, argv) == 0;
}

static void remove_tree(const char *path)
{
	char *argv[] = { "rm", "-rf", (char *)(uintptr_t)path, NULL };

	(void)run_child("/", "/dev/null", run_program, 3, argv);
}

/* A folder of the case while it runs. */
struct place {
	struct verdict *v;
	const char *source;
	str root; /* a temporary folder: root/case is the copy, root/out what the command says */
};

static str below(const struct place *p, const char *name)
{
	return arena_printf(p->v->arena, "%.*s/%s", STR_ARG(p->root), name);
}

/* The bytes of a file; a text that says why there are none. */
static str content(const struct place *p, const char *path)
{
	char *text = NULL;
	struct err err;
	size_t n;
	str s;

	if (file_read(path, OUT_MAX, &text, &n, &err) < 0)
		return arena_printf(p->v->arena, "(%s)", err.msg);
	s = arena_str(p->v->arena, (str){ text, n });
	free(text);
	return s;
}

/* Run the command with the case's arguments and @last, and give what it says. */
static str run_command(const struct place *p, val args, const char *last)
{
	char **argv = arena_array(p->v->arena, args.n + 3u, sizeof(*argv));
	str folder = below(p, "case"), out = below(p, "out");
	int argc = 0;

	argv[argc++] = "kubegen";
	for (uint32_t i = 0; i < args.n; i++)
		argv[argc++] = (char *)(uintptr_t)arena_str(p->v->arena, val_str(args.items[i])).p;
	if (last)
		argv[argc++] = (char *)(uintptr_t)last;
	argv[argc] = NULL;
	if (run_child(folder.p, out.p, cmd_kubegen, argc, argv) != 0)
		return arena_printf(p->v->arena, "(failed) %.*s", STR_ARG(content(p, out.p)));
	return content(p, out.p);
}

static void expect_files(const struct place *p, val writes)
{
	for (uint32_t i = 0; i < writes.n && p->v->outcome == PASSED; i++) {
		str path = val_str(writes.items[i]);
		str want = arena_printf(p->v->arena, "%s/expected/%.*s", p->source, STR_ARG(path));
		str got = arena_printf(p->v->arena, "%.*s/case/%.*s", STR_ARG(p->root), STR_ARG(path));

		verdict_text(p->v, content(p, want.p), content(p, got.p));
	}
}

/* The lines behind the first one of what the command says name the files, in their order. */
static void expect_report(const struct place *p, val writes, str report)
{
	CLEANUP(buf_done) struct buf want = BUF_INIT(OUT_MAX);
	ptrdiff_t end = str_find_byte(report, '\n');

	buf_printf(&want, "Wrote %u files", writes.n);
	if (!str_has_prefix(report, buf_str(&want)) || end < 0) {
		verdict_fail(p->v, buf_str(&want), report);
		return;
	}
	buf_clear(&want);
	for (uint32_t i = 0; i < writes.n; i++)
		buf_printf(&want, "  \xE2\x80\x93 %.*s\n", STR_ARG(val_str(writes.items[i])));
	verdict_text(p->v, buf_str(&want), str_sub(report, (size_t)end + 1, report.n));
}

static void judge_case(const struct place *p, val line)
{
	val args = VAL_GET(line, "args"), writes = VAL_GET(line, "writes");
	str expected = arena_printf(p->v->arena, "%s/expected/stdout", p->source);

	verdict_text(p->v, content(p, expected.p), run_command(p, args, "-s"));
	if (p->v->outcome == PASSED)
		expect_report(p, writes, run_command(p, args, NULL));
	expect_files(p, writes);
}

void judge_kubegen_modules(const char *path, struct verdict *v)
{
	struct json_options o = { .limits = v->limits, .keys = v->keys };
	CLEANUP(doc_unrefp) struct doc *doc = NULL;
	char root[] = "/tmp/driftd-kubegen-XXXXXX", *full = realpath(path, NULL);
	struct place p = { .v = v, .source = full, .root = str_from(root) };
	str name = arena_printf(v->arena, "%s/case.json", path);
	struct err err;

	if (!full || !mkdtemp(root)) {
		verdict_fail(v, STR("a folder"), str_from(strerror(errno)));
	} else {
		if (json_decode(content(&p, name.p), &o, &doc, &err) < 0)
			verdict_fail(v, STR("case.json"), str_from(err.msg));
		else if (!copy_tree(full, below(&p, "case").p))
			verdict_fail(v, STR("a copy"), STR("none"));
		else
			judge_case(&p, doc->root);
		remove_tree(root);
	}
	free(full);
}
