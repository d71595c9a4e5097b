/* Fetching from repositories that git makes here: what comes, what is said of it, and what is refused. */
#include "unit/daemon/fetch/git_fixture.h"

/* ---- what comes ---- */

static void test_first_fetch(void **state)
{
	struct fixture *x = *state;
	char head[256];

	assert_fetched(x);
	shell_into(x, "git -C origin rev-parse HEAD", head);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	assert_str(x->f.revision.revision, head);
	assert_str(x->f.revision.title, "main");
	assert_str(x->f.revision.signer, "");
	assert_false(x->f.unchanged);
	assert_false(x->f.revision.rewritten);
	assert_int_equal(x->f.revision.n_log, 1);
	assert_str(x->f.revision.log[0].id, head);
	assert_str(x->f.revision.log[0].author, "Ada Lovelace");
	assert_str(x->f.revision.log[0].subject, "first");
	assert_true(x->f.revision.log[0].time > 1600000000);
	shell(x, "test ! -e cache/ref; test ! -e scratch/ref; test ! -e cache/repository.git/FETCH_HEAD");
}

static void test_folder(void **state)
{
	struct fixture *x = *state;

	x->source.path = STR("ref");
	assert_fetched(x);
	assert_files(x, "a.yaml=1;sub/b.yaml=2;");
	x->source.path = STR("ref/sub");
	assert_fetched(x);
	assert_files(x, "b.yaml=2;");
	x->source.path = STR("ref/nowhere");
	assert_refused(x, ENOENT, "there is no folder 'ref/nowhere'");
	x->source.path = STR("ref/a.yaml");
	assert_refused(x, ENOENT, "'ref/a.yaml' is not a folder");
	x->source.path = STR("../ref");
	assert_refused(x, EINVAL, "no good path");
}

static void test_unchanged_then_grown(void **state)
{
	struct fixture *x = *state;

	assert_fetched(x);
	remember_head(x);
	assert_fetched(x);
	assert_true(x->f.unchanged);
	assert_files(x, "");
	shell(x, "cd origin; echo 4 >top.txt; commit 'second'; git rm -q ref/a.yaml; commit 'third'");
	assert_fetched(x);
	assert_false(x->f.unchanged);
	assert_false(x->f.revision.rewritten);
	assert_files(x, "ref/sub/b.yaml=2;top.txt=4;");
	assert_int_equal(x->f.revision.n_log, 3);
	assert_str(x->f.revision.log[0].subject, "third");
	assert_str(x->f.revision.log[1].subject, "second");
}

static void test_branch_tag_and_commit(void **state)
{
	struct fixture *x = *state;
	char old[256];

	shell(x, "cd origin; git tag light; git tag -a -m 'a tag' annotated; echo old >top.txt; commit old; git "
		 "checkout -q -b "
		 "side/way; echo new >top.txt; commit new; git checkout -q main");
	x->source.branch = STR("side/way");
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=new;");
	assert_str(x->f.revision.title, "side/way");
	x->source.branch = STR("");
	x->source.tag = STR("light");
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	x->source.tag = STR("annotated");
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	assert_str(x->f.revision.title, "annotated");
	remember_head(x);
	x->before[0] = '\0';
	x->source.tag = STR("");
	shell_into(x, "git -C origin rev-parse main", old);
	x->source.commit = str_from(old);
	assert_fetched(x);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=old;");
	assert_str(x->f.revision.revision, old);
}

static void test_what_is_not_there(void **state)
{
	struct fixture *x = *state;
	char missing[128];

	x->source.branch = STR("nope");
	assert_refused(x, ENOENT, "there is no branch 'nope'");
	x->source.branch = STR("");
	x->source.tag = STR("main"); /* which is a branch */
	assert_refused(x, ENOENT, "there is no tag 'main'");
	x->source.tag = STR("");
	x->source.commit = STR("0123456789012345678901234567890123456789");
	assert_refused(x, ENOENT, "there is no commit 0123456789");
	x->source.commit = STR("");
	(void)snprintf(missing, sizeof(missing), "file://%s/nowhere", x->top);
	x->source.url = str_from(missing);
	assert_refused(x, ENOENT, "does not appear to be a git repository");
	shell(x, "git init -q --bare empty.git");
	(void)snprintf(missing, sizeof(missing), "file://%s/empty.git", x->top);
	x->source.url = str_from(missing);
	assert_refused(x, ENOENT, "it has no HEAD");
}

