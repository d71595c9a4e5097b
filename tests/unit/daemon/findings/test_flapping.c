/* What flaps: how often within which window, how many places are remembered, what is news of one that does. */
#include "daemon/findings/flapping.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define WINDOW_NS 100

static void begin(struct flapping *p, unsigned changes)
{
	*p = (struct flapping){ .changes = changes, .window_ns = WINDOW_NS };
	flapping_init(p);
}

static void test_changes_within_a_window(void **state)
{
	static const struct {
		unsigned changes;
		struct {
			unsigned n;
			uint64_t at_ns;
			bool flaps;
		} notes[4];
	} cases[] = {
		{ 0, { { 1, 1, false }, { 9, 2, false } } },
		{ 1, { { 1, 1, true } } },
		{ 2, { { 2, 1, true } } },
		{ 3, { { 1, 1, false }, { 1, 2, false }, { 1, 101, true } } },
		{ 3, { { 1, 1, false }, { 1, 2, false }, { 1, 102, false }, { 1, 102, true } } },
		{ 3, { { 2, 1, false }, { 0, 2, false }, { 1, 3, true }, { 0, 101, true } } },
		{ 3, { { 3, 1, true }, { 0, 101, true }, { 0, 102, false }, { 1, 103, false } } },
		{ 1, { { 0, 1, false }, { 0, 2, false } } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct flapping p;

		begin(&p, cases[i].changes);
		for (size_t k = 0; k < 4 && cases[i].notes[k].at_ns; k++)
			assert_int_equal(flapping_note(&p, STR("a"), cases[i].notes[k].n, cases[i].notes[k].at_ns),
					 cases[i].notes[k].flaps);
		flapping_done(&p);
	}
}

static void note_others(struct flapping *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		char key[32];

		(void)snprintf(key, sizeof(key), "%zu", i);
		assert_false(flapping_note(p, str_from(key), 1, 1));
	}
}

/* The oldest is forgotten when there is one too many; what changed again is not the oldest any more. */
static void test_places_are_bounded(void **state)
{
	static const struct {
		size_t others;
		bool flaps;
	} cases[] = { { FLAPPING_PLACES_MAX - 1, true }, { FLAPPING_PLACES_MAX, false } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct flapping p;

		begin(&p, 3);
		assert_false(flapping_note(&p, STR("a"), 2, 1));
		note_others(&p, cases[i].others);
		assert_int_equal(flapping_note(&p, STR("a"), 1, 1), cases[i].flaps);
		note_others(&p, cases[i].others - 1);
		assert_true(p.places.n <= FLAPPING_PLACES_MAX + 1);
		flapping_done(&p);
	}
}

static void test_news(void **state)
{
	static const struct {
		enum severity severity;
		const char *paths;
		bool news;
	} steps[] = {
		{ SEVERITY_INFO, "", false },      { SEVERITY_INFO, "a\nb", true },
		{ SEVERITY_INFO, "b", false },     { SEVERITY_INFO, "b\na", false },
		{ SEVERITY_INFO, "a\nab", true },  { SEVERITY_WARNING, "a", true },
		{ SEVERITY_WARNING, "ab", false }, { SEVERITY_INFO, "a\nb\nab", false },
		{ SEVERITY_ERROR, "", true },      { SEVERITY_WARNING, "", false },
		{ SEVERITY_ERROR, "c", true },     { SEVERITY_ERROR, "c", false },
	};
	struct flapping p;
	struct flap *flap;

	(void)state;
	begin(&p, 2);
	flap = flap_new(&p, NULL, 1);
	assert_non_null(flap);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		assert_int_equal(flap_is_news(flap, steps[i].severity, str_from(steps[i].paths)), steps[i].news);
	flapping_done(&p);
}

static void test_quiet(void **state)
{
	struct flapping p;
	struct flap *first, *second;
	struct record r;

	(void)state;
	begin(&p, 2);
	assert_null(flapping_quiet(&p, 1000));
	first = flap_new(&p, NULL, 1);
	second = flap_new(&p, NULL, 51);
	assert_non_null(first);
	assert_non_null(second);
	assert_null(flapping_quiet(&p, 100));
	assert_ptr_equal(flapping_quiet(&p, 101), first);
	record_init(&r, MESSAGE_NOTICE, 0);
	flap_change(&p, first, &r, 101);
	record_done(&r);
	assert_true(first->last.n > 0);
	assert_null(flapping_quiet(&p, 150));
	assert_ptr_equal(flapping_quiet(&p, 151), second);
	flap_free(&p, second);
	assert_null(flapping_quiet(&p, 151));
	p.changes = 0; /* nothing flaps any more */
	assert_ptr_equal(flapping_quiet(&p, 151), first);
	flapping_done(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_changes_within_a_window),
		cmocka_unit_test(test_places_are_bounded),
		cmocka_unit_test(test_news),
		cmocka_unit_test(test_quiet),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
