/* Limits and time; the corpus covers the output. */
#include "text/dmp.h"
#include "text/unified_diff.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static void test_equal_texts(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(100);
	struct limits lim = LIMITS_DEFAULT;
	struct err err;
	size_t score = 1;

	(void)state;
	assert_int_equal(unified_diff(STR("a\n"), STR("a\n"), &lim, &out, &err), 0);
	assert_int_equal(out.n, 0);
	assert_int_equal(dmp_score(STR("a\n"), STR("a\n"), &lim, &score, &err), 0);
	assert_int_equal(score, 0);
}

static void test_no_newline(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct limits lim = LIMITS_DEFAULT;
	struct err err;

	(void)state;
	assert_int_equal(unified_diff(STR("a\nb"), STR("a\nb\n"), &lim, &out, &err), 0);
	assert_string_equal(out.p, "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n");
}

static void test_limits(void **state)
{
	CLEANUP(buf_done) struct buf out = BUF_INIT(1000);
	struct limits lim = LIMITS_DEFAULT;
	struct err err;
	size_t score;

	(void)state;
	lim.diff_bytes = 3;
	assert_int_equal(unified_diff(STR("abcd"), STR("a"), &lim, &out, &err), -E2BIG);
	assert_int_equal(dmp_score(STR("abcd"), STR("a"), &lim, &score, &err), -E2BIG);
}

static str shuffled(struct buf *b, uint64_t seed, size_t lines)
{
	for (size_t i = 0; i < lines; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		buf_printf(b, "%u\n", (unsigned)(seed >> 33) % 50);
	}
	return buf_str(b);
}

/* Texts without order between their lines are the worst case: the search must end, whatever it finds. */
static void test_worst_case_ends(void **state)
{
	CLEANUP(buf_done) struct buf a = BUF_INIT((size_t)1 << 24);
	CLEANUP(buf_done) struct buf b = BUF_INIT((size_t)1 << 24);
	CLEANUP(buf_done) struct buf out = BUF_INIT((size_t)1 << 26);
	struct limits lim = LIMITS_DEFAULT;
	struct err err;

	(void)state;
	assert_int_equal(unified_diff(shuffled(&a, 1, 20000), shuffled(&b, 2, 20000), &lim, &out, &err), 0);
	assert_true(out.n > 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_equal_texts),
		cmocka_unit_test(test_no_newline),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_worst_case_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