static void test_commit_that_no_reference_names(void **state)
{
	struct fixture *x = *state;
	char old[256];

	shell(x,
	      "cd origin; i=0; while [ $i -lt 70 ]; do commit c$i; i=$((i+1)); done; git config "
	      "uploadpack.allowAnySHA1InWant false; git config uploadpack.allowReachableSHA1InWant false; git config "
	      "uploadpack.advertiseRefs x 2>/dev/null || true");
	shell_into(x, "git -C origin rev-parse main~60", old);
	x->source.commit = str_from(old);
	assert_fetched(x);
	assert_str(x->f.revision.revision, old);
	shell(x, "mv origin away");
	(void)memcpy(x->before, old, 41);
	assert_fetched(x); /* it is known to be that for ever */
	assert_true(x->f.unchanged);
}

static void test_sha256(void **state)
{
	struct fixture *x = *state;

	assert_fetched(x);
	shell(x,
	      "rm -rf origin; git init -q -b main --object-format=sha256 origin; cd origin; echo 256 >a; commit one");
	assert_fetched(x);
	assert_files(x, "a=256;");
	assert_int_equal(x->f.revision.revision.n, 64);
}

/* ---- history ---- */

static void test_long_history_is_not_fetched(void **state)
{
	struct fixture *x = *state;
	char count[256];

	shell(x, "cd origin; i=0; while [ $i -lt 200 ]; do commit c$i; i=$((i+1)); done");
	assert_fetched(x);
	assert_int_equal(x->f.revision.n_log, 50);
	assert_str(x->f.revision.log[49].subject, "c150");
	shell_into(x, "git -C cache/repository.git rev-list --count refs/driftd/fetched", count);
	assert_string_equal(count, "51");
	/* The cache is lost: the revision before is not among the newest. */
	remember_head(x);
	shell(x, "rm -rf cache/*; cd origin; i=0; while [ $i -lt 60 ]; do commit d$i; i=$((i+1)); done");
	assert_fetched(x);
	assert_false(x->f.revision.rewritten);
	shell_into(x, "git -C cache/repository.git rev-list --count refs/driftd/fetched", count);
	assert_string_equal(count, "261");
}

static void test_force_push(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; commit second");
	assert_fetched(x);
	remember_head(x);
	shell(x, "cd origin; git reset -q --hard HEAD~; echo other >top.txt; commit other");
	assert_fetched(x);
	assert_true(x->f.revision.rewritten);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=other;");
	remember_head(x);
	shell(x, "cd origin; commit more");
	assert_fetched(x);
	assert_false(x->f.revision.rewritten);
	shell(x, "rm -rf origin; git init -q -b main origin; cd origin; echo x >x; commit unrelated");
	assert_fetched(x);
	assert_true(x->f.revision.rewritten);
	assert_files(x, "x=x;");
}

/* Back to an older commit: what was before is no ancestor. */
static void test_push_back(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; i=0; while [ $i -lt 70 ]; do commit c$i; i=$((i+1)); done");
	assert_fetched(x);
	remember_head(x);
	shell(x, "cd origin; git reset -q --hard HEAD~60");
	assert_fetched(x);
	assert_true(x->f.revision.rewritten);
}

static void test_moved_tag(void **state)
{
	struct fixture *x = *state;

	x->source.tag = STR("v1");
	shell(x, "cd origin; git tag v1");
	assert_fetched(x);
	remember_head(x);
	shell(x, "cd origin; echo moved >top.txt; commit second; git tag -f v1 >/dev/null 2>&1");
	assert_fetched(x);
	assert_true(x->f.revision.rewritten);
	assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=moved;");
	remember_head(x);
	shell(x, "cd origin; git tag -d v1 >/dev/null; git tag -a -m m v1"); /* another tag of the same commit */
	assert_fetched(x);
	assert_true(x->f.unchanged);
	assert_false(x->f.revision.rewritten);
}

