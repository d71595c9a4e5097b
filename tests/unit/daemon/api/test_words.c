/* Words of very many findings: the first ones, and the last, so that what all begin with can be told. */
#include "daemon/api/api_internal.h"

#include "support/findings_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define SHOWN 200 /* words of one answer */

static void report(struct findings_set *s, int n)
{
	char name[16];
	struct err err;

	(void)snprintf(name, sizeof(name), "n%03d", n);
	assert_int_equal(
		findings_report(s->findings,
				&(struct finding_report){ .kind = FINDING_DRIFT,
							  .severity = SEVERITY_ERROR,
							  .subject = { .kind = STR("Pod"), .name = str_from(name) },
							  .what = STR("w"),
							  .state = STR("s") },
				&err),
		0);
}

/* The words of @n findings, the first of the answer being @from, and the last @last. */
static void assert_words(struct findings_set *s, const char *beginning, int from, int n, int last)
{
	const struct metrics_view view = { .findings = s->findings };
	const struct word_query q = { .of = "name", .beginning = str_from(beginning) };
	CLEANUP(buf_done) struct buf out = BUF_INIT(1u << 20), expected = BUF_INIT(1u << 20);
	struct words *w;
	struct err err;

	assert_int_equal(words_new(&view, &q, &w, &err), 0);
	while (words_look(w, 0))
		;
	assert_int_equal(words_doc(w, &out, &err), 0);
	words_free(w);
	buf_printf(&expected, "{\"apiVersion\":\"driftd/v1\",\"kind\":\"WordList\"%s,\"items\":[",
		   n > SHOWN ? ",\"more\":true" : "");
	for (int i = 0; i < n && i < SHOWN; i++)
		buf_printf(&expected, "%s{\"word\":\"n%03d\"}", i ? "," : "",
			   n > SHOWN && i == SHOWN - 1 ? last : from + i);
	buf_add_cstr(&expected, "]}\n");
	assert_string_equal(out.p, expected.p);
}

/* They come in any order. */
static void test_many(void **state)
{
	static const int orders[] = { 1, 2, 300, 10, 150 }; /* steps from one to the next */

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(orders); i++) {
		struct findings_set s = { 0 };

		assert_int_equal(begin_findings(&s), 0);
		for (int n = 0; n < 301; n++)
			report(&s, n * orders[i] % 301);
		assert_words(&s, "", 0, 301, 300);
		assert_words(&s, "n1", 100, 100, 199);
		assert_words(&s, "n30", 300, 1, 300);
		assert_words(&s, "x", 0, 0, 0);
		end_findings(&s);
	}
}

static void test_as_many_as_are_shown(void **state)
{
	struct findings_set s = { 0 };

	(void)state;
	assert_int_equal(begin_findings(&s), 0);
	for (int n = 0; n < SHOWN; n++)
		report(&s, n);
	assert_words(&s, "", 0, SHOWN, 0);
	report(&s, SHOWN);
	assert_words(&s, "", 0, SHOWN + 1, SHOWN);
	end_findings(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_many), cmocka_unit_test(test_as_many_as_are_shown) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
