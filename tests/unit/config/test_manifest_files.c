/* Which files of a folder are manifests, what of them tells states apart, and which folders are followed. */
#include "config/manifest_files.h"

#include "base/limits.h"
#include "base/pattern.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define LIST_MAX 4

static const struct limits limits = LIMITS_DEFAULT;
static char folder[] = "/tmp/driftd-manifests-XXXXXX";

static void shell(const char *script)
{
	CLEANUP(freep) char *line = NULL;

	assert_true(asprintf(&line, "set -e; cd %s; %s", folder, script) > 0);
	assert_int_equal(system(line), 0);
}

static int setup(void **state)
{
	(void)state;
	return !mkdtemp(folder) || chdir(folder) < 0;
}

static int teardown(void **state)
{
	(void)state;
	shell("rm -rf ./* ./.[a-z]* ./..[a-z]*");
	return chdir("/") < 0 || rmdir(folder) < 0;
}

/* "m()": writes a manifest of a ConfigMap that is called as its first argument into the file that is the second. */
#define MANIFEST                                                                                                       \
	"m() { mkdir -p $(dirname $2); echo \"{apiVersion: v1, kind: ConfigMap, metadata: {name: '$1'}}\" >$2; }; "

static void begin(const char *script)
{
	CLEANUP(freep) char *all = NULL;

	assert_true(asprintf(&all, "rm -rf ./* ./.[a-z]* ./..[a-z]*; " MANIFEST "%s", script) > 0);
	shell(all);
}

static struct manifest_files files_of(const char *path, const char *const *include, const char *const *exclude,
				      str *texts)
{
	struct manifest_files f = { .path = path, .include.p = texts, .exclude.p = texts + LIST_MAX };

	for (; f.include.n < LIST_MAX && include[f.include.n]; f.include.n++)
		texts[f.include.n] = str_from(include[f.include.n]);
	for (; f.exclude.n < LIST_MAX && exclude[f.exclude.n]; f.exclude.n++)
		texts[LIST_MAX + f.exclude.n] = str_from(exclude[f.exclude.n]);
	return f;
}

/* "FOLDER: NAME NAME", or the error. */
static char *said_of(const struct manifest_files *f)
{
	struct manifest_files_read got = { 0 };
	struct buf out = BUF_INIT(4096);
	struct manifest_set set;
	struct err err;

	manifest_set_init(&set, &limits, NULL);
	if (manifest_files_read(f, &set, &got, &err) < 0)
		buf_add_cstr(&out, err.msg);
	else
		buf_printf(&out, "%.*s:", STR_ARG(got.folder));
	for (size_t i = 0; got.folder.p && i < set.list.n; i++)
		buf_printf(&out, " %.*s", STR_ARG(set.list.p[i].id.name));
	buf_add_byte(&out, '\0');
	manifest_set_done(&set);
	return buf_steal(&out);
}