static void test_texts_of_the_log(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; export GIT_AUTHOR_NAME=\"$(printf 'A\\033[2Jb')\"; commit \"$(printf "
		 "'sub\\303\\244\\033]0;x\\007 "
		 "%0300d' 0)\"; export GIT_AUTHOR_NAME=\"$(printf 'J\\374rgen')\"; git config i18n.commitEncoding "
		 "ISO-8859-1; "
		 "commit \"$(printf 'gr\\374n')\"; git config i18n.commitEncoding UTF-8; "
		 "commit badXbytes; LC_ALL=C; git cat-file commit HEAD | sed \"s/X/$(printf '\\377')/\" >../raw; "
		 "git update-ref HEAD $(git hash-object -t commit -w ../raw)");
	assert_fetched(x);
	assert_str(x->f.revision.log[0].subject, "bad bytes");
	assert_str(x->f.revision.log[1].author, "J\xC3\xBCrgen");
	assert_str(x->f.revision.log[1].subject, "gr\xC3\xBCn");
	assert_str(x->f.revision.log[2].author, "A [2Jb");
	assert_true(x->f.revision.log[2].subject.n <= SOURCE_TEXT_MAX);
	assert_true(str_has_prefix(x->f.revision.log[2].subject, STR("sub\xC3\xA4 ]0;x  00000")));
}

/* ---- hostile trees ---- */

static void test_links_and_submodules(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; ln -s /etc/passwd ref/link; ln -s .. up; git update-index --add --cacheinfo "
		 "160000,0123456789012345678901234567890123456789,module; printf '[submodule \"m\"]\\n\\tpath = "
		 "module\\n\\turl = "
		 "https://127.0.0.1:1/x\\n' >.gitmodules; git add ref up .gitmodules; git commit -q -m links");
	assert_fetched(x);
	assert_int_equal(tree_left_out(x->tree), 3);
	x->source.path = STR("ref");
	assert_fetched(x);
	assert_files(x, "a.yaml=1;sub/b.yaml=2;");
	assert_int_equal(tree_left_out(x->tree), 1);
	x->source.path = STR("up/ref");
	assert_refused(x, ENOENT, "no folder 'up/ref'");
}

static void make_tree(struct fixture *x, const char *name)
{
	char script[512];

	(void)snprintf(
		script, sizeof(script),
		"cd origin; b=$(echo x | git hash-object -w --stdin); t=$(python3 -c \"import sys; "
		"sys.stdout.buffer.write(b'100644 ' + sys.argv[1].encode('utf-8', 'surrogateescape') + b'\\\\0' + "
		"bytes.fromhex(sys.argv[2]))\" '%s' $b | git hash-object -w -t tree --literally --stdin); c=$(git "
		"commit-tree -m hostile $t); git update-ref refs/heads/hostile $c",
		name);
	shell(x, script);
}

static void test_names(void **state)
{
	struct fixture *x = *state;
	static const struct {
		const char *name;
		int code;
	} cases[] = {
		{ "..", EINVAL },   { ".", EINVAL },    { ".git", EBADMSG }, { "a/b", EBADMSG },
		{ "a\\b", EINVAL }, { "a\nb", EINVAL }, { "a\xff", EINVAL },
	};

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		int r;

		make_tree(x, cases[i].name);
		x->source.branch = STR("hostile");
		r = fetch(x);
		/* What git itself refuses is EBADMSG, what it lets pass the tree refuses. */
		if (r != -EINVAL && r != -EBADMSG)
			fail_msg("case %zu: %d %s", i, r, x->err.msg);
		shell(x, "rm -rf cache/*");
	}
}

static void test_lfs(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%064d\\nsize 12345\\n' 0 "
		 ">ref/big.bin; echo '*.bin filter=lfs diff=lfs merge=lfs -text' >.gitattributes; commit lfs");
	assert_refused(x, EINVAL, "the file 'ref/big.bin' is kept in Git LFS");
}

