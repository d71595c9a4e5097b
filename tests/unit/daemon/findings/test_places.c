/* Places of fields as they are kept: random ones come back as they were, and what is none is not known. */
#include "daemon/findings/places.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define ROUNDS 2000

static const char *const texts[] = {
	"spec", "",    "a.b/c", "with \"quotes\"",    "a\nline", "(hidden)", "name",
	"k=1",  "[0]", "\\",    "naïve \xe2\x80\xae", "null",
};

static struct path_segment random_segment(void)
{
	enum path_kind kind = (enum path_kind)(rand() % (PATH_INDEX + 1));
	struct path_segment s = { .kind = kind, .text = str_from(texts[(size_t)rand() % ARRAY_LEN(texts)]) };

	if (kind == PATH_INDEX)
		return (struct path_segment){ .kind = kind, .index = (uint32_t)rand() };
	if (kind != PATH_KEY)
		s.again = rand() % 3 ? 0 : (uint32_t)rand() & PATH_AGAIN_MAX;
	if (kind == PATH_KEYS)
		s.index = rand() % 2 ? UINT32_MAX : (uint32_t)rand();
	return s;
}

static bool same_segment(const struct path_segment *a, const struct path_segment *b)
{
	bool indexed = a->kind == PATH_INDEX || a->kind == PATH_KEYS;

	return a->kind == b->kind && a->again == b->again && (!indexed || a->index == b->index) &&
	       str_eq(a->text, b->text);
}

static void test_random_places_come_back(void **state)
{
	const struct limits limits = LIMITS_DEFAULT;

	(void)state;
	srand(7);
	for (int round = 0; round < ROUNDS; round++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct path_segment segments[FINDING_PATHS_MAX][4];
		struct finding_path paths[FINDING_PATHS_MAX] = { 0 };
		struct finding_report r = { .paths = paths, .n_paths = (size_t)rand() % (FINDING_PATHS_MAX + 1) };
		val places;

		for (size_t i = 0; i < r.n_paths; i++) {
			paths[i].place = (struct path){ segments[i], (size_t)rand() % 5 };
			for (size_t k = 0; k < paths[i].place.n; k++)
				segments[i][k] = random_segment();
		}
		places = places_read(places_join(&r, &a), &limits, &a);
		for (size_t i = 0; i < r.n_paths; i++) {
			struct path p = { 0 };

			assert_int_equal(places_at(places, i, &a, &p), paths[i].place.n > 0);
			assert_int_equal(p.n, paths[i].place.n);
			for (size_t k = 0; k < p.n; k++)
				assert_true(same_segment(&p.segments[k], &segments[i][k]));
		}
		assert_false(places_at(places, r.n_paths, &a, &(struct path){ 0 }));
	}
}

static void test_what_is_no_place_is_not_known(void **state)
{
	static const char *const wrong[] = {
		"",
		"null",
		"7",
		"{}",
		"[]",
		"[null]",
		"[[]]",
		"[[null]]",
		"[[true]]",
		"[[-1]]",
		"[[4294967296]]",
		"[[{}]]",
		"[[{\"name\":1}]]",
		"[[\"spec\",[]]]",
		"[[\"spec\"",
		"spec.replicas",
		"[\"spec\"]",
	};
	const struct limits limits = LIMITS_DEFAULT;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		CLEANUP(arena_done) struct arena a = ARENA_INIT(0);
		struct path p;

		if (places_at(places_read(str_from(wrong[i]), &limits, &a), 0, &a, &p))
			fail_msg("%s is a place", wrong[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_places_come_back),
		cmocka_unit_test(test_what_is_no_place_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
