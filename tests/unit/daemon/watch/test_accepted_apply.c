/* Changes of acceptances are applied in slices, however much they are about. The clock takes a tick with each look at
 * it: a slice is over at the first. */
#include "daemon/watch/accepted_apply.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define OBJECTS 600
#define LOOKS_AT_ONCE 128 /* at objects: CONCERNED_AT_ONCE of cluster_judge.c */

/* CMakeLists.txt wraps the function. */
static uint64_t now;

uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void)
{
	return ++now;
}

static struct watched w;
static struct accepted_round r;
static struct capture records; /* nobody reads them */

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&records))
		return -1;
	watched_start(&w, TEST_DATA "/watch/any.yaml");
	watched_add_widgets(&w, OBJECTS);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), OBJECTS);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	accepted_round_end(&r);
	watched_stop(&w);
	capture_end(&records);
	return 0;
}

static struct acceptance acceptance(const char *namespace, const char *name)
{
	return (struct acceptance){ .kind = STR("Widget"),
				    .namespace = namespace ? str_from(namespace) : (str){ 0 },
				    .name = str_from(name),
				    .path = STR("spec.size"),
				    .reason = STR("a test") };
}

static void put(const char *namespace, const char *name)
{
	const struct acceptance a = acceptance(namespace, name);
	struct err err;

	watched_must(acceptances_put(w.acceptances, &a, false, &err), &err);
}

static void take_back(const char *name)
{
	const struct acceptance a = acceptance(NULL, name);
	char id[ACCEPTANCE_ID_SIZE];

	assert_true(acceptance_id(&a, id) && acceptances_remove(w.acceptances, id));
}

static bool slice(void)
{
	return accepted_apply_some(&r, w.acceptances, w.findings, &w.cluster, 1, now + 1);
}

/* How many slices it takes. */
static size_t apply(void)
{
	size_t n = 1;

	while (!slice())
		n++;
	return n;
}

static void objects_are_looked_at_in_slices(void **state)
{
	(void)state;
	put(NULL, "w-*");
	for (size_t i = 1; !slice(); i++)
		assert_int_equal(cluster_queue_length(w.cluster), i * LOOKS_AT_ONCE);
	assert_int_equal(cluster_queue_length(w.cluster), OBJECTS);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), OBJECTS);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), OBJECTS);
}

static void findings_end_in_slices(void **state)
{
	size_t before = OBJECTS;

	(void)state;
	put(NULL, "w-*");
	(void)apply();
	watched_work(&w);
	take_back("w-*");
	for (size_t n = before; n > 0; before = n) {
		assert_false(slice());
		n = watched_count(&w, FINDING_ACCEPTED);
		assert_in_range(before - n, 1, FINDINGS_SOME);
		assert_int_equal(cluster_queue_length(w.cluster), 0); /* they end before anything is judged again */
	}
	assert_in_range(apply(), OBJECTS / LOOKS_AT_ONCE, OBJECTS / LOOKS_AT_ONCE + 2);
	assert_int_equal(cluster_queue_length(w.cluster), OBJECTS);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), OBJECTS);
}

/* One more for one object costs as little, whatever there is. */
static void one_object_is_not_looked_for(void **state)
{
	(void)state;
	put("none", "w-7");
	assert_int_equal(apply(), 1);
	assert_int_equal(cluster_queue_length(w.cluster), 0);
	put(NULL, "w-7"); /* in any namespace */
	assert_in_range(apply(), OBJECTS / LOOKS_AT_ONCE, OBJECTS / LOOKS_AT_ONCE + 1);
	assert_int_equal(cluster_queue_length(w.cluster), 1);
}

/* Of many at once those objects are judged that one of them is for. */
static void many_at_once(void **state)
{
	char name[32];

	(void)state;
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "w-%d", i);
		put(NULL, name);
	}
	(void)apply();
	assert_int_equal(cluster_queue_length(w.cluster), 100);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), 100);
	for (int i = 0; i < 100; i++) {
		(void)snprintf(name, sizeof(name), "w-%d", i);
		take_back(name);
	}
	(void)apply();
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), 0);
	assert_int_equal(cluster_queue_length(w.cluster), 100);
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), OBJECTS);
}

/* What changes while a round is under way is applied by the next, and nothing is forgotten. */
static void changes_in_between(void **state)
{
	(void)state;
	put(NULL, "w-*");
	assert_false(slice());
	take_back("w-*");
	put(NULL, "w-7");
	(void)apply();
	assert_null(acceptances_changed(w.acceptances, NULL));
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), OBJECTS - 1);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), 1);
}

/* Each change puts the end of the round off by a round at most, not for ever. */
static void changes_all_the_time(void **state)
{
	char name[32];
	int i = 0;

	(void)state;
	put(NULL, "w-*");
	while (cluster_queue_length(w.cluster) < OBJECTS) {
		assert_in_range(i, 0, OBJECTS);
		(void)snprintf(name, sizeof(name), "x-%d", i++);
		put(NULL, name);
		(void)slice();
	}
	assert_in_range(i, OBJECTS / LOOKS_AT_ONCE, OBJECTS / LOOKS_AT_ONCE + 2);
}

/* The cluster goes and comes back under way: all of it is looked at. */
static void clusters_in_between(void **state)
{
	(void)state;
	put(NULL, "w-*");
	assert_false(slice());
	watched_restart(&w);
	watched_add_widgets(&w, OBJECTS);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), OBJECTS); /* as it is judged for the first time */
	(void)apply();
	watched_work(&w);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), OBJECTS);
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
}

static void no_cluster_at_all(void **state)
{
	(void)state;
	put(NULL, "w-*");
	assert_false(slice());
	assert_true(accepted_apply_some(&r, w.acceptances, w.findings, NULL, 0, now + 1));
	assert_null(acceptances_changed(w.acceptances, NULL));
}

/* Findings of an earlier life, whose acceptance is not there any more. */
static void all_findings_are_looked_at(void **state)
{
	(void)state;
	put(NULL, "w-*");
	(void)apply();
	watched_work(&w);
	take_back("w-*");
	acceptances_forget_changes(w.acceptances, acceptances_last_change(w.acceptances));
	assert_int_equal(apply(), 1);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), OBJECTS);
	r.all = true;
	assert_in_range(apply(), OBJECTS / FINDINGS_SOME, OBJECTS / FINDINGS_SOME + 20);
	assert_int_equal(watched_count(&w, FINDING_ACCEPTED), 0);
}

int main(void)
{
#define CASE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(objects_are_looked_at_in_slices),
		CASE(findings_end_in_slices),
		CASE(one_object_is_not_looked_for),
		CASE(many_at_once),
		CASE(changes_in_between),
		CASE(changes_all_the_time),
		CASE(clusters_in_between),
		CASE(no_cluster_at_all),
		CASE(all_findings_are_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
