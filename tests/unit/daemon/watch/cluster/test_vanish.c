/* A kind with very many objects that the server does not have any more: the turn of the loop that hears of it takes
 * them out of the snapshot and ends nothing, cluster_work ends their findings in slices, and neither walks a table of
 * objects once for each of them. What is walked is counted, so that no clock decides (tests/bench/bench_vanish.c). */
#include "support/capture.h"
#include "support/watched.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define OBJECTS ((size_t)20000)
/* A table has at most four slots for an entry; it may be walked a few times, not once for each entry. */
#define WALK_MAX (16 * OBJECTS)

/* Slots that were looked at while tables were walked: CMakeLists.txt wraps both functions. */
static size_t walked;

const struct strmap_entry *__real_strmap_each(const struct strmap *m, size_t *at);
const struct strmap_entry *__wrap_strmap_each(const struct strmap *m, size_t *at);

const struct strmap_entry *__wrap_strmap_each(const struct strmap *m, size_t *at)
{
	size_t from = *at;
	const struct strmap_entry *e = __real_strmap_each(m, at);

	walked += *at - from;
	return e;
}

void *__real_index_each(const struct index *x, size_t *at);
void *__wrap_index_each(const struct index *x, size_t *at);

void *__wrap_index_each(const struct index *x, size_t *at)
{
	size_t from = *at;
	void *thing = __real_index_each(x, at);

	walked += *at - from;
	return thing;
}

static struct capture records; /* nobody reads them */

static int setup(void **state)
{
	static struct watched w;

	if (!capture_begin(&records))
		return -1;
	watched_start(&w, TEST_DATA "/watch/any.yaml");
	watched_add_widgets(&w, OBJECTS);
	*state = &w;
	return 0;
}

static int teardown(void **state)
{
	watched_stop(*state);
	capture_end(&records);
	return 0;
}

static size_t n_drifted(const struct watched *w)
{
	return watched_count(w, FINDING_DRIFT);
}

static void test_a_kind_vanishes_in_slices(void **state)
{
	struct watched *w = *state;
	size_t before, left;

	assert_int_equal(n_drifted(w), OBJECTS);
	assert_true(walked > OBJECTS); /* or nothing is counted */
	walked = 0;
	fake_state(fake_watch("Widget"), KC_ABSENT);
	assert_true(walked < WALK_MAX);
	assert_int_equal(n_drifted(w), OBJECTS); /* nothing ends in the turn that hears of it */

	for (int i = 0; i < 3; i++) { /* time that is over is time for one at most */
		before = n_drifted(w);
		assert_true(cluster_work(w->cluster, 0));
		assert_in_range(n_drifted(w), before - 1, before);
	}
	left = n_drifted(w);
	walked = 0;
	watched_work(w);
	assert_true(walked < WALK_MAX);
	assert_true(left > OBJECTS / 2);
	assert_int_equal(n_drifted(w), 0);
	assert_int_equal(cluster_queue_length(w->cluster), 0);
	assert_false(cluster_work(w->cluster, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_kind_vanishes_in_slices, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