static void test_which_files(void **state)
{
	static const struct {
		const char *name, *before, *path, *include[LIST_MAX], *exclude[LIST_MAX], *said;
	} rows[] = {
		{ "in byte order of their paths, not by folder",
		  "m 1 d/a.yaml; m 2 d/a/b.yaml; m 3 d/B.yml; m 4 d/a-.json",
		  "d",
		  { 0 },
		  { 0 },
		  "d/: 3 4 1 2" },
		{ "other names are none",
		  "m 1 d/a.yaml; m 2 d/b.txt; m 3 d/yaml; m 4 d/c.yaml.bak; m 5 d/d.YAML",
		  "d",
		  { 0 },
		  { 0 },
		  "d/: 1" },
		{ "hidden ones",
		  "m 1 d/a.yaml; m 2 d/.b.yaml; m 3 d/.git/c.yaml; m 4 d/e/.f/g.yaml; m 5 d/..data/h.yaml",
		  "d",
		  { 0 },
		  { 0 },
		  "d/: 1" },
		{ "a hidden folder that is asked for", "m 1 .d/a.yaml", ".d", { 0 }, { 0 }, ".d/: 1" },
		{ "below a hidden folder", "m 1 .d/e/a.yaml", ".d/e", { 0 }, { 0 }, ".d/e/: 1" },
		{ "as Kubernetes mounts a ConfigMap",
		  "m 1 d/..v1/a.yaml; ln -s ..v1 d/..data; ln -s ..data/a.yaml d/a.yaml",
		  "d",
		  { 0 },
		  { 0 },
		  "d/: 1" },
		{ "behind a link", "m 1 v/a.yaml; ln -s v d", "d", { 0 }, { 0 }, "d/: 1" },
		{ "slashes and dots", "m 1 d/e/a.yaml", "./d//", { 0 }, { 0 }, "d/: 1" },
		{ "this folder", "m 1 a.yaml; m 2 d/a.yaml", ".", { 0 }, { 0 }, "./: 1 2" },
		{ "one file", "m 1 d/a.yaml; m 2 d/b.yaml", "d/a.yaml", { 0 }, { 0 }, ": 1" },
		{ "one file of any name", "m 1 d/.a", "d/.a", { "x" }, { "*" }, ": 1" },
		{ "what is included",
		  "m 1 d/a.yaml; m 2 d/e/b.yaml; m 3 d/e/c.yaml",
		  "d",
		  { "e/*" },
		  { 0 },
		  "d/: 2 3" },
		{ "by one of several",
		  "m 1 d/a.yaml; m 2 d/e/b.yaml; m 3 d/f.yaml",
		  "d",
		  { "a.yaml", "e/*" },
		  { 0 },
		  "d/: 1 2" },
		{ "what is excluded",
		  "m 1 d/a.yaml; m 2 d/e/b.yaml; m 3 d/e/f/b.yaml",
		  "d",
		  { 0 },
		  { "e/*" },
		  "d/: 1" },
		{ "both", "m 1 d/a.yaml; m 2 d/e/b.yaml; m 3 d/e/c.yaml", "d", { "e/*" }, { "*c.yaml" }, "d/: 2" },
		{ "paths, not names", "m 1 d/a.yaml; m 2 d/e/a.yaml", "d", { "a.yaml" }, { 0 }, "d/: 1" },
		{ "none is left",
		  "m 1 d/a.yaml",
		  "d",
		  { 0 },
		  { "*" },
		  "no file of manifests in 'd': they are called *.yaml, *.yml or *.json, and include and exclude may "
		  "leave "
		  "them out" },
		{ "an empty folder",
		  "mkdir d",
		  "d",
		  { 0 },
		  { 0 },
		  "no file of manifests in 'd': they are called *.yaml, *.yml or *.json" },
		{ "nothing is there", "true", "d", { 0 }, { 0 }, "open d: no such file or directory" },
		{ "a link to nothing",
		  "m 1 d/a.yaml; ln -s nothing d/b.yaml",
		  "d",
		  { 0 },
		  { 0 },
		  "open d/b.yaml: no such file or directory" },
		{ "what would be waited for", "m 1 d/a.yaml; mkfifo d/b.yaml", "d", { 0 }, { 0 }, "d/: 1" },
		{ "a folder that is called as a file", "m 1 d/a.yaml/b.yaml", "d", { 0 }, { 0 }, "d/: 1" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		str texts[2 * LIST_MAX];
		struct manifest_files f = files_of(rows[i].path, rows[i].include, rows[i].exclude, texts);
		CLEANUP(freep) char *said = NULL;

		begin(rows[i].before);
		said = said_of(&f);
		if (strcmp(said, rows[i].said) != 0)
			fail_msg("%s: '%s' instead of '%s'", rows[i].name, said, rows[i].said);
	}
}

static uint64_t content_of(const struct manifest_files *f)
{
	struct manifest_files_read got = { 0 };
	struct manifest_set set;
	struct err err;

	manifest_set_init(&set, &limits, NULL);
	assert_int_equal(manifest_files_read(f, &set, &got, &err), 0);
	manifest_set_done(&set);
	return got.content;
}

static void test_what_changes(void **state)
{
	static const struct {
		const char *name, *change;
		bool content, state;
	} rows[] = {
		{ "nothing", "true", false, false },
		{ "written", "m 9 d/a.yaml", true, true },
		{ "the same is written", "sleep 0.02; m 1 d/a.yaml", false, true },
		{ "of the same size and time", "m 9 d/a.yaml; touch -d @0 d/a.yaml", true, true },
		{ "replaced by the same", "sleep 0.02; cp d/a.yaml x; mv x d/a.yaml", false, true },
		{ "another", "m 9 d/e/z.yaml", true, true },
		{ "removed", "rm d/e/b.yaml", true, true },
		{ "called otherwise", "mv d/a.yaml d/z.yaml", true, true },
		{ "a hidden one", "m 9 d/.git/x.yaml; m 9 d/e/.x.yaml", false, false },
		{ "one that is left out", "m 9 d/left.yaml", false, false },
		{ "other names", "m 9 d/x.txt", false, false },
		{ "an empty folder", "mkdir d/f", false, false },
		{ "behind a link", "m 9 l.yaml", true, true },
		{ "the link", "m 9 k.yaml; ln -sf ../k.yaml d/l.yaml", true, true },
	};
	static const char *const none[LIST_MAX], *const left[LIST_MAX] = { "left.yaml" };
	str texts[2 * LIST_MAX];
	const struct manifest_files f = files_of("d", none, left, texts);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(freep) char *change = NULL;
		uint64_t content, seen;

		begin("m 1 d/a.yaml; m 2 d/e/b.yaml; m 3 l.yaml; ln -s ../l.yaml d/l.yaml; touch -d @0 d/a.yaml");
		content = content_of(&f);
		seen = manifest_files_state(&f);
		assert_true(asprintf(&change, MANIFEST "%s", rows[i].change) > 0);
		shell(change);
		if ((content_of(&f) != content) != rows[i].content ||
		    (manifest_files_state(&f) != seen) != rows[i].state)
			fail_msg("%s: content %d, state %d", rows[i].name, content_of(&f) != content,
				 manifest_files_state(&f) != seen);
	}
}

