/* Changes of files that are told: in place, by renames, by links that lead elsewhere, of what did not exist. */
#include "kubeclient/kc_files.h"

#include "base/str.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#define LIMIT_MS 20000
/* What is not told within this time is not told. */
#define SILENCE_MS 500

/* CMakeLists.txt wraps both functions: there are no watches left, and nobody waits for long. */
static bool no_watches;

int __real_uv_fs_event_start(uv_fs_event_t *h, uv_fs_event_cb cb, const char *path, unsigned flags);
int __wrap_uv_fs_event_start(uv_fs_event_t *h, uv_fs_event_cb cb, const char *path, unsigned flags);
int __real_uv_timer_start(uv_timer_t *t, uv_timer_cb cb, uint64_t ms, uint64_t repeat);
int __wrap_uv_timer_start(uv_timer_t *t, uv_timer_cb cb, uint64_t ms, uint64_t repeat);

int __wrap_uv_fs_event_start(uv_fs_event_t *h, uv_fs_event_cb cb, const char *path, unsigned flags)
{
	return no_watches ? UV_ENOSPC : __real_uv_fs_event_start(h, cb, path, flags);
}

int __wrap_uv_timer_start(uv_timer_t *t, uv_timer_cb cb, uint64_t ms, uint64_t repeat)
{
	return __real_uv_timer_start(t, cb, ms == KC_FILES_LOOK_MS ? 20 : ms, repeat);
}

static char folder[] = "/tmp/driftd-files-XXXXXX";

static void shell(const char *script)
{
	CLEANUP(freep) char *line = NULL;

	assert_true(asprintf(&line, "set -e; cd %s; %s", folder, script) > 0);
	assert_int_equal(system(line), 0);
}

struct run {
	uv_loop_t loop;
	struct kc_files files;
	uv_timer_t timer;
	unsigned reported;
	bool over;
};

static void on_changed(void *ctx)
{
	struct run *r = ctx;

	r->reported++;
	uv_stop(&r->loop);
}

static void on_time(uv_timer_t *t)
{
	struct run *r = t->data;

	r->over = true;
	uv_stop(&r->loop);
}

static void on_closed(void *ctx)
{
	((struct run *)ctx)->over = true;
}

/* Until something is told, or @ms passed. */
static bool wait_for(struct run *r, uint64_t ms)
{
	unsigned before = r->reported;

	r->over = false;
	uv_update_time(&r->loop);
	uv_timer_start(&r->timer, on_time, ms, 0);
	while (r->reported == before && !r->over)
		uv_run(&r->loop, UV_RUN_DEFAULT);
	uv_timer_stop(&r->timer);
	return r->reported != before;
}

static void begin(struct run *r, const char *path)
{
	CLEANUP(freep) char *full = NULL;

	*r = (struct run){ 0 };
	assert_true(asprintf(&full, "%s%s%s", *path == '/' ? "" : folder, *path == '/' ? "" : "/", path) > 0);
	uv_loop_init(&r->loop);
	uv_timer_init(&r->loop, &r->timer);
	r->timer.data = r;
	kc_files_init(&r->files, &r->loop, on_changed, r);
	kc_files_watch(&r->files, (const char *const[]){ NULL, full }, 2);
}

static void end(struct run *r)
{
	kc_files_close(&r->files, on_closed);
	uv_close((uv_handle_t *)&r->timer, NULL);
	r->over = false;
	uv_run(&r->loop, UV_RUN_DEFAULT);
	assert_true(r->over);
	assert_int_equal(uv_loop_close(&r->loop), 0);
}

/* As Kubernetes mounts a volume and replaces its content. */
#define MOUNT(version) "mkdir v" version "; echo " version " >v" version "/token; ln -s v" version " data" version "; "

