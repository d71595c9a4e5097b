/* Kinds that only the setting "watch" names, of tests/data/watch/watched.yaml: their objects are kept, nothing is said
 * of them, and a kind that the server does not have is told, once. */
#include "daemon/watch/cluster/cluster_internal.h"

#include "support/capture.h"
#include "support/watched.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct watched w;
static struct capture out;

static int setup(void **state)
{
	(void)state;
	if (!capture_begin(&out))
		return -1;
	watched_start(&w, TEST_DATA "/watch/watched.yaml");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	watched_stop(&w);
	capture_end(&out);
	return 0;
}

static const struct cluster_kind *kind_called(const char *name)
{
	size_t n;
	struct cluster_kind *const *kinds = cluster_kinds(w.cluster, &n);

	for (size_t i = 0; i < n; i++) {
		if (str_eq(kinds[i]->kind->name, str_from(name)))
			return kinds[i];
	}
	return NULL;
}

/* How many records say so. */
static size_t told(const char *text)
{
	struct doc *d;
	size_t n = 0;

	while ((d = capture_next(&out))) {
		n += str_find(val_str(VAL_GET(d->root, "MESSAGE")), str_from(text)) >= 0;
		doc_unref(d);
	}
	return n;
}

static void settle(void)
{
	for (size_t i = 0; i < fake_client->watches.n; i++) {
		struct feed_watch *x = fake_client->watches.p[i];

		if (strcmp(x->spec.kind, "Servise") == 0)
			fake_state(x, KC_ABSENT);
		else
			fake_synced(x);
	}
	cluster_tick(w.cluster);
	watched_work(&w);
}

static void test_objects_are_kept(void **state)
{
	const struct cluster_kind *k = kind_called("Service");

	(void)state;
	assert_non_null(k);
	assert_int_equal(k->n_watches, 2);
	assert_string_equal(fake_watch("Service")->spec.namespace, "pay");
	watched_event(&w, KC_LISTED,
		      "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"a\",\"namespace\":\"pay\","
		      "\"uid\":\"1\"}}");
	settle();
	assert_true(cluster_synced(w.cluster));
	assert_true(k->kept);
	assert_non_null(snapshot_find(k->kind, STR("pay/a")));
	assert_int_equal(watched_count(&w, FINDING_DRIFT), 0);
	assert_int_equal(watched_count(&w, FINDING_ERROR), 0);
}

static void test_a_missing_kind_is_told_once(void **state)
{
	(void)state;
	settle();
	assert_true(cluster_kind_missing(kind_called("Servise")));
	assert_true(cluster_synced(w.cluster));
	assert_int_equal(told("the server does not have what the configuration is about: Servise of v1"), 1);
	settle();
	assert_int_equal(told("does not have"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_objects_are_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_missing_kind_is_told_once, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