/* It goes by what is there: without the folder it is another, and the same again when it is back. */
static void test_state_of_what_is_away(void **state)
{
	static const char *const none[LIST_MAX];
	str texts[2 * LIST_MAX];
	const struct manifest_files f = files_of("d", none, none, texts);
	uint64_t before, away;

	(void)state;
	begin("m 1 d/a.yaml");
	before = manifest_files_state(&f);
	shell("mv d e");
	away = manifest_files_state(&f);
	assert_int_not_equal(away, before);
	assert_int_equal(manifest_files_state(&f), away);
	shell("mkdir d");
	assert_int_not_equal(manifest_files_state(&f), before);
	shell("rmdir d; ln -s e d");
	assert_int_equal(manifest_files_state(&f), before);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void test_which_folders(void **state)
{
	static const struct {
		const char *before, *path, *folders;
	} rows[] = {
		{ "m 1 d/a.yaml; m 2 d/e/f/b.yaml; mkdir d/g", "d", " d/ d/e/ d/e/f/ d/g/" },
		{ "m 1 d/a.yaml; m 2 d/.git/b.yaml; mkdir d/e; m 3 d/..v1/a.yaml; ln -s ..v1 d/..data", "d",
		  " d/ d/e/" },
		{ "m 1 v/e/a.yaml; ln -s v d", "d", " d/ d/e/" },
		{ "m 1 d/a.yaml", "d/a.yaml", " d/a.yaml" },
		{ "true", "d", " d" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);
		struct string_list list = { 0 };
		struct err err;

		begin(rows[i].before);
		assert_int_equal(manifest_files_folders(rows[i].path, &list, &err), 0);
		qsort(list.v.p, list.v.n, sizeof(*list.v.p), by_name);
		for (size_t k = 0; k < list.v.n; k++)
			buf_printf(&out, " %s", list.v.p[k]);
		string_list_done(&list);
		if (!str_eq(buf_str(&out), str_from(rows[i].folders)))
			fail_msg("%s:%.*s instead of%s", rows[i].before, STR_ARG(buf_str(&out)), rows[i].folders);
	}
}

/* Its text is longer than files may be. */
static void test_too_long(void **state)
{
	const struct limits few = { .file_bytes = 10, .depth = 10, .document_nodes = 100, .arena_bytes = 1u << 20 };
	static const char *const none[LIST_MAX];
	str texts[2 * LIST_MAX];
	const struct manifest_files f = files_of("d", none, none, texts);
	struct manifest_files_read got;
	struct manifest_set set;
	struct err err;

	(void)state;
	begin("m 1 d/a.yaml");
	manifest_set_init(&set, &few, NULL);
	assert_int_equal(manifest_files_read(&f, &set, &got, &err), -E2BIG);
	assert_non_null(strstr(err.msg, "d/a.yaml"));
	manifest_set_done(&set);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_which_files),
		cmocka_unit_test(test_what_changes),
		cmocka_unit_test(test_state_of_what_is_away),
		cmocka_unit_test(test_which_folders),
		cmocka_unit_test(test_too_long),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