static void test_changes(void **state)
{
	static const struct {
		const char *name, *before, *path, *change;
		bool reported;
	} rows[] = {
		{ "written", "echo 1 >f", "f", "echo 2 >f", true },
		{ "renamed over", "echo 1 >f", "f", "echo 2 >g; mv g f", true },
		{ "removed", "echo 1 >f", "f", "rm f", true },
		{ "created", "true", "f", "echo 1 >f", true },
		{ "created with its folder", "true", "d/e/f", "mkdir -p d/e; echo 1 >d/e/f", true },
		{ "mount rotated", MOUNT("1") "ln -s v1 ..data; ln -s ..data/token token", "token",
		  MOUNT("2") "ln -s v2 ..tmp; mv -T ..tmp ..data", true },
		{ "link of a folder", "mkdir a b; echo 1 >a/f; echo 2 >b/f; ln -s a d", "d/f", "ln -sfn b d", true },
		{ "behind a link", "mkdir a; echo 1 >a/f; ln -s a/f l", "l", "echo 2 >a/f", true },
		{ "behind an absolute link", "mkdir a; echo 1 >a/f; ln -s $PWD/a/f l", "l", "echo 2 >a/f", true },
		{ "folder replaced", "mkdir a b; echo 1 >a/f; echo 2 >b/f", "a/f", "mv a c; mv b a", true },
		{ "another file", "echo 1 >f", "f", "echo 2 >g; mv g h; rm h", false },
		{ "links in a circle", "ln -s b a; ln -s a b", "a", "echo 1 >g", false },
		{ "of a folder: one more", "mkdir d", "d/", "echo 1 >d/f", true },
		{ "of a folder: one less", "mkdir d; echo 1 >d/f", "d/", "rm d/f", true },
		{ "of a folder: renamed", "mkdir d; echo 1 >d/f", "d/", "mv d/f d/g", true },
		{ "of a folder: a folder", "mkdir d", "d/", "mkdir d/e", true },
		{ "of a folder: a mount", "mkdir d; cd d; " MOUNT("1") "ln -s v1 ..data; ln -s ..data/token token",
		  "d/", "cd d; ln -s v2 ..tmp; mv -T ..tmp ..data", true },
		{ "of a folder: it comes", "true", "d/", "mkdir d", true },
		{ "of a folder: it goes", "mkdir d", "d/", "rmdir d", true },
		{ "of a folder: another one", "mkdir d e; echo 1 >e/f", "d/", "mv d g; mv e d", true },
		{ "of a folder: a link that leads elsewhere", "mkdir a b; ln -s a d", "d/", "ln -sfn b d", true },
		{ "of a folder: behind a link", "mkdir a; ln -s a d", "d/", "echo 1 >a/f", true },
		{ "of a folder: below it", "mkdir -p d/e; echo 1 >d/e/f", "d/", "echo 2 >d/e/f; echo 1 >d/e/g", false },
		{ "of a folder: beside it", "mkdir d", "d/", "echo 1 >f; mkdir e", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct run r;

		shell("rm -rf ./* ./..data ./..tmp");
		shell(rows[i].before);
		begin(&r, rows[i].path);
		shell(rows[i].change);
		if (wait_for(&r, rows[i].reported ? LIMIT_MS : SILENCE_MS) != rows[i].reported)
			fail_msg("%s: %s", rows[i].name, rows[i].reported ? "not told" : "told");
		end(&r);
	}
}

static void test_changes_without_watches(void **state)
{
	assert_int_equal(kc_files_unwatched(), 0);
	no_watches = true;
	test_changes(state);
	no_watches = false;
	assert_int_equal(kc_files_unwatched(), -ENOSPC);
}

/* Without watches only what comes and goes is told of a folder. */
static void test_written_in_a_folder(void **state)
{
	struct run r;

	(void)state;
	shell("rm -rf ./* ./..data; mkdir d; echo 1 >d/f");
	begin(&r, "d/");
	shell("echo 2 >d/f");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("touch d/f");
	assert_true(wait_for(&r, LIMIT_MS));
	assert_false(wait_for(&r, SILENCE_MS));
	end(&r);
}

/* It is watched from then on. */
static void test_a_folder_that_comes_back(void **state)
{
	struct run r;

	(void)state;
	shell("rm -rf ./* ./..data; mkdir d");
	begin(&r, "d/");
	shell("mv d e");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("mkdir d");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("echo 1 >d/f");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("echo 1 >e/f"); /* it is another folder now */
	assert_false(wait_for(&r, SILENCE_MS));
	end(&r);
}

/* There are some again. */
static void test_watches_come_back(void **state)
{
	struct run r;

	(void)state;
	shell("rm -rf ./* ./..data; echo 1 >f");
	no_watches = true;
	begin(&r, "f");
	assert_int_equal(r.files.unwatched, UV_ENOSPC);
	no_watches = false;
	assert_false(wait_for(&r, SILENCE_MS));
	assert_int_equal(r.files.unwatched, 0);
	shell("echo 2 >f");
	assert_true(wait_for(&r, LIMIT_MS));
	end(&r);
}

/* A change is followed to where it leads: the next one, in the new place, is told too. */
static void test_follows(void **state)
{
	struct run r;

	(void)state;
	shell("rm -rf ./* ./..data; mkdir v1 v2 v3; ln -s v1 ..data; ln -s ..data/token token");
	shell("for i in 1 2 3; do echo $i >v$i/token; done");
	begin(&r, "token");
	shell("ln -s v2 tmp; mv -T tmp ..data; rm -r v1");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("echo in place >v2/token");
	assert_true(wait_for(&r, LIMIT_MS));
	shell("ln -s v3 tmp; mv -T tmp ..data; rm -r v2");
	assert_true(wait_for(&r, LIMIT_MS));
	end(&r);
}

/* Many changes at once are told once. */
static void test_together(void **state)
{
	struct run r;

	(void)state;
	shell("rm -rf ./* ./..data; echo 1 >f");
	begin(&r, "f");
	shell("for i in 1 2 3 4 5 6 7 8 9; do echo $i >g; mv g f; done");
	assert_true(wait_for(&r, LIMIT_MS));
	assert_false(wait_for(&r, SILENCE_MS));
	end(&r);
}

static void test_nothing_to_watch(void **state)
{
	struct run r;

	(void)state;
	begin(&r, "/");
	assert_false(wait_for(&r, 10));
	kc_files_watch(&r.files, NULL, 0);
	end(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes),
		cmocka_unit_test(test_changes_without_watches),
		cmocka_unit_test(test_written_in_a_folder),
		cmocka_unit_test(test_a_folder_that_comes_back),
		cmocka_unit_test(test_watches_come_back),
		cmocka_unit_test(test_follows),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_nothing_to_watch),
	};
	int r;

	if (!mkdtemp(folder))
		return 1;
	r = cmocka_run_group_tests(tests, NULL, NULL);
	shell("rm -rf ./* ./..data ./..tmp");
	rmdir(folder);
	return r;
}
