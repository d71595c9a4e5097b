/* How sources and revisions are shown. */
#include "config/source_shown.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_urls(void **state)
{
	static const struct {
		const char *url, *shown;
	} cases[] = {
		{ "https://git.example.com/a.git", "https://git.example.com/a.git" },
		{ "https://ada:secret@git.example.com/a.git", "https://***@git.example.com/a.git" },
		{ "https://ada:se@cret@git.example.com/a.git", "https://***@git.example.com/a.git" },
		{ "https://token@git.example.com", "https://***@git.example.com" },
		{ "git@git.example.com:team/a.git", "***@git.example.com:team/a.git" },
		{ "ssh://git@git.example.com:2222/a.git", "ssh://***@git.example.com:2222/a.git" },
		{ "https://example.com/a.tar.gz?X-Signature=abc", "https://example.com/a.tar.gz?***" },
		{ "https://u:p@example.com?sig=a@b", "https://***@example.com?***" },
		{ "https://example.com/a@b/c", "https://example.com/a@b/c" },
		{ "registry.example.com:5000/team/base", "registry.example.com:5000/team/base" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const struct source s = { .url = str_from(cases[i].url) };
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		buf_add_cstr(&out, "at ");
		source_show_url(&s, &out);
		assert_string_equal(out.p + 3, cases[i].shown);
	}
}

static void test_refs(void **state)
{
	static const struct {
		struct source s;
		const char *shown;
	} cases[] = {
		{ { .branch = { "main", 4 } }, "branch main" },
		{ { .tag = { "v1", 2 } }, "tag v1" },
		{ { .commit = { "3f2a", 4 } }, "commit 3f2a" },
		{ { .tag = { "v1", 2 }, .digest = { "sha256:ab", 9 } }, "tag v1, digest sha256:ab" },
		{ { .url = { "x", 1 } }, "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		buf_add_cstr(&out, "of ");
		source_show_ref(&cases[i].s, &out);
		assert_string_equal(out.p + 3, cases[i].shown);
	}
}

static void test_revisions(void **state)
{
	static const struct {
		const char *revision, *shown;
	} cases[] = {
		{ "3f2a9c1d0b12aaaaaaaaaaaaaaaaaaaaaaaaaaaa", "3f2a9c1d0b12" },
		{ "sha256:3f2a9c1d0b12aaaaaaaa", "sha256:3f2a9c1d0b12" },
		{ "sha256:3f2a", "sha256:3f2a" },
		{ "3f2a", "3f2a" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		CLEANUP(buf_done) struct buf out = BUF_INIT(4096);

		buf_add_byte(&out, ' ');
		source_show_revision(str_from(cases[i].revision), &out);
		assert_string_equal(out.p + 1, cases[i].shown);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_urls),
		cmocka_unit_test(test_refs),
		cmocka_unit_test(test_revisions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