static void test_filters_and_hooks_do_not_run(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; echo '* filter=evil ident text eol=crlf' >.gitattributes; printf 'a $Id$\\r\\n' "
		 ">ref/a.yaml; commit "
		 "attributes");
	assert_fetched(x);
	shell(x, "mkdir -p cache/repository.git/hooks; for h in post-checkout reference-transaction pre-auto-gc "
		 "post-update; do printf '#!/bin/sh\\ntouch %s/hook-ran\\n' \"$PWD\" >cache/repository.git/hooks/$h; "
		 "chmod +x "
		 "cache/repository.git/hooks/$h; done; cd origin; commit more");
	x->source.path = STR("ref");
	assert_fetched(x);
	assert_files(x, "a.yaml=a $Id$;sub/b.yaml=2;");
	shell(x, "test ! -e hook-ran");
}

static void test_large_file(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; head -c 8388608 /dev/zero >ref/zero; commit just");
	assert_fetched(x);
	shell(x, "cd origin; head -c 8388609 /dev/zero >ref/zero; commit large");
	assert_refused(x, E2BIG, "the file 'ref/zero' has more than 8 MiB");
	x->source.path = STR("ref/sub");
	assert_fetched(x); /* it is not in there */
	shell(x,
	      "cd origin; rm ref/zero; head -c 8388000 /dev/zero >ref/sub/1; for i in 2 3 4 5 6 7 8 9; do cp ref/sub/1 "
	      "ref/sub/$i; done; commit many");
	assert_refused(x, E2BIG, "more than 64 MiB together");
}

static void test_many_files(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; b=$(git hash-object -w ref/a.yaml); i=0; while [ $i -lt 20001 ]; do printf '100644 blob "
		 "%s\\tf%d\\n' $b $i; i=$((i+1)); done | git mktree >../tree; c=$(git commit-tree -m many $(cat "
		 "../tree)); git "
		 "update-ref refs/heads/many $c");
	x->source.branch = STR("many");
	assert_refused(x, E2BIG, "more than 20000 files");
}

/* Ten folders, each of which is the same one, eight times over. */
static void test_tree_bomb(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; b=$(git hash-object -w ref/a.yaml); t=$(printf '120000 blob %s\\tlink\\n' $b | git "
		 "mktree); for i in "
		 "1 2 3 4 5 6 7 8; do t=$(for j in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\td%d\\n' $t $j; "
		 "done | git "
		 "mktree); done; c=$(git commit-tree -m bomb $t); git update-ref refs/heads/bomb $c");
	x->source.branch = STR("bomb");
	assert_refused(x, E2BIG, "more files and links than are taken");
}

static void test_tag_of_something_else(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; git tag -a -m tree tree HEAD^{tree}; git tag -a -m inner inner; git tag -a -m outer outer "
		 "inner; "
		 "git tag blob HEAD:top.txt");
	x->source.tag = STR("tree");
	assert_refused(x, EINVAL, "the tag names no commit");
	x->source.tag = STR("outer");
	assert_refused(x, EINVAL, "the tag names no commit");
	x->source.tag = STR("blob");
	assert_refused(x, EINVAL, "is not a commit");
}

/* ---- the cache ---- */

static void test_damage(void **state)
{
	static const char *const damages[] = {
		"rm -rf objects",
		"rm HEAD",
		"echo x >HEAD",
		"echo x >config",
		"rm -rf refs",
		"echo x >refs/driftd/fetched",
		"rm objects/pack/*.pack",
		"for i in objects/pack/*.pack; do chmod u+w $i; echo x >$i; done",
		"for i in objects/pack/*.idx; do chmod u+w $i; : >$i; done",
		"touch config.lock HEAD.lock shallow.lock "
		"packed-refs.lock refs/driftd/fetched.lock objects/pack/tmp_pack_xyz gc.pid",
		"echo garbage >shallow",
		"rm -rf *",
		"rm -rf ../repository.git; echo x >../repository.git",
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(damages); i++) {
		char script[256];
		int r;

		x->before[0] = '\0';
		assert_fetched(x);
		remember_head(x);
		(void)snprintf(script, sizeof(script), "cd cache/repository.git; %s", damages[i]);
		shell(x, script);
		if (i % 2)
			shell(x, "cd origin; commit more");
		x->before[0] = '\0';
		r = fetch(x);
		if (r < 0)
			fail_msg("%s: %s", damages[i], x->err.msg);
		assert_files(x, "ref/a.yaml=1;ref/sub/b.yaml=2;top.txt=3;");
	}
}

