/* Judging time between clusters: one that always has more to do does not keep the others waiting. */
#include "daemon/watch/cluster/cluster.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#define CLUSTERS 3
#define OBJECTS 100
#define SLICE 8

/* A look at the clock takes one tick: CMakeLists.txt wraps the function. */
static uint64_t now;

uint64_t __wrap_uv_hrtime(void);

uint64_t __wrap_uv_hrtime(void)
{
	return ++now;
}

static struct watched w[CLUSTERS];
static struct feed *clients[CLUSTERS];
static struct capture records; /* nobody reads them */

/* Each time with what a verdict sees: else there would be nothing to do. */
static void fill(size_t i)
{
	static size_t size = 2;

	size++;
	fake_client = clients[i];
	for (size_t k = 0; k < OBJECTS; k++) {
		char json[256];

		(void)snprintf(json, sizeof(json),
			       "{\"apiVersion\":\"e.x/v1\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"w-%zu\","
			       "\"uid\":\"%zu\"},\"spec\":{\"size\":%zu}}",
			       k, k, size);
		watched_event(&w[i], KC_MODIFIED, json);
	}
}

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&records))
		return -1;
	for (size_t i = 0; i < CLUSTERS; i++) {
		watched_start(&w[i], TEST_DATA "/watch/any.yaml");
		clients[i] = fake_client;
		watched_settle(&w[i]);
		fill(i);
	}
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < CLUSTERS; i++) {
		fake_client = clients[i];
		watched_stop(&w[i]);
	}
	capture_end(&records);
	return 0;
}

static void test_all_get_their_turn(void **state)
{
	struct cluster *const clusters[CLUSTERS] = { w[0].cluster, w[1].cluster, w[2].cluster };
	size_t next = 7, turns = 0; /* of more clusters than there are now */

	(void)state;
	for (; turns < 4 * CLUSTERS; turns++) {
		assert_true(clusters_work(clusters, CLUSTERS, &next, now + SLICE));
		if (turns == CLUSTERS - 1) /* each had one */
			for (size_t i = 0; i < CLUSTERS; i++)
				assert_in_range(cluster_queue_length(clusters[i]), OBJECTS - SLICE, OBJECTS - 1);
	}
	for (size_t i = 1; i < CLUSTERS; i++)
		assert_int_equal(cluster_queue_length(clusters[i]), cluster_queue_length(clusters[0]));
	fill(0); /* a storm in one of them, without end */
	for (; cluster_queue_length(clusters[1]) || cluster_queue_length(clusters[2]); turns++) {
		fill(0);
		assert_true(clusters_work(clusters, CLUSTERS, &next, now + SLICE));
		assert_true(turns < CLUSTERS * OBJECTS);
	}
	while (clusters_work(clusters, CLUSTERS, &next, now + SLICE))
		;
	assert_int_equal(cluster_queue_length(clusters[0]), 0);
	assert_false(clusters_work(NULL, 0, &next, now + SLICE));
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_all_get_their_turn) };

	return cmocka_run_group_tests(tests, setup, teardown);
}