static void test_packs_are_put_together(void **state)
{
	struct fixture *x = *state;
	char count[256];

	for (int i = 0; i < 24; i++) {
		shell(x, "cd origin; commit more");
		assert_fetched(x);
	}
	shell_into(x, "ls cache/repository.git/objects/pack/*.pack | wc -l", count);
	assert_true(atoi(count) <= 20); /* NOLINT(cert-err34-c): wc */
	assert_int_equal(x->f.revision.n_log, 25);
}

static void test_kill_in_mid_fetch(void **state)
{
	struct fixture *x = *state;

	shell(x, "cd origin; i=0; while [ $i -lt 40 ]; do head -c 300000 /dev/urandom >ref/r$i; i=$((i+1)); done; "
		 "commit random");
	for (unsigned i = 0; i < 12; i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0) {
			(void)fetch(x);
			_exit(0);
		}
		(void)usleep(15000 * (i + 1));
		(void)kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
	}
	x->source.path = STR("ref/sub");
	assert_fetched(x);
	assert_files(x, "b.yaml=2;");
}

/* ---- URLs ---- */

static void test_urls(void **state)
{
	static const char *const bad[] = {
		"",
		"-u",
		"--upload-pack=touch /tmp/x",
		"ext::sh -c true",
		"/etc",
		"../x",
		"file://host/x",
		"ftp://h/x",
		"http://h/x",
		"https://user:password@h/x",
		"https://token@h/x",
		"https://-h/x",
		"ssh://-oProxyCommand=x/y",
		"ssh://u:p@h/x",
		"git@-h:x",
		"git@h:-x",
		"git@h::x",
		"https://h",
		"https://h/x\n",
		"https://h/x y",
		"https://h/'x'",
		"https://h/$(x)",
		"https://h/x?y",
		"git://h/x",
		"HTTPS://h/x",
		"h:x",
		"fd::17/x",
		"ssh://h/x",
		"git@h:x",
		"https://h\\@x/y",
		"https:///x",
	};
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		x->source.url = str_from(bad[i]);
		if (fetch(x) != -EINVAL)
			fail_msg("'%s': %s", bad[i], x->err.msg);
		assert_null(strstr(x->err.msg, ":password@"));
	}
}

static void test_names_of_references(void **state)
{
	static const char *const bad[] = { "-x", "a..b", "a b", "a*",   "a:b", "a~1",    "a^",  "a@{1}",
					   "@",  "/a",   "a/",  "a//b", ".a",  "a.lock", "a\n", "a\\b" };
	struct fixture *x = *state;

	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		x->source.branch = str_from(bad[i]);
		x->source.tag = (str){ NULL, 0 };
		assert_refused(x, EINVAL, "no good name of a branch");
		x->source.tag = str_from(bad[i]);
		x->source.branch = (str){ NULL, 0 };
		assert_refused(x, EINVAL, "no good name of a tag");
	}
	x->source.tag = (str){ NULL, 0 };
	x->source.commit = STR("abc");
	assert_refused(x, EINVAL, "no good commit");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
	const struct CMUnitTest tests[] = {
		TEST(test_first_fetch),
		TEST(test_folder),
		TEST(test_unchanged_then_grown),
		TEST(test_branch_tag_and_commit),
		TEST(test_what_is_not_there),
		TEST(test_commit_that_no_reference_names),
		TEST(test_sha256),
		TEST(test_long_history_is_not_fetched),
		TEST(test_force_push),
		TEST(test_push_back),
		TEST(test_moved_tag),
		TEST(test_texts_of_the_log),
		TEST(test_links_and_submodules),
		TEST(test_names),
		TEST(test_lfs),
		TEST(test_filters_and_hooks_do_not_run),
		TEST(test_large_file),
		TEST(test_many_files),
		TEST(test_tree_bomb),
		TEST(test_tag_of_something_else),
		TEST(test_damage),
		TEST(test_packs_are_put_together),
		TEST(test_kill_in_mid_fetch),
		TEST(test_urls),
		TEST(test_names_of_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
